//go:build js && wasm

// Command returns links a hub and ends before it serves.
package main

import "github.com/clca-dev/clca/wasm/hub"

func main() {
	hub.Signal("name")
	println("nothing to do")
}
