package alert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// What makes a cause; docs/alerts.md says it to people. What makes a source silent is
// where its rhythm is kept, in source.
const (
	rateWindow  = 15 * time.Minute
	rateLeast   = 100 // records within the window, below which a rate says nothing
	ratePercent = 5   // what may fail of them

	// A group of failures that none was added to for this long is over, though some may
	// still be open: the next is news.
	groupQuiet = 24 * time.Hour
	// A cause that is back within this time after its alert was raised is the same alert.
	sameAlert = time.Hour
	// How far a quick look goes back for failures, and a thorough one for silence.
	quickLook    = 10 * time.Minute
	silenceAwait = 7 * 24 * time.Hour

	// atOnce bounds one look; the next takes the rest.
	atOnce = 500
)

// Look raises an alert for every new cause, but for silence, and resolves those whose
// cause has gone. It is cheap, and made to be called every few seconds.
func (s *Service) Look(ctx context.Context, now time.Time) error { return s.look(ctx, now, false) }

// LookThoroughly also finds silent sources and failures that came late out of a spool.
// Whoever starts should let some minutes pass before the first: while the service was
// away, nobody could be heard.
func (s *Service) LookThoroughly(ctx context.Context, now time.Time) error {
	return s.look(ctx, now, true)
}

func (s *Service) look(ctx context.Context, now time.Time, thoroughly bool) error {
	var found map[uuid.UUID][]subject
	// Crosses tenants: the job looks after all of them. It reads figures, and acts as each.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		found, err = find(ctx, q.New(tx), now, thoroughly)
		return err
	})
	for tenant, subjects := range found {
		err = errors.Join(err, s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
			return s.judge(ctx, q.New(tx), tenant, subjects, now)
		}))
	}
	return err
}

// find lists what may have become, or may no longer be, a cause.
func find(ctx context.Context, queries *q.Queries, now time.Time, thoroughly bool) (map[uuid.UUID][]subject, error) {
	found := map[uuid.UUID][]subject{}
	add := func(tenant uuid.UUID, s subject) { found[tenant] = append(found[tenant], s) }

	since := now.Add(-quickLook)
	if thoroughly {
		since = now.Add(-groupQuiet)
	}
	groups, err := queries.FindNewFailures(ctx,
		q.FindNewFailuresParams{Since: since, Thoroughly: thoroughly, Most: atOnce})
	if err != nil {
		return nil, err
	}
	for _, row := range groups {
		add(row.TenantID, subject{row.WorkspaceID, NewFailures, row.Slug, row.Code, row.Field})
	}
	failing, err := queries.FindFailingSources(ctx, q.FindFailingSourcesParams{
		WindowStart: now.Add(-rateWindow), Least: rateLeast, Percent: ratePercent, Fine: rateLeast * ratePercent / 100,
		Most: atOnce,
	})
	if err != nil {
		return nil, err
	}
	for _, row := range failing {
		add(row.TenantID, subject{workspace: row.WorkspaceID, rule: FailureRate, slug: row.Slug})
	}
	if thoroughly {
		silent, err := queries.FindSilentSources(ctx,
			q.FindSilentSourcesParams{Since: now.Add(-silenceAwait), Now: now, Most: atOnce})
		if err != nil {
			return nil, err
		}
		for _, row := range silent {
			add(row.TenantID, subject{workspace: row.WorkspaceID, rule: SilentSource, slug: row.Slug})
		}
	}
	gone, err := queries.FindGoneCauses(ctx, q.FindGoneCausesParams{
		Fresh: now.Add(-groupQuiet), WindowStart: now.Add(-rateWindow), Least: rateLeast, Percent: ratePercent, Now: now,
		Most: atOnce,
	})
	for _, row := range gone {
		add(row.TenantID, subject{row.WorkspaceID, Rule(row.Rule), row.Slug, row.Code, row.Field})
	}
	return found, err
}

// judge raises and resolves a tenant's alerts by what is so now. Two instances that judge
// the same tenant wait for each other.
func (s *Service) judge(ctx context.Context, queries *q.Queries, tenant uuid.UUID, subjects []subject,
	now time.Time) error {
	if err := queries.LockAlerts(ctx, tenant); err != nil {
		return err
	}
	for _, about := range subjects {
		cause, err := read(ctx, queries, tenant, about, now)
		switch {
		case fault.Is(pg.Translate(err), fault.NotFound):
			err = queries.ResolveAlert(ctx, q.ResolveAlertParams{
				TenantID: tenant, WorkspaceID: about.workspace, Rule: string(about.rule), Slug: about.slug, Code: about.code,
				Field: about.field, Now: now,
			})
		case err == nil:
			err = s.raise(ctx, queries, tenant, about, cause, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cause is what there is to say of a subject.
type cause struct {
	failed, total, usualGap int64
	message                 string
	since                   time.Time
}

// read tells whether a subject's cause is there: without one, no row is found.
func read(ctx context.Context, queries *q.Queries, tenant uuid.UUID, about subject, now time.Time) (cause, error) {
	switch about.rule {
	case NewFailures:
		row, err := queries.ReadFailures(ctx, q.ReadFailuresParams{
			TenantID: tenant, WorkspaceID: about.workspace, Slug: about.slug, Code: about.code, Field: about.field,
			Fresh: now.Add(-groupQuiet),
		})
		return cause{failed: row.Failed, message: withoutValues(about.code, about.field, row.Message), since: row.Since}, err
	case FailureRate:
		row, err := queries.ReadRate(ctx, q.ReadRateParams{
			TenantID: tenant, WorkspaceID: about.workspace, Slug: about.slug, WindowStart: now.Add(-rateWindow),
			Least: rateLeast, Percent: ratePercent,
		})
		return cause{failed: row.Failed, total: row.Total, since: row.Since}, err
	case SilentSource:
		row, err := queries.ReadSilence(ctx,
			q.ReadSilenceParams{TenantID: tenant, WorkspaceID: about.workspace, Slug: about.slug, Now: now})
		return cause{usualGap: row.UsualGap, since: row.Since}, err
	}
	return cause{}, fmt.Errorf("no such rule: %s", about.rule)
}

// raise makes an alert, or reopens the one that this subject had within the hour. A cause
// that has one already stays as it is.
func (s *Service) raise(ctx context.Context, queries *q.Queries, tenant uuid.UUID, about subject, cause cause,
	now time.Time) error {
	reopened, err := queries.ReopenAlert(ctx, q.ReopenAlertParams{
		TenantID: tenant, WorkspaceID: about.workspace, Rule: string(about.rule), Slug: about.slug, Code: about.code,
		Field: about.field, Since: now.Add(-sameAlert),
	})
	if err != nil || reopened > 0 {
		return err
	}
	alert := q.RaiseAlertParams{
		TenantID: tenant, ID: uuid.Must(uuid.NewV7()), WorkspaceID: about.workspace, Rule: string(about.rule),
		Slug: about.slug,
		Code: about.code, Field: about.field, Failed: cause.failed, Total: cause.total, UsualGap: cause.usualGap,
		Message: cause.message,
		Since:   cause.since, RaisedAt: now,
	}
	if s.post.Configured() {
		alert.MailNextAt = &now
	}
	raised, err := queries.RaiseAlert(ctx, alert)
	if err == nil && raised > 0 {
		s.metrics.Alert(string(about.rule))
	}
	return err
}
