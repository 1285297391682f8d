package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// pool is a named Pool. A resource is a run: it lives in the session that made it, and is lent there alone; what all
// sessions share is how many there can be.
type pool struct {
	core.PoolSteps
	keepsNothing
	totalless
	slots []pooled
}

// pooled is what lives in a slot of a pool.
type pooled struct {
	run      *run
	made     bool
	unmaking bool
	idle     uint64 // the number for Evict
}

// rejection is the error of a run that failed, whose payload says why.
type rejection uint32

func (rejection) Error() string { return "clca: rejected" }

func newPool(size uint32) primitive {
	if size < 1 || size > maxArg {
		return nil
	}
	p := new(pool)
	p.Runner, p.Max = p, int(size)
	return p
}

func (p *pool) do(c *call, op abi.Op, arg uint32) answer {
	owner := uint64(c.session.handle)
	switch op {
	case abi.OpAcquire:
		isParked, err := p.Park(&c.Waiter, owner)
		if isParked || err != nil {
			return parked(isParked, err)
		}
		return p.lent(c, c.Value())
	case abi.OpTry:
		lease, err := p.Take(owner)
		return tried(err, func() answer { return p.lent(c, lease) })
	case abi.OpReplace:
		return p.replace(c, arg)
	case abi.OpEvict:
		r := runs[arg]
		if r == nil || r.session != c.session || r.object != c.object {
			return done(0)
		}
		return doneIf(p.Evict(p.slots[r.core].idle))
	case abi.OpClose:
		p.Close()
		return done(uint32(p.Stats().Lent))
	case abi.OpJoin:
		if p.initial() {
			return done(0) // it was closed, and its name dropped
		}
		return parked(p.ParkJoin(&c.Waiter))
	case abi.OpStats:
		v := p.Stats()
		return numbers(c.session, c.slot, uint64(v.Max), uint64(v.Lent), uint64(v.Idle), uint64(v.Creating),
			uint64(v.Destroying), uint64(v.Waiting))
	}
	return unsupported
}

func (p *pool) lent(c *call, lease uint64) answer {
	c.held = lease
	slot, _ := p.Slot(lease)
	return answered(abi.StatusLent, p.slots[slot].run.number)
}

// replace has another resource made in the place of one that the session holds by the call in that slot.
func (p *pool) replace(c *call, slot uint32) answer {
	s := c.session
	if int(slot) >= len(s.calls) {
		return failed(core.ErrNotOwner)
	}
	old := s.calls[slot]
	if old == nil || old == c || old.object != c.object || old.state != callHolding || old.op == abi.OpOccupy {
		return failed(core.ErrNotOwner)
	}
	isParked, err := p.Replace(old.held, &c.Waiter)
	notices = append(notices, old.tell(answered(abi.StatusEnded, 0)))
	return parked(isParked, err)
}

func (p *pool) settled(c *call) answer {
	switch err := c.Err().(type) {
	case nil:
		if c.op == abi.OpJoin {
			return done(0)
		}
		return p.lent(c, c.Value())
	case rejection:
		return answered(abi.StatusReject, uint32(err))
	default:
		return failed(err)
	}
}

func (p *pool) end(c *call, how abi.Ending) {
	if how == abi.EndingDiscard {
		_ = p.Discard(c.held)
	} else {
		_ = p.Release(c.held)
	}
}

func (p *pool) initial() bool {
	v := p.Stats()
	return v.Lent+v.Idle+v.Creating+v.Destroying == 0
}

// Create has the session that asks make one.
func (p *pool) Create(slot int, by core.Waker) {
	for len(p.slots) <= slot {
		p.slots = append(p.slots, pooled{})
	}
	p.slots[slot] = pooled{run: begin(by.(*call), p, uint64(slot))}
}

// Destroy has the session that made it unmake it.
func (p *pool) Destroy(slot int) {
	at := &p.slots[slot]
	at.unmaking = true
	notify(at.run.session, 0, abi.StatusStop, at.run.number)
}

// Idle tells the session that made it.
func (p *pool) Idle(slot int, lease uint64) {
	at := &p.slots[slot]
	at.idle = lease
	notify(at.run.session, 0, abi.StatusIdle, at.run.number)
}

func (p *pool) finished(r *run, outcome abi.Outcome) {
	slot := int(r.core)
	at := &p.slots[slot]
	switch {
	case at.unmaking:
		*at = pooled{}
		r.over()
		p.Destroyed(slot)
	case at.made: // nobody has asked it to
	case outcome == abi.OutcomeResult:
		at.made = true
		p.Created(slot, nil)
	default:
		*at = pooled{}
		r.over()
		p.Created(slot, rejection(r.number))
	}
}

func (p *pool) lost(r *run) {
	slot := int(r.core)
	p.slots[slot] = pooled{}
	p.Lose(slot)
}
