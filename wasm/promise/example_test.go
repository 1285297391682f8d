//go:build js && wasm

package promise_test

import (
	"context"
	"fmt"
	"runtime"
	"syscall/js"
	"time"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/promise"
)

// javascript calls an async function with the given body, and returns what it comes to.
func javascript(body string) string {
	settled := make(chan string, 1)
	then := js.FuncOf(func(_ js.Value, args []js.Value) any {
		settled <- js.Global().Get("String").Invoke(args[0]).String()
		return nil
	})
	defer then.Release()
	js.Global().Call("eval", "(async () => {"+body+"})()").Call("then", then, then)
	return <-settled
}

// JavaScript and a goroutine wait on one signal, and one call wakes them all.
func Example() {
	var ready core.Signal
	js.Global().Set("ready", promise.Signal(&ready))
	woken := make(chan error)
	go func() { woken <- ready.Wait(context.Background()) }()
	for ready.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	fmt.Println("woken:", javascript(`
		const first = ready.wait(), second = ready.wait({ timeout: 60_000 });
		const woken = await ready.signal();
		await Promise.all([first, second]);
		return woken;
	`), <-woken)
	fmt.Println(javascript(`await ready.wait({ signal: AbortSignal.abort('had enough') })`))
	// Output:
	// woken: 3 <nil>
	// had enough
}

// JavaScript stops a goroutine at a place where that is safe, and lets it go on.
func ExampleCheckpoint() {
	var step core.Checkpoint
	js.Global().Set("step", promise.Checkpoint(&step))
	ctx, quit := context.WithCancel(context.Background())
	stopped := make(chan error)
	go func() {
		for step.Wait(ctx) == nil {
			time.Sleep(time.Microsecond) // the work; the event loop turns meanwhile
		}
		stopped <- context.Cause(ctx)
	}()
	fmt.Println("resumed:", javascript(`
		await step.arm(); // resolves when the goroutine stands there
		return await step.resume();
	`))
	quit()
	fmt.Println(<-stopped)
	// Output:
	// resumed: 1
	// context canceled
}

// However many ask, from Go and from JavaScript, the work is done once.
func ExampleSharedTask() {
	task := core.NewSharedTask(func(context.Context) (int, error) {
		fmt.Println("counting")
		return 42, nil
	})
	js.Global().Set("answer", promise.SharedTask(task, func(n int) any { return n }))
	fmt.Println(javascript(`return await Promise.all([answer.wait(), answer.wait()])`))
	fmt.Println(task.Wait(context.Background()))
	// Output:
	// counting
	// 42,42
	// 42 <nil>
}

// The first to need it starts it, the last to give it back stops it.
func ExampleSharedResource() {
	line := core.NewSharedResource(
		func(context.Context) (string, error) { fmt.Println("dialling"); return "a line", nil },
		func(string) error { fmt.Println("hanging up"); return nil })
	js.Global().Set("line", promise.SharedResource(line, func(s string) any { return s }))
	fmt.Println(javascript(`
		const mine = await line.acquire(), yours = await line.acquire();
		await mine.release();
		const { held } = await line.stats();
		await yours.release();
		return mine.value + ' was held by ' + held;
	`))
	// Output:
	// dialling
	// hanging up
	// a line was held by 1
}
