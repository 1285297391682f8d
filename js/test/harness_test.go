//go:build !js

// Package browser_test drives the built package in a headless Chromium: one browser for all tests, one profile (its own
// storage, locks and SharedWorkers) for each test, as many tabs in it as the test opens. What any realm of a profile
// complains about on its console fails the test, see console_test.go. Nothing here waits by time: each step is
// acknowledged by the browser, within the limit.
package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	site "github.com/clca-dev/clca/example-site"
)

const (
	limit      = time.Minute
	suiteLimit = 5 * limit // of a suite, whose cases have deadlines of their own
	siteDir    = "../../example-site/dist"
)

var (
	browser context.Context
	server  *httptest.Server

	errCrashed = errors.New("the tab crashed")
	errClosed  = errors.New("the tab is closed")
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	options := append(chromedp.DefaultExecAllocatorOptions[:], // no-sandbox comes by itself where root needs it
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("no-pings", true),
		// What each profile's window would start a process for, or each page in advance: nearly half of what a test costs.
		chromedp.Flag("disable-features", "Translate,WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess"),
	)
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	var stop context.CancelFunc
	browser, stop = chromedp.NewContext(allocator)
	defer stop()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintf(os.Stderr, "no browser to test in (make browser installs one): %v\n", err)
		return 1
	}
	server = httptest.NewServer(handler())
	defer server.Close()
	code := m.Run()
	if err := bench.report(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", site.Handler(siteDir))
	mux.Handle("/isolated/", http.StripPrefix("/isolated", isolated(site.Handler(siteDir))))
	mux.Handle("/harness/", http.StripPrefix("/harness", site.Handler("testdata")))
	mux.Handle("/below/a/path/", http.StripPrefix("/below/a/path", site.Handler(siteDir)))
	mux.HandleFunc("POST /turnstile/{name}/{do}", serveTurnstile)
	mux.HandleFunc("/comeback/{name}/{do}", serveDoor)
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return mux
}

// A Tab is a page in the profile of one test.
type Tab struct {
	t       testing.TB
	profile *profile
	ctx     context.Context // the tab's life: ends with the test, with Close, or in a crash
	end     context.CancelCauseFunc
	target  context.Context // chromedp's, which survives a crash
	doomed  atomic.Bool     // its crash is wanted
}

// Open opens a path of the site in a fresh profile, which the end of the test checks and removes.
func Open(t testing.TB, path string) *Tab {
	t.Helper()
	if _, err := os.Stat(siteDir + "/clca/clca.wasm"); err != nil && !strings.HasPrefix(path, "/harness/") {
		require.FailNow(t, "the package is not built, run make site", err.Error())
	}
	return newProfile(t).open(path)
}

// Beside opens one more tab in the profile of this one.
func (tab *Tab) Beside(path string) *Tab {
	tab.t.Helper()
	return tab.profile.open(path)
}

func (p *profile) open(path string) *Tab {
	p.t.Helper()
	tab := &Tab{t: p.t, profile: p}
	say := p.listener("page " + path)
	tab.target, _ = chromedp.NewContext(browser,
		chromedp.WithExistingBrowserContext(p.id),
		chromedp.WithListener(func(event any) {
			if _, crashed := event.(*inspector.EventTargetCrashed); crashed {
				tab.crashed(path)
			}
			say(event)
		}),
	)
	tab.ctx, tab.end = context.WithCancelCause(tab.target)
	p.tabs = append(p.tabs, tab)
	require.NoError(p.t, chromedp.Do(tab.target))
	tab.Go(path)
	return tab
}

// Go loads another path in the tab.
func (tab *Tab) Go(path string) {
	tab.t.Helper()
	tab.do("load "+path, chromedp.Navigate(server.URL+path))
}

// Reload loads the page again.
func (tab *Tab) Reload() {
	tab.t.Helper()
	url := Eval[string](tab, `location.href`)
	tab.Go(strings.TrimPrefix(url, server.URL))
}

// Back returns to the page before, from the back/forward cache if it is there.
func (tab *Tab) Back() {
	tab.t.Helper()
	tab.do("go back", chromedp.NavigateBack())
}

// Close closes the tab as a person would.
func (tab *Tab) Close() {
	tab.t.Helper()
	tab.end(errClosed)
	require.NoError(tab.t, chromedp.Cancel(tab.target))
}

// Crash kills the process that shows the page, and whatever else lives in it. It returns when that is done.
func (tab *Tab) Crash() {
	tab.t.Helper()
	tab.doomed.Store(true)
	ctx, cancel := tab.limited()
	defer cancel()
	_, err := chromedp.Call(ctx, page.Crash, cdp.Empty{}) // is never answered
	require.Error(tab.t, err)
	require.ErrorIs(tab.t, context.Cause(ctx), errCrashed)
}

func (tab *Tab) crashed(path string) {
	if !tab.doomed.Load() {
		tab.profile.record(message{"page " + path, errorLevel, errCrashed.Error()})
	}
	tab.end(errCrashed)
}

// Eval is the value of an expression in the tab; if that is a promise, of the promise.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	value, err := TryEval[T](tab, expression)
	require.NoError(tab.t, err, expression)
	return value
}

// TryEval is Eval for expressions that may throw, and for tabs that may die.
func TryEval[T any](tab *Tab, expression string) (T, error) {
	return tryEvalWithin[T](tab, limit, expression)
}

func tryEvalWithin[T any](tab *Tab, limit time.Duration, expression string) (T, error) {
	ctx, cancel := tab.within(limit)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	return value, err
}

// Do evaluates statements, which may await, for their effect.
func (tab *Tab) Do(statements string) {
	tab.t.Helper()
	Eval[chromedp.Void](tab, "(async () => {"+statements+"\n})()")
}

func (tab *Tab) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	ctx, cancel := tab.limited()
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		require.NoError(tab.t, errors.Join(err, context.Cause(ctx)), what)
	}
}

func (tab *Tab) limited() (context.Context, context.CancelFunc) { return tab.within(limit) }

func (tab *Tab) within(limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(tab.ctx, limit, fmt.Errorf("no answer within %v", limit))
}

// RunSuite awaits the report of a suite that runs in the tab, and makes a subtest of each case. The convention is that a
// page sets `globalThis.clcaReport`, before it awaits anything, to a promise of {cases: [{name, ok, error?, skipped?, ms}]}; and
// `globalThis.clcaCase` to the name of the case that runs, to be blamed should it never end.
func RunSuite(t *testing.T, tab *Tab, expression string) {
	t.Helper()
	report, err := tryEvalWithin[struct {
		Cases []struct {
			Name    string  `json:"name"`
			OK      bool    `json:"ok"`
			Error   string  `json:"error"`
			Skipped string  `json:"skipped"`
			MS      float64 `json:"ms"`
		} `json:"cases"`
	}](tab, suiteLimit, expression)
	if err != nil {
		running, _ := TryEval[string](tab, `String(globalThis.clcaCase)`)
		require.NoError(t, err, "no report from %s, case: %s", expression, running)
	}
	require.NotEmpty(t, report.Cases, "a suite without cases")
	for _, c := range report.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Logf("%.1f ms in the page", c.MS)
			require.True(t, c.OK, "%s", c.Error)
			require.Empty(t, c.Skipped, "no case is skipped in Chromium")
		})
	}
}
