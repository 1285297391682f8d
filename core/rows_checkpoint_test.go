package core_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/clca-dev/clca/core"
)

// The defects K1 to K10 of the original CheckpointSignal, each as what is right instead.

func TestK1_AfterResumeCallersPassAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		arm := begin(background, wait(c.Arm))
		w := begin(background, wait(c.Wait))
		ended(t, nil, arm)
		same(t, "resumed", c.Resume(), 1)
		ended(t, nil, w)
		for range 3 {
			ended(t, nil, begin(background, wait(c.Wait)))
		}
	})
}

func TestK2_ACancelledArmLetsCallersPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		arm := begin(background, wait(c.Arm))
		arm.leave()
		ended(t, context.Canceled, arm)
		same(t, "state", c.Stats().State, core.Disarmed)
		ended(t, nil, begin(background, wait(c.Wait)))
	})
}

func TestK3_ArmingWhatHoldsIsAnErrorAndDisturbsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		arm := begin(background, wait(c.Arm))
		ended(t, core.ErrAlreadyArmed, begin(background, wait(c.Arm)))
		w1 := begin(background, wait(c.Wait))
		ended(t, core.ErrAlreadyArmed, begin(background, wait(c.Arm)))
		w2 := begin(background, wait(c.Wait))
		ended(t, nil, arm)
		parked(t, w1, w2)
		same(t, "resumed", c.Resume(), 2)
		ended(t, nil, w1, w2)
	})
}

func TestK4_ResumeBeforeAnybodyParkedDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		arm := begin(background, wait(c.Arm))
		same(t, "resumed", c.Resume(), 0)
		parked(t, arm)
		w := begin(background, wait(c.Wait))
		ended(t, nil, arm)
		parked(t, w)
		same(t, "resumed", c.Resume(), 1)
		ended(t, nil, w)
	})
}

func TestK4_DisarmWithdrawsAnArmThatNobodyMet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		arm := begin(background, wait(c.Arm))
		same(t, "disarmed", c.Disarm(), true)
		ended(t, core.ErrDisarmed, arm)
		ended(t, nil, begin(background, wait(c.Wait)))
		same(t, "disarmed", c.Disarm(), false)
	})
}

func TestK5_CancellingTheFirstLeavesTheOthersParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		begin(background, wait(c.Arm))
		w1, w2, w3 := begin(background, wait(c.Wait)), begin(background, wait(c.Wait)), begin(background, wait(c.Wait))
		w1.leave()
		ended(t, context.Canceled, w1)
		parked(t, w2, w3)
		same(t, "resumed", c.Resume(), 2)
		ended(t, nil, w2, w3)
	})
}

func TestK6_WhoIsCancelledLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		begin(background, wait(c.Arm))
		w1, w2, w3 := begin(background, wait(c.Wait)), begin(background, wait(c.Wait)), begin(background, wait(c.Wait))
		w2.leave()
		ended(t, context.Canceled, w2)
		for range 500 {
			begin(background, wait(c.Wait)).leave()
		}
		same(t, "waiting", c.Stats().Waiting, 2)
		same(t, "broken", c.Broken(), "")
		same(t, "resumed", c.Resume(), 2)
		ended(t, nil, w1, w3)
	})
}

func TestK7_ResumeDirectlyAfterArmResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		controller := begin(background, func(ctx context.Context) (int, error) {
			err := c.Arm(ctx)
			return c.Resume(), err
		})
		w := begin(background, wait(c.Wait))
		ended(t, nil, controller)
		same(t, "resumed", controller.value, 1)
		ended(t, nil, w)
	})
}

func TestK7_ResumeFromWithinTheWakeOfArmResumes(t *testing.T) {
	var (
		c   core.Checkpoint
		arm core.Waiter
	)
	resumed, woken := 0, 0
	arm.Waker = wakerFunc(func() { resumed = c.Resume() })
	c.ParkArm(&arm)
	w := core.Waiter{Waker: wakerFunc(func() { woken++ })}
	c.Park(&w)
	same(t, "resumed", resumed, 1)
	same(t, "woken", woken, 1)
}

