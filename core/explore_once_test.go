package core_test

import (
	"slices"
	"testing"
)

// A Once is a SharedTask whose runs are forgotten when they fail.
func TestExploringOnceFindsWhatItsModelSays(t *testing.T) {
	search(t, "three waiters", 6, taskSteps, newTaskMachine(false, true), newTaskModel(false, true))
	search(t, "a run that ends when it is cancelled", 6, taskSteps, newTaskMachine(true, true), newTaskModel(true, true))
	search(t, "steps from within Wake", 5, slices.Concat(taskSteps,
		[]step{
			{op: opPark, then: &step{op: opPark}}, // tries again when it hears of the failure
			{op: opPark, then: &step{op: opWithdraw, who: 1}},
			{op: opPark, then: &step{op: opClose}},
		}), newTaskMachine(false, true), newTaskModel(false, true))
}
