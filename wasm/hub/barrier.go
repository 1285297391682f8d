package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// barrier is a named Barrier.
type barrier struct {
	*core.Barrier
	plain
	before core.BarrierStats // when the name came into use
}

func newBarrier(parties uint32) primitive {
	b, err := core.NewBarrier(int(min(parties, maxArg+1)), nil)
	if err != nil || parties > maxArg {
		return nil
	}
	return &barrier{Barrier: b}
}

func (p *barrier) do(c *call, op abi.Op, _ uint32) answer {
	switch op {
	case abi.OpWait:
		isParked, err := p.Park(&c.Waiter)
		if isParked || err != nil {
			return parked(isParked, err)
		}
		return done(uint32(c.Value()))
	case abi.OpReset:
		return done(uint32(p.Reset()))
	case abi.OpTest:
		return doneIf(p.Stats().Broken)
	case abi.OpClose:
		p.Close()
		return done(0)
	case abi.OpStats:
		v := p.Stats()
		return numbers(c.session, c.slot, uint64(v.Parties), uint64(v.Waiting), v.Generation-p.before.Generation, bit(v.Broken))
	}
	return unsupported
}

func (p *barrier) settled(c *call) answer {
	if c.Err() != nil {
		return failed(c.Err())
	}
	return done(uint32(c.Value()))
}

func (p *barrier) initial() bool { return !p.Stats().Broken }

func (p *barrier) renew() { p.before = p.Stats() }
