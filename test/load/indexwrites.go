package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// This file measures what indexes on fields cost the write path: orders of a company, half of them new, without the triggers that
// keep the entries, with the triggers and no index, and with three indexes of which two change. The ways take turns.

const (
	indexWriters = 64
	indexRecords = 1500 // of one round
	indexRounds  = 9
)

// indexWays are the statements that set a way up.
var indexWays = []struct {
	name  string
	setUp []string
}{
	{"no triggers", []string{"ALTER TABLE workspace.orders DISABLE TRIGGER index_new, DISABLE TRIGGER index_changed", withoutIndexes}},
	{"no index", []string{"ALTER TABLE workspace.orders ENABLE TRIGGER index_new, ENABLE TRIGGER index_changed", withoutIndexes}},
	{"three indexes", []string{"ALTER TABLE workspace.orders ENABLE TRIGGER index_new, ENABLE TRIGGER index_changed", withoutIndexes,
		`INSERT INTO workspace.indexed_fields (tenant_id, workspace_id, slug, field, home, stored, type, collated, cut, state)
			SELECT '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-9000-000000000002', 'orders', f, 'orders', 'column', t, t = 'text', 300, 'ready'
			FROM (VALUES ('total', 'number'), ('status', 'text'), ('ordered_at', 'datetime')) v (f, t)`}},
}

const withoutIndexes = "DELETE FROM workspace.indexed_fields WHERE tenant_id = '00000000-0000-7000-8000-000000000002'"

func measureIndexWrites(ctx context.Context, c *cluster, cells *pg.Cells, w io.Writer) error {
	records := ingest.New(cells, registry.New(cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		ingest.Config{Lanes: 2, Queued: 10_000, Wait: time.Minute})
	defer records.Close()
	perRecord := map[string]series{}
	ratios := map[string]series{}
	for round := range indexRounds + 1 {
		took := map[string]float64{}
		for i := range indexWays {
			way := indexWays[(i+round)%len(indexWays)]
			for _, sql := range way.setUp {
				if err := c.exec(ctx, sql); err != nil {
					return err
				}
			}
			began := time.Now()
			if err := sendOrders(ctx, records, round*len(indexWays)+i); err != nil {
				return err
			}
			took[way.name] = ms(time.Since(began)) * 1000 / indexRecords
		}
		if round == 0 {
			continue // plans, caches
		}
		for name, µs := range took {
			perRecord[name] = append(perRecord[name], µs)
			ratios[name] = append(ratios[name], µs/took[indexWays[0].name])
		}
	}
	fmt.Fprintf(w, "\nwriting orders, %d at a time; medians of %d rounds in turns\n\n%-16s %14s %8s %8s\n", indexWriters, indexRounds, "", "µs per record",
		"ratio", "spread")
	for _, way := range indexWays {
		fmt.Fprintf(w, "%-16s %14.0f %8.2f %6.0f %%\n", way.name, perRecord[way.name].median(), ratios[way.name].median(), 100*ratios[way.name].spread())
	}
	return nil
}

// sendOrders stores the records of one round: every second order is sent twice, with another total the second time.
func sendOrders(ctx context.Context, records *ingest.Service, round int) error {
	by := auth.Principal{Tenant: uuid.MustParse("00000000-0000-7000-8000-000000000002"), Workspace: uuid.MustParse("00000000-0000-7000-9000-000000000002"),
		Zone: time.UTC, Scope: auth.AllTables, Actor: auth.Actor{Type: auth.ByOperator}}
	var senders sync.WaitGroup
	failures := make([]error, indexWriters)
	for s := range indexWriters {
		senders.Go(func() {
			for n := s; n < indexRecords; n += indexWriters {
				body := fmt.Sprintf(`{"external_id":"w-%d-%d","order_number":"#%[2]d","ordered_at":"2026-01-02T03:04:05Z","status":"open","currency":"EUR","total":%d}`,
					round, n/indexWriters/2*indexWriters+s, n)
				if _, err := records.Write(ctx, ingest.Record{By: by, Slug: "orders", Body: []byte(body), RequestID: "bench"}); err != nil {
					failures[s] = err
					return
				}
			}
		})
	}
	senders.Wait()
	return errors.Join(failures...)
}
