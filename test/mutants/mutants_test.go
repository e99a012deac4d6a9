package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shop is a module with one function or value of each kind that may have a bug, and a test for each but one.
var shop = map[string]string{
	"go.mod": "module shop\n\ngo 1.26\n",
	"text/words.sql": `SELECT 'open'
`,
	"shop.go": `package shop

import (
	"embed"
	"strings"
)

//go:embed text/*.sql
var texts embed.FS

const greeting = "hello"

var (
	limit = map[string]int{"buyer": 10}
	other = 1
)

type line struct{ quantity int }

func (l line) total(price int) (sum int, ok bool) {
rows:
	for range 2 {
		for range 2 {
			sum += l.quantity * price
			continue rows
		}
	}
	return sum, sum > 0
}

func words() string {
	text, _ := texts.ReadFile("text/words.sql")
	return strings.TrimSpace(string(text))
}

func untested() int {
	return 1
}
`,
	"shop_test.go": `package shop

import "testing"

func TestTotal(t *testing.T) {
	if sum, ok := (line{2}).total(3); sum != 12 || !ok {
		t.Fatal(sum)
	}
}

func TestLimit(t *testing.T) {
	if limit["buyer"] != 10 || other != 1 {
		t.Fatal(limit)
	}
}

func TestGreeting(t *testing.T) {
	if greeting != "hello" {
		t.Fatal(greeting)
	}
}

func TestWords(t *testing.T) {
	if words() != "SELECT 'open'" {
		panic(words())
	}
}
`,
}

const bugs = `# The price is left out.
no-price
caught by . TestTotal
shop.go
 		for range 2 {
-			sum += l.quantity * price
+			sum += l.quantity

# The order is counted once.
counted-once
caught by . TestTotal
shop.go
 rows:
-	for range 2 {
+	for range 1 {

# Buyers have no limit worth the name.
limit-raised
caught by . TestLimit
shop.go
-	limit = map[string]int{"buyer": 10}
+	limit = map[string]int{"buyer": 1000}

# Another greeting.
other-greeting
caught by . TestGreeting
shop.go
-const greeting = "hello"
+const greeting = "goodbye"

# Closed orders are open.
closed-is-open
caught by .
text/words.sql
-SELECT 'open'
+SELECT 'closed'

# Nobody tests this.
nobody-looks
caught by .
shop.go
-	return 1
+	return 2
`

func TestBugsAreSwitchedOnOneByOne(t *testing.T) {
	t.Parallel()
	root, dir := t.TempDir(), t.TempDir()
	for name, text := range shop {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	seeds, err := parseSeeds(bugs)
	require.NoError(t, err)
	of, err := prepare(t.Context(), root, dir, ".", seeds)
	require.NoError(t, err)

	got := map[string]string{}
	judge(t.Context(), of, seeds, func(v verdict) {
		require.Equal(t, v.by != "", v.caught, v.name)
		got[v.name] = v.by
	})
	require.Equal(t, map[string]string{
		"no-price": "TestTotal", "counted-once": "TestTotal", "limit-raised": "TestLimit", "other-greeting": "TestGreeting",
		"closed-is-open": "TestWords", "nobody-looks": "",
	}, got)
}

// fixed is a suite whose tests fail as it says.
type fixed func(bug *seed) []string

func (f fixed) run(_ context.Context, _ string, bug *seed) ([]string, error) { return f(bug), nil }

func TestFailingTestsCatchNothing(t *testing.T) {
	t.Parallel()
	judge(t.Context(), fixed(func(*seed) []string { return []string{"TestAlways"} }), []seed{{name: "any"}}, func(v verdict) {
		require.False(t, v.caught)
		require.Equal(t, "no verdict: without any bug TestAlways fails", v.by)
	})
}

func TestSummaryFailsForWhatWasNotCaught(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.True(t, summary(&out, []verdict{{seed: seed{name: "a"}, caught: true}}, false, 0))
	require.False(t, summary(&out, []verdict{{seed: seed{name: "b", what: "Nobody tests this."}}}, false, 0))
	require.Contains(t, out.String(), "Nobody tests this.")
	require.Contains(t, out.String(), "1 bugs: 0 caught, 1 not caught")
}

func TestRefusedSeeds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, entry, want string }{
		{"no sentence", "a-name\ncaught by x\nfile\n-a\n+b", "needs a sentence"},
		{"no catcher", "# Why.\na-name\nx\nfile\n-a\n+b", "begins with 'caught by'"},
		{"no change", "# Why.\na-name\ncaught by x\nfile\n a\n a", "changes nothing"},
		{"no marker", "# Why.\na-name\ncaught by x\nfile\n-a\n+b\nc", `does not begin with`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parseSeeds(tt.entry)
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, _, _, err := seed{name: "twice", file: "x", now: "a\n", bug: "b\n"}.apply("a\na\n")
	require.ErrorContains(t, err, "more than once")
}

// The code changes; a seed whose lines or tests are gone would no longer test anything.
func TestSeedsFitTheCode(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	seeds, err := readSeeds("seeds")
	require.NoError(t, err)
	require.Greater(t, len(seeds), 60)
	same := map[string]string{}
	var inGo []seed
	for _, s := range seeds {
		require.Empty(t, same[s.file+s.now+s.bug], "%s is the same bug", s.name)
		same[s.file+s.now+s.bug] = s.name
		text, err := os.ReadFile(filepath.Join(root, s.file))
		require.NoError(t, err, s.name)
		_, _, _, err = s.apply(string(text))
		require.NoError(t, err)
		if s.catcher.pkg == "web" {
			continue
		}
		inGo = append(inGo, s)
		for one := range strings.SplitSeq(s.catcher.tests, "|") {
			require.True(t, hasTest(t, filepath.Join(root, s.catcher.pkg), one), "%s: no test in %s is named %s", s.name, s.catcher.pkg, one)
		}
	}
	_, err = overlay(root, t.TempDir(), inGo)
	require.NoError(t, err)
}

// hasTest reports whether a package has a test that 'go test -run' would run for the expression.
func hasTest(t *testing.T, dir, expression string) bool {
	t.Helper()
	name, _, _ := strings.Cut(expression, "/")
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, declared := range declaredTest.FindAllStringSubmatch(string(text), -1) {
			if regexp.MustCompile(name).MatchString(declared[1]) {
				return true
			}
		}
	}
	return false
}

var declaredTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w+)\(`)
