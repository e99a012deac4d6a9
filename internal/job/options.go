package job

import (
	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// For says on whose behalf a job works: a person, with the role that they have while it runs.
type For struct {
	Tenant    uuid.UUID `json:"tenant"`
	Workspace uuid.UUID `json:"workspace"`
	Person    uuid.UUID `json:"person"`
}

// The queues. Each kind of job has workers of its own, so that none starves another.
const (
	Retries   = "retries"
	Imports   = "imports"
	Agents    = "agents"
	Mails     = "mails"
	Exchanges = "exchanges"
	Backfills = "backfills"

	Conversions = "conversions"
)

// Queues are the queues with how many jobs of each an instance works on at once. Jobs that an
// older version enqueued wait in River's default queue.
func Queues() map[string]river.QueueConfig {
	return map[string]river.QueueConfig{
		river.QueueDefault: {MaxWorkers: 2},
		Retries:            {MaxWorkers: 2},
		Imports:            {MaxWorkers: 2},
		Agents:             {MaxWorkers: 2},
		Mails:              {MaxWorkers: 2},
		Backfills:          {MaxWorkers: 2},
		Conversions:        {MaxWorkers: 1},
		Exchanges:          {MaxWorkers: 8}, // they mostly wait for the other system
	}
}

// In returns how a kind of job is enqueued: in this queue, and the same arguments once as
// long as that job has not ended.
func In(queue string) river.InsertOpts {
	return river.InsertOpts{Queue: queue, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
		rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}}}
}
