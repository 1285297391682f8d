//go:build js && wasm

package hub

import (
	"context"
	"reflect"
	"testing"

	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
	"github.com/stretchr/testify/require"
)

// A client that watches a checkpoint may let its callers pass without asking: it is told before anybody is parked.

const mark = 77 // what is told to who watches

func TestWhoWatchesIsToldOnceAndBeforeTheArmIsAnswered(t *testing.T) {
	a, b := join(t), join(t)
	an, bn := a.name(abi.KindCheckpoint, "c", 0), b.name(abi.KindCheckpoint, "c", 0)
	own, other := a.waits(abi.OpWatch, an, mark), b.waits(abi.OpWatch, bn, 0)
	second := a.waits(abi.OpWatch, an, abi.Unsaid)
	arm, told := a.do(abi.OpArm, an, 0)
	require.Equal(t, []entry{
		a.told(own, abi.StatusArmed, mark), b.told(other, abi.StatusArmed, 0), a.told(second, abi.StatusArmed, abi.Unsaid),
	}, told)
	require.Equal(t, b.told(b.slots, abi.StatusArmed, mark), b.asks(abi.OpWatch, bn, mark), "it is armed")
	wait, told := b.do(abi.OpWait, bn, 0)
	require.Len(t, told, 1)
	require.Equal(t, arm, told[0].call, "the arm alone hears of who is parked")
	require.Equal(t, b.told(b.slots, abi.StatusArmed, mark), b.asks(abi.OpWatch, bn, mark), "it holds")
	resume, told := b.do(abi.OpResume, bn, 0)
	require.ElementsMatch(t, []entry{
		b.told(wait, abi.StatusDone, 0), a.told(arm, abi.StatusEnded, 0), b.told(resume, abi.StatusDone, 1),
	}, told)
	again := b.waits(abi.OpWatch, bn, mark)
	require.Equal(t, []entry{b.told(again, abi.StatusEnded, 0)}, b.endCall(again))
	require.Empty(t, b.endCall(again))
	noneInUse(t)
}

func TestWhoHasStoppedWatchingIsNotTold(t *testing.T) {
	for what, stop := range map[string]func(p party, watch uint32){
		"ended":          func(p party, watch uint32) { p.endCall(watch) },
		"its session is": func(p party, _ uint32) { require.Equal(t, []entry{p.gone()}, p.end()) },
	} {
		t.Run(what, func(t *testing.T) {
			a, b := join(t), join(t)
			an, bn := a.name(abi.KindCheckpoint, "c", 0), b.name(abi.KindCheckpoint, "c", 0)
			stays, leaves := a.waits(abi.OpWatch, an, 1), b.waits(abi.OpWatch, bn, 2)
			stop(b, leaves)
			arm, told := a.do(abi.OpArm, an, 0)
			require.Equal(t, []entry{a.told(stays, abi.StatusArmed, 1)}, told)
			a.endCall(arm)
			noneInUse(t)
		})
	}
}

func TestOneWhoWatchesIsToldWhenItIsClosedForAnotherMayBeArmed(t *testing.T) {
	a := join(t)
	n := a.name(abi.KindCheckpoint, "c", 0)
	watch := a.waits(abi.OpWatch, n, mark)
	closing, told := a.do(abi.OpClose, n, 0)
	require.Equal(t, []entry{
		a.told(watch, abi.StatusArmed, mark), a.told(closing, abi.StatusDone, 0),
	}, told)
	require.Nil(t, names[keyOf(abi.KindCheckpoint, "c")])
	a.endCall(a.waits(abi.OpWatch, n, mark)) // of the next of its name
}

func TestOnlyACheckpointIsWatched(t *testing.T) {
	for kind := abi.KindSignal; kind < abi.KindDenied; kind++ {
		if kind != abi.KindCheckpoint {
			a := join(t)
			a.fails(abi.CodeUnsupported, abi.OpWatch, a.name(kind, "x", 1), 0)
			require.Zero(t, a.handle.session().watches)
			a.end()
		}
	}
	noneInUse(t)
}

func TestAWatchUsesUpALimitButIsCountedNowhere(t *testing.T) {
	c := party{open(t, noParent, 2)}
	n := c.name(abi.KindCheckpoint, "c", 0)
	before, own := c.hubStats(false), c.hubStats(true)
	first := c.waits(abi.OpWatch, n, mark)
	require.Equal(t, before, c.hubStats(false))
	require.Equal(t, own, c.hubStats(true))
	c.waits(abi.OpWatch, n, mark)
	refused, told := c.do(abi.OpWatch, n, mark) // and is to ask each time
	require.Equal(t, []entry{c.told(refused, abi.StatusArmed, mark)}, told)
	c.slots--
	c.isFull(n)
	c.endCall(first)

	other := join(t)
	arm := other.name(abi.KindCheckpoint, "c", 0)
	armed, told := other.do(abi.OpArm, arm, 0)
	require.Len(t, told, 1)
	before[0]++ // the other session
	before[1]++ // what is armed is a name like others
	before[2]++
	require.Equal(t, before, c.hubStats(false))
	require.Equal(t, own, c.hubStats(true))
	require.Equal(t, [6]uint32{1, 1, 1}, other.hubStats(true))
	other.endCall(armed)
	noneInUse(t)
}

