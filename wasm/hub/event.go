package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// event is a named Event.
type event struct {
	*core.Event
	plain
	before core.EventStats // when the name came into use
}

func newEvent() *event { return &event{Event: new(core.Event)} }

func (p *event) do(c *call, op abi.Op, _ uint32) answer {
	switch op {
	case abi.OpWait:
		return parked(p.Park(&c.Waiter))
	case abi.OpSet:
		return done(uint32(p.Set()))
	case abi.OpClear:
		return doneIf(p.Clear())
	case abi.OpTest:
		return doneIf(p.IsSet())
	case abi.OpClose:
		p.Close()
		return done(0)
	case abi.OpStats:
		v := p.Stats()
		return numbers(c.session, c.slot, bit(v.Set), uint64(v.Waiting), v.Sets-p.before.Sets)
	}
	return unsupported
}

func (p *event) settled(c *call) answer { return parked(false, c.Err()) }

func (p *event) initial() bool { return !p.IsSet() }

func (p *event) renew() { p.before = p.Stats() }
