//go:build js && wasm

// The smallest Go program that uses syscall/js: what any other costs at least, in size and to start.
package main

import "syscall/js"

func main() {
	js.Global().Call("started")
	select {}
}
