package core_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/clca-dev/clca/core"
)

// Two connections serve any number of callers, each of whom has one to itself for as long as it needs it.
func ExamplePool() {
	pool, err := core.NewPool(core.PoolConfig[string]{
		Max:    2,
		Create: func(context.Context) (string, error) { return "a connection", nil },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			if err := pool.With(context.Background(), func(string) error { return nil }); err != nil {
				fmt.Println(err)
			}
		})
	}
	callers.Wait()

	lease, err := pool.Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("lent:", lease.Value())
	lease.Destroy() // it has turned out to be of no use
	lease, err = pool.Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("lent:", lease.Value())
	fmt.Println("out when the pool is closed:", len(pool.Close()))
	lease.Release()
	fmt.Println("all are unmade:", pool.Join(context.Background()) == nil)
	// Output:
	// lent: a connection
	// lent: a connection
	// out when the pool is closed: 1
	// all are unmade: true
}
