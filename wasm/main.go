//go:build js && wasm

// The prebuilt module of the npm package clca: a hub, and the Promise API of package promise for the code in its realm.
//
// There, hub.go.signal(name) and hub.go.checkpoint(name) return the objects of package promise for the primitives that
// hub.signal(name) and hub.checkpoint(name) use.
package main

import (
	"syscall/js"

	"github.com/clca-dev/clca/wasm/hub"
	"github.com/clca-dev/clca/wasm/promise"
)

func main() {
	promise.NewError = hub.Error
	hub.Publish("signal", named(func(name string) js.Value { return promise.Signal(hub.Signal(name)) }))
	hub.Publish("checkpoint", named(func(name string) js.Value { return promise.Checkpoint(hub.Checkpoint(name)) }))
	hub.ServeOnly()
}

// named returns a function that makes one object per name. A name that is not a string of whole characters has none: a
// lone surrogate would be the same name to Go as any other.
func named(make func(name string) js.Value) js.Func {
	objects := map[string]js.Value{}
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) == 0 || args[0].Type() != js.TypeString || !js.ValueOf(args[0].String()).Equal(args[0]) {
			return js.Undefined()
		}
		name := args[0].String()
		object, made := objects[name]
		if !made {
			object = make(name)
			objects[name] = object
		}
		return object
	})
}
