package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const testHeader = "package m\n\nimport \"testing\"\n\n"

// TestEveryTestRunsOnce runs both jobs of a module with packages of all kinds.
func TestEveryTestRunsOnce(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"whole/a_test.go": "//race:detect because of the cache\n" + testHeader + "func TestA(t *testing.T) {}",
		"whole/b_test.go": testHeader + "func TestB(t *testing.T) {}\nfunc FuzzB(f *testing.F) { f.Fuzz(func(*testing.T, int) {}) }",
		"both/a_test.go": testHeader + "// TestC is one of two.\n//\n//race:detect\nfunc TestC(t *testing.T) {}\n" +
			"func TestCalm(t *testing.T) {}\nfunc Testing() {}\nfunc TestMain(m *testing.M) { m.Run() }",
		"none/a_test.go":       testHeader + "func TestA2(t *testing.T) { t.Run(\"TestC\", func(*testing.T) {}) }\nfunc TestCalm(t *testing.T) {}",
		"testdata/x/a_test.go": "not Go",
		"other/go.mod":         "module example.com/other\n",
		"other/a_test.go":      testHeader + "func TestOther(t *testing.T) {}",
	}
	root := write(t, files)
	packages, err := readPackages(root)
	require.NoError(t, err)
	with, without, err := split(packages)
	require.NoError(t, err)

	ran := func(j job) (names []string) {
		for line := range strings.Lines(goTests(t, root, slices.Concat(j.flags(), j.packages)...)) {
			var e event
			if json.Unmarshal([]byte(line), &e) == nil && e.Action == "pass" && e.Test != "" && !strings.Contains(e.Test, "/") {
				names = append(names, strings.TrimPrefix(e.Package, "example.com/m/")+"."+e.Test)
			}
		}
		slices.Sort(names)
		return names
	}
	require.Equal(t, []string{"both.TestC", "whole.FuzzB", "whole.TestA", "whole.TestB"}, ran(with))
	require.Equal(t, []string{"both.TestCalm", "none.TestA2", "none.TestCalm"}, ran(without))
}

// TestInexactMarks refuses marks with which a test would run twice or never.
func TestInexactMarks(t *testing.T) {
	t.Parallel()
	marked, plain := "//race:detect\nfunc TestA(t *testing.T) {}\n", "func TestA(t *testing.T) {}\n"
	for _, tt := range []struct {
		name, says string
		files      map[string]string
	}{
		{"the name of a marked test without a mark elsewhere", "./b: TestA has the name",
			map[string]string{"a/a_test.go": testHeader + marked + "func TestB(t *testing.T) {}", "b/b_test.go": testHeader + plain}},
		{"the name of a test without a mark in a whole package", "./b: TestA has the name",
			map[string]string{"a/a_test.go": testHeader + "//race:detect\nfunc TestB(t *testing.T) {}\n" + plain,
				"b/b_test.go": "//race:detect\n" + testHeader + plain}},
		{"a mark above a helper", "a_test.go:5:1: //race:detect is neither",
			map[string]string{"a/a_test.go": testHeader + "//race:detect\nfunc helper() {}\n"}},
		{"a mark that an empty line separates", "a_test.go:1:1: //race:detect is neither",
			map[string]string{"a/a_test.go": "//race:detect\n\n" + testHeader + plain}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := printJob(&strings.Builder{}, write(t, tt.files), true)
			require.ErrorContains(t, err, tt.says)
		})
	}
}

// TestMarksOfThisModule prints both jobs of this module, as CI does.
func TestMarksOfThisModule(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	for _, race := range []bool{true, false} {
		printed := strings.Builder{}
		require.NoError(t, printJob(&printed, root, race))
		require.Contains(t, printed.String(), "./internal/")
	}
}
