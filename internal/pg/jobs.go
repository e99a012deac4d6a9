package pg

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/quayside/quayside/internal/fault"
)

// jobSchema is the schema of River's tables. They hold only ids, never a tenant's data, and
// River's own migrations create them.
const jobSchema = "river"

// A run that exceeds jobTimeout is ended, so a job continues in a later run well before that.
// If its process dies, another starts it again after rescueAfter.
const (
	jobTimeout  = 60 * time.Second
	rescueAfter = 90 * time.Second
	// fetchEvery is how often an instance with a place free looks for jobs.
	fetchEvery = 500 * time.Millisecond
)

// enqueuer inserts jobs but does not work on them: it has no pool and uses callers'
// transactions.
var enqueuer = sync.OnceValue(func() *river.Client[pgx.Tx] {
	client, err := river.NewClient(riverpgxv5.New(nil), &river.Config{Schema: jobSchema})
	if err != nil {
		panic(err) // the configuration is constant
	}
	return client
})

// Enqueue starts background work if the transaction commits. Arguments hold only ids, because
// no row security protects them.
func Enqueue(ctx context.Context, tx pgx.Tx, args river.JobArgs) error {
	if _, err := enqueuer().InsertTx(ctx, tx, args, nil); err != nil {
		return fmt.Errorf("enqueue %s: %w", args.Kind(), err)
	}
	return nil
}

// Share returns the context of a run that shares its queue with other companies: wanted reports whether one of them
// waits for a place.
type Share func(ctx context.Context, wanted func(context.Context) bool) context.Context

// StartJobs works on the jobs of the queues until ctx ends. Companies take turns in each queue. The returned function
// waits until the running jobs are done or will continue in a later run.
func (c *Cells) StartJobs(ctx context.Context, workers *river.Workers, queues map[string]river.QueueConfig, share Share,
	log *slog.Logger) (wait func(), err error) {
	driver := &turnsDriver{riverpgxv5.New(c.pools[background].Pool), c}
	client, err := river.NewClient(driver, &river.Config{
		ID:                   c.id,
		Schema:               jobSchema,
		Workers:              workers,
		Queues:               queues,
		PollOnly:             true, // works through connection poolers and needs no connection for LISTEN
		FetchPollInterval:    fetchEvery,
		JobTimeout:           jobTimeout,
		RescueStuckJobsAfter: rescueAfter,
		ReindexerSchedule:    river.NeverSchedule(), // requires ownership
		Logger:               slog.New(warnings{log.Handler()}),
		Middleware: []rivertype.Middleware{river.WorkerMiddlewareFunc(
			func(ctx context.Context, row *rivertype.JobRow, work func(context.Context) error) error {
				held := &place{cells: c, queue: row.Queue}
				return work(share(ctx, held.isWanted))
			})},
	})
	if err != nil {
		return nil, fmt.Errorf("job client: %w", err)
	}
	// Not bound to ctx, whose end would also close the connections of running jobs.
	if err := client.Start(InBackground(context.WithoutCancel(ctx))); err != nil {
		return nil, fmt.Errorf("start jobs: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-ctx.Done()
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), jobTimeout)
		defer cancel()
		if err := client.StopAndCancel(stop); err != nil {
			log.ErrorContext(stop, "jobs did not stop", "err", err)
		}
	}()
	return func() { <-ended }, nil
}

// Leads reports whether this instance is the one that does chores for all. River elects it for its own upkeep among the
// instances that work on jobs. When it stops, another is elected within seconds; if it dies, within half a minute.
func (c *Cells) Leads(ctx context.Context) (leads bool, err error) {
	err = c.in(ctx, c.pulse.pool, nil, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+jobSchema+`.river_leader WHERE leader_id = $1 AND expires_at > now())`,
			c.id).Scan(&leads)
	})
	return leads, err
}

// jobStates are the states of jobs that are not done. Discarded ones failed for good, and are kept for a week.
var jobStates = []string{"available", "retryable", "running", "scheduled", "discarded"}

// CountJobs tells how many jobs of each queue have each state, and how long the oldest of them has been due.
func (c *Cells) CountJobs(ctx context.Context, queues []string,
	tell func(queue, state string, count int64, oldest time.Duration)) error {
	return c.in(ctx, c.pulse.pool, nil, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT n.queue, s.state, count(j.id),
				coalesce(extract(epoch FROM now() - min(j.scheduled_at)), 0)::double precision
			FROM unnest($1::text[]) AS n (queue) CROSS JOIN unnest($2::text[]) AS s (state)
			LEFT JOIN `+jobSchema+`.river_job j ON j.queue = n.queue AND j.state = s.state::`+jobSchema+`.river_job_state
			GROUP BY n.queue, s.state`, queues, jobStates)
		if err != nil {
			return err
		}
		var queue, state string
		var count int64
		var seconds float64
		_, err = pgx.ForEachRow(rows, []any{&queue, &state, &count, &seconds}, func() error {
			tell(queue, state, count, max(time.Duration(seconds*float64(time.Second)), 0))
			return nil
		})
		return err
	})
}

// warnings drops River's log lines below the level of a warning.
type warnings struct{ slog.Handler }

func (warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// migrateJobs updates River's tables and grants the service access to them.
func migrateJobs(ctx context.Context, ownerURL string) ([]string, error) {
	pool, err := pgxpool.New(ctx, ownerURL)
	if err != nil {
		return nil, fmt.Errorf("open pool: %w", err)
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+jobSchema); err != nil {
		return nil, err
	}
	migrator, err := jobMigrator(pool)
	if err != nil {
		return nil, err
	}
	result, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return nil, err
	}
	var applied []string
	for _, version := range result.Versions {
		applied = append(applied, fmt.Sprintf("river %03d %s", version.Version, version.Name))
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		made, err := indexTurns(ctx, tx)
		if made {
			applied = append(applied, "river indexes for turns")
		}
		return err
	})
	if err != nil {
		return applied, err
	}
	for _, grant := range []string{
		"GRANT USAGE ON SCHEMA " + jobSchema + " TO " + AppRole,
		"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + jobSchema + " TO " + AppRole,
		"GRANT USAGE ON ALL SEQUENCES IN SCHEMA " + jobSchema + " TO " + AppRole,
		"GRANT USAGE ON SCHEMA " + jobSchema + " TO " + BackupRole,
		"GRANT SELECT ON ALL TABLES IN SCHEMA " + jobSchema + " TO " + BackupRole,
		"GRANT SELECT ON ALL SEQUENCES IN SCHEMA " + jobSchema + " TO " + BackupRole,
	} {
		if _, err := pool.Exec(ctx, grant); err != nil {
			return applied, err
		}
	}
	return applied, nil
}

func jobMigrator(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	return rivermigrate.New(riverpgxv5.New(pool),
		&rivermigrate.Config{Schema: jobSchema, Logger: slog.New(slog.DiscardHandler)})
}

// checkJobs refuses a database whose job tables are older than this binary's River.
func (c *Cells) checkJobs(ctx context.Context) error {
	migrator, err := jobMigrator(c.pulse.pool)
	if err != nil {
		return err
	}
	result, err := migrator.Validate(ctx, nil)
	if err != nil {
		return explain(err)
	}
	indexed := false
	if err := c.pulse.pool.QueryRow(ctx, hasIndexes).Scan(&indexed); err != nil {
		return explain(err)
	}
	if !result.OK || !indexed {
		return fault.New(fault.Unavailable, "migrations_missing",
			"the tables of background jobs are not up to date; run 'quayside migrate'")
	}
	return nil
}
