//go:build !js

package browser_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// times are what one piece of work took on either side, by round.
type times struct {
	Ours   []float64 `json:"ours"`
	Theirs []float64 `json:"theirs"`
}

// took is what came of one side of a race in a page: what one piece of work took by round, nil where it was passed over,
// or why it took no part.
type took struct {
	Name  string     `json:"name"`
	Times []*float64 `json:"times"`
	Error string     `json:"error"`
}

// rounds is how often each side is measured.
func rounds() int {
	return cmp.Or(number(os.Getenv("ROUNDS")), 24)
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
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

// figure is a number of the table; none is written as null.
type figure float64

var none = math.NaN()

func (f figure) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// row is a line of the table, or a part of one: rows of the same work against several peers share a line.
type row struct {
	Group     string     `json:"group"`
	Name      string     `json:"name"`
	Ours      figure     `json:"ours"` // median
	Theirs    figure     `json:"theirs"`
	Unit      string     `json:"unit"`
	Ratio     figure     `json:"ratio"`
	Budget    figure     `json:"budget"`             // none where the row is only shown
	Quartiles [2]float64 `json:"quartiles,omitzero"` // of the ratio of the two sides of a round
	Rounds    int        `json:"rounds,omitempty"`   // 0: the figures do not vary
	Error     string     `json:"error,omitempty"`    // why there are no figures

	work, peer string // of rows that share a line
}

func compare(name, unit string, took times, budget float64) row {
	ratios := make([]float64, len(took.Ours))
	for i := range ratios {
		ratios[i] = took.Ours[i] / took.Theirs[i]
	}
	r := fixed(name, unit, quantile(took.Ours, 0.5), quantile(took.Theirs, 0.5), budget)
	r.Rounds, r.Quartiles = len(ratios), [2]float64{quantile(ratios, 0.25), quantile(ratios, 0.75)}
	return r
}

// fixed is a row of figures that do not vary.
func fixed(name, unit string, ours, theirs, budget float64) row {
	return row{
		Name: name, Unit: unit,
		Ours: figure(ours), Theirs: figure(theirs), Ratio: figure(ours / theirs), Budget: figure(budget),
	}
}

// failed is a row that could not be measured.
func failed(name string, err error, budget float64) row {
	r := fixed(name, "", none, none, budget)
	r.Error = err.Error()
	return r
}

// against makes a row of each peer of a race; the first side is ours. The budget depends on the peer.
func against(work, unit string, sides []took, budget func(peer string) float64) []row {
	var rows []row
	ours := sides[0]
	for _, peer := range sides[1:] {
		name := work + "; against " + peer.Name
		r := failed(name, errors.New(cmp.Or(ours.Error, peer.Error, "no round was measured")), budget(peer.Name))
		if both := paired(ours, peer); len(both.Ours) > 0 {
			r = compare(name, unit, both, budget(peer.Name))
		}
		r.work, r.peer = work, peer.Name
		rows = append(rows, r)
	}
	return rows
}

// paired are the rounds in which both sides were measured.
func paired(ours, theirs took) times {
	var both times
	for i := range min(len(ours.Times), len(theirs.Times)) {
		if o, t := ours.Times[i], theirs.Times[i]; o != nil && t != nil {
			both.Ours, both.Theirs = append(both.Ours, *o), append(both.Theirs, *t)
		}
	}
	return both
}

// library is the budget against every peer that is one; a floor is only shown.
func library(budget float64) func(string) float64 {
	return func(peer string) float64 {
		if strings.HasPrefix(peer, "floor") {
			return none
		}
		return budget
	}
}

func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low, high := sorted[int(at)], sorted[min(int(at)+1, len(sorted)-1)]
	return low + (high-low)*(at-float64(int(at)))
}

// verdict is empty where all is well.
func (r row) verdict() string {
	switch {
	case r.Error != "":
		return "FAILED"
	case r.Ratio > r.Budget:
		return "OVER"
	}
	return ""
}

