package core

import "context"

// Checkpoint lets somebody outside stop callers at a chosen place, be sure that they have stopped, and let them go on.
// Callers pass it with Wait, which costs next to nothing until a controller calls Arm.
//
//	Disarmed --Arm--> Armed --a caller parks--> Holding --Resume--> Disarmed
//	                  Armed --Disarm, or Arm is cancelled--> Disarmed
//
// Invariants: an Arm waits exactly in Armed; callers are parked only in Holding; who watches waits only in Disarmed. A
// caller that leaves takes nobody with it: Holding without callers is still Holding, and the next to come parks. The zero
// Checkpoint is Disarmed and ready to use.
type Checkpoint struct {
	gate
	state      CheckpointState
	arming     queue // the waiting Arm, in Armed
	waiting    queue // the parked callers, in Holding
	watching   queue // those who wait for an Arm, in Disarmed
	generation uint64
	resumed    uint64
}

// CheckpointState says what a Checkpoint does with those who come.
type CheckpointState uint8

// The states of a Checkpoint.
const (
	Disarmed CheckpointState = iota // lets everybody pass
	Armed                           // will park the next to come
	Holding                         // parks everybody
)

// String returns the name of the state.
func (s CheckpointState) String() string { return [...]string{"Disarmed", "Armed", "Holding"}[s] }

// CheckpointStats is a snapshot of a Checkpoint.
type CheckpointStats struct {
	State      CheckpointState
	Waiting    int    // callers parked now
	Generation uint64 // how often it was armed
	Resumed    uint64 // callers let go by Resume so far
	Closed     bool
}

// Arm makes the next caller of Wait park, and blocks until one really has. It returns ErrAlreadyArmed unless the
// Checkpoint is Disarmed, ErrDisarmed if Disarm withdraws it, ErrClosed, or the cancellation of ctx; a cancelled or
// disarmed Arm leaves the Checkpoint Disarmed, a successful one leaves it Holding.
func (c *Checkpoint) Arm(ctx context.Context) error {
	_, err := block(ctx, c.ParkArm)
	return err
}

// Wait returns nil at once while the Checkpoint is Disarmed. Else it blocks until Resume and then returns nil; ErrClosed
// and the cancellation of ctx are the other outcomes.
//
// In WebAssembly a goroutine that does nothing but pass keeps the event loop from turning, so nobody can arm: let it sleep
// now and then.
func (c *Checkpoint) Wait(ctx context.Context) error {
	if c.passes() && ctx.Err() == nil {
		return nil
	}
	_, err := block(ctx, c.Park)
	return err
}

// passes spares those who need not park a Waiter.
func (c *Checkpoint) passes() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state == Disarmed && !c.closed
}

// Watch blocks until somebody calls Arm, and returns nil; at once unless the Checkpoint is Disarmed. Until then, whoever
// passes it may spare the call. ErrClosed and the cancellation of ctx are the other outcomes.
func (c *Checkpoint) Watch(ctx context.Context) error {
	_, err := block(ctx, c.ParkWatch)
	return err
}

// Resume lets all parked callers go, disarms, and returns how many they were. While Arm still waits for the first of
// them, and when not armed, it does nothing and returns 0. It does not block.
func (c *Checkpoint) Resume() int {
	var out wakes
	c.mu.Lock()
	n := c.resume(&out)
	c.mu.Unlock()
	out.wake()
	return n
}

// ResumeGeneration is Resume for one arming alone: it does nothing and returns 0 unless the generation, as it was
// returned by Waiter.Value of a ParkArm, is the one that holds now. By it an event loop takes back what a caller armed
// that is gone, and never what somebody armed later.
func (c *Checkpoint) ResumeGeneration(generation uint64) int {
	var out wakes
	n := 0
	c.mu.Lock()
	if c.generation == generation {
		n = c.resume(&out)
	}
	c.mu.Unlock()
	out.wake()
	return n
}

func (c *Checkpoint) resume(out *wakes) int {
	if c.state != Holding {
		return 0
	}
	c.state = Disarmed
	n := c.waiting.settleAll(0, nil, out)
	c.resumed += uint64(n)
	return n
}

// Disarm withdraws an Arm that still waits, which fails with ErrDisarmed, and returns true. In every other state it does
// nothing and returns false: callers that have parked are let go by Resume. It does not block.
func (c *Checkpoint) Disarm() bool {
	var out wakes
	c.mu.Lock()
	disarmed := c.state == Armed
	if disarmed {
		c.state = Disarmed
		c.arming.settleAll(0, ErrDisarmed, &out)
	}
	c.mu.Unlock()
	out.wake()
	return disarmed
}

// Park is the passive form of Wait. It returns false with nil if the caller may pass, true if w was parked until Resume
// or Close, and false with ErrClosed or ErrParked.
func (c *Checkpoint) Park(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	var out wakes
	c.mu.Lock()
	if c.closed || w.parked || c.state == Disarmed {
		defer c.mu.Unlock()
		switch {
		case c.closed:
			return false, ErrClosed
		case w.parked:
			return false, ErrParked
		}
		return false, nil
	}
	c.state = Holding
	c.waiting.park(w, c, roleWait)
	c.arming.settleAll(c.generation, nil, &out)
	c.mu.Unlock()
	out.wake()
	return true, nil
}

// ParkWatch is the passive form of Watch. It returns false with nil unless the Checkpoint is Disarmed, true if w was
// parked until it is not, and false with ErrClosed or ErrParked. Whoever watches is woken before the Arm has parked
// anybody.
func (c *Checkpoint) ParkWatch(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return false, ErrClosed
	case w.parked:
		return false, ErrParked
	case c.state != Disarmed:
		return false, nil
	}
	c.watching.park(w, c, roleWatch)
	return true, nil
}

// ParkArm is the passive form of Arm. It returns true if w was parked until a caller is, and false with ErrAlreadyArmed,
// ErrClosed or ErrParked. Once granted, Waiter.Value is the generation for ResumeGeneration.
func (c *Checkpoint) ParkArm(w *Waiter) (bool, error) {
	if w.unfit() {
		return false, errUnfit
	}
	var out wakes
	c.mu.Lock()
	var err error
	switch {
	case c.closed:
		err = ErrClosed
	case w.parked:
		err = ErrParked
	case c.state != Disarmed:
		err = ErrAlreadyArmed
	default:
		c.state = Armed
		c.generation++
		c.arming.park(w, c, roleArm)
		c.watching.settleAll(0, nil, &out)
	}
	c.mu.Unlock()
	out.wake()
	return err == nil, err
}

func (c *Checkpoint) withdraw(w *Waiter) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !w.parked {
		return false
	}
	switch w.role {
	case roleArm:
		c.state = Disarmed
		c.arming.withdraw(w)
	case roleWatch:
		c.watching.withdraw(w)
	default:
		c.waiting.withdraw(w)
	}
	return true
}

// Close fails the waiting Arm, all who are parked or watch and all later calls with ErrClosed. It does not block; a
// second call does nothing.
func (c *Checkpoint) Close() {
	var out wakes
	c.mu.Lock()
	c.closed, c.state = true, Disarmed
	c.arming.settleAll(0, ErrClosed, &out)
	c.waiting.settleAll(0, ErrClosed, &out)
	c.watching.settleAll(0, ErrClosed, &out)
	c.mu.Unlock()
	out.wake()
}

// Stats returns a snapshot.
func (c *Checkpoint) Stats() CheckpointStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return CheckpointStats{c.state, c.waiting.callers(), c.generation, c.resumed, c.closed}
}
