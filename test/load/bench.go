package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// bench collects figures and the ratios that judge them.
type bench struct {
	options
	cluster    *cluster
	service    *service
	ratios     map[string]series // round by round
	figures    map[string]float64
	conditions conditions // while the ladder was measured
}

// standard is the data set of docs/performance.md: 100 tenants of 1,000 products.
var standard = mix{tenants: 100, products: 1000, lines: 1000}

func (b *bench) serve(ctx context.Context) (*service, error) {
	var env []string
	if b.lanes != "" {
		env = append(env, "QUAYSIDE_LANES="+b.lanes)
	}
	return b.cluster.serve(ctx, env...)
}

// ladder measures each number of connections, the service and the plain table in turns.
func (b *bench) ladder(ctx context.Context) (err error) {
	if err := b.cluster.load(ctx, standard.tenants, standard.products, standard.lines); err != nil {
		return err
	}
	if err := b.cluster.exec(ctx, plainSchema()); err != nil {
		return err
	}
	if b.service, err = b.serve(ctx); err != nil {
		return err
	}
	measured := kinds
	matter := slices.Clone(ladderRatios)
	if name, _, given := strings.Cut(b.floor, "="); given {
		measured, matter = kinds[:1], []string{name}
	}
	for _, k := range measured { // caches, plans
		if _, err := closed(ctx, b.service.addr, standard.of(k), 64, b.slice); err != nil {
			return err
		}
		if _, err := b.plain(ctx, k, 64); err != nil {
			return err
		}
	}
	rounds := map[string]series{}
	err = b.plan().repeat(ctx, &b.conditions, b.cluster.dir, rounds, matter, func(n int) error {
		if err := b.rung(ctx, n, rounds); err != nil {
			return err
		}
		for _, k := range measured[1:] {
			if err := b.other(ctx, n, k, rounds); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, k := range measured[1:] {
		matter = append(matter, "throughput_64_"+k.slug, "mean_1_"+k.slug)
	}
	b.keep(rounds, append(matter, "mean_1")...)
	return b.service.stop()
}

// plain measures the plain table while the service and its background work stand still.
func (b *bench) plain(ctx context.Context, k kind, connections int) (got sample, err error) {
	err = b.service.paused(func() error {
		got, err = b.cluster.pgbench(ctx, k.plainScript(standard), connections, b.slice)
		return err
	})
	return got, err
}

// driven measures the service with its background work on and, at first, caught up.
func (b *bench) driven(ctx context.Context, k kind, connections int) (sample, error) {
	if err := b.service.catchUp(ctx); err != nil {
		return sample{}, err
	}
	got, err := closed(ctx, b.service.addr, standard.of(k), connections, b.slice)
	if err != nil {
		return sample{}, err
	}
	return got, onlyStored(got)
}

// alone measures the service while its background work is held up.
func (b *bench) alone(ctx context.Context, k kind, connections int) (got sample, err error) {
	err = b.cluster.withoutReaders(ctx, func() error {
		got, err = closed(ctx, b.service.addr, standard.of(k), connections, b.slice)
		return err
	})
	return got, err
}

// matters reports whether so many connections are measured: with -floor only those of the ratio that is judged. The
// ratio of 256 connections is to the plain table's throughput of 64.
func (b *bench) matters(connections int) bool {
	name, _, floor := strings.Cut(b.floor, "=")
	return !floor || strings.HasSuffix(name, fmt.Sprintf("_%d", connections)) || connections == 64 && name == "throughput_256"
}

// ladderRatios are the five ratios that bench-quick measures.
var ladderRatios = []string{"throughput_64", "throughput_256", "p99_64", "throughput_8", "p50_1"}

// plan allows up to three times as many rounds as asked for if they differ much.
func (b *bench) plan() plan {
	p := plan{least: b.rounds, most: 3 * b.rounds, budget: 10 * time.Minute}
	switch {
	case b.floor != "":
		p.budget = 45 * time.Second
	case b.quick:
		p.budget = 2 * time.Minute
	}
	return p
}

// rung runs one round of order lines: every number of connections, the plain table and the service in turns.
func (b *bench) rung(ctx context.Context, round int, rounds map[string]series) error {
	add := func(name string, value float64) { rounds[name] = append(rounds[name], value) }
	first := sample{} // of the plain table, at 64
	for _, connections := range []int{64, 8, 1, 256} {
		if !b.matters(connections) {
			continue
		}
		bare := first
		if connections < 256 {
			var err error
			if bare, err = b.plain(ctx, orderLines, connections); err != nil {
				return err
			}
			note(round, "plain", connections, bare)
			add(fmt.Sprintf("plain_%d_per_s", connections), bare.PerSecond)
		}
		if connections == 64 {
			first = bare
		}
		got, err := b.driven(ctx, orderLines, connections)
		if err != nil {
			return err
		}
		note(round, "service", connections, got)
		add(fmt.Sprintf("service_%d_per_s", connections), got.PerSecond)
		add(fmt.Sprintf("service_%d_p50_ms", connections), ms(got.P50))
		add(fmt.Sprintf("service_%d_p99_ms", connections), ms(got.P99))
		add(fmt.Sprintf("throughput_%d", connections), got.PerSecond/bare.PerSecond)
		add(fmt.Sprintf("p99_%d", connections), float64(got.P99)/float64(bare.P99))
		add(fmt.Sprintf("p50_%d", connections), float64(got.P50)/float64(bare.P50))
		if connections == 1 {
			add("mean_1", bare.PerSecond/got.PerSecond)
		}
		if connections == 64 {
			off, err := b.alone(ctx, orderLines, connections)
			if err != nil {
				return err
			}
			add("throughput_64_without_background", off.PerSecond/bare.PerSecond)
		}
	}
	return nil
}

// other runs one round of another kind of records.
func (b *bench) other(ctx context.Context, round int, k kind, rounds map[string]series) error {
	for _, connections := range []int{64, 1} {
		bare, err := b.plain(ctx, k, connections)
		if err != nil {
			return err
		}
		got, err := b.driven(ctx, k, connections)
		if err != nil {
			return err
		}
		note(round, k.slug, connections, got)
		if connections == 1 {
			rounds["mean_1_"+k.slug] = append(rounds["mean_1_"+k.slug], bare.PerSecond/got.PerSecond)
			continue
		}
		off, err := b.alone(ctx, k, connections)
		if err != nil {
			return err
		}
		for name, value := range map[string]float64{"": got.PerSecond, "_without_background": off.PerSecond} {
			name = "throughput_64_" + k.slug + name
			rounds[name] = append(rounds[name], value/bare.PerSecond)
		}
	}
	return nil
}

// keep stores the rounds: all values of the named ratios, and the medians of the others.
func (b *bench) keep(rounds map[string]series, ratios ...string) {
	for name, values := range rounds {
		if slices.Contains(ratios, name) {
			b.ratios[name] = values
		} else {
			b.figures[name] = values.median()
		}
	}
}

func onlyStored(got sample) error {
	for status, n := range got.Statuses {
		if status != 200 {
			return fmt.Errorf("%d answers had status %d", n, status)
		}
	}
	return nil
}

func note(round int, what string, connections int, got sample) {
	fmt.Fprintf(os.Stderr, "round %d  %-20s %4d connections  %8.0f/s  p50 %7.2f ms  p99 %7.2f ms\n", round+1, what,
		connections, got.PerSecond, ms(got.P50), ms(got.P99))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// goal is what a ratio must and should reach.
type goal struct {
	name      string
	must, aim float64
	below     bool // smaller is better
}

var goals = []goal{
	{"throughput_64", 0.5, 1.2, false},
	{"throughput_256", 0.6, 1.5, false},
	{"p99_64", 2, 1, true},
	{"throughput_8", 0.3, 0.8, false},
	{"p50_1", 8, 3, true},
	{"mean_1", 8, 3, true},
	{"throughput_64_order_line_items", 0.8, 1.2, false},
	{"mean_1_order_line_items", 8, 3, true},
	{"throughput_64_products", 0.65, 1.2, false},
	{"mean_1_products", 8, 3, true},
	{"throughput_64_orders", 0.65, 1.2, false},
	{"mean_1_orders", 8, 3, true},
	{"growth_5m", 1.5, 1.25, true},
	{"tenants_10k", 1.25, 1.1, true},
	{"refused_1pct", 0.6, 0.9, false},
	{"refused_10pct", 0.45, 0.7, false},
	{"innocents_p99", 3, 1.5, true},
}

// report prints a table for people and, as its last line, one JSON object.
func (b *bench) report(w io.Writer) error {
	fmt.Fprintf(w, "\nplain: pgbench, one transaction per record, into a table without triggers and row security\nduring these rounds: %s\n\n",
		b.conditions)
	fmt.Fprintf(w, "%-30s %8s %8s %8s %7s %7s\n", "ratio", "must", "aim", "measured", "spread", "rounds")
	medians, spreads := map[string]float64{}, map[string]float64{}
	for _, g := range goals {
		got, measured := b.ratios[g.name]
		if !measured {
			continue
		}
		medians[g.name], spreads[g.name] = got.median(), got.spread()
		fmt.Fprintf(w, "%-30s %8.2f %8.2f %8.2f %5.0f %% %7d  %s\n", g.name, g.must, g.aim, got.median(), 100*got.spread(),
			len(got), g.words(got, b.restless(g.name)))
	}
	fmt.Fprintf(w, "\nspread: how far apart the ends of the median's interval (at %.0f %%) are; above %.0f %% a ratio is not judged\n\n", 100*sureness, 100*smallSpread)
	for _, name := range slices.Sorted(maps.Keys(b.figures)) {
		fmt.Fprintf(w, "%-52s %12.2f\n", name, b.figures[name])
	}
	all := map[string]any{"figures": rounded(b.figures), "noise": b.noise(spreads)}
	for name, value := range rounded(medians) {
		all[name] = value
	}
	line, err := json.Marshal(all)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s\n", line)
	return err
}

// restless returns why a ratio is not judged, or an empty text. The machine was only observed during the ladder.
func (b *bench) restless(ratio string) string {
	if slices.Contains(ladderRatios, ratio) || strings.Contains(ratio, "_64_") || strings.HasPrefix(ratio, "mean_") {
		return b.conditions.restless()
	}
	return ""
}

// noise returns the noise figures for the JSON report.
func (b *bench) noise(spreads map[string]float64) map[string]any {
	found := map[string]any{"in_memory": b.memory, "spread": rounded(spreads)}
	if c := b.conditions; len(c.syncs) > 0 {
		found["rounds"] = len(c.steals)
		for name, value := range rounded(map[string]float64{
			"steal": c.steals.median(), "sync_ms_before": c.syncs[0], "sync_ms_after": c.syncs[len(c.syncs)-1],
			"sync_ms_least": slices.Min(c.syncs), "sync_ms_most": slices.Max(c.syncs),
		}) {
			found[name] = value
		}
	}
	return found
}

// words describes a ratio and whether it reaches its goal.
func (g goal) words(got series, restless string) string {
	must, why := judge(got, g.must, g.below, restless)
	if must != reached {
		return strings.TrimSuffix(string(must)+": "+why, ": ")
	}
	if aim, _ := judge(got, g.aim, g.below, restless); aim == reached {
		return "aim reached"
	}
	return "must reached"
}

func rounded(values map[string]float64) map[string]float64 {
	out := make(map[string]float64, len(values))
	for name, value := range values {
		out[name] = math.Round(value*1000) / 1000
	}
	return out
}
