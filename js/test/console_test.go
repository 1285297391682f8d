//go:build !js

package browser_test

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// A profile is what the tabs of one test share, and the record of what was said in it. A page tells what its Workers say,
// and theirs, though late; a SharedWorker tells nobody. So SharedWorkers are attached to as they appear, and at the end of
// the test all Workers that still live, whereupon each repeats what it said before.
type profile struct {
	t    testing.TB
	id   cdp.BrowserContextID
	ctx  context.Context // ends with the test
	tabs []*Tab

	mu       sync.Mutex
	messages []message
	expected []*regexp.Regexp
	workers  map[target.ID]*worker
}

type message struct{ realm, level, text string }

const errorLevel = "error"

func (m message) String() string { return m.realm + ": " + m.level + ": " + m.text }

func (m message) matches(pattern *regexp.Regexp) bool {
	return m.level == errorLevel && pattern.MatchString(m.String())
}

type worker struct {
	name     string
	ctx      context.Context
	attached chan struct{}
	err      error // of attaching
}

func newProfile(t testing.TB) *profile {
	t.Helper()
	created, err := chromedp.CallBrowser(browser, target.CreateBrowserContext, target.CreateBrowserContextParams{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(browser)
	p := &profile{t: t, id: created.BrowserContextID, ctx: ctx, workers: map[target.ID]*worker{}}
	t.Cleanup(func() {
		t.Helper()
		defer cancel()
		p.settle()
		p.check()
		for _, tab := range p.tabs {
			chromedp.Cancel(tab.target)
		}
		_, err := chromedp.CallBrowser(browser, target.DisposeBrowserContext,
			target.DisposeBrowserContextParams{BrowserContextID: p.id})
		require.NoError(t, err)
	})
	require.NoError(t, chromedp.ListenBrowser(ctx, func(event any) {
		if created, ok := event.(*target.EventTargetCreated); ok && created.TargetInfo.Type == "shared_worker" {
			p.attach(created.TargetInfo)
		}
	}))
	return p
}

// ExpectErrors declares errors that the test causes. Each pattern must match an error by the end of the test, and every
// error must match a pattern.
func (tab *Tab) ExpectErrors(patterns ...string) {
	tab.profile.mu.Lock()
	defer tab.profile.mu.Unlock()
	for _, pattern := range patterns {
		tab.profile.expected = append(tab.profile.expected, regexp.MustCompile(pattern))
	}
}

func (p *profile) record(m message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, m)
}

func (p *profile) listener(realm string) func(event any) {
	return func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			level := string(e.Type)
			if e.Type == runtime.ConsoleAPICalledTypeAssert {
				level = errorLevel
			}
			p.record(message{realm, level, text(e.Args...)})
		case *runtime.EventExceptionThrown:
			thrown := e.ExceptionDetails.Text
			if e.ExceptionDetails.Exception != nil {
				thrown += " " + text(e.ExceptionDetails.Exception)
			}
			p.record(message{realm, errorLevel, thrown})
		case *log.EventEntryAdded:
			p.record(message{realm, string(e.Entry.Level), string(e.Entry.Source) + " " + e.Entry.URL + ": " + e.Entry.Text})
		}
	}
}

func text(values ...*runtime.RemoteObject) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, cmp.Or(v.Description, strings.Trim(string(v.Value), `"`), string(v.Type)))
	}
	return strings.Join(parts, " ")
}

// attach listens to a Worker of the profile, once. It is called on the goroutine that reads the browser's messages, so it
// must not wait.
func (p *profile) attach(info *target.Info) *worker {
	if info.BrowserContextID != p.id {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.workers[info.TargetID]
	if w == nil {
		w = &worker{name: info.Type + " " + info.URL, attached: make(chan struct{})}
		say := p.listener(w.name)
		w.ctx, _ = chromedp.NewContext(p.ctx, chromedp.WithTargetID(info.TargetID), chromedp.WithDetachOnCancel(),
			chromedp.WithListener(func(event any) {
				if _, again := event.(*inspector.EventTargetReloadedAfterCrash); again {
					// A SharedWorker that is started again while somebody is attached waits for that one.
					go chromedp.Call(w.ctx, runtime.RunIfWaitingForDebugger, cdp.Empty{})
				}
				say(event)
			}))
		p.workers[info.TargetID] = w
		go func() {
			defer close(w.attached)
			w.err = chromedp.Do(w.ctx)
		}()
	}
	return w
}

// settle returns once all that the living realms have said has arrived, and what their earlier tasks had still to say.
func (p *profile) settle() {
	p.t.Helper()
	turn := chromedp.Evaluate[chromedp.Void](`new Promise((done) => globalThis.setTimeout === undefined ? done() : setTimeout(done))`,
		chromedp.EvalAwaitPromise) // a Worker whose script was not found has none
	for _, tab := range p.tabs {
		if tab.ctx.Err() == nil {
			p.answers("page", tab.ctx, func(ctx context.Context) error { return chromedp.Do(ctx, turn) })
		}
	}
	seen := map[target.ID]bool{}
	for more := true; more; {
		more = false
		targets, err := chromedp.Targets(browser)
		require.NoError(p.t, err)
		for _, info := range targets {
			if !strings.HasSuffix(info.Type, "worker") || info.URL == "" || seen[info.TargetID] {
				continue
			}
			seen[info.TargetID] = true
			w := p.attach(info)
			if w == nil {
				continue
			}
			more = true
			there, stop := untilGone(w.ctx, info.TargetID)
			p.answers(w.name, there, func(ctx context.Context) error {
				select {
				case <-w.attached:
					if w.err != nil {
						return w.err
					}
					return chromedp.Do(ctx, turn, revealNested)
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			stop()
		}
	}
}

// untilGone ends when the browser does not know the Worker any more, or has had it not answer for a while: one that is
// terminated while it is attached to neither answers nor detaches, and if it is a Worker's Worker, stays listed for ever.
func untilGone(ctx context.Context, id target.ID) (context.Context, context.CancelFunc) {
	const patience, pause = 5 * time.Second, 100 * time.Millisecond
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for range patience / pause {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			targets, err := chromedp.Targets(browser)
			if err == nil && !slices.ContainsFunc(targets, func(info *target.Info) bool { return info.TargetID == id }) {
				break
			}
		}
		cancel(chromedp.ErrTargetDetached)
	}()
	return ctx, func() { cancel(nil) }
}

// Before this, a Worker of the Worker is listed without a URL, and does not answer.
func revealNested(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	flatten := true
	return cdp.Call(ctx, t, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, Flatten: &flatten})
}

// answers records a realm that is there and does not do its part.
func (p *profile) answers(realm string, ctx context.Context, part func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := part(ctx); err != nil && !isGone(err) && !isGone(context.Cause(ctx)) {
		p.record(message{realm, errorLevel, "no answer at the end of the test: " + err.Error()})
	}
}

func isGone(err error) bool {
	if err == nil {
		return false
	}
	return errors.Is(err, chromedp.ErrTargetDetached) || strings.Contains(err.Error(), "No target with given id")
}

// check fails the test for every error that it did not expect, and for what it expected and did not get.
func (p *profile) check() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.messages {
		if m.level == errorLevel && !slices.ContainsFunc(p.expected, m.matches) {
			p.t.Errorf("unexpected %v", m)
		}
	}
	for _, e := range p.expected {
		if !slices.ContainsFunc(p.messages, func(m message) bool { return m.matches(e) }) {
			p.t.Errorf("no error matched %v", e)
		}
	}
	if p.t.Failed() {
		for _, m := range p.messages {
			p.t.Log(m)
		}
	}
}
