package hub

import (
	"context"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// When a hub is lost while its clients live, the next of its name takes back what they hold of it before it grants
// anything that they may hold. It knows how many there are; each reports by OpRetake and OpOccupy, or dies. Until all
// have, calls that take are held up in the order of arrival.
//
// Invariant: a call is held up while its object may be in use by a client that has not reported, or is occupied by a run
// of the lost hub, or others are held up before it.

var (
	unreported uint32                // how many clients have still to report
	generation uint32                // the how manyth hub of its name this is
	reported   = make(chan struct{}) // closed once all have, for the first time
)

// Recovered blocks until JavaScript drives this hub and all clients of a lost hub that it follows have reported what
// they hold, or are dead. Goroutines are not held up as calls from JavaScript are: in a program that is served by a
// SharedWorker, one that takes locks or permits which other realms use too waits for this first. It returns the cause of
// ctx if that ends before.
func Recovered(ctx context.Context) error {
	select {
	case <-reported:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Each hold on a lock has a rank, which its client is told. Who steals the lock has a higher one than those who held it,
// in whatever hub that was: so of two who hold it as far as they know, since the lost hub could not tell them better,
// the right one is known. All who share a lock have one rank.
const (
	ranks   = 1 << 20 // of one generation; after so many thefts they are all alike
	maxRank = 1<<31 - 1
)

// take brings c before its primitive, or holds it up.
func (o *object) take(c *call, priority uint32) answer {
	switch {
	case c.op == abi.OpRetake || c.op == abi.OpOccupy:
		return o.report(c, priority)
	case (unreported > 0 || o.occupied > 0 || o.standing > 0) && o.takes(c.op):
		if c.op == abi.OpTry {
			return done(0)
		}
		o.holdUp(c)
		return answer{}
	}
	a := o.do(c, c.op, c.arg)
	o.closed = o.closed || c.op == abi.OpClose || c.op == abi.OpCloseNow
	if c.op == abi.OpClose {
		for _, each := range o.heldUp {
			if each != nil {
				notices = append(notices, each.tell(failed(core.ErrClosed)))
			}
		}
		o.heldUp, o.standing = nil, 0
	}
	return a
}

// takes says whether op may take what a client that has not reported has.
func (o *object) takes(op abi.Op) bool {
	switch o.key.kind {
	case abi.KindLock, abi.KindReentrantLock, abi.KindRWLock, abi.KindSemaphore, abi.KindResource, abi.KindPool:
		return op == abi.OpAcquire || op == abi.OpTry
	case abi.KindTask, abi.KindOnce:
		return op == abi.OpWait
	case abi.KindCheckpoint:
		return op == abi.OpWait || op == abi.OpArm || op == abi.OpResume
	}
	return false
}

// holdUp has c stand behind all who are held up; where, c.held says.
func (o *object) holdUp(c *call) {
	if len(o.heldUp) > 2*o.standing+16 {
		standing := o.heldUp[:0]
		for _, each := range o.heldUp {
			if each != nil {
				each.held = uint64(len(standing))
				standing = append(standing, each)
			}
		}
		clear(o.heldUp[len(standing):])
		o.heldUp = standing
	}
	c.state, c.held = callHeldUp, uint64(len(o.heldUp))
	o.heldUp = append(o.heldUp, c)
	o.standing++
}

// letGo has c held up no longer.
func (o *object) letGo(c *call) {
	o.heldUp[c.held] = nil
	o.standing--
}

// proceed brings those before the primitive that need not be held up any longer. It returns false if a goroutine is in
// the way.
func (o *object) proceed() bool {
	if unreported > 0 || o.occupied > 0 {
		return true
	}
	for _, c := range o.heldUp {
		switch {
		case c == nil:
			continue
		case o.contended():
			return false
		}
		o.letGo(c)
		c.state, c.held = callWaiting, 0
		pump = pump || o.shared()
		if a := o.do(c, c.op, c.arg); a.told {
			notices = append(notices, c.tell(a))
		}
	}
	o.heldUp = nil
	return true
}

// recovered follows the last report. It returns false if a goroutine is in the way; then it is to be called again.
func recovered() bool {
	for _, o := range names {
		if o.contended() {
			return false
		}
		if s, ok := o.primitive.(*semaphore); ok && s.exceeded {
			s.exceeded = false
			_ = s.Resize(s.permits)
		}
		if !o.proceed() {
			return false
		}
		o.dropIfIdle()
	}
	select {
	case <-reported:
	default:
		close(reported)
		pump = true
	}
	return true
}

// vacated follows the end of a run that occupied o, inside of which nobody is.
func (o *object) vacated() {
	o.occupied--
	o.proceed()
}

// report answers OpRetake and OpOccupy.
func (o *object) report(c *call, rank uint32) answer {
	if !c.session.reports || unreported == 0 {
		return failed(core.ErrNotOwner)
	}
	if c.op == abi.OpOccupy {
		switch o.key.kind {
		case abi.KindTask, abi.KindOnce, abi.KindResource, abi.KindPool:
			o.occupied++
			return answered(abi.StatusHeld, 0)
		}
		return unsupported
	}
	switch p := o.primitive.(type) {
	case *lock:
		return p.retake(c, rank)
	case *semaphore:
		return p.retake(c)
	case *checkpoint:
		return p.retake(c)
	}
	return unsupported
}

// taken is the answer to a claim on what is another's.
var taken = answered(abi.StatusFail, uint32(abi.CodeStolen))

func (p *lock) retake(c *call, rank uint32) answer {
	rank = min(rank, maxRank)
	v := p.Stats()
	switch {
	case v.Closed:
		return failed(core.ErrClosed)
	case rank < p.rank && p.rank != generation*ranks || v.Holders > 0 && v.Tenures != p.retaken:
		return taken // somebody has it, or has had it since
	case v.Holders == 0:
		return p.retakeAs(c, rank)
	case rank == p.rank:
		return p.rejoin(c)
	}
	s, ok := p.locker.(seizer)
	if !ok {
		return taken
	}
	tenure, err := s.Seize()
	if err != nil {
		return failed(err)
	}
	_ = p.Release(tenure)
	return p.retakeAs(c, rank)
}

// retakeAs takes the free lock.
func (p *lock) retakeAs(c *call, rank uint32) answer {
	tenure, err := p.takeAs(abi.LockMode(c.arg))
	switch err {
	case nil:
	case core.ErrWouldBlock: // a goroutine waits for it
		return taken
	default:
		return failed(err)
	}
	p.rank, p.retaken = rank, tenure
	return p.held(c, tenure)
}

// rejoin enters a lock that those have taken back with whom c shared it, or its own session which is inside twice.
func (p *lock) rejoin(c *call) answer {
	switch l := p.locker.(type) {
	case *core.RWLock:
		if abi.LockMode(c.arg) == abi.LockModeShared {
			if tenure, err := l.TakeShared(); err == nil {
				return p.held(c, tenure)
			}
		}
	case *core.ReentrantLock:
		for other := p.holders.first; other != nil; other = other.hold.next {
			if other.session == c.session && l.Reenter(other.held) == nil {
				return p.held(c, other.held)
			}
		}
	}
	return taken
}

// retake takes permits back, also where they are more than there are: the lost hub may have been told of others.
func (p *semaphore) retake(c *call) answer {
	v := p.Stats()
	if want := uint64(v.Held) + uint64(c.arg); want > uint64(v.Size) {
		if want > maxArg {
			return failed(core.ErrTooLarge)
		}
		p.exceeded = true
		_ = p.Resize(int(want))
	}
	if p.Take(int(c.arg)) != nil {
		return failed(core.ErrTooLarge) // goroutines have them, or wait for them
	}
	return p.held(c)
}

// retake arms a checkpoint that holds those who come, though nobody stands there any more.
func (p *checkpoint) retake(c *call) answer {
	isParked, err := p.ParkArm(&c.Waiter)
	pump = pump || c.object.pinned // perhaps some of Go's watch
	if isParked {
		passer := core.Waiter{Waker: nobody{}}
		_, _ = p.Park(&passer)
		passer.Withdraw()
	}
	return parked(isParked, err)
}

// nobody is the Waker of a Waiter that is never woken.
type nobody struct{}

func (nobody) Wake() {}
