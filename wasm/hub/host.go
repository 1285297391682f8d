//go:build js && wasm

package hub

import (
	"errors"
	"runtime"
	"syscall/js"

	"github.com/clca-dev/clca/wasm/hub/abi"
)

// All that needs JavaScript is in this file. The others build anywhere, so that they can be fuzzed natively.

// Serve lets JavaScript in and blocks until the hub is closed. A program calls it once, when what it shares is in
// place.
func Serve() {
	serving = true
	if host.Truthy() {
		host.Call("ready")
	}
	for {
		select {
		case <-closed:
			return
		case <-collect:
			runtime.GC()
		}
	}
}

// ServeOnly is Serve for a program that does nothing else: it has no goroutines of its own that call JavaScript, but for
// those of package promise. The garbage collector is given its time in smaller pieces then.
func ServeOnly() {
	only = true
	Serve()
}

var (
	serving bool
	closed  = make(chan struct{})
	collect = make(chan struct{}, 1)
)

// Publish shows a value to the code in the hub's realm, as hub.go[name].
func Publish(name string, value any) { published.Set(name, value) }

var (
	published = js.Global().Get("Object").New()
	host      js.Value // what the loader passed in: ready(), bell() and error(code)
)

// Error returns what JavaScript gets for an error of core: an instance of the class that the npm package has for it, or
// an Error with its message.
func Error(err error) js.Value {
	for _, known := range coded {
		if errors.Is(err, known.err) && host.Truthy() {
			return host.Call("error", uint32(known.code))
		}
	}
	return js.Global().Get("Error").New(err.Error())
}

// boot introduces the loader. It returns a function to be called with the loader's object; the function answers with
// what was published.
func boot() js.Func {
	var f js.Func
	f = js.FuncOf(func(_ js.Value, args []js.Value) any {
		host = args[0]
		if serving {
			host.Call("ready")
		}
		f.Release()
		return published
	})
	return f
}

func init() { bell = func() { host.Call("bell") } }

// exportBoot returns the version of this binary interface; boot says what becomes of the function that it makes.
//
//go:wasmexport clca_boot
func exportBoot() uint32 {
	boot()
	return abi.Version
}

// exportCollect has Go's collector run when Go is resumed next. The engine compiles the collector when it runs for the
// first time, which takes longer than any later run: it is for when nobody minds.
//
//go:wasmexport clca_collect
func exportCollect() uint32 {
	select {
	case collect <- struct{}{}:
	default:
	}
	return abi.Pump
}

// exportClose ends all sessions with the reason that the hub is closed, and lets Serve return.
//
//go:wasmexport clca_close
func exportClose() uint32 {
	select {
	case <-closed:
	default:
		close(closed)
	}
	return abi.Pump
}
