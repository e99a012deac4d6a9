// Command year lets made shops be run for a year by the procurement queue, and by other ways to
// order, and prints how often they were empty with the same stock. docs/accuracy.md explains the
// figures.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/quayside/quayside/internal/shop"
)

func main() {
	var of size
	page := flag.String("page", "", "write the tables into this page, between its marks, and print nothing else")
	flag.Uint64Var(&of.seed, "seed", 1, "the seed of the made shops")
	flag.IntVar(&of.articles, "articles", 1200, "the articles of each made shop")
	flag.IntVar(&of.weeks, "weeks", 169, "the weeks of each made shop; the last 65 are simulated, the last 52 judged")
	flag.Parse()
	if err := report(*page, years(of, rivals)); err != nil {
		fmt.Fprintln(os.Stderr, "year:", err)
		os.Exit(1)
	}
}

// levels are the chances of not running out that the queue is asked for. The second is the default.
var levels = []float64{0.90, 0.95, 0.99}

const byDefault = 1 // of levels

// rival is another way to order, at settings from little stock to much.
type rival struct {
	name     string
	settings []float64
	policy   func(setting float64) policy
}

// The rivals by name.
const (
	minMaxOnce      = "min/max"
	minMaxQuarterly = "min/max, set anew every quarter"
	spreadOnce      = "min/max with the spread of sales"
	spreadQuarterly = "the same, set anew every quarter"
	normalFormula   = "mean and normal deviation"
	truthKnown      = "truth known"
)

var (
	factors = steps(0.25, 6, 0.25)
	chances = []float64{0.8, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99, 0.995}
	normals = []float64{0.9, 0.95, 0.97, 0.98, 0.99, 0.995} // with all levels
	rivals  = []rival{
		{minMaxOnce, factors, func(f float64) policy { return &minMax{safety: f} }},
		{minMaxQuarterly, factors, func(f float64) policy { return &minMax{safety: f, every: 13} }},
		{spreadOnce, factors, func(z float64) policy { return &minMax{safety: z, spread: true} }},
		{spreadQuarterly, factors, func(z float64) policy { return &minMax{safety: z, spread: true, every: 13} }},
		{normalFormula, normals, func(c float64) policy { return &queue{service: c, normal: true} }},
		{truthKnown, chances, func(c float64) policy { return &oracle{c} }},
	}
)

func steps(first, last, by float64) (all []float64) {
	for x := first; x <= last; x += by {
		all = append(all, x)
	}
	return all
}

// year is what happened in a made shop.
type year struct {
	world  *world
	queue  []result            // by level
	rivals map[string][]result // by setting
}

// years simulates both made shops under all policies, on all processors.
func years(of size, against []rival) []*year {
	all := []*year{{world: newWorld("made shop A", shop.LawA, of)}, {world: newWorld("made shop B", shop.LawB, of)}}
	var jobs []func()
	for _, y := range all {
		plan := func(into *result, p policy) { jobs = append(jobs, func() { *into = simulate(y.world, p) }) }
		y.queue, y.rivals = make([]result, len(levels)), map[string][]result{}
		for i, level := range levels {
			plan(&y.queue[i], &queue{service: level})
		}
		for _, r := range against {
			y.rivals[r.name] = make([]result, len(r.settings))
			for i, setting := range r.settings {
				plan(&y.rivals[r.name][i], r.policy(setting))
			}
		}
	}
	next := make(chan func(), len(jobs))
	for _, job := range jobs {
		next <- job
	}
	close(next)
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for job := range next {
				job()
			}
		})
	}
	running.Wait()
	return all
}

// The marks around the tables in a page.
const (
	begin = "<!-- made by make judge-queue: do not edit -->\n"
	end   = "<!-- until here -->\n"
)

// report prints the tables and, as the last line, the summary; or it puts the tables into a page.
func report(page string, all []*year) error {
	var out bytes.Buffer
	tables(&out, all)
	if page == "" {
		_, _ = os.Stdout.Write(out.Bytes())
		return writeSummary(os.Stdout, summarise(all))
	}
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(old, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		return errors.New(page + " has no marks to write the tables between")
	}
	written := bytes.Join([][]byte{before, []byte(begin + "\n"), out.Bytes(), []byte("\n" + end), after}, nil)
	return os.WriteFile(page, written, 0o644)
}
