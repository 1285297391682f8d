package core_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/clca-dev/clca/core"
)

// The defects D1 to D10 of the original Signal, each as what is right instead.

var background = context.Background()

func TestD1_CancellingOneWaiterLeavesTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s core.Signal
		a, b, c := begin(background, wait(s.Wait)), begin(background, wait(s.Wait)), begin(background, wait(s.Wait))
		b.leave()
		ended(t, context.Canceled, b)
		parked(t, a, c)
		same(t, "woken", s.Signal(), 2)
		ended(t, nil, a, c)
	})
}

func TestD2_CancellingTheFirstWaiterLeavesTheOthersReachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s core.Signal
		a, b, c := begin(background, wait(s.Wait)), begin(background, wait(s.Wait)), begin(background, wait(s.Wait))
		a.leave()
		same(t, "woken", s.Signal(), 2)
		ended(t, context.Canceled, a)
		ended(t, nil, b, c)
	})
}

func TestD2b_CancellingAfterTheSignalIsNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s core.Signal
		a, b := begin(background, wait(s.Wait)), begin(background, wait(s.Wait))
		same(t, "woken", s.Signal(), 2)
		a.leave()
		ended(t, nil, a, b)
	})
}

func TestD3_ASignalReachesWhoWasRegisteredBeforeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s core.Signal
		same(t, "woken by a signal that nobody waited for", s.Signal(), 0)
		late := begin(background, wait(s.Wait))
		parked(t, late)

		l := newLoop()
		defer l.close()
		woken := make(chan error, 1)
		l.do(func() { // in one turn of the loop
			l.wait(s.Park, func(err error) { woken <- err })
			same(t, "woken", s.Signal(), 2)
		})
		same(t, "error of the one that waited in the same turn", <-woken, nil)
		ended(t, nil, late)
	})
}

func TestD4_WaitersAreWokenInTheOrderOfArrival(t *testing.T) {
	var (
		s     core.Signal
		order []int
		w     [4]core.Waiter
	)
	for i := range w {
		w[i].Waker = wakerFunc(func() { order = append(order, i) })
		s.Park(&w[i])
	}
	s.Signal()
	if want := []int{0, 1, 2, 3}; !slices.Equal(order, want) {
		t.Errorf("woken in the order %v, want %v", order, want)
	}
}

func TestD5_ASignalToManyIsOverWhenItReturns(t *testing.T) {
	var (
		s     core.Signal
		woken int
		w     [200]core.Waiter
	)
	for i := range w {
		w[i].Waker = wakerFunc(func() { woken++ })
		s.Park(&w[i])
	}
	same(t, "signalled", s.Signal(), 200)
	same(t, "woken when Signal returned", woken, 200)
}

func TestD6_ACancelledFirstWaiterLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s core.Signal
		begin(background, wait(s.Wait)).leave()
		same(t, "stats", s.Stats(), core.SignalStats{})
		same(t, "woken", s.Signal(), 0)
		next := begin(background, wait(s.Wait))
		same(t, "woken", s.Signal(), 1)
		ended(t, nil, next)
	})
}

func TestD7_WaitersInDifferentLoopsAreWokenByOneSignal(t *testing.T) {
	var s core.Signal
	loops := []*loop{newLoop(), newLoop()}
	woken := make(chan bool, len(loops))
	for _, l := range loops {
		defer l.close()
		l.do(func() { l.wait(s.Park, func(error) { woken <- l.running }) })
	}
	same(t, "woken", s.Signal(), len(loops))
	for range loops {
		same(t, "woken in its own loop", <-woken, true)
	}
}

func TestD8_AnIdleLoopIsWokenByASignalFromAnotherThread(t *testing.T) {
	var s core.Signal
	l := newLoop()
	defer l.close()
	woken := make(chan error)
	l.do(func() { l.wait(s.Park, func(err error) { woken <- err }) })
	go s.Signal()
	same(t, "error", <-woken, nil) // the loop has no timer that could have woken it instead
}

func TestD9_ALoopThatClosesTakesItsWaitersAlong(t *testing.T) {
	var s core.Signal
	gone, alive := newLoop(), newLoop()
	defer alive.close()
	woken := make(chan error, 1)
	gone.do(func() { gone.wait(s.Park, func(error) { t.Error("a callback ran in a closed loop") }) })
	gone.close()
	same(t, "woken of a closed loop", s.Signal(), 0)
	alive.do(func() { alive.wait(s.Park, func(err error) { woken <- err }) })
	same(t, "woken", s.Signal(), 1)
	same(t, "error", <-woken, nil)
}

func TestD10_ASecondCancellationFindsNothingLeftToDo(t *testing.T) {
	var s core.Signal
	w := core.Waiter{Waker: wakerFunc(func() { t.Error("woken") })}
	s.Park(&w)
	same(t, "first Withdraw", w.Withdraw(), true)
	same(t, "waiting right after it", s.Stats().Waiting, 0)
	same(t, "second Withdraw", w.Withdraw(), false)
	same(t, "woken", s.Signal(), 0)
}

// wakerFunc is a Waker.
type wakerFunc func()

func (f wakerFunc) Wake() { f() }
