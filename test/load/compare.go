package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// allowance is how much worse the new binary may be before the comparison fails.
const allowance = 0.1

// side is one of the two binaries, with a PostgreSQL of its own: their schemas may differ.
type side struct {
	name    string
	cluster *cluster
	service *service
}

// comparison measures two versions in turns. It compares the service's own figures, since the
// bare engine is the same for both.
type comparison struct {
	options
	sides      [2]*side // the old one and the new one
	ratios     map[string]series
	conditions conditions
	rate       float64 // of innocents, the same for both
}

// step measures figures of one side.
type step struct {
	part    string
	figures []string
	measure func(ctx context.Context, s *side) ([]float64, error)
}

// runComparison prints the ratios new / old, and fails if one is clearly worse by more than
// the allowance.
func runComparison(ctx context.Context, opt options, binary string) error {
	other, err := filepath.Abs(opt.compare)
	if err != nil {
		return err
	}
	c := &comparison{options: opt, ratios: map[string]series{}, conditions: conditions{memory: opt.memory}}
	for i, s := range []side{{name: "old"}, {name: "new"}} {
		if s.cluster, err = startCluster(ctx, opt, []string{other, binary}[i]); err != nil {
			return fmt.Errorf("%s binary: %w", s.name, err)
		}
		defer s.cluster.stop()
		c.sides[i] = &s
	}
	for _, part := range []struct {
		name  string
		ready func(context.Context, *cluster) error
	}{{"ladder", c.standardData}, {"tenants", c.manyTenants}, {"growth", c.manyLines}} {
		if !c.wanted(part.name) {
			continue
		}
		if err := c.run(ctx, part.name, part.ready); err != nil {
			return err
		}
	}
	return c.report(os.Stdout)
}

// wanted reports whether a part is measured: with -quick only the ladder.
func (c *comparison) wanted(part string) bool {
	if c.only != "" {
		return strings.Contains(c.only, part)
	}
	return part == "ladder" || !c.quick
}

// run loads a data set on both sides, starts both services and takes rounds of the part's steps.
func (c *comparison) run(ctx context.Context, part string, ready func(context.Context, *cluster) error) error {
	for _, s := range c.sides {
		if err := ready(ctx, s.cluster); err != nil {
			return err
		}
		bench := &bench{options: c.options, cluster: s.cluster}
		var err error
		if s.service, err = bench.serve(ctx); err != nil {
			return err
		}
		got, err := closed(ctx, s.service.addr, standard, 256, 3*c.slice) // connections, plans, caches
		if err != nil {
			return err
		}
		if c.rate == 0 {
			c.rate = got.PerSecond / 20
		}
	}
	var steps []step
	var matter []string
	for _, s := range c.steps() {
		if s.part == part || s.part == "parts" && part == "ladder" && !c.quick {
			steps, matter = append(steps, s), append(matter, s.figures...)
		}
	}
	p := (&bench{options: c.options}).plan()
	if !c.quick {
		p.budget = 20 * time.Minute
	}
	err := p.repeat(ctx, &c.conditions, c.sides[0].cluster.dir, c.ratios, matter,
		func(n int) error { return c.round(ctx, n, steps) })
	if err != nil {
		return err
	}
	return errors.Join(c.sides[0].service.stop(), c.sides[1].service.stop())
}

// round measures every step on both sides, one right after the other. The side that goes first
// changes from round to round.
func (c *comparison) round(ctx context.Context, n int, steps []step) error {
	for _, step := range steps {
		var got [2][]float64
		for _, i := range []int{n % 2, 1 - n%2} {
			var err error
			if got[i], err = step.measure(ctx, c.sides[i]); err != nil {
				return fmt.Errorf("%s, %s binary: %w", step.figures[0], c.sides[i].name, err)
			}
		}
		for i, name := range step.figures {
			fmt.Fprintf(os.Stderr, "round %d  %-16s old %10.2f  new %10.2f\n", n+1, name, got[0][i], got[1][i])
			c.ratios[name] = append(c.ratios[name], got[1][i]/got[0][i])
		}
	}
	return nil
}

