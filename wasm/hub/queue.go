package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// queue is a named Queue of items, which JavaScript keeps: here, they are numbers. What a call has got stays a claim
// until its client has confirmed it; a client that is gone before that, or did not want it any more, has not got it.
type queue struct {
	*core.Queue[item]
	before uint64 // how many items had been put when the name came into use
}

type item struct {
	number   uint32
	priority int32
}

func newQueue(arg uint32) primitive {
	if arg == abi.Unsaid {
		arg = abi.QueueUnbounded
	}
	q := shape(arg)
	if q == nil {
		return nil
	}
	return &queue{Queue: q}
}

// shape returns a new Queue of that creation argument, or nil if it makes no sense.
func shape(arg uint32) *core.Queue[item] {
	capacity := int(arg & abi.QueueUnbounded)
	if capacity == abi.QueueUnbounded {
		capacity = core.Unbounded
	}
	var q *core.Queue[item]
	switch abi.QueueOrder(arg >> abi.QueueOrderShift) {
	case abi.QueueOrderFifo:
		q, _ = core.NewQueue[item](capacity)
	case abi.QueueOrderLifo:
		q, _ = core.NewStack[item](capacity)
	case abi.QueueOrderPriority:
		q, _ = core.NewPriorityQueue(capacity, func(i item) int { return int(i.priority) })
	}
	return q
}

// becomes gives a queue that was named without saying what it is like the shape of who says so first.
func (p *queue) becomes(arg uint32) bool {
	q := shape(arg)
	return q != nil && (p.Adopt(q) || arg == abi.QueueUnbounded)
}

func (p *queue) do(c *call, op abi.Op, arg uint32) answer {
	switch op {
	case abi.OpPut:
		isParked, err := p.ParkPut(&c.Waiter, item{arg, c.Priority})
		if err != nil {
			free(arg)
		}
		return parked(isParked, err)
	case abi.OpTryPut:
		switch err := p.TryPut(item{arg, c.Priority}); err {
		case nil:
			return done(1)
		case core.ErrWouldBlock:
			free(arg)
			return done(0)
		default:
			free(arg)
			return failed(err)
		}
	case abi.OpGet, abi.OpTake:
		isParked, err := p.ParkGet(&c.Waiter)
		if isParked || err != nil {
			return parked(isParked, err)
		}
		return p.claimed(c, c.Value())
	case abi.OpTryGet:
		claim, err := p.Claim()
		return tried(err, func() answer { return p.claimed(c, claim) })
	case abi.OpAcquire:
		return answered(abi.StatusHeld, 0)
	case abi.OpTaskDone:
		return parked(false, p.TaskDone())
	case abi.OpJoin:
		return parked(p.ParkJoin(&c.Waiter))
	case abi.OpClose:
		p.Close()
		return done(0)
	case abi.OpCloseNow:
		items := p.CloseNow()
		for _, i := range items {
			notify(c.session, c.slot, abi.StatusItem, i.number)
			free(i.number)
		}
		return done(uint32(len(items)))
	case abi.OpStats:
		v := p.Stats()
		return numbers(c.session, c.slot, uint64(v.Len), uint64(v.Capacity), uint64(v.Getting), uint64(v.Putting),
			uint64(v.Unfinished), v.Puts-p.before)
	}
	return unsupported
}

// free has the hub's realm forget an item.
func free(number uint32) { notify(nil, 0, abi.StatusFree, number) }

func (p *queue) claimed(c *call, claim uint64) answer {
	if c.op == abi.OpTake {
		return answered(abi.StatusResult, p.Take(claim).number)
	}
	c.held = claim
	return answered(abi.StatusLent, p.Claimed(claim).number)
}

func (p *queue) settled(c *call) answer {
	switch {
	case c.Err() != nil:
		p.withdrawn(c)
		return failed(c.Err())
	case c.op == abi.OpGet || c.op == abi.OpTake:
		return p.claimed(c, c.Value())
	}
	return done(0)
}

func (p *queue) end(c *call, how abi.Ending) {
	switch {
	case c.op == abi.OpAcquire:
	case how == abi.EndingKept:
		free(p.Take(c.held).number)
	default:
		p.putBack(c.held)
	}
}

func (p *queue) putBack(claims ...uint64) {
	items := make([]uint32, len(claims))
	for i, claim := range claims {
		items[i] = p.Claimed(claim).number
	}
	if !p.PutBack(claims...) {
		for _, number := range items {
			free(number)
		}
	}
}

// leaveQueues ends what s does with queues. All that it has got of one and not confirmed is put back at once, so that
// those who wait get it in order.
func (s *session) leaveQueues() {
	var claims map[*queue][]uint64
	for _, c := range s.calls {
		if c == nil {
			continue
		}
		q, ok := c.object.primitive.(*queue)
		if !ok {
			continue
		}
		if c.state != callHolding || c.op == abi.OpAcquire {
			c.finish(abi.EndingBack)
		} else if claims == nil {
			claims = map[*queue][]uint64{q: {c.held}}
		} else {
			claims[q] = append(claims[q], c.held)
		}
		c.state = callVoid
	}
	for q, held := range claims {
		q.putBack(held...)
	}
}

func (p *queue) withdrawn(c *call) {
	if c.op == abi.OpPut {
		free(c.arg)
	}
}

func (p *queue) initial() bool {
	v := p.Stats()
	return v.Len == 0 && (v.Unfinished == 0 || v.Closed)
}

func (p *queue) renew() { p.before = p.Stats().Puts }
