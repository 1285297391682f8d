//go:build js && wasm

// Command hubless is a Go program without a hub.
package main

func main() { select {} }
