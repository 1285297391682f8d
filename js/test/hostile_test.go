//go:build !js

package browser_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The seed is in the name of the test; SEED=… runs it again, as far as the order of events depends on it. What any realm
// complains about fails the test.
func TestHostileWorkersDisturbNobody(t *testing.T) {
	t.Parallel()
	seed, err := strconv.Atoi(os.Getenv("SEED"))
	if err != nil {
		seed = rand.IntN(1 << 30)
	}
	messages := 3000
	if os.Getenv("SOAK") != "" {
		messages = 50_000
	}
	for _, where := range []string{"here", "worker"} {
		t.Run(fmt.Sprintf("hub in %s, seed %d", where, seed), func(t *testing.T) {
			tab := Open(t, "/test/hostile.html")
			posted := Eval[int](tab, fmt.Sprintf(`attack('%s', %d, %d)`, where, seed, messages))
			require.GreaterOrEqual(t, posted, 4*messages)
		})
	}
}
