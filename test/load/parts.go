package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// sizes measures how much disk space a line and an event take, without indexes.
func (b *bench) sizes(ctx context.Context) error {
	for name, relations := range map[string]string{
		"line":  "SELECT 'workspace.purchase_order_lines'::regclass",
		"event": "SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'workspace.events'::regclass",
	} {
		var rows, table, indexes float64
		err := b.cluster.admin.QueryRow(ctx, fmt.Sprintf(`SELECT
			(SELECT count(*) FROM workspace.%s), sum(pg_table_size(r)), sum(pg_indexes_size(r)) FROM (%s) x (r)`,
			map[string]string{"line": "purchase_order_lines", "event": "events"}[name], relations)).Scan(&rows, &table, &indexes)
		if err != nil {
			return err
		}
		b.figures[name+"_bytes"], b.figures[name+"_index_bytes"] = table/rows, indexes/rows
	}
	return nil
}

// profileService writes a processor profile of the service.
func (b *bench) profileService(ctx context.Context) error {
	if err := b.cluster.load(ctx, standard.tenants, standard.products, standard.lines); err != nil {
		return err
	}
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	if _, err := closed(ctx, s.addr, standard, b.profile, b.slice); err != nil {
		return err
	}
	fetched := make(chan error, 1)
	go func() {
		fetched <- download(ctx, fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%.0f", s.metrics, b.slice.Seconds()),
			"cpu.pprof")
	}()
	before, engine, own := cpu(s.cmd.Process.Pid), cpu(b.cluster.postmaster()), cpu(os.Getpid())
	got, err := closed(ctx, s.addr, standard, b.profile, b.slice+time.Second)
	if err != nil {
		return err
	}
	records := got.PerSecond * (b.slice + time.Second).Seconds()
	fmt.Printf("%.0f/s  p50 %.2f ms  p99 %.2f ms  per record: service %.0f us, PostgreSQL %.0f us, generator %.0f us\n",
		got.PerSecond, ms(got.P50), ms(got.P99),
		float64((cpu(s.cmd.Process.Pid)-before).Microseconds())/records,
		float64((cpu(b.cluster.postmaster())-engine).Microseconds())/records,
		float64((cpu(os.Getpid())-own).Microseconds())/records)
	if err := <-fetched; err != nil {
		return err
	}
	return s.stop()
}

// openLoop sends at half of the capacity, so that latencies include stalls.
func (b *bench) openLoop(ctx context.Context) error {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	rate := b.figures["service_256_per_s"] / 2
	if _, err := closed(ctx, s.addr, standard, 256, b.slice); err != nil { // connections, plans, caches
		return err
	}
	got, err := open(ctx, s.addr, standard, rate, 3*b.slice)
	if err != nil {
		return err
	}
	b.figures["open_loop_per_s"], b.figures["open_loop_p50_ms"], b.figures["open_loop_p99_ms"] = got.PerSecond,
		ms(got.P50), ms(got.P99)
	return s.stop()
}

// refusals mixes in records that only the database can refuse: by a look-up that finds
// nothing, and by a constraint that raises an error.
func (b *bench) refusals(ctx context.Context) error {
	if err := b.cluster.exec(ctx,
		"ALTER TABLE workspace.purchase_order_lines ADD CONSTRAINT bench_poison CHECK (note IS DISTINCT FROM 'refuse me')"); err != nil {
		return err
	}
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	rounds := map[string]series{}
	for range b.rounds {
		clean, err := closed(ctx, s.addr, standard, 64, b.slice)
		if err != nil {
			return err
		}
		for name, m := range map[string]mix{
			"refused_1pct": {refused: 0.01}, "refused_10pct": {refused: 0.1}, "raised_1pct": {refused: 0.01, raised: true},
			"raised_10pct": {refused: 0.1, raised: true},
		} {
			m.tenants, m.products, m.lines = standard.tenants, standard.products, standard.lines
			got, err := closed(ctx, s.addr, m, 64, b.slice)
			if err != nil {
				return err
			}
			if got.Statuses[422] == 0 || got.Statuses[500] > 0 {
				return fmt.Errorf("%s: answers %v", name, got.Statuses)
			}
			rounds[name] = append(rounds[name], got.PerSecond/clean.PerSecond)
		}
	}
	b.keep(rounds, "refused_1pct", "refused_10pct")
	if err := b.cluster.exec(ctx, "ALTER TABLE workspace.purchase_order_lines DROP CONSTRAINT bench_poison"); err != nil {
		return err
	}
	return s.stop()
}

