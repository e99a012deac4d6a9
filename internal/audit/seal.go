package audit

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Service seals, verifies and lists the audit. Record writes to it without a Service.
type Service struct {
	cells *pg.Cells
	log   *slog.Logger
}

// New returns the service.
func New(cells *pg.Cells, log *slog.Logger) *Service { return &Service{cells: cells, log: log} }

// sealedAtOnce limits how many rows a sealer holds in memory.
const sealedAtOnce = 1000

// Seal adds every waiting row to its tenant's chain. Any number of processes may call it at
// once. It logs the head of each chain: logs that are kept elsewhere are a witness that the
// database's owner cannot change.
func (s *Service) Seal(ctx context.Context) error {
	var tenants []uuid.UUID
	// Reads across tenants, to find those with waiting rows.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		tenants, err = q.New(tx).ListUnsealedTenants(ctx)
		return err
	})
	for _, tenant := range tenants {
		if ctx.Err() != nil {
			break
		}
		head, sealed, failed := s.seal(ctx, tenant)
		if failed == nil && sealed > 0 {
			s.log.InfoContext(ctx, "audit sealed", "tenant", tenant, "rows", sealed, "head", head.String())
		}
		err = errors.Join(err, failed)
	}
	return err
}

// Waiting returns how long the oldest row has waited for its seal, or zero if none waits.
func (s *Service) Waiting(ctx context.Context, now time.Time) (time.Duration, error) {
	var oldest uuid.UUID
	// Reads across tenants: one figure for all of them.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		oldest, err = q.New(tx).OldestUnsealed(ctx)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	return max(now.Sub(time.Unix(oldest.Time().UnixTime())), 0), err
}

// seal seals one tenant's waiting rows in one transaction. The verifier treats seals with the
// same time as made together.
func (s *Service) seal(ctx context.Context, tenant uuid.UUID) (head Head, sealed int, err error) {
	err = s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		begun, err := queries.BeginSealing(ctx, tenant.String())
		if err != nil || !begun.Alone {
			return err
		}
		last, err := queries.LastSeal(ctx, tenant) // another sealer may have just finished
		if err != nil && !fault.Is(pg.Translate(err), fault.NotFound) {
			return err
		}
		head = Head(last)
		// Pages by id. Each page from the start would again pass the entries that this
		// transaction has deleted.
		for first, more := uuid.Nil, true; more; {
			waiting, err := queries.ListUnsealed(ctx, q.ListUnsealedParams{TenantID: tenant, FirstID: first, Most: sealedAtOnce})
			if err != nil || len(waiting) == 0 {
				return err
			}
			first, more = next(waiting[len(waiting)-1].ID)
			// A row that already has a seal gets no second one, even if somebody queued it
			// again. The verifier reports a row that is gone.
			rows := slices.DeleteFunc(waiting, func(row q.ListUnsealedRow) bool { return row.Sealed || len(row.Columns) == 0 })
			if head, err = appendSeals(ctx, queries, head, tenant, begun.Now, rows); err != nil {
				return err
			}
			sealed += len(rows)
		}
		return nil
	})
	return head, sealed, err
}

// appendSeals adds a seal for each row and returns the last one.
func appendSeals(ctx context.Context, queries *q.Queries, head Head, tenant uuid.UUID, now string,
	rows []q.ListUnsealedRow) (Head, error) {
	added := q.InsertSealsParams{TenantID: tenant}
	for _, row := range rows {
		rowHash, callHash := hashSealed(row.Columns)
		hash := seal{tenant: tenant, number: head.Number + 1, sealedAt: now, row: row.ID,
			rowHash: rowHash}.after(head.Hash)
		head = Head{Number: head.Number + 1, Hash: hash[:]}
		added.Numbers = append(added.Numbers, head.Number)
		added.RowIds = append(added.RowIds, row.ID)
		added.RowHashes = append(added.RowHashes, rowHash)
		added.CallHashes = append(added.CallHashes, callHash)
		added.Hashes = append(added.Hashes, hash[:])
	}
	if err := queries.InsertSeals(ctx, added); err != nil {
		return Head{}, err
	}
	return head, queries.DeleteUnsealed(ctx, q.DeleteUnsealedParams{TenantID: tenant, Ids: added.RowIds})
}
