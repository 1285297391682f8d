package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// signal is a named Signal.
type signal struct {
	core.Signal
	plain
	before core.SignalStats // when the name came into use
}

func newSignal() *signal { return new(signal) }

func (s *signal) do(c *call, op abi.Op, _ uint32) answer {
	switch op {
	case abi.OpWait:
		return parked(s.Park(&c.Waiter))
	case abi.OpSignal:
		before := woken
		n := s.Signal.Signal()
		pump = pump || n > woken-before // the others are goroutines
		return done(uint32(n))
	case abi.OpClose:
		s.Close()
		pump = pump || c.object.pinned
		return done(0)
	case abi.OpStats:
		v := s.Stats()
		return numbers(c.session, c.slot, uint64(v.Waiting), v.Signals-s.before.Signals, v.Woken-s.before.Woken)
	}
	return unsupported
}

func (s *signal) settled(c *call) answer {
	if c.Err() != nil {
		return failed(c.Err())
	}
	return done(0)
}

func (s *signal) initial() bool { return true }

func (s *signal) renew() { s.before = s.Stats() }
