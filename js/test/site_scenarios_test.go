//go:build !js

package browser_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The scenarios of the site: each is played by its buttons, with clca and with the code of the documents, and ends as the
// page says.

// In a play of these, something has to happen before a timer runs out.
var timedScenarios = []string{"start-timeout", "start-timeout-after", "task-clean-up", "task-twice"}

type original struct{ code, ends, state string }

var siteScenarios = []struct {
	id, ends  string
	originals []original
}{
	{"signal-all", "A and B: woken. Controller: signal() → 2.", []original{
		{"Signal", "A and B: woken.", "right"},
	}},
	{"signal-first-leaves", "A: left. B: woken. Controller: signal() → 1.", []original{
		{"Signal", "A: left. B: waits for ever.", "wrong"},
	}},
	{"signal-second-leaves", "A: woken. B: left. Controller: woken, then signal() → 2.", []original{
		{"Signal", "A: woken, though nobody signalled. B: left. Controller: CancelledError.", "wrong"},
	}},
	{"signal-lost", "Controller: woken, then signal() → 1.", []original{
		{"Signal", "Controller: waits for ever.", "wrong"},
	}},
	{"signal-and-leave", "A: left, then signal() → 1.", []original{
		{"Signal", "A: left. Logged: InvalidStateError: invalid state.", "wrong"},
	}},
	{"signal-loops", "A and B: woken. Controller: signal() → 2.", []original{
		{"Signal", "A: woken. B: RuntimeError: Task got Future attached to a different loop.", "wrong"},
	}},
	{"signal-thread", "A: woken. Controller: signal() → 1.", []original{
		{"Signal", "A: waits for ever.", "wrong"},
	}},
	{"signal-dead-loop", "A: gone. Controller: signal() → 0.", []original{
		{"Signal", "A: gone. Controller: signal() RuntimeError: Event loop is closed.", "wrong"},
	}},
	{"checkpoint-stage", "A: resumed. Controller: arm() done, then resume() → 1.", []original{
		{"CheckpointSignal", "A: resumed. Controller: arm() done.", "right"},
	}},
	{"checkpoint-again", "A: resumed, then passes. Controller: arm() done, then resume() → 1.", []original{
		{"CheckpointSignal", "A: resumed, then waits for ever. Controller: arm() done.", "wrong"},
	}},
	{"checkpoint-given-up", "A: passes. Controller: left.", []original{
		{"CheckpointSignal", "A: waits for ever. Controller: left.", "wrong"},
	}},
	{"checkpoint-second-arm", "A and B: resumed. Controller: arm() done, then arm() AlreadyArmedError, then resume() → 2.", []original{
		{"CheckpointSignal", "A and B: resumed. Controller: arm() done, then arm() waits for ever.", "wrong"},
	}},
	{"checkpoint-first-leaves", "A: left. B: resumed. Controller: arm() done, then resume() → 1.", []original{
		{"CheckpointSignal", "A: left. B: passes, though nobody resumed. Controller: arm() done.", "wrong"},
	}},
	{"checkpoint-second-leaves", "A: resumed. B: left. Controller: arm() done, then resume() → 1.", []original{
		{"CheckpointSignal", "A: resumed. B: left. Controller: arm() done. Logged: InvalidStateError: invalid state.", "wrong"},
	}},
	{"checkpoint-early-resume", "A: resumed. Controller: arm() done, then resume() → 0, then resume() → 1.", []original{
		{"CheckpointSignal", "A: resumed. Controller: arm() done.", "right"},
	}},
	{"checkpoint-arm-resume", "A: resumed. Controller: arm() done, then resume() → 1.", []original{
		{"CheckpointSignal", "A: waits for ever. Controller: arm() done, then resume() RuntimeError: the current thread is already holding this lock.", "wrong"},
	}},
	{"checkpoint-loops", "A: passes. Controller: arm() TimeoutError.", []original{
		{"CheckpointSignal", "A: passes. Controller: arm() waits for ever.", "wrong"},
	}},
	{"checkpoint-loops-armed", "A: resumed. Controller: arm() done, then resume() → 1.", []original{
		{"CheckpointSignal", "A: waits for ever. Controller: arm() waits for ever.", "wrong"},
	}},
	{"start-fails", "A and B: Error: it did not start. Start: fails.", []original{
		{"AskedStream", "A and B: ValueError: it did not start. Start: fails.", "right"},
		{"AnsweredStream", "A and B: ValueError: it did not start. Start: fails.", "right"},
		{"SharedTask", "A and B: ValueError: it did not start. Start: fails.", "right"},
		{"AnsweredStreamAsWritten", "A and B: AttributeError: 'Stream' object has no attribute '_worker_startup_task'.", "wrong"},
	}},
	{"start-one-leaves", "A: left. B: the stream. Start: done.", []original{
		{"AskedStream", "A: left. B: the stream. Start: done.", "right"},
		{"AnsweredStream", "A: left. B: the stream. Start: done.", "right"},
		{"SharedTask", "A: left. B: the result. Start: done.", "right"},
	}},
	{"start-both-leave", "A and B: left. Start: cancelled.", []original{
		{"AskedStream", "A and B: left. Start: cancelled.", "right"},
		{"AnsweredStream", "A and B: left. Start: cancelled.", "right"},
		{"SharedTask", "A and B: left. Start: cancelled.", "right"},
	}},
	{"start-timeout", "A: TimeoutError. B: the stream. Start: done.", []original{
		{"AskedStream", "A: FeedTimeoutError: stream failed to start within 1s. B: FeedTimeoutError: stream failed to start within Nones. Start: cancelled.", "wrong"},
		{"AnsweredStream", "A: TimeoutError. B: CancelledError. Start: cancelled.", "wrong"},
		{"SharedTask", "A: TimeoutError. B: the result. Start: done.", "right"},
	}},
	{"start-timeout-after", "A: left. B: the stream. Start: done.", []original{
		{"AskedStream", "A: left. B: the stream. Start: done.", "right"},
		{"AnsweredStream", "A: left. B: CancelledError. Start: cancelled.", "wrong"},
		{"SharedTask", "A: left. B: the result. Start: done.", "right"},
	}},
	{"start-again", "A: Error: it did not start, then the stream. B: Error: it did not start. Start: fails, then done.", []original{
		{"AskedStream", "A: ValueError: it did not start, then AssertionError. B: ValueError: it did not start. Start: fails.", "wrong"},
		{"AnsweredStream", "A: ValueError: it did not start, then ValueError: it did not start. B: ValueError: it did not start. Start: fails.", "wrong"},
	}},
	{"start-stop-twice", "A and B: the stream. Start: done.", []original{
		{"AnsweredStream", "A and B: the stream. Start: done, then stopped.", "wrong"},
	}},
	{"task-late", "A and B: the result. Start: done.", []original{
		{"SharedTask", "A and B: the result. Start: done.", "right"},
	}},
	{"task-clean-up", "A: left. B: the result. Start: cancelled, and cleaned up, then done.", []original{
		{"SharedTask", "A: left. B: CancelledError. Start: cancelled, and cleaned up.", "wrong"},
	}},
	{"task-twice", "A: left. Start: cancelled, and cleaned up.", []original{
		{"SharedTask", "A: left. Start: cancelled, its clean-up cut off.", "wrong"},
	}},
	{"task-clean-up-fails", "A and B: left. Start: cancelled. Logged: Error: it did not flush.", []original{
		{"SharedTask", "A: left. B: ValueError: it did not flush. Start: cancelled.", "wrong"},
	}},
	{"task-deaf", "A: TimeoutError. Start: goes on.", []original{
		{"SharedTask", "A: waits for ever. Start: goes on.", "wrong"},
	}},
}

