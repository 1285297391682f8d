package core

import "slices"

// PoolSteps is the passive face of Pool without its goroutines: it decides which resource is lent to whom and when one
// is made or unmade, and leaves it to a PoolRunner to do that, wherever that may be.
//
// Every resource has an owner, a number for the place where it lives, and is lent only to those who ask for one of that
// owner. All owners share the slots, and so one line: the first in it gets the next slot that comes free, if need be by
// the end of a resource of another owner.
//
//	free --Park--> Creating --Created--> Lent --Release--> Idle --Park--> Lent
//	               Creating --failed--> free
//	               Lent --Discard, or Release for one of another owner--> Destroying
//	               Idle --Evict, or Park of another owner--> Destroying
//	                                    Destroying --Destroyed--> free, or Creating again
//
// Invariants: who waits in line finds every slot taken, and none of them idle; a slot that is Creating or Destroying
// for somebody has that Waiter bound to it, and none of the owner for which it asks is idle. Runner and Max must be set
// before the first Park.
type PoolSteps struct {
	Runner PoolRunner
	Max    int // how many resources there can be, at least 1

	gate
	effects effects
	slots   []poolSlot
	counts  [poolStates]int
	idle    []int // slots that are, in the order in which they became so
	leases  uint32
	waiting queue // the value of each is its owner
	bound   queue // the value of each is its slot
	joining queue
}

// PoolRunner carries out what PoolSteps decide. Its methods are called one at a time, in order, without a mutex held;
// they must not block.
type PoolRunner interface {
	// Create begins to make a resource for the slot, of the owner for which by asked. It ends with Created or Lose.
	Create(slot int, by Waker)
	// Destroy begins to unmake the resource of the slot. It ends with Destroyed or Lose.
	Destroy(slot int)
	// Idle says that the resource of the slot is not lent. The number is for Evict.
	Idle(slot int, lease uint64)
}

// poolState says what a slot of a pool is.
type poolState uint8

const (
	slotFree poolState = iota
	slotCreating
	slotLent
	slotIdle
	slotDestroying
	poolStates = iota
)

type poolSlot struct {
	state  poolState
	owner  uint64
	lease  uint32  // of the one who holds it, or held it last
	reused bool    // it was lent or idle before
	by     *Waiter // for whom it is being made, or will be
	byWhom uint64  // the owner for which by asks
}

// PoolStats is a snapshot of a Pool.
type PoolStats struct {
	Max        int
	Lent       int
	Idle       int
	Creating   int
	Destroying int
	Waiting    int // callers that wait, for a slot or for their resource to be made
	Closed     bool
}

// A lease is a slot in its lower half and a number that no other lease of that slot has in its upper half.
func leaseOf(slot int, s *poolSlot) uint64 { return uint64(s.lease)<<32 | uint64(slot) }

// slotOf returns the slot of a lease if it has that still.
func (p *PoolSteps) slotOf(lease uint64, state poolState) (int, *poolSlot) {
	slot := int(uint32(lease))
	if slot < len(p.slots) {
		if s := &p.slots[slot]; s.state == state && s.lease == uint32(lease>>32) {
			return slot, s
		}
	}
	return 0, nil
}

// Slot returns the slot of a lease, and whether its resource was idle or lent before.
func (p *PoolSteps) Slot(lease uint64) (slot int, reused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	slot, s := p.slotOf(lease, slotLent)
	return slot, s != nil && s.reused
}

func (p *PoolSteps) set(slot int, state poolState) {
	s := &p.slots[slot]
	if s.state == slotIdle {
		i := len(p.idle) - 1 // the last is the first to be lent
		for p.idle[i] != slot {
			i--
		}
		p.idle = slices.Delete(p.idle, i, i+1)
	}
	if state == slotIdle {
		p.idle = append(p.idle, slot)
	}
	p.counts[s.state]--
	s.state = state
	p.counts[state]++
}

// Park asks for a resource of the owner. It returns false with nil if one was idle, and is lent now. It returns true if
// w was parked: it is woken with a lease, or with the error of Created if a resource was being made for it. It returns
// false with ErrClosed or ErrParked. Once granted, Waiter.Value is the lease.
func (p *PoolSteps) Park(w *Waiter, owner uint64) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	p.mu.Lock()
	defer p.effects.unlock(&p.mu, new(wakes))
	switch {
	case p.Runner == nil || p.Max < 1:
		return false, errNoRunner
	case p.closed:
		return false, ErrClosed
	case w.parked:
		return false, ErrParked
	case !p.waiting.precedes(w):
	case p.lendIdle(w, owner):
		return false, nil
	default:
		if slot := p.room(); slot >= 0 {
			p.bound.parkRanked(w, p, roleBound)
			p.bind(w, owner, slot)
			return true, nil
		}
	}
	p.waiting.parkRanked(w, p, roleWait)
	w.value = owner
	return true, nil
}

