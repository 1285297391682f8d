//go:build !js

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The test program is the browser as well, of which the environment says how it behaves.
func TestMain(m *testing.M) {
	if script, ok := os.LookupEnv("CONFORM_BROWSER"); ok {
		os.Exit(browse(script, os.Args[len(os.Args)-1]))
	}
	os.Exit(m.Run())
}

// browse posts each line of the script as the page would; `exit` and `stay` are what becomes of the browser.
func browse(script, page string) int {
	for _, each := range strings.Split(script, "\n") {
		switch each {
		case "exit":
			fmt.Println("I am out of memory")
			return 3
		case "stay":
			select {}
		}
		target := page[:strings.LastIndex(page, "/")] + "/report"
		response, err := http.Post(target, "application/json", strings.NewReader("["+each+"]"))
		if err != nil || response.StatusCode != http.StatusOK {
			return 4
		}
	}
	return 0
}

func TestVerdict(t *testing.T) {
	const (
		begin  = `{"userAgent": "Mozilla", "cases": 2, "places": ["here", "there"]}`
		here   = `{"place": "here", "begins": "a"}` + "\n" + `{"place": "here", "ended": {"name": "a", "ok": true}}`
		alsoB  = `{"place": "here", "ended": {"name": "b", "ok": true}}`
		over   = `{"place": "here", "over": true}`
		noB    = `{"place": "here", "ended": {"name": "b", "ok": true, "skipped": "of coarse clocks"}}`
		badB   = `{"place": "here", "ended": {"name": "b", "error": "Error: got 1, want 2\nat a line"}}`
		none   = `{"place": "there", "skipped": "there is none"}`
		broken = `{"place": "there", "failed": "it did not start"}`
		done   = `{"done": true}`
	)
	for name, c := range map[string]struct {
		script []string
		err    string
		out    string
	}{
		"all pass":                    {[]string{begin, here, alsoB, over, none, done, "stay"}, "", "here: 2 passed, 0 failed, 0 skipped\nskipped there: there is none"},
		"the command only opens it":   {[]string{begin, here, alsoB, over, none, done}, "", "here: 2 passed"},
		"a case is skipped":           {[]string{begin, here, noB, over, none, done, "stay"}, "", "skipped:\n  b: of coarse clocks"},
		"a case fails":                {[]string{begin, here, badB, over, none, done, "stay"}, "1 failed", "FAILED here: b\n    Error: got 1, want 2\n    at a line\n"},
		"a case has not run":          {[]string{begin, here, over, none, done, "stay"}, "1 failed", "FAILED here: 1 cases have not run"},
		"a place breaks":              {[]string{begin, here, alsoB, over, broken, done, "stay"}, "1 failed", "FAILED there: it did not start"},
		"a place is not heard of":     {[]string{begin, here, alsoB, over, done, "stay"}, "1 of 2 places came to an end", "here: 2 passed"},
		"there are no cases":          {[]string{`{"userAgent": "Mozilla", "places": []}`, done, "stay"}, "no case was run", ""},
		"it falls silent":             {[]string{begin, here, `{"place": "here", "begins": "b"}`, "stay"}, "nothing was heard for 5s\nthis one ran: here: b", ""},
		"it is silent from the start": {[]string{"stay"}, "nothing was heard for 100ms\nthe page never began", ""},
		"it dies":                     {[]string{begin, here, "exit"}, "the browser has gone away: exit status 3\nthe last one heard of: here: a\nthe browser said:\nI am out of memory", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "conformance.html"), nil, 0o644))
			t.Setenv("CONFORM_BROWSER", strings.Join(c.script, "\n"))
			silence := time.Minute // as a browser of this kind may take its time to start
			if _, after, silent := strings.Cut(c.err, "nothing was heard for "); silent {
				after, _, _ = strings.Cut(after, "\n")
				silence, _ = time.ParseDuration(after)
			}
			var out strings.Builder
			err := trial{dir: dir, only: "it & that", silence: silence, out: &out}.run([]string{os.Args[0]})
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
			require.Contains(t, out.String(), c.out)
		})
	}
}

func TestWhatIsNoSiteOrNoBrowser(t *testing.T) {
	require.ErrorContains(t, trial{dir: t.TempDir()}.run([]string{"firefox"}), "run make site")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "conformance.html"), nil, 0o644))
	require.Error(t, trial{dir: dir}.run([]string{filepath.Join(dir, "no browser")}))
}
