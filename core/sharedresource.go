package core

import (
	"context"
	"sync"
	"time"
)

// SharedResource is something that is started when first needed, shared by all who need it, and stopped when the last
// of them has given it back. A failed start is the error of all who waited for it, and the next Acquire tries afresh.
// Who comes while it is being stopped waits and gets a fresh one: two are never live at once.
//
// Create it with NewSharedResource.
type SharedResource[T any] struct {
	// StopTimeout bounds how long the last one to leave waits for stop, or for a cancelled start; past it, its error
	// joins ErrStopTimeout. 0 means DefaultStopTimeout, less than 0 no bound. It must be set before the first Acquire.
	StopTimeout time.Duration

	steps  ResourceSteps
	start  func(context.Context) (T, error)
	stop   func(T) error
	cancel context.CancelCauseFunc // of the start in progress; only its runner touches it

	// What lives now. Written by the runner before Started, read after a grant.
	value T
	gone  chan struct{} // closed when value is being stopped, or Close was called
	once  *sync.Once    // closes gone
}

// NewSharedResource returns a SharedResource that is made by start and unmade by stop; neither may be nil.
//
// The context of start has the values of the call that caused it, but not its deadline or cancellation: it is cancelled
// with the cause ErrNoConsumers when the last one who waits for it leaves, and with ErrClosed by Close. If start
// returns a value all the same, it is stopped. The context ends when start has returned; what the resource does while
// it lives needs one of its own, for stop to cancel. A panic in either function is a PanicError.
func NewSharedResource[T any](start func(context.Context) (T, error), stop func(T) error) *SharedResource[T] {
	r := &SharedResource[T]{start: start, stop: stop}
	r.steps.Runner = (*resourceRunner[T])(r)
	return r
}

// Ref is one caller's hold on a SharedResource.
type Ref[T any] struct {
	of       *SharedResource[T]
	run      uint64
	value    T
	gone     <-chan struct{}
	released sync.Once
	err      error
}

// Acquire blocks until the resource is live, starting it if need be, and returns a Ref that keeps it so. If ctx ends
// first, Acquire leaves and returns the cancellation; as the last one to leave it first waits until the cancelled start
// has ended, at most StopTimeout, and joins the error of that clean-up. It returns ErrClosed after Close, and
// ErrReentrant when called by start itself.
func (r *SharedResource[T]) Acquire(ctx context.Context) (*Ref[T], error) {
	s, err := share(ctx, &r.steps, r.StopTimeout)
	if err != nil {
		return nil, err
	}
	return r.Ref(&s.Waiter), nil
}

// Park is the passive form of Acquire; see ResourceSteps.Park. Once granted, Ref must be called once.
func (r *SharedResource[T]) Park(w *Waiter) (bool, error) { return r.steps.Park(w) }

// Ref returns the hold that w was granted.
func (r *SharedResource[T]) Ref(w *Waiter) *Ref[T] {
	return &Ref[T]{of: r, run: w.value, value: r.value, gone: r.gone}
}

// Close fails all who wait and all later calls with ErrClosed, and cancels a start in progress. A live resource stays
// until its last Ref is released; their Done tells them. Close does not block; a second call does nothing.
func (r *SharedResource[T]) Close() { r.steps.Close() }

// Stats returns a snapshot.
func (r *SharedResource[T]) Stats() ResourceStats { return r.steps.Stats() }

// Contended is as for every primitive; see Signal.Contended.
func (r *SharedResource[T]) Contended() bool { return r.steps.Contended() }

// Value returns the resource. It must not be used after Release.
func (f *Ref[T]) Value() T { return f.value }

// Done returns a channel that is closed when the resource is not to be relied on any longer: its SharedResource was
// closed, or it is being stopped because all Refs were released.
func (f *Ref[T]) Done() <-chan struct{} { return f.gone }

// Release gives the resource back. The last one to do so waits until it is stopped, at most StopTimeout, and returns
// the error of that; all others return nil at once. Further calls do nothing and return the same. A Ref that did not
// come from Acquire returns ErrNotOwner.
func (f *Ref[T]) Release() error {
	if f.of == nil {
		return ErrNotOwner
	}
	f.released.Do(func() {
		s := newSleeper(context.Background())
		last, err := f.of.steps.release(f.run, &s.Waiter)
		if last {
			err = s.awaitCleanup(f.of.StopTimeout)
		}
		f.err = err
	})
	return f.err
}

// resourceRunner runs the functions of a SharedResource in a goroutine each.
type resourceRunner[T any] SharedResource[T]

