package core

import (
	"cmp"
	"context"

	"github.com/clca-dev/clca/core/internal/waitlist"
)

// tenancy is the machine of Lock, RWLock and ReentrantLock: who is inside, and who waits to be.
//
//	free --Park--> held --the last Release--> free, or held by the first in line and those who can share with it
//
// All who are inside at a time have the same tenure, a number that no others ever have: by it they are known when they
// leave. Invariants: who waits first cannot enter, so nobody who comes later can either, unless by a priority; nobody
// waits while it is free.
type tenancy struct {
	// Stolen, if it is set, is called with the tenure that was lost after each Steal from somebody, with no mutex held
	// and before Steal returns. It must be set before the first use. It is for event loops, whose callers have no
	// Guard.
	Stolen func(tenure uint64)

	gate
	tenure     uint64 // of those inside, or of the last who were
	holders    int    // how many are inside; entries of one holder count as well
	shared     bool   // those inside share it
	abandoned  bool   // those inside came after one that went away
	orphaned   bool   // those who come next do
	waiting    queue
	lost       chan struct{}            // closed when those inside lose it; made when somebody asks
	conditions waitlist.List[Condition] // those that somebody waits on
}

// LockStats is a snapshot of a Lock, RWLock or ReentrantLock.
type LockStats struct {
	Holders int  // who hold it now; of a ReentrantLock, how often its holder does
	Shared  bool // they share it
	Waiting int
	Tenures uint64 // how often it was taken from free, handed over, or stolen
	// Orphaned says that a holder has gone away without giving it back, which the next to hold it is told.
	Orphaned bool
	Closed   bool
}

// admits says whether one more may enter.
func (t *tenancy) admits(as role) bool { return t.holders == 0 || t.shared && as == roleShared }

func (t *tenancy) enter(as role) {
	if t.holders == 0 {
		t.tenure++
		t.shared = as == roleShared
		t.abandoned, t.orphaned = t.orphaned, false
		t.lost = nil
	}
	t.holders++
}

// park lets w in, or parks it.
func (t *tenancy) park(w *Waiter, as role) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	t.mu.Lock() // and no defer here and below, which is expensive in wasm
	var err error
	parks := false
	switch {
	case t.closed:
		err = ErrClosed
	case w.parked:
		err = ErrParked
	case t.admits(as) && t.waiting.precedes(w):
		t.enter(as)
		w.value = t.tenure
	default:
		parks = true
		t.waiting.parkRanked(w, t, as)
	}
	t.mu.Unlock()
	return parks, err
}

// take enters if that can be without overtaking anybody.
func (t *tenancy) take(as role) (tenure uint64, err error) {
	t.mu.Lock()
	switch {
	case t.closed:
		err = ErrClosed
	case !t.admits(as) || t.waiting.Len() > 0:
		err = ErrWouldBlock
	default:
		t.enter(as)
		tenure = t.tenure
	}
	t.mu.Unlock()
	return tenure, err
}

// seize throws out all who are inside and enters in their place.
func (t *tenancy) seize() (tenure uint64, err error) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return 0, ErrClosed
	}
	former, robbed := t.tenure, t.holders > 0
	if robbed && t.lost != nil {
		close(t.lost)
	}
	t.orphaned = t.orphaned || robbed && t.abandoned // who was told may not have dealt with it
	t.holders = 0
	t.enter(roleWait)
	tenure = t.tenure
	t.mu.Unlock()
	if robbed && t.Stolen != nil {
		t.Stolen(former)
	}
	return tenure, nil
}

// holds says whether that tenure is inside.
func (t *tenancy) holds(tenure uint64) bool { return t.holders > 0 && t.tenure == tenure }

// Release takes one holder of the given tenure out; whoever comes next is then inside already. It returns ErrNotOwner
// if nobody of that tenure is inside. It is the passive form of Guard.Unlock.
func (t *tenancy) Release(tenure uint64) error { return t.leave(tenure, false) }

// Abandon is Release for a holder that went away, and may have left half done what it was doing: those of the next
// tenure are told so, by Abandoned. Of many who share a lock none has changed anything, so nobody is told, unless they
// had been told that themselves.
func (t *tenancy) Abandon(tenure uint64) error { return t.leave(tenure, true) }

// Abandoned says whether those of the given tenure, who are inside, came after a holder that went away.
func (t *tenancy) Abandoned(tenure uint64) bool {
	t.mu.Lock()
	abandoned := t.abandoned && t.holds(tenure)
	t.mu.Unlock()
	return abandoned
}

// Holds says whether those of the given tenure are inside.
func (t *tenancy) Holds(tenure uint64) bool {
	t.mu.Lock()
	holds := t.holds(tenure)
	t.mu.Unlock()
	return holds
}

