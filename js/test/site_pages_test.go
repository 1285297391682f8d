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
// its own. What a page complains about on its console fails the test as it does everywhere.

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

// A page is there when it can be used: what is to be pressed first can be.
const pageIsThere = `!document.querySelector('button.main')?.matches(':disabled, [aria-disabled=true]')`

func (tab *Tab) visit(page string) {
	tab.t.Helper()
	tab.Go(below + page)
	tab.sees(pageIsThere)
}

// eachView shows one after the other what the page has fragments for in its navigation; most pages have but one view.
func (tab *Tab) eachView(do func(view string)) {
	tab.t.Helper()
	views := Eval[[]string](tab, `[...document.querySelectorAll('nav a')].filter((each) => each.getAttribute('href').startsWith('#'))
		.map((each) => each.hash)`)
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
	widths = []int64{360, 1280}
	themes = []string{"light", "dark"}
)

// TestSitePages looks at each page in both themes, on a phone and on a desk. SCREENSHOTS=directory keeps what it sees.
func TestSitePages(t *testing.T) {
	t.Parallel()
	for _, page := range pagesOfSite(t) {
		t.Run(cmp.Or(page, "index.html"), func(t *testing.T) {
			tab := Open(t, "/harness/blank.html")
			for _, width := range widths {
				tab.do("shape", chromedp.EmulateViewport(width, 900), emulate("light"))
				tab.visit(page)
				tab.watchShifts(true)
				for _, shift := range tab.shifts() {
					t.Errorf("at %d something moves: %.200s … %s", width, shift, shift[max(0, len(shift)-200):])
				}
				for _, theme := range themes {
					tab.do("theme", emulate(theme))
					tab.eachView(func(view string) {
						require.LessOrEqual(t, Eval[int64](tab, `document.documentElement.scrollWidth`), width, "%s overflows", view)
						tab.keepScreenshot(fmt.Sprintf("%s%s-%s-%d", page, view, theme, width))
					})
				}
			}
		})
	}
}

func (tab *Tab) keepScreenshot(name string) {
	tab.t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	ctx, cancel := tab.limited()
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	require.NoError(tab.t, err)
	name = strings.Trim(strings.NewReplacer("/", "-", "#", "-", ".html", "").Replace(name), "-")
	require.NoError(tab.t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
}

// TestSitePagesAreAccessible asks axe-core: of a page in both themes, of its further views in one of them each.
func TestSitePagesAreAccessible(t *testing.T) {
	t.Parallel()
	axe := string(read(t, "../node_modules/axe-core/axe.min.js"))
	for _, page := range pagesOfSite(t) {
		t.Run(cmp.Or(page, "index.html"), func(t *testing.T) {
			tab := Open(t, "/harness/blank.html")
			for i, theme := range themes {
				tab.do("shape", chromedp.EmulateViewport(widths[i], 900), emulate(theme))
				tab.visit(page)
				Eval[chromedp.Void](tab, axe)
				count := 0
				tab.eachView(func(view string) {
					if count++; count > 1 && count%len(themes) != i {
						return
					}
					for _, violation := range Eval[[]string](tab, violations) {
						t.Errorf("%s, %s: %s", cmp.Or(view, "all of it"), theme, violation)
					}
				})
			}
		})
	}
}

const violations = `axe.run({ resultTypes: ['violations'],
		runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
	.then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
		id + ' at ' + target.join(' ') + ': ' + failureSummary)))`

// TestSitePagesHaveTheSameLinksAtTheTop follows each of them: the page it leads to is marked in them, and only that one.
func TestSitePagesHaveTheSameLinksAtTheTop(t *testing.T) {
	t.Parallel()
	tab := Open(t, "/harness/blank.html")
	tab.visit("")
	links := Eval[[]string](tab, linksAtTheTop)
	require.Len(t, links, 5)
	for _, page := range pagesOfSite(t) {
		tab.visit(page)
		require.Equal(t, links, Eval[[]string](tab, linksAtTheTop), page)
		require.Equal(t, server.URL+below, Eval[string](tab, `document.querySelector('.top h1 a').href`), page)
		marked := Eval[[]string](tab, `[...document.querySelectorAll('.top [aria-current]')].map((each) => each.href)`)
		want, _, isBelow := strings.Cut(page, "/")
		if isBelow {
			want += ".html"
		}
		require.Equal(t, []string{server.URL + below + want}, marked, page)
	}
}

const linksAtTheTop = `[...document.querySelectorAll('.top nav a')].map((each) => each.textContent + ' ' + each.href)`

// TestSitePagesReferToWhatIsThere follows whatever a page refers to or has loaded. What is elsewhere is only listed.
func TestSitePagesReferToWhatIsThere(t *testing.T) {
	t.Parallel()
	tab := Open(t, "/harness/blank.html")
	fragments := map[string][]string{} // by the path of their page
	references := map[string][]string{}
	for _, page := range pagesOfSite(t) {
		tab.visit(page)
		fragments[below+page] = Eval[[]string](tab, `[...document.querySelectorAll('[id]')].map(({ id }) => id)`)
		tab.eachView(func(view string) {
			fragments[below+page] = append(fragments[below+page], strings.TrimPrefix(view, "#"))
		})
		references[page] = Eval[[]string](tab, referencesOfPage)
		require.NotEmpty(t, references[page])
	}
	statuses := map[string]int{}
	for page, all := range references {
		for _, reference := range all {
			to, err := url.Parse(reference)
			require.NoError(t, err, "%s refers to %s", page, reference)
			switch target := server.URL + to.Path; {
			case to.Scheme+"://"+to.Host != server.URL:
				t.Logf("%s refers to %s", page, reference)
			case !strings.HasPrefix(to.Path, below):
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
				if to.Fragment != "" && !slices.Contains(fragments[to.Path], to.Fragment) {
					t.Errorf("%s refers to %s: there is no such fragment", page, reference)
				}
			}
		}
	}
}

const referencesOfPage = `[...new Set([
	...[...document.querySelectorAll('[href], [src]')].map((each) => each.getAttribute('href') ?? each.getAttribute('src')),
	...performance.getEntriesByType('resource').map(({ name }) => name),
])].map((each) => new URL(each, location.href).href)`
