package site

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHandler(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"index.html", "page.js", "clca.wasm", "page.js.map"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("content of "+name), 0o644))
	}
	handler := Handler(dir)
	get := func(path string) *http.Response {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("If-Modified-Since", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Result()
	}

	for path, contentType := range map[string]string{
		"/":            "text/html; charset=utf-8",
		"/page.js":     "text/javascript; charset=utf-8",
		"/clca.wasm":   "application/wasm",
		"/page.js.map": "application/json",
	} {
		t.Run(path, func(t *testing.T) {
			res := get(path)
			require.Equal(t, http.StatusOK, res.StatusCode, "a cached copy must never be taken for the file")
			require.Equal(t, contentType, res.Header.Get("Content-Type"))
			require.Equal(t, "no-cache", res.Header.Get("Cache-Control"))
		})
	}

	t.Run("what is missing is not a script", func(t *testing.T) {
		res := get("/missing.js")
		require.Equal(t, http.StatusNotFound, res.StatusCode)
		require.Equal(t, "text/plain; charset=utf-8", res.Header.Get("Content-Type"))
	})

	t.Run("nothing above the directory", func(t *testing.T) {
		require.Equal(t, http.StatusNotFound, get("/../site_test.go").StatusCode)
	})
}
