package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func toolchainScript(t *testing.T) string {
	script, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "lib", "wasm", "wasm_exec.js"))
	require.NoError(t, err)
	return string(script)
}

func TestProgramsRunAndNoGlobalIsDefined(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs Node")
	}
	module, err := wrap(toolchainScript(t))
	require.NoError(t, err)
	dir := t.TempDir()
	wrapper, program := filepath.Join(dir, "wasm_exec.mjs"), filepath.Join(dir, "program.wasm")
	require.NoError(t, os.WriteFile(wrapper, []byte(module), 0o644))

	build := exec.Command("go", "build", "-o", program, "testdata/program.go")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command("node", "testdata/run.mjs", wrapper, program).CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestAChangedScriptIsRefused(t *testing.T) {
	script := toolchainScript(t)
	for name, changed := range map[string]string{
		"a new global is defined":    script + "globalThis.Gopher = class {};",
		"a global under another key": script + `globalThis["Go"] = 1;`,
		"Go is not defined":          strings.Replace(script, "globalThis.Go = ", "self.Go = ", 1),
		"look-ups have another form": strings.Replace(script, "Reflect.get(", "Reflect.fetch(", 1),
		"more look-ups than one":     script + lookup,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wrap(changed)
			require.Error(t, err)
		})
	}
}
