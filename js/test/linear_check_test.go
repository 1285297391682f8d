//go:build !js

package browser_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// Whether the check of linear_test.go can fail: it is given histories that no hub may bring about, beside the nearest
// that it may. A line is `session: operation call [arguments]`, and `@from..to` where one does not follow the other.
func TestTheCheckTellsHistoriesThatMayBeFromThoseThatMayNot(t *testing.T) {
	for _, c := range []struct {
		kind      string
		size      int
		what      string
		may       bool
		histories string
	}{
		{"lock", 1, "one after the other", true, `
			0: acquire 1 [1 0]
			0: granted 1
			1: acquire 2 [1 0]
			0: release 1 [0]
			1: granted 2
			1: release 2 [0]`},
		{"lock", 1, "two owners", false, `
			0: acquire 1 [1 0]
			0: granted 1
			1: acquire 2 [1 0]
			1: granted 2`},
		{"lock", 1, "two owners, seen while both calls are under way", false, `
			0: acquire 1 [1 0] @0..5
			1: acquire 2 [1 0] @0..6
			0: granted 1 @5..5
			1: granted 2 @6..6`},
		{"lock", 1, "either of two at the same time", true, `
			0: acquire 1 [1 0] @0..9
			1: acquire 2 [1 0] @0..5
			1: granted 2 @5..5
			1: release 2 [0] @6..9
			0: granted 1 @8..8`},
		{"lock", 1, "a try that overtakes", false, `
			0: acquire 1 [1 0]
			0: granted 1
			1: acquire 2 [1 0]
			0: release 1 [0]
			2: try 3 [1 1]`},
		{"lock", 1, "a try that fails on a free lock", false, `
			0: try 1 [1 0]`},
		{"lock", 1, "one that came later is the first", false, `
			0: acquire 1 [1 0]
			0: granted 1
			1: acquire 2 [1 0]
			2: acquire 3 [1 0]
			0: release 1 [0]
			2: granted 3`},
		{"lock", 1, "a priority goes first", true, `
			0: acquire 1 [1 0]
			0: granted 1
			1: acquire 2 [1 0]
			2: acquire 3 [1 1]
			0: release 1 [0]
			2: granted 3`},
		{"lock", 1, "a priority that does not count", false, `
			0: acquire 1 [1 0]
			0: granted 1
			1: acquire 2 [1 0]
			2: acquire 3 [1 1]
			0: release 1 [0]
			1: granted 2`},
		{"lock", 1, "a grant that was aborted goes on", true, `
			0: acquire 1 [1 0]
			1: acquire 2 [1 0]
			0: end 1
			1: granted 2`},
		{"lock", 1, "a grant that was aborted is lost", false, `
			0: acquire 1 [1 0]
			0: end 1
			1: try 2 [1 0]`},
		{"lock", 1, "an abort that frees what another holds", false, `
			0: acquire 1 [1 0]
			0: granted 1
			1: acquire 2 [1 0]
			1: end 2
			2: try 3 [1 1]`},
		{"lock", 1, "an abort is not before its call", false, `
			0: acquire 1 [1 0]
			0: granted 1
			1: end 2
			1: acquire 2 [1 0]
			0: release 1 [0]
			2: try 3 [1 1]`},
		{"lock", 1, "a theft that the former holder knows of", true, `
			0: acquire 1 [1 0]
			0: granted 1
			1: steal 2
			1: granted 2
			0: release 1 [1]
			1: release 2 [0]`},
		{"lock", 1, "a theft that the former holder does not know of", false, `
			0: acquire 1 [1 0]
			0: granted 1
			1: steal 2
			0: release 1 [0]`},
		{"lock", 1, "a release by the former holder frees what was stolen", false, `
			0: acquire 1 [1 0]
			1: steal 2
			0: release 1 [1]
			2: try 3 [1 1]`},

		{"semaphore", 3, "as many as there are", true, `
			0: acquire 1 [2 0]
			1: acquire 2 [1 0]
			0: granted 1
			1: granted 2
			2: look 0 [3 0]`},
		{"semaphore", 3, "more than there are", false, `
			0: acquire 1 [2 0]
			1: acquire 2 [2 0]
			0: granted 1
			1: granted 2`},
		{"semaphore", 3, "few pass many", false, `
			0: acquire 1 [2 0]
			1: acquire 2 [2 0]
			2: acquire 3 [1 0]
			2: granted 3`},
		{"semaphore", 3, "few pass many who have given up", true, `
			0: acquire 1 [2 0]
			1: acquire 2 [2 0]
			2: acquire 3 [1 0]
			1: end 2
			2: granted 3`},
		{"semaphore", 3, "few are stuck behind many who have given up", false, `
			0: acquire 1 [2 0]
			1: acquire 2 [2 0]
			2: acquire 3 [1 0]
			1: end 2
			3: look 0 [2 1]`},
		{"semaphore", 3, "permits that are lost with a grant", false, `
			0: acquire 1 [3 0]
			0: end 1
			1: look 0 [3 0]`},
		{"semaphore", 3, "permits that come from nowhere", false, `
			0: acquire 1 [1 0]
			0: granted 1
			0: release 1 [0]
			0: release 1 [0]`},

		{"queue", 5, "first in, first out", true, `
			0: put 1
			1: put 2
			2: get 3
			2: got 3 [1]
			0: empty 0 [2]`},
		{"queue", 5, "an item is lost", false, `
			0: put 1
			0: accepted 1
			0: empty 0 []`},
		{"queue", 5, "an item comes twice", false, `
			0: put 1
			1: get 2
			1: got 2 [1]
			2: get 3
			2: got 3 [1]`},
		{"queue", 5, "an item that nobody has put", false, `
			1: get 2
			1: got 2 [1]`},
		{"queue", 5, "the order is swapped", false, `
			0: put 1
			1: put 2
			2: try get 3 [2]`},
		{"queue", 5, "puts at the same time in either order", true, `
			0: put 1 @0..9
			1: put 2 @0..9
			2: try get 3 [2] @10..11`},
		{"queue", 5, "who waits first gets last", false, `
			0: get 1
			1: get 2
			2: put 3
			1: got 2 [3]`},
		{"queue", 5, "an item whose get was aborted is the next", true, `
			0: put 1
			1: put 2
			2: get 3
			2: end 3
			3: try get 4 [1]
			3: try get 5 [2]`},
		{"queue", 5, "an item whose get was aborted is the last", false, `
			0: put 1
			1: put 2
			2: get 3
			2: end 3
			3: try get 4 [2]`},
		{"queue", 5, "an item whose get was aborted is lost", false, `
			0: put 1
			2: get 3
			2: end 3
			3: try get 4 [0]`},
		{"queue", 5, "an item whose get was aborted goes to who waits", true, `
			0: put 1
			1: get 2
			2: get 3
			1: end 2
			2: got 3 [1]`},
		{"queue", 5, "two that come back are in order", true, `
			0: put 1
			0: put 2
			1: get 3
			2: get 4
			1: end 3
			2: end 4
			3: empty 0 [1 2]`},
		{"queue", 5, "two that come back are not in order", false, `
			0: put 1
			0: put 2
			1: get 3
			2: get 4
			1: end 3
			2: end 4
			3: empty 0 [2 1]`},
		{"queue", 1, "more than the capacity", false, `
			0: put 1
			1: put 2
			1: accepted 2`},
		{"queue", 1, "what comes back exceeds the capacity", true, `
			0: put 1
			1: get 2
			3: put 4
			1: end 2
			3: look 0 [2 0 0 2]`},
		{"queue", 1, "a try overtakes a put that waits", false, `
			0: put 1
			1: put 2
			2: try get 3 [1]
			3: try put 4 [1]`},
		{"queue", 1, "a put that was withdrawn was there all the same", false, `
			0: put 1
			1: put 2
			1: withdraw 2
			2: try get 3 [1]
			2: try get 4 [2]`},
		{"queue", 1, "a put that was accepted is said to be withdrawn", false, `
			0: put 1
			0: withdraw 1`},
		{"queue", 0, "hand to hand", true, `
			0: put 1
			1: try get 2 [1]
			0: accepted 1`},
		{"queue", 0, "a put that nobody takes", false, `
			0: put 1
			0: accepted 1`},

		{"task", 0, "one run for all, and later ones", true, `
			0: wait 1
			1: wait 2
			0: started 9
			0: finish 9 [0]
			0: result 1 [9 0]
			1: result 2 [9 0]
			2: wait 3
			2: result 3 [9 0]`},
		{"task", 0, "two runs at once", false, `
			0: wait 1
			1: wait 2
			0: started 8
			1: started 9`},
		{"task", 0, "it is run by who came later", false, `
			0: wait 1
			1: wait 2
			1: started 9`},
		{"task", 0, "it is run again", false, `
			0: wait 1
			0: started 8
			0: finish 8 [0]
			0: result 1 [8 0]
			1: wait 2
			1: started 9`},
		{"task", 0, "the result of no run", false, `
			0: wait 1
			0: started 9
			0: finish 9 [0]
			0: result 1 [8 0]`},
		{"task", 0, "a result before the end", false, `
			0: wait 1
			0: started 9
			0: result 1 [9 0]
			0: finish 9 [0]`},
		{"task", 0, "an error that is told as a result", false, `
			0: wait 1
			0: started 9
			0: finish 9 [1]
			0: result 1 [9 0]`},
		{"task", 0, "one leaves, others stay", true, `
			0: wait 1
			1: wait 2
			0: started 9
			0: end 1
			0: finish 9 [0]
			1: result 2 [9 0]`},
		{"task", 0, "all leave, and the next waits until it has ended", true, `
			0: wait 1
			0: started 8
			0: end 1
			1: wait 2
			0: finish 8 [1]
			1: started 9`},
		{"task", 0, "all leave, and the next does not wait until it has ended", false, `
			0: wait 1
			0: started 8
			0: end 1
			1: wait 2
			1: started 9`},
		{"task", 0, "all leave, and the result is kept", false, `
			0: wait 1
			0: started 8
			0: end 1
			1: wait 2
			0: finish 8 [0]
			1: result 2 [8 0]`},
		{"task", 0, "closed, and closed for those who come before it has ended", true, `
			0: wait 1
			0: started 8
			1: close 0
			0: result 1 [0 1]
			2: wait 2
			2: result 2 [0 1]
			0: finish 8 [1]
			2: wait 3
			2: started 9`},
		{"task", 0, "closed, and the result is kept", false, `
			0: wait 1
			0: started 8
			0: finish 8 [0]
			1: close 0
			2: wait 2
			2: result 2 [8 0]`},
	} {
		t.Run(fmt.Sprintf("%s of %d, %s", c.kind, c.size, c.what), func(t *testing.T) {
			at := slices.IndexFunc(linearRuns, func(r linearRun) bool { return r.kind == c.kind && r.size == c.size })
			result, _, text := linearize(linearRuns[at].model, parseHistory(t, c.histories))
			if c.may {
				require.Equal(t, porcupine.Ok, result, text)
			} else {
				require.Equal(t, porcupine.Illegal, result)
			}
		})
	}
}

