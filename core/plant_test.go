package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// This file builds the tests with all faults at once, for a build for each takes longer than what it finds. Beside each
// function stand its faulty copies, and one of them is called instead where the environment names its fault:
//
//	func (s *Signal) Signal() uint64 {
//		switch planted {
//		case 17:
//			return s.planted17Signal()
//		}
//		...
//	}

const (
	plantedVariable = "CLCA_PLANTED"
	plantedFile     = `package %s

import (
	"os"
	"strconv"
)

var planted = func() int {
	i, err := strconv.Atoi(os.Getenv(%q))
	if err != nil {
		return -1
	}
	return i
}()
`
)

// plantAll returns the directory of the programs that are the tests of each package, with the faults.
func plantAll(t *testing.T) string {
	t.Helper()
	files := map[string]*ground{}
	for i, fault := range faults {
		if files[fault.file] == nil {
			files[fault.file] = till(t, fault.file)
		}
		files[fault.file].plant(t, i)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	write := func(name string, content []byte) {
		absolute, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		replace[absolute] = filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(replace[absolute], content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, g := range files {
		write(name, g.bytes())
		write(filepath.Join(filepath.Dir(name), "planted.go"), fmt.Appendf(nil, plantedFile, g.parsed.Name, plantedVariable))
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "test", "-c", "-o", dir+"/", "-overlay", overlay, "-vet=off", "-ldflags=-s -w",
		".", "./internal/backlog", "./internal/waitlist")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// ground is a file that faults are planted in.
type ground struct {
	source string
	parsed *ast.File
	set    *token.FileSet
	cases  map[*ast.FuncDecl]*bytes.Buffer // of the switch that a function begins with
	copies bytes.Buffer
}

func till(t *testing.T, name string) *ground {
	t.Helper()
	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{source: string(source), set: token.NewFileSet(), cases: map[*ast.FuncDecl]*bytes.Buffer{}}
	g.parsed = g.parse(t, g.source)
	return g
}

func (g *ground) parse(t *testing.T, source string) *ast.File {
	t.Helper()
	parsed, err := parser.ParseFile(g.set, "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// text returns the source of a node.
func (g *ground) text(source string, from, to token.Pos) string {
	return source[g.set.Position(from).Offset:g.set.Position(to).Offset]
}

// plant adds the copies of the functions in which the fault is.
func (g *ground) plant(t *testing.T, i int) {
	t.Helper()
	fault := faults[i]
	if n := strings.Count(g.source, fault.old); n != 1 {
		t.Fatalf("%s: what is to be replaced occurs %d times in %s:\n%s", fault.name, n, fault.file, fault.old)
	}
	source := strings.Replace(g.source, fault.old, fault.new, 1)
	parsed := g.parse(t, source)
	if len(parsed.Decls) != len(g.parsed.Decls) {
		t.Fatalf("%s: it is not within functions", fault.name)
	}
	for j, decl := range parsed.Decls {
		was := g.parsed.Decls[j]
		if g.text(source, decl.Pos(), decl.End()) == g.text(g.source, was.Pos(), was.End()) {
			continue
		}
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			t.Fatalf("%s: it is not within functions", fault.name)
		}
		original := was.(*ast.FuncDecl)
		head := g.text(g.source, original.Pos(), original.Body.Pos())
		if g.text(source, f.Pos(), f.Body.Pos()) != head {
			t.Fatalf("%s: it changes the signature of %s", fault.name, f.Name)
		}
		name := fmt.Sprintf("planted%d%s", i, f.Name)
		fmt.Fprintf(&g.copies, "\nfunc %s%s%s\n", g.text(source, f.Pos()+token.Pos(len("func ")), f.Name.Pos()), name,
			g.text(source, f.Name.End(), f.End()))
		if g.cases[original] == nil {
			g.cases[original] = &bytes.Buffer{}
		}
		fmt.Fprintf(g.cases[original], "case %d: %s; ", i, callOf(f, name))
	}
}

// callOf returns the statement that calls name as f was called.
func callOf(f *ast.FuncDecl, name string) string {
	var arguments []string
	for _, field := range f.Type.Params.List {
		for _, parameter := range field.Names {
			argument := parameter.Name
			if _, variadic := field.Type.(*ast.Ellipsis); variadic {
				argument += "..."
			}
			arguments = append(arguments, argument)
		}
	}
	if f.Recv != nil {
		name = f.Recv.List[0].Names[0].Name + "." + name
	}
	called := fmt.Sprintf("%s(%s)", name, strings.Join(arguments, ", "))
	if f.Type.Results != nil {
		return "return " + called
	}
	return called + "; return"
}

// bytes returns the file with all that was planted.
func (g *ground) bytes() []byte {
	var b bytes.Buffer
	end := 0
	for _, decl := range g.parsed.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && g.cases[f] != nil {
			body := g.set.Position(f.Body.Lbrace).Offset + 1
			fmt.Fprintf(&b, "%s switch planted { %s};", g.source[end:body], g.cases[f])
			end = body
		}
	}
	b.WriteString(g.source[end:])
	b.Write(g.copies.Bytes())
	return b.Bytes()
}
