package pg

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// Companies take turns in each queue (docs/decisions/0047). River would start the jobs that have waited longest, so that
// a company with many jobs keeps all others waiting. Everything else about jobs is River's.

//go:embed turns/take.sql
var takeTurn string

//go:embed turns/wanted.sql
var wantedByOthers string

//go:embed turns/indexes.sql
var turnIndexes string

const (
	turnLock = "SELECT pg_advisory_xact_lock(hashtextextended($1, hashtext('jobs take turns')))"
	anyDue   = `SELECT EXISTS (SELECT FROM ` + jobSchema + `.river_job
		WHERE state = 'available' AND queue = $1 AND scheduled_at <= statement_timestamp())`
	hasIndexes = `SELECT to_regclass('` + jobSchema + `.river_job_waiting') IS NOT NULL
		AND to_regclass('` + jobSchema + `.river_job_served') IS NOT NULL`
)

// turnsDriver is River's driver, whose executor chooses jobs by turns.
type turnsDriver struct {
	*riverpgxv5.Driver
	cells *Cells
}

// GetExecutor returns what a client works with.
func (d *turnsDriver) GetExecutor() riverdriver.Executor {
	return &turnsExecutor{Executor: d.Driver.GetExecutor(), driver: d}
}

type turnsExecutor struct {
	riverdriver.Executor
	driver *turnsDriver
}

// JobGetAvailable takes jobs for a client that has places free.
func (e *turnsExecutor) JobGetAvailable(ctx context.Context, want *riverdriver.JobGetAvailableParams) (
	*riverdriver.JobGetAvailableResult, error) {
	jobs, err := e.driver.take(ctx, want)
	return &riverdriver.JobGetAvailableResult{Jobs: jobs}, err
}

func (d *turnsDriver) take(ctx context.Context, want *riverdriver.JobGetAvailableParams) (jobs []*rivertype.JobRow, err error) {
	pool := d.cells.pools[background].Pool
	var due bool // most looks find nothing, and need no transaction
	if err := pool.QueryRow(ctx, anyDue, want.Queue).Scan(&due); err != nil || !due {
		return nil, err
	}
	err = d.cells.in(ctx, pool, nil, func(tx pgx.Tx) error {
		ids, err := takeTurns(ctx, tx, want.Queue, want.ClientID, want.MaxToLock)
		if err != nil || len(ids) == 0 {
			return err
		}
		jobs, err = d.UnwrapExecutor(tx).JobGetByIDMany(ctx, &riverdriver.JobGetByIDManyParams{ID: ids, Schema: want.Schema})
		return err
	})
	return jobs, err
}

// takeTurns takes up to most jobs of a queue for an instance.
func takeTurns(ctx context.Context, tx pgx.Tx, queue, instance string, most int) (ids []int64, err error) {
	if _, err := tx.Exec(ctx, turnLock, queue); err != nil {
		return nil, fmt.Errorf("lock the queue %s: %w", queue, err)
	}
	for len(ids) < most {
		var id int64
		err := tx.QueryRow(ctx, takeTurn, queue, instance, jobTimeout).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("take a job of the queue %s: %w", queue, err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

const (
	// askEvery is how often a running job asks whether another company waits.
	askEvery = 250 * time.Millisecond
	// waitingSince is for how long the other company's job has been due then: until an instance with a place free would have taken it.
	waitingSince = fetchEvery
)

// place is a place in a queue that a running job holds.
type place struct {
	cells *Cells
	queue string

	mu     sync.Mutex
	asked  time.Time
	wanted bool
}

// isWanted reports whether another company waits for a place.
func (p *place) isWanted(ctx context.Context) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted || time.Since(p.asked) < askEvery {
		return p.wanted
	}
	p.asked = time.Now()
	err := p.cells.pools[background].QueryRow(ctx, wantedByOthers, p.queue, waitingSince, jobTimeout).Scan(&p.wanted)
	return err == nil && p.wanted
}

// indexTurns creates the indexes that turns need, unless they are there. River's own migrations made the table.
func indexTurns(ctx context.Context, owner pgx.Tx) (made bool, err error) {
	var exist bool
	if err := owner.QueryRow(ctx, hasIndexes).Scan(&exist); err != nil || exist {
		return false, err
	}
	if _, err := owner.Exec(ctx, "SET LOCAL lock_timeout = '5s'"); err != nil {
		return false, err
	}
	_, err = owner.Exec(ctx, turnIndexes)
	return err == nil, err
}
