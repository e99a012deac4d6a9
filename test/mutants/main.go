// Command mutants plants the bugs of the folder seeds, one at a time, and says which of them the tests catch.
//
// All bugs of the Go code and of its SQL are compiled into one test binary for each package, beside the code as it
// is; QUAYSIDE_MUTANT names the one that is switched on. The checkout is not changed: the go tool reads
// the files with bugs through its -overlay. A package's tests are first run without any bug, because tests that fail
// anyway catch nothing. The web app's bugs are planted in a copy of it.
//
//	go run ./test/mutants          prints the counts and the bugs that were not caught
//	go run ./test/mutants -list    also prints a line for each bug
//	go run ./test/mutants -only E  only the bugs whose names match the expression
//
// It ends with 1 when a bug was not caught.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	list := flag.Bool("list", false, "print a line for each bug")
	only := flag.String("only", "", "an expression that the names of bugs match")
	dir := flag.String("seeds", "test/mutants/seeds", "the folder of bugs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	fine, err := run(ctx, *dir, *only, *list, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if err != nil || !fine {
		os.Exit(1)
	}
}

// run judges all seeds, package by package. It returns whether all were caught.
func run(ctx context.Context, seedDir, only string, list bool, w io.Writer) (bool, error) {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return false, err
	}
	all, err := readSeeds(seedDir)
	if err != nil {
		return false, err
	}
	all = slices.DeleteFunc(all, func(s seed) bool { return !wanted.MatchString(s.name) })
	if len(all) == 0 {
		return false, fmt.Errorf("%s has no bug whose name matches %q", seedDir, only)
	}
	root, err := os.Getwd()
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "quayside-mutants-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	packages := byPackage(all)
	var verdicts []verdict
	tell := func(v verdict) {
		verdicts = append(verdicts, v)
		if list {
			printVerdict(w, v)
		}
	}
	start := time.Now()
	for _, pkg := range sortedKeys(packages) {
		of, err := prepare(ctx, root, dir, pkg, all)
		if err != nil {
			return false, err
		}
		judge(ctx, of, packages[pkg], tell)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return summary(w, verdicts, list, time.Since(start)), nil
}

// prepare builds the tests of a package with all bugs in them.
func prepare(ctx context.Context, root, dir, pkg string, all []seed) (suite, error) {
	if pkg == "web" {
		return copyWeb(root, dir)
	}
	inGo := slices.DeleteFunc(slices.Clone(all), func(s seed) bool { return s.catcher.pkg == "web" })
	list, err := overlay(root, dir, inGo)
	if err != nil {
		return nil, err
	}
	return buildTests(ctx, root, dir, list, pkg)
}

func byPackage(seeds []seed) map[string][]seed {
	packages := map[string][]seed{}
	for _, s := range seeds {
		packages[s.catcher.pkg] = append(packages[s.catcher.pkg], s)
	}
	return packages
}

func sortedKeys[V any](of map[string]V) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func printVerdict(w io.Writer, v verdict) {
	word := "caught"
	if !v.caught {
		word = "NOT CAUGHT"
	}
	fmt.Fprintf(w, "%-10s  %-46s  %-20s %5.1f s  %s\n", word, v.name, filepath.Base(v.catcher.pkg), v.took.Seconds(), shorten(v.by))
}

func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 140 {
		return string(runes[:139]) + "…"
	}
	return text
}

// summary prints the counts, and what was not caught unless each bug has had its line. It returns whether all
// were caught.
func summary(w io.Writer, verdicts []verdict, listed bool, took time.Duration) bool {
	missed := slices.DeleteFunc(slices.Clone(verdicts), func(v verdict) bool { return v.caught })
	slices.SortFunc(missed, func(a, b verdict) int { return cmp.Compare(a.name, b.name) })
	if len(missed) > 0 && !listed {
		for _, v := range missed {
			printVerdict(w, v)
			fmt.Fprintf(w, "            %s\n", v.what)
		}
	}
	fmt.Fprintf(w, "%d bugs: %d caught, %d not caught, in %s\n",
		len(verdicts), len(verdicts)-len(missed), len(missed), took.Round(time.Second))
	return len(missed) == 0
}
