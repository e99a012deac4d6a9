// Package worker does the work that was asked for and need not be done at once. A worker
// is as thin as a handler: it finds out for whom, calls one domain function, and says
// whether there is more.
package worker

import (
	"context"

	"github.com/riverqueue/river"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/upload"
)

// Domains are what the workers call.
type Domains struct {
	Accounts *account.Service
	Failures *failed.Service
	Uploads  *upload.Service
}

// New returns a worker for every kind of job.
func New(d Domains) *river.Workers {
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(d.bulkRetry))
	river.AddWorker(workers, river.WorkFunc(d.fileImport))
	return workers
}

// bulkRetry works on a bulk retry for who started it, with what they may do by now.
func (d Domains) bulkRetry(ctx context.Context, job *river.Job[failed.BulkJob]) error {
	by, err := d.Accounts.Now(ctx, job.Args.Person, job.Args.Tenant, job.Args.Workspace)
	if err != nil {
		return err
	}
	return again(d.Failures.Run(ctx, by, job.Args.Bulk))
}

// fileImport works on an import for who started it, with what they may do by now.
func (d Domains) fileImport(ctx context.Context, job *river.Job[upload.Job]) error {
	by, err := d.Accounts.Now(ctx, job.Args.Person, job.Args.Tenant, job.Args.Workspace)
	if err != nil {
		return err
	}
	return again(d.Uploads.Run(ctx, by, job.Args.Import))
}

// again has a job that is not done run once more, here or on another instance.
func again(more bool, err error) error {
	if err == nil && more {
		return river.JobSnooze(0)
	}
	return err
}
