//go:build !js

package browser_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// isolated serves what a page must be served with whose realms are to share memory, and its Workers' scripts.
func isolated(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		pages.ServeHTTP(w, r)
	})
}

func TestCallsThatBlock(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"hub in the page":                            "where=here",
		"hub in a Worker":                            "where=worker",
		"hub in a Worker, all in it or below":        "in=worker&where=here",
		"hub in a Worker of a Worker, others beside": "in=worker&where=worker",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := Open(t, "/isolated/test/blocking.html?"+query)
			RunSuite(t, tab, `clcaReport`)
			for way, ms := range Eval[map[string]float64](tab, `clcaReport.then(({ latencies }) => latencies)`) {
				t.Logf("%s: known after %.1f ms at most", way, ms)
			}
		})
	}
}

// Where a thread cannot be blocked, or memory cannot be shared, the error says what is missing.
func TestCallsThatCannotBlockSayWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, open, who, why string }{
		"a page":                                  {"/isolated", `await lab.open({ where: 'worker' })`, `lab.hub`, `page must not block`},
		"a page that is not isolated":             {"", `await lab.open({ where: 'worker' })`, `lab.hub`, `page must not block`},
		"the hub's own realm":                     {"/isolated", `await lab.open({})`, `lab.hub`, `own realm`},
		"a Worker of a page not isolated":         {"", `await lab.open({})`, ``, `Cross-Origin-Opener-Policy.*Cross-Origin-Embedder-Policy`},
		"a Worker whose hub is in a SharedWorker": {"/isolated", `await lab.open({ where: 'shared' })`, ``, `SharedWorker`},
	} {
		t.Run(name, func(t *testing.T) {
			tab := Open(t, c.path+faults)
			require.Equal(t, c.path != "", Eval[bool](tab, `crossOriginIsolated`))
			tab.Do(c.open)
			var errors []string
			if c.who != "" {
				errors = Eval[[]string](tab, fmt.Sprintf(`lab.whyNotBlock(%s)`, c.who))
			} else {
				errors = Eval[[]string](tab, `lab.newRealm().tell({ whyNotBlock: true })`)
			}
			require.Len(t, errors, 3)
			for _, err := range errors {
				require.Regexp(t, `^UnsupportedError: .*`+c.why, err)
			}
			tab.Do(`lab.equal((await lab.hub.stats()).calls, 0)`)
		})
	}
}
