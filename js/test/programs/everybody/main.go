//go:build js && wasm

// Command everybody is a hub whose goroutines and Promise callers wait on the signal "all" as well.
package main

import (
	"context"
	"syscall/js"

	"github.com/clca-dev/clca/wasm/hub"
	"github.com/clca-dev/clca/wasm/promise"
)

const goroutines = 5

func main() {
	all := hub.Signal("all")
	woken := 0
	for range goroutines {
		go func() {
			for all.Wait(context.Background()) == nil {
				woken++
			}
		}()
	}
	hub.Publish("goroutines", goroutines)
	hub.Publish("woken", js.FuncOf(func(js.Value, []js.Value) any { return woken }))
	hub.Publish("all", promise.Signal(all))
	hub.Serve()
}
