// Command load measures the write path against plain tables, and pages of tables against bare statements, on the
// same machine in the same run. Machines are noisy, so it compares ratios of interleaved
// rounds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	var opt options
	flag.BoolVar(&opt.quick, "quick", false, "only the ratios to plain tables and what a record costs, in rounds of a second unless -slice is given")
	flag.IntVar(&opt.rounds, "rounds", leastRounds, "interleaved rounds; up to three times as many when they differ much")
	flag.DurationVar(&opt.slice, "slice", 4*time.Second, "how long each measurement of a round lasts")
	flag.StringVar(&opt.root, "root", ".", "the checkout")
	flag.IntVar(&opt.profile, "profile", 0, "instead: drive the service with so many connections and write cpu.pprof")
	flag.StringVar(&opt.flood, "flood", "", "instead: be one tenant's flood against this address")
	flag.StringVar(&opt.only, "only", "",
		"after the ladder only these parts: sizes, open, refusals, flood, tenants, growth")
	flag.StringVar(&opt.floor, "floor", "", "measure only the ratio that is named, and fail when it is below this and can be judged, such as throughput_64=0.8")
	flag.BoolVar(&opt.allow, "allow", false, "write what records cost to "+costsFile+" instead of comparing it with what that allows")
	flag.BoolVar(&opt.memory, "memory", false,
		"keep the data directory in /dev/shm: what processors cost, without the disk")
	flag.StringVar(&opt.compare, "compare", "",
		"instead: compare the service with this binary of another version, in turns")
	flag.StringVar(&opt.lanes, "lanes", "", "QUAYSIDE_LANES for the service")
	flag.IntVar(&opt.reads, "reads", 0, "instead: measure pages of a table of so many rows against bare statements")
	flag.IntVar(&opt.orders, "orders", 0,
		"instead: measure what the screens of so many purchase orders ask against bare statements")
	flag.IntVar(&opt.quotas, "quotas", 0,
		"instead: measure what exports and slow filters of one company, on a table of so many rows, do to others")
	flag.StringVar(&opt.greedy, "greedy", "", "instead: be that company, with these arguments")
	flag.IntVar(&opt.views, "views", 0,
		"instead: measure pages of the computed views of so many order lines, and what keeping them costs the write path")
	flag.IntVar(&opt.articles, "articles", 10_000, "with -views: how many articles were sold")
	flag.BoolVar(&opt.queue, "queue", false, "with -views: measure the procurement queue of the articles instead")
	flag.StringVar(&opt.keep, "keep", "", "with -views: keep the data in this folder; a shop that is there is not loaded again")
	flag.IntVar(&opt.rate, "rate", 500, "with -views: orders a second")
	flag.IntVar(&opt.definitions, "definitions", 0, "instead: measure what ten tables of their own of so many companies cost ingest")
	flag.Parse()
	if opt.quick && !given("slice") {
		opt.slice = time.Second
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root, err := filepath.Abs(opt.root)
	switch {
	case err != nil:
	case opt.flood != "":
		err = beFlood(ctx, opt.flood, opt.slice)
	case opt.greedy != "":
		err = beGreedy(ctx, opt.greedy)
	default:
		opt.root = root
		err = run(ctx, opt)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

// given reports whether a flag is on the command line.
func given(name string) (found bool) {
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

type options struct {
	quick  bool
	rounds int
	slice  time.Duration
	root   string
	lanes  string
	memory bool

	compare string
	profile int
	floor   string
	allow   bool
	only    string
	flood   string
	reads   int
	orders  int
	quotas  int
	greedy  string

	definitions int

	views, articles, rate int
	queue                 bool
	keep                  string
}

func run(ctx context.Context, opt options) error {
	fmt.Fprintln(os.Stderr, "starting PostgreSQL, building, loading…")
	binary, err := build(ctx, opt.root)
	if err != nil {
		return err
	}
	if opt.compare != "" {
		return runComparison(ctx, opt, binary)
	}
	if opt.definitions > 0 {
		return runDefinitions(ctx, opt, binary)
	}
	c, err := startCluster(ctx, opt, binary)
	if err != nil {
		return err
	}
	defer c.stop()
	if opt.reads > 0 {
		return runReads(ctx, opt, c)
	}
	if opt.quotas > 0 {
		return runQuotas(ctx, opt, c)
	}
	if opt.orders > 0 {
		return runOrders(ctx, opt, c)
	}
	if opt.views > 0 {
		return runViews(ctx, opt, c)
	}
	b := &bench{options: opt, cluster: c, conditions: conditions{memory: opt.memory}, ratios: map[string]series{},
		figures: map[string]float64{}}
	if opt.profile > 0 {
		return b.profileService(ctx)
	}
	if err := b.ladder(ctx); err != nil {
		return err
	}
	if !opt.quick {
		for _, part := range []struct {
			name string
			run  func(context.Context) error
		}{{"sizes", b.sizes}, {"open", b.openLoop}, {"refusals", b.refusals}, {"flood", b.flood}, {"tenants", b.tenants},
			{"growth", b.growth}} {
			if opt.only != "" && !strings.Contains(opt.only, part.name) {
				continue
			}
			if err := part.run(ctx); err != nil {
				return err
			}
		}
	}
	dear := b.costs(ctx, os.Stdout)
	if err := b.report(os.Stdout); err != nil {
		return err
	}
	return errors.Join(dear, b.checkFloor())
}

// checkFloor fails on a ratio below its floor by more than noise can explain.
func (b *bench) checkFloor() error {
	name, limit, given := strings.Cut(b.floor, "=")
	if !given {
		return nil
	}
	least, err := strconv.ParseFloat(limit, 64)
	if err != nil {
		return err
	}
	got, measured := b.ratios[name]
	if !measured {
		return fmt.Errorf("-floor: %s was not measured", name)
	}
	switch v, why := judge(got, least, false, b.restless(name)); v {
	case reached:
	case missed:
		return fmt.Errorf("%s is %.2f, below %.2f", name, got.median(), least)
	case notJudged:
		fmt.Fprintf(os.Stderr, "%s is %.2f; whether that is below %.2f is not judged: %s\n", name, got.median(), least, why)
	}
	return nil
}
