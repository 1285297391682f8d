package core

import (
	"context"
	"errors"
)

// The errors of this package, for errors.Is.
var (
	// ErrClosed is returned by calls on a closed primitive, those that were waiting included.
	ErrClosed = errors.New("clca: closed")
	// ErrAlreadyArmed is returned by Checkpoint.Arm while the checkpoint is armed or holds callers.
	ErrAlreadyArmed = errors.New("clca: checkpoint already armed")
	// ErrDisarmed is returned by a waiting Checkpoint.Arm that Disarm withdrew.
	ErrDisarmed = errors.New("clca: checkpoint disarmed")
	// ErrNotOwner is returned when something is given back by one who does not hold it.
	ErrNotOwner = errors.New("clca: not the owner")
	// ErrReentrant is returned when the function that is being run waits for its own end.
	ErrReentrant = errors.New("clca: waits for itself")
	// ErrStopTimeout is returned when a cancelled function did not end within the StopTimeout.
	ErrStopTimeout = errors.New("clca: did not stop in time")
	// ErrNoConsumers is the cause with which a shared function is cancelled when nobody waits for it any more.
	ErrNoConsumers = errors.New("clca: nobody waits any more")
	// ErrWouldBlock is returned by calls that never wait, such as Lock.TryLock, where they would have to.
	ErrWouldBlock = errors.New("clca: would block")
	// ErrInvalid is what errors about arguments that make no sense are; each says what is wrong.
	ErrInvalid = errors.New("clca: invalid argument")
	// ErrTooLarge is returned when more is asked for than there can ever be.
	ErrTooLarge = errors.New("clca: more than there is in all")
	// ErrOverRelease is returned when more is given back, counted down or done than there was.
	ErrOverRelease = errors.New("clca: more given back than taken")
	// ErrBroken is returned at a Barrier that somebody has left before it was full, and until it is reset.
	ErrBroken = errors.New("clca: barrier broken")
	// ErrParked is returned by a passive step that is given a Waiter which is parked already.
	ErrParked = errors.New("clca: waiter is already parked")
)

// invalid is an ErrInvalid that says what is wrong.
type invalid string

func (e invalid) Error() string        { return "clca: " + string(e) }
func (e invalid) Is(target error) bool { return target == ErrInvalid }

const errNoFunction = invalid("the function must be given")

// PanicError is what the callers of a shared function get when it panicked or left by runtime.Goexit.
type PanicError struct {
	Value any    // what was passed to panic; nil after runtime.Goexit
	Stack []byte // where
}

// Error describes the panic in one line.
func (e *PanicError) Error() string {
	switch v := e.Value.(type) {
	case nil:
		return "clca: shared function left by runtime.Goexit"
	case error:
		return "clca: shared function panicked: " + v.Error()
	case string:
		return "clca: shared function panicked: " + v
	}
	return "clca: shared function panicked"
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// cancelled is the error of a call whose context ended for a cause of its own.
type cancelled struct{ err, cause error }

func (c *cancelled) Error() string   { return c.err.Error() + ": " + c.cause.Error() }
func (c *cancelled) Unwrap() []error { return []error{c.err, c.cause} }

// cancellation returns the error of a call that ended because ctx did.
func cancellation(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || cause == err {
		return err
	}
	return &cancelled{err, cause}
}
