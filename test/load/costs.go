package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// cost is what a record costs, before background work. Machines differ, so processor time is in multiples of what PostgreSQL takes
// for a record of the plain table in the same round.
type cost struct {
	Postgres   float64 `json:"postgres"`
	Service    float64 `json:"service"`
	WAL        float64 `json:"wal_bytes"`  // without images of whole pages
	Statements float64 `json:"statements"` // of a record that comes alone, with those in functions and triggers
}

// costsFile holds the costs that are allowed, by kind, and mostDearer is how much above them fails.
const (
	costsFile  = "test/load/costs.json"
	mostDearer = 1.15
)

// costs measures the cost of each kind of records.
func (b *bench) costs(ctx context.Context, w io.Writer) error {
	found := map[string]cost{}
	s, err := b.prepareCosts(ctx)
	if err != nil {
		return err
	}
	rounds := map[string]series{}
	for range leastRounds {
		plain, err := b.plainCost(ctx, s)
		if err != nil {
			return err
		}
		rounds["plain"] = append(rounds["plain"], plain)
		for _, k := range kinds {
			if err := b.costOf(ctx, s, k, plain, rounds); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(w, "\nper record at 64 connections, before background work; a record of the plain table takes PostgreSQL %.0f us\n%-24s %10s %10s %10s %12s\n",
		rounds["plain"].median(), "", "PostgreSQL", "service", "WAL bytes", "statements")
	for _, k := range kinds {
		median := func(name string) float64 { return math.Round(100*rounds[k.slug+" "+name].median()) / 100 }
		c := cost{Postgres: median("postgres"), Service: median("service"), WAL: median("wal")}
		if c.Statements, err = b.statements(ctx, s, k); err != nil {
			return err
		}
		c.Statements = math.Round(10*c.Statements) / 10
		found[k.slug] = c
		fmt.Fprintf(w, "%-24s %8.2f x %8.2f x %10.0f %12.1f\n", k.slug, c.Postgres, c.Service, c.WAL, c.Statements)
		b.figures["postgres_us_"+k.slug], b.figures["service_us_"+k.slug] = c.Postgres*rounds["plain"].median(), c.Service*rounds["plain"].median()
		b.figures["wal_bytes_"+k.slug] = c.WAL
	}
	if err := s.stop(); err != nil {
		return err
	}
	return b.checkCosts(found, rounds)
}

// prepareCosts makes WAL comparable, whenever the last checkpoint was, and starts the service with all it keeps in memory.
func (b *bench) prepareCosts(ctx context.Context) (*service, error) {
	if err := b.cluster.set(ctx, "full_page_writes", "off"); err != nil {
		return nil, err
	}
	s, err := b.serve(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		if _, err := closed(ctx, s.addr, standard.of(k), 64, b.slice); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// plainCost returns the microseconds that PostgreSQL takes for a record of the plain table of order lines.
func (b *bench) plainCost(ctx context.Context, s *service) (micros float64, err error) {
	count := func() (n int64, err error) {
		err = b.cluster.admin.QueryRow(ctx, "SELECT count(*) FROM plain.events").Scan(&n)
		return n, err
	}
	err = s.paused(func() error {
		before, err := count()
		if err != nil {
			return err
		}
		used := cpu(b.cluster.postmaster())
		if _, err := b.cluster.pgbench(ctx, orderLines.plainScript(standard), 64, b.slice); err != nil {
			return err
		}
		used = cpu(b.cluster.postmaster()) - used
		after, err := count()
		micros = float64(used.Microseconds()) / float64(after-before)
		return err
	})
	return micros, err
}

// costOf measures one kind of records while the background work is held up.
func (b *bench) costOf(ctx context.Context, s *service, k kind, plain float64, rounds map[string]series) error {
	return b.cluster.withoutReaders(ctx, func() error {
		const position = "SELECT (pg_current_wal_lsn() - '0/0')::bigint"
		var wal, end int64
		if err := b.cluster.admin.QueryRow(ctx, position).Scan(&wal); err != nil {
			return err
		}
		service, postgres := cpu(s.cmd.Process.Pid), cpu(b.cluster.postmaster())
		got, err := closed(ctx, s.addr, standard.of(k), 64, b.slice)
		if err != nil {
			return err
		}
		service, postgres = cpu(s.cmd.Process.Pid)-service, cpu(b.cluster.postmaster())-postgres
		if err := b.cluster.admin.QueryRow(ctx, position).Scan(&end); err != nil {
			return err
		}
		records := float64(got.Statuses[200])
		for name, value := range map[string]float64{"postgres": float64(postgres.Microseconds()) / records / plain,
			"service": float64(service.Microseconds()) / records / plain, "wal": float64(end-wal) / records} {
			rounds[k.slug+" "+name] = append(rounds[k.slug+" "+name], value)
		}
		return nil
	})
}

// statements returns how many statements store a record that comes alone, in the mean: some are for new records only. A statement of
// background work comes less often than with every fourth record, and counts as none.
func (b *bench) statements(ctx context.Context, s *service, k kind) (n float64, err error) {
	db, err := b.cluster.beside(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close(context.WithoutCancel(ctx)) }()
	if err := b.cluster.set(ctx, "pg_stat_statements.track", "all"); err != nil {
		return 0, err
	}
	for _, sql := range []string{"CREATE EXTENSION IF NOT EXISTS pg_stat_statements", "SELECT pg_stat_statements_reset()"} {
		if _, err := db.Exec(ctx, sql); err != nil {
			return 0, err
		}
	}
	err = b.cluster.withoutReaders(ctx, func() error {
		got, err := closed(ctx, s.addr, standard.of(k), 1, b.slice)
		if err != nil {
			return err
		}
		return db.QueryRow(ctx, "SELECT sum(calls) / $1::float8 FROM pg_stat_statements WHERE calls > $1::float8 / 4", got.Statuses[200]).Scan(&n)
	})
	return n, err
}

// checkCosts compares what was measured with what is allowed, or allows it with -allow.
func (b *bench) checkCosts(found map[string]cost, rounds map[string]series) error {
	path := filepath.Join(b.root, costsFile)
	if b.allow {
		text, err := json.MarshalIndent(found, "", "  ")
		if err != nil {
			return err
		}
		return os.WriteFile(path, append(text, '\n'), 0o600)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	allowed := map[string]cost{}
	if err := json.Unmarshal(text, &allowed); err != nil {
		return err
	}
	if found := dearer(found, rounds, allowed); found != nil {
		return fmt.Errorf("more than %.0f %% dearer than %s allows: %v", 100*(mostDearer-1), costsFile, found)
	}
	return nil
}

// dearer lists what clearly costs more than is allowed. Statements are counted once, and do not differ between rounds.
func dearer(found map[string]cost, rounds map[string]series, allowed map[string]cost) (what []string) {
	for _, slug := range slices.Sorted(maps.Keys(found)) {
		limit := allowed[slug]
		limits := map[string]float64{"postgres": limit.Postgres, "service": limit.Service, "wal": limit.WAL}
		for _, name := range slices.Sorted(maps.Keys(limits)) {
			got := rounds[slug+" "+name]
			if low, _ := got.interval(); low > limits[name]*mostDearer {
				what = append(what, fmt.Sprintf("%s: %s %.2f instead of %.2f", slug, name, got.median(), limits[name]))
			}
		}
		if got := found[slug].Statements; got > limit.Statements*mostDearer {
			what = append(what, fmt.Sprintf("%s: %.1f statements instead of %.1f", slug, got, limit.Statements))
		}
	}
	return what
}
