//go:build !(js && wasm)

// Package mutex holds the mutex of the primitives: that of package sync, but where there is one thread.
package mutex

import "sync"

// Mutex is a sync.Mutex.
type Mutex = sync.Mutex
