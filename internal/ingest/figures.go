package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
)

// countLimit bounds the sources of one round; the next round takes the rest.
const countLimit = 500

// CountStates updates the figures of sources that cannot be summed: open failures and
// pending references. Partial indexes keep the counts cheap.
func (s *Service) CountStates(ctx context.Context) error {
	var due []q.ListSourcesToCountRow
	// Crosses tenants: the job looks after all of them. It reads who took records, and
	// acts as each.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		due, err = q.New(tx).ListSourcesToCount(ctx, countLimit)
		return err
	})
	for _, source := range due {
		err = errors.Join(err, s.forSource(ctx, source.TenantID, source.Slug, func(tx pgx.Tx, table *registry.Table) error {
			return countStates(ctx, tx, table, source)
		}))
	}
	return err
}

func countStates(ctx context.Context, tx pgx.Tx, table *registry.Table, source q.ListSourcesToCountRow) error {
	queries := q.New(tx)
	failures, err := queries.CountOpenFailures(ctx, q.CountOpenFailuresParams(source))
	if err != nil {
		return err
	}
	var pending int64
	for _, count := range pendingCounts(table) {
		var n int64
		if err := tx.QueryRow(ctx, count, source.TenantID, source.WorkspaceID).Scan(&n); err != nil {
			return err
		}
		pending += n
	}
	return queries.SetSourceStates(ctx, q.SetSourceStatesParams{
		TenantID: source.TenantID, WorkspaceID: source.WorkspaceID, Slug: source.Slug, OpenFailures: failures,
		Pending: pending,
	})
}

// RecountRows corrects row counts that a crash left wrong: at most once a day, on one
// instance, while a source is quiet.
func (s *Service) RecountRows(ctx context.Context) error {
	var due []q.ListSourcesToRecountRow
	// Crosses tenants: the job looks after all of them. It reads who took records, and
	// acts as each.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		due, err = q.New(tx).ListSourcesToRecount(ctx, countLimit)
		return err
	})
	for _, source := range due {
		var claimed int64
		err = errors.Join(err, s.cells.InTenant(ctx, source.TenantID, func(tx pgx.Tx) (err error) {
			claimed, err = q.New(tx).ClaimRecount(ctx, q.ClaimRecountParams(source))
			return err
		}))
		if claimed == 0 {
			continue
		}
		err = errors.Join(err, s.forSource(ctx, source.TenantID, source.Slug, func(tx pgx.Tx, table *registry.Table) error {
			var rows int64
			if err := tx.QueryRow(ctx, rowCount(table), source.TenantID, source.WorkspaceID,
				source.Slug).Scan(&rows); err != nil {
				return err
			}
			return q.New(tx).SetSourceRows(ctx,
				q.SetSourceRowsParams{TenantID: source.TenantID, WorkspaceID: source.WorkspaceID, Slug: source.Slug, Rows: rows})
		}))
	}
	return err
}

// forSource runs fn for one tenant's table, unless the table is gone.
func (s *Service) forSource(ctx context.Context, tenant uuid.UUID, slug string,
	fn func(pgx.Tx, *registry.Table) error) error {
	table, err := s.registry.Table(ctx, tenant, slug)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error { return fn(tx, table) })
}

// pendingCounts returns statements that count the rows that wait for another record.
// Parameters: tenant $1, workspace $2.
func pendingCounts(table *registry.Table) (counts []string) {
	for _, column := range table.Columns {
		if pending := pendingColumn(&column); pending != "" {
			counts = append(counts,
				fmt.Sprintf("SELECT count(*) FROM %s WHERE tenant_id = $1 AND workspace_id = $2 AND %s IS NULL AND %s IS NOT NULL",
					tableName(table), quote(column.Name), quote(pending)))
		}
	}
	if table.Snapshot != nil {
		counts = append(counts,
			fmt.Sprintf("SELECT count(*) FROM %s WHERE tenant_id = $1 AND workspace_id = $2 AND %s IS NULL",
				tableName(table), quote(table.Snapshot.Marker)))
	}
	return counts
}

// rowCount returns a statement that counts a table's rows except the newest, which a meter
// may not have added yet. Parameters: tenant $1, workspace $2, slug $3.
func rowCount(table *registry.Table) string {
	only := "$3 <> ''"
	if table.Generic {
		only = "slug = $3"
	}
	return fmt.Sprintf("SELECT count(*) FROM %s WHERE tenant_id = $1 AND workspace_id = $2 AND %s AND created_at < now() - interval '1 minute'",
		tableName(table), only)
}
