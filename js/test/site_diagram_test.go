//go:build !js

package browser_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// The site's sequence diagram on a page of its own, fed with what could have happened. What is on the canvas is asked of
// whereIs, and looked at in its pixels.

const (
	words     = `document.querySelector('.words').textContent`
	status    = `document.querySelector('.status').textContent`
	eventRows = `document.querySelectorAll('[data-part=list] tr').length`
	nextFrame = `await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));`
	// A call that is answered, and one that waits; each at a moment of its own.
	callIt = `globalThis.call = (call, at, answered = at + 0.2) => feed([
		{ type: 'call', at, lane: 'page', call, text: call },
		{ type: 'taken', at: at + 0.1, call }, { type: 'answer', at: answered, call },
		{ type: 'settled', at: answered + 0.1, call, ok: true, text: 'done' },
	]);
	globalThis.present = () => performance.timeOrigin + performance.now();`
	countDrawings = `globalThis.drawings = 0;
		const { clearRect } = CanvasRenderingContext2D.prototype;
		CanvasRenderingContext2D.prototype.clearRect = function (...rect) { drawings++; clearRect.apply(this, rect); };`
)

func openDiagram(t *testing.T) *Tab { return openDiagramAt(t, 1280) }

func openDiagramAt(t *testing.T, width int64) *Tab {
	tab := Open(t, "/harness/blank.html")
	tab.do("shape", chromedp.EmulateViewport(width, 900), still("light"))
	tab.Go("/test/diagram.html")
	return tab
}

// still asks for a colour scheme and for reduced motion: then a view is where it belongs with the next frame.
func still(theme string) chromedp.Action[chromedp.Void] {
	return media("prefers-color-scheme", theme, "prefers-reduced-motion", "reduce")
}

// media asks for what a person may have asked for, by the name and the value of each feature.
func media(features ...string) chromedp.Action[chromedp.Void] {
	var params emulation.SetEmulatedMediaParams
	for i := 0; i < len(features); i += 2 {
		params.Features = append(params.Features, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, params)
		return err
	})
}

func drawn(call string) string { return fmt.Sprintf(`diagram.whereIs(%q) !== undefined`, call) }

func (tab *Tab) key(key string) {
	tab.t.Helper()
	tab.Do(fmt.Sprintf(`document.querySelector('canvas').dispatchEvent(
		new KeyboardEvent('keydown', { key: %q, cancelable: true }));`, key) + nextFrame)
}

// pointAt moves the mouse over a call.
func (tab *Tab) pointAt(call string) {
	tab.t.Helper()
	at := Eval[map[string]float64](tab, fmt.Sprintf(`diagram.whereIs(%q).toJSON()`, call))
	tab.do("point", chromedp.MouseEvent(chromedp.MouseMoved, at["x"]+at["width"]/2, at["y"]+at["height"]/2))
	tab.Do(nextFrame)
}

func TestDiagramHoldsWhilePausedAndGoesOn(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(callIt + `call('early', present() - 100); document.querySelector('details').open = true;`)
	tab.sees(eventRows + ` === 1`)
	tab.click(`[data-part=pause]`)
	tab.sees(`/^Paused at/.test(` + status + `)`)
	tab.Do(`call('late', present() + 0.1);`)
	tab.sees(`/, 4 more$/.test(` + status + `)`)
	require.False(t, Eval[bool](tab, drawn("late")))
	require.Equal(t, 1, Eval[int](tab, eventRows))

	// Then nothing at all is drawn.
	tab.Do(countDrawings + nextFrame + `drawings = 0;` + nextFrame + nextFrame)
	require.Zero(t, Eval[int](tab, `drawings`))

	tab.click(`[data-part=pause]`)
	tab.sees(eventRows + ` === 2`)
	require.True(t, Eval[bool](tab, drawn("late")))
	tab.sees(`document.querySelector('[data-part=present]').ariaPressed === 'true'`)
}

