//go:build js && wasm

// A program whose goroutine calls a function of JavaScript's, cb, that calls one of Go's, back, whenever the signal go is
// given.
package main

import (
	"context"
	"syscall/js"

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
	hub.Serve()
}