// Take lends a resource of the owner if one is idle and nobody waits. Else it returns ErrWouldBlock or ErrClosed.
func (p *PoolSteps) Take(owner uint64) (lease uint64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var w Waiter
	switch {
	case p.closed:
		return 0, ErrClosed
	case p.waiting.Len() > 0 || !p.lendIdle(&w, owner):
		return 0, ErrWouldBlock
	}
	return w.value, nil
}

// lendIdle lends the resource that became idle last, which is the likeliest to be of use still.
func (p *PoolSteps) lendIdle(w *Waiter, owner uint64) bool {
	for _, slot := range slices.Backward(p.idle) {
		if s := &p.slots[slot]; s.owner == owner {
			s.reused = true
			w.value = p.lend(slot)
			return true
		}
	}
	return false
}

func (p *PoolSteps) lend(slot int) (lease uint64) {
	s := &p.slots[slot]
	p.leases++
	s.lease, s.by = p.leases, nil
	p.set(slot, slotLent)
	return leaseOf(slot, s)
}

// room returns a slot that is free, or the one that has been idle longest, which is of no use to who asks; or -1.
func (p *PoolSteps) room() int {
	used := len(p.slots) - p.counts[slotFree]
	if used < p.Max {
		for i := range p.slots {
			if p.slots[i].state == slotFree {
				return i
			}
		}
		p.slots = append(p.slots, poolSlot{})
		p.counts[slotFree]++
		return len(p.slots) - 1
	}
	if len(p.idle) > 0 {
		return p.idle[0]
	}
	return -1
}

// bind promises the slot, which is free or has a resource that is of no use to w, to w, which stands in bound.
func (p *PoolSteps) bind(w *Waiter, owner uint64, slot int) {
	s := &p.slots[slot]
	w.value = uint64(slot)
	s.by, s.byWhom = w, owner
	if s.state == slotFree {
		p.create(slot)
	} else {
		p.destroy(slot)
	}
}

// create makes a resource for the one that the slot is promised to.
func (p *PoolSteps) create(slot int) {
	s := &p.slots[slot]
	p.set(slot, slotCreating)
	s.owner, s.reused = s.byWhom, false
	by := s.by.Waker
	p.effects.add(func() { p.Runner.Create(slot, by) })
}

func (p *PoolSteps) destroy(slot int) {
	p.set(slot, slotDestroying)
	p.effects.add(func() { p.Runner.Destroy(slot) })
}

// offer gives the resource of the slot to one for whom another is being made, unless a priority puts the first in line
// before that one; what is being made is then for the next. Else it goes to the first in line, or the slot alone if
// that one has another owner.
func (p *PoolSteps) offer(slot int, out *wakes) {
	s := &p.slots[slot]
	switch w, early := p.waiting.Front(), p.firstBound(s.owner); {
	case p.closed:
		p.destroy(slot)
	case early != nil && (w == nil || w.Priority <= early.Priority):
		p.slots[early.value].by = nil
		p.bound.settle(early, p.lend(slot), nil, out)
	case w == nil:
		p.leases++
		s.lease, s.reused = p.leases, true
		p.set(slot, slotIdle)
		lease := leaseOf(slot, s)
		p.effects.add(func() { p.Runner.Idle(slot, lease) })
	case w.value == s.owner:
		p.waiting.settle(w, p.lend(slot), nil, out)
	default:
		p.promise(w, slot)
	}
}

// firstBound returns the first of those to whom a slot is promised and who ask for the owner, or nil.
func (p *PoolSteps) firstBound(owner uint64) (first *Waiter) {
	p.bound.Each(func(w *Waiter) {
		if first == nil && p.slots[w.value].byWhom == owner {
			first = w
		}
	})
	return first
}

// promise promises the slot to the first in line.
func (p *PoolSteps) promise(w *Waiter, slot int) {
	owner := w.value
	p.waiting.moveRanked(w, &p.bound, roleBound)
	p.bind(w, owner, slot)
}

// vacate frees the slot, for the first in line if there is one.
func (p *PoolSteps) vacate(slot int, out *wakes) {
	s := &p.slots[slot]
	p.set(slot, slotFree)
	if w := p.waiting.Front(); w != nil {
		p.promise(w, slot)
		return
	}
	*s = poolSlot{lease: s.lease}
	p.emptied(out)
}

// emptied ends the wait of those who wait for the end of what a closed pool had.
func (p *PoolSteps) emptied(out *wakes) {
	if p.closed && p.counts[slotFree] == len(p.slots) {
		p.joining.settleAll(0, nil, out)
	}
}