func TestDiagramTellsWhileItIsOutOfSight(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(callIt + countDrawings + `document.querySelector('details').open = true;
		document.body.append(Object.assign(document.createElement('div'), { style: 'height: 3000px' }));
		scrollTo(0, 3000);` + nextFrame + nextFrame + `drawings = 0;
		call('unseen', present() - 10);`)
	tab.sees(eventRows + ` === 1 && ` + status + ` === '1 call: 0 wait, 0 hold'`)
	require.Zero(t, Eval[int](tab, `drawings`))
	tab.Do(`scrollTo(0, 0);` + nextFrame + nextFrame)
	require.NotZero(t, Eval[int](tab, `drawings`))
	require.True(t, Eval[bool](tab, drawn("unseen")))
}

func TestDiagramShowsWhatHappenedLastHoweverNear(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(callIt + `call('last', present() - 5000);
		for (let i = 0; i < 12; i++) document.querySelector('[data-part=closer]').click();` + nextFrame + nextFrame)
	require.Equal(t, "true", Eval[string](tab, `document.querySelector('[data-part=present]').ariaPressed`))
	require.True(t, Eval[bool](tab, drawn("last")))
}

func TestDiagramCountsWhatItHasForgotten(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(callIt + `for (let i = 0; i < 2000; i++) call('call ' + i, begin - 20000 + i);`)
	tab.sees(`/^the last 1,\d{3} of 2,000 calls: 0 wait, 0 hold$/.test(` + status + `)`)
}

func TestDiagramScrubsBackAndReturnsToThePresent(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(callIt + `for (let i = 0; i < 200; i++) call('call ' + i, begin - 400000 + 2000 * i);` + nextFrame)
	require.True(t, Eval[bool](tab, drawn("call 199")))
	require.False(t, Eval[bool](tab, drawn("call 0")))

	tab.Do(`document.querySelector('.scrub').focus();`)
	tab.do("press", chromedp.KeyEvent(kb.Home))
	tab.sees(`/^Paused.*, \d{3} more$/.test(` + status + `)`)
	require.True(t, Eval[bool](tab, drawn("call 0")))
	require.False(t, Eval[bool](tab, drawn("call 199")))
	tab.do("press", chromedp.KeyEvent(kb.End))
	tab.sees(`/^Paused at [\d:.]+$/.test(` + status + `)`)
	require.True(t, Eval[bool](tab, drawn("call 199")))
	before := Eval[float64](tab, `diagram.whereIs('call 198').x`)
	tab.Do(`call('new', present());` + nextFrame)
	require.Equal(t, before, Eval[float64](tab, `diagram.whereIs('call 198').x`), "what is new does not move what is old")

	// By the hand: what is under it stays under it.
	canvas := Eval[map[string]float64](tab, `document.querySelector('canvas').getBoundingClientRect().toJSON()`)
	x, y := canvas["x"]+600, canvas["y"]+20
	tab.do("drag",
		chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseMoved, x+200, y, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseReleased, x+200, y, chromedp.ButtonLeft))
	tab.Do(nextFrame)
	require.InDelta(t, before+200, Eval[float64](tab, `diagram.whereIs('call 198')?.x ?? NaN`), 1)

	tab.click(`[data-part=present]`)
	tab.sees(`document.querySelector('[data-part=present]').ariaPressed === 'true'`)
	tab.sees(`document.querySelector('[data-part=pause]').textContent === 'Pause'`)
	tab.Do(nextFrame)
	require.True(t, Eval[bool](tab, drawn("new")))
}

