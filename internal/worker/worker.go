// Package worker runs background jobs. A worker is as thin as a handler: it loads the person
// who started the job, calls one domain function, and reports whether there is more to do.
package worker

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/sending"
	"github.com/quayside/quayside/internal/unknown"
	"github.com/quayside/quayside/internal/upload"
)

// suspendedPause is how often a job of a suspended company looks whether it may go on.
const suspendedPause = 10 * time.Minute

// Domains are the packages that the workers call.
type Domains struct {
	Accounts *account.Service
	Failures *failed.Service
	Uploads  *upload.Service
	Unknown  *unknown.Service
	Procure  *procure.Service
	Sending  *sending.Service
	Exchange *exchange.Service
	Records  *ingest.Service
}

// New returns a worker for every kind of job.
func New(d Domains) *river.Workers {
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(d.bulkRetry))
	river.AddWorker(workers, river.WorkFunc(d.fileImport))
	river.AddWorker(workers, river.WorkFunc(d.backfill))
	river.AddWorker(workers, river.WorkFunc(d.agentRun))
	river.AddWorker(workers, river.WorkFunc(d.orderMail))
	river.AddWorker(workers, river.WorkFunc(d.exchangeOrder))
	river.AddWorker(workers, river.WorkFunc(d.conversion))
	return workers
}

// whileOpen does work for a company, or lets the job wait as long as the company is suspended.
func (d Domains) whileOpen(ctx context.Context, tenant uuid.UUID, work func() error) error {
	suspended, err := d.Accounts.Suspended(ctx, tenant)
	if err != nil {
		return err
	}
	if suspended {
		return river.JobSnooze(suspendedPause)
	}
	return work()
}

func (d Domains) bulkRetry(ctx context.Context, task *river.Job[failed.BulkJob]) error {
	return d.run(ctx, task.Args.For, d.Failures.Run, task.Args.Bulk)
}

func (d Domains) fileImport(ctx context.Context, task *river.Job[upload.Job]) error {
	return d.run(ctx, task.Args.For, d.Uploads.Run, task.Args.Import)
}

func (d Domains) backfill(ctx context.Context, task *river.Job[unknown.BackfillJob]) error {
	return d.run(ctx, task.Args.For, d.Unknown.Run, task.Args.Backfill)
}

// agentRun has no person: the agent acts for itself.
func (d Domains) agentRun(ctx context.Context, task *river.Job[procure.AgentJob]) error {
	return d.whileOpen(ctx, task.Args.Tenant, func() error {
		more, pause, err := d.Procure.WorkOn(ctx, task.Args)
		if err == nil && more {
			return river.JobSnooze(pause)
		}
		return err
	})
}

// orderMail has no person: whoever sent the order was asked for their rights when they did.
func (d Domains) orderMail(ctx context.Context, task *river.Job[sending.Job]) error {
	return d.whileOpen(ctx, task.Args.Tenant, func() error {
		pause, err := d.Sending.Deliver(ctx, task.Args)
		if err == nil && pause > 0 {
			return river.JobSnooze(pause)
		}
		return err
	})
}

// exchangeOrder has no person: the connection's sync acts for itself.
func (d Domains) exchangeOrder(ctx context.Context, task *river.Job[exchange.Job]) error {
	return d.whileOpen(ctx, task.Args.Tenant, func() error {
		pause, err := d.Exchange.Work(ctx, task.Args)
		if err == nil && pause > 0 {
			return river.JobSnooze(pause)
		}
		return err
	})
}

// conversion has no person: whoever changed the type was asked for their rights when they did.
func (d Domains) conversion(ctx context.Context, task *river.Job[ingest.ConversionJob]) error {
	return d.whileOpen(ctx, task.Args.Tenant, func() error {
		more, pause, err := d.Records.Convert(ctx, task.Args)
		if err == nil && more {
			return river.JobSnooze(pause)
		}
		return err
	})
}

// run works on a job with the current rights of the person who started it. A job that is not
// done runs again, here or on another instance.
func (d Domains) run(ctx context.Context, who job.For,
	work func(context.Context, auth.Principal, uuid.UUID) (bool, error), id uuid.UUID) error {
	return d.whileOpen(ctx, who.Tenant, func() error {
		by, err := d.Accounts.CurrentPrincipal(ctx, who.Person, who.Tenant, who.Workspace)
		if err != nil {
			return err
		}
		more, err := work(ctx, by, id)
		if err == nil && more {
			return river.JobSnooze(0)
		}
		return err
	})
}
