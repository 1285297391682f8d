//go:build js && wasm

// Command leaves links a hub, waits for a while and ends before it serves.
package main

import (
	"time"

	"github.com/clca-dev/clca/wasm/hub"
)

func main() {
	hub.Signal("name")
	time.Sleep(50 * time.Millisecond)
	println("nothing comes")
}
