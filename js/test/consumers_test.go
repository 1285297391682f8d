//go:build !js

package browser_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	site "github.com/clca-dev/clca/example-site"
)

// The folders of js/examples are what people copy. Each is built by its own script where nothing else of the repository is,
// with the package as it is published, and served below a path, as many sites are.
const (
	exampleFolders = "../examples"
	below          = "/below/a/path/"
)

// What a page says that starts each kind of hub, and has a Worker of its own wait there for a signal.
const consumed = `here: the Worker waits, 1 woken, it goes on
worker: the Worker waits, 1 woken, it goes on
shared: the Worker waits, 1 woken, it goes on
`

func TestThePackageFindsItsFilesInWhatAnyBundlerMakesOfIt(t *testing.T) {
	t.Parallel()
	for _, folder := range []struct{ name, build, page, module string }{
		{"import-map", "", "", `node_modules/clca/dist/clca\.wasm`},
		{"esbuild", "build", "", `dist/clca\.wasm`},
		{"rollup", "build", "", `dist/clca\.wasm`},
		{"webpack", "build", "", `dist/[0-9a-f]{20}\.wasm`},
		{"parcel", "build -- --public-url=" + below + "dist/", "dist/", `dist/clca\.[0-9a-f]{8}\.wasm`},
		{"vite", "build -- --base=" + below + "dist/", "dist/", `dist/assets/clca-[\w-]{8}\.wasm`},
	} {
		t.Run(folder.name, func(t *testing.T) {
			dir := copied(t, folder.name)
			if folder.build != "" {
				build(t, dir, folder.build)
			}
			served := serve(t, dir)
			tab := openAt(t, served.url+folder.page)
			tab.reads("output", consumed)
			served.check(folder.module)
		})
	}
}

// The page comes with what React has rendered of it in Node, where the package is imported too, and goes on from there.
func TestAReactComponentHearsASignalAndIsRenderedInNodeToo(t *testing.T) {
	t.Parallel()
	dir := copied(t, "react")
	build(t, dir, "build -- --base="+below+"dist/", "prerender")
	served := serve(t, dir)
	html, err := os.ReadFile(filepath.Join(dir, "dist/index.html"))
	require.NoError(t, err)
	require.Contains(t, string(html), "<button>Answers of the Worker: <!-- -->0</button>")
	tab := openAt(t, served.url+"dist/")
	for i := range 3 {
		tab.Do(`document.querySelector('button').click()`)
		tab.reads("button", fmt.Sprintf("Answers of the Worker: %d", i+1))
	}
	served.check(`dist/assets/clca-[\w-]{8}\.wasm`)
}

func TestAReactComponentShowsWhyThereIsNoHubAndTriesAgain(t *testing.T) {
	t.Parallel()
	dir := copied(t, "react")
	build(t, dir, "build -- --base="+below+"dist/")
	served := serve(t, dir)
	served.withhold(".wasm")
	tab := openAt(t, served.url+"dist/")
	tab.sees(`document.querySelector('[role=alert]') !== null`)
	require.Regexp(t, "^LoadError: .*404", Eval[string](tab, `document.querySelector('#root').textContent`))
	served.withhold("")
	tab.Do(`document.querySelector('button').click()`)
	tab.reads("button", "Answers of the Worker: 0")
	tab.Do(`document.querySelector('button').click()`)
	tab.reads("button", "Answers of the Worker: 1")
}

// By the folder's own tsconfig.json alone, as with Vite 7.
func TestTheReactFolderSaysItselfHowItsJSXIsCompiled(t *testing.T) {
	t.Parallel()
	out, err := esbuild(t, copied(t, "react"), "src/app.tsx", "--format=esm")
	require.NoError(t, err, "%s", out)
	require.NotContains(t, string(out), "React.createElement")
}

func TestThePackageWorksInVitesDevelopmentServer(t *testing.T) {
	t.Parallel()
	openAt(t, viteServes(t, "vite")).reads("output", consumed)
}

