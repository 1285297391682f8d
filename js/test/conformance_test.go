//go:build !js

package browser_test

import (
	"net/url"
	"testing"
)

// The places that one page can bring about by itself. js/test/places.ts says how.
var places = []string{
	"the hub's realm",
	"a page whose hub is in a Worker",
	"a Worker of the hub's realm",
	"a Worker of a Worker",
	"a Worker whose hub is in a sibling",
	"a page whose hub is in the SharedWorker",
	"a page whose hub is in a SharedWorker of its own",
	"a Worker whose hub is in the SharedWorker",
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, place := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			tab := Open(t, "/test/suite.html?place="+url.QueryEscape(place))
			RunSuite(t, tab, `clcaReport`)
		})
	}
}

func TestConformanceInASecondTab(t *testing.T) {
	t.Parallel()
	first := Open(t, "/test/suite.html?role=peer")
	first.Do(`await clcaReady`)
	second := first.Beside("/test/suite.html?beside&place=" + url.QueryEscape("a second tab"))
	RunSuite(t, second, `clcaReport`)
}
