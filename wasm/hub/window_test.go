package hub

import (
	"testing"

	"github.com/clca-dev/clca/wasm/hub/abi"
	"github.com/stretchr/testify/require"
)

// entry is one entry of the window.
type entry struct {
	session handle
	call    uint32
	status  abi.Status
	value   uint32
}

// read returns the entries that an exported function has left, draining as the loader does, and its flags.
func read(t *testing.T, result uint32) (entries []entry, flags uint32) {
	t.Helper()
	flags = result &^ abi.CountMask
	for {
		n := result & abi.CountMask
		for i := range n {
			at := window[i]
			e := entry{handle(at.session), at.call, abi.Status(at.status), at.value}
			if e.status == abi.StatusHeld {
				e.value &= abi.HeldAbandoned // its rank depends on what was before
			}
			entries = append(entries, e)
		}
		if n < abi.WindowEntries {
			return entries, flags
		}
		result = exportDrain()
		require.Zero(t, result&abi.Busy)
		flags |= result &^ abi.CountMask
	}
}

// The collector has its turns within calls, as in the prebuilt module: so no call asks for a resume that others do not.
func init() { only = true }

// noParent is no handle of a session.
const noParent handle = 0xffffffff
