package pg

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// CheckRole refuses a role that row security does not bind: a superuser, one with BYPASSRLS,
// or one that owns a table; and a connection that lost the role or the time limits it was opened with.
func (c *Cells) CheckRole(ctx context.Context) error {
	return c.read(ctx, func(queries *q.Queries) error {
		role, err := queries.EffectiveRole(ctx)
		if err != nil {
			return err
		}
		switch {
		case role.Name != AppRole || !role.HasTimeouts:
			return fault.New(fault.Forbidden, "parameters_lost",
				"the service would run as %s and not as %s, or without time limits: something between it and PostgreSQL, "+
					"such as PgBouncer, drops the parameters with which a connection begins; connect directly", role.Name, AppRole)
		case role.Superuser:
			return fault.New(fault.Forbidden, "role_superuser",
				"the service would run as %s, a superuser, whom row security does not bind; ALTER ROLE %s NOSUPERUSER", role.Name,
				role.Name)
		case role.BypassesRowSecurity:
			return fault.New(fault.Forbidden, "role_bypasses",
				"the service would run as %s, which bypasses row security; ALTER ROLE %s NOBYPASSRLS", role.Name, role.Name)
		case role.InheritsSystem:
			return fault.New(fault.Forbidden, "role_inherits",
				"%s inherits the rights of quayside_system, which reads across tenants; ALTER ROLE %s NOINHERIT", role.Name,
				role.Name)
		case role.Owns > 0:
			return fault.New(fault.Forbidden, "role_owner",
				"the service would run as %s, which owns %d tables or may become their owner, and an owner can switch row security off; let another role own them", role.Name, role.Owns)
		}
		return nil
	})
}

// CheckMigrations refuses a database that lacks migrations of this binary. A database that is
// ahead is fine: migrations expand before they contract.
func (c *Cells) CheckMigrations(ctx context.Context) error {
	var applied []int64
	err := explain(c.in(ctx, c.pulse.pool, nil, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, appliedMigrations).Scan(&applied)
	}))
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && (pgErr.Code == "42P01" || pgErr.Code == "3F000" || pgErr.Code == "42501") {
		applied, err = nil, nil
	}
	if err != nil {
		return err
	}
	if missing := missingMigrations(applied); len(missing) > 0 {
		return fault.New(fault.Unavailable, "migrations_missing",
			"the database lacks %d of this binary's migrations, %s first; run 'quayside migrate'", len(missing), missing[0])
	}
	return c.checkJobs(ctx)
}

// CheckRowSecurity returns every relation that could show one tenant another's rows. It should
// be empty.
func (c *Cells) CheckRowSecurity(ctx context.Context) (gaps []string, err error) {
	err = c.read(ctx, func(queries *q.Queries) (err error) {
		gaps, err = queries.RowSecurityGaps(ctx)
		return err
	})
	return gaps, err
}

// CheckPartitions fails if the outbox has no partition for tomorrow's events.
func (c *Cells) CheckPartitions(ctx context.Context) error {
	var ready bool
	err := c.read(ctx, func(queries *q.Queries) (err error) {
		ready, err = queries.TomorrowHasPartition(ctx)
		return err
	})
	if err == nil && !ready {
		return fault.New(fault.Unavailable, "partition_missing",
			"the outbox has no partition for tomorrow; is 'quayside serve' allowed to call workspace.keep_event_partitions?")
	}
	return err
}

// DaysAhead returns for how many days from tomorrow on the outbox has partitions.
func (c *Cells) DaysAhead(ctx context.Context) (days int64, err error) {
	err = c.read(ctx, func(queries *q.Queries) (err error) {
		days, err = queries.EventDaysAhead(ctx)
		return err
	})
	return days, err
}

// ClockDrift returns how far the database's clock is ahead of this machine's.
func (c *Cells) ClockDrift(ctx context.Context) (time.Duration, error) {
	var drift time.Duration
	err := c.read(ctx, func(queries *q.Queries) error {
		before := time.Now()
		theirs, err := queries.Clock(ctx)
		ours := before.Add(time.Since(before) / 2)
		drift = theirs.Sub(ours)
		return err
	})
	return drift, err
}

// read runs a query about the database itself, bound to no tenant.
func (c *Cells) read(ctx context.Context, fn func(*q.Queries) error) error {
	err := c.in(ctx, c.pulse.pool, nil, func(tx pgx.Tx) error { return fn(q.New(tx)) })
	return explain(err)
}
