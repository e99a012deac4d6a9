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

	"github.com/quayside/quayside/internal/share"
)

// InTenant runs fn in one transaction of the tenant's cell, with row security bound to that
// tenant until commit.
func (c *Cells) InTenant(ctx context.Context, tenant uuid.UUID, fn func(pgx.Tx) error) error {
	return c.InTenants(ctx, []uuid.UUID{tenant}, fn)
}

// InTenants is InTenant for a batch with records of several tenants of one cell.
func (c *Cells) InTenants(ctx context.Context, tenants []uuid.UUID, fn func(pgx.Tx) error) error {
	return c.in(ctx, c.pool(ctx), []setting{tenantSetting(tenants)}, fn)
}

// InTenantsWithin is InTenants for statements that wait for locks no longer than patience;
// Locked recognises the error.
func (c *Cells) InTenantsWithin(ctx context.Context, tenants []uuid.UUID, patience time.Duration,
	fn func(pgx.Tx) error) error {
	return c.in(ctx, c.pool(ctx), []setting{tenantSetting(tenants), milliseconds("lock_timeout", patience)}, fn)
}

// Reading runs fn in one read-only transaction of the tenant's cell with a single snapshot,
// and with row security bound to the tenant. A statement that takes longer than within is
// ended; TookTooLong recognises the error. Statements are not compiled: they run once, and
// compiling one with many expressions takes seconds. Nor are the results of look-ups kept for
// repeats: the planner also does that where no look-up repeats, which has taken seconds.
func (c *Cells) Reading(ctx context.Context, tenant uuid.UUID, within time.Duration, fn func(pgx.Tx) error) error {
	defer share.Away(ctx)()
	pool := c.pools[marked(ctx, reads)]
	leave, err := pool.sit(ctx, tenant)
	if err != nil {
		return err
	}
	defer leave()
	settings := []setting{tenantSetting([]uuid.UUID{tenant}), milliseconds("statement_timeout", within), {"jit", "off"},
		{"enable_memoize", "off"}}
	if pool.crowded(tenant) {
		settings = append(settings, setting{"max_parallel_workers_per_gather", "0"})
	}
	return c.inMode(ctx, pool.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, settings, fn)
}

// InControl runs fn in one transaction of the control database, with row security
// bound to the tenant until commit.
func (c *Cells) InControl(ctx context.Context, tenant uuid.UUID, fn func(pgx.Tx) error) error {
	return c.in(ctx, c.pool(ctx), []setting{tenantSetting([]uuid.UUID{tenant})}, fn)
}

// InPerson runs fn in one transaction of the control database, with row security bound until
// commit to one person's own rows and, unless tenant is uuid.Nil, to the tenant's.
func (c *Cells) InPerson(ctx context.Context, person, tenant uuid.UUID, fn func(pgx.Tx) error) error {
	return c.InPersonAt(ctx, person, []uuid.UUID{tenant}, fn)
}

// InPersonAt is InPerson for several of the person's companies.
func (c *Cells) InPersonAt(ctx context.Context, person uuid.UUID, tenants []uuid.UUID, fn func(pgx.Tx) error) error {
	return c.in(ctx, c.pool(ctx), []setting{{name: "app.person", value: person.String()}, tenantSetting(tenants)}, fn)
}

// InSystem runs fn in one transaction as the role that crosses tenants. It reaches only tables
// that have a policy for this role. Each call says why in a comment.
func (c *Cells) InSystem(ctx context.Context, fn func(pgx.Tx) error) error {
	return c.in(ctx, c.pool(ctx), []setting{{name: "role", value: systemRole}}, fn)
}

// InSystemFor is InSystem for one of many who call. At most a share of the connections is in use for
// each of them, so that nobody's calls keep the others waiting.
func (c *Cells) InSystemFor(ctx context.Context, who uuid.UUID, fn func(pgx.Tx) error) error {
	defer share.Away(ctx)()
	leave, err := c.pools[people].sit(ctx, who)
	if err != nil {
		return err
	}
	defer leave()
	return c.InSystem(ctx, fn)
}

