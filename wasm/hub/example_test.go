package hub_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/clca-dev/clca/wasm/hub"
)

// A goroutine and the callers of JavaScript wait on the same signal. Here, only the goroutine does.
func Example() {
	ready := hub.Signal("ready") // what JavaScript knows as hub.signal('ready')
	woken := make(chan error)
	go func() { woken <- ready.Wait(context.Background()) }()
	for ready.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	fmt.Println("woken:", hub.Signal("ready").Signal(), <-woken)
	// Output: woken: 1 <nil>
}

// Whoever uses a name first says how many permits there are, here or in JavaScript.
func ExampleSemaphore() {
	downloads, err := hub.Semaphore("downloads", 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("available:", downloads.Stats().Available)

	_, err = hub.Semaphore("downloads", 5)
	var mismatch *hub.MismatchError
	fmt.Println(errors.As(err, &mismatch), err)
	// Output:
	// available: 4
	// true clca: created with 4, not 5
}