func TestDiagramTellsTheCallThatIsPointedAt(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(`feed(story(begin - 8000)); document.querySelector('[data-part=pause]').click();
		document.querySelector('[data-part=fit]').click();` + nextFrame)
	tab.pointAt("wait b")
	told := Eval[string](tab, words)
	for _, part := range []string{"hub.signal('go').wait()", "Worker B", "made", "taken up+130 µs", "answered+1.3 s",
		"noticed+140 µs", "in all1.3 s", "→ undefined", "Answered, caused by hub.signal('go').signal() of Page"} {
		require.Contains(t, told, part)
	}
	tab.pointAt("wake")
	require.Contains(t, Eval[string](tab, words), "Woke 3: Worker A, Worker B, Goroutine")
	tab.pointAt("lock page")
	require.Contains(t, Eval[string](tab, words), "given up+699 ms")
	tab.do("leave", chromedp.MouseEvent(chromedp.MouseMoved, 10, 10))
	tab.sees(`/^Point at an event/.test(` + words + `)`)

	// With the keyboard: in order of time, along a lane, from lane to lane.
	tab.Do(`document.querySelector('canvas').focus();`)
	for _, step := range []struct{ key, told string }{
		{"Home", "appearsPage"}, {"ArrowRight", "appearsWorker A"}, {"ArrowRight", "appearsWorker B"},
		{"ArrowRight", "appearsGoroutine"}, {"ArrowRight", "hub.signal('go').wait()Worker A"},
		{"ArrowDown", "hub.signal('go').wait()Worker B"}, {"ArrowUp", "hub.signal('go').wait()Worker A"},
		{"End", "hub.signal('go').wait()Worker A"}, {"ArrowLeft", "lock.Acquire(ctx)Goroutine"},
		{"Escape", "Point at an event"},
	} {
		tab.key(step.key)
		require.Contains(t, Eval[string](tab, words), step.told, step.key)
	}
	tab.key("End")
	tab.Do(`document.querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', shiftKey: true }));` + nextFrame)
	require.Contains(t, Eval[string](tab, words), "lease.release()Worker A", "along the lane")
	require.Equal(t, "polite", Eval[string](tab, `document.querySelector('.words').ariaLive`))
}

func TestDiagramZooms(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(callIt + `for (let i = 0; i < 9; i++) call(i === 0 ? 'first' : 'call ' + i, begin - 60000 + 2000 * i);
		call('one', begin - 5000); call('two', begin - 4000);
		` + nextFrame + `document.querySelector('[data-part=pause]').click();` + nextFrame)
	width := func(call string) float64 { return Eval[float64](tab, fmt.Sprintf(`diagram.whereIs(%q).width`, call)) }
	at := func(call string) float64 { return Eval[float64](tab, fmt.Sprintf(`diagram.whereIs(%q).x`, call)) }
	before := width("two")
	tab.click(`[data-part=closer]`)
	tab.Do(nextFrame)
	require.InDelta(t, 2*before, width("two"), 1)
	tab.click(`[data-part=wider]`)
	tab.Do(nextFrame)
	require.InDelta(t, before, width("two"), 1)

	// A pinch keeps what it is at.
	x := at("two")
	tab.Do(fmt.Sprintf(`const canvas = document.querySelector('canvas');
		canvas.dispatchEvent(new WheelEvent('wheel',
			{ ctrlKey: true, deltaY: -40, clientX: %f, clientY: canvas.getBoundingClientRect().y + 20, cancelable: true }));`, x) + nextFrame)
	require.Greater(t, width("two"), before)
	require.InDelta(t, x, at("two"), 1)

	require.False(t, Eval[bool](tab, drawn("first")))
	tab.click(`[data-part=fit]`)
	tab.Do(nextFrame)
	require.True(t, Eval[bool](tab, drawn("first")))
	require.True(t, Eval[bool](tab, drawn("two")))

	// Down to where a microsecond is to be seen.
	tab.Do(`for (let i = 0; i < 12; i++) document.querySelector('[data-part=closer]').click();` + nextFrame)
	require.Equal(t, "2 µs", Eval[string](tab, `document.querySelector('[data-part=scale]').textContent`))
}

func TestDiagramPlaysInSlowMotion(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(callIt + `document.querySelector('details').open = true;
		const pace = document.querySelector('[data-part=pace]');
		pace.value = '1000';
		pace.dispatchEvent(new Event('change'));`)
	tab.sees(`/^1.1000: waiting/.test(` + status + `)`)
	tab.Do(`const at = present();
		for (let i = 0; i < 4; i++) call('call ' + i, at + 0.2 * i);`)
	tab.sees(`/^1.1000: \d+\.\d s behind, \d+ to come$/.test(` + status + `)`)
	require.False(t, Eval[bool](tab, drawn("call 3")), "in less than 0.6 seconds")
	tab.sees(drawn("call 0"))
	tab.sees(eventRows + ` === 4`)
	tab.sees(`/^1.1000: waiting/.test(` + status + `)`)

	// Once more, from the first in view.
	tab.click(`[data-part=replay]`)
	tab.sees(`/to come$/.test(` + status + `)`)
	tab.sees(eventRows + ` < 4`)
	tab.sees(eventRows + ` === 4`)
	tab.click(`[data-part=present]`)
	tab.sees(`/^4 calls/.test(` + status + `)`)
}

