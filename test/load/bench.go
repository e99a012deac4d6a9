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
	form       string            // form of the bare transaction: the faster one
	ratios     map[string]series // round by round
	figures    map[string]float64
	conditions conditions // while the ladder was measured
}

// standard is the data set of docs/performance.md: 100 tenants of 1,000 products.
var standard = mix{tenants: 100, products: 1000, lines: 1000}

func (b *bench) serve(ctx context.Context, env ...string) (*service, error) {
	if b.lanes != "" {
		env = append(env, "QUAYSIDE_LANES="+b.lanes)
	}
	return b.cluster.serve(ctx, env...)
}

// ladder measures each number of connections, the service and the bare engine in turns.
func (b *bench) ladder(ctx context.Context) error {
	if err := b.cluster.load(ctx, standard.tenants, standard.products, standard.lines); err != nil {
		return err
	}
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	if err := b.chooseForm(ctx); err != nil {
		return err
	}
	if _, err := closed(ctx, s.addr, standard, 64, b.slice); err != nil { // caches, plans
		return err
	}
	rounds := map[string]series{}
	matter := ladderRatios
	if name, _, given := strings.Cut(b.floor, "="); given {
		matter = []string{name}
	}
	err = b.plan().repeat(ctx, &b.conditions, b.cluster.dir, rounds, matter,
		func(n int) error { return b.rung(ctx, s.addr, n, rounds) })
	if err != nil {
		return err
	}
	b.keep(rounds, matter...)
	return s.stop()
}

// matters reports whether so many connections are measured: with -floor only those of the ratio that is judged. The
// ratio of 256 connections is to the bare engine's throughput of 64.
func (b *bench) matters(connections int) bool {
	name, _, floor := strings.Cut(b.floor, "=")
	return !floor || strings.HasSuffix(name, fmt.Sprintf("_%d", connections)) || connections == 64 && name == "throughput_256"
}

// ladderRatios are the five ratios that bench-quick measures.
var ladderRatios = []string{"throughput_64", "throughput_256", "p99_64", "throughput_8", "p50_1"}

// plan allows up to three times as many rounds as asked for if they differ much.
func (b *bench) plan() plan {
	p := plan{least: b.rounds, most: 3 * b.rounds, budget: 10 * time.Minute}
	if b.quick {
		p.budget = 2 * time.Minute
	}
	return p
}

// rung runs one round: every number of connections, the bare engine and the service in turns.
func (b *bench) rung(ctx context.Context, addr string, round int, rounds map[string]series) error {
	add := func(name string, value float64) { rounds[name] = append(rounds[name], value) }
	bare := map[int]sample{}
	for _, connections := range []int{64, 8, 1} {
		if !b.matters(connections) {
			continue
		}
		var err error
		if bare[connections], err = b.cluster.pgbench(ctx, pgbenchScript(b.form, standard, oneRecord), connections,
			b.slice); err != nil {
			return err
		}
		got, err := closed(ctx, addr, standard, connections, b.slice)
		if err != nil {
			return err
		}
		if err := onlyStored(got); err != nil {
			return err
		}
		note(round, "bare", connections, bare[connections])
		note(round, "service", connections, got)
		for what, s := range map[string]sample{"bare": bare[connections], "service": got} {
			add(fmt.Sprintf("%s_%d_per_s", what, connections), s.PerSecond)
			add(fmt.Sprintf("%s_%d_p50_ms", what, connections), ms(s.P50))
			add(fmt.Sprintf("%s_%d_p99_ms", what, connections), ms(s.P99))
		}
		add(fmt.Sprintf("throughput_%d", connections), got.PerSecond/bare[connections].PerSecond)
		add(fmt.Sprintf("p99_%d", connections), float64(got.P99)/float64(bare[connections].P99))
		add(fmt.Sprintf("p50_%d", connections), float64(got.P50)/float64(bare[connections].P50))
	}
	if !b.matters(256) {
		return nil
	}
	got, err := closed(ctx, addr, standard, 256, b.slice)
	if err != nil {
		return err
	}
	note(round, "service", 256, got)
	add("service_256_per_s", got.PerSecond)
	add("service_256_p99_ms", ms(got.P99))
	add("throughput_256", got.PerSecond/bare[64].PerSecond)
	return nil
}

// chooseForm finds the bare transaction's faster form on this machine.
func (b *bench) chooseForm(ctx context.Context) error {
	best := 0.0
	for _, form := range []string{pipelined, stepwise} {
		got, err := b.cluster.pgbench(ctx, pgbenchScript(form, standard, oneRecord), 64, max(b.slice, 2*time.Second))
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "bare engine, %s: %.0f/s\n", form, got.PerSecond)
		if got.PerSecond > best {
			best, b.form = got.PerSecond, form
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
	fmt.Fprintf(os.Stderr, "round %d  %-8s %4d connections  %8.0f/s  p50 %7.2f ms  p99 %7.2f ms\n", round+1, what,
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
	{"throughput_64", 1.6, 2.5, false},
	{"throughput_256", 2.0, 3, false},
	{"p99_64", 0.6, 0.35, true},
	{"throughput_8", 0.6, 1.0, false},
	{"p50_1", 3, 2, true},
	{"growth_5m", 1.5, 1.25, true},
	{"tenants_10k", 1.25, 1.1, true},
	{"refused_1pct", 0.6, 0.9, false},
	{"refused_10pct", 0.45, 0.7, false},
	{"innocents_p99", 3, 1.5, true},
}

// report prints a table for people and, as its last line, one JSON object.
func (b *bench) report(w io.Writer) error {
	fmt.Fprintf(w, "\nbare engine: pgbench, one %s transaction per record\nduring the first five ratios: %s\n\n", b.form,
		b.conditions)
	fmt.Fprintf(w, "%-16s %8s %8s %8s %7s %7s\n", "ratio", "must", "aim", "measured", "spread", "rounds")
	medians, spreads := map[string]float64{}, map[string]float64{}
	for _, g := range goals {
		got, measured := b.ratios[g.name]
		if !measured {
			continue
		}
		medians[g.name], spreads[g.name] = got.median(), got.spread()
		fmt.Fprintf(w, "%-16s %8.2f %8.2f %8.2f %5.0f %% %7d  %s\n", g.name, g.must, g.aim, got.median(), 100*got.spread(),
			len(got), g.words(got, b.restless(g.name)))
	}
	fmt.Fprintf(w, "\nspread: how far apart the ends of the median's interval (at %.0f %%) are; above %.0f %% a ratio is not judged\n\n", 100*sureness, 100*smallSpread)
	for _, name := range slices.Sorted(maps.Keys(b.figures)) {
		fmt.Fprintf(w, "%-28s %12.2f\n", name, b.figures[name])
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

// restless returns why a ratio is not judged, or an empty text. The machine was only observed
// while the first five ratios were measured.
func (b *bench) restless(ratio string) string {
	if slices.Contains(ladderRatios, ratio) {
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
