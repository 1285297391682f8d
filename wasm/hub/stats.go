package hub

import "github.com/clca-dev/clca/wasm/hub/abi"

// numbers answers with a list of numbers: two parts each, then how many.
func numbers(s *session, slot uint32, values ...uint64) answer {
	for _, v := range values {
		notify(s, slot, abi.StatusPart, uint32(v))
		notify(s, slot, abi.StatusPart, uint32(v>>32))
	}
	return done(uint32(len(values)))
}

// bit is a number for numbers.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// dropped counts the messages and calls that made no sense; the hub's realm sees them first, and reports them.
var dropped uint64

// hubStats answers OpHubStats: sessions, names, calls that wait or hold, runs, dropped messages, and how many clients of
// a lost hub have still to report. If s may see only what is its own, that is all but the last of it and those below it.
func hubStats(s *session, slot uint32, own bool) answer {
	if own {
		var v ownStats
		counts++
		v.count(s)
		return numbers(s, slot, v.sessions, v.names, v.calls, v.runs, v.dropped, uint64(unreported))
	}
	calls := 0
	for _, each := range sessions.table {
		if each != nil {
			calls += each.live - each.watches
		}
	}
	used := 0
	for _, o := range names {
		if o.used() {
			used++
		}
	}
	return numbers(s, slot, uint64(sessions.live), uint64(used), uint64(calls), uint64(len(runs)), dropped,
		uint64(unreported))
}

type ownStats struct{ sessions, names, calls, runs, dropped uint64 }

var counts uint64 // numbers the countings, so that an object is seen to be counted

func (v *ownStats) count(s *session) {
	v.sessions++
	v.calls += uint64(s.live - s.watches)
	v.runs += uint64(len(s.runs))
	v.dropped += s.dropped
	for _, c := range s.calls {
		if c != nil && c.op != abi.OpWatch && c.object.counted != counts {
			c.object.counted = counts
			v.names++
		}
	}
	for _, child := range s.children {
		v.count(child)
	}
}
