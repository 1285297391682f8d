//go:build !js

package browser_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

func TestSiteBenchmarkLooks(t *testing.T) {
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		t.Skip("SCREENSHOTS=directory says where they go")
	}
	tab := Open(t, "/harness/blank.html")
	shoot := func(name string) {
		for _, theme := range []string{"light", "dark"} {
			for shape, width := range map[string]int64{"360": 360, "1280": 1280} {
				tab.do("shape", chromedp.EmulateViewport(width, 900), emulate(theme))
				require.True(t, Eval[bool](tab, `document.documentElement.scrollWidth <= innerWidth`), "overflows at %d", width)
				ctx, cancel := tab.limited()
				picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				cancel()
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(dir, "benchmark-"+name+"-"+theme+"-"+shape+".png"), picture, 0o644))
			}
		}
	}
	tab.Go("/benchmark.html?rounds=6")
	tab.sees(`!document.querySelector('form fieldset').disabled`)
	shoot("rest")
	tab.click("#start")
	tab.sees(`document.querySelector('[data-row=unlock]').dataset.state === 'running' && document.querySelector('[data-row=unlock] .state').textContent.includes('of')`)
	shoot("halfway")
	tab.sees(`document.querySelector('#start').textContent === 'Start'`)
	shoot("finished")
}
