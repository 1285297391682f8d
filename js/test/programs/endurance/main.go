//go:build js && wasm

// Command endurance is a hub that tells how much of Go's memory is in use.
package main

import (
	"context"
	"runtime"
	"syscall/js"

	"github.com/clca-dev/clca/wasm/hub"
	"github.com/clca-dev/clca/wasm/promise"
)

func main() {
	promise.NewError = hub.Error
	hub.Publish("signal", promise.Signal(hub.Signal("of Go")))
	// The signal "measure" has garbage collected and the figures brought up to date, which the signal "measured" tells. No
	// call of JavaScript's is needed, which would itself leave something to collect.
	figures := js.Global().Get("Object").New()
	hub.Publish("figures", figures)
	measure, measured := hub.Signal("measure"), hub.Signal("measured")
	go func() {
		for measure.Wait(context.Background()) == nil {
			for range 3 { // what a finalizer frees is garbage the next time, and what a sync.Pool has the time after
				runtime.GC()
				runtime.Gosched()
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			figures.Set("bytes", m.HeapAlloc)
			figures.Set("objects", m.HeapObjects)
			figures.Set("goroutines", runtime.NumGoroutine())
			measured.Signal()
		}
	}()
	hub.Serve()
}
