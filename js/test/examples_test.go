//go:build !js

package browser_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The examples of the documentation that are about a page; js/test/package/examples.mjs runs all others.
func TestExamplesOfPages(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("node", "examples.mjs").Output()
	require.NoError(t, err)
	var examples []struct{ Name, Code string }
	require.NoError(t, json.Unmarshal(out, &examples))
	require.NotEmpty(t, examples)
	tab := Open(t, "/harness/blank.html")
	tab.Do(`Object.assign(globalThis, await import('/clca/index.js'))`)
	for _, example := range examples {
		t.Run(example.Name, func(t *testing.T) {
			tab.Do(strings.ReplaceAll(example.Code, "import.meta.url", "location.href"))
		})
	}
}