// Two fingers: what is under each stays there, and what they spread is spread.
func TestDiagramIsPinched(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(callIt + `for (let i = 0; i < 9; i++) call('call ' + i, begin - 60000 + 2000 * i);
		` + nextFrame + `document.querySelector('[data-part=pause]').click();` + nextFrame)
	at := func(call string) float64 { return Eval[float64](tab, fmt.Sprintf(`diagram.whereIs(%q).x`, call)) }
	width := func() float64 { return Eval[float64](tab, `diagram.whereIs('call 8').width`) }
	before, middle := width(), at("call 8")
	y := Eval[float64](tab, `document.querySelector('canvas').getBoundingClientRect().y + 20`)
	touch := func(what input.DispatchTouchEventType, fingers ...float64) {
		var points []*input.TouchPoint
		for i, x := range fingers {
			id := float64(i + 1)
			points = append(points, &input.TouchPoint{X: x, Y: y, ID: &id})
		}
		tab.do("touch", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: what, TouchPoints: points})
			return err
		}))
		tab.Do(nextFrame)
	}
	tab.do("have a touch screen", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
		return err
	}))
	touch(input.DispatchTouchEventTypeTouchStart, middle-40, middle+40)
	touch(input.DispatchTouchEventTypeTouchMove, middle-80, middle+80)
	require.InDelta(t, 2*before, width(), 1)
	require.InDelta(t, middle, at("call 8"), 1)
	touch(input.DispatchTouchEventTypeTouchMove, middle-80-100, middle+80-100)
	require.InDelta(t, 2*before, width(), 1)
	require.InDelta(t, middle-100, at("call 8"), 1, "they drag it with them")
	touch(input.DispatchTouchEventTypeTouchEnd)
	require.Equal(t, 1.0, Eval[float64](tab, `visualViewport.scale`), "the page itself is not zoomed")
}

// colourOf is the colour of a bar below its text, so many pixels from its left end or, below zero, from its right one.
func (tab *Tab) colourOf(call string, pixels int) string {
	tab.t.Helper()
	return Eval[string](tab, fmt.Sprintf(`(() => {
		const canvas = document.querySelector('canvas'), { x, y } = canvas.getBoundingClientRect();
		const bar = diagram.whereIs(%q), pixels = %d, scale = canvas.width / canvas.clientWidth;
		const at = [(pixels < 0 ? bar.right : bar.x) - x + pixels, bar.y - y + bar.height - 3].map((each) => Math.round(each * scale));
		return [...canvas.getContext('2d').getImageData(...at, 1, 1).data.slice(0, 3)].join(', ');
	})()`, call, pixels))
}

const allOfTheStory = `feed(story(begin - 8000)); document.querySelector('[data-part=pause]').click();
		document.querySelector('[data-part=fit]').click();` + nextFrame

func TestDiagramFollowsTheSchemeAndTheWidth(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(allOfTheStory)
	for theme, want := range map[string]string{"light": "253, 240, 213", "dark": "55, 44, 20"} {
		tab.do("theme", still(theme))
		tab.Do(nextFrame)
		require.Equal(t, want, tab.colourOf("lock b", 3), theme)
	}
	for _, width := range []int64{320, 360, 500, 700, 1000, 2560} {
		tab.do("shape", chromedp.EmulateViewport(width, 900))
		tab.Do(nextFrame)
		require.True(t, Eval[bool](tab, `document.documentElement.scrollWidth <= innerWidth`), "at %d", width)
		require.True(t, Eval[bool](tab, `document.querySelector('canvas').clientWidth > 250`), "at %d", width)
	}
}

