//go:build js && wasm

// Command stillborn is a hub that ends as soon as it serves.
package main

import (
	"syscall/js"

	"github.com/clca-dev/clca/wasm/hub"
)

func main() {
	turn := make(chan struct{})
	js.Global().Call("setTimeout", js.FuncOf(func(js.Value, []js.Value) any {
		close(turn)
		return nil
	}))
	<-turn // so that the loader waits for it: it serves, and ends in the same breath
	go func() { panic("it was too soon") }()
	hub.Serve()
}
