//go:build !js

package core_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documented are the packages that users import. A primitive is what has Stats.
var documented = []string{".", "../wasm/hub", "../wasm/promise"}

func TestEachExportedNameHasADocComment(t *testing.T) {
	for _, dir := range documented {
		p := docOf(t, dir)
		explained := func(name, comment string) {
			if token.IsExported(name[strings.LastIndex(name, ".")+1:]) && strings.TrimSpace(comment) == "" {
				t.Errorf("%s: %s has no doc comment", dir, name)
			}
		}
		explained("Package "+p.Name, p.Doc)
		values := append(p.Consts, p.Vars...)
		funcs := p.Funcs
		for _, typ := range p.Types {
			explained(typ.Name, typ.Doc)
			values = append(append(values, typ.Consts...), typ.Vars...)
			funcs = append(append(funcs, typ.Funcs...), typ.Methods...)
		}
		for _, f := range funcs {
			explained(strings.TrimPrefix(f.Recv+"."+f.Name, "."), f.Doc)
		}
		for _, v := range values {
			for _, spec := range v.Decl.Specs {
				spec := spec.(*ast.ValueSpec)
				for _, name := range spec.Names {
					explained(name.Name, v.Doc+spec.Doc.Text()+spec.Comment.Text())
				}
			}
		}
	}
}

func TestEachPrimitiveHasAnExampleWhoseOutputIsChecked(t *testing.T) {
	for _, dir := range documented {
		p := docOf(t, dir)
		checked := func(what string, examples []*doc.Example) {
			for _, e := range examples {
				if e.Output != "" {
					return
				}
			}
			t.Errorf("%s: %s has no example with an output", dir, what)
		}
		checked("the package", p.Examples)
		for _, typ := range p.Types {
			for _, m := range typ.Methods {
				if m.Name == "Stats" {
					checked(typ.Name, typ.Examples)
				}
			}
			for _, f := range typ.Funcs {
				if f.Name != "New"+typ.Name {
					checked(f.Name, f.Examples)
				}
			}
		}
	}
}

// documents are those in which a reader finds the way.
var documents = []string{"../README.md", "../.github/CONTRIBUTING.md", "../js/ARCHITECTURE.md", "../js/CHANGELOG.md",
	"../js/SECURITY.md", "../js/BENCHMARKS.md"}

func TestEachLinkOfTheDocumentsLeadsSomewhere(t *testing.T) {
	for _, name := range documents {
		for _, link := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(read(t, name), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), link[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestEachSourceFileIsOnTheMap(t *testing.T) {
	page := read(t, "../.github/CONTRIBUTING.md")
	for _, pattern := range []string{"*.go", "../wasm/hub/*.go", "../js/src/*.ts"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			name := filepath.Base(file)
			if !strings.HasSuffix(name, "_test.go") && !strings.Contains(page, "`"+name+"`") {
				t.Errorf("%s is not in CONTRIBUTING.md", file)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// docOf returns what go doc knows of a package, whatever platform its files are for.
func docOf(t *testing.T, dir string) *doc.Package {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal(dir, names, err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/clca-dev/clca/core")
	if err != nil {
		t.Fatal(err)
	}
	return p
}
