// Package alert tells people about problems with incoming data: imports begin to fail, too
// many records of a source fail, a source has gone silent. It also tells them when what is
// computed from the data stands still.
//
// A cause has one alert while it lasts; when the cause is gone, the alert is resolved. The
// database decides what is raised and which instance mails it, so any number of instances
// may look concurrently. An alert never holds a record's values.
package alert

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// Rule is what an alert is raised for.
type Rule string

// The rules.
const (
	NewFailures  Rule = "new_failures"  // imports fail for a reason that was not there
	FailureRate  Rule = "failure_rate"  // too large a part of a source's records fails
	SilentSource Rule = "silent_source" // nothing comes from a source any more
	NotComputed  Rule = "not_computed"  // the demand or the queue lacks what came long ago
)

// subject identifies a cause. Code and field are those of failed imports. The slug of what is not
// computed is its part, a computed view.
type subject struct {
	workspace uuid.UUID
	rule      Rule
	slug      string
	code      string
	field     string
}

// Alert is a cause that was noticed.
type Alert struct {
	ID         uuid.UUID
	Rule       Rule
	Slug       string
	Title      string // the table's
	Code       string
	Field      string
	Path       string // the page of the app that shows the cause
	Open       int64  // failed imports of the group that are open now
	Since      time.Time
	RaisedAt   time.Time
	ResolvedAt *time.Time
	Read       bool // by the caller

	failed, total int64
	usualGap      time.Duration
	message       string
}

// Service raises, lists and mails alerts.
type Service struct {
	cells   *pg.Cells
	tables  *registry.Service
	post    *mail.Sender
	log     *slog.Logger
	metrics *telemetry.Metrics
	baseURL string // where links in mails lead
}

// New returns the service.
func New(cells *pg.Cells, tables *registry.Service, post *mail.Sender, log *slog.Logger, metrics *telemetry.Metrics,
	baseURL string) *Service {
	return &Service{cells: cells, tables: tables, post: post, log: log, metrics: metrics, baseURL: baseURL}
}

// unreadFor is how long a resolved alert counts as unread.
const unreadFor = 7 * 24 * time.Hour

// List returns the workspace's alerts, the newest first.
func (s *Service) List(ctx context.Context, by auth.Principal, want page.Request) (
	alerts []Alert, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	before := want.After
	if before == uuid.Nil {
		before = uuid.Max
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		rows, err := queries.ListAlerts(ctx, q.ListAlertsParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, UserID: by.Person, Before: before, Most: want.Limit(),
		})
		if err != nil {
			return err
		}
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			alerts = append(alerts, toAlert(row))
		}
		return countOpen(ctx, queries, by, alerts)
	})
	for i := range alerts {
		if err == nil {
			alerts[i], err = s.Named(ctx, by, alerts[i])
		}
	}
	return alerts, more, err
}

func toAlert(row q.ListAlertsRow) Alert {
	return Alert{
		ID: row.ID, Rule: Rule(row.Rule), Slug: row.Slug, Code: row.Code, Field: row.Field, Since: row.Since,
		RaisedAt: row.RaisedAt, ResolvedAt: row.ResolvedAt, Read: row.Read, failed: row.Failed, total: row.Total,
		usualGap: seconds(row.UsualGap), message: row.Message,
	}
}

// mostOpen is how many of the alerts whose cause lasts are read at once, the newest first.
const mostOpen = 500

// Open returns the workspace's alerts whose cause lasts, the newest first, as Named expects them.
func Open(ctx context.Context, queries *q.Queries, by auth.Principal) (alerts []Alert, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	rows, err := queries.ListOpenAlerts(ctx, q.ListOpenAlertsParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, UserID: by.Person, Most: mostOpen,
	})
	for _, row := range rows {
		alerts = append(alerts, toAlert(q.ListAlertsRow(row)))
	}
	return alerts, err
}

// Named returns an alert with the title of its table and the page that shows its cause.
func (s *Service) Named(ctx context.Context, by auth.Principal, a Alert) (_ Alert, err error) {
	a.Path = a.path(by.Workspace)
	a.Title, err = s.title(ctx, by.Tenant, a.Slug)
	return a, err
}

// countOpen sets the number of open failed imports in each alert about them.
func countOpen(ctx context.Context, queries *q.Queries, by auth.Principal, alerts []Alert) error {
	wanted := map[subject]*int64{}
	for i := range alerts {
		if a := &alerts[i]; a.Rule == NewFailures && a.ResolvedAt == nil {
			wanted[subject{rule: NewFailures, slug: a.Slug, code: a.Code, field: a.Field}] = &a.Open
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	groups, err := queries.ListFailureGroups(ctx,
		q.ListFailureGroupsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Status: "open"})
	for _, group := range groups {
		if open := wanted[subject{rule: NewFailures, slug: group.Slug, code: group.Code, field: group.Field}]; open != nil {
			*open = group.Failures
		}
	}
	return err
}

// title returns a table's title, or its slug if the table is gone.
func (s *Service) title(ctx context.Context, tenant uuid.UUID, slug string) (string, error) {
	table, err := s.tables.Table(ctx, tenant, slug)
	if fault.Is(err, fault.NotFound) {
		return slug, nil
	}
	if err != nil {
		return "", err
	}
	return table.Title, nil
}

// Unread counts the workspace's alerts that the person has not read.
func (s *Service) Unread(ctx context.Context, by auth.Principal, now time.Time) (unread int64, err error) {
	if err := by.Require(auth.Read); err != nil {
		return 0, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		unread, err = q.New(tx).CountUnreadAlerts(ctx, q.CountUnreadAlertsParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, UserID: by.Person, Since: now.Add(-unreadFor),
		})
		return err
	})
	return unread, err
}

// MarkRead marks these alerts, and all up to upTo, as read by the person. With uuid.Nil for
// upTo it marks only ids. Alerts raised after upTo stay unread.
func (s *Service) MarkRead(ctx context.Context, by auth.Principal, ids []uuid.UUID, upTo uuid.UUID) error {
	if err := by.Require(auth.Read); err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).ReadAlerts(ctx,
			q.ReadAlertsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, UserID: by.Person, Ids: ids, UpTo: upTo})
	})
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }
