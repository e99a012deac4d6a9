package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A seed is one bug that the tests should catch: a text in one file, and what a mistake would make of it.
type seed struct {
	what, name string
	catcher    catcher
	file       string // from the root of the checkout
	now, bug   string
}

// A catcher is where a seed should be caught.
type catcher struct {
	pkg   string // a folder of Go tests, or "web"
	tests string // for Go an expression as for 'go test -run', empty for all; for the web the test files
}

var nameOfSeed = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// readSeeds reads all files of a folder.
func readSeeds(dir string) (all []seed, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		seeds, err := parseSeeds(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		for _, one := range seeds {
			if slices.ContainsFunc(all, func(other seed) bool { return other.name == one.name }) {
				return nil, fmt.Errorf("%s: the name %s is used twice", filepath.Base(file), one.name)
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// parseSeeds reads seeds that are separated by empty lines.
func parseSeeds(text string) (seeds []seed, err error) {
	for entry := range strings.SplitSeq(text, "\n\n") {
		if strings.TrimSpace(entry) == "" {
			continue
		}
		one, err := parseSeed(strings.Split(strings.Trim(entry, "\n"), "\n"))
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, one)
	}
	return seeds, nil
}

// parseSeed reads one seed: a sentence after '#', the name, the catcher, the file, and the lines of a
// hunk, in which ' ' stands before a line that stays, '-' before one that is there now, and '+' before one that
// the bug has.
func parseSeed(lines []string) (seed, error) {
	var s seed
	for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
		s.what = strings.TrimSpace(s.what + " " + strings.TrimSpace(strings.TrimPrefix(lines[0], "#")))
		lines = lines[1:]
	}
	if len(lines) < 4 {
		return s, fmt.Errorf("%q: a seed is a name, who catches it, a file and a hunk", s.what)
	}
	s.name = lines[0]
	if s.what == "" || !nameOfSeed.MatchString(s.name) {
		return s, fmt.Errorf("%q needs a sentence before it, and a name like no-order-twice", s.name)
	}
	by, ok := strings.CutPrefix(lines[1], "caught by ")
	if !ok {
		return s, fmt.Errorf("%s: the line after the name begins with 'caught by'", s.name)
	}
	s.catcher.pkg, s.catcher.tests, _ = strings.Cut(by, " ")
	s.file = lines[2]
	for _, line := range lines[3:] {
		if line == "" || !slices.Contains([]byte{' ', '-', '+'}, line[0]) {
			return s, fmt.Errorf("%s: %q does not begin with ' ', '-' or '+'", s.name, line)
		}
		if line[0] != '+' {
			s.now += line[1:] + "\n"
		}
		if line[0] != '-' {
			s.bug += line[1:] + "\n"
		}
	}
	if s.now == s.bug || s.now == "" {
		return s, fmt.Errorf("%s changes nothing", s.name)
	}
	return s, nil
}

// apply returns the file's text with the bug in it, and where the change begins and ends in the text as it is.
func (s seed) apply(text string) (changed string, start, end int, err error) {
	at := strings.Index("\n"+text, "\n"+s.now)
	switch {
	case at < 0:
		return "", 0, 0, fmt.Errorf("%s: its lines are not in %s", s.name, s.file)
	case at != strings.LastIndex("\n"+text, "\n"+s.now):
		return "", 0, 0, fmt.Errorf("%s: its lines are in %s more than once", s.name, s.file)
	}
	from, to := 0, len(s.now)
	for bugTo := len(s.bug); from < to && from < bugTo && s.now[from] == s.bug[from]; {
		from++
	}
	for bugTo := len(s.bug); to > from && bugTo > from && s.now[to-1] == s.bug[bugTo-1]; bugTo-- {
		to--
	}
	return text[:at] + s.bug + text[at+len(s.now):], at + from, at + to, nil
}
