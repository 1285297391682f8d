// Command wasmexec turns the toolchain's wasm_exec.js into an ES module that defines no global.
//
//	go run ./js/wasmexec $(go env GOROOT)/lib/wasm/wasm_exec.js js/build
//
// The script assigns Go, fs, process and path to globalThis, and Go's syscall package looks the last three up there. In
// the module these four are variables of one function, and syscall/js is shown them where it asks the global object for
// them. Everything else, js.Global() included, is the real global. Each `new Go()` evaluates the script afresh, so two
// programs share no output buffer, and importing the module runs nothing.
package main

import (
	_ "embed"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed wasm_exec.d.ts
var declarations []byte

const (
	head = `// Generated from the Go toolchain's wasm_exec.js.
const load = () => {
let Go, fs, process, path;
const read = (target, key) => target === globalThis && key in shadows ? shadows[key] : Reflect.get(target, key);
`
	tail = `const shadows = { __proto__: null, fs, process, path };
return Go;
};
export function Go() { return new (load())(); }
`
	lookup = "Reflect.get(loadValue(sp + 8), loadString(sp + 16))"
)

var global = regexp.MustCompile(`globalThis(,|\.\w+)?`)

// What the script may say of globalThis. Anything else means that the toolchain's file has changed, and that somebody has
// to look at what the module would now leave in, or take from, the real global.
var (
	shadowed = []string{"Go", "fs", "process", "path"}
	real     = []string{",", "crypto", "performance", "TextEncoder", "TextDecoder"}
)

func wrap(script string) (string, error) {
	if n := strings.Count(script, lookup); n != 1 {
		return "", fmt.Errorf("%d property look-ups of syscall/js instead of one", n)
	}
	script = strings.Replace(script, lookup, strings.Replace(lookup, "Reflect.get", "read", 1), 1)

	seen := map[string]bool{}
	var unknown error
	script = global.ReplaceAllStringFunc(script, func(use string) string {
		name := strings.TrimPrefix(strings.TrimPrefix(use, "globalThis"), ".")
		seen[name] = true
		if slices.Contains(shadowed, name) {
			return name
		}
		if !slices.Contains(real, name) {
			unknown = fmt.Errorf("unknown use of the global object: %s", use)
		}
		return use
	})
	for _, name := range shadowed {
		if !seen[name] {
			return "", fmt.Errorf("no use of globalThis.%s", name)
		}
	}
	return head + script + tail, unknown
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: wasmexec wasm_exec.js directory")
	}
	source, dir := os.Args[1], os.Args[2]
	script, err := os.ReadFile(source)
	if err != nil {
		log.Fatal(err)
	}
	module, err := wrap(string(script))
	if err != nil {
		log.Fatalf("%s is not the wasm_exec.js that this wrapper knows: %v", source, err)
	}
	for name, content := range map[string][]byte{"wasm_exec.js": []byte(module), "wasm_exec.d.ts": declarations} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
