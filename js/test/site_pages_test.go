//go:build !js

package browser_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// What holds for every page of the site, whatever pages there are, where the site is below a path and without a header of
// its own. What a page complains about on its console fails the test as it does everywhere. A page is visited once on a
// phone and once on a desk, for a visit is what takes time; each of the things that hold is a function below.

// pagesOfSite are the paths of all pages that were built, without those that are there to be driven.
func pagesOfSite(t testing.TB) []string {
	t.Helper()
	var pages []string
	require.NoError(t, fs.WalkDir(os.DirFS(siteDir), ".", func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && (path == "test" || path == "bench") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".html") {
			pages = append(pages, strings.TrimSuffix(path, "index.html"))
		}
		return err
	}))
	require.Contains(t, pages, "", "the site is not built, run make site")
	return pages
}

func (tab *Tab) viewsOfPage() []string {
	tab.t.Helper()
	return Eval[[]string](tab, `[...document.querySelectorAll('nav a')].filter((each) => each.getAttribute('href').startsWith('#'))
		.map((each) => each.hash)`)
}

// eachView shows one after the other what the page has fragments for in its navigation; most pages have but one view.
func (tab *Tab) eachView(do func(view string)) {
	tab.t.Helper()
	views := tab.viewsOfPage()
	for _, view := range append(views, "")[:max(1, len(views))] {
		if view != "" {
			tab.Do(fmt.Sprintf(`location.hash = %q`, view))
			tab.sees(fmt.Sprintf(`document.querySelector('nav [href^="#"][aria-current]').hash === %q`, view))
		}
		tab.Do(`for (let i = 0; i < 2; i++) await new Promise((drawn) => requestAnimationFrame(drawn));
			await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))`)
		do(view)
	}
}

var (
	widths      = []int64{360, 1280}
	themes      = []string{"light", "dark"}
	screenshots = os.Getenv("SCREENSHOTS") // the directory they go to
)

const textsCutOff = `[...document.body.querySelectorAll('*')]
	.filter((each) => getComputedStyle(each).textOverflow === 'ellipsis' && each.scrollWidth > each.clientWidth && each.title === '')
	.map((each) => each.textContent)`

// TestSitePages looks at each page: in the light on a phone, in the dark on a desk. With SCREENSHOTS=directory it looks at
// both in both, and keeps what it sees.
func TestSitePages(t *testing.T) {
	t.Parallel()
	pages := pagesOfSite(t)
	found := make([]references, len(pages))
	t.Run("each", func(t *testing.T) {
		for i, page := range pages {
			t.Run(cmp.Or(page, "index.html"), func(t *testing.T) {
				t.Parallel()
				requireDrawnOnceItIsThere(t, page)
				tab := Open(t, "/harness/blank.html")
				for i, width := range widths {
					tab.do("shape", chromedp.EmulateViewport(width, 900), emulate(themes[i]))
					tab.Go(below + page)
					tab.sees(pageIsThere)
					tab.requireNoShift()
					Eval[chromedp.Void](tab, string(read(t, "../node_modules/axe-core/axe.min.js")))
					count := 0
					tab.eachView(func(view string) {
						tab.requireNoOverflow(view, width)
						// The page as a whole, and every second of its further views: the others are those of the other visit.
						if count++; count == 1 || count%2 == i {
							tab.requireAccessible(view, themes[i])
						}
					})
					tab.keepScreenshots(page, width)
				}
				found[i] = tab.references()
			})
		}
	})
	if !t.Failed() {
		requireSameLinksAtTheTop(t, pages, found)
		requireThatReferencesLead(t, pages, found)
	}
}

// A page is there when it can be used: what is to be pressed first can be.
const pageIsThere = `!document.querySelector('button.main')?.matches(':disabled, [aria-disabled=true]')`

// What is drawn before all of the page has come may move when the rest does. So its end is what the browser is to wait for.
func requireDrawnOnceItIsThere(t *testing.T, page string) {
	html := string(read(t, filepath.Join(siteDir, cmp.Or(page, "index.html"))))
	require.Contains(t, html, `<link rel="expect" href="#end" blocking="render">`)
	require.Contains(t, html, "<i id=\"end\" hidden></i>\n</body>")
}

// requireNoShift looks at all that happened since the page began to load.
func (tab *Tab) requireNoShift() {
	tab.t.Helper()
	tab.watchShifts(true)
	for _, shift := range tab.shifts() {
		tab.t.Errorf("something moves: %.200s … %s", shift, shift[max(0, len(shift)-200):])
	}
}