// reads returns once that is what the element says.
func (tab *Tab) reads(element, text string) {
	tab.t.Helper()
	look := func() error {
		_, err := TryEval[chromedp.Void](tab, fmt.Sprintf(`new Promise((done) => {
			const look = () => document.querySelector(%q)?.textContent === %q && done();
			new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true });
			look();
		})`, element, text))
		return err
	}
	err := look()
	// A development server loads the page anew for each dependency that it finds late, of which this app has two.
	for i := 0; i < 3 && err != nil && strings.Contains(err.Error(), "navigated"); i++ {
		err = look()
	}
	if err != nil {
		require.Equal(tab.t, text, Eval[string](tab, fmt.Sprintf(`document.querySelector(%q).textContent`, element)), err)
	}
}

// copied is a copy of the folder, all by itself but for what npm installs.
func copied(t *testing.T, folder string) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range []string{"*.*", "src/*"} { // and nothing that was built
		files, err := filepath.Glob(filepath.Join(exampleFolders, folder, part))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			to := filepath.Join(dir, filepath.Dir(part))
			require.NoError(t, os.MkdirAll(to, 0o755))
			write(t, to, filepath.Base(file), string(text))
		}
	}
	modules, err := filepath.Abs(filepath.Join(exampleFolders, "node_modules"))
	require.NoError(t, err)
	require.NoError(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	return dir
}

// build runs scripts of the folder.
func build(t *testing.T, dir string, scripts ...string) {
	t.Helper()
	for _, script := range scripts {
		cmd := exec.CommandContext(t.Context(), "npm", strings.Fields("run --silent "+script)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// viteServes runs Vite's development server in a folder until the end of the test, and returns its address.
func viteServes(t *testing.T, folder string) string {
	t.Helper()
	vite, err := filepath.Abs(filepath.Join(exampleFolders, "node_modules/.bin/vite"))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, vite, "--force", "--port=0", "--base="+below)
	cmd.Dir = filepath.Join(exampleFolders, folder)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // it was killed
	})
	address := regexp.MustCompile(`http://localhost:\d+` + below)
	var said strings.Builder
	for lines := bufio.NewScanner(io.TeeReader(out, &said)); lines.Scan(); {
		if url := address.FindString(lines.Text()); url != "" {
			go io.Copy(io.Discard, out)
			return url
		}
	}
	require.Fail(t, "Vite does not serve", said.String())
	return ""
}

// A served is a folder on a server of its own, which keeps what was asked for and what was answered.
type served struct {
	t      *testing.T
	url    string
	folder string

	mu     sync.Mutex
	status map[string]int // by the path in the folder
	kept   string         // the end of the paths that are not there
}

func serve(t *testing.T, dir string) *served {
	s := &served{t: t, folder: dir, status: map[string]int{}}
	files := http.NewServeMux()
	files.Handle("/", site.Handler(dir))
	files.Handle("/node_modules/", site.Handler(exampleFolders)) // where npm puts those of all folders
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answer{w, http.StatusOK}
		if s.withholds(r.URL.Path) {
			http.NotFound(answer, r)
		} else {
			http.StripPrefix(strings.TrimSuffix(below, "/"), files).ServeHTTP(answer, r)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.status[strings.TrimPrefix(r.URL.Path, below)] = answer.status
	}))
	t.Cleanup(server.Close)
	s.url = server.URL + below
	return s
}

// withhold has nothing be there whose path ends so.
func (s *served) withhold(end string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = end
}

func (s *served) withholds(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept != "" && strings.HasSuffix(path, s.kept)
}

type answer struct {
	http.ResponseWriter
	status int
}

func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// check finds nothing missing and nothing built in vain; and the module, for all who asked, at that one place.
func (s *served) check(module string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var modules []string
	for path, status := range s.status {
		require.Equal(s.t, http.StatusOK, status, path)
		if filepath.Ext(path) == ".wasm" {
			modules = append(modules, path)
		}
	}
	require.Len(s.t, modules, 1)
	require.Regexp(s.t, "^"+module+"$", modules[0])
	_ = fs.WalkDir(os.DirFS(s.folder), "dist", func(path string, file fs.DirEntry, err error) error {
		if err == nil && !file.IsDir() && filepath.Ext(path) != ".map" {
			require.Contains(s.t, s.status, strings.TrimSuffix(path, "index.html"))
		}
		return nil // not every folder has one
	})
}
