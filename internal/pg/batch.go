package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// batchSettings are for connections that run statements over arrays. A custom plan per call
// would cost more than it saves. Nested loops over the input, which the planner takes to be
// small, are quadratic in the batch; index look-ups by LATERAL … LIMIT 1 are not affected.
var batchSettings = map[string]string{
	"plan_cache_mode":  "force_generic_plan",
	"enable_nestloop":  "off",
	"enable_mergejoin": "off",
	"jit":              "off",
	// A lane must not wait long for a lock, nor for a statement until batchTimeout, after
	// which its outcome would be unknown.
	"lock_timeout":      "200ms",
	"statement_timeout": "5s",
}

// bindBatch is bindStatement, and also reads the database's clock.
const bindBatch = "SELECT set_config($1, $2, true), clock_timestamp()"

// InBatch sends statements in one round trip. They are one transaction, bound to the tenants:
// either all of them take effect or none does. queue receives the clock of the connection that
// they will run on.
func (c *Cells) InBatch(ctx context.Context, tenants []uuid.UUID, queue func(*pgx.Batch, Clock)) error {
	conn, err := c.acquire(ctx, c.lanes, false)
	if err != nil {
		return err
	}
	defer conn.Release() // also after a panic
	batch, session := &pgx.Batch{}, conn.Conn()
	bindTenants(batch, session, tenants)
	queue(batch, clockOf(session.PgConn()))
	// Everything up to the end of the batch is one implicit transaction.
	err = c.commits.await(ctx, conn, batchTimeout, func(ctx context.Context) error {
		return session.SendBatch(ctx, batch).Close()
	})
	return c.committed(ctx, err)
}

// bindTenants queues the binding of row security, and a measurement of the clock.
func bindTenants(batch *pgx.Batch, conn *pgx.Conn, tenants []uuid.UUID) {
	bound, asked := tenantSetting(tenants), time.Now()
	batch.Queue(bindBatch, bound.name, bound.value).QueryRow(func(row pgx.Row) error {
		var setting string
		var there time.Time
		if err := row.Scan(&setting, &there); err != nil {
			return err
		}
		setClock(conn.PgConn(), asked, there)
		return nil
	})
}

// InBatchSteps runs steps in one transaction bound to the tenants, each under its own
// savepoint: a step that fails undoes only itself. Each waits for locks no longer than
// patience; 0 means as long as a batch does. It returns the steps' errors, or the error that
// undid them all.
func (c *Cells) InBatchSteps(ctx context.Context, tenants []uuid.UUID, patience time.Duration,
	steps []func(*pgx.Batch, Clock)) ([]error, error) {
	failed := make([]error, len(steps))
	settings := []setting{tenantSetting(tenants)}
	if patience > 0 {
		settings = append(settings, milliseconds("lock_timeout", patience))
	}
	err := c.in(ctx, c.lanes, settings, func(tx pgx.Tx) error {
		clock := clockOf(tx.Conn().PgConn())
		for i, step := range steps {
			// Sent alone: pgx prepares a batch's statements before it sends the batch, and
			// the savepoint must exist if one of them cannot be prepared.
			if _, err := tx.Exec(ctx, "SAVEPOINT step"); err != nil {
				return err
			}
			batch := &pgx.Batch{}
			step(batch, clock)
			batch.Queue("RELEASE SAVEPOINT step")
			err := tx.SendBatch(ctx, batch).Close()
			if err == nil {
				continue
			}
			if _, undone := tx.Exec(ctx, "ROLLBACK TO SAVEPOINT step"); undone != nil {
				return errors.Join(undone, redact(err))
			}
			failed[i] = Translate(err)
		}
		return nil
	})
	return failed, err
}

// openLanes opens the pool that batches run on.
func openLanes(ctx context.Context, config *pgxpool.Config, lanes int32) (*pgxpool.Pool, error) {
	config = config.Copy()
	config.MaxConns = lanes
	for name, value := range batchSettings {
		config.ConnConfig.RuntimeParams[name] = value
	}
	config.AfterConnect = readClock
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open lanes: %w", err)
	}
	return pool, nil
}
