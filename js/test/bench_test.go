//go:build !js

package browser_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The benchmarks measure, and fail on no figure: their rows are one table, which is printed at the end, and with
// JSON=file written too. All sides of a row are timed in turns, ROUNDS times (24 by default), in realms that are fresh
// for each row; js/test/bench has the pages and programs.

// BenchmarkBudget measures the rows of the budget.
func BenchmarkBudget(b *testing.B) {
	add := func(r row) { bench.add("budget", r) }

	in := func(tab *Tab, name, function string, budget float64) (ours float64) {
		defer tab.Close()
		took, err := measureIn[times](tab, "bench."+function+"()")
		if err != nil {
			add(failed(name, err, budget))
			return none
		}
		r := compare(name, "ms", took, budget)
		add(r)
		return float64(r.Ours)
	}
	path := fmt.Sprintf("/bench/?rounds=%d", rounds())
	inPage := func(name, function string, budget float64) { in(Open(b, path), name, function, budget) }
	inPage("hub realm: 10,000 waits, one signal, all settled; against an array of resolvers", "againstResolvers", 2)
	inPage("the same; against FuncOf, goroutine and Promise per call", "againstTextbook", 0.02)
	inPage("one wake, Worker to hub to Worker, and one back; against a hub in JavaScript", "workerRoundTrip", 1.1)
	inPage("Worker: 10,000 waits, one signal, all settled; against a hub in JavaScript", "workerBroadcast", 1.5)
	inPage("Worker: lock and unlock, hub in a Worker; against a hub in JavaScript", "workerLock", 1.1)
	inPage("the same by hub.locks.request; against navigator.locks.request", "workerRequest", 0.6)
	inPage("Worker: 1,000 times checkpoint.wait(), not armed; against await of a settled Promise", "workerCheckpoint", 2)
	million := in(openAt(b, isolatedServer(b)+path),
		"Worker: 1,000,000 times checkpoint.waitSync(), not armed; against an atomic load", "workerBlocking", none)
	add(fixed("one of them; against 20 ns", "ns", million, 20, 1)) // ms of a million are ns of one

	add(compare("createHub to the first signal, cold; against starting the smallest Go program", "ms", cold(b), 1.3))

	kb := compressed(b, "clca/clca.wasm", "bench/smallest.wasm", "../../js/build/client.min.js")
	add(fixed("module, brotli; against the smallest Go program with syscall/js", "KB", kb[0], kb[1], 1.4))
	add(fixed("client for a Worker, minified and brotli; against 1 KB", "KB", kb[2], 1, 5))
}

// measure opens a page of js/test/bench in a fresh profile and returns what the expression resolves with, however long
// that takes; a page may be so busy that it answers nothing for minutes.
func measure[T any](b *testing.B, path, expression string) (T, error) {
	tab := Open(b, fmt.Sprintf("%s?rounds=%d", path, rounds()))
	defer tab.Close()
	return measureIn[T](tab, expression)
}

// measureIn does so in a tab that is open.
func measureIn[T any](tab *Tab, expression string) (T, error) {
	tab.Do(`globalThis.measured = (async () => ` + expression + `)(); measured.catch(() => {});`)
	for asked, silent := 0, 0; ; asked++ {
		// It is asked so seldom that the questions disturb nobody.
		done, err := TryEval[bool](tab, `Promise.race([
			measured.then(() => true, () => true), new Promise((resolve) => setTimeout(resolve, 20_000, false))])`)
		if err != nil {
			silent++
		}
		if done || silent == 5 || asked == 60 || tab.ctx.Err() != nil {
			return TryEval[T](tab, "measured")
		}
	}
}

// cold starts each side in tabs that have run nothing before, and so in processes that have compiled nothing.
func cold(b *testing.B) times {
	once := func(function string) float64 {
		tab := Open(b, "/bench/")
		defer tab.Close()
		return Eval[float64](tab, "bench."+function+"()")
	}
	return interleave(rounds(), 2,
		func() float64 { return once("coldHub") }, func() float64 { return once("coldSmallest") })
}

// compressed returns the files' sizes in KB of 1,000 bytes.
func compressed(b *testing.B, files ...string) []float64 {
	arguments := []string{"../compress.mjs"}
	for _, file := range files {
		arguments = append(arguments, siteDir+"/"+file)
	}
	out, err := exec.Command("node", arguments...).Output()
	require.NoError(b, err)
	var sizes []float64
	for line := range strings.Lines(string(bytes.TrimSpace(out))) {
		fields := strings.Fields(line)
		if size, err := strconv.Atoi(fields[len(fields)-1]); err == nil {
			sizes = append(sizes, float64(size)/1000)
		}
	}
	require.Len(b, sizes, len(files))
	return sizes
}
