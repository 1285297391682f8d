//go:build js && wasm

package promise

import (
	"context"
	"errors"
	"runtime"
	"syscall/js"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/stretchr/testify/require"
)

// outcome is how a Promise settled.
type outcome struct {
	value    js.Value
	rejected bool
}

// settle waits for a Promise.
func settle(promise js.Value) outcome {
	settled := make(chan outcome, 1)
	resolved := js.FuncOf(func(_ js.Value, args []js.Value) any { settled <- outcome{value: args[0]}; return nil })
	defer resolved.Release()
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any { settled <- outcome{args[0], true}; return nil })
	defer rejected.Release()
	promise.Call("then", resolved, rejected)
	return <-settled
}

func eval(script string) js.Value { return js.Global().Call("eval", script) }

func newAbort() js.Value { return js.Global().Get("AbortController").New() }

func with(name string, value any) js.Value { return js.ValueOf(map[string]any{name: value}) }

func resolves(t *testing.T, o outcome, value any) {
	t.Helper()
	require.False(t, o.rejected, "rejected with %s", js.Global().Get("String").Invoke(o.value))
	require.True(t, o.value.Equal(js.ValueOf(value)), o.value.String())
}

func TestOneSignalWakesPromisesAndGoroutinesAlike(t *testing.T) {
	var s core.Signal
	o := Signal(&s)
	first, second := o.Call("wait"), o.Call("wait")
	woken := make(chan error, 1)
	go func() { woken <- s.Wait(context.Background()) }()
	for s.Stats().Waiting < 3 {
		runtime.Gosched()
	}
	resolves(t, settle(o.Call("signal")), 3)
	resolves(t, settle(first), js.Undefined())
	resolves(t, settle(second), js.Undefined())
	require.NoError(t, <-woken)
}

func TestACallHasArrivedWhenTheMethodReturns(t *testing.T) {
	var s core.Signal
	o := Signal(&s)
	waiting := o.Call("wait")
	require.Equal(t, 1, s.Signal())
	resolves(t, settle(waiting), js.Undefined())
}

func TestArmResolvesOnceSomebodyIsParked(t *testing.T) {
	var c core.Checkpoint
	o := Checkpoint(&c)
	resolves(t, settle(o.Call("wait")), js.Undefined())
	arming := o.Call("arm")
	again := settle(o.Call("arm"))
	require.True(t, again.rejected)
	require.Equal(t, "AlreadyArmedError", again.value.Get("name").String())
	parked := o.Call("wait")
	resolves(t, settle(arming), js.Undefined())
	resolves(t, settle(o.Call("disarm")), false)
	resolves(t, settle(o.Call("resume")), 1)
	resolves(t, settle(parked), js.Undefined())
	arming = o.Call("arm")
	resolves(t, settle(o.Call("disarm")), true)
	disarmed := settle(arming)
	require.Equal(t, "DISARMED", disarmed.value.Get("code").String())
	require.Equal(t, "disarmed", settle(o.Call("stats")).value.Get("state").String())
}

func TestATaskIsRunOnceForAllAndItsErrorIsTheirs(t *testing.T) {
	release := make(chan struct{})
	runs := 0
	task := core.NewSharedTask(func(context.Context) (int, error) { runs++; <-release; return 42, nil })
	o := SharedTask(task, func(n int) any { return n })
	first, second := o.Call("wait"), o.Call("wait")
	close(release)
	resolves(t, settle(first), 42)
	resolves(t, settle(second), 42)
	resolves(t, settle(o.Call("wait")), 42)
	require.Equal(t, 1, runs)

	failing := SharedTask(core.NewSharedTask(func(context.Context) (int, error) { return 0, errors.New("no luck") }),
		func(n int) any { return n })
	failed := settle(failing.Call("wait"))
	require.True(t, failed.rejected)
	require.Equal(t, "no luck", failed.value.Get("message").String())
}

func TestTheLastToLeaveATaskCancelsIt(t *testing.T) {
	cancelled := make(chan error, 1)
	task := core.NewSharedTask(func(ctx context.Context) (int, error) {
		<-ctx.Done()
		cancelled <- context.Cause(ctx)
		return 0, ctx.Err()
	})
	o := SharedTask(task, func(n int) any { return n })
	first, second := newAbort(), newAbort()
	one, two := o.Call("wait", with("signal", first.Get("signal"))), o.Call("wait", with("signal", second.Get("signal")))
	first.Call("abort")
	require.True(t, settle(one).rejected)
	require.Empty(t, cancelled)
	second.Call("abort")
	require.True(t, settle(two).rejected)
	require.ErrorIs(t, <-cancelled, core.ErrNoConsumers)
}

