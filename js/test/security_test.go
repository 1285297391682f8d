//go:build !js

package browser_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A name of a test in js/SECURITY.md is that of a Go function, `file: title` for a case of TypeScript, or that of an
// occupation.
var (
	goTest     = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z]+)`")
	caseOfFile = regexp.MustCompile("`((?:suite-|node/)[a-z-]+): ([^`]+)`")
	tableRow   = regexp.MustCompile("(?m)^\\|.*\\| (`[^|]*`) \\|$")
	quoted     = regexp.MustCompile("`([^`]+)`")
)

func TestSecurityNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile("../SECURITY.md")
	require.NoError(t, err)
	var programs strings.Builder
	for _, pattern := range []string{"*_test.go", "fuzz/*_test.go", "../../wasm/hub/*_test.go", "../../core/*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			programs.Write(read(t, file))
		}
	}
	named := 0
	for _, m := range goTest.FindAllStringSubmatch(string(page), -1) {
		exists(t, programs.String(), "func "+m[1]+"(")
		named++
	}
	for _, m := range caseOfFile.FindAllStringSubmatch(string(page), -1) {
		exists(t, strings.ReplaceAll(string(read(t, m[1]+".ts")), `\'`, "'"), m[2])
		named++
	}
	occupations := string(read(t, "occupations.ts"))
	for _, row := range tableRow.FindAllStringSubmatch(string(page), -1) {
		for _, m := range quoted.FindAllStringSubmatch(row[1], -1) {
			if goTest.MatchString("`"+m[1]+"`") || caseOfFile.MatchString("`"+m[1]+"`") {
				continue
			}
			exists(t, occupations, "  '"+m[1]+"': {")
			named++
		}
	}
	require.Greater(t, named, 50, "few tests are named")
}

func exists(t *testing.T, text, name string) {
	if !strings.Contains(text, name) {
		t.Errorf("there is no %s", name)
	}
}

func read(t testing.TB, file string) []byte {
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return content
}
