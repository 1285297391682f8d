//go:build js && wasm

// Command garbage is a hub that tells of Go's collector, whenever it is asked and at no cost to it.
package main

import (
	"runtime/metrics"
	"unsafe"

	"github.com/clca-dev/clca/wasm/hub"
)

// told are the figures in the order in which the page knows them.
var told = []metrics.Sample{
	{Name: "/gc/cycles/total:gc-cycles"},
	{Name: "/gc/heap/allocs:bytes"},
	{Name: "/gc/heap/allocs:objects"},
	{Name: "/gc/heap/live:bytes"},
	{Name: "/gc/heap/goal:bytes"},
	{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
	{Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
	{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
	{Name: "/cpu/classes/gc/pause:cpu-seconds"},
}

var figures [16]float64

// measure brings the figures up to date and returns where they are.
//
//go:wasmexport measure
func measure() uintptr {
	metrics.Read(told)
	for i, s := range told {
		switch s.Value.Kind() {
		case metrics.KindUint64:
			figures[i] = float64(s.Value.Uint64())
		case metrics.KindFloat64:
			figures[i] = s.Value.Float64()
		}
	}
	return uintptr(unsafe.Pointer(&figures))
}

func main() { hub.ServeOnly() }
