package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// directive marks what runs with the race detector: one test, in the comment above it, or a
// whole package, in the comment above the package clause of one of its test files.
const directive = "//race:detect"

// goTest is a test, an example or a fuzz target.
type goTest struct {
	pkg, name string
	race      bool
}

// testPackage is a folder with tests.
type testPackage struct {
	path  string // such as ./internal/pg
	whole bool   // all of its tests run with the race detector
	tests []goTest
}

// job is the arguments of one 'go test'.
type job struct {
	packages []string
	skip     []string // names of tests
}

// flags returns the flags, which the packages follow.
func (j job) flags() []string {
	if len(j.skip) == 0 {
		return nil
	}
	return []string{"-skip", j.expression()}
}

func (j job) expression() string { return "^(" + strings.Join(j.skip, "|") + ")$" }

func (j job) runs(t goTest) bool {
	return slices.Contains(j.packages, t.pkg) &&
		(len(j.skip) == 0 || !regexp.MustCompile(j.expression()).MatchString(t.name))
}

// printJob prints the arguments of the job with the race detector, or of the one without it.
func printJob(w io.Writer, root string, race bool) error {
	packages, err := readPackages(root)
	if err != nil {
		return err
	}
	with, without, err := split(packages)
	if err != nil {
		return err
	}
	if !race {
		with = without
	}
	_, err = fmt.Fprintln(w, strings.Join(slices.Concat(with.flags(), with.packages), " "))
	return err
}

// split makes two jobs of which exactly one runs each test. A test is skipped by its name, in
// all packages of a job, so it fails if a marked test and one without a mark have the same name.
func split(packages []testPackage) (with, without job, err error) {
	for _, p := range packages {
		var marked, others []string
		for _, t := range p.tests {
			if t.race {
				marked = append(marked, t.name)
			} else {
				others = append(others, t.name)
			}
		}
		if len(marked) > 0 {
			with.packages, with.skip = append(with.packages, p.path), append(with.skip, others...)
		}
		if len(others) > 0 {
			without.packages, without.skip = append(without.packages, p.path), append(without.skip, marked...)
		}
	}
	with.skip, without.skip = unique(with.skip), unique(without.skip)
	for _, p := range packages {
		for _, t := range p.tests {
			if with.runs(t) != t.race || without.runs(t) == t.race {
				err = errors.Join(err, fmt.Errorf(
					"%s: %s has the name of a test that is marked differently with %s: rename one of them", t.pkg, t.name, directive))
			}
		}
	}
	return with, without, err
}

func unique(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// readPackages reads the tests of a module.
func readPackages(root string) ([]testPackage, error) {
	found := map[string]*testPackage{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return leaveOut(root, path, entry.Name())
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		place := "./" + filepath.ToSlash(folder)
		if found[place] == nil {
			found[place] = &testPackage{path: place}
		}
		return found[place].read(path)
	})
	if err != nil {
		return nil, err
	}
	var packages []testPackage
	for _, place := range slices.Sorted(maps.Keys(found)) {
		p := found[place]
		for i := range p.tests {
			p.tests[i].race = p.tests[i].race || p.whole
		}
		packages = append(packages, *p)
	}
	return packages, nil
}

// leaveOut skips the folders that the go tool skips, other modules and npm's packages.
func leaveOut(root, path, name string) error {
	if path == root {
		return nil
	}
	if name == "bin" {
		return fs.SkipDir // it has no tests, and tests write into it meanwhile
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	if err == nil || name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return fs.SkipDir
	}
	return nil
}

// read adds the tests of a file. A directive that marks nothing is an error.
func (p *testPackage) read(path string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	used := map[*ast.CommentGroup]bool{}
	if marks(file.Doc) {
		p.whole, used[file.Doc] = true, true
	}
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Recv != nil || !isTest(function.Name.Name) {
			continue
		}
		p.tests = append(p.tests, goTest{pkg: p.path, name: function.Name.Name, race: marks(function.Doc)})
		used[function.Doc] = true
	}
	for _, comment := range file.Comments {
		if marks(comment) && !used[comment] {
			return fmt.Errorf("%s: %s is neither above a test nor above the package clause",
				files.Position(comment.Pos()), directive)
		}
	}
	return nil
}

func marks(comment *ast.CommentGroup) bool {
	return comment != nil && slices.ContainsFunc(comment.List, func(line *ast.Comment) bool {
		word, _, _ := strings.Cut(line.Text, " ")
		return word == directive
	})
}

// isTest says whether 'go test' runs a function of this name.
func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Example", "Fuzz"} {
		if after, found := strings.CutPrefix(name, prefix); found && name != "TestMain" {
			first, _ := utf8.DecodeRuneInString(after)
			return after == "" || !unicode.IsLower(first)
		}
	}
	return false
}
