package core

import "context"

// Semaphore hands out permits, as many as its size. A caller takes any number of them at once, in the order of arrival:
// who wants many is not passed by those who want few. Permits that come back go to the first in line at once.
//
// Create it with NewSemaphore. Invariants: who waits first wants more than is available, and none wants more than the
// size; more permits than the size are out only after a Resize, until they have come back.
type Semaphore struct {
	gate
	size, held int
	waiting    queue // the value of each is how many it wants
}

// NewSemaphore returns a Semaphore of so many permits, all available. Fewer than 1 are an ErrInvalid.
func NewSemaphore(permits int) (*Semaphore, error) {
	if permits < 1 {
		return nil, errPermits
	}
	return &Semaphore{size: permits}, nil
}

const errPermits = invalid("permits must be at least 1")

// SemaphoreStats is a snapshot of a Semaphore.
type SemaphoreStats struct {
	Size      int
	Held      int // permits that are out
	Available int // never less than 0
	Waiting   int // callers that wait
	Closed    bool
}

// Acquire blocks until the caller has n permits. It returns ErrInvalid for n below 1, ErrTooLarge if n is or gets more
// than the size, ErrClosed if the Semaphore is or gets closed, and the cancellation if ctx ends first; it then has
// taken nothing. WithPriority lets a caller pass others that wait.
func (s *Semaphore) Acquire(ctx context.Context, n int) (*Permits, error) {
	if ctx.Err() != nil {
		return nil, cancellation(ctx)
	}
	err := s.Take(n) // who need not wait is spared the Waiter
	if err == ErrWouldBlock {
		_, err = acquire(ctx, func(w *Waiter) (bool, error) { return s.Park(w, n) })
	}
	if err != nil {
		return nil, err
	}
	return &Permits{of: s, n: n}, nil
}

// TryAcquire returns n permits if they are available and nobody waits, and else ErrWouldBlock or an error of Acquire.
func (s *Semaphore) TryAcquire(n int) (*Permits, error) {
	if err := s.Take(n); err != nil {
		return nil, err
	}
	return &Permits{of: s, n: n}, nil
}

// With runs f holding n permits, and returns its error, or that of Acquire.
func (s *Semaphore) With(ctx context.Context, n int, f func() error) error {
	if f == nil {
		return errNoFunction
	}
	p, err := s.Acquire(ctx, n)
	if err != nil {
		return err
	}
	defer p.Release()
	return f()
}

// Resize changes how many permits there are, at least 1. If that is fewer than are out, their holders finish, and what
// they give back is handed to nobody until fewer are out than there are. Who waits for more than there will ever be
// fails with ErrTooLarge. It does not block. It returns ErrInvalid or ErrClosed, and then has changed nothing.
func (s *Semaphore) Resize(permits int) error {
	if permits < 1 {
		return errPermits
	}
	var out wakes
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.size = permits
		s.failTooLarge(&out)
		s.next(&out)
	}
	s.mu.Unlock()
	out.wake()
	if closed {
		return ErrClosed
	}
	return nil
}

// failTooLarge ends the wait of all who want more than there is in all.
func (s *Semaphore) failTooLarge(out *wakes) {
	var tooLarge []*Waiter
	s.waiting.Each(func(w *Waiter) {
		if w.value > uint64(s.size) {
			tooLarge = append(tooLarge, w)
		}
	})
	for _, w := range tooLarge {
		s.waiting.settle(w, 0, ErrTooLarge, out)
	}
}

// Park is the passive form of Acquire. It returns false with nil if the caller has n permits now, true if w was parked
// until it does, and false with ErrInvalid, ErrTooLarge, ErrClosed or ErrParked. Once granted, they are given back with
// Release.
func (s *Semaphore) Park(w *Waiter, n int) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	s.mu.Lock() // and no defer here and below, which is expensive in wasm
	err := s.refuses(n)
	parks := false
	switch {
	case err != nil:
	case w.parked:
		err = ErrParked
	case n <= s.size-s.held && s.waiting.precedes(w):
		s.held += n
		w.value = uint64(n)
	default:
		parks = true
		s.waiting.parkRanked(w, s, roleWait)
		w.value = uint64(n)
	}
	s.mu.Unlock()
	return parks, err
}

// Take is the passive form of TryAcquire. With nil, the caller has n permits now, which are given back with Release.
func (s *Semaphore) Take(n int) error {
	s.mu.Lock()
	err := s.refuses(n)
	switch {
	case err != nil:
	case n > s.size-s.held || s.waiting.Len() > 0:
		err = ErrWouldBlock
	default:
		s.held += n
	}
	s.mu.Unlock()
	return err
}

// refuses returns what is wrong with asking for n permits.
func (s *Semaphore) refuses(n int) error {
	switch {
	case n < 1:
		return errPermits
	case s.closed:
		return ErrClosed
	case n > s.size:
		return ErrTooLarge
	}
	return nil
}

// Release gives n permits back, and hands them to those in line. It returns ErrInvalid for n below 1, and
// ErrOverRelease if fewer are out; it then has changed nothing. It is the passive form of Permits.Release.
func (s *Semaphore) Release(n int) error {
	if n < 1 {
		return errPermits
	}
	return s.giveBack(&n)
}

// giveBack gives *n permits back and sets it to 0. If it is 0, or fewer are out, that is an ErrOverRelease.
func (s *Semaphore) giveBack(n *int) error {
	var out wakes
	s.mu.Lock()
	over := *n == 0 || *n > s.held
	if !over {
		s.held -= *n
		*n = 0
		s.next(&out)
	}
	s.mu.Unlock()
	out.wake()
	if over {
		return ErrOverRelease
	}
	return nil
}

// next gives those at the head of the line what they want, as far as it goes.
func (s *Semaphore) next(out *wakes) {
	for w := s.waiting.Front(); w != nil && int(w.value) <= s.size-s.held; w = s.waiting.Front() {
		s.held += int(w.value)
		s.waiting.settle(w, w.value, nil, out)
	}
}

func (s *Semaphore) withdraw(w *Waiter) bool {
	var out wakes
	s.mu.Lock()
	was := w.parked
	if was {
		s.waiting.withdraw(w)
		s.next(&out) // it may have wanted more than those behind it
	}
	s.mu.Unlock()
	out.wake()
	return was
}

// Close fails all who wait and all later calls but Release with ErrClosed. It does not block; a second call does
// nothing.
func (s *Semaphore) Close() {
	var out wakes
	s.mu.Lock()
	s.closed = true
	s.waiting.settleAll(0, ErrClosed, &out)
	s.mu.Unlock()
	out.wake()
}

// Stats returns a snapshot.
func (s *Semaphore) Stats() SemaphoreStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return SemaphoreStats{s.size, s.held, max(0, s.size-s.held), s.waiting.Len(), s.closed}
}

// Permits are what one Acquire has taken.
type Permits struct {
	_  noCopy
	of *Semaphore
	n  int // 0 once given back; guarded by the mutex of of
}

// Release gives them back. It does not block. It returns ErrOverRelease, and changes nothing, if that was done before.
func (p *Permits) Release() error {
	if p == nil || p.of == nil {
		return ErrOverRelease
	}
	return p.of.giveBack(&p.n)
}
