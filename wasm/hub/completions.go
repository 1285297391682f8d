package hub

import "github.com/clca-dev/clca/wasm/hub/abi"

// How JavaScript is told: what is due waits in three places, and flush moves as much as fits into the window.
// JavaScript reads the window after every entry into Go, and drains until nothing remains.
//
// The order is: calls that were woken, then notices, then the answer to the call that is being carried out. So a signal
// has woken its waiters before it is told how many they were, and a run is over only after all who waited for it know.

// window is read by JavaScript at a fixed address.
var window [abi.WindowEntries]notice

// completions are the calls that were woken and have not been told.
var completions completionList

type completionList struct{ head, tail *call }

func (l *completionList) push(c *call) {
	if l.tail == nil {
		l.head = c
	} else {
		l.tail.next = c
	}
	l.tail = c
}

// remove takes out c. That happens when a session ends with calls that were woken by a goroutine a moment ago, and
// costs a walk through those before it.
func (l *completionList) remove(c *call) {
	var before *call
	for at := l.head; at != c; at = at.next {
		before = at
	}
	if before == nil {
		l.head = c.next
	} else {
		before.next = c.next
	}
	if l.tail == c {
		l.tail = before
	}
	c.next = nil
}

// notice is an entry of the window: EntryWords words.
type notice struct{ session, call, status, value uint32 }

var (
	notices []notice
	noticed int    // how many of notices are already in a window
	reply   notice // the answer to the call that is being carried out
	replied bool   // there is one

	woken    int  // counts calls of Wake
	pump     bool // goroutines were made ready
	inExport bool // an exported function is running: it flushes at its end
	belled   bool // JavaScript was told to drain
)

func notify(s *session, call uint32, status abi.Status, value uint32) {
	var h uint32
	if s != nil {
		h = uint32(s.handle)
	}
	notices = append(notices, notice{h, call, uint32(status), value})
}

// quiet says that flush would find nothing, as after most calls that wait.
func quiet() bool { return completions.head == nil && len(notices) == 0 && !replied && !pump }

// flush fills the window and returns what an exported function returns.
func flush() uint32 {
	n := uint32(0)
	for n < abi.WindowEntries && completions.head != nil {
		c := completions.head
		completions.head = c.next
		if completions.head == nil {
			completions.tail = nil
		}
		c.next = nil
		window[n] = c.tell(c.object.settled(c))
		n++
	}
	for n < abi.WindowEntries && noticed < len(notices) {
		window[n] = notices[noticed]
		n++
		noticed++
	}
	if noticed == len(notices) {
		notices, noticed = notices[:0], 0
	}
	if replied && n < abi.WindowEntries {
		window[n] = reply
		n++
		replied = false
	}
	belled = false
	if pump {
		pump = false
		n |= abi.Pump
		if !only {
			n |= abi.PumpFirst
		}
	}
	return n
}

// tell makes the entry for an answer, and frees the call unless it holds something from now on.
func (c *call) tell(a answer) notice {
	e := notice{uint32(c.session.handle), c.slot, uint32(a.status), a.value}
	if a.holds() {
		c.state = callHolding
	} else {
		c.free()
	}
	return e
}
