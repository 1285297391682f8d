//go:build !js

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// A line is what the page says at a time, see example-site/src/conformance-post.ts.
type line struct {
	UserAgent string
	Cases     int
	Places    []string

	Place   string
	Skipped string
	Begins  string
	Ended   *result
	Over    bool
	Failed  string

	Done bool
}

type result struct {
	Name    string
	OK      bool
	Error   string
	Skipped string
}

// hear takes lines of the page; they arrive in order, as the page sends no more before it has an answer.
func hear(ctx context.Context, heard chan<- line) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var lines []line
		if err := json.NewDecoder(r.Body).Decode(&lines); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, line := range lines {
			select {
			case heard <- line:
			case <-ctx.Done():
				return
			}
		}
	})
}

// A record is what was heard so far.
type record struct {
	out                     io.Writer
	begun                   line // the first
	place                   string
	passed, failed, skipped int // in the place
	bad, over               int // of all places
	latest                  line
	skips                   []string // of cases, each once
}

func (r *record) add(l line) {
	r.latest = l
	if l.Place != r.place {
		r.place, r.passed, r.failed, r.skipped = l.Place, 0, 0, 0
	}
	switch {
	case l.UserAgent != "":
		r.begun = l
		fmt.Fprintf(r.out, "%s\n%d cases in %d places\n", l.UserAgent, l.Cases, len(l.Places))
	case l.Ended != nil && l.Ended.Skipped != "":
		r.skipped++
		if skip := l.Ended.Name + ": " + l.Ended.Skipped; !slices.Contains(r.skips, skip) {
			r.skips = append(r.skips, skip)
		}
	case l.Ended != nil && l.Ended.OK:
		r.passed++
	case l.Ended != nil:
		r.failed++
		r.bad++
		fmt.Fprintf(r.out, "FAILED %s: %s\n    %s\n", l.Place, l.Ended.Name, strings.ReplaceAll(l.Ended.Error, "\n", "\n    "))
	case l.Skipped != "":
		r.over++
		fmt.Fprintf(r.out, "skipped %s: %s\n", l.Place, l.Skipped)
	case l.Failed != "":
		r.over++
		r.bad++
		fmt.Fprintf(r.out, "FAILED %s: %s\n", l.Place, l.Failed)
	case l.Over:
		r.over++
		if missing := r.begun.Cases - r.passed - r.failed - r.skipped; missing != 0 {
			r.bad++
			fmt.Fprintf(r.out, "FAILED %s: %d cases have not run\n", l.Place, missing)
		}
		fmt.Fprintf(r.out, "%s: %d passed, %d failed, %d skipped\n", l.Place, r.passed, r.failed, r.skipped)
	case l.Done && len(r.skips) > 0:
		fmt.Fprintf(r.out, "skipped:\n  %s\n", strings.Join(r.skips, "\n  "))
	}
}

// last says what was heard last.
func (r *record) last() string {
	switch l := r.latest; {
	case l.Begins != "":
		return "this one ran: " + l.Place + ": " + l.Begins
	case l.Ended != nil:
		return "the last one heard of: " + l.Place + ": " + l.Ended.Name
	case l.Place != "":
		return "the last place heard of: " + l.Place
	case l.UserAgent != "":
		return "it had only begun"
	}
	return "the page never began"
}

// verdict is an error unless all has run and passed.
func (r *record) verdict() error {
	switch {
	case r.begun.Cases == 0:
		return errors.New("no case was run")
	case r.over != len(r.begun.Places):
		return fmt.Errorf("%d of %d places came to an end", r.over, len(r.begun.Places))
	case r.bad > 0:
		return fmt.Errorf("%d failed", r.bad)
	}
	return nil
}
