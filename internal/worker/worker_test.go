package worker_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/sending"
	"github.com/quayside/quayside/internal/unknown"
	"github.com/quayside/quayside/internal/upload"
)

// TestKindsTakeTurns checks that every kind of job names its company as the statement that chooses jobs reads it, and
// has a queue with places.
func TestKindsTakeTurns(t *testing.T) {
	t.Parallel()
	company := uuid.New()
	whose := job.For{Tenant: company}
	kinds := []interface {
		river.JobArgs
		river.JobArgsWithInsertOpts
	}{
		failed.BulkJob{For: whose}, upload.Job{For: whose}, unknown.BackfillJob{For: whose}, procure.AgentJob{Tenant: company},
		sending.Job{Tenant: company}, exchange.Job{Tenant: company}, ingest.ConversionJob{Tenant: company},
	}
	for _, kind := range kinds {
		text, err := json.Marshal(kind)
		require.NoError(t, err)
		var args struct{ Tenant uuid.UUID }
		require.NoError(t, json.Unmarshal(text, &args))
		require.Equal(t, company, args.Tenant, kind.Kind())
		require.Positive(t, job.Queues()[kind.InsertOpts().Queue].MaxWorkers, kind.Kind())
	}
}
