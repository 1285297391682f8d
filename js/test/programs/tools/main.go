//go:build js && wasm

// Command tools is a hub with functions that put it into the situations that its loader must bear.
package main

import (
	"context"
	"syscall/js"
	"time"

	"github.com/clca-dev/clca/wasm/hub"
)

var kept [][]byte

func grow(bytes int) { kept = append(kept, make([]byte, bytes)) }

func main() {
	// later(ms, f) has a timer of Go's call f.
	hub.Publish("later", js.FuncOf(func(_ js.Value, args []js.Value) any {
		d, f := time.Duration(args[0].Int())*time.Millisecond, args[1]
		time.AfterFunc(d, func() { f.Invoke() })
		return nil
	}))
	// call(f) calls f while Go is on the stack, and returns what it returns.
	hub.Publish("call", js.FuncOf(func(_ js.Value, args []js.Value) any { return args[0].Invoke() }))
	// goCall(f) has a goroutine call f.
	hub.Publish("goCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		go args[0].Invoke()
		return nil
	}))
	// grow(n) takes n more bytes of memory, and so does a goroutine whenever the signal "grow" is given.
	hub.Publish("grow", js.FuncOf(func(_ js.Value, args []js.Value) any {
		grow(args[0].Int())
		return nil
	}))
	told := hub.Signal("grow")
	go func() {
		for told.Wait(context.Background()) == nil {
			grow(8 << 20)
		}
	}()
	hub.Serve()
}
