//go:build !js

package browser_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the README shows is cut out of it and run as it stands there. Then its page or its Worker is slow at one line, for
// each line, so that whatever is decided by who comes first goes the other way once.
func TestTheReadmesPageAndWorkerMeetWhicheverIsSlower(t *testing.T) {
	t.Parallel()
	page, worker := snippet(t, `js\n(// page\.js\n`), snippet(t, `js\n(// worker\.js\n`)
	type pair struct{ page, worker string }
	pairs := map[string]pair{"as they are": {page, worker}}
	for _, where := range []string{"here", "shared"} {
		pairs[where] = pair{strings.Replace(page, "'worker'", "'"+where+"'", 1), worker}
	}
	for line, slow := range slowed(page, "") {
		pairs["the page is slow at "+line] = pair{slow, worker}
	}
	for line, slow := range slowed(worker, "  ") { // in a function, where it may await
		pairs["the Worker is slow at "+line] = pair{page, slow}
	}
	require.Len(t, pairs, 3+7+2)
	for how, made := range map[string]func(t *testing.T, dir, page, worker string){"with no bundler": unbundled, "with esbuild": bundled} {
		for name, pair := range pairs {
			if how == "with esbuild" && strings.HasPrefix(name, "the page is slow") {
				continue // the same lines, and what a bundler alters is the Worker's
			}
			t.Run(how+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				made(t, dir, pair.page, pair.worker)
				tab := openAt(t, serve(t, dir).url)
				require.Equal(t, []string{"resumed 1"}, Eval[[]string](tab, `(async () => {
					const said = [];
					console.log = (...words) => said.push(words.join(' '));
					await import('./page.js');
					return said;
				})()`))
			})
		}
	}
}

func TestTheReadmesGoProgramHearsWhatJavaScriptSignals(t *testing.T) {
	t.Parallel()
	built := "../build/_readme" // in the module, and not seen by ./...
	require.NoError(t, os.MkdirAll(built, 0o755))
	write(t, built, "main.go", snippet(t, `go\n(package main\n`))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "program.wasm", "main.go")
	build.Dir = built
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	write(t, built, "index.html", importMap)
	tab := openAt(t, serve(t, built).url)
	require.Equal(t, 1, Eval[int](tab, `(async () => {
		const { createHub } = await import('clca');
		const hub = await createHub({ wasm: 'program.wasm' });
		return hub.signal('done').signal();
	})()`))
}

const importMap = `<!doctype html>
<title>readme</title>
<link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "clca": "./node_modules/clca/dist/index.js" } }</script>
`

// snippet is the block of the README that begins so; the pattern opens a group.
func snippet(t *testing.T, begins string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)```"+begins+".*?)```\n").FindAllStringSubmatch(string(readme), -1)
	require.Len(t, found, 1)
	return found[0][1]
}

// slowed is the script with a pause before a statement, for each with that indent that is no import.
func slowed(script, indent string) map[string]string {
	slow := map[string]string{}
	statement := regexp.MustCompile(`^` + indent + `(const|for|await|\w+\.)`)
	lines := strings.SplitAfter(script, "\n")
	for i, line := range lines {
		if !statement.MatchString(line) {
			continue
		}
		before, after := strings.Join(lines[:i], ""), strings.Join(lines[i:], "")
		slow[fmt.Sprintf("line %d", i+1)] = before + "await new Promise((go) => setTimeout(go, 1000));\n" + after
	}
	return slow
}

func unbundled(t *testing.T, dir, page, worker string) {
	t.Helper()
	write(t, dir, "index.html", importMap)
	write(t, dir, "page.js", page)
	require.Contains(t, worker, "'clca/client'")
	write(t, dir, "worker.js", strings.ReplaceAll(worker, "'clca/client'", "'./node_modules/clca/dist/client.js'")) // no import map there
}

// bundled makes a classic script of the Worker, as Vite does: so it fails if that awaits outside of a function.
func bundled(t *testing.T, dir, page, worker string) {
	t.Helper()
	src := t.TempDir()
	write(t, src, "page.js", page)
	write(t, src, "worker.js", worker)
	write(t, dir, "index.html", "<!doctype html>\n<title>readme</title>\n<link rel=\"icon\" href=\"data:,\">\n")
	for format, entries := range map[string]string{
		"esm":  "page.js shared-worker=clca/shared-worker clca=clca/clca.wasm --loader:.wasm=copy",
		"iife": "worker.js",
	} {
		out, err := esbuild(t, src, strings.Fields(fmt.Sprintf("%s --bundle --log-level=warning --format=%s --outdir=%s", entries, format, dir))...)
		require.NoError(t, err, "%s", out)
	}
}

// esbuild runs it in a directory, with the packages of the examples.
func esbuild(t *testing.T, dir string, args ...string) ([]byte, error) {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join(exampleFolders, "node_modules"))
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), filepath.Join(modules, ".bin/esbuild"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	return cmd.CombinedOutput()
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}
