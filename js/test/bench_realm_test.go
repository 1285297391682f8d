//go:build !js

package browser_test

import (
	"fmt"
	"testing"
)

// BenchmarkRealm measures what callers in the hub's own realm wait for, against libraries whose primitives are plain
// objects there: within twice the fastest of them, and ahead of all from 10,000 waiters on.
func BenchmarkRealm(b *testing.B) {
	for _, work := range []struct{ name, subject string }{
		{"Signal: all wait, one signal", "signal"},
		{"Event: all wait, set, then clear", "event"},
		{"Semaphore of 4: each gets and releases one", "semaphore"},
		{"Lock: each gets and releases it in turn", "lock"},
		{"Barrier: all arrive, all go on", "barrier"},
		{"Queue: all get, then put", "getThenPut"},
		{"Queue: all put, then get", "putThenGet"},
	} {
		for _, callers := range []struct {
			n      int
			text   string
			budget float64
		}{{1, "1", 2}, {100, "100", 2}, {10_000, "10,000", 1}, {100_000, "100,000", 1}} {
			b.Run(fmt.Sprintf("%s/%d", work.subject, callers.n), func(b *testing.B) {
				name := work.name + ", " + callers.text
				sides, err := measure[[]took](b, "/bench/realm/", fmt.Sprintf("bench.realm(%q, %d)", work.subject, callers.n))
				if err != nil {
					bench.add("in one realm", failed(name, err, callers.budget))
					return
				}
				bench.add("in one realm", against(name, "ms", sides, library(callers.budget))...)
			})
		}
	}
}
