//go:build !js

// Command conform has a browser run the conformance suite of the site, and exits as that does. It takes no driver: the
// browser opens the page, and the page tells the server of each case.
//
//	go run ./js/test/conform firefox-esr
//	go run ./js/test/conform -only 'a signal wakes' open -a Safari
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"time"

	site "github.com/clca-dev/clca/example-site"
)

func main() {
	trial := trial{out: os.Stdout}
	flag.StringVar(&trial.dir, "dir", filepath.FromSlash("example-site/dist"), "the built site")
	flag.StringVar(&trial.only, "only", "", "only cases with this in their names")
	flag.DurationVar(&trial.silence, "silence", 2*time.Minute, "for how long the browser may say nothing")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "which browser? Name the command that opens a page in it.")
		os.Exit(2)
	}
	if err := trial.run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type trial struct {
	dir     string
	only    string
	silence time.Duration
	out     io.Writer
}

// run returns an error unless all cases passed in all places that the browser has.
func (t trial) run(browser []string) error {
	if _, err := os.Stat(filepath.Join(t.dir, "conformance.html")); err != nil {
		return fmt.Errorf("no site to test, run make site: %w", err)
	}
	heard := make(chan line)
	ctx, cancel := context.WithCancel(context.Background())
	mux := http.NewServeMux()
	mux.Handle("/", site.Handler(t.dir))
	mux.Handle("POST /report", hear(ctx, heard))
	server := httptest.NewServer(mux)
	defer server.Close()
	defer cancel() // first, so that no request keeps the server

	profile, err := os.MkdirTemp("", "conform")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profile)
	command, err := prepare(ctx, browser, profile, server.URL+"/conformance.html?report&only="+url.QueryEscape(t.only))
	if err != nil {
		return err
	}
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		return err
	}
	gone := make(chan error, 1)
	go func() {
		gone <- command.Wait()
		close(gone)
	}()

	record := record{out: t.out}
	err = t.listen(&record, heard, gone)
	cancel()
	for range gone {
	}
	if err != nil {
		return fmt.Errorf("%w\n%s\nthe browser said:\n%s", err, record.last(), &said)
	}
	return record.verdict()
}

// listen takes down what is heard, until it is all.
func (t trial) listen(record *record, heard <-chan line, gone <-chan error) error {
	for {
		select {
		case line := <-heard:
			record.add(line)
			if line.Done {
				return nil
			}
		case err, ok := <-gone:
			if ok && err != nil {
				return fmt.Errorf("the browser has gone away: %w", err)
			}
			gone = nil // the command that opens a page need not be the browser
		case <-time.After(t.silence):
			return fmt.Errorf("nothing was heard for %v", t.silence)
		}
	}
}
