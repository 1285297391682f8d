package core

import "github.com/clca-dev/clca/core/internal/mutex"

// effects are the calls that a machine owes to the runner of its shared function. They are queued under the machine's
// mutex and carried out after it was released, one at a time and in order, so that no runner ever sees the cancellation
// of a run before its start, however many threads drive the machine.
type effects struct {
	queue   []func()
	running bool
}

func (e *effects) add(f func()) { e.queue = append(e.queue, f) }

// unlock ends a step: it releases mu, wakes out, and carries out what is owed, unless somebody is doing that already.
func (e *effects) unlock(mu *mutex.Mutex, out *wakes) {
	mine := len(e.queue) > 0 && !e.running
	if mine {
		e.running = true
	}
	mu.Unlock()
	out.wake()
	for mine {
		mu.Lock()
		if mine = len(e.queue) > 0; !mine {
			e.queue, e.running = nil, false
			mu.Unlock()
			return
		}
		next := e.queue[0]
		e.queue = e.queue[1:]
		mu.Unlock()
		next()
	}
}
