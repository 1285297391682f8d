//go:build !js

package browser_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkNative has the rows of core alone, of its BenchmarkPeers.
func BenchmarkNative(b *testing.B) {
	const group = "native Go"
	out, err := exec.Command("go", "test", "-vet=off", "-run=^$", "-bench=^BenchmarkPeers$",
		fmt.Sprintf("-benchtime=%dx", 8*rounds()), "github.com/clca-dev/clca/core").CombinedOutput()
	if err != nil {
		bench.add(group, failed("all of it", fmt.Errorf("%w: %s", err, out), none))
	}
	for line := range strings.Lines(string(out)) {
		if r, ok := nativeRow(line); ok {
			bench.add(group, r)
		}
	}
}

var (
	benchmarkLine = regexp.MustCompile(`^BenchmarkPeers/(\S+?)(?:-\d+)?\s+(\d+)\s(.*)`)
	metric        = regexp.MustCompile(`([\d.e+-]+) (\S+)`)
)

// nativeRow reads a line of the benchmark's output.
func nativeRow(line string) (row, bool) {
	fields := benchmarkLine.FindStringSubmatch(line)
	if fields == nil {
		return row{}, false
	}
	metrics := map[string]float64{}
	for _, m := range metric.FindAllStringSubmatch(fields[3], -1) {
		metrics[m[2]], _ = strconv.ParseFloat(m[1], 64)
	}
	name, budget := strings.ReplaceAll(fields[1], "_", " "), none
	if strings.HasPrefix(name, "a signal to 1,000 goroutines; against closing a channel") {
		budget = 1.5
	}
	r := fixed(name, "ms", metrics["ours-ns"]/1e6, metrics["theirs-ns"]/1e6, budget)
	r.Rounds, r.Quartiles = number(fields[2]), [2]float64{metrics["ratio-q1"], metrics["ratio-q3"]}
	return r, true
}
