package core_test

import (
	"slices"
	"testing"
)

func TestExploringConditionFindsWhatItsModelSays(t *testing.T) {
	common := slices.Concat(
		each(3, step{op: opAwait}), each(3, step{op: opPark}), each(3, step{op: opCancel}), each(3, step{op: opWithdraw}),
		[]step{
			{op: opAwaitFormer}, {op: opNotify}, {op: opNotifyAll}, {op: opTake}, {op: opUnlock}, {op: opUnlockFormer},
			{op: opSteal}, {op: opClose},
		})
	search(t, "three waiters", 6, common, newLockMachine, newTenancyModel)
	search(t, "those who wait and those who notify", 8, slices.Concat(
		each(3, step{op: opAwait}), []step{{op: opCancel}, {op: opCancel, who: 1}, {op: opWithdraw}, {op: opNotify},
			{op: opNotifyAll}, {op: opTake}, {op: opUnlock}}), newLockMachine, newTenancyModel)
	search(t, "two conditions", 7, slices.Concat(
		each(3, step{op: opAwait}), each(2, step{op: opAwait, run: 1}), each(2, step{op: opWithdraw}), []step{
			{op: opParkFirst, who: 2}, {op: opNotify}, {op: opNotify, run: 1}, {op: opNotifyAll, run: 1}, {op: opCancel},
			{op: opCancel, who: 1, run: 1}, {op: opTake}, {op: opUnlock}, {op: opClose},
		}), newLockMachine, newTenancyModel)
	search(t, "steps from within Wake", 6, slices.Concat(
		each(2, step{op: opAwait}), []step{
			{op: opPark, who: 1}, {op: opCancel}, {op: opNotify}, {op: opNotifyAll}, {op: opUnlock},
			{op: opAwait, then: &step{op: opUnlock}},
			{op: opAwait, then: &step{op: opAwait}},
			{op: opAwait, then: &step{op: opNotifyAll}},
			{op: opAwait, then: &step{op: opClose}},
			{op: opPark, then: &step{op: opNotify}}, // wakes who waits before its Park has returned
			{op: opPark, then: &step{op: opAwait}},
			{op: opPark, then: &step{op: opUnlock}},
		}), newLockMachine, newTenancyModel)
}