// flood has one of a hundred tenants send with 256 connections, and measures the effect on the
// others.
func (b *bench) flood(ctx context.Context) error {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	innocents := standard
	innocents.tenants = standard.tenants - 1
	if _, err := closed(ctx, s.addr, standard, 256, b.slice); err != nil { // connections, plans, caches
		return err
	}
	var ratios series
	for range b.rounds {
		rate := b.figures["service_256_per_s"] / 20
		alone, err := open(ctx, s.addr, innocents, rate, b.slice)
		if err != nil {
			return err
		}
		flooding, err := startFlood(ctx, s.addr, b.slice+2*time.Second)
		if err != nil {
			return err
		}
		time.Sleep(time.Second) // until the flood is at its full rate
		together, err := open(ctx, s.addr, innocents, rate, b.slice)
		if err := errors.Join(err, flooding.Wait()); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "innocents at %.0f/s: alone p50 %.2f ms, p99 %.2f ms; flooded p50 %.2f ms, p99 %.2f ms\n",
			rate, ms(alone.P50), ms(alone.P99), ms(together.P50), ms(together.P99))
		b.figures["innocents_alone_p99_ms"], b.figures["innocents_flooded_p99_ms"] = ms(alone.P99), ms(together.P99)
		ratios = append(ratios, float64(together.P99)/float64(alone.P99))
	}
	b.ratios["innocents_p99"] = ratios
	return s.stop()
}

// startFlood runs this program again as the flooder, with lower priority: it stands for other
// machines, which do not compete for these cores.
func startFlood(ctx context.Context, addr string, duration time.Duration) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "nice", "-n", "10", self, "-flood", addr, "-slice", duration.String())
	cmd.Stderr = os.Stderr
	return cmd, cmd.Start()
}

// beFlood sends the last tenant's records with 256 connections.
func beFlood(ctx context.Context, addr string, duration time.Duration) error {
	flooder := standard
	flooder.tenants, flooder.first = 1, standard.tenants-1
	got, err := closed(ctx, addr, flooder, 256, duration)
	fmt.Fprintf(os.Stderr, "the flood: %.0f/s\n", got.PerSecond)
	return err
}

// tenants compares the cost of a record with 10,000 tenants to that with 100, in the
// same database, with as many rows in all.
func (b *bench) tenants(ctx context.Context) error {
	few, many := standard, mix{first: standard.tenants, tenants: 10_000, products: 10, lines: 10}
	if err := b.cluster.load(ctx, few.tenants, few.products, few.lines); err != nil {
		return err
	}
	if err := b.cluster.add(ctx, many.first, many.tenants, many.products, many.lines); err != nil {
		return err
	}
	ratios, err := b.compare(ctx, many, few)
	b.ratios["tenants_10k"] = ratios
	return err
}

// growth compares the cost of a record at 5 million rows to that at 0.1 million.
func (b *bench) growth(ctx context.Context) error {
	cost := func(lines int) (series, error) {
		if err := b.cluster.load(ctx, 100, 1000, lines); err != nil {
			return nil, err
		}
		m := mix{tenants: 100, products: 1000, lines: lines}
		s, err := b.serve(ctx)
		if err != nil {
			return nil, err
		}
		var ratios series
		for range b.rounds {
			got, err := closed(ctx, s.addr, m, 64, b.slice)
			if err != nil {
				return nil, err
			}
			// The machine's current speed, by work that does not grow.
			bare, err := b.cluster.pgbench(ctx, "SELECT count(*) FROM generate_series(1, 2000);", 2, time.Second)
			if err != nil {
				return nil, err
			}
			ratios = append(ratios, bare.PerSecond/got.PerSecond)
		}
		return ratios, s.stop()
	}
	small, err := cost(1000)
	if err != nil {
		return err
	}
	large, err := cost(50_000)
	if err != nil {
		return err
	}
	for i := range large {
		b.ratios["growth_5m"] = append(b.ratios["growth_5m"], large[i]/small[i])
	}
	return nil
}

// compare returns the cost of a record in one mix relative to another, measured in turns.
func (b *bench) compare(ctx context.Context, one, other mix) (series, error) {
	s, err := b.serve(ctx)
	if err != nil {
		return nil, err
	}
	var ratios series
	for _, warm := range []mix{one, other} { // every key is looked up once
		if _, err := closed(ctx, s.addr, warm, 64, 6*b.slice); err != nil {
			return nil, err
		}
	}
	for range b.rounds {
		first, err := closed(ctx, s.addr, one, 64, b.slice)
		if err != nil {
			return nil, err
		}
		second, err := closed(ctx, s.addr, other, 64, b.slice)
		if err != nil {
			return nil, err
		}
		ratios = append(ratios, second.PerSecond/first.PerSecond)
	}
	return ratios, s.stop()
}
