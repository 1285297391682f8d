package core_test

// The faults of locks, conditions and semaphores; see faults_test.go.

func init() {
	faults = append(faults, []struct {
		name      string
		file      string
		old, new  string
		exploring string
	}{
		// Priorities, in the kernel.
		{
			"a priority is ignored", "waiter.go",
			"return other.Priority < w.Priority })", "return false })",
			"RWLock",
		},
		{
			"among equals the latest goes first", "waiter.go",
			"return other.Priority < w.Priority })", "return other.Priority <= w.Priority })",
			"RWLock",
		},
		{
			"a newcomer passes its equals", "waiter.go",
			"first == nil || first.Priority < w.Priority", "first == nil || first.Priority <= w.Priority",
			"Semaphore",
		},
		{
			"who goes before another is not the one before it", "internal/waitlist/waitlist.go",
			`	n.next.prev = n
	l.n++
`,
			`	l.n++
`,
			"RWLock",
		},

		// Lock, RWLock and ReentrantLock.
		{
			"who could enter when another gave up does not", "tenancy.go",
			`		t.next(&out) // it may have stood before some who can share
`,
			"",
			"RWLock",
		},
		{
			"who shares passes one who waits to be alone", "tenancy.go",
			"t.admits(as) && t.waiting.precedes(w):", "t.admits(as):",
			"RWLock",
		},
		{
			"try overtakes those who wait", "tenancy.go",
			"case !t.admits(as) || t.waiting.Len() > 0:", "case !t.admits(as):",
			"RWLock",
		},
		{
			"a priority passes who holds", "tenancy.go",
			"case t.admits(as) && t.waiting.precedes(w):",
			"case (t.admits(as) || w.Priority > 0) && t.waiting.precedes(w):",
			"ReentrantLock",
		},
		{
			"a former tenure releases a later one", "tenancy.go",
			`	if !t.holds(tenure) {
		return ErrNotOwner
	}
	t.holders--
`,
			`	if t.holders == 0 {
		return ErrNotOwner
	}
	t.holders--
`,
			"RWLock",
		},
		{
			"nobody is told that a holder went away", "tenancy.go",
			"		t.orphaned = true\n", "",
			"RWLock",
		},
		{
			"one who shares a lock leaves it half done", "tenancy.go",
			"(t.abandoned || !t.shared)", "true",
			"RWLock",
		},
		{
			"who was told, and goes away in turn, does not pass it on", "tenancy.go",
			"(t.abandoned || !t.shared)", "!t.shared",
			"RWLock",
		},
		{
			"all are told for ever", "tenancy.go",
			"t.abandoned, t.orphaned = t.orphaned, false", "t.abandoned = t.orphaned",
			"ReentrantLock",
		},
		{
			"what is free is given back", "tenancy.go",
			"return t.holders > 0 && t.tenure == tenure", "return t.tenure == tenure",
			"ReentrantLock",
		},
		{
			"who was stolen from still holds", "tenancy.go",
			`	t.holders = 0
	t.enter(roleWait)
`,
			`	t.holders, t.shared = 1, false
`,
			"RWLock",
		},
		{
			"a thief is one more inside", "tenancy.go",
			`	t.holders = 0
	t.enter(roleWait)
`,
			`	t.enter(roleWait)
`,
			"RWLock",
		},
		{
			"only one of those who can share is let in", "tenancy.go",
			"	for w := t.waiting.Front(); w != nil && t.admits(w.role); w = t.waiting.Front() {",
			"	if w := t.waiting.Front(); w != nil && t.admits(w.role) {",
			"RWLock",
		},
		{
			"unlocking hands over to nobody", "tenancy.go",
			`	t.holders--
	t.next(out)
`,
			`	t.holders--
`,
			"ReentrantLock",
		},
		{
			"the first to leave takes out all who share", "tenancy.go",
			`	t.holders--
`,
			`	t.holders = 0
`,
			"RWLock",
		},
		{
			"who comes alone after those who shared lets others in", "tenancy.go",
			"		t.shared = as == roleShared", "		t.shared = t.shared || as == roleShared",
			"RWLock",
		},
		{
			"close takes the lock from its holder", "tenancy.go",
			`	t.closed = true
`,
			`	t.closed, t.holders = true, 0
`,
			"RWLock",
		},
		{
			"who enters again is not counted", "reentrantlock.go",
			`	l.enter(roleWait)
	return nil
`,
			`	return nil
`,
			"ReentrantLock",
		},
		{
			"a former tenure enters again", "reentrantlock.go",
			"	if !l.holds(tenure) {", "	if l.holders == 0 {",
			"ReentrantLock",
		},

		// Condition.
		{
			"the notified go on without the lock", "condition.go",
			`	c.waiting.moveRanked(w, &c.lock.waiting, roleRetake)
	c.left()
	w.err = err
	c.lock.next(out)
`,
			`	c.waiting.settle(w, c.lock.tenure, err, out)
	c.left()
`,
			"Condition",
		},
		{
			"the cancelled go on without the lock", "condition.go",
			`		c.leave(w, err, &out)
`,
			`		c.waiting.settle(w, 0, err, &out)
		c.left()
`,
			"Condition",
		},
		{
			"cancelled after the notification: the notification is lost", "condition.go",
			`	cancelled := w.parked && w.at == machine(c) && w.role == roleWait
	if cancelled {
		c.leave(w, err, &out)
	}
`,
			`	cancelled := w.parked
	if cancelled && w.role == roleWait {
		c.leave(w, err, &out)
	} else if cancelled {
		w.err = err
	}
`,
			"Condition",
		},
		{
			"a cancellation is swallowed", "condition.go",
			`	w.err = err
`,
			"",
			"Condition",
		},
		{
			"the notified overtake who waits for the lock", "waiter.go",
			`	to.insert(w)
`,
			`	to.Insert(&w.node, w, func(*Waiter) bool { return true })
`,
			"Condition",
		},
		{
			"the notified do not enter what is free", "condition.go",
			`	w.err = err
	c.lock.next(out)
`,
			`	w.err = err
`,
			"Condition",
		},
		{
			"who waits keeps the lock", "condition.go",
			`	c.lock.release(guard.tenure, &out)
`,
			"",
			"Condition",
		},
		{
			"a former tenure waits", "condition.go",
			"	case guard.over || !c.lock.holds(guard.tenure):", "	case guard.over || c.lock.holders == 0:",
			"Condition",
		},
		{
			"a condition that all have left is still listed", "condition.go",
			`		c.waiting.withdraw(w)
		c.left()
`,
			`		c.waiting.withdraw(w)
`,
			"Condition",
		},
		{
			"a condition whose last was notified is still listed", "condition.go",
			`	c.left()
	w.err = err
`,
			`	w.err = err
`,
			"Condition",
		},
		{
			"close forgets who waits to be notified", "tenancy.go",
			`		c.waiting.settleAll(0, ErrClosed, &out)
`,
			"",
			"Condition",
		},

		// Semaphore.
		{
			"those who could go on when another gave up do not", "semaphore.go",
			`		s.next(&out) // it may have wanted more than those behind it
`,
			"",
			"Semaphore",
		},
		{
			"a newcomer overtakes those who want more", "semaphore.go",
			"	case n <= s.size-s.held && s.waiting.precedes(w):", "	case n <= s.size-s.held:",
			"Semaphore",
		},
		{
			"who waits for permits already is told that it waits", "semaphore.go",
			`	case w.parked:
		err = ErrParked
`,
			`	case w.parked:
		parks = true
`,
			"Semaphore",
		},
		{
			"of what is closed more is taken", "tenancy.go",
			`	case t.closed:
		err = ErrClosed
	case !t.admits`,
			"	case !t.admits",
			"RWLock",
		},
		{
			"a former tenure holds what a later one does", "tenancy.go",
			"	holds := t.holds(tenure)\n", "	holds := t.holders > 0\n",
			"ReentrantLock",
		},
		{
			"try overtakes those who want more", "semaphore.go",
			"	case n > s.size-s.held || s.waiting.Len() > 0:", "	case n > s.size-s.held:",
			"Semaphore",
		},
		{
			"who wants few passes who wants many", "semaphore.go",
			"	for w := s.waiting.Front(); w != nil && int(w.value) <= s.size-s.held; w = s.waiting.Front() {",
			`	fits := func() (fit *Waiter) {
		s.waiting.Each(func(w *Waiter) {
			if fit == nil && int(w.value) <= s.size-s.held {
				fit = w
			}
		})
		return fit
	}
	for w := fits(); w != nil; w = fits() {`,
			"Semaphore",
		},
		{
			"what is handed over is not booked", "semaphore.go",
			`		s.held += int(w.value)
`,
			"",
			"Semaphore",
		},
		{
			"more can be given back than was taken", "semaphore.go",
			"	over := *n == 0 || *n > s.held", "	over := *n == 0",
			"Semaphore",
		},
		{
			"growing wakes by what was added, not by what is spare", "semaphore.go",
			`		s.size = permits
		s.failTooLarge(&out)
		s.next(&out)
`,
			`		added := permits - s.size
		s.size = permits
		s.failTooLarge(&out)
		for w := s.waiting.Front(); w != nil && int(w.value) <= added; w = s.waiting.Front() {
			added -= int(w.value)
			s.held += int(w.value)
			s.waiting.settle(w, w.value, nil, &out)
		}
`,
			"Semaphore",
		},
		{
			"shrinking takes what is held", "semaphore.go",
			"		s.size = permits", "		s.size, s.held = permits, min(s.held, permits)",
			"Semaphore",
		},
		{
			"who wants more than there will ever be waits", "semaphore.go",
			`		s.failTooLarge(&out)
`,
			"",
			"Semaphore",
		},
	}...)
}
