package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// checkpoint is a named Checkpoint. The call that armed it holds that generation: if its session ends, the generation
// is resumed, and no later one.
type checkpoint struct {
	*core.Checkpoint
	keepsNothing
	armed  *call                // the one that holds the generation, or held one that is over
	before core.CheckpointStats // when the name came into use
}

func newCheckpoint() *checkpoint { return &checkpoint{Checkpoint: new(core.Checkpoint)} }

func (p *checkpoint) do(c *call, op abi.Op, _ uint32) answer {
	before := woken
	var a answer
	switch op {
	case abi.OpWait:
		a = parked(p.Park(&c.Waiter))
		pump = pump || c.object.pinned && woken == before // perhaps it has told an Arm of Go's
	case abi.OpArm:
		a = parked(p.ParkArm(&c.Waiter))
		pump = pump || c.object.pinned
	case abi.OpWatch:
		if isParked, _ := p.ParkWatch(&c.Waiter); isParked {
			return answer{}
		}
		return answered(abi.StatusArmed, c.arg)
	case abi.OpResume:
		n := p.Resume()
		pump = pump || n > woken-before
		a = done(uint32(n))
	case abi.OpDisarm:
		disarmed := p.Disarm()
		pump = pump || disarmed && woken == before
		a = doneIf(disarmed)
	case abi.OpClose:
		p.Close()
		pump = pump || c.object.pinned
		a = done(0)
	case abi.OpStats:
		v := p.Stats()
		return numbers(c.session, c.slot, uint64(v.Waiting), uint64(v.State), v.Generation-p.before.Generation,
			v.Resumed-p.before.Resumed)
	default:
		return unsupported
	}
	p.lapse()
	return a
}

func (p *checkpoint) settled(c *call) answer {
	switch {
	case c.op == abi.OpWatch:
		return answered(abi.StatusArmed, c.arg) // or closed: another may be armed
	case c.Err() != nil:
		return failed(c.Err())
	case c.op == abi.OpArm || c.op == abi.OpRetake:
		p.lapse()
		p.armed = c
		return answered(abi.StatusHeld, uint32(c.Value()))
	}
	return done(0)
}

func (p *checkpoint) end(c *call, _ abi.Ending) {
	before := woken
	n := p.ResumeGeneration(c.Value())
	pump = pump || n > woken-before
	if p.armed == c {
		p.armed = nil
	}
}

// lapse ends the call that holds a generation which is over.
func (p *checkpoint) lapse() {
	c := p.armed
	if c == nil {
		return
	}
	if v := p.Stats(); v.State == core.Holding && v.Generation == c.Value() {
		return
	}
	p.armed = nil
	notices = append(notices, c.tell(answered(abi.StatusEnded, 0)))
}

func (p *checkpoint) initial() bool { return p.Stats().State == core.Disarmed }

func (p *checkpoint) renew() { p.before = p.Stats() }
