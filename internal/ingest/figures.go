package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
)

// countedAtOnce bounds one round of counting; the next takes the rest.
const countedAtOnce = 500

// CountStates keeps those figures of sources that are states and not sums: open
// failures and pending references, through indexes that hold nothing else. Rows are
// summed as they come; they are counted only when a source has fallen quiet, to mend
// what a crash has lost.
func (s *Service) CountStates(ctx context.Context) error {
	var due []q.ListSourcesToCountRow
	// Crosses tenants: the job looks after all of them. It reads who took records, and
	// acts as each.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		due, err = q.New(tx).ListSourcesToCount(ctx, countedAtOnce)
		return err
	})
	for _, source := range due {
		table, tableErr := s.registry.Table(ctx, source.TenantID, source.Slug)
		if tableErr != nil {
			if !fault.Is(tableErr, fault.NotFound) {
				err = errors.Join(err, tableErr)
			}
			continue
		}
		err = errors.Join(err, s.cells.InTenant(ctx, source.TenantID, func(tx pgx.Tx) error {
			return countSource(ctx, tx, table, source)
		}))
	}
	return err
}

func countSource(ctx context.Context, tx pgx.Tx, table *registry.Table, source q.ListSourcesToCountRow) error {
	queries := q.New(tx)
	failures, err := queries.CountOpenFailures(ctx, q.CountOpenFailuresParams{TenantID: source.TenantID, WorkspaceID: source.WorkspaceID, Slug: source.Slug})
	if err != nil {
		return err
	}
	var pending, rows int64
	for _, count := range pendingCounts(table) {
		var n int64
		if err := tx.QueryRow(ctx, count, source.TenantID, source.WorkspaceID).Scan(&n); err != nil {
			return err
		}
		pending += n
	}
	err = queries.SetSourceStates(ctx, q.SetSourceStatesParams{
		TenantID: source.TenantID, WorkspaceID: source.WorkspaceID, Slug: source.Slug, OpenFailures: failures, Pending: pending,
	})
	if err != nil || !source.Quiet {
		return err
	}
	if err := tx.QueryRow(ctx, rowCount(table), source.TenantID, source.WorkspaceID, source.Slug).Scan(&rows); err != nil {
		return err
	}
	return queries.SetSourceRows(ctx, q.SetSourceRowsParams{TenantID: source.TenantID, WorkspaceID: source.WorkspaceID, Slug: source.Slug, Rows: rows})
}

// pendingCounts count the rows of a table that wait for another record. Parameters:
// tenant $1, workspace $2.
func pendingCounts(table *registry.Table) (counts []string) {
	for _, column := range table.Columns {
		if pending := pendingColumn(&column); pending != "" {
			counts = append(counts, fmt.Sprintf("SELECT count(*) FROM %s WHERE tenant_id = $1 AND workspace_id = $2 AND %s IS NULL AND %s IS NOT NULL",
				tableName(table), quote(column.Name), quote(pending)))
		}
	}
	if table.Snapshot != nil {
		counts = append(counts, fmt.Sprintf("SELECT count(*) FROM %s WHERE tenant_id = $1 AND workspace_id = $2 AND %s IS NULL",
			tableName(table), quote(table.Snapshot.Marker)))
	}
	return counts
}

// rowCount counts a table's rows. Parameters: tenant $1, workspace $2, slug $3.
func rowCount(table *registry.Table) string {
	only := " AND $3 <> ''"
	if table.Generic {
		only = " AND slug = $3"
	}
	return fmt.Sprintf("SELECT count(*) FROM %s WHERE tenant_id = $1 AND workspace_id = $2%s", tableName(table), only)
}
