package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// latch is a named CountdownLatch.
type latch struct {
	*core.CountdownLatch
	totalless
	plain
	count int // at first
}

func newLatch(count uint32) primitive {
	if count > maxArg {
		return nil
	}
	l, err := core.NewCountdownLatch(int(count))
	if err != nil {
		return nil
	}
	return &latch{CountdownLatch: l, count: int(count)}
}

func (p *latch) do(c *call, op abi.Op, arg uint32) answer {
	switch op {
	case abi.OpWait:
		return parked(p.Park(&c.Waiter))
	case abi.OpCountDown:
		remaining, err := p.CountDown(int(arg))
		if err != nil {
			return failed(err)
		}
		return done(uint32(remaining))
	case abi.OpClose:
		p.Close()
		return done(0)
	case abi.OpStats:
		v := p.Stats()
		return numbers(c.session, c.slot, uint64(v.Remaining), uint64(v.Waiting))
	}
	return unsupported
}

func (p *latch) settled(c *call) answer { return parked(false, c.Err()) }

func (p *latch) initial() bool { v := p.Stats(); return v.Remaining == p.count || v.Closed }
