package source

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg/q"
)

// The rules for a silent source: see docs/alerts.md.
const (
	// visitLasts is the time within which all records count as one visit. Otherwise a daily
	// import of a few minutes would look like hundreds of visits seconds apart.
	visitLasts = 15 * time.Minute
	// leastVisits is how many visits must be known before a source has a rhythm.
	leastVisits = 14
	// Patience is how many times its usual gap a source may be quiet.
	Patience = 4
)

// minutesKept is how far back a flush writes minutes. The ring has room for one more.
const minutesKept = 15 * time.Minute

// writeSources writes one chunk of sums.
func (m *Meter) writeSources(ctx context.Context, chunk []sourceMinute, sums map[sourceMinute]sourceSum) error {
	var (
		tenants []uuid.UUID
		states  = map[sourceID]sourceSum{}
		hours   = map[sourceMinute]sourceSum{}
		recent  = map[sourceMinute]sourceSum{}
		oldest  = time.Now().Add(-minutesKept)
	)
	for _, at := range chunk {
		sum := sums[at]
		tenants = append(tenants, at.tenant)
		states[at.sourceID] = states[at.sourceID].plus(sum)
		hour := sourceMinute{at.sourceID, at.minute.Truncate(time.Hour)}
		hours[hour] = hours[hour].plus(sum)
		if at.minute.After(oldest) {
			recent[at] = sum
		}
	}
	visits := m.visits(states)
	err := m.cells.InTenants(ctx, tenants, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.AddSourceHours(ctx, hourRows(hours)); err != nil {
			return err
		}
		if err := queries.AddSourceFigures(ctx, figureRows(states)); err != nil {
			return err
		}
		if err := queries.AddSourceMinutes(ctx, minuteRows(recent)); err != nil {
			return err
		}
		if len(visits) == 0 {
			return nil
		}
		rows := visitRows(visits)
		if err := queries.AddSourceVisits(ctx, rows); err != nil {
			return err
		}
		return queries.SetSourceRhythms(ctx, q.SetSourceRhythmsParams{
			TenantIds: rows.TenantIds, WorkspaceIds: rows.WorkspaceIds, Slugs: rows.Slugs, LeastVisits: leastVisits,
			Patience: Patience,
		})
	})
	if err == nil {
		m.remember(visits)
	}
	return err
}

// visits returns a visit for each source whose last visit is known to be over. Most flushes
// have none, so that they need not update those rows.
func (m *Meter) visits(states map[sourceID]sourceSum) map[sourceID]time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	visits := map[sourceID]time.Time{}
	for source, sum := range states {
		if last, known := m.visited[source]; !known || sum.seen.Sub(last) >= visitLasts {
			visits[source] = sum.seen
		}
	}
	return visits
}

func (m *Meter) remember(visits map[sourceID]time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for source, at := range visits {
		m.visited[source] = later(m.visited[source], at)
	}
}

func hourRows(hours map[sourceMinute]sourceSum) (rows q.AddSourceHoursParams) {
	for at, sum := range hours {
		rows.TenantIds = append(rows.TenantIds, at.tenant)
		rows.WorkspaceIds = append(rows.WorkspaceIds, at.workspace)
		rows.Slugs = append(rows.Slugs, at.slug)
		rows.Hours = append(rows.Hours, at.minute)
		rows.Accepted = append(rows.Accepted, sum.accepted)
		rows.Failed = append(rows.Failed, sum.failed+sum.lost)
		rows.Stale = append(rows.Stale, sum.stale)
		rows.Warned = append(rows.Warned, warnedJSON(sum.warned))
	}
	return rows
}

func warnedJSON(warned map[string]int64) string {
	if warned == nil {
		return "{}"
	}
	text, _ := json.Marshal(warned) // texts and numbers
	return string(text)
}

func minuteRows(minutes map[sourceMinute]sourceSum) (rows q.AddSourceMinutesParams) {
	for at, sum := range minutes {
		rows.TenantIds = append(rows.TenantIds, at.tenant)
		rows.WorkspaceIds = append(rows.WorkspaceIds, at.workspace)
		rows.Slugs = append(rows.Slugs, at.slug)
		rows.Minutes = append(rows.Minutes, at.minute)
		rows.Accepted = append(rows.Accepted, sum.accepted)
		rows.Failed = append(rows.Failed, sum.failed)
	}
	return rows
}

// figureRows returns one row for each source, since a statement cannot update a row twice.
func figureRows(states map[sourceID]sourceSum) (rows q.AddSourceFiguresParams) {
	for at, sum := range states {
		rows.TenantIds = append(rows.TenantIds, at.tenant)
		rows.WorkspaceIds = append(rows.WorkspaceIds, at.workspace)
		rows.Slugs = append(rows.Slugs, at.slug)
		rows.Created = append(rows.Created, sum.created)
		rows.LastAt = append(rows.LastAt, sum.last)
		rows.SeenAt = append(rows.SeenAt, sum.seen)
	}
	return rows
}

func visitRows(visits map[sourceID]time.Time) q.AddSourceVisitsParams {
	rows := q.AddSourceVisitsParams{VisitLasts: visitLasts, Patience: Patience}
	for at, visit := range visits {
		rows.TenantIds = append(rows.TenantIds, at.tenant)
		rows.WorkspaceIds = append(rows.WorkspaceIds, at.workspace)
		rows.Slugs = append(rows.Slugs, at.slug)
		rows.VisitsAt = append(rows.VisitsAt, visit)
	}
	return rows
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
