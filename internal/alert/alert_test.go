package alert_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/source"
	"github.com/quayside/quayside/internal/telemetry"
)

// quay is a service with one tenant. The test chooses the times at which alerts are checked.
type quay struct {
	t      *testing.T
	db     *pgtest.DB
	admin  *pgx.Conn
	tenant pgtest.Tenant
	meter  *source.Meter
	alerts *alert.Service
	reader uuid.UUID // the person who reads the list
	now    time.Time // when the test began
}

func newQuay(t *testing.T) *quay {
	t.Helper()
	db := pgtest.New(t)
	k := &quay{t: t, db: db, admin: db.Admin(t), meter: source.NewMeter(db.Cells), reader: uuid.New(),
		now: time.Now().UTC().Truncate(time.Minute)}
	k.alerts = k.service("")
	k.tenant = k.join()
	return k
}

// service returns an instance of the service that mails through an SMTP server.
func (k *quay) service(smtp string) *alert.Service {
	k.t.Helper()
	post, err := mail.New(smtp)
	require.NoError(k.t, err)
	return alert.New(k.db.Cells, registry.New(k.db.Cells), post, slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		"https://quay.example")
}

// join creates a tenant with a key for all tables.
func (k *quay) join() pgtest.Tenant {
	k.t.Helper()
	tenant := pgtest.NewTenant(k.t, k.db)
	_, _, err := apikey.New(k.db.Cells).Issue(k.t.Context(), auth.Operator(tenant.ID),
		apikey.Request{Workspace: tenant.Workspace, Scope: "*", Label: "all"})
	require.NoError(k.t, err)
	return tenant
}

func (k *quay) exec(sql string, args ...any) {
	k.t.Helper()
	_, err := k.admin.Exec(k.t.Context(), sql, args...)
	require.NoError(k.t, err)
}

func (k *quay) flush() {
	k.t.Helper()
	require.NoError(k.t, k.meter.Flush(k.t.Context()))
}

// send counts records of a source, as the endpoint does.
func (k *quay) send(tenant pgtest.Tenant, slug string, outcome source.Outcome, records int, at time.Time) {
	for range records {
		k.meter.Record(auth.Principal{Tenant: tenant.ID, Workspace: tenant.Workspace}, slug, outcome, at)
	}
}

// failure is a refused record.
type failure struct {
	slug, code, field, message string
	at                         time.Time
	ours                       bool // the service's own failure
}

// fail stores a refused record as the endpoint does: the failed import, then the count.
func (k *quay) fail(tenant pgtest.Tenant, f failure) {
	k.t.Helper()
	id, status, outcome := uuid.Must(uuid.NewV7()), 422, source.Failed
	if f.ours {
		status, outcome = 500, source.Lost
	}
	k.exec(`INSERT INTO workspace.failed_imports (tenant_id, id, workspace_id, slug, http_status, code, field, message, payload, payload_hash, key_id, request_id, first_seen_at, last_seen_at)
		VALUES ($1, $2, $3, $4, $9, $5, nullif($6, ''), $7, '{"secret":"payload"}', uuid_send($2) || uuid_send($2), $2, 'test', $8, $8)`,
		tenant.ID, id, tenant.Workspace, f.slug, f.code, f.field, f.message, f.at, status)
	k.send(tenant, f.slug, outcome, 1, f.at)
	k.flush()
}

// close closes every failed import, as retries do.
func (k *quay) close() {
	k.t.Helper()
	k.exec("UPDATE workspace.failed_imports SET status = 'resolved', closed_at = now() WHERE status = 'open'")
}

func (k *quay) look(at time.Time) []alert.Alert {
	k.t.Helper()
	require.NoError(k.t, k.alerts.Look(k.t.Context(), at))
	return k.list(k.tenant)
}

func (k *quay) lookThoroughly(at time.Time) []alert.Alert {
	k.t.Helper()
	require.NoError(k.t, k.alerts.LookThoroughly(k.t.Context(), at))
	return k.list(k.tenant)
}

func (k *quay) by(tenant pgtest.Tenant, person uuid.UUID) auth.Principal {
	return auth.Principal{Tenant: tenant.ID, Workspace: tenant.Workspace, Person: person, Role: auth.Viewer}
}

// list returns the alerts that a viewer sees, the newest first.
func (k *quay) list(tenant pgtest.Tenant) []alert.Alert {
	k.t.Helper()
	alerts, _, err := k.alerts.List(k.t.Context(), k.by(tenant, k.reader), page.All)
	require.NoError(k.t, err)
	return alerts
}

func (k *quay) unread(tenant pgtest.Tenant, person uuid.UUID, at time.Time) int64 {
	k.t.Helper()
	unread, err := k.alerts.Unread(k.t.Context(), k.by(tenant, person), at)
	require.NoError(k.t, err)
	return unread
}

