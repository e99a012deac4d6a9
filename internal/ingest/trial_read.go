package ingest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
)

// This file reads what a trial judges.

// errTimeUp ends a trial before it has looked at everything.
var errTimeUp = fault.New(fault.Internal, "time_up", "the time of a trial is up")

func timeUp(err error) bool { return fault.HasCode(err, errTimeUp.Code) || pg.TookTooLong(err) }

// lastID is behind every id.
const lastID = "\U0010FFFF"

// rows tries the stored rows, the newest of each workspace first, until the time is up.
func (t *trial) rows(ctx context.Context, tried *Tried, within time.Duration) error {
	until := time.Now().Add(within)
	err := t.s.cells.Reading(ctx, t.by.Tenant, trialTime, func(tx pgx.Tx) error {
		for workspace := range t.zones {
			before, n := lastID, trialSlice
			for n == trialSlice {
				if time.Now().After(until) {
					return errTimeUp
				}
				var err error
				if before, n, err = t.slice(ctx, tx, tried, workspace, before); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil {
		tried.Of = tried.Looked
		return nil
	}
	if !timeUp(err) {
		return err
	}
	err = t.s.cells.Reading(ctx, t.by.Tenant, trialTime/2, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, trialCountStatement(t.Table), t.by.Tenant, t.Table.Slug).Scan(&tried.Of)
	})
	if timeUp(err) {
		return nil
	}
	return err
}

// slice tries the newest rows of a workspace that are older than the one of the given id. It returns the id of the last
// one, and how many there were.
func (t *trial) slice(ctx context.Context, tx pgx.Tx, tried *Tried, workspace uuid.UUID, before string) (
	last string, n int, err error) {
	rows, err := tx.Query(ctx, trialRowsStatement(t.Table, t.Column), t.by.Tenant, workspace, t.Table.Slug, before, trialSlice)
	if err != nil {
		return "", 0, err
	}
	var key string
	var stored []byte
	_, err = pgx.ForEachRow(rows, []any{&last, &key, &stored}, func() error {
		n++
		if jsontext.Value(stored).Kind() == jsontext.KindNull {
			stored = nil
		}
		t.add(tried, stored, true, TrialExample{Record: last, Key: key, Workspace: workspace})
		return nil
	})
	return last, n, err
}

func trialRowsStatement(table *registry.Table, column *registry.Column) string {
	keys := make([]string, 0, len(table.Identity))
	for _, name := range table.Identity {
		keys = append(keys, "t."+quote(name)+"::text")
	}
	return fmt.Sprintf(`SELECT t.id, coalesce(%s, ''), t.%s -> %s FROM %s t
WHERE t.tenant_id = $1 AND t.workspace_id = $2 AND %s AND t.id < $4 ORDER BY t.id DESC LIMIT $5`,
		strings.Join(keys, ", "), documentOf(table), literal(column.Name), tableName(table), ofSlug(table, 3))
}

// documentOf returns the column that holds the values of a company's own columns.
func documentOf(table *registry.Table) string {
	if table.Generic {
		return "data"
	}
	return "custom"
}

func trialCountStatement(table *registry.Table) string {
	return fmt.Sprintf("SELECT count(*) FROM %s t WHERE t.tenant_id = $1 AND %s", tableName(table), ofSlug(table, 2))
}

// ofSlug returns the condition that a row "t" belongs to the table.
func ofSlug(table *registry.Table, param int) string {
	if table.Generic {
		return fmt.Sprintf("t.slug = $%d", param)
	}
	return fmt.Sprintf("$%d::text IS NOT NULL", param)
}

// firstWindow is how many days of events are read first: today, and the days that are made in advance. Each further window
// is twice as long.
const firstWindow = 2

// records tries the last records of each source. It reads the events back in time until they end or the time is up. The
// index of events begins with the tenant, so a window costs what this company has written in it.
func (t *trial) records(ctx context.Context, until time.Time) (sources []SourceTrial, since time.Time, err error) {
	bySource := map[auth.Actor]*SourceTrial{}
	oldest, err := t.s.oldestEvents(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	since = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, firstWindow)
	for days := firstWindow; since.After(oldest); days *= 2 {
		from := since.AddDate(0, 0, -days)
		if from.Before(oldest) {
			from = oldest
		}
		within := time.Until(until)
		if within < time.Millisecond {
			break
		}
		if err := t.window(ctx, within, from, since, bySource); timeUp(err) {
			break
		} else if err != nil {
			return nil, time.Time{}, err
		}
		since = from
	}
	for _, source := range bySource {
		source.Of = source.Looked
		sources = append(sources, *source)
	}
	slices.SortFunc(sources, func(a, b SourceTrial) int {
		return cmp.Or(cmp.Compare(b.Refused+b.Missing, a.Refused+a.Missing), cmp.Compare(b.Looked, a.Looked),
			cmp.Compare(a.By.ID, b.By.ID))
	})
	return sources[:min(len(sources), trialSources)], since, nil
}

// oldestEvents returns a time before which no events are kept.
func (s *Service) oldestEvents(ctx context.Context) (oldest time.Time, err error) {
	// Crosses tenants: one number of days holds for all.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		days, err := q.New(tx).GetEventRetention(ctx)
		oldest = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -int(days)-1)
		return err
	})
	return oldest, err
}

// window tries the newest records of each source in a span of time, until it has tried as many as are wanted.
func (t *trial) window(ctx context.Context, within time.Duration, from, to time.Time,
	bySource map[auth.Actor]*SourceTrial) error {
	return t.s.cells.Reading(ctx, t.by.Tenant, within, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, trialRecordsStatement(t.Table, t.Column), t.by.Tenant, t.Table.EventType(), t.Table.Slug,
			from, to, trialRecords)
		if err != nil {
			return err
		}
		var by auth.Actor
		var result string
		var stored []byte
		var sent TrialExample
		_, err = pgx.ForEachRow(rows, []any{&by.Type, &by.ID, &sent.Workspace, &sent.Record, &sent.At, &sent.Key, &result, &stored},
			func() error {
				source := bySource[by]
				if source == nil {
					source = &SourceTrial{By: by}
					bySource[by] = source
				}
				if source.Looked < trialRecords {
					t.add(&source.Tried, stored, result == string(Created), sent)
				}
				return nil
			})
		return err
	})
}

// trialRecordsStatement returns the newest records of each source in a span of time, the newest first.
func trialRecordsStatement(table *registry.Table, column *registry.Column) string {
	keys := make([]string, 0, len(table.Identity))
	for _, name := range table.Identity {
		keys = append(keys, "v.data -> 'record' ->> "+literal(name))
	}
	return fmt.Sprintf(`SELECT e.by_type, e.by_id, e.workspace_id, e.subject, e.created_at, e.key, e.result, e.stored FROM (
    SELECT v.actor ->> 'type' AS by_type, coalesce(v.actor ->> 'id', '') AS by_id, v.workspace_id, v.subject, v.created_at, v.id,
        coalesce(%s, '') AS key, coalesce(v.data ->> 'result', '') AS result, v.data -> 'record' -> %s AS stored,
        row_number() OVER (PARTITION BY v.actor ->> 'type', v.actor ->> 'id' ORDER BY v.id DESC) AS place
    FROM workspace.events v
    WHERE v.tenant_id = $1 AND v.kind = $2 AND v.slug = $3 AND v.created_at >= $4 AND v.created_at < $5
      AND v.data ->> 'result' IS DISTINCT FROM 'stale'
) e WHERE e.place <= $6 ORDER BY e.id DESC`, strings.Join(keys, ", "), literal(column.Name))
}
