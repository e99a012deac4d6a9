package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPromisesNameTests reads the tables that say which test holds which promise: each package and each test is there.
func TestPromisesNameTests(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	known := map[string]bool{}
	for _, module := range []string{".", "./test/compose"} {
		packages, err := readPackages(filepath.Join(root, module))
		require.NoError(t, err)
		for _, p := range packages {
			place := "./" + path.Join(module, p.path)
			known[place] = true
			for _, one := range p.tests {
				known[place+" "+one.name] = true
			}
		}
	}
	named := regexp.MustCompile("`((?:internal|test)/[a-z/]+)`|\\b((?:Test|Fuzz)[A-Z]\\w*)")
	for _, page := range []string{"SECURITY.md", "docs/reliability.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		count := 0
		for line := range strings.Lines(string(text)) {
			in := ""
			for _, found := range named.FindAllStringSubmatch(line, -1) {
				if found[1] != "" {
					in = "./" + found[1]
					assert.True(t, known[in] || exists(filepath.Join(root, found[1])), "%s names the package %s", page, in)
					continue
				}
				count++
				assert.True(t, in == "" || known[in+" "+found[2]], "%s names %s of %s", page, found[2], in)
			}
		}
		require.Greater(t, count, 30, page)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