// Created says that the resource of the slot was made, or could not be. Without an error it is lent to the one for whom
// it was made, or else to the first in line, or kept idle; an error is that one's error alone, and the slot is free
// again.
func (p *PoolSteps) Created(slot int, err error) {
	var out wakes
	p.mu.Lock()
	if s := &p.slots[slot]; s.state == slotCreating {
		w := s.by
		s.by = nil
		switch {
		case err != nil:
			if w != nil {
				p.bound.settle(w, 0, err, &out)
			}
			p.vacate(slot, &out)
		case w != nil:
			p.bound.settle(w, p.lend(slot), nil, &out)
		default:
			p.offer(slot, &out)
		}
	}
	p.effects.unlock(&p.mu, &out)
}

// Destroyed says that the resource of the slot was unmade.
func (p *PoolSteps) Destroyed(slot int) {
	var out wakes
	p.mu.Lock()
	if p.slots[slot].state == slotDestroying {
		p.gone(slot, &out)
	}
	p.effects.unlock(&p.mu, &out)
}

// Lose says that the resource of the slot is gone with the place where it lived, in whatever state it was.
func (p *PoolSteps) Lose(slot int) {
	var out wakes
	p.mu.Lock()
	if p.slots[slot].state != slotFree {
		p.gone(slot, &out)
	}
	p.effects.unlock(&p.mu, &out)
}

// gone follows the end of the resource of the slot.
func (p *PoolSteps) gone(slot int, out *wakes) {
	if p.slots[slot].by != nil {
		p.create(slot)
	} else {
		p.vacate(slot, out)
	}
}

// Release gives the lease back. It returns ErrNotOwner, and changes nothing, if that was done before.
func (p *PoolSteps) Release(lease uint64) error {
	return p.back(lease, p.offer)
}

// Discard gives the lease back, for its resource to be unmade. It returns ErrNotOwner if that was done before.
func (p *PoolSteps) Discard(lease uint64) error {
	return p.back(lease, func(slot int, _ *wakes) { p.destroy(slot) })
}

func (p *PoolSteps) back(lease uint64, then func(slot int, out *wakes)) error {
	var out wakes
	p.mu.Lock()
	slot, s := p.slotOf(lease, slotLent)
	if s != nil {
		s.reused = true
		then(slot, &out)
	}
	p.effects.unlock(&p.mu, &out)
	if s == nil {
		return ErrNotOwner
	}
	return nil
}

// Replace gives the lease back, for its resource to be unmade, and parks w until another was made in its place. It
// returns as Park does, or ErrNotOwner; if the pool is closed the lease is given back all the same.
func (p *PoolSteps) Replace(lease uint64, w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	p.mu.Lock()
	defer p.effects.unlock(&p.mu, new(wakes))
	slot, s := p.slotOf(lease, slotLent)
	switch {
	case s == nil:
		return false, ErrNotOwner
	case w.parked:
		return false, ErrParked
	case p.closed:
		p.destroy(slot)
		return false, ErrClosed
	}
	p.bound.parkBefore(w, p, roleBound) // it was served before all who wait
	p.bind(w, s.owner, slot)
	return true, nil
}

// Evict unmakes a resource that has been idle since the Runner was told so with that number, and returns whether it
// was.
func (p *PoolSteps) Evict(lease uint64) bool {
	p.mu.Lock()
	defer p.effects.unlock(&p.mu, new(wakes))
	slot, s := p.slotOf(lease, slotIdle)
	if s == nil {
		return false
	}
	p.destroy(slot)
	return true
}

func (p *PoolSteps) withdraw(w *Waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !w.parked {
		return false
	}
	switch w.role {
	case roleBound:
		p.slots[w.value].by = nil // what is being made for it goes to the next
		p.bound.withdraw(w)
	case roleJoin:
		p.joining.withdraw(w)
	default:
		p.waiting.withdraw(w)
	}
	return true
}

// Close fails all who wait and all later calls with ErrClosed, and has what is idle unmade. What is lent is unmade when
// it is given back. It does not block; a second call does nothing.
func (p *PoolSteps) Close() {
	var out wakes
	p.mu.Lock()
	p.closed = true
	p.waiting.settleAll(0, ErrClosed, &out)
	p.bound.settleAll(0, ErrClosed, &out)
	for i := range p.slots {
		p.slots[i].by = nil
		if p.slots[i].state == slotIdle {
			p.destroy(i)
		}
	}
	p.emptied(&out)
	p.effects.unlock(&p.mu, &out)
}

// ParkJoin parks w until the pool is closed and has no resource any more. It returns false with nil if that is so, and
// false with ErrParked.
func (p *PoolSteps) ParkJoin(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case w.parked:
		return false, ErrParked
	case p.closed && p.counts[slotFree] == len(p.slots):
		return false, nil
	}
	p.joining.park(w, p, roleJoin)
	return true, nil
}

// Stats returns a snapshot.
func (p *PoolSteps) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return PoolStats{
		p.Max, p.counts[slotLent], p.counts[slotIdle], p.counts[slotCreating], p.counts[slotDestroying],
		p.waiting.Len() + p.bound.Len(), p.closed,
	}
}