func (r *resourceRunner[T]) Start(run uint64, by Waker) {
	ctx, cancel := runContext(&r.steps, by)
	r.cancel = cancel
	spawn(func() (T, error) { return r.start(ctx) }, func(value T, err error) {
		if err == nil {
			r.value, r.gone, r.once = value, make(chan struct{}), new(sync.Once)
		}
		r.steps.Started(run, ended(ctx, err))
		cancel(nil)
	})
}

func (r *resourceRunner[T]) Cancel(_ uint64, cause error) { r.cancel(cause) }

func (r *resourceRunner[T]) Closing(uint64) { r.once.Do(func() { close(r.gone) }) }

func (r *resourceRunner[T]) Stop(run uint64) {
	value := r.value
	r.Closing(run)
	spawn(func() (struct{}, error) { return struct{}{}, r.stop(value) }, func(_ struct{}, err error) {
		r.steps.Stopped(run, err)
	})
}

// ResourceSteps is the passive face of SharedResource without its goroutines: it decides when the resource is started
// and stopped and who holds it, and leaves it to a ResourceRunner to do that, wherever that may be.
//
//	Idle --Park--> Starting --Started--> Live --the last Release--> Stopping --Stopped--> Idle, or Starting again
//	               Starting --failed--> Idle, the error for all who wait
//	               Starting --the last one leaves--> Cancelling --failed--> Idle, or Starting again
//	                                                 Cancelling --Started--> Stopping
//	               any of them --Lose--> Idle, or Starting for those who wait; those who hold it have lost it
//
// Invariants: Starting has somebody who waits, and Live somebody who holds; nobody waits in Live. Runner must be set
// before the first Park.
type ResourceSteps struct {
	Runner ResourceRunner

	gate
	effects effects
	state   ResourceState
	run     uint64
	held    int
	waiting queue
	cleanup queue // the last leaver, in Cancelling and Stopping
}

// ResourceRunner carries out what ResourceSteps decide. Its methods are called one at a time, in order, without a mutex
// held; they must not block.
type ResourceRunner interface {
	// Start begins to make the resource. by is the Waker of the caller that has waited longest. It ends with Started or
	// Lose.
	Start(run uint64, by Waker)
	// Cancel asks a start to end, which it still does with Started or Lose.
	Cancel(run uint64, cause error)
	// Closing says that Close was called while the resource is live and held.
	Closing(run uint64)
	// Stop begins to unmake the resource. It ends with Stopped or Lose.
	Stop(run uint64)
}

// ResourceState says what a SharedResource is doing.
type ResourceState uint8

// The states of a SharedResource.
const (
	ResourceIdle       ResourceState = iota // there is none
	ResourceStarting                        // being made, for those who wait
	ResourceCancelling                      // being made, but nobody waited any more
	ResourceLive                            // held by somebody
	ResourceStopping                        // being unmade
)

// String returns the name of the state.
func (s ResourceState) String() string {
	return [...]string{"Idle", "Starting", "Cancelling", "Live", "Stopping"}[s]
}

// ResourceStats is a snapshot of a SharedResource.
type ResourceStats struct {
	State   ResourceState
	Waiting int    // callers that wait now
	Held    int    // Refs that are out
	Runs    uint64 // starts so far
	Closed  bool
}

// Park acquires the resource. It returns false with nil if it is live and now held by the caller as well. It returns
// true if w was parked: it is woken holding the resource, or with the error of the start. It returns false with
// ErrClosed or ErrParked otherwise. Once granted, Waiter.Value is the number of the run, for Release.
func (r *ResourceSteps) Park(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	r.mu.Lock()
	switch {
	case r.closed:
		r.mu.Unlock()
		return false, ErrClosed
	case r.Runner == nil:
		r.mu.Unlock()
		return false, errNoRunner
	case w.parked:
		r.mu.Unlock()
		return false, ErrParked
	case r.state == ResourceLive:
		defer r.mu.Unlock()
		r.held++
		w.value = r.run
		return false, nil
	}
	r.waiting.park(w, r, roleWait)
	if r.state == ResourceIdle {
		r.begin()
	}
	r.effects.unlock(&r.mu, new(wakes))
	return true, nil
}

// live says whether a start is in progress.
func (r *ResourceSteps) live() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state == ResourceStarting || r.state == ResourceCancelling
}

// begin starts the next run, for those who wait.
func (r *ResourceSteps) begin() {
	r.state = ResourceStarting
	r.run++
	run, by := r.run, r.waiting.Front().Waker
	r.effects.add(func() { r.Runner.Start(run, by) })
}

// end unmakes what is live.
func (r *ResourceSteps) end() {
	r.state = ResourceStopping
	run := r.run
	r.effects.add(func() { r.Runner.Stop(run) })
}

