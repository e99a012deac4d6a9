package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// batchSettings are for connections that run set-based statements over arrays. A
// custom plan per call would cost more than it saves; nested loops over the input,
// which the planner thinks is small, are quadratic in the batch; index look-ups by
// LATERAL … LIMIT 1 are not affected.
var batchSettings = map[string]string{
	"plan_cache_mode":  "force_generic_plan",
	"enable_nestloop":  "off",
	"enable_mergejoin": "off",
	"jit":              "off",
	"lock_timeout":     "1s", // a row that somebody holds must not hold up a lane
}

// InBatch sends statements in one round trip. They are one transaction, bound to the
// tenants: either all of them happen or none does.
func (c *Cells) InBatch(ctx context.Context, tenants []uuid.UUID, queue func(*pgx.Batch)) error {
	bound := tenantSetting(tenants)
	batch := &pgx.Batch{}
	batch.Queue(bindStatement, bound.name, bound.value)
	queue(batch)
	// Everything up to the end of the batch is one implicit transaction.
	err := c.lanes.SendBatch(ctx, batch).Close()
	return Translate(err)
}

// InBatchSteps runs steps in one transaction bound to the tenants, each under a
// savepoint of its own: one that fails undoes nothing but itself. It returns the
// steps' errors, or the error that undid them all.
func (c *Cells) InBatchSteps(ctx context.Context, tenants []uuid.UUID, steps []func(*pgx.Batch)) ([]error, error) {
	failed := make([]error, len(steps))
	err := in(ctx, c.lanes, []setting{tenantSetting(tenants)}, func(tx pgx.Tx) error {
		for i, step := range steps {
			batch := &pgx.Batch{}
			batch.Queue("SAVEPOINT step")
			step(batch)
			batch.Queue("RELEASE SAVEPOINT step")
			err := tx.SendBatch(ctx, batch).Close()
			if err == nil {
				continue
			}
			if _, undone := tx.Exec(ctx, "ROLLBACK TO SAVEPOINT step"); undone != nil {
				return errors.Join(undone, hush(err))
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
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open lanes: %w", err)
	}
	return pool, nil
}
