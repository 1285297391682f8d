//go:build js && wasm

// The textbook way to show a wait in Go to JavaScript: each call makes a js.Func for the Promise's executor, and a
// goroutine that blocks until the signal comes and then resolves it.
package main

import (
	"sync"
	"syscall/js"
)

// signal wakes its waiters by closing a channel.
type signal struct {
	mu      sync.Mutex
	next    chan struct{}
	waiting int
}

func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting++
	return s.next
}

func (s *signal) signal() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.waiting
	close(s.next)
	s.next, s.waiting = make(chan struct{}), 0
	return n
}

func main() {
	s := signal{next: make(chan struct{})}
	promise := js.Global().Get("Promise")
	wait := func(js.Value, []js.Value) any {
		woken := s.wait()
		executor := js.FuncOf(func(_ js.Value, args []js.Value) any {
			resolve := args[0]
			go func() {
				<-woken
				resolve.Invoke()
			}()
			return nil
		})
		defer executor.Release()
		return promise.New(executor)
	}
	js.Global().Call("started", map[string]any{
		"wait":   js.FuncOf(wait),
		"signal": js.FuncOf(func(js.Value, []js.Value) any { return s.signal() }),
	})
	select {}
}
