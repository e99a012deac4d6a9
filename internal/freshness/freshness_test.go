package freshness

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/q"
)

// fresh returns the facts of a workspace in Berlin at two in the afternoon, of which everything is computed.
func fresh(now time.Time) q.ReadFreshnessRow {
	return q.ReadFreshnessRow{
		TimeZone: "Europe/Berlin", RebuildBeganAt: now.AddDate(0, -1, 0), SalesSince: now, HasDemand: true,
		DemandAsOf:       pgtype.Date{Time: time.Date(2026, 7, 6, 0, 0, 0, 0, time.UTC), Valid: true},
		DemandComputedAt: now.Add(-13 * time.Hour), StaleSince: now, QueueWaitsSince: now.Add(-13 * time.Hour),
		DemandMarkedSince: now, QueueHasDemand: true, QueueHasRules: true, RulesChangedAt: now.AddDate(0, -1, 0), QueueMarkedSince: now,
		SalesReadTo: now, QueueReadTo: now, SalesRecordAt: now.Add(-time.Minute), QueueRecordAt: now.Add(-time.Minute),
	}
}

// TestJudge lets one thing after the other wait.
func TestJudge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 6, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, c := range map[string]struct {
		change func(*q.ReadFreshnessRow)
		want   *Lag
	}{
		"fresh":                    {func(*q.ReadFreshnessRow) {}, nil},
		"records wait":             {func(f *q.ReadFreshnessRow) { f.SalesSince = ago(time.Hour) }, &Lag{Demand, ago(time.Hour)}},
		"records wait for seconds": {func(f *q.ReadFreshnessRow) { f.SalesSince = ago(9 * time.Minute) }, nil},
		"an article waits":         {func(f *q.ReadFreshnessRow) { f.DemandMarkedSince = ago(time.Hour) }, &Lag{Demand, ago(time.Hour)}},
		"a day has begun": {func(f *q.ReadFreshnessRow) { f.DemandAsOf.Time = f.DemandAsOf.Time.AddDate(0, 0, -1) },
			&Lag{Demand, time.Date(2026, 7, 5, 22, 0, 0, 0, time.UTC)}},
		"a rebuild lasts": {func(f *q.ReadFreshnessRow) { f.Rebuilding, f.RebuildBeganAt = true, ago(time.Hour) }, &Lag{Demand, ago(time.Hour)}},
		"never computed": {func(f *q.ReadFreshnessRow) { f.HasDemand, f.RebuildBeganAt = false, ago(time.Hour) },
			&Lag{Demand, ago(time.Hour)}},
		"nothing ever came":   {func(f *q.ReadFreshnessRow) { *f = q.ReadFreshnessRow{RebuildBeganAt: now, SalesSince: now} }, nil},
		"families are behind": {func(f *q.ReadFreshnessRow) { f.FamiliesStale, f.StaleSince = true, ago(2*time.Hour) }, &Lag{Demand, ago(2 * time.Hour)}},
		"families may be behind for an hour": {func(f *q.ReadFreshnessRow) {
			f.FamiliesStale, f.StaleSince, f.DemandComputedAt = true, ago(50*time.Minute), ago(55*time.Minute)
		}, nil},
		"the outbox is not read": {func(f *q.ReadFreshnessRow) { f.SalesReadTo = ago(time.Hour) }, &Lag{Demand, ago(time.Hour)}},
		"the outbox is not read, and nothing came": {func(f *q.ReadFreshnessRow) {
			f.SalesReadTo, f.SalesRecordAt, f.QueueRecordAt = ago(time.Hour), ago(2*time.Hour), ago(2*time.Hour)
		}, nil},
		"the queue has older demand": {func(f *q.ReadFreshnessRow) { f.QueueHasDemand, f.QueueWaitsSince = false, ago(time.Hour) },
			&Lag{Queue, ago(time.Hour)}},
		"the queue has older rules": {func(f *q.ReadFreshnessRow) { f.QueueHasRules, f.RulesChangedAt = false, ago(time.Hour) },
			&Lag{Queue, ago(time.Hour)}},
		"a row waits":                        {func(f *q.ReadFreshnessRow) { f.QueueMarkedSince = ago(time.Hour) }, &Lag{Queue, ago(time.Hour)}},
		"the queue does not read the outbox": {func(f *q.ReadFreshnessRow) { f.QueueReadTo = ago(time.Hour) }, &Lag{Queue, ago(time.Hour)}},
		"both wait": {func(f *q.ReadFreshnessRow) { f.SalesSince, f.QueueMarkedSince = ago(time.Hour), ago(2*time.Hour) },
			&Lag{Demand, ago(time.Hour)}},
	} {
		f := fresh(now)
		c.change(&f)
		require.Equal(t, c.want, utc(judge(f, now, Shown)), name)
	}
}

func utc(lag *Lag) *Lag {
	if lag != nil {
		lag.Since = lag.Since.UTC()
	}
	return lag
}
