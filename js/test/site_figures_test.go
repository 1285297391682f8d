//go:build !js

package browser_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	site "github.com/clca-dev/clca/example-site"
)

// The throttle: a processor that is four times as slow, and a network as a phone may have it. Of the network the browser
// slows down what the page itself loads; what its Workers load it does not.
const (
	slowdown  = 4
	latency   = 150.0     // milliseconds
	bandwidth = 1.6e6 / 8 // bytes per second
	byteLimit = 4 << 20   // of a page, with all that its Workers load, uncompressed
)

// sent counts what a server sends, by type.
type sent struct {
	mu       sync.Mutex
	requests int
	bytes    map[string]int
}

type countedResponse struct {
	http.ResponseWriter
	count func(bytes int)
}

func (c countedResponse) Write(content []byte) (int, error) {
	n, err := c.ResponseWriter.Write(content)
	c.count(n)
	return n, err
}

func (s *sent) around(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := cmp.Or(path.Ext(r.URL.Path), ".html")
		s.mu.Lock()
		s.requests++
		s.mu.Unlock()
		pages.ServeHTTP(countedResponse{w, func(bytes int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.bytes[kind] += bytes
		}}, r)
	})
}

const watchPaints = `globalThis.figures = { paints: {}, blocked: 0 };
	const observe = (type, heard) => new PerformanceObserver((list) => list.getEntries().forEach(heard)).observe({ type, buffered: true });
	observe('paint', ({ name, startTime }) => { figures.paints[name] = startTime; });
	observe('largest-contentful-paint', ({ startTime }) => { figures.paints.largest = startTime; });
	observe('longtask', ({ duration }) => { figures.blocked += Math.max(0, duration - 50); });`

// TestSiteFigures prints what it costs to open each page, under a throttle. The times are not for a test to judge.
func TestSiteFigures(t *testing.T) {
	if os.Getenv("FIGURES") == "" {
		t.Skip("make figures prints them")
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "processor %d times as slow; %.0f ms latency, %.1f Mbit/s; milliseconds, and KB without compression\n",
		slowdown, latency, bandwidth*8/1e6)
	fmt.Fprintln(out, "page\tfirst paint\tcontentful\tlargest\tblocked\trequests\thtml\tcss\tjs\twasm\tother\tall\t")
	for _, page := range pagesOfSite(t) {
		sent := &sent{bytes: map[string]int{}}
		server := httptest.NewServer(sent.around(site.Handler(siteDir)))
		tab := Open(t, "/harness/blank.html")
		tab.do("throttle", chromedp.Func(throttle))
		tab.do("load "+page, chromedp.Navigate(server.URL+"/"+page))
		tab.sees(pageIsThere)
		figures := Eval[struct {
			Paints  map[string]float64
			Blocked float64
		}](tab, `new Promise((painted) => {
			const look = () => (figures.paints.largest > 0 ? painted(figures) : requestAnimationFrame(() => setTimeout(look)));
			look();
		})`)
		tab.Close()
		server.Close()
		all, rest := 0, 0
		for kind, bytes := range sent.bytes {
			all += bytes
			if kind != ".html" && kind != ".css" && kind != ".js" && kind != ".wasm" {
				rest += bytes
			}
		}
		fmt.Fprintf(out, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t", cmp.Or(page, "index.html"), figures.Paints["first-paint"],
			figures.Paints["first-contentful-paint"], figures.Paints["largest"], figures.Blocked, sent.requests)
		for _, bytes := range []int{sent.bytes[".html"], sent.bytes[".css"], sent.bytes[".js"], sent.bytes[".wasm"], rest, all} {
			fmt.Fprintf(out, "%.0f\t", float64(bytes)/1024)
		}
		fmt.Fprintln(out)
		if all > byteLimit {
			t.Errorf("%s loads %d bytes, more than %d", page, all, byteLimit)
		}
	}
	require.NoError(t, out.Flush())
}

func throttle(ctx context.Context, target *chromedp.Target) error {
	if _, err := cdp.Call(ctx, target, cdppage.AddScriptToEvaluateOnNewDocument,
		cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: watchPaints}); err != nil {
		return err
	}
	if _, err := cdp.Call(ctx, target, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slowdown}); err != nil {
		return err
	}
	conditions := network.Conditions{Latency: latency, DownloadThroughput: bandwidth, UploadThroughput: bandwidth}
	_, err := cdp.Call(ctx, target, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{&conditions},
	})
	return err
}
