// Package godebug stands for internal/godebug in the modules that are built for the web: there is no GODEBUG in a browser,
// so every setting has its default. The real one comes with package time, and so with context; it links internal/bisect
// and the runtime's metrics, which makes the module larger by 31 KB brotli, a twentieth. The Makefile lays it over.
package godebug

// Setting is a setting that has its default.
type Setting struct{ name string }

// New returns the setting of that name.
func New(name string) *Setting { return &Setting{name} }

// Name returns its name.
func (s *Setting) Name() string { return s.name }

// Undocumented reports that it is not.
func (s *Setting) Undocumented() bool { return false }

// String returns it as GODEBUG would have it.
func (s *Setting) String() string { return s.name + "=" }

// Value returns "", which stands for the default.
func (s *Setting) Value() string { return "" }

// IncNonDefault is never called.
func (s *Setting) IncNonDefault() {}
