//go:build !js

package browser_test

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkBudget measures the rows of the budget, prints the table, and with JSON=file writes the rows too. It fails
// on no figure. Each row has fresh realms, in which both sides are timed in turns; js/test/bench has the pages and
// programs.
func BenchmarkBudget(b *testing.B) {
	var rows []row
	add := func(r row) { rows = append(rows, r) }

	inPage := func(name, function string, budget float64) {
		took := Eval[times](Open(b, "/bench/"), "bench."+function+"()")
		add(compare(name, "ms", took, budget))
	}
	inPage("hub realm: 10,000 waits, one signal, all settled; against an array of resolvers", "againstResolvers", 2)
	inPage("the same; against FuncOf, goroutine and Promise per call", "againstTextbook", 0.02)
	inPage("one wake, Worker to hub to Worker, and one back; against a hub in JavaScript", "workerRoundTrip", 1.1)
	inPage("Worker: 10,000 waits, one signal, all settled; against a hub in JavaScript", "workerBroadcast", 1.5)
	inPage("Worker: lock and unlock, hub in a Worker; against a hub in JavaScript", "workerLock", 1.1)
	inPage("the same by hub.locks.request; against navigator.locks.request", "workerRequest", 0.6)

	add(compare("createHub to the first signal, cold; against starting the smallest Go program", "ms", cold(b), 1.3))
	add(compare("native Go: signal to 1,000 goroutines; against closing a channel", "ms", native(), 1.5))

	kb := compressed(b, "clca/clca.wasm", "bench/smallest.wasm", "../../js/build/client.min.js")
	add(fixed("module, brotli; against the smallest Go program with syscall/js", "KB", kb[0], kb[1], 1.4))
	add(fixed("client for a Worker, minified and brotli; against 1 KB", "KB", kb[2], 1, 5))

	printTable(os.Stdout, rows)
	if file := os.Getenv("JSON"); file != "" {
		require.NoError(b, writeJSON(file, rows))
	}
}

// cold starts each side in tabs that have run nothing before, and so in processes that have compiled nothing.
func cold(b *testing.B) times {
	once := func(function string) float64 {
		tab := Open(b, "/bench/")
		defer tab.Close()
		return Eval[float64](tab, "bench."+function+"()")
	}
	return interleave(20, 2, func() float64 { return once("coldHub") }, func() float64 { return once("coldSmallest") })
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
