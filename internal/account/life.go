package account

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// This file suspends companies, lets them resume, and plans their deletion, for whoever runs the service.

// Life is what became of a company.
type Life struct {
	SuspendedAt *time.Time // nobody of it is let in, and its background jobs wait
	Because     string
	DeleteAfter *time.Time // nil: it stays
}

const longestReason = 500

// Suspend keeps everybody of a company out, on every instance from their next call on: people, keys and tokens.
// Nothing is read from other systems for it. Nothing is deleted. Suspending it again only changes the reason.
func (s *Service) Suspend(ctx context.Context, tenant uuid.UUID, reason string) (Life, error) {
	return s.live(ctx, tenant, "company.suspended", func(life *Life) error {
		reason = strings.TrimSpace(reason)
		if utf8.RuneCountInString(reason) > longestReason || !utf8.ValidString(reason) || strings.ContainsRune(reason, 0) {
			return fault.InField("reason", "reason", "give a reason of at most %d characters", longestReason)
		}
		life.suspend(reason)
		return nil
	})
}

// Resume lets a company go on as before, and takes a planned deletion back.
func (s *Service) Resume(ctx context.Context, tenant uuid.UUID) (Life, error) {
	return s.live(ctx, tenant, "company.resumed", func(life *Life) error {
		*life = Life{}
		return nil
	})
}

// PlanDeletion suspends a company and lets it be deleted after a waiting period. Until then Resume takes it back.
func (s *Service) PlanDeletion(ctx context.Context, tenant uuid.UUID, wait time.Duration) (Life, error) {
	return s.live(ctx, tenant, "company.deletion_planned", func(life *Life) error {
		if wait < 0 {
			return fault.InField("wait", "wait", "the waiting period cannot be negative")
		}
		life.suspend("It is to be deleted.")
		at := time.Now().Add(wait)
		life.DeleteAfter = &at
		return nil
	})
}

func (l *Life) suspend(reason string) {
	if l.SuspendedAt == nil {
		now := time.Now()
		l.SuspendedAt = &now
	}
	l.Because = reason
}

// MayDelete refuses to delete a company whose deletion was not planned, or whose waiting period is not over.
func (s *Service) MayDelete(ctx context.Context, tenant uuid.UUID) error {
	var life q.GetLifeRow
	err := s.cells.InControl(ctx, tenant, func(tx pgx.Tx) (err error) {
		life, err = q.New(tx).GetLife(ctx, tenant)
		return err
	})
	switch {
	case fault.Is(err, fault.NotFound):
		return unknownTenant(tenant)
	case err != nil:
		return err
	case life.DeleteAfter == nil:
		return fault.New(fault.Conflict, "not_planned", "its deletion was not planned; run 'quayside tenant delete' without --now first")
	case time.Now().Before(*life.DeleteAfter):
		return fault.New(fault.Conflict, "waiting", "it may be deleted after %s; 'quayside tenant resume' takes the deletion back",
			life.DeleteAfter.UTC().Format(time.RFC3339))
	}
	return nil
}

// Suspended reports whether a company is suspended, for work that runs on its behalf. A company that is gone counts as
// suspended.
func (s *Service) Suspended(ctx context.Context, tenant uuid.UUID) (suspended bool, err error) {
	err = s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
		life, err := q.New(tx).GetLife(ctx, tenant)
		suspended = life.SuspendedAt != nil || errors.Is(err, pgx.ErrNoRows)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return suspended, err
}

func unknownTenant(tenant uuid.UUID) error {
	return fault.New(fault.NotFound, "unknown_tenant", "there is no tenant %s", tenant)
}

// live changes a company's life, with its keys and its audit log.
func (s *Service) live(ctx context.Context, tenant uuid.UUID, action audit.Action, change func(*Life) error) (life Life, err error) {
	err = s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		row, err := queries.LockLife(ctx, tenant)
		if err != nil {
			return err
		}
		life = Life{SuspendedAt: row.SuspendedAt, Because: row.SuspendedBecause, DeleteAfter: row.DeleteAfter}
		if err := change(&life); err != nil {
			return err
		}
		err = queries.SetLife(ctx, q.SetLifeParams{ID: tenant, SuspendedAt: life.SuspendedAt, SuspendedBecause: life.Because,
			DeleteAfter: life.DeleteAfter})
		if err != nil {
			return err
		}
		err = queries.SuspendKeys(ctx, q.SuspendKeysParams{TenantID: tenant, Suspended: life.SuspendedAt != nil})
		if err != nil {
			return err
		}
		err = queries.SuspendConnections(ctx, q.SuspendConnectionsParams{TenantID: tenant, Suspended: life.SuspendedAt != nil})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, auth.Operator(tenant), action, tenant.String(),
			audit.Data{"name": row.Name, "reason": life.Because, "delete_after": life.DeleteAfter})
	})
	if fault.Is(err, fault.NotFound) {
		return Life{}, unknownTenant(tenant)
	}
	return life, err
}
