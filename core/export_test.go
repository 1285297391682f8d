package core

import "fmt"

// This file opens to the tests what no user should touch: the steps that only the blocking face takes, and the
// invariants that the machines state in their comments.

func (t *TaskSteps) Leave(w *Waiter) (left, cleanup bool) { return t.leave(w) }

func (r *ResourceSteps) Leave(w *Waiter) (left, cleanup bool) { return r.leave(w) }

func (r *ResourceSteps) ReleaseAndPark(run uint64, w *Waiter) (last bool, err error) {
	return r.release(run, w)
}

func (t *SharedTask[T]) Steps() *TaskSteps { return &t.steps }

func (r *SharedResource[T]) Steps() *ResourceSteps { return &r.steps }

// Enter is what every call does first, and returns what it does last.
func (g *gate) Enter() (leave func()) {
	g.mu.Lock()
	return g.mu.Unlock
}

// inOrder says what is wrong with those who stand in q, which belongs to at.
func (q *queue) inOrder(at machine, as role) (broken string) {
	n, others := 0, 0
	q.Each(func(w *Waiter) {
		n++
		others += int(w.Others)
		if !w.parked || w.at != at || w.role != as || w.err != nil || w.value != 0 {
			broken = fmt.Sprintf("a waiter in the queue of role %d is not parked there", as)
		}
	})
	if n != q.Len() || others != q.others {
		return fmt.Sprintf("queue of role %d: %d and %d others stand in it, %d and %d are counted",
			as, n, others, q.Len(), q.others)
	}
	return broken
}

// first returns the first of some findings.
func first(broken ...string) string {
	for _, b := range broken {
		if b != "" {
			return b
		}
	}
	return ""
}

// must is a finding unless ok.
func must(ok bool, invariant string) string {
	if ok {
		return ""
	}
	return "broken: " + invariant
}

// Broken returns an invariant that does not hold, or "".
func (s *Signal) Broken() string {
	defer s.Enter()()
	return first(
		s.waiting.inOrder(s, roleWait),
		must(!s.closed || s.waiting.Len() == 0, "nobody waits on what is closed"),
	)
}

func (c *Checkpoint) Broken() string {
	defer c.Enter()()
	return first(
		c.arming.inOrder(c, roleArm),
		c.waiting.inOrder(c, roleWait),
		c.watching.inOrder(c, roleWatch),
		must((c.arming.Len() == 1) == (c.state == Armed), "an Arm waits exactly in Armed"),
		must(c.arming.Len() <= 1, "one Arm at a time"),
		must(c.waiting.Len() == 0 || c.state == Holding, "callers are parked only in Holding"),
		must(c.watching.Len() == 0 || c.state == Disarmed, "who watches waits only in Disarmed"),
		must(!c.closed || c.state == Disarmed && c.watching.Len() == 0, "closed is Disarmed, and nobody watches it"),
	)
}

func (t *TaskSteps) Broken() string {
	defer t.Enter()()
	return first(
		t.waiting.inOrder(t, roleWait),
		t.cleanup.inOrder(t, roleCleanup),
		must(t.state != TaskRunning || t.waiting.Len() > 0, "Running has somebody who waits"),
		must(t.waiting.Len() == 0 || t.state == TaskRunning || t.state == TaskStopping, "one waits for a live run"),
		must(t.cleanup.Len() == 0 || t.state == TaskStopping, "the last leaver waits in Stopping"),
		must(!t.closed || t.state == TaskIdle || t.state == TaskStopping, "closed keeps nothing"),
		must(!t.closed || t.waiting.Len() == 0, "nobody waits on what is closed"),
		must(!t.effects.running && len(t.effects.queue) == 0, "nothing is owed after a step"),
	)
}

func (r *ResourceSteps) Broken() string {
	defer r.Enter()()
	return first(
		r.waiting.inOrder(r, roleWait),
		r.cleanup.inOrder(r, roleCleanup),
		must(r.state != ResourceStarting || r.waiting.Len() > 0, "Starting has somebody who waits"),
		must((r.state == ResourceLive) == (r.held > 0), "Live has somebody who holds"),
		must(r.waiting.Len() == 0 || r.state != ResourceLive, "nobody waits in Live"),
		must(r.waiting.Len() == 0 || r.state != ResourceIdle, "nobody waits in Idle"),
		must(r.cleanup.Len() == 0 || r.state == ResourceCancelling || r.state == ResourceStopping,
			"the last leaver waits for a clean-up"),
		must(!r.closed || r.waiting.Len() == 0 && r.state != ResourceStarting, "nobody waits on what is closed"),
		must(!r.effects.running && len(r.effects.queue) == 0, "nothing is owed after a step"),
	)
}
