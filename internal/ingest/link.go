package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/registry"
)

// Records may arrive before the records they belong to. Whichever comes second
// links the two, in a transaction after its own commit and before its answer: then
// at least one of two simultaneous writers sees the other. The sweep catches what a
// crash left.

// cause is who made rows of other records change, for their events.
type cause struct {
	actor     auth.Actor
	requestID string
}

// link joins a record just stored with those that waited for it, or with the one
// that it waits for.
func (s *Service) link(ctx context.Context, clean sanitized, record Record, outcome Outcome) error {
	if outcome.Result == Unchanged {
		return nil
	}
	by := cause{record.By.Actor, record.RequestID}
	var work []func(pgx.Tx) error
	if outcome.Result == Created {
		for _, w := range clean.table.Waiting {
			work = append(work, func(tx pgx.Tx) error {
				return linkPending(ctx, tx, record.By.Tenant, w, clean.table, []string{clean.identity}, by)
			})
		}
	}
	for _, feed := range clean.table.Feeds {
		if match, ok := clean.text(feed.Match); ok {
			work = append(work, func(tx pgx.Tx) error {
				return resolveSnapshots(ctx, tx, record.By.Tenant, feed, []string{match}, by)
			})
		}
	}
	if outcome.waits {
		more, err := s.ownLinks(ctx, clean, record, by)
		if err != nil {
			return err
		}
		work = append(work, more...)
	}
	if len(work) == 0 {
		return nil
	}
	return s.cells.InTenant(ctx, record.By.Tenant, func(tx pgx.Tx) error {
		for _, do := range work {
			if err := do(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// ownLinks looks once more for what the record itself waits for.
func (s *Service) ownLinks(ctx context.Context, clean sanitized, record Record, by cause) (work []func(pgx.Tx) error, err error) {
	for _, c := range clean.columns {
		pending := pendingColumn(c.column)
		if pending == "" || c.value.null {
			continue
		}
		parent, err := s.registry.Table(ctx, record.By.Tenant, c.column.Reference.Slug)
		if err != nil {
			return nil, err
		}
		waiting := registry.Waiting{Slug: clean.table.Slug, Column: c.column.Name, PendingColumn: pending}
		work = append(work, func(tx pgx.Tx) error {
			return linkPending(ctx, tx, record.By.Tenant, waiting, parent, []string{c.value.text}, by)
		})
	}
	if snapshot := clean.table.Snapshot; snapshot != nil {
		if match, ok := clean.text(snapshot.Match); ok {
			feed := registry.Feed{Slug: clean.table.Slug, Snapshot: *snapshot}
			work = append(work, func(tx pgx.Tx) error {
				return resolveSnapshots(ctx, tx, record.By.Tenant, feed, []string{match}, by)
			})
		}
	}
	return work, nil
}

// text is the value that a record carries for a column.
func (r *sanitized) text(name string) (string, bool) {
	for _, c := range r.columns {
		if c.column.Name == name && !c.value.null {
			return c.value.text, true
		}
	}
	return "", false
}

func linkPending(ctx context.Context, tx pgx.Tx, tenant uuid.UUID, w registry.Waiting, parent *registry.Table, keys []string, by cause) error {
	actor, err := json.Marshal(by.actor)
	if err != nil {
		return err
	}
	if _, err = tx.Exec(ctx, linkStatement(w, parent), tenant, keys, actor, by.requestID, "ingest."+w.Slug+".linked", w.Slug); err != nil {
		return fmt.Errorf("link %s.%s: %w", w.Slug, w.Column, err)
	}
	return nil
}

func resolveSnapshots(ctx context.Context, tx pgx.Tx, tenant uuid.UUID, feed registry.Feed, matches []string, by cause) error {
	actor, err := json.Marshal(by.actor)
	if err != nil {
		return err
	}
	if _, err = tx.Exec(ctx, snapshotStatement(feed), tenant, matches, actor, by.requestID, "ingest."+feed.Slug+".resolved", feed.Slug); err != nil {
		return fmt.Errorf("resolve %s: %w", feed.Slug, err)
	}
	return nil
}

// waiter is a tenant with the value that some of its rows wait for.
type waiter struct {
	Tenant uuid.UUID
	Value  string
}

// sweepLimit bounds one round of the sweep; the next takes the rest.
const sweepLimit = 1000

// Sweep links what should have been linked when it was written.
func (s *Service) Sweep(ctx context.Context) error {
	by := cause{actor: auth.Actor{Type: auth.BySystem, ID: "sweep"}, requestID: "sweep"}
	slugs, err := s.registry.Slugs(ctx, uuid.Nil) // the built-in tables: only they wait
	for _, slug := range slugs {
		table, tableErr := s.registry.Table(ctx, uuid.Nil, slug)
		if tableErr != nil {
			err = errors.Join(err, tableErr)
			continue
		}
		for _, w := range table.Waiting {
			err = errors.Join(err, s.sweep(ctx, pendingWaiters(w, table), func(tx pgx.Tx, tenant uuid.UUID, values []string) error {
				return linkPending(ctx, tx, tenant, w, table, values, by)
			}))
		}
		for _, feed := range table.Feeds {
			err = errors.Join(err, s.sweep(ctx, snapshotWaiters(feed), func(tx pgx.Tx, tenant uuid.UUID, values []string) error {
				return resolveSnapshots(ctx, tx, tenant, feed, values, by)
			}))
		}
	}
	return err
}

// sweep finds who waits in vain and links for each tenant as that tenant.
func (s *Service) sweep(ctx context.Context, find string, link func(tx pgx.Tx, tenant uuid.UUID, values []string) error) error {
	byTenant := map[uuid.UUID][]string{}
	// Crosses tenants: the job looks after all of them. It reads who waits.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, find, sweepLimit)
		if err != nil {
			return err
		}
		waiters, err := pgx.CollectRows(rows, pgx.RowToStructByPos[waiter])
		for _, w := range waiters {
			byTenant[w.Tenant] = append(byTenant[w.Tenant], w.Value)
		}
		return err
	})
	for tenant, values := range byTenant {
		err = errors.Join(err, s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error { return link(tx, tenant, values) }))
	}
	return err
}
