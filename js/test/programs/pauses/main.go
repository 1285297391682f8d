//go:build js && wasm

// Command pauses is a hub one of whose goroutines arms the checkpoint "compute", when the signal "pause" is given, and
// resumes it once somebody has parked there and the signal "go on" is given.
package main

import (
	"context"

	"github.com/clca-dev/clca/wasm/hub"
)

func main() {
	compute, pause, goOn, parked := hub.Checkpoint("compute"), hub.Signal("pause"), hub.Signal("go on"), hub.Event("parked")
	go func() {
		ctx := context.Background()
		for pause.Wait(ctx) == nil {
			if compute.Arm(ctx) != nil {
				return
			}
			parked.Set()
			if goOn.Wait(ctx) != nil {
				return
			}
			parked.Clear()
			compute.Resume()
		}
	}()
	hub.Serve()
}
