// Package explore compares a machine with a model of it, after every step of every sequence of steps up to a length.
//
// A machine is code under test whose steps are atomic: they do not block and depend on nothing but the steps before. So
// all interleavings of its callers are sequences of steps, and they can be tried one by one, depth first. Nothing is
// ever undone: each sequence starts with a fresh machine and a fresh model.
package explore

import (
	"fmt"
	"strings"
)

// Machine does a step and returns all that can be seen of it.
type Machine[S, O any] interface {
	Do(S) O
}

// Model is a machine so simple that it is right by inspection.
type Model[S, O any] interface {
	Machine[S, O]
	// Weigh says what the step would do next, without doing it.
	Weigh(S) Weight
}

// Weight is what a step is worth to the search.
type Weight uint8

const (
	Skip Weight = iota // nothing new: it differs from another step in names only
	Idle               // it should be refused, or find nothing to do
	Move               // it leads somewhere
)

// Search is a bounded, exhaustive comparison. S should print well; O should be all that matters, and nothing else.
type Search[S any, O comparable] struct {
	Steps   []S
	Depth   int // steps in a sequence
	Idle    int // how many of them may weigh Idle
	Machine func() Machine[S, O]
	Model   func() Model[S, O]
}

// Failure is a shortest sequence after whose last step machine and model differ.
type Failure[S any, O comparable] struct {
	Trace     []S
	Got, Want O
	Panic     any // what the last step of the machine panicked with
}

// Error lists the steps, and what was seen of the last one.
func (f *Failure[S, O]) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "machine and model part after %d steps:\n", len(f.Trace))
	for i, s := range f.Trace {
		fmt.Fprintf(&b, "%4d. %v\n", i+1, s)
	}
	if f.Panic != nil {
		fmt.Fprintf(&b, "   panic: %v\n", f.Panic)
	} else {
		fmt.Fprintf(&b, "    got: %+v\n", f.Got)
	}
	fmt.Fprintf(&b, "   want: %+v", f.Want)
	return b.String()
}

// Run tries all sequences and returns how many there are, or a shortest one that fails.
func (x Search[S, O]) Run() (sequences int, failure *Failure[S, O]) {
	sequences, failure = x.run()
	for shorter := failure; shorter != nil; {
		failure, x.Depth = shorter, len(shorter.Trace)-1
		_, shorter = x.run()
	}
	return sequences, failure
}

// choice is one place in the current sequence: which of how many worthwhile steps is taken there.
type choice struct{ taken, of int }

func (x Search[S, O]) run() (sequences int, failure *Failure[S, O]) {
	for path := []choice(nil); ; sequences++ {
		if path, failure = x.follow(path); failure != nil {
			return sequences, failure
		}
		for len(path) > 0 && path[len(path)-1].taken == path[len(path)-1].of-1 {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return sequences + 1, nil
		}
		path[len(path)-1].taken++
	}
}

// follow does the sequence that begins with path, and returns path made complete with first choices.
func (x Search[S, O]) follow(path []choice) ([]choice, *Failure[S, O]) {
	machine, model, idle := x.Machine(), x.Model(), 0
	trace, worth := make([]S, 0, x.Depth), make([]int, 0, len(x.Steps))
	for len(trace) < x.Depth {
		worth = worth[:0]
		for i, s := range x.Steps {
			if w := model.Weigh(s); w == Move || w == Idle && idle < x.Idle {
				worth = append(worth, i)
			}
		}
		if len(worth) == 0 {
			break
		}
		if len(trace) == len(path) {
			path = append(path, choice{0, len(worth)})
		}
		step := x.Steps[worth[path[len(trace)].taken]]
		if model.Weigh(step) == Idle {
			idle++
		}
		trace = append(trace, step)
		want := model.Do(step)
		got, panicked := do(machine, step)
		if panicked != nil || got != want {
			return path, &Failure[S, O]{trace, got, want, panicked}
		}
	}
	return path, nil
}

func do[S, O any](machine Machine[S, O], step S) (seen O, panicked any) {
	defer func() { panicked = recover() }()
	return machine.Do(step), nil
}
