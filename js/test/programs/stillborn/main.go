//go:build js && wasm

// Command stillborn is a hub that ends as soon as it serves.
package main

import (
	"time"

	"github.com/clca-dev/clca/wasm/hub"
)

func main() {
	time.Sleep(50 * time.Millisecond) // so that the loader waits for it: it serves, and ends in the same breath
	go func() { panic("it was too soon") }()
	hub.Serve()
}
