package explore_test

import (
	"testing"

	"github.com/clca-dev/clca/core/internal/explore"
)

// counter counts up and down between 0 and most; a faulty one forgets its limit.
type counter struct{ n, most int }

func (c *counter) Weigh(step string) explore.Weight {
	switch {
	case step == "down" && c.n == 0:
		return explore.Idle
	case step == "UP":
		return explore.Skip
	}
	return explore.Move
}

func (c *counter) Do(step string) int {
	switch step {
	case "up":
		c.n = min(c.n+1, c.most)
	case "down":
		c.n = max(c.n-1, 0)
	case "boom":
		panic("boom")
	}
	return c.n
}

func search(depth int, machine counter, steps ...string) explore.Search[string, int] {
	return explore.Search[string, int]{
		Steps:   steps,
		Depth:   depth,
		Idle:    1,
		Machine: func() explore.Machine[string, int] { m := machine; return &m },
		Model:   func() explore.Model[string, int] { return &counter{most: 3} },
	}
}

func TestEverySequenceIsTriedOnce(t *testing.T) {
	// All 8 sequences of up and down but those that begin with down, down: there the second step is idle once more.
	got, failure := search(3, counter{most: 3}, "up", "down", "UP").Run()
	if failure != nil {
		t.Fatal(failure)
	}
	if got != 6 {
		t.Errorf("%d sequences were tried, want 6", got)
	}
}

func TestTheShortestFailingSequenceIsReported(t *testing.T) {
	_, failure := search(8, counter{most: 4}, "down", "up").Run()
	if failure == nil {
		t.Fatal("the fault was not found")
	}
	if len(failure.Trace) != 4 || failure.Got != 4 || failure.Want != 3 {
		t.Errorf("not the shortest failure: %v", failure)
	}
}

func TestAPanicOfTheMachineIsAFailure(t *testing.T) {
	x := search(3, counter{most: 3}, "up", "boom")
	x.Model = func() explore.Model[string, int] { return unshakable{&counter{most: 3}} }
	_, failure := x.Run()
	if failure == nil || failure.Panic != "boom" || len(failure.Trace) != 1 {
		t.Errorf("got %v, want a panic in the first step", failure)
	}
}

type unshakable struct{ *counter }

func (u unshakable) Do(step string) int {
	if step == "boom" {
		return u.n
	}
	return u.counter.Do(step)
}
