//go:build !js

package browser_test

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// curve is a drawing of figures over a growing number of something, both on logarithmic scales.
type curve struct {
	title, x, y string
	lines       []line
}

type line struct {
	name   string
	points []point
}

// point is a median and its quartiles, which may be the same.
type point struct{ x, y, low, high float64 }

// curvesOf are the drawings of what was measured, by their file names.
func curvesOf(waiters, names, sessions []size) map[string]curve {
	took := func(s size) (point, bool) { return point{float64(s.Units), s.Took, s.Low, s.High}, s.Took > 0 }
	// Below 10,000, what a heap has left in its last page is more than what the units take.
	memory := func(s size) (point, bool) {
		bytes := s.Heap + s.Linear
		return point{float64(s.Units), bytes, bytes, bytes}, s.Units >= 10_000
	}
	var parked []size
	for _, s := range append(append([]size(nil), waiters...), names...) {
		if !strings.HasPrefix(s.Series, "one wake") {
			parked = append(parked, s)
		}
	}
	return map[string]curve{
		"waiters":  {"Time for each of so many waiters, to be parked and woken", "waiters", "µs", linesOf(waiters, took)},
		"names":    {"Time for each of so many names, and for one among them", "names that live", "µs", linesOf(names, took)},
		"sessions": {"Time to wake a session, of so many", "sessions", "µs", linesOf(sessions, took)},
		"memory":   {"Memory of each that is parked: JavaScript's heaps and Go's memory", "parked", "bytes", linesOf(parked, memory)},
	}
}

func linesOf(sizes []size, at func(size) (point, bool)) []line {
	var lines []line
	for _, s := range sizes {
		if len(lines) == 0 || lines[len(lines)-1].name != s.Series {
			lines = append(lines, line{name: s.Series})
		}
		if p, ok := at(s); ok {
			last := &lines[len(lines)-1]
			last.points = append(last.points, p)
		}
	}
	return lines
}

const (
	curveWidth, plotHeight = 720, 260
	plotLeft, plotRight    = 56, 676
	legendTop, legendRow   = 50, 18
	curveStyle             = `text{font:12px system-ui,sans-serif;fill:#57606a}` + // readable on either
		`.title{font-size:14px;font-weight:600;fill:#1f2328}.grid{stroke:#d0d7de;stroke-width:1}` +
		`.line{fill:none;stroke-width:2;stroke-linejoin:round}.spread{stroke-width:1;opacity:.6}` +
		`.c0{stroke:#0969da}.c1{stroke:#1a7f37}.c2{stroke:#bc4c00}.c3{stroke:#8250df}.c4{stroke:#bf3989}.c5{stroke:#6e7781}.c6{stroke:#9a6700}` +
		`.dot{stroke:none}.c0.dot{fill:#0969da}.c1.dot{fill:#1a7f37}.c2.dot{fill:#bc4c00}.c3.dot{fill:#8250df}` +
		`.c4.dot{fill:#bf3989}.c5.dot{fill:#6e7781}.c6.dot{fill:#9a6700}` +
		`@media(prefers-color-scheme:dark){text{fill:#9198a1}.title{fill:#f0f6fc}.grid{stroke:#3d444d}` +
		`.c0{stroke:#4493f8}.c1{stroke:#3fb950}.c2{stroke:#db6d28}.c3{stroke:#ab7df8}.c4{stroke:#db61a2}.c5{stroke:#9198a1}.c6{stroke:#d29922}` +
		`.dot{stroke:none}.c0.dot{fill:#4493f8}.c1.dot{fill:#3fb950}.c2.dot{fill:#db6d28}.c3.dot{fill:#ab7df8}` +
		`.c4.dot{fill:#db61a2}.c5.dot{fill:#9198a1}.c6.dot{fill:#d29922}}`
)

