//go:build !js

package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

func openFront(t testing.TB, path string) *Tab {
	t.Helper()
	tab := Open(t, path)
	tab.sees(contains("#counts", "The hub counts 10,000 waiting"))
	return tab
}

// TestSiteFrontLooks takes pictures for people to look at, into the directory that the environment names.
func TestSiteFrontLooks(t *testing.T) {
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		t.Skip("SCREENSHOTS=directory says where they go")
	}
	shoot := func(tab *Tab, name string) {
		ctx, cancel := tab.limited()
		defer cancel()
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "front-"+name+".png"), picture, 0o644))
	}
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 1280, 1920} {
			tab := Open(t, "/harness/blank.html")
			tab.do("shape", chromedp.EmulateViewport(width, 800), emulate(theme))
			tab.Go("/")
			tab.sees(contains("#counts", ",") + " || " + contains("#counts", "2,500"))
			at := func(when string) { shoot(tab, fmt.Sprintf("%s-%d-%s", theme, width, when)) }
			at("waits")
			tab.click("#wake")
			tab.sees(contains("#more", "slower"))
			tab.Do(`await new Promise((later) => setTimeout(later, 900))`)
			at("wakes")
			tab.sees(contains("#fact", "One call woke"))
			at("woken")
			tab.Close()
		}
	}
}