func (t *tenancy) leave(tenure uint64, gone bool) error {
	var out wakes
	t.mu.Lock()
	if gone && t.holds(tenure) && (t.abandoned || !t.shared) {
		t.orphaned = true
	}
	err := t.release(tenure, &out)
	t.mu.Unlock()
	out.wake()
	return err
}

func (t *tenancy) release(tenure uint64, out *wakes) error {
	if !t.holds(tenure) {
		return ErrNotOwner
	}
	t.holders--
	t.next(out)
	return nil
}

// next lets in those at the head of the line who can enter. An error that they have is that of a wait on a Condition.
func (t *tenancy) next(out *wakes) {
	for w := t.waiting.Front(); w != nil && t.admits(w.role); w = t.waiting.Front() {
		t.enter(w.role)
		t.waiting.settle(w, t.tenure, w.err, out)
	}
}

func (t *tenancy) withdraw(w *Waiter) bool {
	var out wakes
	t.mu.Lock()
	was := w.parked
	if was {
		t.waiting.withdraw(w)
		t.next(&out) // it may have stood before some who can share
	}
	t.mu.Unlock()
	out.wake()
	return was
}

// IsLocked reports whether anybody holds it.
func (t *tenancy) IsLocked() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.holders > 0
}

// Close fails all who wait, on conditions of it as well, and all later calls with ErrClosed. Who holds it does so until
// it is unlocked. It does not block; a second call does nothing.
func (t *tenancy) Close() {
	var out wakes
	t.mu.Lock()
	t.closed = true
	for w := t.waiting.Front(); w != nil; w = t.waiting.Front() {
		t.waiting.settle(w, 0, cmp.Or(w.err, ErrClosed), &out) // an error that it has came first
	}
	for c := t.conditions.Pop(); c != nil; c = t.conditions.Pop() {
		c.waiting.settleAll(0, ErrClosed, &out)
	}
	t.mu.Unlock()
	out.wake()
}

// Stats returns a snapshot.
func (t *tenancy) Stats() LockStats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return LockStats{t.holders, t.holders > 0 && t.shared, t.waiting.Len(), t.tenure, t.orphaned, t.closed}
}

// noCopy has go vet find copies of what must not be copied: a copy could be given back once more.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Guard is one hold on a Lock, RWLock or ReentrantLock, and what it is given back by.
type Guard struct {
	_      noCopy
	of     *tenancy
	tenure uint64
	over   bool // given back
}

// lock enters, and blocks until that can be. Who need not wait is spared the Waiter.
func (t *tenancy) lock(ctx context.Context, as role) (*Guard, error) {
	if ctx.Err() != nil {
		return nil, cancellation(ctx)
	}
	if tenure, err := t.take(as); err != ErrWouldBlock {
		return t.guard(tenure, err)
	}
	s, err := acquire(ctx, func(w *Waiter) (bool, error) { return t.park(w, as) })
	if err != nil {
		return nil, err
	}
	return t.guard(s.value, nil)
}

// guard makes what a call returns that has entered.
func (t *tenancy) guard(tenure uint64, err error) (*Guard, error) {
	if err != nil {
		return nil, err
	}
	return &Guard{of: t, tenure: tenure}, nil
}

// with runs f holding what lock returns.
func with(lock func() (*Guard, error), f func(*Guard) error) error {
	g, err := lock()
	if err != nil {
		return err
	}
	defer g.Unlock()
	return f(g)
}

// Unlock gives the hold back, and hands the lock to the first in line. It does not block. It returns ErrNotOwner, and
// changes nothing, if the hold was given back before or was stolen.
func (g *Guard) Unlock() error {
	if g == nil || g.of == nil {
		return ErrNotOwner
	}
	var out wakes
	err := ErrNotOwner
	g.of.mu.Lock()
	if !g.over {
		err = g.of.release(g.tenure, &out)
		g.over = err == nil // if not, a Condition may yet make it hold again
	}
	g.of.mu.Unlock()
	out.wake()
	return err
}

// Abandoned reports whether the hold came after one whose holder went away without giving it back, such as a realm of a
// browser that died: what the lock protects may be half done. It is false if there is no hold now.
func (g *Guard) Abandoned() bool {
	if g == nil || g.of == nil {
		return false
	}
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	return !g.over && g.of.abandoned && g.of.holds(g.tenure)
}

// Lost returns a channel that is closed when the hold is stolen: from then on it protects nothing, and cannot be given
// back. If there is no hold now, as after Unlock and during a wait on a Condition, it returns one that is closed
// already; after such a wait, ask again. A channel that was asked for before the hold was given back is never closed,
// unless somebody is robbed who shared the lock with it.
func (g *Guard) Lost() <-chan struct{} {
	if g == nil || g.of == nil {
		return already
	}
	t := g.of
	t.mu.Lock()
	defer t.mu.Unlock()
	if g.over || !t.holds(g.tenure) {
		return already
	}
	if t.lost == nil {
		t.lost = make(chan struct{})
	}
	return t.lost
}

// already is a closed channel.
var already = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
