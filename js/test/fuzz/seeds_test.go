//go:build !js

package fuzz

import "github.com/clca-dev/clca/wasm/hub/abi"

// The instructions of trial.ts, in its order.
const (
	call byte = iota
	abort
	release
	endRun
	turn
	complete
	send
	sendOther
	payload
	over
	welcome
	other
	shut
	die
)

// The calls of trial.ts, by their place.
const (
	wait       = 0
	arm        = 3
	task       = 5
	resource   = 6
	lock       = 7
	tryLock    = 8
	condition  = 14
	put        = 17
	get        = 19
	join       = 21
	closeQueue = 22
	pool       = 23
	stats      = 27
	query      = 28
	request    = 29
)

// slot is that of the first call that a scenario makes: a trial begins with one call of each kind that waits.
const slot = 13

// scenario is a list of instructions.
type scenario [][4]byte

// code is the input: at first a welcome.
func (s scenario) code() []byte {
	code := []byte{0}
	for _, i := range s {
		code = append(code, i[:]...)
	}
	return code
}

func calls(kind byte) [4]byte { return [4]byte{call, kind, 0, 0} }

// bound is a call that can be aborted, and that is made again in the next hub where that can be.
func bound(kind byte) [4]byte { return [4]byte{call, kind, 3, 0} }

func tells(slot byte, status abi.Status, value byte) [4]byte {
	return [4]byte{complete, slot, byte(status), value}
}

