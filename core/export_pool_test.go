package core

import "fmt"

func (p *Pool[T]) Steps() *PoolSteps { return &p.steps }

// LeaseOf returns the number by which a slot is known now, or was last: that of its lease, or that of its idle resource.
func (p *PoolSteps) LeaseOf(slot int) uint64 {
	defer p.Enter()()
	if slot < len(p.slots) {
		return leaseOf(slot, &p.slots[slot])
	}
	return uint64(slot)
}

// lined says what is wrong with those who stand in q, each with a value that it keeps there.
func (q *queue) lined(p *PoolSteps, as role, value func(*Waiter) bool) (broken string) {
	n := 0
	q.Each(func(w *Waiter) {
		n++
		if !w.parked || w.at != p || w.role != as || w.err != nil || !value(w) {
			broken = fmt.Sprintf("a waiter in the queue of role %d is not parked there", as)
		}
	})
	return first(broken, must(n == q.Len(), "as many stand in a queue as are counted"))
}

// Broken returns an invariant that does not hold, or "".
func (p *PoolSteps) Broken() (broken string) {
	defer p.Enter()()
	var counts [poolStates]int
	for _, slot := range p.idle {
		broken = first(broken, must(p.slots[slot].state == slotIdle, "what is listed as idle is so"))
	}
	promised := 0
	for i := range p.slots {
		s := &p.slots[i]
		counts[s.state]++
		if s.by != nil {
			promised++
			broken = first(broken,
				must(s.state == slotCreating || s.state == slotDestroying, "a promised slot is being made or unmade"),
				must(s.by.parked && s.by.role == roleBound && s.by.value == uint64(i), "who was promised a slot waits for it"))
		}
	}
	taken := len(p.slots) - counts[slotFree]
	return first(broken,
		p.waiting.lined(p, roleWait, func(*Waiter) bool { return true }),
		p.bound.lined(p, roleBound, func(w *Waiter) bool { return p.slots[w.value].by == w }),
		p.joining.inOrder(p, roleJoin),
		must(counts == p.counts, "slots are counted by their state"),
		must(len(p.idle) == counts[slotIdle], "all that are idle are listed"),
		must(len(p.slots) <= p.Max, "there are no more than Max"),
		must(p.bound.Len() == promised, "who is bound was promised one slot"),
		must(p.waiting.Len() == 0 || taken == p.Max, "who waits in line finds every slot taken"),
		must(p.waiting.Len() == 0 || counts[slotIdle] == 0, "who waits in line finds none idle"),
		must(!p.closed || p.waiting.Len()+p.bound.Len()+counts[slotIdle] == 0, "closed has nobody waiting and none idle"),
		must(!p.closed || taken > 0 || p.joining.Len() == 0, "nobody waits for the end of what has ended"),
		must(!p.effects.running && len(p.effects.queue) == 0, "nothing is owed after a step"),
	)
}
