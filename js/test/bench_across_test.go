//go:build !js

package browser_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkAcross measures what realms do with each other: ahead of every library that works across realms, and of
// navigator.locks. All sides of a row are between the same realms, which are fresh for the row and have started before;
// js/test/bench/across says what each side does. No library has a lock but navigator.locks and, called by comlink,
// async-mutex: broadcast-channel elects a leader for good. The tasks of workerpool do not wait, so it has none of the
// rows in which many do; and only the owner of its Workers talks to them.
func BenchmarkAcross(b *testing.B) {
	wake := []string{"clca", "comlink", "broadcast-channel", "navigator.locks",
		"floor: BroadcastChannel", "floor: plain hub"}
	direct := []string{"floor: MessageChannel", "floor: Atomics.waitAsync", "floor: Atomics.wait"}
	lock := []string{"clca", "comlink", "navigator.locks", "floor: plain hub"}
	request := []string{"clca locks.request", "navigator.locks"}
	queue := []string{"clca", "comlink", "workerpool", "floor: MessageChannel"}

	isolated := isolatedServer(b)
	workers := func(name, work string, options acrossOptions) {
		b.Run(name, func(b *testing.B) {
			acrossRow(b, openAt(b, isolated+acrossPath()), "Worker to Worker", name, work, options)
		})
	}
	for _, hub := range []struct{ where, text string }{{"worker", "hub in a Worker"}, {"here", "hub in the page"}} {
		options := func(via ...[]string) acrossOptions {
			return acrossOptions{Where: hub.where, Via: slices.Concat(via...)}
		}
		var tasks []string
		if hub.where == "worker" {
			tasks = append(tasks, "workerpool")
		}
		workers("wake another, and be woken by it; "+hub.text, "wakeOne", options(wake, tasks, direct))
		workers("1,000 waits in 8 Workers, one signal, all told; "+hub.text, "wakeMany", options(wake))
		workers("8 contend for a lock, acquire and release; "+hub.text, "lock", options(lock, direct[2:]))
		workers("the same by locks.request; "+hub.text, "lock", options(request))
	}
	for _, item := range []struct {
		bytes int
		text  string
	}{{10, "of 10 bytes"}, {1 << 20, "of 1 MB, moved"}} {
		workers("queue, an item "+item.text+", and the answer to it", "latency",
			acrossOptions{Where: "worker", Via: queue, Bytes: item.bytes})
		for _, consumers := range []int{1, 4} {
			options := acrossOptions{Where: "worker", Via: queue, Bytes: item.bytes, Consumers: consumers}
			name := fmt.Sprintf("queue, one of many items %s, 1 producer, %d consumers", item.text, consumers)
			workers(name, "throughput", options)
			options.Via = slices.Concat([]string{"clca items()"}, queue[1:])
			workers(name+" by items()", "throughput", options)
		}
	}
	tabs := func(name, work string, via []string) {
		b.Run(name, func(b *testing.B) {
			tab := Open(b, acrossPath())
			tab.Beside(acrossPath()).Do("await bench.beOtherTab()")
			acrossRow(b, tab, "tab to tab", name, work, acrossOptions{Via: via})
		})
	}
	tabs("wake another, and be woken by it", "tabsWake", wake)
	tabs("2 contend for a lock, acquire and release", "tabsLock", lock)
	tabs("the same by locks.request", "tabsLock", request)
}

func acrossPath() string { return fmt.Sprintf("/bench/across/?rounds=%d", rounds()) }

type acrossOptions struct {
	Where     string   `json:"where,omitempty"` // the hubs
	Via       []string `json:"via"`             // ours is the first
	Consumers int      `json:"consumers,omitempty"`
	Bytes     int      `json:"bytes,omitempty"`
}

func acrossRow(b *testing.B, tab *Tab, group, name, work string, options acrossOptions) {
	given, err := json.Marshal(options)
	require.NoError(b, err)
	sides, err := measureIn[[]took](tab, fmt.Sprintf("bench.across(%q, %s)", work, given))
	if err != nil {
		bench.add(group, failed(name, err, 1))
		return
	}
	bench.add(group, against(name, "ms", sides, library(1))...)
}
