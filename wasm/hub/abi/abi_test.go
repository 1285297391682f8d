package abi

import (
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write js/src/abi.ts")

const target = "../../../js/src/abi.ts"

func TestTypeScriptHasTheSameNumbers(t *testing.T) {
	want := typescript(t)
	if *update {
		require.NoError(t, os.WriteFile(target, []byte(want), 0o644))
	}
	got, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run: go generate ./wasm/hub/abi")
}

// typescript renders every constant of this package: one enum per type, one export per untyped constant.
func typescript(t *testing.T) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "abi.go", nil, 0)
	require.NoError(t, err)
	config := types.Config{Importer: importer.Default()}
	pkg, err := config.Check("abi", fset, []*ast.File{file}, nil)
	require.NoError(t, err)

	var out, enum strings.Builder
	out.WriteString("// Generated from wasm/hub/abi/abi.go, where each name is explained. Do not edit: go generate ./wasm/hub/abi\n\n")
	current := ""
	flush := func() {
		if current != "" {
			fmt.Fprintf(&out, "\nexport const enum %s {\n%s}\n", current, enum.String())
			enum.Reset()
			current = ""
		}
	}
	for _, decl := range file.Decls {
		block, ok := decl.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		for _, spec := range block.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				c := pkg.Scope().Lookup(name.Name).(*types.Const)
				value, exact := constant.Uint64Val(c.Val())
				require.True(t, exact, name.Name)
				named, ok := c.Type().(*types.Named)
				if !ok {
					flush()
					fmt.Fprintf(&out, "export const %s = %d;\n", name.Name, value)
					continue
				}
				if kind := named.Obj().Name(); kind != current {
					flush()
					current = kind
				}
				fmt.Fprintf(&enum, "  %s = %d,\n", strings.TrimPrefix(name.Name, current), value)
			}
		}
		flush()
	}
	return out.String()
}
