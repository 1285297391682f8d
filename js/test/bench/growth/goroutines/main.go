//go:build js && wasm

// Command goroutines parks goroutines, each on the same channel: what a hub's calls would cost if they were some.
package main

import "syscall/js"

func main() {
	woken := make(chan struct{})
	park := func(_ js.Value, args []js.Value) any {
		for range args[0].Int() {
			go func() { <-woken }()
		}
		return nil
	}
	wake := func(js.Value, []js.Value) any {
		close(woken)
		woken = make(chan struct{})
		return nil
	}
	js.Global().Call("started", map[string]any{"park": js.FuncOf(park), "wake": js.FuncOf(wake)})
	select {}
}