func TestAResourceIsReleasedOnceHoweverOftenReleaseIsCalled(t *testing.T) {
	stops := 0
	resource := core.NewSharedResource(
		func(context.Context) (string, error) { return "it", nil }, func(string) error { stops++; return nil })
	o := SharedResource(resource, func(s string) any { return s })
	ref, other := settle(o.Call("acquire")).value, settle(o.Call("acquire")).value
	require.Equal(t, "it", ref.Get("value").String())
	release := ref.Get("release")
	released := release.Invoke()
	require.True(t, released.Equal(release.Invoke()), "always the same Promise")
	settle(released)
	require.Zero(t, stops)
	require.Equal(t, 1, resource.Stats().Held)
	settle(other.Call("release"))
	require.Equal(t, 1, stops)
}

func TestAnAbortRejectsWithItsReasonAndTouchesNobodyElse(t *testing.T) {
	var s core.Signal
	o := Signal(&s)
	abort := newAbort()
	leaving, staying := o.Call("wait", with("signal", abort.Get("signal"))), o.Call("wait")
	abort.Call("abort", "my reason")
	left := settle(leaving)
	require.True(t, left.rejected)
	require.Equal(t, "my reason", left.value.String())
	resolves(t, settle(o.Call("signal")), 1)
	resolves(t, settle(staying), js.Undefined())

	already := settle(o.Call("wait", with("signal", abort.Get("signal"))))
	require.Equal(t, "my reason", already.value.String())
	require.Zero(t, s.Stats().Waiting)
}

func TestATimeoutRejectsWithATimeoutError(t *testing.T) {
	var s core.Signal
	late := settle(Signal(&s).Call("wait", with("timeout", 1)))
	require.True(t, late.rejected)
	require.Equal(t, "TimeoutError", late.value.Get("name").String())
	require.Zero(t, s.Stats().Waiting)
}

func TestABadArgumentIsARejectionThatNamesIt(t *testing.T) {
	var s core.Signal
	o := Signal(&s)
	for script, word := range map[string]string{
		`(5)`: "options", `(null)`: "options", `({ timeout: 0 })`: "timeout", `({ timeout: NaN })`: "timeout",
		`({ timeout: Infinity })`: "timeout", `({ timeout: '5' })`: "timeout", `({ signal: {} })`: "signal",
		`({ signal: null })`: "signal",
	} {
		bad := settle(o.Call("wait", eval(script)))
		require.True(t, bad.rejected, script)
		require.Equal(t, "TypeError", bad.value.Get("name").String(), script)
		require.Contains(t, bad.value.Get("message").String(), word, script)
	}
	require.Zero(t, s.Stats().Waiting)
}

func TestClosingRejectsAllWhoWait(t *testing.T) {
	var s core.Signal
	o := Signal(&s)
	waiting := o.Call("wait")
	settle(o.Call("close"))
	closed := settle(waiting)
	require.Equal(t, "ClosedError", closed.value.Get("name").String())
	require.Equal(t, "CLOSED", closed.value.Get("code").String())
}

// liveValues returns how many JavaScript values Go holds, after a collection of those that it does not need.
func liveValues(t *testing.T) int {
	t.Helper()
	if js.Global().Get("clcaGo").IsUndefined() {
		eval(`{ const make = Go.prototype._makeFuncWrapper;
			Go.prototype._makeFuncWrapper = function (id) { globalThis.clcaGo = this; return make.call(this, id); }; }`)
		f := js.FuncOf(func(js.Value, []js.Value) any { return nil })
		f.Release()
	}
	live := 0
	for range 3 { // finalizers run between collections
		runtime.GC()
		runtime.Gosched()
		live = eval(`clcaGo._values.length - clcaGo._idPool.length`).Int()
	}
	return live
}

func TestTenThousandCallsLeaveNoFunctionBehind(t *testing.T) {
	var s core.Signal
	o := Signal(&s)
	// Every listener that a call adds to the signal is remembered; a released js.Func says so when it is called.
	eval(`{ globalThis.clcaListeners = []; globalThis.clcaAbort = new AbortController();
		const { signal } = clcaAbort, add = signal.addEventListener;
		signal.addEventListener = function (type, f, ...rest) { clcaListeners.push(f); return add.call(this, type, f, ...rest); };
		let removed = 0; const remove = signal.removeEventListener;
		signal.removeEventListener = function (...args) { globalThis.clcaRemoved = ++removed; return remove.apply(this, args); }; }`)
	options := js.ValueOf(map[string]any{"signal": eval(`clcaAbort.signal`), "timeout": 1e6})
	call := func(n int) {
		var last js.Value
		for range n {
			last = o.Call("wait", options)
		}
		require.Equal(t, n, s.Signal())
		resolves(t, settle(last), js.Undefined())
	}
	call(100)
	eval(`clcaListeners.length = 0`)
	before := liveValues(t)
	call(10_000)
	require.EqualValues(t, 10_100, eval(`clcaRemoved`).Int())
	released := eval(`{ const error = console.error; let n = 0; console.error = (m) => { if (/released/.test(m)) n++; };
		for (const f of clcaListeners) f({}); console.error = error; const all = clcaListeners.length;
		clcaListeners.length = 0; n === all ? n : -n }`).Int()
	require.Equal(t, 10_000, released, "every listener was a js.Func that is released now")
	require.InDelta(t, before, liveValues(t), 20)
}