func TestK8_AWorkerThatPassedBeforeTheArmIsMetAtItsNextPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		pass := make(chan struct{})
		worker := begin(background, func(ctx context.Context) (passed int, err error) {
			for range pass {
				if err := c.Wait(ctx); err != nil {
					return passed, err
				}
				passed++
			}
			return passed, nil
		})
		pass <- struct{}{}
		synctest.Wait()
		arm := begin(background, wait(c.Arm))
		parked(t, arm)
		pass <- struct{}{}
		ended(t, nil, arm)
		same(t, "resumed", c.Resume(), 1)
		close(pass)
		ended(t, nil, worker)
		same(t, "passed", worker.value, 2)
	})
}

func TestK9_ControllerAndWorkerInDifferentLoopsMeetAtOnce(t *testing.T) {
	var c core.Checkpoint
	controller, worker := newLoop(), newLoop()
	defer controller.close()
	defer worker.close()
	resumed, passed := make(chan int, 1), make(chan error, 1)
	controller.do(func() { controller.wait(c.ParkArm, func(error) { resumed <- c.Resume() }) })
	worker.post(func() { worker.wait(c.Park, func(err error) { passed <- err }) })
	same(t, "resumed", <-resumed, 1) // neither loop has a timer that could have woken it instead
	same(t, "error of the worker", <-passed, nil)
}

func TestK10_HoldingWithoutCallersStillHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		arm := begin(background, wait(c.Arm))
		w1 := begin(background, wait(c.Wait))
		ended(t, nil, arm)
		w1.leave()
		same(t, "state", c.Stats().State, core.Holding)
		w2 := begin(background, wait(c.Wait))
		parked(t, w2)
		same(t, "resumed", c.Resume(), 1)
		ended(t, nil, w2)

		begin(background, wait(c.Arm))
		begin(background, wait(c.Wait)).leave()
		same(t, "resumed from Holding without callers", c.Resume(), 0)
		same(t, "state", c.Stats().State, core.Disarmed)
	})
}

// Who watches.

func TestWhoWatchesIsToldOfTheArmAndNotOfWhoParks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c core.Checkpoint
		early, gone := begin(background, wait(c.Watch)), begin(background, wait(c.Watch))
		gone.leave()
		ended(t, context.Canceled, gone)
		ended(t, nil, begin(background, wait(c.Wait)))
		parked(t, early)
		arm := begin(background, wait(c.Arm))
		ended(t, nil, early, begin(background, wait(c.Watch)))
		w := begin(background, wait(c.Wait))
		ended(t, nil, arm, begin(background, wait(c.Watch)))
		same(t, "resumed", c.Resume(), 1)
		ended(t, nil, w)
		late := begin(background, wait(c.Watch))
		parked(t, late)
		same(t, "waiting", c.Stats().Waiting, 0)
		same(t, "resumed", c.Resume(), 0)
		parked(t, late)
		again := begin(background, wait(c.Arm))
		ended(t, nil, late)
		again.leave()
	})
}

func TestWhoIsToldOfAnArmAndParksAtOnceIsTheOneItMeets(t *testing.T) {
	var (
		c                  core.Checkpoint
		watch, arm, caller core.Waiter
		told               []string
	)
	say := func(what string) core.Waker { return wakerFunc(func() { told = append(told, what) }) }
	arm.Waker, caller.Waker = say("arm"), say("caller")
	watch.Waker = wakerFunc(func() {
		told = append(told, "watch")
		c.Park(&caller)
	})
	c.ParkWatch(&watch)
	ok, err := c.ParkArm(&arm)
	same(t, "the arm parks, though it has been granted since", ok, true)
	same(t, "error", err, nil)
	same(t, "state", c.Stats().State, core.Holding)
	same(t, "resumed", c.ResumeGeneration(arm.Value()), 1)
	same(t, "told", fmt.Sprint(told), "[watch arm caller]")
}
