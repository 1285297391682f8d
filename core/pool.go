package core

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Pool lends resources that are costly to make, such as connections, and makes up to a number of them when they are
// needed. Who waits is served in the order of arrival. A resource that was being made for a caller who has left is kept
// for the next one.
//
// Create it with NewPool.
type Pool[T any] struct {
	config PoolConfig[T]
	steps  PoolSteps

	mu        sync.Mutex                      // guards what follows; no function of the user's runs under it
	resources []T                             // by slot
	making    map[int]context.CancelCauseFunc // by slot
	timers    []*time.Timer
	out       map[uint64]*holding // by lease
	broken    [hooks]bool         // hooks that have panicked
}

// PoolConfig says what a Pool makes and how many. Max and Create must be given.
//
// The hooks OnCreate to OnLeak are called with no mutex held, by whoever caused what they tell of, and before the slot
// is free for others: they may use the Pool, but must not wait for a resource of it, and neither must Create, Destroy
// and Validate. A hook that panics is not called again.
type PoolConfig[T any] struct {
	// Max is how many resources there can be, lent, idle, being made and being unmade, at least 1.
	Max int
	// Create makes one. Its context has the values of the call that caused it, but not its deadline or cancellation: it
	// is cancelled with the cause ErrClosed by Close. An error, or a panic as a PanicError, is what that call returns.
	Create func(context.Context) (T, error)
	// Destroy unmakes one. If it panics, the resource counts as unmade all the same.
	Destroy func(T)
	// Validate is asked about a resource that was idle, or given back a moment ago, before it is lent; with false, or a
	// panic, another is made in its place.
	Validate func(T) bool
	// IdleTime is how long a resource may be idle before it is unmade; 0 is for ever.
	IdleTime time.Duration
	// LeakAfter is how long a lease may be held before OnLeak is told; 0 is for ever. If it is set, Acquire notes the
	// stack of its caller.
	LeakAfter time.Duration

	OnCreate  func(T)       // was made
	OnAcquire func(T)       // is about to be lent
	OnRelease func(T)       // was given back, and is not lent to others yet
	OnDestroy func(T)       // was unmade
	OnLeak    func(Leak[T]) // is not coming back, or late
}

// Held tells of a lease that is out.
type Held struct {
	Since time.Time // when it was acquired
	Stack []byte    // where, if LeakAfter is set
}

// Leak tells of a lease that was held for too long.
type Leak[T any] struct {
	Held
	Value T
	Kind  LeakKind
}

// LeakKind is what became of a lease that was held for too long.
type LeakKind uint8

// The kinds of leaks. Each lease is reported as LeakHeld and then, if it comes back, as LeakReturned; or as
// LeakCollected.
const (
	LeakHeld      LeakKind = iota // still held, after LeakAfter
	LeakReturned                  // given back, late
	LeakCollected                 // nobody can give it back any more; its resource is unmade, and its slot free
)

// String returns the name of the kind.
func (k LeakKind) String() string { return [...]string{"Held", "Returned", "Collected"}[k] }

const (
	hookCreate = iota
	hookAcquire
	hookRelease
	hookDestroy
	hookLeak
	hooks
)

// NewPool returns a Pool that has made nothing yet. It returns an ErrInvalid if Max is below 1, Create is nil, or a
// time is below 0.
func NewPool[T any](config PoolConfig[T]) (*Pool[T], error) {
	switch {
	case config.Max < 1:
		return nil, invalid("Max must be at least 1")
	case config.Create == nil:
		return nil, invalid("Create must be given")
	case config.IdleTime < 0 || config.LeakAfter < 0:
		return nil, invalid("a time must be at least 0")
	}
	p := &Pool[T]{config: config, making: map[int]context.CancelCauseFunc{}, out: map[uint64]*holding{}}
	p.steps.Runner = (*poolRunner[T])(p)
	p.steps.Max = config.Max
	return p, nil
}

// Lease is one caller's hold on a resource of a Pool. One that is collected without having been given back is reported
// as LeakCollected, and its resource is unmade, unless the resource itself has a reference to it; in a bubble of
// testing/synctest that must not happen while others wait.
type Lease[T any] struct {
	_       noCopy
	of      *Pool[T]
	number  uint64
	value   T
	cleanup runtime.Cleanup // for when it is collected
}

// Acquire blocks until a resource is lent to the caller, making one if none is idle and there are fewer than Max. It
// returns the error of Create if that fails, ErrClosed if the pool is or gets closed, and the cancellation if ctx ends
// first; what was being made for the caller is then kept for others. WithPriority lets a caller pass others that wait.
func (p *Pool[T]) Acquire(ctx context.Context) (*Lease[T], error) {
	s, err := acquire(ctx, func(w *Waiter) (bool, error) { return p.steps.Park(w, 0) })
	for err == nil && !p.valid(s.value) {
		lease := s.value
		if s, err = acquire(ctx, func(w *Waiter) (bool, error) { return p.steps.Replace(lease, w) }); s == nil {
			_ = p.steps.Discard(lease) // ctx was done before Replace
		}
	}
	if err != nil {
		return nil, err
	}
	return p.lease(s.value), nil
}

