//go:build js && wasm

// Package promise shows primitives of package core to JavaScript as objects whose methods return Promises.
//
//	var ready core.Signal
//	js.Global().Set("ready", promise.Signal(&ready))
//
//	// in JavaScript
//	await ready.wait({ timeout: 1000 });
//
// Each call is a goroutine that sleeps until core wakes it; it costs some tens of microseconds. Code
// that makes many calls uses the npm package clca instead, whose calls need no goroutine; both can wait on one primitive
// at the same time.
//
// Methods that wait take an object { signal, timeout } as their last argument: an AbortSignal, whose reason the Promise
// then rejects with, and a number of milliseconds, after which it rejects with a DOMException named TimeoutError. A method
// never throws: a bad argument is a rejection with a TypeError. A call keeps nothing alive once it has settled.
//
// The objects themselves live as long as the program; make one per primitive.
package promise

import (
	"errors"
	"math"
	"syscall/js"
	"time"

	"github.com/clca-dev/clca/core"
)

// NewError makes the JavaScript error for a call that failed with err. A program that also imports wasm/hub sets it to
// hub.Error, so that the errors are instances of the classes of the npm package.
var NewError = plainError

// Signal returns an object with wait(options), signal(), close() and stats().
func Signal(s *core.Signal) js.Value {
	return object(map[string]method{
		"wait":   waits(s.Park, nothing),
		"signal": gives(func() any { return s.Signal() }),
		"close":  closes(s.Close),
		"stats": gives(func() any {
			v := s.Stats()
			return map[string]any{"waiting": v.Waiting, "signals": float64(v.Signals), "woken": float64(v.Woken)}
		}),
	})
}

// Checkpoint returns an object with arm(options), wait(options), resume(), disarm(), close() and stats().
func Checkpoint(c *core.Checkpoint) js.Value {
	return object(map[string]method{
		"arm":    waits(c.ParkArm, nothing),
		"wait":   waits(c.Park, nothing),
		"resume": gives(func() any { return c.Resume() }),
		"disarm": gives(func() any { return c.Disarm() }),
		"close":  closes(c.Close),
		"stats": gives(func() any {
			v := c.Stats()
			return map[string]any{
				"state": [...]string{"disarmed", "armed", "holding"}[v.State], "waiting": v.Waiting,
				"generation": float64(v.Generation), "resumed": float64(v.Resumed),
			}
		}),
	})
}

// SharedTask returns an object with wait(options), close() and stats(). The result becomes what convert makes of it. The
// last caller to leave does not wait for the clean-up of the cancelled run.
func SharedTask[T any](t *core.SharedTask[T], convert func(T) any) js.Value {
	return object(map[string]method{
		"wait":  waits(t.Park, func(*core.Waiter) any { return convert(t.Result()) }),
		"close": closes(t.Close),
		"stats": gives(func() any {
			v := t.Stats()
			return map[string]any{
				"state": [...]string{"idle", "running", "stopping", "done"}[v.State], "waiting": v.Waiting,
				"runs": float64(v.Runs),
			}
		}),
	})
}

// SharedResource returns an object with acquire(options), close() and stats(). acquire resolves with an object that has
// the value, as convert makes it, and release(), whose Promise is always the same; only the first call releases.
func SharedResource[T any](r *core.SharedResource[T], convert func(T) any) js.Value {
	return object(map[string]method{
		"acquire": waits(r.Park, func(w *core.Waiter) any {
			ref := r.Ref(w)
			return newRef(convert(ref.Value()), ref.Release)
		}),
		"close": closes(r.Close),
		"stats": gives(func() any {
			v := r.Stats()
			return map[string]any{
				"state":   [...]string{"idle", "starting", "cancelling", "live", "stopping"}[v.State],
				"waiting": v.Waiting, "held": v.Held, "runs": float64(v.Runs),
			}
		}),
	})
}

// A ref's release is bound to its ticket, so that all refs share one js.Func and one that is dropped costs nothing.
var (
	releases   = map[int]func() error{}
	lastTicket int
	releaseRef = js.FuncOf(func(_ js.Value, args []js.Value) any {
		ticket := args[0]
		if ticket.Get("released").IsUndefined() {
			number := ticket.Get("number").Int()
			release := releases[number]
			delete(releases, number)
			promise, resolve, reject := newPromise()
			ticket.Set("released", promise)
			go func() {
				if err := release(); err != nil {
					reject.Invoke(NewError(err))
				} else {
					resolve.Invoke()
				}
			}()
		}
		return ticket.Get("released")
	})
)

func newRef(value any, release func() error) js.Value {
	lastTicket++
	releases[lastTicket] = release
	ticket := js.ValueOf(map[string]any{"number": lastTicket})
	return js.ValueOf(map[string]any{
		"value":   value,
		"release": releaseRef.Value.Call("bind", js.Null(), ticket),
	})
}

// method is a method of an object: it gets the arguments and returns a Promise.
type method func(args []js.Value) js.Value

func object(methods map[string]method) js.Value {
	o := js.Global().Get("Object").New()
	for name, m := range methods {
		o.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any { return m(args) }))
	}
	return o
}

// gives is a method that does not wait.
func gives(f func() any) method {
	return func([]js.Value) js.Value { return promises.Call("resolve", f()) }
}

func closes(f func()) method { return gives(func() any { f(); return js.Undefined() }) }

func nothing(*core.Waiter) any { return js.Undefined() }

