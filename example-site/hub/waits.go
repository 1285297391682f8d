//go:build js && wasm

package main

import (
	"context"
	"time"

	"github.com/clca-dev/clca/core"
)

// What the lane waits for.

func waitForSignal(ctx context.Context, l *lane, _ string) {
	if _, ok := l.wait(ctx, "signal", "", true, signal.Wait); ok {
		l.report("signal", "woken", nil)
	}
}

func waitForEvent(ctx context.Context, l *lane, _ string) {
	l.pass(ctx, "event", !event.IsSet(), event.Wait)
}

func waitForLatch(ctx context.Context, l *lane, _ string) {
	latch := latch()
	l.pass(ctx, "latch", latch.Stats().Remaining > 0, latch.Wait)
}

func arrive(ctx context.Context, l *lane, _ string) {
	var index int
	s := barrier.Stats()
	if _, ok := l.wait(ctx, "barrier", "", !s.Broken && s.Waiting+1 < s.Parties, func(ctx context.Context) (err error) {
		index, err = barrier.Wait(ctx)
		return err
	}); ok {
		l.report("barrier", "goes", index)
	}
}

// pace is how long a lane works between two visits to the checkpoint.
const pace = 250 * time.Millisecond

func work(ctx context.Context, l *lane, _ string) {
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
	var c seen
	if parks { // who passes is not worth telling of
		c = sees("checkpoint", "")
	}
	err := checkpoint.Wait(ctx)
	if parks {
		c.returned(nil, err, true)
	}
	if err != nil {
		return false
	}
	if parks {
		l.become("checkpoint", "running")
		l.report("checkpoint", "resumed", nil)
	}
	return true
}
