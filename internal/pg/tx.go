package pg

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// InTenant runs fn in one transaction of the tenant's cell, with row security
// bound to that tenant until commit.
func (c *Cells) InTenant(ctx context.Context, tenant uuid.UUID, fn func(pgx.Tx) error) error {
	return c.InTenants(ctx, []uuid.UUID{tenant}, fn)
}

// InTenants is InTenant for a batch that holds records of several tenants of one
// cell.
func (c *Cells) InTenants(ctx context.Context, tenants []uuid.UUID, fn func(pgx.Tx) error) error {
	return in(ctx, c.main, []setting{tenantSetting(tenants)}, fn)
}

// Reading runs fn in one transaction of the tenant's cell that sees one moment and writes
// nothing, with row security bound to the tenant. A statement of it that takes longer than
// within is ended; TookTooLong tells.
func (c *Cells) Reading(ctx context.Context, tenant uuid.UUID, within time.Duration, fn func(pgx.Tx) error) error {
	limit := setting{name: "statement_timeout", value: strconv.FormatInt(within.Milliseconds(), 10)}
	return inMode(ctx, c.main, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		[]setting{tenantSetting([]uuid.UUID{tenant}), limit}, fn)
}

// InControl runs fn in one transaction of the control database, with row security
// bound to the tenant until commit.
func (c *Cells) InControl(ctx context.Context, tenant uuid.UUID, fn func(pgx.Tx) error) error {
	return in(ctx, c.main, []setting{tenantSetting([]uuid.UUID{tenant})}, fn)
}

// InPerson runs fn in one transaction of the control database, with row security
// bound to one person's own rows until commit, and to a tenant's, unless that is
// uuid.Nil.
func (c *Cells) InPerson(ctx context.Context, person, tenant uuid.UUID, fn func(pgx.Tx) error) error {
	return c.InPersonAt(ctx, person, []uuid.UUID{tenant}, fn)
}

// InPersonAt is InPerson for what concerns several of the person's companies.
func (c *Cells) InPersonAt(ctx context.Context, person uuid.UUID, tenants []uuid.UUID, fn func(pgx.Tx) error) error {
	return in(ctx, c.main, []setting{{name: "app.person", value: person.String()}, tenantSetting(tenants)}, fn)
}

// InSystem runs fn in one transaction as the role that crosses tenants. It
// reaches only the tables that have a policy for it. Each call says why.
func (c *Cells) InSystem(ctx context.Context, fn func(pgx.Tx) error) error {
	return in(ctx, c.main, []setting{{name: "role", value: systemRole}}, fn)
}

// bindStatement sets something until the transaction ends.
const bindStatement = "SELECT set_config($1, $2, true)"

// setting is what a transaction sets first, for itself alone.
type setting struct{ name, value string }

// tenantSetting binds row security. The nil tenant owns the built-in registry
// rows and is never bound.
func tenantSetting(tenants []uuid.UUID) setting {
	ids := make([]string, 0, len(tenants))
	for _, tenant := range tenants {
		if tenant != uuid.Nil {
			ids = append(ids, tenant.String())
		}
	}
	return setting{name: "app.tenants", value: strings.Join(ids, ",")}
}

// in is inMode for a transaction of the usual kind.
func in(ctx context.Context, pool *pgxpool.Pool, settings []setting, fn func(pgx.Tx) error) error {
	return inMode(ctx, pool, pgx.TxOptions{}, settings, fn)
}

// inMode begins, sets, runs fn and commits. The commit is not tied to the caller's
// context: a cancelled commit has an unknown outcome.
func inMode(ctx context.Context, pool *pgxpool.Pool, mode pgx.TxOptions, settings []setting, fn func(pgx.Tx) error) error {
	tx, err := pool.BeginTx(ctx, mode)
	if err != nil {
		return Translate(fmt.Errorf("begin: %w", err))
	}
	committed := false
	defer func() {
		if !committed { // also when fn panics
			_ = tx.Rollback(context.WithoutCancel(ctx))
		}
	}()
	bind := &pgx.Batch{}
	for _, set := range settings {
		bind.Queue(bindStatement, set.name, set.value)
	}
	if err := tx.SendBatch(ctx, bind).Close(); err != nil {
		return Translate(fmt.Errorf("bind: %w", err))
	}
	if err := fn(tx); err != nil {
		return Translate(err)
	}
	committed = true
	if err := tx.Commit(context.WithoutCancel(ctx)); err != nil {
		// Not translated: whether it was stored is unknown, so nothing may say
		// that it was not.
		return fmt.Errorf("commit, outcome unknown: %w", hush(err))
	}
	return nil
}