// TryAcquire lends a resource if one is idle and nobody waits. Else it returns ErrWouldBlock or ErrClosed; it makes
// none.
func (p *Pool[T]) TryAcquire() (*Lease[T], error) {
	for {
		lease, err := p.steps.Take(0)
		if err != nil {
			return nil, err
		}
		if p.valid(lease) {
			return p.lease(lease), nil
		}
		_ = p.steps.Discard(lease)
	}
}

// With runs f with a resource, and returns its error, or that of Acquire.
func (p *Pool[T]) With(ctx context.Context, f func(T) error) error {
	if f == nil {
		return errNoFunction
	}
	lease, err := p.Acquire(ctx)
	if err != nil {
		return err
	}
	defer lease.Release()
	return f(lease.Value())
}

// Close fails all who wait and all later calls with ErrClosed, has what is idle unmade, cancels what is being made, and
// returns what is still out, as Outstanding does; that is unmade when it is given back. It does not block; a second
// call does no more than return what is out.
func (p *Pool[T]) Close() []Held {
	p.steps.Close()
	p.mu.Lock()
	for _, cancel := range p.making {
		cancel(ErrClosed)
	}
	p.mu.Unlock()
	return p.Outstanding()
}

// Outstanding returns the leases that calls have returned and that were not given back, the oldest first.
func (p *Pool[T]) Outstanding() []Held {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := make([]Held, 0, len(p.out))
	for _, h := range p.out {
		held = append(held, h.Held)
	}
	slices.SortFunc(held, func(a, b Held) int { return a.Since.Compare(b.Since) })
	return held
}

// Join blocks until the pool is closed and all its resources are unmade. It returns the cancellation if ctx ends first.
func (p *Pool[T]) Join(ctx context.Context) error {
	_, err := block(ctx, p.steps.ParkJoin)
	return err
}

// Stats returns a snapshot.
func (p *Pool[T]) Stats() PoolStats { return p.steps.Stats() }

// Contended is as for every primitive; see Signal.Contended.
func (p *Pool[T]) Contended() bool { return p.steps.Contended() }

// valid asks about a resource that was used before.
func (p *Pool[T]) valid(lease uint64) (valid bool) {
	slot, reused := p.steps.Slot(lease)
	if !reused || p.config.Validate == nil {
		return true
	}
	answered := false
	defer func() {
		if !answered && recover() == nil { // by runtime.Goexit, which nobody gets the lease of
			_ = p.steps.Discard(lease)
		}
	}()
	valid = p.config.Validate(p.resource(slot))
	answered = true
	return valid
}

func (p *Pool[T]) resource(slot int) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.resources[slot]
}

// lease makes what a caller gets.
func (p *Pool[T]) lease(number uint64) *Lease[T] {
	slot, _ := p.steps.Slot(number)
	l := &Lease[T]{of: p, number: number, value: p.resource(slot)}
	held := &holding{Held: Held{Since: time.Now()}}
	if p.config.LeakAfter > 0 {
		stack := make([]byte, 16<<10)
		held.Stack = slices.Clone(stack[:runtime.Stack(stack, false)])
	}
	p.mu.Lock()
	p.out[number] = held
	p.stopTimer(slot)
	p.mu.Unlock()
	value := l.value
	if p.config.LeakAfter > 0 {
		held.watch = time.AfterFunc(p.config.LeakAfter, func() { p.late(number, value) })
	}
	l.cleanup = runtime.AddCleanup(l, func(number uint64) { go p.collected(number, value) }, number)
	p.call(hookAcquire, p.config.OnAcquire, value)
	return l
}

// Value returns the resource. It must not be used once the lease was given back.
func (l *Lease[T]) Value() T { return l.value }

// Release gives the resource back, to the first in line or to be idle. It does not block. It returns ErrNotOwner, and
// changes nothing, if the lease was given back before.
func (l *Lease[T]) Release() error {
	return l.back(func(p *PoolSteps) error { return p.Release(l.number) })
}

// Destroy gives the resource back as one that is of no use any more: it is unmade, and another is made when it is
// needed. It does not block. It returns ErrNotOwner, and changes nothing, if the lease was given back before.
func (l *Lease[T]) Destroy() error {
	return l.back(func(p *PoolSteps) error { return p.Discard(l.number) })
}

