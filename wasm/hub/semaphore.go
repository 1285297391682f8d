package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// semaphore is a named Semaphore.
type semaphore struct {
	*core.Semaphore
	totalless
	keepsNothing
	permits  int  // at first
	exceeded bool // more were taken back from a lost hub than there are
}

func newSemaphore(permits uint32) primitive {
	s, err := core.NewSemaphore(int(min(permits, maxArg+1)))
	if err != nil || permits > maxArg {
		return nil
	}
	return &semaphore{Semaphore: s, permits: int(permits)}
}

func (p *semaphore) do(c *call, op abi.Op, arg uint32) answer {
	switch op {
	case abi.OpAcquire:
		isParked, err := p.Park(&c.Waiter, int(arg))
		if isParked || err != nil {
			return parked(isParked, err)
		}
		return p.held(c)
	case abi.OpTry:
		return tried(p.Take(int(arg)), func() answer { return p.held(c) })
	case abi.OpResize:
		return parked(false, p.Resize(int(arg)))
	case abi.OpClose:
		p.Close()
		return done(0)
	case abi.OpStats:
		v := p.Stats()
		return numbers(c.session, c.slot, uint64(v.Size), uint64(v.Held), uint64(v.Available), uint64(v.Waiting))
	}
	return unsupported
}

func (p *semaphore) held(c *call) answer {
	c.held = uint64(c.arg)
	return answered(abi.StatusHeld, 0)
}

func (p *semaphore) settled(c *call) answer {
	if c.Err() != nil {
		return failed(c.Err())
	}
	return p.held(c)
}

func (p *semaphore) end(c *call, _ abi.Ending) { _ = p.Release(int(c.held)) }

func (p *semaphore) initial() bool {
	v := p.Stats()
	return v.Held == 0 && (v.Size == p.permits || v.Closed)
}