func (tab *Tab) requireNoOverflow(view string, width int64) {
	tab.t.Helper()
	require.LessOrEqual(tab.t, Eval[int64](tab, `document.documentElement.scrollWidth`), width, "%s overflows", view)
	require.Empty(tab.t, Eval[[]string](tab, textsCutOff), "nothing is cut off on %s", view)
}

// requireAccessible asks axe-core, which the page has loaded.
func (tab *Tab) requireAccessible(view, theme string) {
	tab.t.Helper()
	for _, violation := range Eval[[]string](tab, violations) {
		tab.t.Errorf("%s in the %s: %s", cmp.Or(view, "all of it"), theme, violation)
	}
}

const violations = `axe.run({ resultTypes: ['violations'],
		runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
	.then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
		id + ' at ' + target.join(' ') + ': ' + failureSummary)))`

func (tab *Tab) keepScreenshots(page string, width int64) {
	tab.t.Helper()
	if screenshots == "" {
		return
	}
	for _, theme := range themes {
		tab.do("theme", emulate(theme))
		tab.eachView(func(view string) { tab.keepScreenshot(fmt.Sprintf("%s%s-%s-%d", page, view, theme, width)) })
	}
}

func (tab *Tab) keepScreenshot(name string) {
	tab.t.Helper()
	ctx, cancel := tab.limited()
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	require.NoError(tab.t, err)
	name = strings.Trim(strings.NewReplacer("/", "-", "#", "-", ".html", "").Replace(name), "-")
	require.NoError(tab.t, os.WriteFile(filepath.Join(screenshots, name+".png"), picture, 0o644))
}

// references is what a page has of others, and what others may refer to.
type references struct {
	Links     []string // at the top: text and address
	Marked    []string // of these addresses, as that of the page
	Home      string
	All       []string // that it refers to, or has loaded
	Fragments []string
}

func (tab *Tab) references() references {
	tab.t.Helper()
	found := Eval[references](tab, `({
		Links: [...document.querySelectorAll('.top nav a')].map((each) => each.textContent + ' ' + each.href),
		Marked: [...document.querySelectorAll('.top [aria-current]')].map((each) => each.href),
		Home: document.querySelector('.top h1 a').href,
		All: [...new Set([
			...[...document.querySelectorAll('[href], [src]')].map((each) => each.getAttribute('href') ?? each.getAttribute('src')),
			...performance.getEntriesByType('resource').map(({ name }) => name),
		])].map((each) => new URL(each, location.href).href),
		Fragments: [...document.querySelectorAll('[id]')].map(({ id }) => id),
	})`)
	for _, view := range tab.viewsOfPage() {
		found.Fragments = append(found.Fragments, strings.TrimPrefix(view, "#"))
	}
	return found
}

// The page that a link at the top leads to is marked in its own, and only that one.
func requireSameLinksAtTheTop(t *testing.T, pages []string, found []references) {
	at := server.URL + below
	for i, page := range pages {
		require.Len(t, found[i].Links, 5, page)
		require.Equal(t, found[0].Links, found[i].Links, page)
		require.Equal(t, at, found[i].Home, page)
		want, _, isBelow := strings.Cut(page, "/")
		if isBelow {
			want += ".html"
		}
		require.Equal(t, []string{at + want}, found[i].Marked, page)
	}
}

// What a page refers to is there, within the site. What is elsewhere is only listed.
func requireThatReferencesLead(t *testing.T, pages []string, found []references) {
	at := server.URL + below
	fragments := map[string][]string{} // by the address of their page
	for i, page := range pages {
		fragments[at+page] = found[i].Fragments
		require.NotEmpty(t, found[i].All, page)
	}
	statuses := map[string]int{}
	for i, page := range pages {
		for _, reference := range found[i].All {
			to, err := url.Parse(reference)
			require.NoError(t, err, "%s refers to %s", page, reference)
			switch target := server.URL + to.Path; {
			case to.Scheme+"://"+to.Host != server.URL:
				t.Logf("%s refers to %s", page, reference)
			case !strings.HasPrefix(target, at):
				t.Errorf("%s leaves the site: %s", page, reference)
			default:
				if statuses[target] == 0 {
					response, err := http.Get(target)
					require.NoError(t, err)
					require.NoError(t, response.Body.Close())
					statuses[target] = response.StatusCode
				}
				if statuses[target] != http.StatusOK {
					t.Errorf("%s refers to %s: status %d", page, reference, statuses[target])
				}
				if to.Fragment != "" && !slices.Contains(fragments[target], to.Fragment) {
					t.Errorf("%s refers to %s: there is no such fragment", page, reference)
				}
			}
		}
	}
}
