package core

import "fmt"

// inOrderKeeping is inOrder for those who keep something in their value while they stand in q.
func (q *queue) inOrderKeeping(at machine, as role, keeps func(w *Waiter) bool) (broken string) {
	n := 0
	q.Each(func(w *Waiter) {
		n++
		if !w.parked || w.at != at || w.role != as || w.err != nil || !keeps(w) {
			broken = fmt.Sprintf("a waiter in the queue of role %d is not parked there, or with a wrong value", as)
		}
	})
	if n != q.Len() {
		return fmt.Sprintf("queue of role %d: %d stand in it, %d are counted", as, n, q.Len())
	}
	return broken
}

func (e *Event) Broken() string {
	defer e.Enter()()
	return first(
		e.waiting.inOrder(e, roleWait),
		must(e.waiting.Len() == 0 || !e.set, "nobody waits while it is set"),
		must(!e.closed || e.waiting.Len() == 0 && !e.set, "closed is not set, and nobody waits on it"),
	)
}

func (l *CountdownLatch) Broken() string {
	defer l.Enter()()
	return first(
		l.waiting.inOrder(l, roleWait),
		must(l.remaining >= 0, "no less than zero remains"),
		must(l.waiting.Len() == 0 || l.remaining > 0, "nobody waits at zero"),
		must(!l.closed || l.waiting.Len() == 0, "nobody waits on what is closed"),
	)
}

func (b *Barrier) Broken() string {
	defer b.Enter()()
	// Each has its index of arrival: 0, 1, 2 and so on, anew in each generation.
	arrived := func() func(*Waiter) bool {
		next := -1
		return func(w *Waiter) bool { next++; return w.value == uint64(next%b.parties) }
	}
	return first(
		b.waiting.inOrderKeeping(b, roleWait, arrived()),
		b.leaving.inOrderKeeping(b, roleBound, arrived()),
		must(b.waiting.Len() < b.parties || b.leaving.Len() > 0, "who waits is fewer than the parties"),
		must(b.leaving.Len() == 0 || b.leaving.Len() == b.parties, "a full generation leaves"),
		must(b.leaving.Len() == 0 || b.action != nil, "one leaves later only where there is an action"),
		must(b.waiting.Len() == 0 || b.broken == nil || b.leaving.Len() > 0, "nobody waits at what is broken, unless full"),
		must(!b.closed || b.waiting.Len() == 0 && b.broken == nil, "nobody waits at what is closed"),
	)
}

// Held returns how many items are outside of the line: of those who wait to put, and claimed.
func (q *Queue[T]) Held() int {
	defer q.Enter()()
	return len(q.hands) - len(q.free)
}

func (q *Queue[T]) Broken() string {
	defer q.Enter()()
	taken := make([]bool, len(q.hands))
	for _, place := range q.free {
		taken[place] = true
	}
	own := func(w *Waiter) bool {
		place := uint32(w.value)
		if q.hand(w.value) == nil || taken[place] {
			return false
		}
		taken[place] = true
		return true
	}
	return first(
		q.getting.inOrder(q, roleWait),
		q.putting.inOrderKeeping(q, rolePut, own),
		q.joining.inOrder(q, roleJoin),
		must(q.getting.Len() == 0 || q.items.Len() == 0, "who waits to get finds no item"),
		must(q.getting.Len() == 0 || q.putting.Len() == 0, "who waits to get finds nobody who puts"),
		must(q.putting.Len() == 0 || q.items.Len() >= q.capacity, "who waits to put finds the queue full"),
		must(q.joining.Len() == 0 || q.unfinished > 0, "who joins waits for something"),
		must(!q.closed || q.getting.Len() == 0 && q.putting.Len() == 0, "nobody waits to get or put on what is closed"),
		must(!q.emptied || q.closed && q.items.Len() == 0, "what CloseNow has emptied stays empty"),
	)
}

func (o *Once[T]) Steps() *TaskSteps { return &o.task.steps }
