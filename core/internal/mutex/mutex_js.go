//go:build js && wasm

package mutex

import "runtime"

// Mutex is a mutex for the one thread of WebAssembly, where each of sync.Mutex's steps is a call or two that is not
// inlined, and costs as much as parking does. Goroutines change places only where one blocks, yields or allocates, so
// nothing comes between looking and taking. The zero Mutex is ready to use.
type Mutex struct{ held bool }

// TryLock takes it and returns true if nobody has it.
func (m *Mutex) TryLock() bool {
	if m.held {
		return false
	}
	m.held = true
	return true
}

// Lock lets other goroutines run until it can take it. Who has it is about to run: no step of a primitive waits.
func (m *Mutex) Lock() {
	for m.held {
		runtime.Gosched()
	}
	m.held = true
}

// Unlock gives it back.
func (m *Mutex) Unlock() { m.held = false }
