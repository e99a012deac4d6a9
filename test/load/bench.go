package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"time"
)

// bench collects figures and the ratios that judge them.
type bench struct {
	options
	cluster *cluster
	form    string // of the bare transaction: the faster one
	ratios  map[string]float64
	figures map[string]float64
}

// standard is the data set of docs/performance.md: 100 tenants of 1,000 products.
var standard = mix{tenants: 100, products: 1000, lines: 1000}

func (b *bench) serve(ctx context.Context, env ...string) (*service, error) {
	if b.lanes != "" {
		env = append(env, "QUAYSIDE_LANES="+b.lanes)
	}
	return b.cluster.serve(ctx, env...)
}

// ladder climbs the connections: the service and the bare engine take turns.
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
	rounds := map[string][]float64{}
	add := func(name string, value float64) { rounds[name] = append(rounds[name], value) }
	for round := range b.rounds {
		bare := map[int]sample{}
		for _, connections := range []int{64, 8, 1} {
			if bare[connections], err = b.cluster.pgbench(ctx, pgbenchScript(b.form, standard, oneRecord), connections, b.slice); err != nil {
				return err
			}
			got, err := closed(ctx, s.addr, standard, connections, b.slice)
			if err != nil {
				return err
			}
			if err := onlyStored(got); err != nil {
				return err
			}
			note(round, "bare", connections, bare[connections])
			note(round, "service", connections, got)
			for name, value := range map[string]float64{
				fmt.Sprintf("bare_%d_per_s", connections): bare[connections].PerSecond, fmt.Sprintf("service_%d_per_s", connections): got.PerSecond,
				fmt.Sprintf("bare_%d_p50_ms", connections): ms(bare[connections].P50), fmt.Sprintf("service_%d_p50_ms", connections): ms(got.P50),
				fmt.Sprintf("bare_%d_p99_ms", connections): ms(bare[connections].P99), fmt.Sprintf("service_%d_p99_ms", connections): ms(got.P99),
				fmt.Sprintf("throughput_%d", connections): got.PerSecond / bare[connections].PerSecond,
				fmt.Sprintf("p99_%d", connections):        float64(got.P99) / float64(bare[connections].P99),
				fmt.Sprintf("p50_%d", connections):        float64(got.P50) / float64(bare[connections].P50),
			} {
				add(name, value)
			}
		}
		got, err := closed(ctx, s.addr, standard, 256, b.slice)
		if err != nil {
			return err
		}
		note(round, "service", 256, got)
		add("service_256_per_s", got.PerSecond)
		add("service_256_p99_ms", ms(got.P99))
		add("throughput_256", got.PerSecond/bare[64].PerSecond)
	}
	b.keep(rounds, "throughput_64", "throughput_256", "p99_64", "throughput_8", "p50_1")
	return s.stop()
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

// keep stores the rounds' medians: those named as ratios, the others as figures.
func (b *bench) keep(rounds map[string][]float64, ratios ...string) {
	for name, values := range rounds {
		slices.Sort(values)
		median := values[len(values)/2]
		if slices.Contains(ratios, name) {
			b.ratios[name] = median
		} else {
			b.figures[name] = median
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
	fmt.Fprintf(os.Stderr, "round %d  %-8s %4d connections  %8.0f/s  p50 %7.2f ms  p99 %7.2f ms\n", round+1, what, connections, got.PerSecond, ms(got.P50), ms(got.P99))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// goal is what a ratio must reach and should.
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
	fmt.Fprintf(w, "\nbare engine: pgbench, one %s transaction per record\n\n%-16s %8s %8s %8s\n", b.form, "ratio", "must", "aim", "measured")
	for _, g := range goals {
		got, measured := b.ratios[g.name]
		if !measured {
			continue
		}
		verdict := "aim reached"
		if reached := func(limit float64) bool { return g.below && got <= limit || !g.below && got >= limit }; !reached(g.must) {
			verdict = "MISSED"
		} else if !reached(g.aim) {
			verdict = "must reached"
		}
		fmt.Fprintf(w, "%-16s %8.2f %8.2f %8.2f  %s\n", g.name, g.must, g.aim, got, verdict)
	}
	fmt.Fprintln(w)
	for _, name := range slices.Sorted(maps.Keys(b.figures)) {
		fmt.Fprintf(w, "%-28s %12.2f\n", name, b.figures[name])
	}
	all := map[string]any{"figures": rounded(b.figures)}
	for name, value := range rounded(b.ratios) {
		all[name] = value
	}
	line, err := json.Marshal(all)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s\n", line)
	return err
}

func rounded(values map[string]float64) map[string]float64 {
	out := make(map[string]float64, len(values))
	for name, value := range values {
		out[name] = math.Round(value*1000) / 1000
	}
	return out
}

// median of the differences between two runs that took turns.
func median(values []float64) float64 {
	slices.SortFunc(values, cmp.Compare[float64])
	return values[len(values)/2]
}
