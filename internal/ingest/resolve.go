package ingest

import (
	"bytes"
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// storedRecord is a record that may have been stored after it failed: of a tenant's table, by its id or its key.
type storedRecord struct {
	tenant      uuid.UUID
	slug, value string
}

// sweepFailures closes dead letters of the changed records.
func (s *Service) sweepFailures(ctx context.Context, changes []event.Change) error {
	type source struct {
		tenant uuid.UUID
		slug   string
	}
	failing := map[source]bool{}
	var asked q.ListFailingParams
	for _, c := range changes {
		if of := (source{c.Tenant, c.Slug}); !failing[of] {
			failing[of] = true
			asked.TenantIds, asked.Slugs = append(asked.TenantIds, of.tenant), append(asked.Slugs, of.slug)
		}
	}
	if len(asked.Slugs) == 0 {
		return nil
	}
	clear(failing)
	// Crosses tenants: the sweep serves all of them. It reads which have failures, and acts as these.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListFailing(ctx, asked)
		for _, row := range rows {
			failing[source{row.TenantID, row.Slug}] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	var stored []storedRecord
	for _, c := range changes {
		if failing[source{c.Tenant, c.Slug}] {
			stored = append(stored, storedRecord{c.Tenant, c.Slug, c.Record})
		}
	}
	return s.resolve(ctx, true, stored)
}

// resolve closes dead letters of records that were stored later with every field that had failed. It reads that
// from the events, so that the write path does not pay for it. The records are given by their ids or by their keys.
// An error of a few tenants' data is logged, and does not hold up the others; an error that passes is returned.
func (s *Service) resolve(ctx context.Context, byID bool, stored []storedRecord) error {
	slices.SortStableFunc(stored, func(a, b storedRecord) int { return bytes.Compare(a.tenant[:], b.tenant[:]) })
	for len(stored) > 0 {
		work, n := resolveWork{}, 0
		for ; n < len(stored); n++ {
			if len(work.tenants) == tenantsAtOnce && stored[n].tenant != work.tenants[tenantsAtOnce-1] {
				break
			}
			if err := s.addResolve(ctx, &work, byID, stored[n]); err != nil {
				return err
			}
		}
		stored = stored[n:]
		if err := s.runResolve(ctx, work); err != nil {
			if ctx.Err() != nil || fault.Is(err, fault.Unavailable) {
				return err
			}
			s.log.ErrorContext(ctx, "failed imports are not resolved", "tenants", work.tenants, "err", err)
		}
	}
	return nil
}

func (s *Service) runResolve(ctx context.Context, work resolveWork) error {
	return s.cells.InTenants(ctx, work.tenants, func(tx pgx.Tx) error {
		for _, v := range work.statements {
			if _, err := tx.Exec(ctx, v.sql, v.tenants, v.slugs, v.values, v.kinds); err != nil {
				return err
			}
		}
		return nil
	})
}

// resolveWork holds what one transaction resolves.
type resolveWork struct {
	tenants    []uuid.UUID
	statements []*resolveValues
}

// resolveValues holds the parameters of one statement.
type resolveValues struct {
	sql                  string
	tenants              []uuid.UUID
	slugs, values, kinds []string
}

// addResolve adds one record, unless its table is gone: nothing can be stored in that.
func (s *Service) addResolve(ctx context.Context, work *resolveWork, byID bool, r storedRecord) error {
	if len(work.tenants) == 0 || work.tenants[len(work.tenants)-1] != r.tenant {
		work.tenants = append(work.tenants, r.tenant)
	}
	table, err := s.registry.Table(ctx, r.tenant, r.slug)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	sql := resolveStatement(table, byID)
	at := slices.IndexFunc(work.statements, func(v *resolveValues) bool { return v.sql == sql })
	if at < 0 {
		at = len(work.statements)
		work.statements = append(work.statements, &resolveValues{sql: sql})
	}
	v := work.statements[at]
	v.tenants, v.slugs = append(v.tenants, r.tenant), append(v.slugs, r.slug)
	v.values, v.kinds = append(v.values, r.value), append(v.kinds, table.EventType())
	return nil
}
