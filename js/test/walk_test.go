//go:build !js

package browser_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Random walks through everything that realms can do to each other; js/test/walk says how. A failure names its seed:
// SEED=… walks that way again, STEPS=… makes the walks longer, and SOAK=… walks for so many minutes.
func TestRandomWalksDoWhatTheirModelSays(t *testing.T) {
	t.Parallel()
	steps := int(numberFrom(t, "STEPS", 40))
	until := time.Now().Add(time.Duration(numberFrom(t, "SOAK", 0.15) * float64(time.Minute)))
	blocking := httptest.NewServer(blockingHandler())
	defer blocking.Close()
	stages := map[string]*stage{}
	walks := 0
	for ; walks == 0 || os.Getenv("SEED") == "" && time.Now().Before(until); walks++ {
		seed := int(numberFrom(t, "SEED", float64(rand.Int32())))
		where := []string{"here", "worker", "shared"}[seed%3]
		if stages[where] == nil {
			stages[where] = openStage(t, where, blocking.URL)
		}
		stages[where].walk(seed, steps)
	}
	t.Logf("%d walks", walks)
}

func numberFrom(t *testing.T, name string, otherwise float64) float64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	number, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err, name)
	return number
}

// A stage is a page that walks, and the tabs beside it that its walks have opened.
type stage struct {
	t    *testing.T
	page *Tab
	tabs map[string]*Tab
}

func openStage(t *testing.T, where, blocking string) *stage {
	page := Open(t, "/test/walk.html")
	page.Do(fmt.Sprintf(`await clcaWalk.open(%q, %q)`, where, blocking))
	return &stage{t, page, map[string]*Tab{}}
}

// walk does what the walk wants until it is over.
func (s *stage) walk(seed, steps int) {
	expression := fmt.Sprintf(`clcaWalk.begin(%d, %d)`, seed, steps)
	for {
		want := Eval[struct {
			Tab, To, Failed string
			Done            bool
		}](s.page, expression)
		require.Empty(s.t, want.Failed)
		if want.Done {
			return
		}
		switch tab := s.tabs[want.Tab]; want.To {
		case "open":
			s.tabs[want.Tab] = s.page.Beside("/test/walk.html?tab=" + url.QueryEscape(want.Tab))
		case "close":
			tab.Close()
		case "reload":
			tab.Reload()
			tab.Close()
		case "crash":
			tab.Crash()
		}
		expression = `clcaWalk.next()`
	}
}

// blockingHandler answers who asks for /block/name when somebody else asks for /let-go/name.
func blockingHandler() http.Handler {
	var gates sync.Map
	gate := func(r *http.Request) chan struct{} {
		gate, _ := gates.LoadOrStore(r.PathValue("name"), make(chan struct{}))
		return gate.(chan struct{})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/block/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		select {
		case <-gate(r):
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/let-go/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		close(gate(r))
	})
	return mux
}
