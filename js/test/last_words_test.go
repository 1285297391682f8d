//go:build !js

package browser_test

import (
	"fmt"
	"testing"
)

func TestWhatAClientSaysBeforeItClosesIsHeardHoweverLateItArrives(t *testing.T) {
	t.Parallel()
	tab := Open(t, faults)
	tab.Do(`await lab.open({ where: 'here' })`)
	tab.Do(`await lab.closeFarAway(lab.hub)`)
}

func TestWhatAClientSaysBeforeItDiesIsHeard(t *testing.T) {
	t.Parallel()
	t.Run("one message a turn", func(t *testing.T) {
		tab := Open(t, faults)
		tab.Do(`await lab.deathIsToldLast()`)
	})
	for _, where := range []string{"here", "worker", "shared"} {
		for way, depth := range map[string]int{"a Worker": 1, "a Worker of a Worker": 2} {
			t.Run(fmt.Sprintf("%s, hub %s", way, where), func(t *testing.T) {
				tab := Open(t, faults)
				tab.Do(fmt.Sprintf(`await lab.open({ where: '%s' })`, where))
				tab.Do(fmt.Sprintf(`await lab.newRealm().tell({ speakAndDie: 'last', depth: %d })`, depth))
				tab.Do(`await lab.heardAll(lab.hub, 'last')`)
			})
		}
	}
}