// bindStatement sets a setting until the transaction ends.
const bindStatement = "SELECT set_config($1, $2, true)"

// setting is a setting of one transaction.
type setting struct{ name, value string }

// milliseconds sets a time limit.
func milliseconds(name string, limit time.Duration) setting {
	return setting{name: name, value: strconv.FormatInt(limit.Milliseconds(), 10)}
}

// tenantSetting binds row security. The nil tenant owns the built-in registry rows and is
// never bound.
func tenantSetting(tenants []uuid.UUID) setting {
	ids := make([]string, 0, len(tenants))
	for _, tenant := range tenants {
		if tenant != uuid.Nil {
			ids = append(ids, tenant.String())
		}
	}
	return setting{name: "app.tenants", value: strings.Join(ids, ",")}
}

// pool returns the connections for a short transaction, or those that the context is marked with.
func (c *Cells) pool(ctx context.Context) *pgxpool.Pool {
	return c.pools[marked(ctx, people)].Pool
}

// in is inMode for a default transaction.
func (c *Cells) in(ctx context.Context, pool *pgxpool.Pool, settings []setting, fn func(pgx.Tx) error) error {
	return c.inMode(ctx, pool, pgx.TxOptions{}, settings, fn)
}

// inMode begins a transaction, applies the settings, runs fn and commits. The commit does not
// depend on the caller's context: it has its own deadline, after which its outcome is unknown. Its
// time is not the caller's share of the processors, but of the connections.
func (c *Cells) inMode(ctx context.Context, pool *pgxpool.Pool, mode pgx.TxOptions, settings []setting,
	fn func(pgx.Tx) error) error {
	defer share.Away(ctx)()
	conn, err := c.acquire(ctx, pool, mode.AccessMode == pgx.ReadOnly)
	if err != nil {
		return err
	}
	defer conn.Release()
	tx, err := conn.Conn().BeginTx(ctx, mode)
	if err != nil {
		return Translate(fmt.Errorf("begin: %w", err))
	}
	ended := false
	defer func() {
		if !ended { // also if fn panics
			rollback(ctx, tx)
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
	ended = true
	return c.committed(ctx, c.commits.await(ctx, conn, commitTimeout, tx.Commit))
}

// acquire returns a connection, unless too many commits are unanswered, PostgreSQL is down, or all connections
// stay in use. Whoever has waited for a while asks whether PostgreSQL is down, and keeps its place in the queue
// if it is not: a connection to a server that has stopped is found out only then.
func (c *Cells) acquire(ctx context.Context, pool *pgxpool.Pool, reads bool) (*pgxpool.Conn, error) {
	if err := c.commits.room(); err != nil {
		return nil, err
	}
	if pool == c.pulse.pool {
		return acquired(pool.Acquire(ctx))
	}
	if err := c.pulse.refuse(reads); err != nil {
		return nil, err
	}
	waiting, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	asking := time.AfterFunc(acquirePatience, func() { giveUp(c.untilDown(waiting, reads)) })
	defer asking.Stop()
	if limit := c.patience(pool); limit > 0 {
		defer time.AfterFunc(limit, func() { giveUp(errBusy) }).Stop()
	}
	conn, err := pool.Acquire(waiting)
	if refused := context.Cause(waiting); err != nil && ctx.Err() == nil && refused != nil {
		return nil, refused
	}
	return acquired(conn, err)
}

func acquired(conn *pgxpool.Conn, err error) (*pgxpool.Conn, error) {
	if err != nil {
		return nil, Translate(fmt.Errorf("acquire: %w", err))
	}
	return conn, nil
}

// committed interprets the error of a commit, and asks whether PostgreSQL is well if there was no answer.
func (c *Cells) committed(ctx context.Context, err error) error {
	if err = commitError(err); OutcomeUnknown(err) {
		go func() { _ = c.Pulse(context.WithoutCancel(ctx)) }()
	}
	return err
}

// rollback undoes a transaction, even if the caller has gone.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = tx.Rollback(ctx)
}