// table has the rows of all benchmarks of a run, by the heading of their group.
type table struct{ rows []row }

var bench table

func (t *table) add(group string, rows ...row) {
	for _, r := range rows {
		r.Group = group
		t.rows = append(t.rows, r)
	}
}

// report prints the table, and with JSON=file writes the rows too.
func (t *table) report(to io.Writer) error {
	if len(t.rows) == 0 {
		return nil
	}
	t.print(to)
	file := os.Getenv("JSON")
	if file == "" {
		return nil
	}
	out, err := json.MarshalIndent(t.rows, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(out, '\n'), 0o644)
}

func (t *table) print(to io.Writer) {
	var groups []string
	for _, r := range t.rows {
		if !slices.Contains(groups, r.Group) {
			groups = append(groups, r.Group)
		}
	}
	over := 0
	for _, group := range groups {
		var single, shared []row
		for _, r := range t.rows {
			if r.Group != group {
				continue
			}
			if r.work == "" {
				single = append(single, r)
			} else {
				shared = append(shared, r)
			}
			if r.verdict() != "" {
				over++
			}
		}
		fmt.Fprintf(to, "\n%s\n", group)
		printSingle(to, single)
		printShared(to, shared)
		for _, r := range t.rows {
			if r.Group == group && r.Error != "" {
				fmt.Fprintf(to, "  FAILED  %s: %s\n", r.Name, r.Error)
			}
		}
	}
	fmt.Fprintf(to, "\n%d of %d rows over their budget, or failed\n", over, len(t.rows))
}

func printSingle(to io.Writer, rows []row) {
	if len(rows) == 0 {
		return
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "ours\ttheirs\tunit\tratio\tbudget\tquartiles\trounds\t\twork")
	for _, r := range rows {
		spread, rounds := "", ""
		if r.Rounds > 0 {
			spread, rounds = fmt.Sprintf("%.3f..%.3f", r.Quartiles[0], r.Quartiles[1]), fmt.Sprint(r.Rounds)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", short(r.Ours), short(r.Theirs), r.Unit, short(r.Ratio),
			short(r.Budget), spread, rounds, r.verdict(), "  "+r.Name)
	}
	w.Flush()
}

// printShared prints a line for each work, with the ratio to each peer, and a head wherever the peers change.
func printShared(to io.Writer, rows []row) {
	var w *tabwriter.Writer
	var peers []string
	for len(rows) > 0 {
		line := takeLine(&rows)
		if names := peersOf(line); w == nil || !slices.Equal(names, peers) {
			if w != nil {
				w.Flush()
			}
			peers = names
			w = tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintf(w, "ours\tunit\t%s\t\tratio to each\n", strings.Join(peers, "\t"))
		}
		longest := slices.MaxFunc(line, func(a, b row) int { return cmp.Compare(a.Rounds, b.Rounds) })
		fmt.Fprintf(w, "%s\t%s\t", short(longest.Ours), longest.Unit)
		for _, r := range line {
			fmt.Fprintf(w, "%s\t", strings.TrimSpace(short(r.Ratio)+" "+r.verdict()))
		}
		fmt.Fprintf(w, "\t  %s\n", line[0].work)
	}
	if w != nil {
		w.Flush()
	}
}

// takeLine takes the rows that share the first one's line.
func takeLine(rows *[]row) []row {
	n := 1
	for n < len(*rows) && (*rows)[n].work == (*rows)[0].work {
		n++
	}
	line := (*rows)[:n]
	*rows = (*rows)[n:]
	return line
}

func peersOf(line []row) []string {
	var peers []string
	for _, r := range line {
		peers = append(peers, r.peer)
	}
	return peers
}

// short writes three significant digits.
func short(f figure) string {
	v := float64(f)
	switch {
	case math.IsNaN(v):
		return ""
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 0.1:
		return strconv.FormatFloat(v, 'f', 2-int(math.Floor(math.Log10(v))), 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
