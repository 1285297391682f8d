//go:build js && wasm

package hub_test

import (
	"context"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub"
)

// A program that lends its work to pages and Workers, and lets them stop it. JavaScript loads it with
// createHub({ wasm: 'program.wasm' }) and then has hub.queue('jobs', { capacity: 10 }) …
func ExampleServe() {
	step := hub.Checkpoint("step") // hub.checkpoint('step').arm() stops the loop there
	done := hub.Signal("done")
	go func() {
		for step.Wait(context.Background()) == nil {
			work()
			done.Signal()
		}
	}()
	hub.Serve() // until JavaScript calls hub.close()
}

// A program takes a lock that tabs use too. Where their SharedWorker was started again, they may hold it still, and have
// yet to say so.
func ExampleRecovered() {
	go func() {
		ctx := context.Background()
		if hub.Recovered(ctx) != nil {
			return
		}
		hub.Lock("document").With(ctx, func() error { work(); return nil })
	}()
	hub.Serve()
}

// What package clca has no class for can be shown by hand; errors of core become instances of its classes.
func ExamplePublish() {
	hub.Publish("version", "1.2.3") // hub.go.version
	hub.Publish("refusal", hub.Error(core.ErrClosed))
	hub.Serve()
}

func work() {}
