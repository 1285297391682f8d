//go:build js && wasm

package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"syscall/js"
	"time"
)

// lane is the Go side of lane.ts: it takes orders from the channel of the site, carries out each in a goroutine of its
// own, and tells the channel what happens, in the words of protocol.ts.
type lane struct {
	id, label  string
	activities map[string]activity
	calls      map[string]func() (any, error) // what can be done at once, by primitive and step
	nests      string                         // the activity that can be begun again while it is under way
	channel    js.Value

	mu     sync.Mutex
	states map[string]any // by activity, while the lane is at it
	steps  int
	begun  map[string][]*begun // by activity, while it is under way
}

// activity is what a lane does from one order to the other; it ends by itself, or early once the context does.
type activity func(ctx context.Context, l *lane, how string)

type begun struct {
	how    string
	cancel context.CancelFunc
}

// open joins the channel, which has the name of the realm that this program runs in.
func (l *lane) open() {
	l.states, l.begun = map[string]any{}, map[string][]*begun{}
	l.channel = js.Global().Get("BroadcastChannel").New(js.Global().Get("name"))
	l.channel.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		message := args[0].Get("data")
		switch kind := message.Get("kind").String(); {
		case kind == "who":
			l.say(nil)
		case kind == "order" && message.Get("lane").String() == l.id:
			l.obey(message.Get("order"))
		}
		return nil
	}))
	l.say(nil)
}

func (l *lane) obey(order js.Value) {
	what := order.Get("what").String()
	switch order.Get("do").String() {
	case "start":
		how := ""
		if v := order.Get("how"); v.Type() == js.TypeString {
			how = v.String()
		}
		l.start(what, how)
	case "stop":
		l.stop(what)
	case "call":
		l.call(what, order.Get("call").String())
	}
}

func (l *lane) start(what, how string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do := l.activities[what]
	if do == nil || l.begun[what] != nil && what != l.nests {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	one := &begun{how, cancel}
	l.begun[what] = append(l.begun[what], one)
	go func() {
		do(ctx, l, how)
		cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.begun[what] = slices.DeleteFunc(l.begun[what], func(each *begun) bool { return each == one })
		if len(l.begun[what]) == 0 {
			delete(l.begun, what)
		}
	}()
}

func (l *lane) stop(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if all := l.begun[what]; all != nil {
		all[len(all)-1].cancel()
	}
}

func (l *lane) call(primitive, step string) {
	call := l.calls[primitive+" "+step]
	if call == nil {
		return
	}
	c := sees(primitive+" "+step, "")
	value, err := call()
	c.returned(value, err, false)
	if err != nil {
		l.report(primitive, "fails", err.Error())
	} else {
		l.report(primitive, step, value)
	}
}

// wait tells that the lane waits, if it parks, and how the call fails; it returns the call, and whether that did not.
func (l *lane) wait(ctx context.Context, what, how string, parks bool, call func(context.Context) error) (seen, bool) {
	if parks {
		l.become(what, strings.TrimSpace("waiting "+how))
		l.report(what, "waits", how)
	}
	c := sees(what, how)
	err := call(ctx)
	c.returned(nil, err, parks)
	l.become(what, "")
	switch {
	case err == nil:
		return c, true
	case errors.Is(err, context.Canceled):
		l.report(what, "leaves", nil)
	default:
		l.report(what, "sees", err.Error())
	}
	return c, false
}

// pass waits for something to happen that may have happened already.
func (l *lane) pass(ctx context.Context, what string, parks bool, call func(context.Context) error) {
	_, ok := l.wait(ctx, what, "", parks, call)
	switch {
	case !ok:
	case parks:
		l.report(what, "woken", nil)
	default:
		l.report(what, "passes", nil)
	}
}

// held is what was acquired.
type held struct {
	lost      <-chan struct{} // nil if it cannot be
	release   func() error
	abandoned bool // who held it before went away without giving it back
}

// hold acquires something, and holds it until ctx ends or it is lost.
func (l *lane) hold(ctx context.Context, what, how string, parks bool, acquire func(context.Context) (held, error)) {
	var h held
	c, ok := l.wait(ctx, what, how, parks, func(ctx context.Context) (err error) {
		h, err = acquire(ctx)
		return err
	})
	if !ok {
		return
	}
	c.held(h.abandoned)
	l.become(what, strings.TrimSpace("holding "+how))
	if h.abandoned {
		l.report(what, "holds", strings.TrimSpace(how+" (abandoned)"))
	} else {
		l.report(what, "holds", how)
	}
	select {
	case <-ctx.Done():
	case <-h.lost:
	}
	c.released()
	err := h.release()
	l.become(what, "")
	if err != nil {
		l.report(what, "loses", err.Error())
	} else {
		l.report(what, "releases", nil)
	}
}

// become says what the lane is at an activity; "" is idle.
func (l *lane) become(what, state string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if state == "" {
		delete(l.states, what)
	} else {
		l.states[what] = state
	}
}

// step counts a step of work.
func (l *lane) step() {
	l.mu.Lock()
	l.steps++
	l.mu.Unlock()
	l.say(nil)
}

// report tells what has just happened here.
func (l *lane) report(what, step string, detail any) {
	primitive, _, _ := strings.Cut(what, " ")
	event := map[string]any{"primitive": primitive, "step": step}
	if detail != nil {
		event["detail"] = detail
	}
	l.say(event)
}

// say tells how the lane stands, and the event that made it so, if any.
func (l *lane) say(event map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	doing := map[string]any{}
	for what, all := range l.begun {
		if l.states[what] != nil {
			doing[what] = all[len(all)-1].how
		}
	}
	message := map[string]any{
		"kind":   "lane",
		"lane":   map[string]any{"id": l.id, "label": l.label},
		"at":     time.Now().UnixMilli(),
		"states": l.states,
		"doing":  doing,
		"steps":  l.steps,
	}
	if event != nil {
		message["event"] = event
	}
	l.channel.Call("postMessage", message)
}
