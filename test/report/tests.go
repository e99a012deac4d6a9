package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// shown is how many of the slowest tests are printed.
const shown = 10

// event is a line of 'go test -json', as 'go doc test2json' describes it.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Elapsed    float64
	Output     string
}

// result is a top-level test with all of its subtests.
type result struct {
	pkg, name string
	seconds   float64
}

// tests collects the results of a run.
type tests struct {
	w        io.Writer
	output   map[string][]string // of running tests and packages, by place
	open     map[string]bool     // packages that have not ended
	parallel map[string]bool     // parallel subtests, by place
	results  map[string]*result  // by place
	packages int
	passed   int
	skipped  int
	failed   []string
}

// readTests prints a run for people. It returns false if a test or a package failed, if a
// package did not end, or if nothing was tested.
func readTests(r io.Reader, w io.Writer) bool {
	t := &tests{w: w, output: map[string][]string{}, open: map[string]bool{}, parallel: map[string]bool{},
		results: map[string]*result{}}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			t.line(line)
		}
		if err != nil {
			break
		}
	}
	return t.end()
}

// line processes one line. A line that is not JSON comes from the go tool and is printed as it
// is.
func (t *tests) line(line string) {
	var e event
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil {
		fmt.Fprint(t.w, line)
		return
	}
	place := e.Package + " " + e.Test
	switch e.Action {
	case "start":
		t.open[e.Package] = true
	case "pause":
		t.parallel[place] = true
	case "output":
		t.output[place] = append(t.output[place], e.Output)
	case "build-output":
		fmt.Fprint(t.w, e.Output)
	case "build-fail":
		t.failed = append(t.failed, e.ImportPath+": does not build")
	case "pass", "fail", "skip":
		if e.Test == "" {
			t.packageEnded(e)
		} else {
			t.testEnded(e)
		}
		delete(t.output, place)
	}
}

func (t *tests) testEnded(e event) {
	switch e.Action {
	case "pass":
		t.passed++
		// A race that fails one test may be reported in the output of another that ran at
		// the same time.
		if place := e.Package + " " + e.Test; slices.ContainsFunc(t.output[place], isRace) {
			t.print(place, isChatter)
		}
	case "skip":
		t.skipped++
		t.print(e.Package+" "+e.Test, isChatter) // the reason for the skip
	case "fail":
		t.failed = append(t.failed, e.Package+"."+e.Test)
		t.print(e.Package+" "+e.Test, isChatter)
	}
	t.addTime(e)
}

func isRace(line string) bool { return strings.Contains(line, "WARNING: DATA RACE") }

// addTime adds a test's time to that of its top-level test. A parent's time includes its
// subtests, except parallel ones.
func (t *tests) addTime(e event) {
	top, _, sub := strings.Cut(e.Test, "/")
	if sub && !t.parallel[e.Package+" "+e.Test] {
		return
	}
	place := e.Package + " " + top
	if t.results[place] == nil {
		t.results[place] = &result{pkg: e.Package, name: top}
	}
	t.results[place].seconds += e.Elapsed
}

// packageEnded prints the package's line, ok or FAIL. After a failure it also prints the
// output of the tests that had not ended, as after a panic or a timeout.
func (t *tests) packageEnded(e event) {
	delete(t.open, e.Package)
	t.packages++
	if e.Action == "fail" {
		t.failed = append(t.failed, e.Package)
		for _, place := range t.underWay(e.Package) {
			t.print(place, isChatter)
			delete(t.output, place)
		}
	}
	t.print(e.Package+" ", func(line string) bool { return e.Action != "fail" && line == "PASS\n" })
}

// underWay returns the places of a package's tests that have not ended, in order.
func (t *tests) underWay(pkg string) (places []string) {
	for place := range t.output {
		if strings.HasPrefix(place, pkg+" ") && place != pkg+" " {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	return places
}

// isChatter recognises the lines that only say that a test began, paused or continued.
func isChatter(line string) bool {
	return strings.HasPrefix(line, "=== RUN ") || strings.HasPrefix(line, "=== PAUSE ") ||
		strings.HasPrefix(line, "=== CONT ") || strings.HasPrefix(line, "=== NAME ")
}

func (t *tests) print(place string, leaveOut func(line string) bool) {
	for _, line := range t.output[place] {
		if !leaveOut(line) {
			fmt.Fprint(t.w, line)
		}
	}
}

// end prints the summary and reports whether everything passed.
func (t *tests) end() bool {
	for pkg := range t.open {
		t.failed = append(t.failed, pkg+": did not end")
		for _, place := range append(t.underWay(pkg), pkg+" ") {
			t.print(place, isChatter)
		}
	}
	ended := slices.SortedFunc(maps.Values(t.results), func(a, b *result) int {
		return cmp.Or(cmp.Compare(b.seconds, a.seconds), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.name, b.name))
	})
	if len(ended) > 0 {
		fmt.Fprintf(t.w, "\nthe slowest tests, with their subtests, without the time that they waited for others:\n")
	}
	for _, r := range ended[:min(shown, len(ended))] {
		fmt.Fprintf(t.w, "%8.2f s  %s  %s\n", r.seconds, r.name, r.pkg)
	}
	fmt.Fprintf(t.w, "\n%d packages: %d tests passed, %d skipped, %d failures\n", t.packages, t.passed, t.skipped,
		len(t.failed))
	slices.Sort(t.failed)
	for _, failure := range t.failed {
		fmt.Fprintf(t.w, "FAIL  %s\n", failure)
	}
	if t.passed == 0 {
		fmt.Fprintln(t.w, "FAIL  no test ran")
	}
	return len(t.failed) == 0 && t.passed > 0
}
