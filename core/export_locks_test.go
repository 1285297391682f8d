package core

import "fmt"

// What the tests need to know of locks, conditions and semaphores; see export_test.go.

// IsParked says whether w is parked: its priority may not be changed then.
func (w *Waiter) IsParked() bool { return w.parked }

// inLine says what is wrong with those who stand in q, in which priority counts; each also has to be as right says.
func (q *queue) inLine(right func(*Waiter) bool) (broken string) {
	n := 0
	var last *Waiter
	q.Each(func(w *Waiter) {
		n++
		if !w.parked || !right(w) {
			broken = "a waiter in the line is not parked there"
		}
		if last != nil && last.Priority < w.Priority {
			broken = "a waiter stands before one of a higher priority"
		}
		last = w
	})
	if n != q.Len() {
		return fmt.Sprintf("%d stand in the line, %d are counted", n, q.Len())
	}
	return broken
}

// Broken returns an invariant that does not hold, or "".
func (t *tenancy) Broken() string {
	defer t.Enter()()
	here := func(w *Waiter) bool {
		if w.role != roleRetake {
			return w.at == t && w.err == nil && w.value == 0
		}
		c, ok := w.at.(*Condition)
		return ok && &c.lock.tenancy == t && w.value == 0
	}
	head := t.waiting.Front()
	found, listed := 0, ""
	t.conditions.Each(func(c *Condition) {
		found++
		listed = first(listed,
			must(&c.lock.tenancy == t, "a lock lists its own conditions"),
			must(c.waiting.Len() > 0, "a lock lists conditions that somebody waits on"),
			c.waiting.inOrder(c, roleWait))
	})
	return first(
		t.waiting.inLine(here),
		must(t.holders >= 0, "no fewer than none are inside"),
		must(t.holders > 0 || head == nil, "nobody waits while it is free"),
		must(head == nil || !t.admits(head.role), "who waits first cannot enter"),
		must(!t.closed || head == nil && found == 0, "nobody waits on what is closed"),
		must(found == t.conditions.Len(), "conditions are counted"),
		listed,
	)
}

func (c *Condition) Broken() string {
	defer c.lock.Enter()()
	listed := false
	c.lock.conditions.Each(func(other *Condition) { listed = listed || other == c })
	return first(
		c.waiting.inOrder(c, roleWait),
		must(listed == (c.waiting.Len() > 0), "the lock knows the conditions that somebody waits on"),
	)
}

func (s *Semaphore) Broken() string {
	defer s.Enter()()
	head := s.waiting.Front()
	return first(
		s.waiting.inLine(func(w *Waiter) bool {
			return w.at == s && w.role == roleWait && w.err == nil && w.value > 0 && w.value <= uint64(s.size)
		}),
		must(s.held >= 0, "no fewer than none are out"),
		must(head == nil || int(head.value) > s.size-s.held, "who waits first wants more than is available"),
		must(!s.closed || head == nil, "nobody waits on what is closed"),
	)
}