// Colours that somebody has forced are those of the canvas too.
func TestDiagramHasTheColoursThatAreForced(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(allOfTheStory + `globalThis.system = (colour) => {
		const probe = document.body.appendChild(document.createElement('p'));
		probe.style.cssText = 'forced-color-adjust: none; color: ' + colour;
		return getComputedStyle(probe).color.replace(/^rgb.|.$/g, '');
	}`)
	for _, theme := range themes {
		tab.do("force", media("prefers-color-scheme", theme, "prefers-reduced-motion", "reduce", "forced-colors", "active"))
		tab.Do(nextFrame)
		canvas, text := Eval[string](tab, `system('Canvas')`), Eval[string](tab, `system('CanvasText')`)
		require.NotEqual(t, canvas, text)
		require.Equal(t, canvas, tab.colourOf("lock b", 3), "it waits at first, %s", theme)
		require.Equal(t, text, tab.colourOf("lock a", -4), "it holds, %s", theme)
		require.Equal(t, text, Eval[string](tab, `getComputedStyle(document.querySelector('.key .holds'), '::before').backgroundColor.replace(/^rgb.|.$/g, '')`), theme)
	}
}

// What is written has a contrast of 4.5 at least to what it is written on, and each mark one of 3 to what is around it.
func TestDiagramCanBeReadInBothThemes(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	for _, theme := range themes {
		tab.do("theme", still(theme))
		for least, pairs := range map[float64][]string{
			4.5: {"ink card", "ink hover", "soft card", "soft hover", "bad card", "waiting waiting-soft", "card holding"},
			3: {"bar card", "bar hover", "soft card", "main card", "main hover", "bad card", "bad hover",
				"waiting-line card", "holding card"},
		} {
			for _, pair := range pairs {
				contrast := Eval[float64](tab, fmt.Sprintf(`(() => {
					const luminance = (name) => {
						const probe = document.body.appendChild(document.createElement('p'));
						probe.style.color = 'var(--' + name + ')';
						const [r, g, b] = getComputedStyle(probe).color.match(/\d+/g).map((each) => each / 255)
							.map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
						return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
					};
					const [one, other] = %q.split(' ').map(luminance);
					return Math.max(one / other, other / one);
				})()`, pair))
				require.GreaterOrEqual(t, contrast, least, "%s, %s", pair, theme)
			}
		}
	}
}

// Where motion is reduced, a view is where it belongs with the next frame; elsewhere it glides there.
func TestDiagramMovesAtOnceWhereMotionIsReduced(t *testing.T) {
	t.Parallel()
	for _, motion := range []string{"reduce", "no-preference"} {
		tab := openDiagram(t)
		tab.do("motion", media("prefers-reduced-motion", motion))
		tab.Do(callIt + `for (let i = 0; i < 30; i++) call('call ' + i, begin - 400000 + 2000 * i);
			for (let i = 0; i < 90; i++) await new Promise((drawn) => requestAnimationFrame(drawn));
			for (let i = 30; i < 33; i++) call('call ' + i, begin - 400000 + 2000 * i);
			await new Promise((drawn) => requestAnimationFrame(drawn));
			globalThis.first = diagram.whereIs('call 31')?.x ?? NaN;
			for (let i = 0; i < 90; i++) await new Promise((drawn) => requestAnimationFrame(drawn));`)
		moved := Eval[float64](tab, `Math.abs(first - diagram.whereIs('call 31').x)`)
		require.Equal(t, motion == "reduce", moved < 2, "%s: moved by %f after the first frame", motion, moved)
	}
}

