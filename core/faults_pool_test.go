package core_test

// The faults of Pool; see faults_test.go.

func init() {
	faults = append(faults, []struct {
		name      string
		file      string
		old, new  string
		exploring string
	}{
		{
			"a failed creation keeps its slot", "poolsteps.go",
			`				p.bound.settle(w, 0, err, &out)
			}
			p.vacate(slot, &out)
`,
			`				p.bound.settle(w, 0, err, &out)
			}
`,
			"Pool",
		},
		{
			"a failed creation fails the next in line as well", "poolsteps.go",
			`				p.bound.settle(w, 0, err, &out)
			}
`,
			`				p.bound.settle(w, 0, err, &out)
			}
			if next := p.waiting.Front(); next != nil {
				p.waiting.settle(next, 0, err, &out)
			}
`,
			"Pool",
		},
		{
			"what is being made stays promised to one who has left", "poolsteps.go",
			`		p.slots[w.value].by = nil // what is being made for it goes to the next
`,
			"",
			"Pool",
		},
		{
			"what was made for one who has left is thrown away", "poolsteps.go",
			`		default:
			p.offer(slot, &out)
`,
			`		default:
			p.destroy(slot)
`,
			"Pool",
		},
		{
			"what was made for one who has left is not unmade for another owner", "poolsteps.go",
			`		p.create(slot)
	} else {
		p.destroy(slot)
	}
`,
			`		p.create(slot)
	} else if s.state != slotCreating {
		p.destroy(slot)
	}
`,
			"Pool",
		},
		{
			"the slot of what was unmade is lost", "poolsteps.go",
			`	} else {
		p.vacate(slot, out)
	}
`,
			`	}
`,
			"Pool",
		},
		{
			"what is lost is not made again for whom it was promised", "poolsteps.go",
			`	if p.slots[slot].by != nil {
		p.create(slot)
	} else {
		p.vacate(slot, out)
	}
`,
			`	p.slots[slot].by = nil
	p.vacate(slot, out)
`,
			"Pool",
		},
		{
			"what is lent cannot be lost", "poolsteps.go",
			"	if p.slots[slot].state != slotFree {",
			"	if p.slots[slot].state != slotFree && p.slots[slot].state != slotLent {",
			"Pool",
		},
		{
			"a free slot is not given to the first in line", "poolsteps.go",
			`	if w := p.waiting.Front(); w != nil {
		p.promise(w, slot)
		return
	}
`,
			"",
			"Pool",
		},
		{
			"a priority is not heeded", "poolsteps.go",
			"	p.waiting.parkRanked(w, p, roleWait)", "	p.waiting.park(w, p, roleWait)",
			"Pool",
		},
		{
			"one of the same owner overtakes", "poolsteps.go",
			`	switch w, early := p.waiting.Front(), p.firstBound(s.owner); {
	case p.closed:
`,
			`	w, early := p.waiting.Front(), p.firstBound(s.owner)
	p.waiting.Each(func(other *Waiter) {
		if w.value != s.owner && other.value == s.owner {
			w = other
		}
	})
	switch {
	case p.closed:
`,
			"Pool",
		},
		{
			"a released one is lent to another owner", "poolsteps.go",
			"	case w.value == s.owner:", "	case w != nil:",
			"Pool",
		},
		{
			"an idle one is lent to another owner", "poolsteps.go",
			"		if s := &p.slots[slot]; s.owner == owner {", "		if s := &p.slots[slot]; s.owner > 0 || owner == 0 {",
			"Pool",
		},
		{
			"the one that has been idle longest is lent first", "poolsteps.go",
			"range slices.Backward(p.idle) {", "range p.idle {",
			"Pool",
		},
		{
			"what was lent last makes room for another owner", "poolsteps.go",
			"		return p.idle[0]", "		return p.idle[len(p.idle)-1]",
			"Pool",
		},
		{
			"there are more than Max", "poolsteps.go",
			"	if used < p.Max {", "	if used <= p.Max {",
			"Pool",
		},
		{
			"a stale lease is as good as the current one", "poolsteps.go",
			"s.state == state && s.lease == uint32(lease>>32)", "s.state == state",
			"Pool",
		},
		{
			"what is idle can be released", "poolsteps.go",
			"s.state == state && s.lease == uint32(lease>>32)", "s.state != slotFree && s.lease == uint32(lease>>32)",
			"Pool",
		},
		{
			"what is lent can be evicted", "poolsteps.go",
			`	slot, s := p.slotOf(lease, slotIdle)
`,
			`	slot, s := p.slotOf(lease, slotIdle)
	if s == nil {
		slot, s = p.slotOf(lease, slotLent)
	}
`,
			"Pool",
		},
		{
			"who replaces a resource loses its place", "poolsteps.go",
			`	p.bound.parkBefore(w, p, roleBound) // it was served before all who wait
	p.bind(w, s.owner, slot)
	return true, nil
}

// Evict`,
			`	p.waiting.parkRanked(w, p, roleWait)
	w.value = s.owner
	p.destroy(slot)
	return true, nil
}

// Evict`,
			"Pool",
		},
		{
			"close leaves what is idle", "poolsteps.go",
			"		if p.slots[i].state == slotIdle {", "		if p.slots[i].state == slotIdle && i > 0 {",
			"Pool",
		},
		{
			"close forgets those for whom one is being made", "poolsteps.go",
			`	p.bound.settleAll(0, ErrClosed, &out)
`,
			"",
			"Pool",
		},
		{
			"what comes back to a closed pool is idle", "poolsteps.go",
			`	case p.closed:
		p.destroy(slot)
	case early != nil && (w == nil || w.Priority <= early.Priority):
`,
			`	case early != nil && (w == nil || w.Priority <= early.Priority):
`,
			"Pool",
		},
		{
			"nobody hears of the end", "poolsteps.go",
			`	*s = poolSlot{lease: s.lease}
	p.emptied(out)
`,
			`	*s = poolSlot{lease: s.lease}
`,
			"Pool",
		},
		{
			"what comes back passes those for whom another is being made", "poolsteps.go",
			"	case early != nil && (w == nil || w.Priority <= early.Priority):", "	case false:",
			"Pool",
		},
		{
			"who is being made another passes a higher priority", "poolsteps.go",
			"	case early != nil && (w == nil || w.Priority <= early.Priority):", "	case early != nil:",
			"Pool",
		},
		{
			"the end is told too early", "poolsteps.go",
			"	if p.closed && p.counts[slotFree] == len(p.slots) {", "	if p.closed {",
			"Pool",
		},
		{
			"the end of an empty pool is not told", "poolsteps.go",
			`	p.emptied(&out)
	p.effects.unlock(&p.mu, &out)
}
`,
			`	p.effects.unlock(&p.mu, &out)
}
`,
			"Pool",
		},
	}...)
}
