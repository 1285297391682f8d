package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// lock is a named Lock, ReentrantLock or RWLock.
type lock struct {
	locker
	keepsNothing
	holders holders
	rank    uint32 // of those who hold it, or held it last
	retaken uint64 // their tenure, if they have taken it back from a lost hub
	before  uint64 // how many tenures there had been when the name came into use
}

// hold is what a call has on a lock.
type hold struct {
	prev, next *call  // in the list of holders
	number     uint64 // all calls on all locks are numbered as they begin to wait, and as they are granted what they want
	inside     bool   // it is in the list
	waits      *call  // the call of its session that waits on a condition, with which it has given the lock up
}

var lastLock uint64

// holders are the calls that hold a lock, in the order in which they were granted it. Those that wait on a condition are
// among them.
type holders struct{ first, last *call }

func (h *holders) add(c *call) {
	c.hold.prev, c.hold.inside = h.last, true
	if h.last == nil {
		h.first = c
	} else {
		h.last.hold.next = c
	}
	h.last = c
}

func (h *holders) remove(c *call) {
	if !c.hold.inside {
		return
	}
	prev, next := c.hold.prev, c.hold.next
	if prev == nil {
		h.first = next
	} else {
		prev.hold.next = next
	}
	if next == nil {
		h.last = prev
	} else {
		next.hold.prev = prev
	}
	c.hold.prev, c.hold.next, c.hold.inside = nil, nil, false
}

// locker is what the three have in common.
type locker interface {
	Park(*core.Waiter) (bool, error)
	Take() (tenure uint64, err error)
	Release(tenure uint64) error
	Abandon(tenure uint64) error
	Abandoned(tenure uint64) bool
	Holds(tenure uint64) bool
	IsLocked() bool
	Contended() bool
	Close()
	Stats() core.LockStats
}

// seizer is a locker that can be stolen.
type seizer interface {
	Seize() (tenure uint64, err error)
}

func newLock(l locker) *lock {
	p := &lock{locker: l, rank: generation * ranks}
	switch l := l.(type) {
	case *core.Lock:
		l.Stolen = p.stolen
	case *core.RWLock:
		l.Stolen = p.stolen
	}
	return p
}

func (p *lock) do(c *call, op abi.Op, arg uint32) answer {
	switch op {
	case abi.OpAcquire:
		isParked, err := p.parkAs(c, abi.LockMode(arg))
		if isParked || err != nil {
			lastLock++
			c.hold.number = lastLock
			return parked(isParked, err)
		}
		return p.held(c, c.Value())
	case abi.OpTry:
		tenure, err := p.takeAs(abi.LockMode(arg))
		return tried(err, func() answer { return p.held(c, tenure) })
	case abi.OpSteal:
		if s, ok := p.locker.(seizer); ok {
			tenure, err := s.Seize()
			p.rank = min(max(p.rank, generation*ranks)+1, maxRank)
			return tried(err, func() answer { return p.held(c, tenure) })
		}
	case abi.OpReenter:
		if re, ok := p.locker.(*core.ReentrantLock); ok {
			return p.reenter(c, re, arg)
		}
	case abi.OpTest:
		return doneIf(p.IsLocked())
	case abi.OpClose:
		p.Close()
		return done(0)
	case abi.OpStats:
		v := p.Stats()
		return numbers(c.session, c.slot, uint64(v.Holders), bit(v.Shared), uint64(v.Waiting), v.Tenures-p.before,
			bit(v.Orphaned))
	}
	return unsupported
}

// parkAs parks c until it holds it, shared where that is asked for and can be.
func (p *lock) parkAs(c *call, mode abi.LockMode) (bool, error) {
	if rw, ok := p.locker.(*core.RWLock); ok && mode == abi.LockModeShared {
		return rw.ParkShared(&c.Waiter)
	}
	return p.Park(&c.Waiter)
}

// takeAs takes it if that need not wait, shared where that is asked for and can be.
func (p *lock) takeAs(mode abi.LockMode) (tenure uint64, err error) {
	if rw, ok := p.locker.(*core.RWLock); ok && mode == abi.LockModeShared {
		return rw.TakeShared()
	}
	return p.Take()
}

func (p *lock) held(c *call, tenure uint64) answer {
	c.held = tenure
	lastLock++
	c.hold.number = lastLock
	p.holders.add(c)
	return answered(abi.StatusHeld, p.tells(tenure))
}

// tells is what the client is told of its tenure.
func (p *lock) tells(tenure uint64) uint32 {
	v := p.rank << 1
	if p.Abandoned(tenure) {
		v |= abi.HeldAbandoned
	}
	return v
}

// stolen tells those who held it, in the order in which they were granted it, that a session or a goroutine has taken
// it.
func (p *lock) stolen(tenure uint64) {
	var next *call
	for former := p.holders.first; former != nil; former = next {
		next = former.hold.next
		if former.held != tenure || former.hold.waits != nil {
			continue
		}
		notify(former.session, former.slot, abi.StatusLost, uint32(abi.CodeStolen))
		former.state = callVoid
		p.holders.remove(former)
	}
	ring()
}

func (p *lock) reenter(c *call, re *core.ReentrantLock, slot uint32) answer {
	outer := p.holder(c.session, slot)
	if outer == nil {
		return failed(core.ErrNotOwner)
	}
	if err := re.Reenter(outer.held); err != nil {
		return failed(err)
	}
	return p.held(c, outer.held)
}

// holder returns the call of the session in that slot if it holds the lock now, and does not wait on a condition.
func (p *lock) holder(s *session, slot uint32) *call {
	if int(slot) >= len(s.calls) {
		return nil
	}
	c := s.calls[slot]
	if c == nil || c.object.primitive != p || !c.hold.inside || c.hold.waits != nil {
		return nil
	}
	return c
}

func (p *lock) settled(c *call) answer {
	switch {
	case c.Err() != nil:
		return failed(c.Err())
	case !p.Holds(c.Value()): // it was stolen before its client was told that it holds it
		notify(c.session, c.slot, abi.StatusLost, uint32(abi.CodeStolen))
		c.held = c.Value()
		return answered(abi.StatusHeld, 0)
	}
	return p.held(c, c.Value())
}

func (p *lock) end(c *call, how abi.Ending) {
	p.holders.remove(c)
	if waiting := c.hold.waits; waiting != nil {
		waiting.object.primitive.(*condition).abandon(c, waiting)
	}
	// If it is not held, it was given up by waiting.
	unheard := how == abi.EndingUnused && p.Abandoned(c.held) && p.Stats().Holders == 1 // nobody inside has been told
	if how == abi.EndingGone || unheard {
		_ = p.Abandon(c.held)
	} else {
		_ = p.Release(c.held)
	}
}

func (p *lock) initial() bool {
	if unreported > 0 && p.rank != generation*ranks {
		return false // who comes late with a lower rank is to be told
	}
	v := p.Stats()
	return v.Holders == 0 && !v.Orphaned || v.Closed
}

func (p *lock) renew() { p.before = p.Stats().Tenures }