// steps returns the measurements behind the bench's ratios. Throughputs are records a second,
// the others milliseconds.
func (c *comparison) steps() []step {
	drive := func(m mix, connections int, values func(sample) []float64) func(context.Context, *side) ([]float64, error) {
		return func(ctx context.Context, s *side) ([]float64, error) {
			got, err := closed(ctx, s.service.addr, m, connections, c.slice)
			if err == nil && m.refused == 0 {
				err = onlyStored(got)
			}
			return values(got), err
		}
	}
	perSecond := func(s sample) []float64 { return []float64{s.PerSecond} }
	some, more := standard, standard
	some.refused, more.refused = 0.01, 0.1
	return []step{
		{"ladder", []string{"throughput_64", "p99_64"},
			drive(standard, 64, func(s sample) []float64 { return []float64{s.PerSecond, ms(s.P99)} })},
		{"ladder", []string{"throughput_256"}, drive(standard, 256, perSecond)},
		{"ladder", []string{"throughput_8"}, drive(standard, 8, perSecond)},
		{"ladder", []string{"p50_1"}, drive(standard, 1, func(s sample) []float64 { return []float64{ms(s.P50)} })},
		{"parts", []string{"refused_1pct"}, drive(some, 64, perSecond)},
		{"parts", []string{"refused_10pct"}, drive(more, 64, perSecond)},
		{"parts", []string{"innocents_p99"}, c.flooded},
		{"tenants", []string{"tenants_10k"}, drive(tenThousand, 64, perSecond)},
		{"growth", []string{"growth_5m"}, drive(fiveMillion, 64, perSecond)},
	}
}

var (
	tenThousand = mix{first: standard.tenants, tenants: 10_000, products: 10, lines: 10}
	fiveMillion = mix{tenants: standard.tenants, products: standard.products, lines: 50_000}
)

// flooded returns the innocents' p99 while one tenant floods.
func (c *comparison) flooded(ctx context.Context, s *side) ([]float64, error) {
	innocents := standard
	innocents.tenants = standard.tenants - 1
	flooding, err := startFlood(ctx, s.service.addr, c.slice+2*time.Second)
	if err != nil {
		return nil, err
	}
	time.Sleep(time.Second) // until the flood is at its full rate
	got, err := open(ctx, s.service.addr, innocents, c.rate, c.slice)
	return []float64{ms(got.P99)}, errors.Join(err, flooding.Wait())
}

func (c *comparison) standardData(ctx context.Context, cluster *cluster) error {
	return cluster.load(ctx, standard.tenants, standard.products, standard.lines)
}

func (c *comparison) manyTenants(ctx context.Context, cluster *cluster) error {
	if err := c.standardData(ctx, cluster); err != nil {
		return err
	}
	return cluster.add(ctx, tenThousand.first, tenThousand.tenants, tenThousand.products, tenThousand.lines)
}

func (c *comparison) manyLines(ctx context.Context, cluster *cluster) error {
	return cluster.load(ctx, fiveMillion.tenants, fiveMillion.products, fiveMillion.lines)
}

// report prints a table and, as its last line, one JSON object.
func (c *comparison) report(w io.Writer) error {
	fmt.Fprintf(w, "\nnew / old, in turns: %s\n\n%-16s %10s %8s %7s\n", c.conditions, "figure", "new / old", "spread",
		"rounds")
	var worse []string
	medians, spreads := map[string]float64{}, map[string]float64{}
	for _, g := range goals {
		got, measured := c.ratios[g.name]
		if !measured {
			continue
		}
		medians[g.name], spreads[g.name] = got.median(), got.spread()
		v, words := compared(got, slower(g), c.conditions.restless())
		if v == missed {
			worse = append(worse, fmt.Sprintf("%s: %.2f", g.name, got.median()))
		}
		fmt.Fprintf(w, "%-16s %10.2f %6.0f %% %7d  %s\n", g.name, got.median(), 100*got.spread(), len(got), words)
	}
	all := map[string]any{"spread": rounded(spreads), "in_memory": c.memory}
	for name := range maps.Keys(medians) {
		all[name] = rounded(medians)[name]
	}
	line, err := json.Marshal(all)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", line)
	if worse != nil {
		return fmt.Errorf("worse by more than %.0f %%: %s", 100*allowance, strings.Join(worse, "; "))
	}
	return nil
}

// slower reports whether a larger figure is worse, as for latencies. The bench has some goals
// as ratios of costs, which are compared as throughputs here.
func slower(g goal) bool {
	return slices.Contains([]string{"p99_64", "p50_1", "innocents_p99"}, g.name)
}

// compared judges a ratio new / old: no worse, worse by more than the allowance, or undecided.
func compared(got series, larger bool, restless string) (v verdict, words string) {
	limit := 1 - allowance
	if larger {
		limit = 1 / limit
	}
	switch v, why := judge(got, limit, larger, restless); v {
	case reached:
		return v, "no worse"
	case missed:
		return v, "WORSE"
	case notJudged:
		return v, string(v) + ": " + why
	}
	panic("no such verdict")
}
