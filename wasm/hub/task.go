package hub

import (
	"errors"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// task is a named SharedTask, or Once, whose function lives in the sessions that wait for it; the one that has waited
// longest runs its own.
type task struct {
	core.TaskSteps
	plain
	totalless
	run  *run // in progress, or nil
	kept *run // the one whose payload is the outcome, told or kept
}

// errRejected stands for the error that the payload of a run holds.
var errRejected = errors.New("clca: rejected")

func newTask(once bool) *task {
	t := new(task)
	t.Runner, t.Retry = t, once
	return t
}

func (t *task) do(c *call, op abi.Op, _ uint32) answer {
	switch op {
	case abi.OpWait:
		if isParked, err := t.Park(&c.Waiter); isParked {
			return answer{}
		} else if err != nil && err != errRejected {
			return failed(err)
		} else {
			return t.outcome(err)
		}
	case abi.OpTest:
		return doneIf(t.Stats().State == core.TaskDone)
	case abi.OpClose:
		keeps := t.Stats().State == core.TaskDone
		t.Close()
		if keeps {
			t.kept.drop()
		}
		return done(0)
	case abi.OpStats:
		v := t.Stats()
		return numbers(c.session, c.slot, uint64(v.Waiting), uint64(v.State), v.Runs)
	}
	return unsupported
}

func (t *task) settled(c *call) answer {
	if err := c.Err(); err != nil && err != errRejected {
		return failed(err)
	}
	return t.outcome(c.Err())
}

func (t *task) outcome(err error) answer {
	if err != nil {
		return answered(abi.StatusReject, t.kept.number)
	}
	return answered(abi.StatusResult, t.kept.number)
}

func (t *task) initial() bool { return t.Stats().State == core.TaskIdle }

// Start has the session that has waited longest run its function.
func (t *task) Start(number uint64, by core.Waker) { t.run = begin(by.(*call), t, number) }

// Cancel tells the session that runs.
func (t *task) Cancel(_ uint64, cause error) {
	notify(t.run.session, uint32(codeOf(cause)), abi.StatusCancel, t.run.number)
}

func (t *task) finished(r *run, outcome abi.Outcome) {
	t.run = nil
	if t.Stats().State == core.TaskStopping {
		r.over() // before the restart, if there is one
	} else {
		r.forget()
		t.kept = r
	}
	t.Finish(r.core, outcomeError(outcome))
	if t.kept == r && t.Stats().State != core.TaskDone {
		r.drop() // a failed run of a Once, once all who waited for it are told
	}
}

func (t *task) lost(r *run) {
	t.run = nil
	t.Lose(r.core)
}

func outcomeError(outcome abi.Outcome) error {
	if outcome == abi.OutcomeResult {
		return nil
	}
	return errRejected
}
