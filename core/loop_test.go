package core_test

import "github.com/clca-dev/clca/core"

// loop is an event loop such as the passive face is made for: jobs run one at a time in a goroutine of its own, and it
// sleeps until one is posted, without timers.
type loop struct {
	jobs    chan func()
	gone    chan struct{}
	running bool // a job runs; the loop's own
	waits   map[*loopWait]bool
}

// loopWait is one wait of a loop, and its callback.
type loopWait struct {
	core.Waiter
	in   *loop
	then func(error)
}

func newLoop() *loop {
	l := &loop{jobs: make(chan func(), 1024), gone: make(chan struct{}), waits: map[*loopWait]bool{}}
	go func() {
		for {
			select {
			case job := <-l.jobs:
				l.running = true
				job()
				l.running = false
			case <-l.gone:
				return
			}
		}
	}()
	return l
}

// post has the loop run a job later. A loop that is gone drops it.
func (l *loop) post(job func()) {
	select {
	case l.jobs <- job:
	case <-l.gone:
	}
}

// do has the loop run a job, and returns when it has.
func (l *loop) do(job func()) {
	done := make(chan struct{})
	l.post(func() { defer close(done); job() })
	<-done
}

// wait parks by the given step and calls then, in this loop, when that is over. It must be called by a job.
func (l *loop) wait(park func(*core.Waiter) (bool, error), then func(error)) *loopWait {
	w := &loopWait{in: l, then: then}
	w.Waker = w
	l.waits[w] = true
	if parked, err := park(&w.Waiter); !parked {
		w.settled(err)
	}
	return w
}

// Wake posts to the loop of the waiter, whoever calls it.
func (w *loopWait) Wake() { w.in.post(func() { w.settled(w.Err()) }) }

func (w *loopWait) settled(err error) {
	delete(w.in.waits, w)
	w.then(err)
}

// close ends the loop: its waiters are withdrawn, its jobs dropped.
func (l *loop) close() {
	l.do(func() {
		for w := range l.waits {
			w.Withdraw()
		}
	})
	close(l.gone)
}
