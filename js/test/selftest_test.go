//go:build !js

package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// recorder stands in for the test that a harness would fail.
type recorder struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Log(...any)       {}
func (r *recorder) Failed() bool     { return len(r.errors) > 0 }
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, a ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, a...))
}

// recorded is what the harness has against a test by its end.
func recorded(t *testing.T, test func(tab *Tab)) string {
	r := &recorder{TB: t}
	test(Open(r, "/harness/blank.html"))
	for _, cleanup := range r.cleanups {
		cleanup()
	}
	return strings.Join(r.errors, "\n")
}

const (
	startWorker = `
		globalThis.worker = new Worker('complain.js?%s');
		await new Promise((heard) => { worker.onmessage = heard; });`
	startSharedWorker = `
		globalThis.worker = new SharedWorker('complain.js?%s');
		await new Promise((heard) => { worker.port.onmessage = heard; });`
)

func TestHarnessSeesComplaintsOfEveryRealm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ statements, complaint string }{
		"page, thrown":             {`setTimeout(() => { throw new Error('thrown on purpose') })`, "thrown on purpose"},
		"page, rejected":           {`Promise.reject(new Error('rejected on purpose'))`, "rejected on purpose"},
		"page, said":               {`console.error('said', 'on', 'purpose')`, "said on purpose"},
		"page, asserted":           {`console.assert(false, 'asserted on purpose')`, "asserted on purpose"},
		"page, nothing":            {`console.log('nothing')`, ""},
		"Worker, thrown":           {fmt.Sprintf(startWorker, "throw"), "thrown on purpose"},
		"Worker, rejected":         {fmt.Sprintf(startWorker, "reject"), "rejected on purpose"},
		"Worker, said":             {fmt.Sprintf(startWorker, "console"), "said on purpose"},
		"Worker, nothing":          {fmt.Sprintf(startWorker, "nothing"), ""},
		"Worker's Worker, thrown":  {fmt.Sprintf(startWorker, "nest"), "thrown on purpose"},
		"SharedWorker, thrown":     {fmt.Sprintf(startSharedWorker, "throw"), "thrown on purpose"},
		"SharedWorker, rejected":   {fmt.Sprintf(startSharedWorker, "reject"), "rejected on purpose"},
		"SharedWorker, said":       {fmt.Sprintf(startSharedWorker, "console"), "said on purpose"},
		"SharedWorker, nothing":    {fmt.Sprintf(startSharedWorker, "nothing"), ""},
		"a script that is missing": {`await import('./missing.js').catch(() => {})`, "404"},
	} {
		t.Run(name, func(t *testing.T) {
			errors := recorded(t, func(tab *Tab) { tab.Do(c.statements) })
			if c.complaint == "" {
				require.Empty(t, errors)
			} else {
				require.Contains(t, errors, c.complaint)
			}
		})
	}
}

func TestHarnessHoldsTheTestToItsExpectations(t *testing.T) {
	t.Parallel()
	require.Empty(t, recorded(t, func(tab *Tab) {
		tab.ExpectErrors("^page .* purpose$")
		tab.Do(`console.error('on purpose')`)
	}))
	require.Contains(t, recorded(t, func(tab *Tab) {
		tab.ExpectErrors("on purpose")
		tab.Do(`console.error('on purpose'); console.error('by accident')`)
	}), "by accident")
	require.Contains(t, recorded(t, func(tab *Tab) { tab.ExpectErrors("on purpose") }), "no error matched on purpose")
}

func TestEval(t *testing.T) {
	t.Parallel()
	tab := Open(t, "/harness/blank.html")
	require.Equal(t, 3, Eval[int](tab, `1 + 2`))
	require.Equal(t, []string{"a", "b"}, Eval[[]string](tab, `Promise.resolve(['a', 'b'])`))
	_, err := TryEval[int](tab, `Promise.reject(new RangeError('too much'))`)
	require.ErrorContains(t, err, "too much")
	_, err = TryEval[int](tab, `nowhere()`)
	require.ErrorContains(t, err, "nowhere is not defined")
	require.True(t, Eval[bool](tab, `isSecureContext && document.visibilityState === 'visible'`))
}

func TestTabsOfOneTestShareAProfile(t *testing.T) {
	t.Parallel()
	first := Open(t, "/harness/blank.html")
	second := first.Beside("/harness/blank.html")
	stranger := Open(t, "/harness/blank.html")
	first.Do(`localStorage.setItem('key', 'value')`)
	require.Equal(t, "value", Eval[string](second, `localStorage.getItem('key')`))
	require.True(t, Eval[bool](stranger, `localStorage.getItem('key') === null`))

	first.Close()
	require.Equal(t, "value", Eval[string](second, `localStorage.getItem('key')`))
	_, err := TryEval[int](first, `1`)
	require.ErrorIs(t, err, errClosed)
}

// The harness listens to SharedWorkers, which must not keep them alive.
func TestASharedWorkerEndsWithItsLastTab(t *testing.T) {
	t.Parallel()
	first := Open(t, "/harness/blank.html")
	second := first.Beside("/harness/blank.html")
	first.Do(fmt.Sprintf(startSharedWorker, "hold"))
	require.Equal(t, 1, Eval[int](second, `navigator.locks.query().then(({ held }) => held.length)`))
	first.Close()
	second.Do(`await navigator.locks.request("held", () => {})`)
}

// A crash takes the Workers of the tab with it, which then answer nobody.
func TestACrashWithWorkersEndsInTime(t *testing.T) {
	t.Parallel()
	tab := Open(t, "/harness/blank.html")
	tab.Do(fmt.Sprintf(startSharedWorker, "nothing"))
	tab.Do(fmt.Sprintf(startWorker, "nothing"))
	tab.Crash()
}

func TestACrashIsReported(t *testing.T) {
	t.Parallel()
	tab := Open(t, "/harness/blank.html")
	other := tab.Beside("/harness/blank.html")
	tab.Crash()
	_, err := TryEval[int](tab, `1`)
	require.ErrorIs(t, err, errCrashed)
	require.Equal(t, 1, Eval[int](other, `1`))

	require.Contains(t, recorded(t, func(tab *Tab) {
		chromedp.Call(tab.ctx, page.Crash, cdp.Empty{})
	}), errCrashed.Error())
}

func TestRunSuite(t *testing.T) {
	t.Parallel()
	tab := Open(t, "/harness/blank.html")
	tab.Do(`globalThis.clcaReport = Promise.resolve({ cases: [{ name: 'passes', ok: true, ms: 1.5 }] })`)
	RunSuite(t, tab, `clcaReport`)
}
