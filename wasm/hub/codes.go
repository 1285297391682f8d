package hub

import (
	"github.com/clca-dev/clca/core"
	"github.com/clca-dev/clca/wasm/hub/abi"
)

// coded are the errors of core that JavaScript knows by a code.
var coded = [...]struct {
	err  error
	code abi.Code
}{
	{core.ErrClosed, abi.CodeClosed},
	{core.ErrAlreadyArmed, abi.CodeAlreadyArmed},
	{core.ErrDisarmed, abi.CodeDisarmed},
	{core.ErrNotOwner, abi.CodeNotOwner},
	{core.ErrNoConsumers, abi.CodeNoConsumers},
	{core.ErrTooLarge, abi.CodeTooLarge},
	{core.ErrOverRelease, abi.CodeOverRelease},
	{core.ErrBroken, abi.CodeBroken},
}

func codeOf(err error) abi.Code {
	for _, known := range coded {
		if err == known.err {
			return known.code
		}
	}
	return abi.CodeUnsupported
}

var unsupported = answered(abi.StatusFail, uint32(abi.CodeUnsupported))

func failed(err error) answer { return answered(abi.StatusFail, uint32(codeOf(err))) }