// next follows the end of a run.
func (r *ResourceSteps) next() {
	r.state = ResourceIdle
	if r.waiting.Len() > 0 {
		r.begin()
	}
}

// abandon cancels the start in progress, which nobody waits for.
func (r *ResourceSteps) abandon(cause error) {
	r.state = ResourceCancelling
	run := r.run
	r.effects.add(func() { r.Runner.Cancel(run, cause) })
}

// Started says that a start has ended. Without an error all who wait hold the resource; with one they fail with it. If
// the start was cancelled meanwhile, a resource is stopped, and an error is that of the clean-up. A run that is not the
// live one is ignored.
func (r *ResourceSteps) Started(run uint64, err error) {
	var out wakes
	r.mu.Lock()
	if run == r.run {
		switch {
		case r.state == ResourceStarting && err == nil:
			r.state = ResourceLive
			r.held = r.waiting.settleAll(run, nil, &out)
		case r.state == ResourceStarting:
			r.state = ResourceIdle
			r.waiting.settleAll(run, err, &out)
		case r.state == ResourceCancelling && err == nil:
			r.end()
		case r.state == ResourceCancelling:
			r.cleanup.settleAll(run, err, &out)
			r.next()
		}
	}
	r.effects.unlock(&r.mu, &out)
}

// Release gives back one hold on the given run. The last one has the resource stopped. It returns ErrNotOwner if nobody
// holds that run.
func (r *ResourceSteps) Release(run uint64) error {
	_, err := r.release(run, nil)
	return err
}

// release is Release; if it was the last one and w is given, w is parked until the resource is stopped.
func (r *ResourceSteps) release(run uint64, w *Waiter) (last bool, err error) {
	r.mu.Lock()
	defer r.effects.unlock(&r.mu, new(wakes))
	if r.state != ResourceLive || run != r.run {
		return false, ErrNotOwner
	}
	r.held--
	if r.held > 0 {
		return false, nil
	}
	r.end()
	if w != nil {
		r.cleanup.park(w, r, roleCleanup)
	}
	return true, nil
}

// Stopped says that the resource was unmade, and with which error. A run that is not the live one is ignored.
func (r *ResourceSteps) Stopped(run uint64, err error) {
	var out wakes
	r.mu.Lock()
	if run == r.run && r.state == ResourceStopping {
		r.cleanup.settleAll(run, err, &out)
		r.next()
	}
	r.effects.unlock(&r.mu, &out)
}

// Lose says that a run is gone with the place where it lived. Nobody holds it any longer, which is for the caller to
// tell them; those who wait get a new one.
func (r *ResourceSteps) Lose(run uint64) {
	var out wakes
	r.mu.Lock()
	if run == r.run && r.state != ResourceIdle {
		r.held = 0
		r.cleanup.settleAll(run, nil, &out)
		r.next()
	}
	r.effects.unlock(&r.mu, &out)
}

func (r *ResourceSteps) withdraw(w *Waiter) bool {
	r.mu.Lock()
	defer r.effects.unlock(&r.mu, new(wakes))
	if !w.parked {
		return false
	}
	if w.role == roleCleanup {
		r.cleanup.withdraw(w)
		return true
	}
	r.waiting.withdraw(w)
	if r.state == ResourceStarting && r.waiting.Len() == 0 {
		r.abandon(ErrNoConsumers)
	}
	return true
}

// leave is Withdraw for those who, if they were the last, wait for the clean-up: w is then parked anew, and is settled
// with the error of the clean-up.
func (r *ResourceSteps) leave(w *Waiter) (left, cleanup bool) {
	r.mu.Lock()
	defer r.effects.unlock(&r.mu, new(wakes))
	if !w.parked {
		return false, false
	}
	r.waiting.withdraw(w)
	if r.state == ResourceStarting && r.waiting.Len() == 0 {
		r.abandon(ErrNoConsumers)
		r.cleanup.park(w, r, roleCleanup)
		return true, true
	}
	return true, false
}

// Close fails all who wait and all later calls with ErrClosed, and cancels a start in progress. What is live stays
// until it is released.
func (r *ResourceSteps) Close() {
	var out wakes
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		r.waiting.settleAll(0, ErrClosed, &out)
		switch r.state {
		case ResourceStarting:
			r.abandon(ErrClosed)
		case ResourceLive:
			run := r.run
			r.effects.add(func() { r.Runner.Closing(run) })
		}
	}
	r.effects.unlock(&r.mu, &out)
}

// Stats returns a snapshot.
func (r *ResourceSteps) Stats() ResourceStats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return ResourceStats{r.state, r.waiting.Len(), r.held, r.run, r.closed}
}
