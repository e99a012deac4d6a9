package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A verdict is what the tests made of a seed.
type verdict struct {
	seed
	caught bool
	by     string // tests that failed, or why there is no verdict
	took   time.Duration
}

// A suite runs the tests of one package, or of the web app, with one bug or with none.
type suite interface {
	// run returns the names of failed tests, and an error if the tests could not be run.
	run(ctx context.Context, tests string, bug *seed) (failed []string, err error)
}

// judge runs a package's tests first without a bug and then once with each. At the end the last tests run without a bug
// again: if they fail now, something else than the bugs is broken, such as the database, and nothing was caught.
func judge(ctx context.Context, of suite, seeds []seed, tell func(verdict)) {
	verdicts := make([]verdict, 0, len(seeds))
	broken := fine(ctx, of, allTests(seeds))
	for _, s := range seeds {
		if broken != nil {
			break
		}
		start := time.Now()
		failed, err := of.run(ctx, s.catcher.tests, &s)
		v := verdict{seed: s, caught: err == nil && len(failed) > 0, by: strings.Join(failed, ", "), took: time.Since(start)}
		if err != nil {
			v.by = noVerdict + err.Error()
		}
		verdicts = append(verdicts, v)
	}
	if broken == nil {
		broken = fine(ctx, of, seeds[len(seeds)-1].catcher.tests)
	}
	for i, s := range seeds {
		if broken != nil {
			tell(verdict{seed: s, by: noVerdict + broken.Error()})
		} else {
			tell(verdicts[i])
		}
	}
}

const noVerdict = "no verdict: "

// fine returns why tests fail without a bug, or nil.
func fine(ctx context.Context, of suite, tests string) error {
	failed, err := of.run(ctx, tests, nil)
	if err == nil && len(failed) > 0 {
		err = fmt.Errorf("without any bug %s fails", strings.Join(failed, ", "))
	}
	return err
}

// allTests is an expression for all tests of some seeds: none if one of the seeds wants the whole package.
func allTests(seeds []seed) string {
	var all []string
	for _, s := range seeds {
		if s.catcher.tests == "" {
			return ""
		}
		if !slices.Contains(all, s.catcher.tests) {
			all = append(all, s.catcher.tests)
		}
	}
	return strings.Join(all, "|")
}

// goTests is the test binary of one package, with the bugs of all seeds in it.
type goTests struct{ binary, dir string }

// buildTests compiles a package's tests.
func buildTests(ctx context.Context, root, dir, overlay, pkg string) (goTests, error) {
	binary := filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+".test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, "./"+pkg)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return goTests{}, fmt.Errorf("the bugs do not compile:\n%s", out)
	}
	return goTests{binary: binary, dir: filepath.Join(root, pkg)}, nil
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

func (g goTests) run(ctx context.Context, tests string, bug *seed) (failed []string, err error) {
	cmd := exec.CommandContext(ctx, g.binary, "-test.failfast", "-test.timeout=10m", "-test.run="+tests)
	cmd.Dir = g.dir
	cmd.Env = os.Environ()
	if bug != nil {
		cmd.Env = append(cmd.Env, "QUAYSIDE_MUTANT="+bug.name)
	}
	out, err := cmd.CombinedOutput()
	for _, match := range failedTest.FindAllStringSubmatch(string(out), -1) {
		failed = append(failed, match[1])
	}
	failed = innermost(failed)
	var exit *exec.ExitError
	switch {
	case err == nil && strings.Contains(string(out), "no tests to run"):
		return nil, fmt.Errorf("no test is named %s", tests)
	case errors.As(err, &exit) && exit.ExitCode() < 0:
		return nil, fmt.Errorf("the tests were ended by a signal: %w", exit)
	case errors.As(err, &exit) && len(failed) == 0:
		return []string{lastWords(string(out))}, nil // a panic or a time-out
	case errors.As(err, &exit):
		return failed, nil
	}
	return failed, err
}

// innermost leaves out the parents of subtests that failed.
func innermost(failed []string) []string {
	return slices.DeleteFunc(slices.Clone(failed), func(one string) bool {
		return slices.ContainsFunc(failed, func(other string) bool { return strings.HasPrefix(other, one+"/") })
	})
}

func lastWords(out string) string {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}
