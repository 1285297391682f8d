package core_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/clca-dev/clca/core"
)

// idlePool returns a pool of n resources, all of them idle.
func idlePool(tb testing.TB, n int) *core.Pool[int] {
	pool, err := core.NewPool(core.PoolConfig[int]{Max: n, Create: func(context.Context) (int, error) { return 1, nil }})
	if err != nil {
		tb.Fatal(err)
	}
	leases := make([]*core.Lease[int], n)
	for i := range leases {
		if leases[i], err = pool.Acquire(background); err != nil {
			tb.Fatal(err)
		}
	}
	for _, lease := range leases {
		lease.Release()
	}
	return pool
}

func BenchmarkPool(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprintf("acquire and release one of %d idle", n), func(b *testing.B) {
			b.ReportAllocs()
			pool := idlePool(b, n)
			for b.Loop() {
				lease, _ := pool.Acquire(background)
				lease.Release()
			}
		})
		b.Run(fmt.Sprintf("the same by passive steps, of %d", n), func(b *testing.B) {
			b.ReportAllocs()
			pool := idlePool(b, n).Steps()
			w := core.Waiter{Waker: nobody{}}
			for b.Loop() {
				pool.Park(&w, 0)
				pool.Release(w.Value())
			}
		})
	}
	b.Run("contended", func(b *testing.B) {
		b.ReportAllocs()
		pool := idlePool(b, 2)
		b.SetParallelism(8)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				lease, _ := pool.Acquire(background)
				lease.Release()
			}
		})
	})
}
