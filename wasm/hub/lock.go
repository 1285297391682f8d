package hub

import (
	"cmp"
	"slices"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// lock is a named Lock, ReentrantLock or RWLock.
type lock struct {
	locker
	keepsNothing
	holders map[*call]uint64 // those who hold it, numbered in the order in which they were granted it
	waits   map[*call]*call  // by a holder that waits on a condition, the call that waits
	rank    uint32           // of those who hold it, or held it last
	retaken uint64           // their tenure, if they have taken it back from a lost hub
}

// lastLock numbers the calls on all locks as they begin to wait, and as they are granted what they want.
var lastLock uint64

// locker is what the three have in common.
type locker interface {
	Park(*core.Waiter) (bool, error)
	Take() (tenure uint64, err error)
	Release(tenure uint64) error
	Abandon(tenure uint64) error
	Abandoned(tenure uint64) bool
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
	p := &lock{locker: l, holders: map[*call]uint64{}, waits: map[*call]*call{}, rank: generation * ranks}
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
		park := p.Park
		if rw, ok := p.locker.(*core.RWLock); ok && abi.LockMode(arg) == abi.LockModeShared {
			park = rw.ParkShared
		}
		isParked, err := park(&c.Waiter)
		if isParked || err != nil {
			lastLock++
			c.held = lastLock
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
		return numbers(c.session, c.slot, uint64(v.Holders), bit(v.Shared), uint64(v.Waiting), v.Tenures,
			bit(v.Orphaned))
	}
	return unsupported
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
	p.holders[c] = lastLock
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
	for _, former := range p.inOrder() {
		if former.held != tenure || p.waits[former] != nil {
			continue
		}
		notify(former.session, former.slot, abi.StatusLost, uint32(abi.CodeStolen))
		former.state = callVoid
		delete(p.holders, former)
	}
	ring()
}

func (p *lock) inOrder() []*call {
	all := make([]*call, 0, len(p.holders))
	for c := range p.holders {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *call) int { return cmp.Compare(p.holders[a], p.holders[b]) })
	return all
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
	if _, holds := p.holders[c]; !holds || p.waits[c] != nil {
		return nil
	}
	return c
}

func (p *lock) settled(c *call) answer {
	switch {
	case c.Err() != nil:
		return failed(c.Err())
	case c.Value() != p.Stats().Tenures: // it was stolen before its client was told that it holds it
		notify(c.session, c.slot, abi.StatusLost, uint32(abi.CodeStolen))
		c.held = c.Value()
		return answered(abi.StatusHeld, 0)
	}
	return p.held(c, c.Value())
}

func (p *lock) end(c *call, how abi.Ending) {
	delete(p.holders, c)
	if waiting := p.waits[c]; waiting != nil {
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