func TestTheCheckTakesStepsAsTheyAreNumbered(t *testing.T) {
	history := parseHistory(t, `
		0: put 1 @0..9
		1: put 2 @0..9
		2: try get 3 [2] @10..11`)
	numbered := func(numbers ...int) porcupine.CheckResult {
		for i := range history {
			history[i].Number = numbers[i]
		}
		result, _, _ := linearize(model(&queueModel{capacity: 5}), history)
		return result
	}
	require.Equal(t, porcupine.Ok, numbered(2, 1, 3))
	require.Equal(t, porcupine.Illegal, numbered(1, 2, 3))
}

var stepPattern = regexp.MustCompile(`^(\d): ([a-z ]+) (\d+)(?: \[([\d ]*)\])?(?: @(\d+)\.\.(\d+))?$`)

func parseHistory(t *testing.T, text string) (history []step) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		match := stepPattern.FindStringSubmatch(strings.TrimSpace(line))
		require.NotNil(t, match, line)
		s := step{Session: toInt(match[1]), Op: match[2], ID: toInt(match[3]), Number: -1}
		for _, arg := range strings.Fields(match[4]) {
			s.Args = append(s.Args, toInt(arg))
		}
		s.Call, s.Return = int64(2*i), int64(2*i+1)
		if match[5] != "" {
			s.Call, s.Return = int64(toInt(match[5])), int64(toInt(match[6]))
		} else if slices.Contains([]string{"granted", "accepted", "got", "started", "result"}, s.Op) {
			s.Return = s.Call
		}
		history = append(history, s)
	}
	return history
}

func toInt(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
