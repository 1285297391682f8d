package core_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The tests of the tests: each fault below is planted into a copy of the sources, and the exploration named with it
// must then fail with a trace. The copy exists only as an overlay of the build, see plant_test.go.
var faults = []struct {
	name      string
	file      string
	old, new  string
	exploring string // or a package's directory and that
}{
	// The kernel.
	{
		"who withdraws stays in the list", "waiter.go",
		`	w.parked = false
	q.remove(w)
`,
		`	w.parked = false
`,
		"Signal",
	},
	{
		"who stands for several counts as one", "waiter.go",
		"func (q *queue) callers() int { return q.Len() + q.others }",
		"func (q *queue) callers() int { return q.Len() }",
		"Signal",
	},
	{
		"who stands for several counts as one among the woken", "waiter.go",
		"	n := q.callers()\n", "	n := q.Len()\n",
		"Event",
	},
	{
		"who stands for several is counted twice", "waiter.go",
		`	q.others += int(w.Others)
	q.Push(&w.node, w)
`,
		`	q.others += 2 * int(w.Others)
	q.Push(&w.node, w)
`,
		"CountdownLatch",
	},
	{
		"who stands for several leaves the others behind", "waiter.go",
		`	q.others -= int(w.Others)
`,
		"",
		"Checkpoint",
	},
	{
		"those who were woken are counted still", "waiter.go",
		`	q.others = 0
`,
		"",
		"Event",
	},
	{
		"the settled are woken twice", "waiter.go",
		`		w.Waker.Wake()
`,
		`		w.Waker.Wake()
		w.Waker.Wake()
`,
		"Signal",
	},
	{
		"only one of the settled is woken", "waiter.go",
		"	for w := s.Pop(); w != nil; w = s.Pop() {", "	if w := s.Pop(); w != nil {",
		"Signal",
	},
	{
		"the settled are still parked", "waiter.go",
		"q.Each(func(w *Waiter) { w.parked, w.value, w.err = false, value, err })",
		"q.Each(func(w *Waiter) { w.value, w.err = value, err })",
		"Signal",
	},
	{
		"a waiter that is used again keeps its old error", "waiter.go",
		`	w.value, w.err = 0, nil
`,
		"",
		"SharedResource",
	},
	{
		"the latest overtakes", "internal/waitlist/waitlist.go",
		`	n.of, n.prev = of, l.tail
	if l.tail == nil {
		l.head = n
	} else {
		l.tail.next = n
	}
	l.tail = n
`,
		`	n.of, n.next = of, l.head
	if l.head == nil {
		l.tail = n
	} else {
		l.head.prev = n
	}
	l.head = n
`,
		"Signal",
	},
	{
		"who leaves takes along all that came earlier", "internal/waitlist/waitlist.go",
		`		n.prev.next = n.next
`,
		`		l.head = n.next
`,
		"Signal",
	},
	{
		"who leaves from the end cuts the list off", "internal/waitlist/waitlist.go",
		`		l.tail = n.prev
`,
		"",
		"Signal",
	},
	{
		"the runner hears the latest first", "effects.go",
		"e.queue = append(e.queue, f)", "e.queue = append([]func(){f}, e.queue...)",
		"SharedTask",
	},
	{
		"the runner is called while it is being called", "effects.go",
		"len(e.queue) > 0 && !e.running", "len(e.queue) > 0",
		"SharedResource",
	},

	// Signal.
	{
		"cancelled after the grant: both are told that they won", "signal.go",
		`	if !w.parked {
		return false
	}
	s.waiting.withdraw(w)`,
		`	if w.parked {
		s.waiting.withdraw(w)
	}`,
		"Signal",
	},
	{
		"a broadcast wakes those who arrive while it goes on", "signal.go",
		`	n := s.waiting.settleAll(0, nil, &out)
	s.signals++
`,
		`	n := 0
	for w := s.waiting.Front(); w != nil && n < 9; w = s.waiting.Front() {
		s.waiting.withdraw(w)
		out.Push(&w.node, w)
		s.mu.Unlock()
		out.wake()
		s.mu.Lock()
		n++
	}
	s.signals++
`,
		"Signal",
	},
	{
		"the first to leave takes the others with it", "signal.go",
		`	s.waiting.withdraw(w)
`,
		`	if s.waiting.Front() == w {
		s.waiting.Take()
		w.parked = false
	} else {
		s.waiting.withdraw(w)
	}
`,
		"Signal",
	},
	{
		"a signal that finds nobody is remembered", "signal.go",
		`	if !closed && !again {
		s.waiting.park(w, s, roleWait)
	}`,
		`	if !closed && !again {
		if s.signals > s.woken && s.waiting.Len() == 0 {
			s.mu.Unlock()
			return false, nil
		}
		s.waiting.park(w, s, roleWait)
	}`,
		"Signal",
	},
	{
		"close forgets those who wait", "signal.go",
		`	s.waiting.settleAll(0, ErrClosed, &out)
`,
		"",
		"Signal",
	},

	// Checkpoint.
	{
		"the first to leave lets the others through", "checkpoint.go",
		`		c.waiting.withdraw(w)
`,
		`		head := c.waiting.Front() == w
		c.waiting.withdraw(w)
		if head {
			var out wakes
			c.resume(&out)
			defer out.wake()
		}
`,
		"Checkpoint",
	},
	{
		"the last to leave disarms", "checkpoint.go",
		`		c.waiting.withdraw(w)
`,
		`		c.waiting.withdraw(w)
		if c.waiting.Len() == 0 {
			c.state = Disarmed
		}
`,
		"Checkpoint",
	},
	{
		"arm is accepted in Holding", "checkpoint.go",
		`	case c.state != Disarmed:
		err =`,
		`	case c.state == Armed:
		err =`,
		"Checkpoint",
	},
	{
		"a cancelled arm leaves Armed", "checkpoint.go",
		`		c.state = Disarmed
		c.arming.withdraw(w)
`,
		`		c.arming.withdraw(w)
`,
		"Checkpoint",
	},
	{
		"arm hears nothing of who parks", "checkpoint.go",
		`	c.arming.settleAll(c.generation, nil, &out)
`,
		"",
		"Checkpoint",
	},
	{
		"resume leaves Holding", "checkpoint.go",
		`	c.state = Disarmed
	n := c.waiting`,
		"	n := c.waiting",
		"Checkpoint",
	},
	{
		"resume disarms in Armed", "checkpoint.go",
		`	if c.state != Holding {
		return 0
	}
	c.state = Disarmed
`,
		`	if c.state == Disarmed {
		return 0
	}
	c.state = Disarmed
	c.arming.settleAll(0, ErrDisarmed, out)
`,
		"Checkpoint",
	},
	{
		"an old generation resumes a later one", "checkpoint.go",
		"	if c.generation == generation {", "	if c.generation >= generation {",
		"Checkpoint",
	},
	{
		"disarm breaks a hold", "checkpoint.go",
		`	disarmed := c.state == Armed
`,
		`	disarmed := c.state != Disarmed
`,
		"Checkpoint",
	},
	{
		"close leaves the waiting arm", "checkpoint.go",
		`	c.arming.settleAll(0, ErrClosed, &out)
`,
		"",
		"Checkpoint",
	},
	{
		"close leaves those who watch", "checkpoint.go",
		`	c.watching.settleAll(0, ErrClosed, &out)
`,
		"",
		"Checkpoint",
	},
	{
		"arm tells nobody who watches", "checkpoint.go",
		`		c.watching.settleAll(0, nil, &out)
`,
		"",
		"Checkpoint",
	},
	{
		"arm tells only one of those who watch", "checkpoint.go",
		`		c.watching.settleAll(0, nil, &out)
`,
		`		if w := c.watching.Front(); w != nil {
			c.watching.settle(w, 0, nil, &out)
		}
`,
		"Checkpoint",
	},
	{
		"who watches is told before it is armed, and passes", "checkpoint.go",
		`		c.state = Armed
		c.generation++
`,
		`		c.watching.settleAll(0, nil, &out)
		c.mu.Unlock()
		out.wake()
		c.mu.Lock()
		c.state = Armed
		c.generation++
`,
		"Checkpoint",
	},
	{
		"who watches is told by resume", "checkpoint.go",
		`	case c.state != Disarmed:
		return false, nil
	}
	c.watching.park(w, c, roleWatch)
`,
		`	case c.state != Disarmed:
		c.waiting.park(w, c, roleWatch)
		return true, nil
	}
	c.watching.park(w, c, roleWatch)
`,
		"Checkpoint",
	},
	{
		"who watches what is armed waits for the next arm", "checkpoint.go",
		`	case c.state != Disarmed:
		return false, nil
`,
		"",
		"Checkpoint",
	},
	{
		"who watches counts as one who is parked", "checkpoint.go",
		"return CheckpointStats{c.state, c.waiting.callers(),",
		"return CheckpointStats{c.state, c.waiting.callers() + c.watching.callers(),",
		"Checkpoint",
	},
	{
		"who stops watching is told all the same", "checkpoint.go",
		`		c.watching.withdraw(w)
`,
		`		w.parked = false
`,
		"Checkpoint",
	},
	{
		"the first to stop watching takes the others with it", "checkpoint.go",
		`		c.watching.withdraw(w)
`,
		`		if c.watching.Front() == w {
			c.watching.Take()
			w.parked = false
		} else {
			c.watching.withdraw(w)
		}
`,
		"Checkpoint",
	},
	{
		"an arm that is refused tells those who watch", "checkpoint.go",
		`		c.watching.settleAll(0, nil, &out)
	}
`,
		`	}
	c.watching.settleAll(0, nil, &out)
`,
		"Checkpoint",
	},
	{
		"a checkpoint counts those who stand for several as one", "checkpoint.go",
		"c.waiting.callers()", "c.waiting.Len()",
		"Checkpoint",
	},
	{
		"resume counts those who stand for several as one", "checkpoint.go",
		`	n := c.waiting.settleAll(0, nil, out)
`,
		`	n := c.waiting.Len()
	c.waiting.settleAll(0, nil, out)
`,
		"Checkpoint",
	},

	// SharedTask.
	{
		"two runs are live at once", "sharedtask.go",
		`	t.waiting.park(w, t, roleWait)
	if t.state == TaskIdle {`,
		`	t.waiting.park(w, t, roleWait)
	if t.state != TaskRunning {`,
		"SharedTask",
	},
	{
		"a newcomer gets the cancellation of the old run", "sharedtask.go",
		`	t.cleanup.settleAll(t.run, err, out)
`,
		`	t.cleanup.settleAll(t.run, err, out)
	t.waiting.settleAll(t.run, err, out)
`,
		"SharedTask",
	},
	{
		"who came during the clean-up is forgotten", "sharedtask.go",
		`	t.state = TaskIdle
	if t.waiting.Len() > 0 {
		t.start()
	}
`,
		`	t.state = TaskIdle
`,
		"SharedTask",
	},
	{
		"a lost run is not begun again", "sharedtask.go",
		`		case TaskRunning:
			t.start()
`,
		`		case TaskRunning:
`,
		"SharedTask",
	},
	{
		"the end of a stale run counts", "sharedtask.go",
		`	if run == t.run {
		switch t.state {
		case TaskRunning:
			t.state, t.err`,
		`	if run <= t.run {
		switch t.state {
		case TaskRunning:
			t.state, t.err`,
		"SharedTask",
	},
	{
		"every leaver cancels the run", "sharedtask.go",
		`	t.waiting.withdraw(w)
	if t.state == TaskRunning && t.waiting.Len() == 0 {
		t.stop(ErrNoConsumers)
	}
`,
		`	t.waiting.withdraw(w)
	if t.state == TaskRunning {
		t.stop(ErrNoConsumers)
	}
`,
		"SharedTask",
	},
	{
		"a run that nobody waits for goes on", "sharedtask.go",
		`	t.waiting.withdraw(w)
	if t.state == TaskRunning && t.waiting.Len() == 0 {
		t.stop(ErrNoConsumers)
	}
`,
		`	t.waiting.withdraw(w)
`,
		"SharedTask",
	},
	{
		"a cancelled run is kept", "sharedtask.go",
		`			t.stopped(err, &out)
`,
		`			t.stopped(err, &out)
			t.state, t.err = TaskDone, err
`,
		"SharedTask",
	},
	{
		"a kept error is a result to those who come later", "sharedtask.go",
		`		return false, t.err
`,
		`		return false, nil
`,
		"SharedTask",
	},
	{
		"close keeps what is done", "sharedtask.go",
		`	case TaskDone:
		t.state, t.err = TaskIdle, nil
`,
		"",
		"SharedTask",
	},

	// SharedResource.
	{
		"two are live at once", "sharedresource.go",
		`	if r.state == ResourceIdle {
		r.begin()`,
		`	if r.state != ResourceStarting {
		r.begin()`,
		"SharedResource",
	},
	{
		"a newcomer gets what is being stopped", "sharedresource.go",
		`	case r.state == ResourceLive:
`,
		`	case r.state == ResourceLive || r.state == ResourceStopping:
`,
		"SharedResource",
	},
	{
		"a failed start is not tried again", "sharedresource.go",
		`			r.state = ResourceIdle
			r.waiting.settleAll(run, err, &out)
`,
		`			r.waiting.settleAll(run, err, &out)
`,
		"SharedResource",
	},
	{
		"the held count does not fall", "sharedresource.go",
		`	r.held--
`,
		"",
		"SharedResource",
	},
	{
		"who finds it live is not counted", "sharedresource.go",
		`		r.held++
`,
		"",
		"SharedResource",
	},
	{
		"cancelled after the grant: the hold is lost", "sharedresource.go",
		`	defer r.effects.unlock(&r.mu, new(wakes))
	if !w.parked {
		return false
	}
`,
		`	defer r.effects.unlock(&r.mu, new(wakes))
	if !w.parked {
		return true
	}
`,
		"SharedResource",
	},
	{
		"what a cancelled start has made is left alone", "sharedresource.go",
		`		case r.state == ResourceCancelling && err == nil:
			r.end()
`,
		`		case r.state == ResourceCancelling && err == nil:
			r.cleanup.settleAll(run, nil, &out)
			r.next()
`,
		"SharedResource",
	},
	{
		"the error of a clean-up goes to a newcomer", "sharedresource.go",
		`			r.cleanup.settleAll(run, err, &out)
			r.next()
`,
		`			r.cleanup.settleAll(run, err, &out)
			r.waiting.settleAll(run, err, &out)
			r.next()
`,
		"SharedResource",
	},
	{
		"the last to release is not told that it was stopped", "sharedresource.go",
		`	if run == r.run && r.state == ResourceStopping {
		r.cleanup.settleAll(run, err, &out)
`,
		`	if run == r.run && r.state == ResourceStopping {
`,
		"SharedResource",
	},
	{
		"what was lost is still held", "sharedresource.go",
		`		r.held = 0
`,
		"",
		"SharedResource",
	},
	{
		"the release of a lost run counts for a later one", "sharedresource.go",
		`	if r.state != ResourceLive || run != r.run {
`,
		`	if r.state != ResourceLive {
`,
		"SharedResource",
	},
	{
		"close takes what is held", "sharedresource.go",
		`			r.effects.add(func() { r.Runner.Closing(run) })
`,
		`			r.effects.add(func() { r.Runner.Closing(run) })
			r.held = 0
			r.end()
`,
		"SharedResource",
	},
}

func TestEveryPlantedFaultIsFound(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("a js program cannot start the go command; the machines are the same there")
	}
	if testing.Short() {
		t.Skip("explores once per fault")
	}
	programs := plantAll(t)
	for i, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			dir, exploring := filepath.Split(filepath.Join("core", fault.exploring))
			test := exec.Command(filepath.Join(programs, filepath.Base(dir)+".test"),
				"-test.parallel=2", "-test.timeout=5m", "-test.run", fmt.Sprintf("^TestExploring%sFinds", exploring))
			test.Env = append(os.Environ(), fmt.Sprint(plantedVariable, "=", i), "GOMAXPROCS=1") // others run beside it
			out, err := test.CombinedOutput()
			switch _, failed := err.(*exec.ExitError); {
			case err == nil:
				t.Error("the exploration has not found it")
			case !failed || !strings.Contains(string(out), "machine and model part after"):
				t.Fatalf("it failed for another reason: %v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}
