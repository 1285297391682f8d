package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// resource is a named SharedResource. It lives in the session that started it, which also stops it; all others hold a
// copy of its value.
type resource struct {
	core.ResourceSteps
	keepsNothing
	totalless
	run     *run   // from its start to the end of its stop
	failure uint32 // the run whose start failed last
	holders map[*call]struct{}
}

func newResource() *resource {
	p := &resource{holders: map[*call]struct{}{}}
	p.Runner = p
	return p
}

func (p *resource) do(c *call, op abi.Op, _ uint32) answer {
	switch op {
	case abi.OpAcquire:
		if isParked, err := p.Park(&c.Waiter); isParked {
			return answer{}
		} else if err != nil {
			return failed(err)
		}
		return p.held(c)
	case abi.OpClose:
		p.Close()
		return done(0)
	case abi.OpStats:
		v := p.Stats()
		return numbers(c.session, c.slot, uint64(v.Waiting), uint64(v.State), uint64(v.Held), v.Runs)
	}
	return unsupported
}

func (p *resource) settled(c *call) answer {
	switch err := c.Err(); {
	case err == errRejected:
		return answered(abi.StatusReject, p.failure)
	case err != nil:
		return failed(err)
	}
	return p.held(c)
}

func (p *resource) held(c *call) answer {
	p.holders[c] = struct{}{}
	return answered(abi.StatusLent, p.run.number)
}

func (p *resource) end(c *call, _ abi.Ending) {
	delete(p.holders, c)
	p.Release(c.Value())
}

func (p *resource) initial() bool { return p.Stats().State == core.ResourceIdle }

// Start has the session that has waited longest start its resource.
func (p *resource) Start(number uint64, by core.Waker) { p.run = begin(by.(*call), p, number) }

// Cancel tells the session that starts it.
func (p *resource) Cancel(_ uint64, cause error) {
	notify(p.run.session, uint32(codeOf(cause)), abi.StatusCancel, p.run.number)
}

// Closing tells all who hold it.
func (p *resource) Closing(uint64) { p.tell(abi.CodeClosed) }

// Stop has the session that started it stop it.
func (p *resource) Stop(uint64) { notify(p.run.session, 0, abi.StatusStop, p.run.number) }

func (p *resource) tell(code abi.Code) {
	for c := range p.holders {
		notify(c.session, c.slot, abi.StatusLost, uint32(code))
	}
}

func (p *resource) finished(r *run, outcome abi.Outcome) {
	switch state := p.Stats().State; {
	case state == core.ResourceStarting && outcome == abi.OutcomeResult:
		p.Started(r.core, nil)
	case state == core.ResourceStarting:
		p.failure = r.number
		p.run = nil
		r.over()
		p.Started(r.core, errRejected)
	case state == core.ResourceCancelling && outcome == abi.OutcomeResult:
		p.Started(r.core, nil) // and at once Stop
	case state == core.ResourceCancelling:
		p.run = nil
		r.over()
		p.Started(r.core, errRejected)
	case state == core.ResourceStopping:
		p.run = nil
		r.over()
		p.Stopped(r.core, nil)
	}
}

func (p *resource) lost(r *run) {
	p.run = nil
	p.tell(abi.CodeOwnerLost)
	for c := range p.holders {
		c.state = callVoid
	}
	clear(p.holders)
	p.Lose(r.core)
}
