package hub

import (
	"cmp"
	"slices"

	"github.com/clca-dev/clca/wasm/hub/abi"
)

// query answers OpQuery: StatusResult with a number under which JavaScript keeps what it reads from the scratch buffer.
// That holds how many UTF-16 units follow, low half first, and then for each call that holds or waits for an RWLock:
// whether it holds, its LockMode, its session in two halves, the length of the name, and the name. Those who hold come
// first, each part in the order of arrival; who waits is in the order of the line but for priorities. Goroutines have
// no session, and are not listed.
func query(s *session) answer {
	var held, pending []*call
	for _, each := range sessions.table {
		if each == nil {
			continue
		}
		for _, c := range each.calls {
			switch {
			case c == nil || c.object.key.kind != abi.KindRWLock:
			case c.state == callHolding:
				held = append(held, c)
			case c.state == callWaiting:
				pending = append(pending, c)
			}
		}
	}
	slices.SortFunc(held, func(a, b *call) int { return cmp.Compare(a.hold.number, b.hold.number) })
	slices.SortFunc(pending, func(a, b *call) int { return cmp.Compare(a.hold.number, b.hold.number) })
	units := []uint16{0, 0}
	for i, c := range append(held, pending...) {
		name := c.object.key.name
		holds := uint16(0)
		if i < len(held) {
			holds = 1
		}
		h := uint32(c.session.handle)
		mode := uint16(c.arg)
		if c.op == abi.OpSteal {
			mode = uint16(abi.LockModeExclusive)
		}
		units = append(units, holds, mode, uint16(h), uint16(h>>16), uint16(len(name)/2), uint16(len(name)/2>>16))
		for at := 0; at < len(name); at += 2 {
			units = append(units, uint16(name[at])|uint16(name[at+1])<<8)
		}
	}
	units[0], units[1] = uint16(len(units)-2), uint16((len(units)-2)>>16)
	if len(units) > len(scratch) {
		scratch = make([]uint16, len(units))
	}
	copy(scratch, units)
	lastRun++
	return answered(abi.StatusResult, lastRun)
}
