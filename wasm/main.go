//go:build js && wasm

// The prebuilt module of the npm package clca: a hub, and the Promise API for the code in the hub's own realm.
package main

import "github.com/clca-dev/clca/wasm/hub"

func main() {
	hub.Serve()
}
