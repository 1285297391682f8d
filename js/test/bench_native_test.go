//go:build !js

package browser_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clca-dev/clca/core"
)

// BenchmarkNative measures core alone.
func BenchmarkNative(b *testing.B) {
	bench.add("native Go", compare("a signal to 1,000 goroutines; against closing a channel", "ms", native(), 1.5))
}

// native measures from a wake of 1,000 goroutines, in milliseconds, until all have run.
func native() times {
	var s core.Signal
	signal := func() float64 {
		return wake(
			func() { s.Wait(context.Background()) },
			func() int { return s.Stats().Waiting },
			func() { s.Signal() },
		)
	}
	channel := func() float64 {
		var waiting atomic.Int64
		c := make(chan struct{})
		return wake(
			func() { waiting.Add(1); <-c },
			func() int { return int(waiting.Load()) },
			func() { close(c) },
		)
	}
	return interleave(200, 20, signal, channel)
}

func wake(wait func(), waiting func() int, wake func()) float64 {
	const goroutines = 1000
	var woken sync.WaitGroup
	for range goroutines {
		woken.Go(wait)
	}
	for waiting() < goroutines {
		runtime.Gosched()
	}
	for range 100 { // who has said that it waits is about to
		runtime.Gosched()
	}
	start := time.Now()
	wake()
	woken.Wait()
	return float64(time.Since(start)) / float64(time.Millisecond)
}