func (l *Lease[T]) back(give func(*PoolSteps) error) (err error) {
	if l == nil || l.of == nil {
		return ErrNotOwner
	}
	held, reported := l.of.forget(l.number, LeakReturned)
	if held == nil {
		return ErrNotOwner
	}
	l.cleanup.Stop()
	defer func() { err = give(&l.of.steps) }()
	if reported {
		l.of.leaks(held, l.value, LeakReturned)
	}
	l.of.call(hookRelease, l.of.config.OnRelease, l.value)
	return nil
}

// holding is what a pool knows of a lease that is out.
type holding struct {
	Held
	watch    *time.Timer
	reported bool     // as LeakHeld
	now      LeakKind // what became of it
}

// forget takes a lease off the list of those that are out, and returns whether it was reported as LeakHeld. It returns
// nil if it was not on the list.
func (p *Pool[T]) forget(number uint64, now LeakKind) (held *holding, reported bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if held = p.out[number]; held == nil {
		return nil, false
	}
	delete(p.out, number)
	// What is collected is cleaned up outside of any synctest bubble, where a timer made in one must not be stopped.
	if held.watch != nil && now != LeakCollected {
		held.watch.Stop()
	}
	held.now = now
	return held, held.reported
}

// late reports a lease that was held for LeakAfter.
func (p *Pool[T]) late(number uint64, value T) {
	p.mu.Lock()
	held := p.out[number]
	p.mu.Unlock()
	if held == nil {
		return
	}
	defer func() {
		p.mu.Lock()
		held.reported = true
		returned := held.now == LeakReturned
		p.mu.Unlock()
		if returned { // while it was being reported
			p.leaks(held, value, LeakReturned)
		}
	}()
	p.leaks(held, value, LeakHeld)
}

// collected follows the end of a Lease that was never given back.
func (p *Pool[T]) collected(number uint64, value T) {
	if held, _ := p.forget(number, LeakCollected); held != nil {
		defer p.steps.Discard(number)
		p.leaks(held, value, LeakCollected)
	}
}

func (p *Pool[T]) leaks(held *holding, value T, kind LeakKind) {
	p.call(hookLeak, func(value T) {
		if p.config.OnLeak != nil {
			p.config.OnLeak(Leak[T]{held.Held, value, kind})
		}
	}, value)
}

// call calls a hook, unless it has panicked before.
func (p *Pool[T]) call(which int, hook func(T), value T) {
	p.mu.Lock()
	off := hook == nil || p.broken[which]
	p.mu.Unlock()
	if off {
		return
	}
	defer func() {
		if recover() == nil {
			return
		}
		println("clca: a hook of a Pool has panicked, and is not called again")
		p.mu.Lock()
		p.broken[which] = true
		p.mu.Unlock()
	}()
	hook(value)
}

// poolRunner makes and unmakes the resources of a Pool in a goroutine each.
type poolRunner[T any] Pool[T]

func (r *poolRunner[T]) Create(slot int, by Waker) {
	p := (*Pool[T])(r)
	ctx := context.Background()
	if s, ok := by.(*sleeper); ok {
		ctx = context.WithoutCancel(s.ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	p.mu.Lock()
	p.making[slot] = cancel
	p.mu.Unlock()
	if p.steps.Stats().Closed { // since before that
		cancel(ErrClosed)
	}
	spawn(func() (T, error) { return p.config.Create(ctx) }, func(value T, err error) {
		defer p.steps.Created(slot, err) // also where a hook leaves by runtime.Goexit
		p.mu.Lock()
		delete(p.making, slot)
		p.mu.Unlock()
		cancel(nil)
		if err == nil {
			p.mu.Lock()
			for len(p.resources) <= slot {
				var none T
				p.resources = append(p.resources, none)
				p.timers = append(p.timers, nil)
			}
			p.resources[slot] = value
			p.mu.Unlock()
			p.call(hookCreate, p.config.OnCreate, value)
		}
	})
}

func (r *poolRunner[T]) Destroy(slot int) {
	p := (*Pool[T])(r)
	value := p.resource(slot)
	spawn(func() (none struct{}, err error) {
		if p.config.Destroy != nil {
			p.config.Destroy(value)
		}
		return none, nil
	}, func(struct{}, error) {
		p.mu.Lock()
		var none T
		p.resources[slot] = none
		p.stopTimer(slot)
		p.mu.Unlock()
		defer p.steps.Destroyed(slot)
		p.call(hookDestroy, p.config.OnDestroy, value)
	})
}

func (r *poolRunner[T]) Idle(slot int, lease uint64) {
	p := (*Pool[T])(r)
	if p.config.IdleTime == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopTimer(slot)
	p.timers[slot] = time.AfterFunc(p.config.IdleTime, func() { p.steps.Evict(lease) })
}

// stopTimer wants mu.
func (p *Pool[T]) stopTimer(slot int) {
	if p.timers[slot] != nil {
		p.timers[slot].Stop()
		p.timers[slot] = nil
	}
}
