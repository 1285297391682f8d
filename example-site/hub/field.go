//go:build js && wasm

package main

import (
	"context"
	"errors"
	"math"
	"sync"
	"syscall/js"
	"time"
	"unsafe"
)

// field is the Go side of field-calls.ts: goroutines that all wait for the signal, each in a call of its own, and wait
// again once all of them have returned. It speaks to the channel in the words of field-protocol.ts.
type field struct {
	channel js.Value
	origin  float64 // what the clock of all realms said at
	begun   time.Time

	mu      sync.Mutex
	cancels []context.CancelFunc // by goroutine, while it waits
	left    []bool
	woken   []float64 // when, by goroutine; not a number where it had left
	pending int
}

func (f *field) open() {
	performance := js.Global().Get("performance")
	f.begun = time.Now()
	f.origin = performance.Get("timeOrigin").Float() + performance.Call("now").Float()
	f.channel = js.Global().Get("BroadcastChannel").New(js.Global().Get("name"))
	f.channel.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		message := args[0].Get("data")
		switch message.Get("kind").String() {
		case "start":
			f.start(message.Get("calls").Int())
		case "who":
			f.sayHow()
		case "leave":
			if message.Get("realm").String() == "goroutines" {
				f.leave(message.Get("call").Int())
			}
		}
		return nil
	}))
}

// start has so many goroutines wait; who asks when they do already gets those.
func (f *field) start(calls int) {
	if len(f.woken) == 0 {
		f.cancels, f.left, f.woken = make([]context.CancelFunc, calls), make([]bool, calls), make([]float64, calls)
		f.wait()
	}
	f.sayHow()
}

func (f *field) wait() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = len(f.woken)
	for i := range f.woken {
		ctx, cancel := context.WithCancel(context.Background())
		f.cancels[i], f.left[i] = cancel, false
		go func() {
			err := signal.Wait(ctx)
			at := f.origin + float64(time.Since(f.begun))/float64(time.Millisecond)
			cancel()
			switch {
			case err == nil:
				f.returned(i, at)
			case errors.Is(err, context.Canceled):
				f.returned(i, math.NaN())
			}
		}()
	}
}

func (f *field) returned(i int, at float64) {
	f.mu.Lock()
	f.woken[i] = at
	if math.IsNaN(at) {
		f.left[i] = true
		f.say(map[string]any{"kind": "left", "realm": "goroutines", "call": i})
	}
	f.pending--
	last := f.pending == 0
	if last {
		f.say(map[string]any{"kind": "woken", "realm": "goroutines", "times": times(f.woken)})
	}
	f.mu.Unlock()
	if last {
		f.wait()
	}
}

func (f *field) leave(call int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if call >= 0 && call < len(f.cancels) {
		f.cancels[call]()
	}
}

// sayHow tells how many there are, and which of them have left.
func (f *field) sayHow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	left := []any{}
	for i, is := range f.left {
		if is {
			left = append(left, i)
		}
	}
	identity := map[string]any{"id": "goroutines", "label": "Goroutines"}
	f.say(map[string]any{"kind": "waits", "realm": identity, "calls": len(f.woken), "left": left})
}

func (f *field) say(message map[string]any) { f.channel.Call("postMessage", message) }

// times are the numbers as JavaScript has them.
func times(all []float64) js.Value {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(all))), len(all)*8)
	array := js.Global().Get("Uint8Array").New(len(bytes))
	js.CopyBytesToJS(array, bytes)
	return js.Global().Get("Float64Array").New(array.Get("buffer"))
}
