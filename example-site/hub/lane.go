//go:build js && wasm

package main

import (
	"context"
	"sync"
	"syscall/js"
	"time"
)

// lane is the Go side of lane.ts: it takes orders from the channel of the site, carries out each in a goroutine of its
// own, and tells the channel what happens, in the words of protocol.ts.
type lane struct {
	id, label  string
	activities map[string]func(context.Context, *lane)
	signal     func()
	channel    js.Value

	mu     sync.Mutex
	states map[string]any // by primitive, while it is active there
	steps  int
	stops  map[string]context.CancelFunc // by activity, while it is under way
}

func newLane(id, label string) *lane {
	return &lane{
		id:         id,
		label:      label,
		activities: map[string]func(context.Context, *lane){},
		states:     map[string]any{},
		stops:      map[string]context.CancelFunc{},
	}
}

// open joins the channel, which has the name of the realm that this program runs in.
func (l *lane) open() {
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
	switch order.Get("do").String() {
	case "start":
		l.start(order.Get("what").String())
	case "stop":
		l.stop(order.Get("what").String())
	case "signal":
		l.signal()
	}
}

func (l *lane) start(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	activity := l.activities[what]
	if activity == nil || l.stops[what] != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.stops[what] = cancel
	go func() {
		activity(ctx, l)
		cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.stops, what)
	}()
}

func (l *lane) stop(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cancel := l.stops[what]; cancel != nil {
		cancel()
	}
}

// become says what the lane is at a primitive; "" is idle.
func (l *lane) become(primitive, state string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if state == "" {
		delete(l.states, primitive)
	} else {
		l.states[primitive] = state
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
func (l *lane) report(primitive, step string, detail any) {
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
	message := map[string]any{
		"kind":   "lane",
		"lane":   map[string]any{"id": l.id, "label": l.label},
		"at":     time.Now().UnixMilli(),
		"states": l.states,
		"steps":  l.steps,
	}
	if event != nil {
		message["event"] = event
	}
	l.channel.Call("postMessage", message)
}
