//go:build js && wasm

package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"syscall/js"
	"time"
)

// witness is told what the lane calls, so that the pages can show it among the calls of all others; see hub-witness.ts.
var witness = js.Global().Get("witness")

// calls counts what the witness was told of. A hub that follows a lost one begins with another number.
var calls = time.Now().UnixMilli()

// seen is a call of the lane that the witness knows.
type seen string

// sees tells that the lane makes a call.
func sees(what, how string) seen {
	calls++
	c := seen("go/" + strconv.FormatInt(calls, 10))
	primitive, _, _ := strings.Cut(what, " ")
	witness.Call("called", string(c), code(what, how), primitive)
	return c
}

// returned tells that the call has returned, and whether it had waited for somebody.
func (c seen) returned(value any, err error, waited bool) {
	text := ""
	switch v := value.(type) {
	case int:
		text = strconv.Itoa(v)
	case bool:
		text = strconv.FormatBool(v)
	}
	switch {
	case errors.Is(err, context.Canceled):
		witness.Call("cancelled", string(c), err.Error())
	case err != nil:
		witness.Call("returned", string(c), false, err.Error(), waited)
	default:
		witness.Call("returned", string(c), true, text, waited)
	}
}

func (c seen) held(abandoned bool) { witness.Call("held", string(c), abandoned) }
func (c seen) released()           { witness.Call("released", string(c)) }

// code is the call as one would write it.
func code(what, how string) string {
	switch what + " " + how {
	case "lock steal":
		return `hub.Lock("door").Steal()`
	case "rwlock shared":
		return `hub.RWLock("cache").RLock(ctx)`
	}
	if what == "semaphore" {
		return `hub.Semaphore("permits", 4).Acquire(ctx, ` + how + `)`
	}
	return codes[what]
}

var codes = map[string]string{
	"signal":         `hub.Signal("go").Wait(ctx)`,
	"signal signals": `hub.Signal("go").Signal()`,
	"event":          `hub.Event("ready").Wait(ctx)`,
	"event sets":     `hub.Event("ready").Set()`,
	"checkpoint":     `hub.Checkpoint("gate").Wait(ctx)`,
	"barrier":        `hub.Barrier("step", 3).Wait(ctx)`,
	"latch":          `hub.CountdownLatch(name, 3).Wait(ctx)`,
	"latch counts":   `hub.CountdownLatch(name, 3).CountDown(1)`,
	"lock":           `hub.Lock("door").Lock(ctx)`,
	"lock again":     `hub.ReentrantLock("room").Lock(ctx)`,
	"rwlock":         `hub.RWLock("cache").Lock(ctx)`,
	"condition lock": `hub.Lock("shelf").Lock(ctx)`,
}