func openScenarios(t testing.TB, path string) *Tab {
	t.Helper()
	tab := Open(t, path)
	tab.sees(scenarioIsThere)
	return tab
}

const scenarioIsThere = `document.querySelector('article.play')?.hidden === false`

func endsAs(side, state, text string) string {
	output := fmt.Sprintf(`document.querySelector(%q)`, attribute("side", side)+" .ends")
	return fmt.Sprintf(`%s.dataset.state === %q && %s.textContent === %q`, output, state, output, text)
}

// shows chooses a scenario as a link to it would.
func (tab *Tab) shows(id string) {
	tab.t.Helper()
	tab.Do(fmt.Sprintf(`location.hash = %q`, id))
	tab.sees(fmt.Sprintf(`document.querySelector('.list [aria-current]')?.hash === %q`, "#"+id))
	for _, side := range []string{"clca", "original"} {
		tab.sees(endsAs(side, "idle", "Not played yet."))
	}
}

func (tab *Tab) plays(what string) { tab.t.Helper(); tab.click(attribute("play", what)) }

// endsWithClca sees how a play with clca has ended, and one with the code of the documents.
func (tab *Tab) endsWithClca(ends string) { tab.t.Helper(); tab.sees(endsAs("clca", "right", ends)) }
func (tab *Tab) endsInPython(o original) {
	tab.t.Helper()
	tab.sees(endsAs("original", o.state, o.ends))
	require.Equal(tab.t, o.state == "wrong", Eval[bool](tab, `document.querySelector('.fault pre').checkVisibility()`))
}

