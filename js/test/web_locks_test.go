//go:build !js

package browser_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the suite asks of hub.locks is true of the browser's own.
func TestTheSuiteOfHubLocksIsTrueOfNavigatorLocks(t *testing.T) {
	t.Parallel()
	RunSuite(t, Open(t, "/test/differ.html"), `platform()`)
}

// What navigator.locks does, hub.locks does: both are played the same random scripts. A failure names the seed; with
// SOAK=minutes there are many more.
func TestHubLocksDoWhatNavigatorLocksDo(t *testing.T) {
	t.Parallel()
	const batch = 25
	seeds := 3*batch + int(numberFrom(t, "SOAK", 0)*20)*batch
	for _, place := range []string{
		"the hub's realm",
		"a page whose hub is in a Worker",
		"a Worker of the hub's realm",
		"a Worker whose hub is in a sibling",
	} {
		t.Run(place, func(t *testing.T) {
			tab := Open(t, "/test/differ.html")
			events := 0
			for from := 0; from < seeds; from += batch {
				said := Eval[string](tab, fmt.Sprintf("differ(%q, %d, %d)", place, from, batch))
				n, err := strconv.Atoi(said)
				require.NoError(t, err, "%s", said)
				events += n
			}
			require.Greater(t, events, 10*seeds, "the scripts do little")
		})
	}
}
