//go:build !js

package browser_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
)

// times are what one piece of work took on either side, by round.
type times struct {
	Ours   []float64 `json:"ours"`
	Theirs []float64 `json:"theirs"`
}

// interleave measures both sides in turns, and alternates who begins.
func interleave(rounds, warmUp int, ours, theirs func() float64) times {
	var kept times
	for round := -warmUp; round < rounds; round++ {
		var o, t float64
		if round%2 == 0 {
			o, t = ours(), theirs()
		} else {
			t, o = theirs(), ours()
		}
		if round >= 0 {
			kept.Ours, kept.Theirs = append(kept.Ours, o), append(kept.Theirs, t)
		}
	}
	return kept
}

// row is a line of the table.
type row struct {
	Name   string  `json:"name"`
	Ours   float64 `json:"ours"` // median
	Theirs float64 `json:"theirs"`
	Unit   string  `json:"unit"`
	Ratio  float64 `json:"ratio"`
	Budget float64 `json:"budget"`

	rounds int
	spread [2]float64 // quartiles of the ratio of the two sides of a round
}

func compare(name, unit string, took times, budget float64) row {
	ratios := make([]float64, len(took.Ours))
	for i := range ratios {
		ratios[i] = took.Ours[i] / took.Theirs[i]
	}
	r := fixed(name, unit, quantile(took.Ours, 0.5), quantile(took.Theirs, 0.5), budget)
	r.rounds, r.spread = len(ratios), [2]float64{quantile(ratios, 0.25), quantile(ratios, 0.75)}
	return r
}

// fixed is a row of figures that do not vary.
func fixed(name, unit string, ours, theirs, budget float64) row {
	return row{Name: name, Ours: ours, Theirs: theirs, Unit: unit, Ratio: ours / theirs, Budget: budget}
}

func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low, high := sorted[int(at)], sorted[min(int(at)+1, len(sorted)-1)]
	return low + (high-low)*(at-float64(int(at)))
}

func printTable(to io.Writer, rows []row) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "ours\ttheirs\tunit\tratio\tbudget\tquartiles\trounds\t\twork")
	for _, r := range rows {
		spread, rounds, verdict := "", "", ""
		if r.rounds > 0 {
			spread, rounds = fmt.Sprintf("%.3f..%.3f", r.spread[0], r.spread[1]), fmt.Sprint(r.rounds)
		}
		if r.Ratio > r.Budget {
			verdict = "OVER"
		}
		fmt.Fprintf(w, "%.3f\t%.3f\t%s\t%.3f\t%g\t%s\t%s\t%s\t%s\n",
			r.Ours, r.Theirs, r.Unit, r.Ratio, r.Budget, spread, rounds, verdict, "  "+r.Name)
	}
	w.Flush()
}

func writeJSON(file string, rows []row) error {
	out, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(out, '\n'), 0o644)
}