// scenarios are what hubs say, and what they should not.
func scenarios() []scenario {
	turns, ends, goesOn := [4]byte{turn}, [4]byte{endRun, 0, 2, 0}, [4]byte{over, 4, 0, 0}
	return []scenario{
		{}, // all that waits ends with the session
		{calls(wait), tells(slot, abi.StatusDone, 0), turns, calls(wait)},
		{bound(wait), {abort}, tells(slot, abi.StatusEnded, 0)},
		{bound(wait), {abort, 0, 0, 1}, tells(slot, abi.StatusDone, 0)},
		{tells(2, abi.StatusHeld, 1), tells(2, abi.StatusEnded, 0)}, // an arm that lapses
		{ // a task
			tells(3, abi.StatusRun, 1), turns, ends, tells(3, abi.StatusResult, 1), tells(0, abi.StatusOver, 1),
		},
		{
			tells(3, abi.StatusRun, 1), turns, tells(byte(abi.CodeNoConsumers), abi.StatusCancel, 1),
			{endRun, 0, 0, 0},
		},
		{{payload, 1, 0, 9}, tells(3, abi.StatusResult, 1)},
		{{payload, 1, 1, 9}, tells(3, abi.StatusReject, 1)},
		{tells(3, abi.StatusReject, 1)}, // without what it rejects with
		{ // a resource
			tells(4, abi.StatusRun, 2), turns, ends, tells(4, abi.StatusLent, 2), turns, {release},
			tells(4, abi.StatusEnded, 0), tells(0, abi.StatusStop, 2), turns, tells(0, abi.StatusOver, 2),
		},
		{
			{payload, 2, 0, 9}, tells(4, abi.StatusLent, 2), tells(4, abi.StatusLost, byte(abi.CodeOwnerLost)),
			turns, {release, 0, 0, 0},
		},
		{ // a lock, whose slot is used again
			tells(5, abi.StatusHeld, 2), turns, {release}, {release}, tells(5, abi.StatusEnded, 0), calls(wait),
			calls(wait),
		},
		{tells(3, abi.StatusRun, 1), turns}, // a run that the end of the session aborts
		{tells(5, abi.StatusHeld, 2), tells(5, abi.StatusLost, byte(abi.CodeStolen)), turns, calls(condition)},
		{tells(5, abi.StatusHeld, 2), turns, calls(condition), tells(slot, abi.StatusDone, 6), turns, {release}},
		{tells(5, abi.StatusHeld, 2), turns, {call, condition, 1, 0}, {abort}, tells(slot, abi.StatusEnded, 6)},
		{ // a grant that comes too late
			bound(lock), {abort, 0, 0, 1}, tells(slot, abi.StatusHeld, 0), turns, tells(slot, abi.StatusEnded, 0),
		},
		{
			calls(tryLock), tells(slot, abi.StatusDone, 0), calls(tryLock),
			tells(slot, abi.StatusFail, byte(abi.CodeClosed)),
		},
		{ // an item
			calls(put), tells(slot, abi.StatusDone, 0), calls(get), {payload, 0xf9, 0, 5},
			tells(slot, abi.StatusLent, 0xf9), turns, tells(slot, abi.StatusEnded, 0),
		},
		{ // an item that is lost
			calls(get), tells(slot, abi.StatusLent, 0xf9), turns, tells(slot, abi.StatusEnded, 0),
		},
		{
			{payload, 0xf9, 0, 1}, {payload, 0xfa, 0, 2}, calls(closeQueue), {payload, 0xf9, 0, 1},
			{payload, 0xfa, 0, 2}, tells(slot, abi.StatusItem, 0xf9), tells(slot, abi.StatusItem, 0xfa),
			tells(slot, abi.StatusDone, 2),
		},
		{ // a pool
			tells(11, abi.StatusRun, 3), turns, ends, tells(11, abi.StatusLent, 3), turns, {release},
			tells(11, abi.StatusEnded, 0), tells(0, abi.StatusIdle, 3), turns, tells(0, abi.StatusStop, 3),
		},
		{
			calls(pool), tells(slot, abi.StatusRun, 4), turns, {endRun, 0, 0, 1}, {payload, 4, 1, 0},
			tells(slot, abi.StatusReject, 4),
		},
		{
			calls(stats), tells(slot, abi.StatusPart, 1), tells(slot, abi.StatusPart, 0),
			tells(slot, abi.StatusDone, 1),
		},
		{calls(query), {payload, 5, 0, 0}, tells(slot, abi.StatusResult, 5)},
		{calls(request), tells(slot, abi.StatusHeld, 0), turns, tells(slot, abi.StatusEnded, 0)},
		{bound(request), {abort, 0, 0, 1}, tells(slot, abi.StatusHeld, 0)},
		{calls(join), tells(slot, abi.StatusFail, byte(abi.CodeMismatch))},
		{ // suspended
			tells(5, abi.StatusHeld, 2), goesOn, {welcome, 0, 0, 7}, calls(lock), tells(0, abi.StatusHeld, 0),
		},
		{ // the next hub
			tells(5, abi.StatusHeld, 2), bound(arm), tells(3, abi.StatusRun, 1), turns, {die}, {welcome, 0, 0, 7},
			ends, {release},
		},
		{{die}, {over, 1, 0, 0}},                                  // which dies as well
		{{die}, calls(wait), {welcome, 0, 0, 0}, {shut, 1, 0, 0}}, // or is left
		{{shut, 0, 0, 0}, calls(wait)},
		{{over, 0, 0, 0}, calls(wait)},
		{{welcome, 0xff, 0, 0}, calls(wait)},
		{{sendOther, 0, byte(abi.StatusDone), 0}, {send, 1, 5, 5}, {send, 2, 0, 0}, calls(wait)},
		{{payload, 1, 6, 0}, tells(3, abi.StatusResult, 1), {payload, 1, 14, 1}, tells(4, abi.StatusReject, 1)},
		{
			tells(0xff, abi.StatusDone, 0), tells(0, 0xff, 0), tells(0, abi.StatusHeld, 0),
			tells(0, abi.StatusHeld, 0), tells(0, abi.StatusDone, 0),
		},
		{
			{other, 0}, {other, 1}, {other, 2}, {other, 3}, {other, 4}, {other, 5}, {other, 6}, {other, 7},
			{other, 8}, {other, 9}, {other, 10}, {other, 11}, {other, 12}, {other, 13}, {other, 14}, {other, 15},
		},
	}
}
