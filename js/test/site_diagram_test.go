//go:build !js

package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The site's sequence diagram, fed with what could have happened.

// SCREENSHOTS=directory go test -run TestDiagramScreenshots ./js/test
func TestDiagramScreenshots(t *testing.T) {
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		t.Skip("SCREENSHOTS=directory says where they go")
	}
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 1280, 1920} {
			tab := Open(t, "/test/diagram.html")
			tab.do("shape", chromedp.EmulateViewport(width, 900), emulate(theme))
			tab.Do(`feed(story(begin - 9000));`)
			take := func(name string) {
				tab.Do(`await new Promise((resolve) => setTimeout(resolve, 800));`)
				ctx, cancel := tab.limited()
				defer cancel()
				picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				require.NoError(t, err)
				name = fmt.Sprintf("diagram-%s-%d-%s.png", theme, width, name)
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), picture, 0o644))
			}
			take("live")
			tab.click(`[data-part=fit]`)
			take("fit")
			for range 3 {
				tab.do("zoom", chromedp.Click(chromedp.CSS(`[data-part=closer]`)))
			}
			tab.Do(`const canvas = document.querySelector('canvas');
				canvas.focus();
				for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight']) {
					canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));
				}
				document.querySelector('details').open = true;`)
			take("chosen")
		}
	}
}

var _ context.Context
