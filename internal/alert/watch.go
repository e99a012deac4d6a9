package alert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/freshness"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/source"
)

// The thresholds of the rules, which docs/alerts.md describes. Package source decides when
// a source is silent.
const (
	rateWindow  = 15 * time.Minute
	rateLeast   = 100 // fewer records within the window raise no alert
	ratePercent = 5   // the share of them that may fail

	// A group of failures without a new one for this long is over, even if some are still
	// open. The next failure raises a new alert.
	groupQuiet = 24 * time.Hour
	// A cause that returns within this time after its alert was raised reopens that alert.
	sameAlert = time.Hour
	// How far Look goes back for failures, and LookThoroughly for silence.
	quickLook    = 10 * time.Minute
	silenceAwait = 7 * 24 * time.Hour

	// atOnce bounds one look; the next one takes the rest.
	atOnce = 500
)

// Look raises an alert for every new cause except silence, and resolves alerts whose cause
// is gone. It is cheap enough to be called every few seconds.
func (s *Service) Look(ctx context.Context, now time.Time) error { return s.look(ctx, now, false) }

// LookThoroughly also finds silent sources, failures that came late out of a spool, and workspaces
// whose figures stand still. Callers should wait some minutes after a start: while the service was
// down, no source could send, and nothing was computed.
func (s *Service) LookThoroughly(ctx context.Context, now time.Time) error {
	return s.look(ctx, now, true)
}

func (s *Service) look(ctx context.Context, now time.Time, thoroughly bool) error {
	var found map[uuid.UUID][]subject
	// Crosses tenants: the job serves all of them. It reads figures, and then acts as each.
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

// find returns, for each tenant, the subjects whose cause may have begun or ended.
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
		add(row.TenantID, subject{workspace: row.WorkspaceID, rule: NewFailures, slug: row.Slug, code: row.Code,
			field: row.Field})
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
		if err := findSilent(ctx, queries, now, add); err != nil {
			return nil, err
		}
		if err := findNotComputed(ctx, queries, now, add); err != nil {
			return nil, err
		}
	}
	gone, err := queries.FindGoneCauses(ctx, q.FindGoneCausesParams{
		Fresh: now.Add(-groupQuiet), WindowStart: now.Add(-rateWindow), Least: rateLeast, Percent: ratePercent, Now: now,
		Most: atOnce,
	})
	for _, row := range gone {
		add(row.TenantID, subject{workspace: row.WorkspaceID, rule: Rule(row.Rule), slug: row.Slug, code: row.Code,
			field: row.Field})
	}
	return found, err
}

// findSilent adds all sources that may be silent, page by page: most of them may be asleep, and must not keep
// the others from being found.
func findSilent(ctx context.Context, queries *q.Queries, now time.Time, add func(uuid.UUID, subject)) error {
	next := q.FindSilentSourcesParams{Since: now.Add(-silenceAwait), Now: now, Most: atOnce}
	for {
		silent, err := queries.FindSilentSources(ctx, next)
		if err != nil {
			return err
		}
		for _, row := range silent {
			add(row.TenantID, subject{workspace: row.WorkspaceID, rule: SilentSource, slug: row.Slug})
			next.AfterTenant, next.AfterWorkspace, next.AfterSlug = row.TenantID, row.WorkspaceID, row.Slug
		}
		if len(silent) < atOnce {
			return nil
		}
	}
}

// findNotComputed adds workspaces whose figures stand still and that have no alert yet.
func findNotComputed(ctx context.Context, queries *q.Queries, now time.Time, add func(uuid.UUID, subject)) error {
	told, err := queries.ListNotComputed(ctx)
	if err != nil {
		return err
	}
	lagging, err := freshness.Lagging(ctx, queries, now, freshness.Alarming)
	lagging = slices.DeleteFunc(lagging, func(w freshness.Workspace) bool {
		return slices.Contains(told, q.ListNotComputedRow{TenantID: w.Tenant, WorkspaceID: w.ID, Slug: string(w.Part)})
	})
	for _, w := range lagging[:min(len(lagging), atOnce)] {
		add(w.Tenant, subject{workspace: w.ID, rule: NotComputed, slug: string(w.Part)})
	}
	return err
}

// judge reads the subjects' causes again and raises or resolves their alerts. Instances
// that judge the same tenant wait for each other.
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

// cause describes a subject's problem.
type cause struct {
	failed, total, usualGap int64
	message                 string
	since                   time.Time
}

// read returns a subject's cause, or pgx.ErrNoRows if there is none.
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
		return readSilence(ctx, queries, tenant, about, now)
	case NotComputed:
		lag, err := freshness.Of(ctx, queries, tenant, about.workspace, now, freshness.Alarming)
		if err != nil {
			return cause{}, err
		}
		if lag == nil || string(lag.Part) != about.slug {
			return cause{}, pgx.ErrNoRows
		}
		return cause{since: lag.Since}, nil
	}
	return cause{}, fmt.Errorf("no such rule: %s", about.rule)
}

// readSilence returns a source's silence, unless it is usual for it. Then it is judged again when it would no
// longer be.
func readSilence(ctx context.Context, queries *q.Queries, tenant uuid.UUID, about subject, now time.Time) (cause, error) {
	row, err := queries.ReadSilence(ctx,
		q.ReadSilenceParams{TenantID: tenant, WorkspaceID: about.workspace, Slug: about.slug, Now: now})
	if err != nil {
		return cause{}, err
	}
	hours, err := queries.ListHeardHours(ctx, q.ListHeardHoursParams{
		TenantID: tenant, WorkspaceID: about.workspace, Slug: about.slug, Since: row.Since.Add(-week - 24*time.Hour),
	})
	if err != nil {
		return cause{}, err
	}
	since := row.Since.UTC()
	until := newRhythm(hours, since).quietUntil(since, seconds(row.UsualGap*source.Patience))
	if !until.After(now) {
		return cause{usualGap: row.UsualGap, since: row.Since}, nil
	}
	err = queries.ExtendSilence(ctx, q.ExtendSilenceParams{
		TenantID: tenant, WorkspaceID: about.workspace, Slug: about.slug, VisitAt: row.VisitAt, Quiet: until.Sub(since),
	})
	if err == nil {
		err = pgx.ErrNoRows
	}
	return cause{}, err
}

// raise makes an alert, or reopens the one that this subject had within the hour. It does
// nothing if the subject has an open alert.
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
