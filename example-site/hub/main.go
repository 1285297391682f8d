//go:build js && wasm

// Command hub is the site's own Go program: a hub for the pages, Workers and tabs of the site, and in it a lane that is
// no JavaScript at all. The lane's goroutines wait on the same signal and pass the same checkpoint as everybody else.
package main

import (
	"context"
	"time"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub"
)

// The names under which the scripts of the site know these; see names.ts.
var (
	signal     = hub.Signal("go")
	checkpoint = hub.Checkpoint("gate")
)

func main() {
	l := newLane("goroutine", "Goroutine")
	l.activities["signal"] = waitForSignal
	l.activities["checkpoint"] = work
	l.signal = func() { l.report("signal", "signals", signal.Signal()) }
	l.open()
	hub.Serve()
}

func waitForSignal(ctx context.Context, l *lane) {
	l.become("signal", "waiting")
	l.report("signal", "waits", nil)
	err := signal.Wait(ctx)
	l.become("signal", "")
	if err != nil {
		l.report("signal", "leaves", nil)
		return
	}
	l.report("signal", "woken", nil)
}

// pace is how long a lane works between two visits to the checkpoint.
const pace = 250 * time.Millisecond

func work(ctx context.Context, l *lane) {
	l.become("checkpoint", "running")
	l.report("checkpoint", "works", nil)
	for pass(ctx, l) {
		l.step()
		select {
		case <-time.After(pace):
		case <-ctx.Done():
		}
	}
	l.become("checkpoint", "")
	l.report("checkpoint", "stops", nil)
}

// pass passes the checkpoint, and returns false if ctx ends that.
func pass(ctx context.Context, l *lane) bool {
	parks := checkpoint.Stats().State != core.Disarmed && ctx.Err() == nil
	if parks {
		l.become("checkpoint", "parked")
		l.report("checkpoint", "parks", nil)
	}
	if checkpoint.Wait(ctx) != nil {
		return false
	}
	if parks {
		l.become("checkpoint", "running")
		l.report("checkpoint", "resumed", nil)
	}
	return true
}