func TestAWatchKeepsItsNameHoweverManyOthersFallOutOfUse(t *testing.T) {
	a := join(t)
	n := a.name(abi.KindCheckpoint, "watched", 0)
	watch := a.waits(abi.OpWatch, n, mark)
	passOver(a, 2*len(lingering.objects))
	_, told := a.do(abi.OpArm, n, 0)
	require.Equal(t, []entry{a.told(watch, abi.StatusArmed, mark)}, told)
}

func TestASessionsWatchIsToldOfTheArmOfAGoroutine(t *testing.T) {
	unpin(t)
	a := join(t)
	n := a.name(abi.KindCheckpoint, "go", 0)
	watch := a.waits(abi.OpWatch, n, mark)
	ctx, cancel := context.WithCancel(context.Background())
	armed := make(chan error, 1)
	before := bells
	go func() { armed <- Checkpoint("go").Arm(ctx) }()
	eventually(t, func() bool { return bells > before })
	require.Equal(t, before+1, bells)
	told, _ := read(t, exportDrain())
	require.Equal(t, []entry{a.told(watch, abi.StatusArmed, mark)}, told)
	cancel()
	require.ErrorIs(t, <-armed, context.Canceled)
	a.endCall(a.waits(abi.OpWatch, n, mark))
}

// watching has a goroutine watch a checkpoint, and returns what tells when it knows.
func watching(t *testing.T, name string) (told chan error) {
	t.Helper()
	unpin(t)
	c := Checkpoint(name)
	told, parks := make(chan error, 1), make(chan struct{})
	go func() { close(parks); told <- c.Watch(context.Background()) }()
	<-parks
	eventually(t, func() bool { return watchersOf(c) == 1 })
	return told
}

// watchersOf is not in the numbers of a checkpoint: who watches does not wait there.
func watchersOf(c *core.Checkpoint) int { return listLen(c, "watching") }

func TestAGoroutineThatWatchesIsResumedForTheArmOfASession(t *testing.T) {
	told := watching(t, "go")
	a := join(t)
	n := a.name(abi.KindCheckpoint, "go", 0)
	_, flags := read(t, exportCall(uint32(a.handle), uint32(abi.OpArm), n, 0, 0, 0))
	require.EqualValues(t, abi.Pump, flags)
	require.NoError(t, <-told)
}

func TestAGoroutineThatWatchesIsResumedForAnArmThatIsTakenBackFromALostHub(t *testing.T) {
	follows(t, 2, 1)
	told := watching(t, "go")
	a := reporter(t)
	n := a.bind(abi.KindCheckpoint, "go")
	_, flags := read(t, exportCall(uint32(a.handle), uint32(abi.OpRetake), n, 0, 0, 0))
	require.EqualValues(t, abi.Pump, flags)
	require.NoError(t, <-told)
}

func TestAWatchIsToldOfAnArmOnceThatIsHeldUpNoLonger(t *testing.T) {
	follows(t, 2, 1)
	a, b := visitor(t), visitor(t)
	an, bn := a.bind(abi.KindCheckpoint, "c"), b.bind(abi.KindCheckpoint, "c")
	watch, told := ask(a, abi.OpWatch, an, mark)
	require.Empty(t, told)
	_, told = b.call(abi.OpArm, bn)
	require.Empty(t, told, "what is held up arms nothing yet")
	late, told := ask(b, abi.OpWatch, bn, 1)
	require.Empty(t, told)
	require.Equal(t, []entry{a.told(watch, abi.StatusArmed, mark), b.told(late, abi.StatusArmed, 1)}, unreport(t, 0, 2))
}

func TestAWatchIsToldOfWhatALostHubHadArmed(t *testing.T) {
	follows(t, 2, 1)
	a, b := visitor(t), reporter(t)
	watch, told := ask(a, abi.OpWatch, a.bind(abi.KindCheckpoint, "c"), mark)
	require.Empty(t, told)
	arm, told := claim(b, b.bind(abi.KindCheckpoint, "c"), 0, 0)
	require.Len(t, told, 2)
	require.Equal(t, a.told(watch, abi.StatusArmed, mark), told[0])
	require.Equal(t, []any{arm, abi.StatusHeld}, []any{told[1].call, told[1].status})
}

// listLen is how many stand in one of the queues of a primitive.
func listLen(p any, queue string) int {
	list := reflect.ValueOf(p).Elem().FieldByName(queue).FieldByName("List")
	return int(list.FieldByName("n").Int())
}
