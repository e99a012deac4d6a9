// Package freshness says since when the demand or the queue of a workspace lacks something that is stored. It
// judges stored facts only: when a computation last succeeded, and since when something waits. So it does not
// matter which process computes, why a computation fails, or whether this process has just started; and a
// workspace is fresh again as soon as a computation succeeds.
package freshness

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Part is what is computed. It is named as the view that shows it.
type Part string

// The parts. The queue is computed from the demand.
const (
	Demand Part = "product_demand"
	Queue  Part = "procurement_queue"
)

const (
	// Shown is how long something may wait before screens say so: an import of usual size is computed by then.
	Shown = 10 * time.Minute
	// Alarming is how long it may wait before it is an alert.
	Alarming = 30 * time.Minute
	// familiesFor is how long the values of families may be behind those of single articles: package forecast
	// computes them again within an hour.
	familiesFor = time.Hour
)

// Lag is a part that was not computed since a time. Whatever was stored before is in it.
type Lag struct {
	Part  Part
	Since time.Time
}

// Workspace is one that lags.
type Workspace struct {
	Tenant, ID    uuid.UUID
	Company, Name string
	Lag
}

// Of returns by what a workspace lags for longer than a time, or nil. It runs in the caller's transaction.
func Of(ctx context.Context, queries *q.Queries, tenant, workspace uuid.UUID, now time.Time, longer time.Duration) (*Lag, error) {
	rows, err := queries.ReadFreshness(ctx, q.ReadFreshnessParams{Now: now, TenantID: &tenant, WorkspaceID: &workspace})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return judge(rows[0], now, longer), nil
}

// Lagging returns the workspaces that lag for longer than a time. The caller's transaction crosses tenants.
func Lagging(ctx context.Context, queries *q.Queries, now time.Time, longer time.Duration) (lagging []Workspace, err error) {
	rows, err := queries.ReadFreshness(ctx, q.ReadFreshnessParams{Now: now})
	for _, row := range rows {
		if lag := judge(row, now, longer); lag != nil {
			lagging = append(lagging, Workspace{Tenant: row.TenantID, ID: row.WorkspaceID, Company: row.Company, Name: row.Workspace,
				Lag: *lag})
		}
	}
	return lagging, err
}

// All is Lagging in a transaction of its own, for the operator.
func All(ctx context.Context, cells *pg.Cells, now time.Time) (lagging []Workspace, err error) {
	// Crosses tenants: the operator wants to know of all. It reads times and names, and nothing of records.
	err = cells.InSystem(ctx, func(tx pgx.Tx) error {
		lagging, err = Lagging(ctx, q.New(tx), now, Alarming)
		return err
	})
	return lagging, err
}

// judge returns what waits for longer than a time. While the demand lags, so does the queue, and only the demand
// is named.
func judge(f q.ReadFreshnessRow, now time.Time, longer time.Duration) *Lag {
	for _, lag := range []Lag{{Demand, demandSince(f, now)}, {Queue, queueSince(f, now)}} {
		if now.Sub(lag.Since) > longer {
			return &lag
		}
	}
	return nil
}

// demandSince returns since when the demand waits to be computed; now if it does not.
func demandSince(f q.ReadFreshnessRow, now time.Time) time.Time {
	since := earlier(now, f.SalesSince)
	if f.SalesRecordAt.After(f.SalesReadTo) {
		since = earlier(since, f.SalesReadTo)
	}
	if f.Rebuilding || !f.HasDemand {
		since = earlier(since, f.RebuildBeganAt)
	}
	if !f.HasDemand {
		return since
	}
	since = earlier(since, f.DemandMarkedSince)
	if due := f.DemandComputedAt.Add(familiesFor); f.FamiliesStale {
		if due.Before(f.StaleSince) {
			due = f.StaleSince
		}
		since = earlier(since, due)
	}
	// The demand of a day is computed when the day begins in the workspace.
	year, month, day := f.DemandAsOf.Time.Date()
	return earlier(since, time.Date(year, month, day+1, 0, 0, 0, 0, zoneOf(f)))
}

// queueSince returns since when the queue waits to be computed; now if it does not. Before there is demand, there
// is no queue.
func queueSince(f q.ReadFreshnessRow, now time.Time) time.Time {
	if !f.HasDemand {
		return now
	}
	since := earlier(now, f.QueueMarkedSince)
	if !f.QueueHasDemand {
		since = earlier(since, f.QueueWaitsSince)
	}
	if !f.QueueHasRules {
		since = earlier(since, f.RulesChangedAt)
	}
	if f.QueueRecordAt.After(f.QueueReadTo) {
		since = earlier(since, f.QueueReadTo)
	}
	return since
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func zoneOf(f q.ReadFreshnessRow) *time.Location {
	if zone, err := time.LoadLocation(f.TimeZone); err == nil {
		return zone
	}
	return time.UTC
}