func TestSiteScenariosEndAsTheySay(t *testing.T) {
	t.Parallel()
	tab := openScenarios(t, "/scenarios.html?beat=20")
	require.Len(t, Eval[[]string](tab, `[...document.querySelectorAll('.list a')].map((link) => link.hash)`), len(siteScenarios))
	for _, s := range siteScenarios {
		tab.shows(s.id)
		if slices.Contains(timedScenarios, s.id) {
			tab.plays("original")
		} else {
			tab.plays("both")
			tab.endsWithClca(s.ends)
		}
		tab.endsInPython(s.originals[0])
		for _, o := range s.originals[1:] {
			tab.click(fmt.Sprintf(`label:has([value=%q])`, o.code))
			tab.plays("original")
			tab.endsInPython(o)
		}
		tab.sees(`document.querySelector('.acts li:not([data-done])') === null`)
	}
}

func TestSiteScenariosArePlayedAtAPaceThatCanBeWatched(t *testing.T) {
	t.Parallel()
	tab := openScenarios(t, "/below/a/path/scenarios.html")
	for _, s := range siteScenarios {
		if slices.Contains(timedScenarios, s.id) {
			tab.shows(s.id)
			tab.plays("both")
			tab.endsWithClca(s.ends)
			tab.endsInPython(s.originals[0])
		}
	}
}

func TestSiteScenariosStayInPlaceWhileTheyArePlayed(t *testing.T) {
	t.Parallel()
	staysInPlace(t, "/scenarios.html?beat=20#signal-second-leaves", scenarioIsThere, func(tab *Tab) {
		tab.plays("both")
		tab.sees(`document.querySelectorAll('.ends:is([data-state=right], [data-state=wrong])').length === 2`)
	})
}

func TestSiteScenariosByKeyboard(t *testing.T) {
	t.Parallel()
	tab := openScenarios(t, "/scenarios.html?beat=20")
	press := func(key, focused string) {
		t.Helper()
		tab.do("press", chromedp.KeyEvent(key))
		require.Equal(t, focused, Eval[string](tab, `document.activeElement.textContent`))
	}
	press("\t", "Skip to the scenario")
	press("\r", Eval[string](tab, `document.querySelector('main').textContent`))
	press("\t", "Play both")
	press("\r", "Play both")
	tab.endsWithClca(siteScenarios[0].ends)
	tab.endsInPython(siteScenarios[0].originals[0])
}
