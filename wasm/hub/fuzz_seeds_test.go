package hub

import (
	"slices"

	"github.com/clca-dev/clca/wasm/hub/abi"
)

// program is one for FuzzExports.
type program []instruction

func (p program) code() []byte {
	var code []byte
	for _, i := range p {
		code = append(code, i.what, i.who, i.name, i.arg)
	}
	return code
}

// does is a call on the first name of that kind in the catalogue.
func does(who byte, op abi.Op, kind abi.Kind, arg byte) instruction {
	return on(who, op, slices.IndexFunc(catalogue[:], func(n naming) bool { return n.key.kind == kind }), arg)
}

// on is a call on a name of the catalogue.
func on(who byte, op abi.Op, name int, arg byte) instruction {
	return instruction{byte(slices.Index(operations[catalogue[name].key.kind], op)), who, byte(name), arg}
}

// opens opens a session below none.
var opens = instruction{openAnother, 0, 0, 0xff}

// opensBelow opens one below another.
func opensBelow(who byte) instruction { return instruction{openAnother, who, 1, 0xff} }

// ends ends the session's nth call.
func ends(who, nth byte, how abi.Ending) instruction {
	return instruction{endCall, who, nth, byte(how)}
}

// finishes ends the first run of the session.
func finishes(who byte, outcome abi.Outcome) instruction {
	return instruction{finishRun, who, 0, byte(outcome)}
}

func dies(who byte) instruction { return instruction{endSession, who, 0, 0} }

