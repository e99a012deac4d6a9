package worker_test

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/sending"
	"github.com/quayside/quayside/internal/unknown"
	"github.com/quayside/quayside/internal/upload"
	"github.com/quayside/quayside/internal/worker"
)

// arguments are those of a job.
type arguments interface {
	river.JobArgs
	river.JobArgsWithInsertOpts
}

// kinds returns a job of each kind for a company, with nothing to work on.
func kinds(company uuid.UUID) []arguments {
	whose := job.For{Tenant: company}
	return []arguments{
		failed.BulkJob{For: whose}, upload.Job{For: whose}, unknown.BackfillJob{For: whose}, procure.AgentJob{Tenant: company},
		sending.Job{Tenant: company}, exchange.Job{Tenant: company}, ingest.ConversionJob{Tenant: company},
	}
}

// TestKindsTakeTurns checks that every kind of job names its company as the statement that chooses jobs reads it, and
// has a queue with places.
func TestKindsTakeTurns(t *testing.T) {
	t.Parallel()
	company := uuid.New()
	for _, kind := range kinds(company) {
		text, err := json.Marshal(kind)
		require.NoError(t, err)
		var args struct{ Tenant uuid.UUID }
		require.NoError(t, json.Unmarshal(text, &args))
		require.Equal(t, company, args.Tenant, kind.Kind())
		require.Positive(t, job.Queues()[kind.InsertOpts().Queue].MaxWorkers, kind.Kind())
	}
}

// TestJobsOfASuspendedCompanyWait has River work on a job of each kind for a suspended company: each waits for ten minutes.
// Those of another company are tried meanwhile, and fail here, since no domain but the accounts is there to do them.
func TestJobsOfASuspendedCompanyWait(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	suspended, open := pgtest.NewTenant(t, db).ID, pgtest.NewTenant(t, db).ID
	accounts := account.New(db.Cells, nil, slog.New(slog.DiscardHandler), "")
	_, err := accounts.Suspend(t.Context(), suspended, "unpaid")
	require.NoError(t, err)

	pool, err := pgxpool.New(t.Context(), db.AdminURL)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: "river", Queues: job.Queues(), PollOnly: true,
		Workers: worker.New(worker.Domains{Accounts: accounts}), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	events, stop := client.Subscribe(river.EventKindJobSnoozed, river.EventKindJobFailed, river.EventKindJobCompleted, river.EventKindJobCancelled)
	defer stop()
	want, got := map[string]river.EventKind{}, map[string]river.EventKind{}
	for company, what := range map[uuid.UUID]river.EventKind{suspended: river.EventKindJobSnoozed, open: river.EventKindJobFailed} {
		for _, kind := range kinds(company) {
			_, err := client.Insert(t.Context(), kind, nil)
			require.NoError(t, err)
			want[company.String()+" "+kind.Kind()] = what
		}
	}
	begun := time.Now()
	require.NoError(t, client.Start(t.Context()))
	for range want {
		event := <-events
		var args struct{ Tenant uuid.UUID }
		require.NoError(t, json.Unmarshal(event.Job.EncodedArgs, &args))
		got[args.Tenant.String()+" "+event.Job.Kind] = event.Kind
		if event.Kind == river.EventKindJobSnoozed {
			require.WithinDuration(t, begun.Add(10*time.Minute), event.Job.ScheduledAt, time.Minute, event.Job.Kind)
		}
	}
	require.Equal(t, want, got)
	require.NoError(t, client.StopAndCancel(t.Context()))
}