// TestUnread checks that an alert that one person has read stays unread for the others.
func TestUnread(t *testing.T) {
	t.Parallel()
	k := newQuay(t)
	for _, field := range []string{"name", "active", "city"} {
		k.fail(k.tenant, failure{slug: "suppliers", code: "required", field: field, at: k.now})
		k.look(k.now)
	}
	ada, ben := uuid.New(), uuid.New()
	alerts := k.list(k.tenant)
	require.Equal(t, []string{"city", "active", "name"}, []string{alerts[0].Field, alerts[1].Field, alerts[2].Field},
		"the newest first")
	mark := func(person uuid.UUID, upTo uuid.UUID, ids ...uuid.UUID) {
		require.NoError(t, k.alerts.MarkRead(t.Context(), k.by(k.tenant, person), ids, upTo))
	}
	require.Equal(t, int64(3), k.unread(k.tenant, ada, k.now))
	mark(ada, uuid.Nil, alerts[1].ID, uuid.New())
	require.Equal(t, int64(2), k.unread(k.tenant, ada, k.now))
	require.Equal(t, int64(3), k.unread(k.tenant, ben, k.now))
	mark(ben, alerts[1].ID)
	require.Equal(t, int64(1), k.unread(k.tenant, ben, k.now), "what came after one looked stays unread")
	mark(ada, alerts[0].ID)
	mark(ada, alerts[0].ID)
	require.Zero(t, k.unread(k.tenant, ada, k.now))
	require.Equal(t, int64(1), k.unread(k.tenant, ben, k.now))

	seen, more, err := k.alerts.List(t.Context(), k.by(k.tenant, ben), page.Request{Most: 2})
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, []bool{false, true}, []bool{seen[0].Read, seen[1].Read})
	rest, more, err := k.alerts.List(t.Context(), k.by(k.tenant, ben), page.Request{Most: 2, After: seen[1].ID})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, alerts[2].ID, rest[0].ID)

	k.close()
	k.look(k.now.Add(time.Minute))
	require.Equal(t, int64(1), k.unread(k.tenant, ben, k.now.Add(7*24*time.Hour-time.Second)))
	require.Zero(t, k.unread(k.tenant, ben, k.now.Add(7*24*time.Hour)), "what ended a week ago waits for nobody")
}

// TestTenants checks that of two tenants with the same failures, neither sees the other's
// alerts or marks them as read.
func TestTenants(t *testing.T) {
	t.Parallel()
	k := newQuay(t)
	other := k.join()
	for _, tenant := range []pgtest.Tenant{k.tenant, other} {
		k.fail(tenant, failure{slug: "orders", code: "required", field: "total", at: k.now})
	}
	k.look(k.now)
	ours, theirs := k.list(k.tenant), k.list(other)
	require.Len(t, ours, 1)
	require.Len(t, theirs, 1)
	require.NotEqual(t, ours[0].ID, theirs[0].ID)
	require.NoError(t, k.alerts.MarkRead(t.Context(), k.by(k.tenant, k.reader), []uuid.UUID{theirs[0].ID}, uuid.Max))
	require.Zero(t, k.unread(k.tenant, k.reader, k.now))
	require.Equal(t, int64(1), k.unread(other, k.reader, k.now))
	// Another workspace of the same company has its own alerts.
	elsewhere := pgtest.Tenant{ID: k.tenant.ID, Workspace: uuid.Must(uuid.NewV7())}
	require.Empty(t, k.list(elsewhere))
	require.Zero(t, k.unread(elsewhere, uuid.New(), k.now))
}

// TestRace checks that eight concurrent instances raise one alert for one cause.
func TestRace(t *testing.T) {
	t.Parallel()
	k := newQuay(t)
	all := func(at time.Time) {
		var together sync.WaitGroup
		errs := make(chan error, 16)
		for range 8 {
			one := k.service("")
			together.Go(func() {
				errs <- one.Look(context.WithoutCancel(t.Context()), at)
				errs <- one.LookThoroughly(context.WithoutCancel(t.Context()), at)
			})
		}
		together.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
	}
	for round := range 4 {
		at := k.now.Add(time.Duration(round) * 10 * time.Minute)
		for field := range 5 {
			k.fail(k.tenant, failure{slug: "orders", code: "type", field: fmt.Sprint("f", field), at: at})
		}
		k.send(k.tenant, "orders", source.Failed, 100, at)
		k.flush()
		all(at)
		require.Len(t, k.list(k.tenant), 6, "one for each group and one for the rate, all within an hour")
		k.close()
		all(at.Add(time.Minute))
	}
}
