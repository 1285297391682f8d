// Package site serves the built site as a plain static server would: nothing here depends on headers of its own.
package site

import (
	"net/http"
	"path"
)

// Set here because the tables of the operating system may know other types, or none: a module with the wrong one does
// not compile while it streams, a script with the wrong one does not run at all.
var types = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".map":  "application/json",
	".svg":  "image/svg+xml",
	".wasm": "application/wasm",
}

// Handler serves the files below dir, each always as it is now.
func Handler(dir string) http.Handler {
	files := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if t, ok := types[path.Ext(r.URL.Path)]; ok {
			w.Header().Set("Content-Type", t)
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		// Not no-store: that would keep pages out of the back/forward cache. Two builds within a second have the same
		// date, so it must not answer for the file.
		w.Header().Set("Cache-Control", "no-cache")
		r.Header.Del("If-Modified-Since")
		files.ServeHTTP(w, r)
	})
}
