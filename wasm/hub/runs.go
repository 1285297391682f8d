package hub

import (
	"slices"

	"github.com/clca-dev/clca/wasm/hub/abi"
)

// A run is a function of a SharedTask or SharedResource that one of the sessions carries out. Its number is known to
// that session and to the hub's realm, which keeps what the run returned; here it is only a number.

type run struct {
	number  uint32
	session *session
	object  *object
	of      runOwner
	core    uint64 // the number that core knows it by
}

// runOwner is a primitive that has runs.
type runOwner interface {
	Contended() bool
	// finished says how the run, or its stop, ended.
	finished(r *run, outcome abi.Outcome)
	// lost says that the session which ran it is gone.
	lost(r *run)
}

var (
	runs    = map[uint32]*run{}
	lastRun uint32
)

// begin has the session of c run the function that c brought.
func begin(c *call, of runOwner, number uint64) *run {
	lastRun++
	r := &run{lastRun, c.session, c.object, of, number}
	runs[r.number] = r
	c.session.runs = append(c.session.runs, r)
	notify(r.session, c.slot, abi.StatusRun, r.number)
	return r
}

// over tells the session that ran r, and the hub's realm, to forget it.
func (r *run) over() {
	r.forget()
	r.drop()
}

// drop is the end of r's outcome, where that was kept longer than r.
func (r *run) drop() {
	notify(r.session, 0, abi.StatusOver, r.number)
	notify(nil, 0, abi.StatusFree, r.number)
}

func (r *run) forget() {
	delete(runs, r.number)
	s := r.session
	s.runs = slices.Delete(s.runs, slices.Index(s.runs, r), slices.Index(s.runs, r)+1)
}

// finishRun is OpFinish: it refuses a run that is not the session's.
func (s *session) finishRun(number uint32, outcome abi.Outcome) uint32 {
	r := runs[number]
	if r == nil || r.session != s || outcome > abi.OutcomeError {
		return abi.Refused
	}
	if r.of.Contended() {
		return abi.Busy
	}
	r.of.finished(r, outcome)
	r.object.dropIfIdle()
	return flush()
}

// loseRunsOf lets others run what s was running. It returns false if a goroutine is in the way.
func loseRunsOf(s *session) bool {
	for len(s.runs) > 0 {
		r := s.runs[0]
		if r.of.Contended() {
			return false
		}
		r.forget()
		notify(nil, 0, abi.StatusFree, r.number)
		r.of.lost(r)
		r.object.dropIfIdle()
	}
	return true
}
