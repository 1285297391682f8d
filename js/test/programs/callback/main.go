//go:build js && wasm

// A program whose goroutines call functions of JavaScript's that call one of Go's, back: one of them calls cb whenever the
// signal go is given, and another one calls ticked every few milliseconds, if there is such a function.
package main

import (
	"context"
	"syscall/js"
	"time"

	"github.com/clca-dev/clca/wasm/hub"
)

func main() {
	calls := 0
	js.Global().Set("back", js.FuncOf(func(js.Value, []js.Value) any {
		calls++
		return calls
	}))
	signal := hub.Signal("go")
	go func() {
		for signal.Wait(context.Background()) == nil {
			js.Global().Call("cb")
		}
	}()
	if js.Global().Get("ticked").Truthy() {
		go func() {
			for {
				time.Sleep(3 * time.Millisecond)
				js.Global().Call("ticked")
			}
		}()
	}
	hub.Serve()
}