// svg draws it. The picture has no background and knows by itself whether it is seen on a dark page.
func (c curve) svg() string {
	left, right := math.Inf(1), math.Inf(-1)
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range c.lines {
		for _, p := range l.points {
			left, right = min(left, p.x), max(right, p.x)
			low, high = min(low, p.low), max(high, p.high)
		}
	}
	ticks := ticksOver(low, high)
	low, high = ticks[0], ticks[len(ticks)-1]
	top := legendTop + legendRow*((len(c.lines)+1)/2) + 14
	bottom := top + plotHeight
	x := func(v float64) float64 {
		if left == right {
			return (plotLeft + plotRight) / 2
		}
		return plotLeft + (plotRight-plotLeft)*math.Log(v/left)/math.Log(right/left)
	}
	y := func(v float64) float64 { return float64(bottom) - plotHeight*math.Log(v/low)/math.Log(high/low) }

	var b strings.Builder
	put := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`, curveWidth, bottom+44, escaped(c.title))
	put(`<style>%s</style>`, curveStyle)
	put(`<text class="title" x="16" y="24">%s</text>`, escaped(c.title))
	for i, l := range c.lines {
		x, y := 16+i%2*352, legendTop+legendRow*(i/2)
		put(`<path class="line c%d" d="M%d %dh18"/><text x="%d" y="%d">%s</text>`, i, x, y-4, x+26, y, escaped(l.name))
	}
	for _, t := range ticks {
		put(`<path class="grid" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`,
			plotLeft, y(t), plotRight, plotLeft-8, y(t)+4, strconv.FormatFloat(t, 'f', -1, 64))
	}
	put(`<text x="%d" y="%d" text-anchor="end">%s</text>`, plotLeft-8, top-10, escaped(c.y))
	seen := map[float64]bool{}
	for _, l := range c.lines {
		for _, p := range l.points {
			if !seen[p.x] {
				seen[p.x] = true
				put(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x(p.x), bottom+18, grouped(int(p.x)))
			}
		}
	}
	put(`<text x="%d" y="%d" text-anchor="end">%s</text>`, plotRight, bottom+36, escaped(c.x))
	for i, l := range c.lines {
		path := "M"
		for _, p := range l.points {
			path += fmt.Sprintf("%.1f %.1f ", x(p.x), y(p.y))
		}
		if len(l.points) > 0 {
			put(`<path class="line c%d" d="%s"/>`, i, strings.TrimSpace(path))
		}
		for _, p := range l.points {
			put(`<path class="spread c%d" d="M%.1f %.1fV%.1f"/><circle class="dot c%[1]d" cx="%.1[2]f" cy="%.1[5]f" r="3"/>`,
				i, x(p.x), y(p.low), y(p.high), y(p.y))
		}
	}
	put(`</svg>`)
	return b.String()
}

// ticksOver are the numbers 1, 2 and 5 of each decade, from the last below low to the first above high.
func ticksOver(low, high float64) []float64 {
	if low <= 0 || math.IsInf(low, 0) {
		low, high = 1, 10
	}
	var ticks []float64
	for decade := math.Floor(math.Log10(low)); ; decade++ {
		for _, digit := range []float64{1, 2, 5} {
			// By way of text: what is written beside the line has no digits that come from binary.
			t, _ := strconv.ParseFloat(fmt.Sprintf("%ge%d", digit, int(decade)), 64)
			if len(ticks) == 1 && t <= low {
				ticks = ticks[:0]
			}
			ticks = append(ticks, t)
			if t >= high && len(ticks) > 1 {
				return ticks
			}
		}
	}
}

func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

func TestTicksEncloseWhatIsDrawn(t *testing.T) {
	for _, of := range []struct {
		low, high float64
		want      []float64
	}{
		{0.3, 1.7, []float64{0.2, 0.5, 1, 2}},
		{1, 10, []float64{1, 2, 5, 10}},
		{60, 61, []float64{50, 100}},
		{5, 5, []float64{5, 10}},
	} {
		require.Equal(t, of.want, ticksOver(of.low, of.high), "%v..%v", of.low, of.high)
	}
}

func TestACurveIsWellFormedAndKeepsItsPointsInside(t *testing.T) {
	drawn := curve{"a < b", "units", "µs", []line{{"one", []point{{1, 3, 2, 4}, {1000, 0.02, 0.01, 90}}}, {"none", nil}}}.svg()
	d := xml.NewDecoder(strings.NewReader(drawn))
	circles := 0
	for {
		token, err := d.Token()
		if token == nil {
			require.ErrorContains(t, err, "EOF")
			break
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			circles++
			for _, a := range e.Attr {
				v, err := strconv.ParseFloat(a.Value, 64)
				if a.Name.Local == "cx" {
					require.True(t, err == nil && v >= plotLeft && v <= plotRight, a.Value)
				}
				if a.Name.Local == "cy" {
					require.True(t, err == nil && v >= legendTop && v <= legendTop+legendRow+14+plotHeight, a.Value)
				}
			}
		}
	}
	require.Equal(t, 2, circles)
}
