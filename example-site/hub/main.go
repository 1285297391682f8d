//go:build js && wasm

// Command hub is the site's own Go program: a hub for the pages, Workers and tabs of the site, and in it a lane that is
// no JavaScript at all. The lane's goroutines wait for the same signal and stand in the same lines as everybody else.
// Where there is no witness of its calls it is the hub of the front page, and has that page's goroutines instead.
package main

import (
	"strconv"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub"
)

// The names under which the scripts of the site know these; see at-*.ts.
var (
	signal     = hub.Signal("go")
	event      = hub.Event("ready")
	checkpoint = hub.Checkpoint("gate")
	barrier    = must(hub.Barrier("step", 3))
	nextLatch  = hub.Signal("next latch")
	lock       = hub.Lock("door")
	reentrant  = hub.ReentrantLock("room")
	rwlock     = hub.RWLock("cache")
	semaphore  = must(hub.Semaphore("permits", 4))
	shelf      = hub.Lock("shelf")
)

// latch returns the current one; see at-latch.ts.
func latch() *core.CountdownLatch {
	return must(hub.CountdownLatch("start "+strconv.FormatUint(nextLatch.Stats().Signals, 10), 3))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	if witness.IsUndefined() {
		new(field).open()
	} else {
		newLane().open()
	}
	hub.Serve()
}

func newLane() *lane {
	return &lane{
		id:    "goroutine",
		label: "Goroutine",
		activities: map[string]activity{
			"signal":         waitForSignal,
			"event":          waitForEvent,
			"checkpoint":     work,
			"barrier":        arrive,
			"latch":          waitForLatch,
			"lock":           holdLock,
			"lock again":     enter,
			"rwlock":         holdRWLock,
			"semaphore":      holdPermits,
			"condition lock": holdShelf,
		},
		calls: map[string]func() (any, error){
			"signal signals": func() (any, error) { return signal.Signal(), nil },
			"event sets":     func() (any, error) { return event.Set(), nil },
			"latch counts":   func() (any, error) { return latch().CountDown(1) },
		},
		nests: "lock again",
	}
}