// In a tab that is not seen nothing is drawn; all that happened meanwhile is there when it comes back.
func TestDiagramComesBackWithAllThatHappened(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(callIt + `call('before', begin - 9000);` + nextFrame + `
		globalThis.away = true;
		globalThis.drawings = 0;
		const frames = [], { clearRect } = CanvasRenderingContext2D.prototype;
		globalThis.ask = requestAnimationFrame;
		CanvasRenderingContext2D.prototype.clearRect = function (...rect) { drawings++; clearRect.apply(this, rect); };
		globalThis.requestAnimationFrame = (frame) => away ? frames.push(frame) : ask(frame);
		Object.defineProperty(document, 'hidden', { get: () => away });
		globalThis.turn = (to) => {
			away = to;
			if (!away) for (const frame of frames.splice(0)) ask(frame);
			document.dispatchEvent(new Event('visibilitychange'));
		};
		turn(true);
		for (let i = 0; i < 500; i++) call('call ' + i, begin - 8000 + 10 * i);`)
	require.Equal(t, "1 call: 0 wait, 0 hold", Eval[string](tab, status))
	require.Zero(t, Eval[int](tab, `drawings`))
	tab.Do(`turn(false);` + nextFrame)
	require.Equal(t, "501 calls: 0 wait, 0 hold", Eval[string](tab, status))
	require.True(t, Eval[bool](tab, drawn("call 499")))

	// Nothing happened, but time has passed. The frame that was asked for before is drawn, and then nothing waits for its turn.
	tab.Do(`turn(true);
		await new Promise((drawn) => ask(drawn));
		document.dispatchEvent(new Event('visibilitychange'));
		drawings = 0;
		turn(false);` + nextFrame)
	require.NotZero(t, Eval[int](tab, `drawings`))
}

func TestDiagramKeepsItsPlaceWhateverHappens(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{360, 1280} {
		tab := openDiagramAt(t, width)
		tab.watchShifts(true)
		tab.Do(`feed(story(begin - 8000));` + nextFrame)
		tab.pointAt("wait a again")
		tab.Do(`document.querySelector('[data-part=pause]').click();` + nextFrame)
		require.Empty(t, tab.shifts(), "at %d", width)
	}
}

func TestDiagramAsTextIsAllOfIt(t *testing.T) {
	t.Parallel()
	tab := openDiagram(t)
	tab.Do(`document.querySelector('details').open = true; feed(story(begin - 8000).reverse());`)
	tab.sees(eventRows + ` === 17`)
	require.Equal(t, []string{
		"Page: appears",
		"Worker A: appears",
		"Worker B: appears",
		"Goroutine: appears",
		"Worker A: hub.signal('go').wait(): taken up 120 µs later; answered 1.3 s later, caused by hub.signal('go').signal() of Page; noticed 110 µs later; undefined",
		"Worker B: hub.signal('go').wait(): taken up 130 µs later; answered 1.3 s later, caused by hub.signal('go').signal() of Page; noticed 140 µs later; undefined",
		"Goroutine: signal.Wait(ctx): taken up 10 µs later; answered 1.3 s later, caused by hub.signal('go').signal() of Page; noticed 20 µs later; nil",
		"Page: hub.signal('go').signal(): taken up 100 µs later; answered 40 µs later; noticed 90 µs later; woke Worker A, Worker B, Goroutine; 3",
		"Worker A: hub.lock('door').acquire(): taken up 110 µs later; answered 20 µs later; noticed 100 µs later; released 1.4 s later; granted",
		"Worker B: hub.lock('door').acquire(): taken up 100 µs later; answered 1.4 s later, caused by lease.release() of Worker A; noticed 120 µs later; released 1.6 s later; granted",
		"Page: hub.lock('door').acquire({ signal }): taken up 120 µs later; given up 699 ms later; noticed 50 µs later; AbortError",
		"Worker A: lease.release(): taken up 110 µs later; answered 20 µs later; noticed 100 µs later; woke Worker B; undefined",
		"Worker B: starts to compute",
		"Worker B: event loop stands still for 700 ms",
		"Worker B: is killed",
		"Goroutine: lock.Acquire(ctx): taken up 10 µs later; answered 10 µs later; noticed 10 µs later; held 10 µs later; nil",
		"Worker A: hub.signal('go').wait(): taken up 100 µs later; waits",
	}, Eval[[]string](tab, `[...document.querySelectorAll('[data-part=list] tr')].map((row) => row.children[1].textContent + ': ' + row.children[2].textContent)`))
	require.Equal(t, "10 calls: 1 waits, 1 holds", Eval[string](tab, status))
	tab.sees(`document.querySelector('[role=status]').textContent === '10 calls: 1 waits, 1 holds'`)
	tab.Do(`feed([{ type: 'note', at: begin - 7990, lane: 'page', text: 'comes late' }]);`)
	tab.sees(`document.querySelector('[data-part=list] tr:nth-child(2)').textContent.endsWith('comes late')`)
}