// waits is a method that parks by the given step, and waits as its options allow; granted is what it resolves with.
func waits(park func(*core.Waiter) (bool, error), granted func(*core.Waiter) any) method {
	return func(args []js.Value) (promise js.Value) {
		defer func() {
			if thrown, ok := recovered(recover()); ok { // by a getter of the options, say
				promise = promises.Call("reject", thrown)
			}
		}()
		o := new(options)
		if len(args) > 0 && !args[0].IsUndefined() {
			if err := o.parse(args[0]); err != nil {
				return promises.Call("reject", js.Global().Get("TypeError").New(err.Error()))
			}
			if o.hasSignal && o.signal.Get("aborted").Bool() {
				return promises.Call("reject", o.signal.Get("reason"))
			}
		}
		made, resolve, reject := newPromise()
		c := &call{ended: make(chan struct{}, 1)}
		c.Waker = c
		parked, err := park(&c.Waiter) // here, not in the goroutine: a call arrives in the order in which it is made
		go func() {
			if parked {
				stop := o.bound(c)
				<-c.ended
				stop()
				err = c.Err()
			}
			switch {
			case c.aborted:
				reject.Invoke(c.reason)
			case err != nil:
				reject.Invoke(NewError(err))
			default:
				resolve.Invoke(granted(&c.Waiter))
			}
		}()
		return made
	}
}

// call is one wait: a goroutine that sleeps until its Waiter was settled or withdrawn.
type call struct {
	core.Waiter
	ended   chan struct{}
	aborted bool
	reason  js.Value
}

// Wake does not block: a Waiter is settled or withdrawn once, and the channel has room for one.
func (c *call) Wake() { c.ended <- struct{}{} }

// abort ends the wait unless it was settled before.
func (c *call) abort(reason js.Value) {
	if c.Withdraw() {
		c.aborted, c.reason = true, reason
		c.ended <- struct{}{}
	}
}

var (
	promises = js.Global().Get("Promise")

	// One executor serves all Promises: the constructor calls it before it returns.
	executor = js.FuncOf(func(_ js.Value, args []js.Value) any {
		resolvers.resolve, resolvers.reject = args[0], args[1]
		return nil
	})
	resolvers struct{ resolve, reject js.Value }
)

func newPromise() (promise, resolve, reject js.Value) {
	promise = promises.New(executor)
	resolve, reject = resolvers.resolve, resolvers.reject
	resolvers.resolve, resolvers.reject = js.Undefined(), js.Undefined()
	return
}

// options are the bounds of a wait.
type options struct {
	signal    js.Value
	hasSignal bool
	timeout   time.Duration // 0 for none
}

func (o *options) parse(v js.Value) error {
	if v.Type() != js.TypeObject {
		return errors.New("options must be an object")
	}
	o.signal = v.Get("signal")
	if o.hasSignal = !o.signal.IsUndefined(); o.hasSignal {
		if o.signal.Type() != js.TypeObject || o.signal.Get("aborted").Type() != js.TypeBoolean ||
			o.signal.Get("addEventListener").Type() != js.TypeFunction ||
			o.signal.Get("removeEventListener").Type() != js.TypeFunction {
			return errors.New("signal must be an AbortSignal")
		}
	}
	if t := v.Get("timeout"); !t.IsUndefined() {
		if t.Type() != js.TypeNumber || !(t.Float() > 0) || math.IsInf(t.Float(), 1) {
			return errors.New("timeout must be a finite number of milliseconds above 0")
		}
		ms := math.Min(t.Float(), float64(math.MaxInt64/time.Millisecond))
		o.timeout = max(1, time.Duration(ms*float64(time.Millisecond)))
	}
	return nil
}

// bound has c aborted when the options say so, and returns what frees all that this needed.
func (o *options) bound(c *call) func() {
	var timer *time.Timer
	if o.timeout > 0 {
		timer = time.AfterFunc(o.timeout, func() {
			c.abort(js.Global().Get("DOMException").New("timed out", "TimeoutError"))
		})
	}
	var listener js.Func
	if o.hasSignal {
		listener = js.FuncOf(func(js.Value, []js.Value) any {
			c.abort(o.signal.Get("reason"))
			return nil
		})
		if thrown := attempt(func() { o.signal.Call("addEventListener", "abort", listener) }); thrown.Truthy() {
			c.abort(thrown)
		}
	}
	return func() {
		if timer != nil {
			timer.Stop()
		}
		if o.hasSignal {
			attempt(func() { o.signal.Call("removeEventListener", "abort", listener) })
			listener.Release()
		}
	}
}

// attempt returns what a call into JavaScript threw.
func attempt(call func()) (thrown js.Value) {
	defer func() { thrown, _ = recovered(recover()) }()
	call()
	return js.Undefined()
}

// recovered returns what JavaScript threw, if that is what was recovered; any other panic goes on.
func recovered(value any) (thrown js.Value, ok bool) {
	if value == nil {
		return js.Undefined(), false
	}
	e, ok := value.(js.Error)
	if !ok {
		panic(value)
	}
	return e.Value, true
}

// plainError is an Error with the name and code that the npm package has for err.
func plainError(err error) js.Value {
	e := js.Global().Get("Error").New(err.Error())
	for _, known := range [...]struct {
		err        error
		name, code string
	}{
		{core.ErrClosed, "ClosedError", "CLOSED"},
		{core.ErrAlreadyArmed, "AlreadyArmedError", "ALREADY_ARMED"},
		{core.ErrDisarmed, "DisarmedError", "DISARMED"},
		{core.ErrNotOwner, "NotOwnerError", "NOT_OWNER"},
	} {
		if errors.Is(err, known.err) {
			e.Set("name", known.name)
			e.Set("code", known.code)
			break
		}
	}
	return e
}
