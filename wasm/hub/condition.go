package hub

import (
	"errors"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// condition is a named Condition of a named Lock. A call that waits names the call of its session that holds the lock,
// and that one holds it again, with another tenure, when the wait ends.
type condition struct {
	*core.Condition
	totalless
	plain
	lock *lock
}

func newCondition(base *object) *condition {
	l := base.primitive.(*lock)
	return &condition{Condition: core.NewCondition(l.locker.(*core.Lock)), lock: l}
}

// errEnded is how a wait ends that its client wants to end: holding the lock.
var errEnded = errors.New("clca: ended")

func (p *condition) do(c *call, op abi.Op, arg uint32) answer {
	switch op {
	case abi.OpWait:
		guard := p.lock.holder(c.session, arg)
		if guard == nil {
			return failed(core.ErrNotOwner)
		}
		if _, err := p.Park(&c.Waiter, guard.held); err != nil {
			return failed(err)
		}
		guard.hold.waits = c
		return answer{}
	case abi.OpNotify:
		return done(uint32(p.Notify(int(arg))))
	case abi.OpStats:
		return numbers(c.session, c.slot, uint64(p.Stats().Waiting))
	}
	return unsupported
}

// guardOf returns the call by which c holds the lock again, or nil if that was given back meanwhile.
func (p *condition) guardOf(c *call) *call {
	if int(c.arg) < len(c.session.calls) {
		if guard := c.session.calls[c.arg]; guard != nil && guard.hold.waits == c {
			return guard
		}
	}
	return nil
}

func (p *condition) settled(c *call) answer {
	guard := p.guardOf(c)
	if guard == nil {
		return failed(core.ErrNotOwner)
	}
	guard.hold.waits = nil
	switch guard.held = c.Value(); guard.held {
	case p.lock.Stats().Tenures:
	case 0:
		p.lost(guard, abi.CodeClosed)
	default: // it was stolen before its client was told that it holds it again
		p.lost(guard, abi.CodeStolen)
	}
	switch c.Err() {
	case nil:
		return done(p.lock.tells(guard.held))
	case errEnded:
		return answered(abi.StatusEnded, p.lock.tells(guard.held))
	}
	return failed(c.Err())
}

// lost tells the client of guard that it does not hold the lock any more.
func (p *condition) lost(guard *call, code abi.Code) {
	p.lock.holders.remove(guard)
	guard.state = callVoid
	notify(guard.session, guard.slot, abi.StatusLost, uint32(code))
}

// cancel has c end as soon as it holds the lock again, if it was not notified before.
func (p *condition) cancel(c *call) {
	if c.state == callWaiting {
		p.Cancel(&c.Waiter, errEnded)
	}
}

// withdrawn follows the end of a session, with the guard's own end before or after it.
func (p *condition) withdrawn(c *call) {
	if guard := p.guardOf(c); guard != nil {
		guard.hold.waits = nil
	}
}

// abandon ends the wait of c, whose guard is being given back.
func (p *condition) abandon(guard, c *call) {
	guard.hold.waits = nil
	if c.state == callWaiting && c.Withdraw() {
		notices = append(notices, c.tell(failed(core.ErrNotOwner)))
		return
	}
	guard.held = c.Value() // it has been granted the lock, and is told in a moment that nobody holds it
}

func (p *condition) initial() bool { return true }
