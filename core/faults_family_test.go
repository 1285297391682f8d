package core_test

// The faults that are planted into Event, CountdownLatch, Barrier, Once and Queue, and into what they stand on.
func init() {
	type fault = struct {
		name      string
		file      string
		old, new  string
		exploring string
	}
	faults = append(faults, []fault{
		// Event.
		{
			"set wakes one alone", "event.go",
			`		n = e.waiting.settleAll(0, nil, &out)
`,
			`		if w := e.waiting.Front(); w != nil {
			e.waiting.settle(w, 0, nil, &out)
			n = 1
		}
`,
			"Event",
		},
		{
			"clear takes back the wakes that are on their way", "event.go",
			`		n = e.waiting.settleAll(0, nil, &out)
`,
			`		n = e.waiting.Len()
		for w := e.waiting.Front(); w != nil && e.set; w = e.waiting.Front() {
			e.waiting.settle(w, 0, nil, &out)
			e.mu.Unlock()
			out.wake()
			e.mu.Lock()
		}
`,
			"Event",
		},
		{
			"who passes takes the event with it", "event.go",
			`	parks := !closed && !again && !e.set
`,
			`	parks := !closed && !again && !e.set
	e.set = e.set && (closed || again)
`,
			"Event",
		},
		{
			"who waits for an event already passes", "event.go",
			`	case again:
		return false, ErrParked
`,
			"",
			"Event",
		},
		{
			"what is closed is waited for", "event.go",
			"	parks := !closed && !again && !e.set\n", "	parks := !again && !e.set\n",
			"Event",
		},
		{
			"an event counts those who stand for several as one", "event.go",
			"e.waiting.callers()", "e.waiting.Len()",
			"Event",
		},
		{
			"a latch counts those who stand for several as one", "countdownlatch.go",
			"l.waiting.callers()", "l.waiting.Len()",
			"CountdownLatch",
		},
		{
			"what is set is set again", "event.go",
			"	if !e.set && !e.closed {", "	if !e.closed {",
			"Event",
		},
		{
			"what is closed is set", "event.go",
			"	if !e.set && !e.closed {", "	if !e.set {",
			"Event",
		},
		{
			"what was set when it was closed stays set", "event.go",
			"	e.closed, e.set = true, false\n", "	e.closed = true\n",
			"Event",
		},

		// CountdownLatch.
		{
			"the latch opens early", "countdownlatch.go",
			"		if l.remaining == 0 {", "		if l.remaining <= 1 {",
			"CountdownLatch",
		},
		{
			"the latch does not open", "countdownlatch.go",
			`			l.waiting.settleAll(0, nil, &out)
`,
			"",
			"CountdownLatch",
		},
		{
			"counting down by too much opens it", "countdownlatch.go",
			`		err = ErrOverRelease
`,
			`		err = ErrOverRelease
		l.remaining = 0
		l.waiting.settleAll(0, nil, &out)
`,
			"CountdownLatch",
		},
		{
			"who comes to an open latch waits", "countdownlatch.go",
			`	case l.remaining == 0:
		return false, nil
`,
			"",
			"CountdownLatch",
		},
		{
			"close lets those pass who wait", "countdownlatch.go",
			"	l.waiting.settleAll(0, ErrClosed, &out)\n", "	l.waiting.settleAll(0, nil, &out)\n",
			"CountdownLatch",
		},

		// Barrier.
		{
			"one is not waited for", "barrier.go",
			"if b.action == nil && b.waiting.Len() == b.parties-1 {", "if b.action == nil && b.waiting.Len() >= b.parties-2 {",
			"Barrier",
		},
		{
			"indices begin at 1", "barrier.go",
			"	index := uint64(b.waiting.Len() % b.parties)\n", "	index := uint64(b.waiting.Len()%b.parties) + 1\n",
			"Barrier",
		},
		{
			"the last to come has the index of another", "barrier.go",
			`		w.value = index
		b.passes`,
			`		w.value = 0
		b.passes`,
			"Barrier",
		},
		{
			"who comes back early is counted with those who still leave", "barrier.go",
			`		b.passes(&b.waiting, &out)
`,
			`		for n := b.waiting.Len(); n > 0; n-- {
			w := b.waiting.Front()
			b.waiting.settle(w, w.value, nil, &out)
			b.mu.Unlock()
			out.wake()
			b.mu.Lock()
		}
`,
			"Barrier",
		},
		{
			"a cancelled party does not break it", "barrier.go",
			`	b.breaks(ErrBroken, b.full(), &out)
`,
			"",
			"Barrier",
		},
		{
			"the next to come has forgotten that it is broken", "barrier.go",
			`	b.broken = err
`,
			"",
			"Barrier",
		},
		{
			"reset forgets those who wait", "barrier.go",
			`		n = b.waiting.settleAll(0, ErrBroken, &out)
`,
			`		n = b.waiting.Len()
`,
			"Barrier",
		},
		{
			"reset does not mend it", "barrier.go",
			`		b.resets++
		b.broken = nil
`,
			`		b.resets++
`,
			"Barrier",
		},
		{
			"a cancellation counts while the action runs", "barrier.go",
			`	if !w.parked || w.role == roleBound || b.isFull(w) {
		b.mu.Unlock()
		return false
	}
`,
			`	if !w.parked {
		b.mu.Unlock()
		return false
	}
	if w.role == roleBound {
		b.leaving.withdraw(w)
		b.mu.Unlock()
		return true
	}
`,
			"Barrier",
		},
		{
			"two actions run at once", "barrier.go",
			"	if b.waiting.Len() < b.parties || b.leaving.Len() > 0 {", "	if b.waiting.Len() < b.parties {",
			"Barrier",
		},
		{
			"a generation that was full while an action ran waits for ever", "barrier.go",
			`	b.act()
	b.mu.Unlock()
	out.wake()
}
`,
			`	b.mu.Unlock()
	out.wake()
}
`,
			"Barrier",
		},
		{
			"a failed action lets everybody pass", "barrier.go",
			`		b.leaving.settleAll(0, &brokenBy{err}, &out)
`,
			`		b.passes(&b.leaving, &out)
`,
			"Barrier",
		},
		{
			"a failed action breaks nothing", "barrier.go",
			`			b.breaks(&brokenBy{err}, 0, &out)
`,
			"",
			"Barrier",
		},
		{
			"a failed action breaks what was reset since", "barrier.go",
			"		if b.resets == resets {", "		if true {",
			"Barrier",
		},
		{
			"one leaves a generation that is full", "barrier.go",
			" || b.isFull(w) {", " {",
			"Barrier",
		},
		{
			"a failed action breaks what is closed", "barrier.go",
			"	if b.closed {\n		return\n	}\n	b.broken = err", "	b.broken = err",
			"Barrier",
		},

		// Once.
		{
			"a failed run is kept", "sharedtask.go",
			`			if err != nil && t.Retry {
				t.state, t.err = TaskIdle, nil
			}
`,
			"",
			"Once",
		},
		{
			"a result is forgotten", "sharedtask.go",
			"			if err != nil && t.Retry {", "			if t.Retry {",
			"Once",
		},
		{
			"those who waited for a failed run think that it succeeded", "sharedtask.go",
			"			t.waiting.settleAll(run, err, &out)\n", "			t.waiting.settleAll(run, t.err, &out)\n",
			"Once",
		},

		// Queue.
		{
			"cancelled after the grant: the item is lost", "queue.go",
			`	if !w.parked {
		return false
	}
	switch w.role {`,
			`	if !w.parked {
		return true
	}
	switch w.role {`,
			"Queue",
		},
		{
			"what is put back is the last to be taken", "queue.go",
			"			q.items.PutBack(e)\n", "			q.items.Push(e)\n",
			"Queue",
		},
		{
			"what is put back passes by those who wait", "queue.go",
			"	for w := q.getting.Front(); w != nil && q.items.Len() > 0; w = q.getting.Front() {",
			"	for w := q.getting.Front(); w != nil && false; w = q.getting.Front() {",
			"Queue",
		},
		{
			"of two that are put back one passes by those who wait", "queue.go",
			"	for w := q.getting.Front(); w != nil && q.items.Len() > 0; w = q.getting.Front() {",
			"	if w := q.getting.Front(); w != nil && q.items.Len() > 0 {",
			"Queue",
		},
		{
			"what is put back after CloseNow stays", "queue.go",
			"		if e := q.release(claim); emptied {", "		if e := q.release(claim); false {",
			"Queue",
		},
		{
			"what is put back together changes places", "queue.go",
			"q.hand(a).entry.Compare(q.hand(b).entry)", "q.hand(b).entry.Compare(q.hand(a).entry)",
			"Queue",
		},
		{
			"two that are put back change places", "internal/backlog/backlog.go",
			"		if b.ring[next].seq > e.seq {", "		if true {",
			"Queue",
		},
		{
			"an item that was handed over has no place to go back to", "queue.go",
			"q.getting.settle(w, q.hold(q.items.Stamp(e)), nil, out)", "q.getting.settle(w, q.hold(e), nil, out)",
			"Queue",
		},
		{
			"an item that waited has no place to go back to", "queue.go",
			"e = q.items.Stamp(q.accept(out))", "e = q.accept(out)",
			"Queue",
		},
		{
			"room is not given to those who wait to put", "queue.go",
			`		for q.items.Len() < q.capacity && q.putting.Len() > 0 {
			q.items.Push(q.accept(out))
		}
`,
			"",
			"Queue",
		},
		{
			"the capacity is exceeded by one", "queue.go",
			"	} else if q.items.Len() < q.capacity {", "	} else if q.items.Len() <= q.capacity {",
			"Queue",
		},
		{
			"a put goes to the line although somebody waits to get", "queue.go",
			"	if w := q.getting.Front(); w != nil {\n		q.getting.settle(w, q.hold(",
			"	if w := q.getting.Front(); w != nil && q.capacity == 0 {\n		q.getting.settle(w, q.hold(",
			"Queue",
		},
		{
			"a put that waited overtakes the line", "queue.go",
			"	case q.items.Len() > 0:\n", "	case q.items.Len() > 0 && q.putting.Len() == 0:\n",
			"Queue",
		},
		{
			"the items of two who wait to put are mixed up", "queue.go",
			"		q.release(w.value)\n		q.putting.withdraw(w)\n",
			"		q.release(q.putting.Front().value)\n		q.putting.withdraw(w)\n",
			"Queue",
		},
		{
			"the item of a cancelled put is kept", "queue.go",
			"		q.release(w.value)\n		q.putting.withdraw(w)\n", "		q.putting.withdraw(w)\n",
			"Queue",
		},
		{
			"close leaves those who wait to get", "queue.go",
			"	q.getting.settleAll(0, ErrClosed, out) // there is no item where somebody waits for one\n", "",
			"Queue",
		},
		{
			"close drops what is in the queue", "queue.go",
			"	q.close(&out)\n	q.mu.Unlock()\n", "	q.close(&out)\n	q.items.Take()\n	q.mu.Unlock()\n",
			"Queue",
		},
		{
			"what is closed cannot be taken from", "queue.go",
			"	switch {\n	case q.items.Len() > 0:\n", "	switch {\n	case q.closed:\n		err = ErrClosed\n	case q.items.Len() > 0:\n",
			"Queue",
		},
		{
			"join ends early", "queue.go",
			"	if q.unfinished == 0 {\n		q.joining", "	if q.unfinished <= 1 {\n		q.joining",
			"Queue",
		},
		{
			"join does not end", "queue.go",
			"		q.joining.settleAll(0, nil, out)\n", "",
			"Queue",
		},
		{
			"CloseNow leaves those in Join whose items others have", "queue.go",
			"	q.joining.settleAll(0, nil, &out)\n", "",
			"Queue",
		},
		{
			"a put that waited needs no TaskDone", "queue.go",
			"	q.putting.settle(w, 0, nil, out)\n	q.unfinished++\n", "	q.putting.settle(w, 0, nil, out)\n",
			"Queue",
		},
		{
			"more is done than was put", "queue.go",
			"	over := q.unfinished == 0\n", "	over := q.unfinished < 0\n",
			"Queue",
		},

		// The order of items.
		{
			"a stack is a line", "internal/backlog/backlog.go",
			"	if b.Order == Stack {", "	if false {",
			"Queue",
		},
		{
			"the lowest priority goes first", "internal/backlog/backlog.go",
			"x.priority > y.priority ||", "x.priority < y.priority ||",
			"Queue",
		},
		{
			"of equals the latest goes first", "internal/backlog/backlog.go",
			"&& x.seq < y.seq", "&& x.seq > y.seq",
			"Queue",
		},
		{
			"half a heap is put in order", "internal/backlog/backlog.go",
			"child <= 2*at+2 &&", "child <= 2*at+1 &&",
			"internal/backlog/Backlog",
		},
		{
			"a ring that wraps is cut when it grows", "internal/backlog/backlog.go",
			`	copy(larger[copied:], b.ring[:b.start])
`,
			`	_ = copied
`,
			"internal/backlog/Backlog",
		},
		{
			"a heap begins where a ring did", "internal/backlog/backlog.go",
			"b.Order, b.start = order, 0", "b.Order = order",
			"Queue",
		},
		{
			"what holds items becomes another", "queue.go",
			"	if q.items.Len() > 0 || q.putting.Len() > 0 {\n		return false\n", "	if q.putting.Len() > 0 {\n		return false\n",
			"Queue",
		},
		{
			"a ring that has grown begins where it did", "internal/backlog/backlog.go",
			"	b.ring, b.start = larger, 0\n", "	b.ring = larger\n",
			"internal/backlog/Backlog",
		},
		{
			"what was taken is referred to", "internal/backlog/backlog.go",
			"		e, b.ring[at] = b.ring[at], Entry[T]{}\n", "		e = b.ring[at]\n",
			"internal/backlog/Backlog",
		},

		// The insertion by rank, on which all priorities stand.
		{
			"who is inserted goes behind the first that yields", "internal/waitlist/waitlist.go",
			"	for before != nil && yields(before.of) {", "	if before != nil && yields(before.of) {",
			"internal/waitlist/List",
		},
		{
			"who is inserted in the middle cannot be found from the end", "internal/waitlist/waitlist.go",
			`	n.next.prev = n
`,
			"",
			"internal/waitlist/List",
		},
		{
			"who is inserted first is not the front", "internal/waitlist/waitlist.go",
			"		n.next, l.head = l.head, n\n", "		n.next = l.head\n",
			"internal/waitlist/List",
		},
	}...)
}
