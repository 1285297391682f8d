//go:build js && wasm

// Command dies is a hub that ends in the way it is told to: by a function that it publishes, or by a signal that one of
// its goroutines waits for.
package main

import (
	"context"
	"os"
	"syscall/js"

	"github.com/clca-dev/clca/wasm/hub"
)

var ways = map[string]func(){
	"panics": func() { panic("it had to be") },
	"faults": func() {
		var p *struct{ field [1 << 20]byte }
		println(p.field[5])
	},
	"exits":     func() { os.Exit(3) },
	"overflows": func() { println(deeper(0)) },
	"exhausts": func() {
		for {
			hoard = append(hoard, make([]byte, 1<<28)) // which nobody touches
		}
	},
}

var hoard [][]byte

func deeper(n int) int { return deeper(n+1) + 1 }

func main() {
	for way, die := range ways {
		f := js.FuncOf(func(js.Value, []js.Value) any {
			die()
			return nil
		})
		hub.Publish(way, f)
		told := hub.Signal(way)
		go func() {
			if told.Wait(context.Background()) == nil {
				die()
			}
		}()
	}
	hub.Serve()
}