// scenarios use each primitive as it is meant to be used, and each way in which that goes wrong.
func scenarios() []program {
	const a, b, c = 0, 1, 2 // the sessions, in the order in which they are opened
	return []program{
		{ // a signal, and a wait that is given up
			opens, opens, does(a, abi.OpWait, abi.KindSignal, 0), does(b, abi.OpWait, abi.KindSignal, 0),
			does(a, abi.OpWait, abi.KindSignal, 0), ends(a, 0, 0), does(b, abi.OpSignal, abi.KindSignal, 0),
			does(a, abi.OpHubStats, abi.KindSignal, 0), does(a, abi.OpWait, abi.KindSignal, 0),
			does(b, abi.OpClose, abi.KindSignal, 0),
		},
		{ // more waits than the window holds
			opens, {burst, a, 0, 0xff}, does(b, abi.OpSignal, abi.KindSignal, 0), {burst, b, 9, 0x90}, dies(b),
		},
		{ // a checkpoint: armed, held, resumed; disarmed; the session that armed it ends
			opens, opens, does(a, abi.OpArm, abi.KindCheckpoint, 0), does(b, abi.OpWait, abi.KindCheckpoint, 0),
			does(b, abi.OpWait, abi.KindCheckpoint, 0), does(b, abi.OpResume, abi.KindCheckpoint, 0),
			does(a, abi.OpArm, abi.KindCheckpoint, 0), does(b, abi.OpDisarm, abi.KindCheckpoint, 0),
			does(a, abi.OpArm, abi.KindCheckpoint, 0), does(b, abi.OpWait, abi.KindCheckpoint, 0), dies(a),
		},
		{ // a checkpoint that is watched: by who arms it, by others, until it is closed, until the session ends
			opens, opens, does(a, abi.OpWatch, abi.KindCheckpoint, 5), does(b, abi.OpWatch, abi.KindCheckpoint, 6),
			does(b, abi.OpHubStats, abi.KindSignal, 0), ends(b, 0, 0), does(a, abi.OpArm, abi.KindCheckpoint, 0),
			does(b, abi.OpWatch, abi.KindCheckpoint, 7), does(b, abi.OpWait, abi.KindCheckpoint, 3),
			does(b, abi.OpHubStats, abi.KindSignal, 1), does(b, abi.OpResume, abi.KindCheckpoint, 0),
			does(b, abi.OpWatch, abi.KindCheckpoint, 7), does(a, abi.OpClose, abi.KindCheckpoint, 0),
			does(b, abi.OpWatch, abi.KindCheckpoint, 7), dies(b),
		},
		{ // calls that stand for several callers, within a limit and beyond it
			opens, {openAnother, a, 0, 8}, does(b, abi.OpWait, abi.KindSignal, 4), does(b, abi.OpWait, abi.KindEvent, 4),
			does(b, abi.OpWait, abi.KindEvent, 2), does(b, abi.OpWait, abi.KindSignal, 0xf5), ends(b, 1, 0),
			does(b, abi.OpWait, abi.KindLatch, 2), does(a, abi.OpWait, abi.KindSignal, 0xf5),
			does(a, abi.OpWait, abi.KindSignal, 0xff), does(a, abi.OpSignal, abi.KindSignal, 0),
			does(b, abi.OpWait, abi.KindEvent, 4), does(a, abi.OpHubStats, abi.KindSignal, 0),
			does(a, abi.OpSet, abi.KindEvent, 0), does(a, abi.OpCountDown, abi.KindLatch, 2),
		},
		{ // names that come into use again, with another creation argument
			opens, opens, on(a, abi.OpAcquire, 8, 3), ends(a, 0, 0), on(b, abi.OpAcquire, 23, 2), on(a, abi.OpAcquire, 8, 3),
			ends(b, 0, 0), on(a, abi.OpAcquire, 8, 3), on(a, abi.OpTryPut, 19, 0), on(b, abi.OpTryPut, 18, 0),
			on(b, abi.OpTryPut, 18, 0), on(b, abi.OpTryGet, 18, 0), does(b, abi.OpHubStats, abi.KindSignal, 0),
		},
		{ // a task: shared, kept, closed
			opens, opens, does(a, abi.OpWait, abi.KindTask, 0), does(b, abi.OpWait, abi.KindTask, 0),
			finishes(a, abi.OutcomeResult), does(b, abi.OpWait, abi.KindTask, 0), dies(a),
			does(b, abi.OpClose, abi.KindTask, 0),
		},
		{ // a task: left by all, restarted; its session ends
			opens, opens, does(a, abi.OpWait, abi.KindTask, 0), ends(a, 0, 0), does(b, abi.OpWait, abi.KindTask, 0),
			finishes(a, abi.OutcomeError), does(a, abi.OpWait, abi.KindTask, 0), dies(b),
			finishes(a, abi.OutcomeError),
		},
		{ // a once: failed, tried again
			opens, opens, does(a, abi.OpWait, abi.KindOnce, 0), does(b, abi.OpWait, abi.KindOnce, 0),
			finishes(a, abi.OutcomeError), does(b, abi.OpWait, abi.KindOnce, 0), finishes(b, abi.OutcomeResult),
			does(a, abi.OpTest, abi.KindOnce, 0),
		},
		{ // a resource: lent, stopped, started again; its session ends
			opens, opens, does(a, abi.OpAcquire, abi.KindResource, 0), does(b, abi.OpAcquire, abi.KindResource, 0),
			finishes(a, abi.OutcomeResult), ends(a, 0, 0), ends(b, 0, 0),
			does(b, abi.OpAcquire, abi.KindResource, 0), finishes(a, abi.OutcomeResult),
			finishes(b, abi.OutcomeResult), does(a, abi.OpAcquire, abi.KindResource, 0), dies(b), ends(a, 0, 0),
		},
		{ // a resource: its start fails; its start is left; closed
			opens, opens, does(a, abi.OpAcquire, abi.KindResource, 0), finishes(a, abi.OutcomeError),
			does(a, abi.OpAcquire, abi.KindResource, 0), ends(a, 0, 0), finishes(a, abi.OutcomeResult),
			finishes(a, abi.OutcomeResult), does(b, abi.OpAcquire, abi.KindResource, 0),
			finishes(b, abi.OutcomeResult), does(a, abi.OpClose, abi.KindResource, 0), ends(b, 0, 0),
		},
		{ // a lock: handed over, stolen, closed
			opens, opens, does(a, abi.OpAcquire, abi.KindLock, 0), does(b, abi.OpAcquire, abi.KindLock, 0),
			does(b, abi.OpTry, abi.KindLock, 0), ends(a, 0, 0), does(a, abi.OpSteal, abi.KindLock, 0),
			ends(b, 0, 0), does(b, abi.OpAcquire, abi.KindLock, 0), dies(a), does(b, abi.OpClose, abi.KindLock, 0),
		},
		{ // a reentrant lock
			opens, opens, does(a, abi.OpAcquire, abi.KindReentrantLock, 0),
			does(a, abi.OpReenter, abi.KindReentrantLock, 0), does(b, abi.OpAcquire, abi.KindReentrantLock, 0),
			ends(a, 0, 0), ends(a, 0, 0), does(b, abi.OpReenter, abi.KindReentrantLock, 9), dies(b),
		},
		{ // a lock that is shared, or not; who holds it
			opens, opens, opens, does(a, abi.OpAcquire, abi.KindRWLock, 1),
			does(b, abi.OpAcquire, abi.KindRWLock, 1), does(c, abi.OpAcquire, abi.KindRWLock, 0),
			does(a, abi.OpAcquire, abi.KindRWLock, 0x79), does(a, abi.OpQuery, abi.KindRWLock, 0), ends(a, 0, 0),
			ends(b, 0, 0), does(b, abi.OpSteal, abi.KindRWLock, 0), dies(b), dies(a),
		},
		{ // permits, and how many there are
			opens, opens, does(a, abi.OpAcquire, abi.KindSemaphore, 2),
			does(b, abi.OpAcquire, abi.KindSemaphore, 3), does(b, abi.OpAcquire, abi.KindSemaphore, 1),
			does(b, abi.OpTry, abi.KindSemaphore, 1), does(a, abi.OpResize, abi.KindSemaphore, 2),
			does(a, abi.OpResize, abi.KindSemaphore, 7), does(a, abi.OpResize, abi.KindSemaphore, 1),
			does(a, abi.OpAcquire, abi.KindSemaphore, 0xf0), on(a, abi.OpTry, 23, 1), dies(b), ends(a, 0, 0),
		},
		{ // an event: waited for, set, cleared, closed
			opens, does(a, abi.OpWait, abi.KindEvent, 0), does(b, abi.OpSet, abi.KindEvent, 0),
			does(b, abi.OpWait, abi.KindEvent, 0), does(a, abi.OpClear, abi.KindEvent, 0),
			does(a, abi.OpWait, abi.KindEvent, 0), does(b, abi.OpClose, abi.KindEvent, 0),
		},
		{ // a condition: notified, cancelled, its guard given back, its lock stolen
			opens, opens, does(a, abi.OpAcquire, abi.KindLock, 0), does(a, abi.OpWait, abi.KindCondition, 0),
			does(b, abi.OpAcquire, abi.KindLock, 0), does(b, abi.OpNotify, abi.KindCondition, 1), ends(b, 0, 0),
			does(a, abi.OpWait, abi.KindCondition, 0), ends(a, 1, 0), does(a, abi.OpWait, abi.KindCondition, 0),
			ends(a, 0, 0), does(a, abi.OpAcquire, abi.KindLock, 0), does(a, abi.OpWait, abi.KindCondition, 0),
			does(b, abi.OpSteal, abi.KindLock, 0), does(b, abi.OpNotify, abi.KindCondition, 2), dies(b), dies(a),
		},
		{ // a condition whose lock is closed
			opens, opens, does(a, abi.OpAcquire, abi.KindLock, 0), does(a, abi.OpWait, abi.KindCondition, 0),
			does(b, abi.OpAcquire, abi.KindLock, 0), does(b, abi.OpClose, abi.KindLock, 0), ends(b, 0, 0), dies(a),
		},
		{ // a barrier: full, broken, reset
			opens, opens, does(a, abi.OpWait, abi.KindBarrier, 0), does(b, abi.OpWait, abi.KindBarrier, 0),
			does(b, abi.OpWait, abi.KindBarrier, 0), does(a, abi.OpWait, abi.KindBarrier, 0),
			does(b, abi.OpWait, abi.KindBarrier, 0), ends(a, 0, 0), does(a, abi.OpTest, abi.KindBarrier, 0),
			does(a, abi.OpReset, abi.KindBarrier, 0), does(a, abi.OpWait, abi.KindBarrier, 0), dies(a),
		},
		{ // a latch
			opens, does(a, abi.OpWait, abi.KindLatch, 0), does(b, abi.OpCountDown, abi.KindLatch, 1),
			does(b, abi.OpCountDown, abi.KindLatch, 1), does(b, abi.OpWait, abi.KindLatch, 0),
			does(b, abi.OpCountDown, abi.KindLatch, 1), does(a, abi.OpClose, abi.KindLatch, 0),
		},
		{ // items: put, got, kept, put back, waited with
			opens, opens, does(a, abi.OpGet, abi.KindQueue, 0), does(b, abi.OpPut, abi.KindQueue, 0),
			ends(a, 0, abi.EndingKept), does(b, abi.OpPut, abi.KindQueue, 0),
			does(a, abi.OpTryGet, abi.KindQueue, 0), ends(a, 0, abi.EndingBack),
			does(a, abi.OpGet, abi.KindQueue, 0), does(b, abi.OpTaskDone, abi.KindQueue, 0),
			does(b, abi.OpJoin, abi.KindQueue, 0), dies(a), does(b, abi.OpPut, abi.KindQueue, 0),
			does(b, abi.OpAcquire, abi.KindQueue, 0), does(b, abi.OpCloseNow, abi.KindQueue, 0),
		},
		{ // a queue that is full
			opens, on(a, abi.OpPut, 15, 0), on(a, abi.OpPut, 15, 0), on(b, abi.OpTryPut, 15, 0),
			on(b, abi.OpPut, 15, 0), ends(b, 0, 0), on(b, abi.OpGet, 15, 0), on(b, abi.OpGet, 15, 0),
			on(b, abi.OpGet, 15, 0), on(a, abi.OpClose, 15, 0), dies(b),
		},
		{ // the orders of queues, and what they are when nobody has said
			on(a, abi.OpPut, 16, 0), on(a, abi.OpPut, 16, 0), on(a, abi.OpGet, 16, 0), ends(a, 0, abi.EndingBack),
			on(a, abi.OpPut, 17, 9), on(a, abi.OpPut, 17, 0x70), on(a, abi.OpPut, 17, 0x90),
			on(a, abi.OpGet, 17, 0), on(a, abi.OpPut, 18, 0), on(a, abi.OpPut, 19, 0), dies(a),
		},
		{ // leases: one made, lent again, replaced, discarded, evicted, one of another session
			opens, opens, does(a, abi.OpAcquire, abi.KindPool, 0), finishes(a, abi.OutcomeResult),
			ends(a, 0, abi.EndingBack), does(a, abi.OpAcquire, abi.KindPool, 0),
			does(a, abi.OpReplace, abi.KindPool, 0), finishes(a, abi.OutcomeResult), finishes(a, abi.OutcomeResult),
			ends(a, 0, abi.EndingDiscard), finishes(a, abi.OutcomeResult), does(b, abi.OpAcquire, abi.KindPool, 0),
			finishes(b, abi.OutcomeResult), ends(b, 0, abi.EndingBack), does(b, abi.OpEvict, abi.KindPool, 0),
			finishes(b, abi.OutcomeResult), does(a, abi.OpAcquire, abi.KindPool, 0), finishes(a, abi.OutcomeError),
			does(b, abi.OpJoin, abi.KindPool, 0), does(b, abi.OpClose, abi.KindPool, 0),
		},
		{ // a pool of one, which sessions want in turn
			opens, on(a, abi.OpAcquire, 20, 0), on(b, abi.OpAcquire, 20, 0), finishes(a, abi.OutcomeResult),
			ends(a, 0, abi.EndingBack), finishes(a, abi.OutcomeResult), finishes(b, abi.OutcomeResult),
			on(a, abi.OpAcquire, 20, 0), on(b, abi.OpReplace, 20, 0), dies(b), finishes(a, abi.OutcomeResult),
		},
		{ // sessions below sessions, and their limits
			opens, opensBelow(b), opensBelow(c), {openAnother, c, 1, 2}, does(b, abi.OpAcquire, abi.KindLock, 0),
			does(c, abi.OpAcquire, abi.KindLock, 0), does(3, abi.OpWait, abi.KindCondition, 0),
			does(4, abi.OpWait, abi.KindEvent, 0), does(4, abi.OpWait, abi.KindEvent, 0),
			does(4, abi.OpWait, abi.KindEvent, 0), does(4, abi.OpPut, abi.KindQueue, 0), dies(b),
			{callStale, a, 0, 0}, {callStale, a, 6, 1},
		},
		{ // a hub that follows one that was lost: what is held there is taken back, what others want is held up
			{openAnother, 1 << 3, 0, 0xff}, {openAnother, 1 << 3, 0, 0xff}, {recovers, a, 2, 2},
			does(a, abi.OpAcquire, abi.KindLock, 0), does(b, abi.OpRetake, abi.KindLock, 0),
			does(c, abi.OpRetake, abi.KindLock, 8), does(b, abi.OpRetake, abi.KindRWLock, 1),
			does(c, abi.OpRetake, abi.KindRWLock, 1), does(a, abi.OpTry, abi.KindRWLock, 0),
			does(b, abi.OpRetake, abi.KindSemaphore, 2), does(c, abi.OpRetake, abi.KindSemaphore, 2),
			does(a, abi.OpAcquire, abi.KindSemaphore, 1), does(b, abi.OpRetake, abi.KindReentrantLock, 0),
			does(b, abi.OpRetake, abi.KindReentrantLock, 0), does(b, abi.OpRetake, abi.KindCheckpoint, 0),
			does(a, abi.OpWait, abi.KindCheckpoint, 0), does(b, abi.OpOccupy, abi.KindTask, 0),
			does(a, abi.OpWait, abi.KindTask, 0), does(b, abi.OpOccupy, abi.KindPool, 0),
			does(a, abi.OpAcquire, abi.KindPool, 0), {reports, b, 0, 0}, {recovers, a, 2, 1}, {reports, c, 0, 0},
			{recovers, a, 2, 0}, ends(b, 6, 0), dies(c), dies(b),
		},
		{ // what makes no sense
			opens, does(a, abi.OpWait, abi.KindDenied, 0), does(a, abi.OpPut, abi.KindDenied, 0),
			{0, a, 0xc7, 0xf0}, {0, a, 0xcb, 0xff}, {0, a, 0xcd, 0xfa}, {0, a | 28<<3, 0, 0}, {0, a | 29<<3, 0, 0},
			{0, a | 30<<3, 0, 0}, {0, a | 31<<3, 0, 0}, {rawOp + 1, a, 0, 0}, {rawOp + 2, a, 0, 0},
			{rawOp + 3, a, 0, 0}, {rawOp + 63, a, 0, 0}, {bindName, a | 30<<3, 0, 0}, {bindName, a | 31<<3, 0, 0},
			{bindName, a, 63, 0}, {bindName, a, 9 << 1, 0xff}, {forgetNames, a, 0, 0}, {rawOp + 6, a, 0, 0},
			{drainWindow, a, 0, 0}, {countDropped, a, 0, 0}, {finishRun, a, 0, 0}, {rawOp, a, 0, 0xff},
			{callStale, a, 0, 0xf5},
		},
	}
}
