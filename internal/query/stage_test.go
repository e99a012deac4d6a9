package query

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// stage is a tenant with two tables of the same columns, one column of each type: gauges, a
// schema table, and things, a generic table.
type stage struct {
	t       *testing.T
	db      *pgtest.DB
	admin   *pgx.Conn
	s       *Service
	records *ingest.Service
	tenant  pgtest.Tenant
}

// stored lists a table of each kind of storage.
var stored = []string{"gauges", "things"}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	tables := registry.New(db.Cells)
	st := &stage{t: t, db: db, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db),
		s: New(db.Cells, tables, forecast.New(db.Cells, slog.New(slog.DiscardHandler)), purchase.LeftAsJSON)}
	st.records = ingest.New(db.Cells, tables, slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		ingest.Config{Lanes: 2, Queued: 1000, Wait: time.Minute})
	t.Cleanup(st.records.Close)
	st.exec(`CREATE TABLE workspace.gauges (
		id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(), tenant_id uuid NOT NULL, workspace_id uuid NOT NULL,
		external_id text COLLATE "C" NOT NULL, words text, amount numeric, flag boolean, day date, moment timestamptz, ref uuid, color text,
		version bigint NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
		PRIMARY KEY (tenant_id, id))`)
	st.exec("CREATE UNIQUE INDEX gauges_external_id ON workspace.gauges (tenant_id, external_id)")
	st.exec("SELECT control.protect('workspace.gauges')")
	st.exec("GRANT SELECT, INSERT, UPDATE ON workspace.gauges TO quayside_app")
	st.exec("SELECT workspace.make_indexed('gauges')")
	st.register(uuid.Nil, "gauges", "table")
	st.register(st.tenant.ID, "things", "records")
	return st
}

// register registers a table with one column of each type.
func (st *stage) register(tenant uuid.UUID, slug, storage string) {
	st.t.Helper()
	st.exec("INSERT INTO workspace.registry_tables (tenant_id, slug, title, storage) VALUES ($1, $2, $2, $3)", tenant,
		slug, storage)
	st.exec("INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type, required, nullable) VALUES ($1, $2, 'external_id', 0, 'text', true, false)", tenant, slug)
	for i, column := range []string{"words text", "amount number", "flag boolean", "day date", "moment datetime",
		"ref uuid", "color text"} {
		var name, kind string
		_, err := fmt.Sscan(column, &name, &kind)
		require.NoError(st.t, err)
		st.exec(`INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type, minimum, maximum)
			VALUES ($1, $2, $3, $4, $5, CASE $5 WHEN 'number' THEN -1e30 END, CASE $5 WHEN 'number' THEN 1e30 END)`,
			tenant, slug, name, i+1, kind)
	}
}

func (st *stage) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.admin.Exec(context.WithoutCancel(st.t.Context()), sql, args...)
	require.NoError(st.t, err)
}

// by returns somebody who may read.
func (st *stage) by() auth.Principal {
	return auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Role: auth.Viewer}
}

// write stores a record as an external system does.
func (st *stage) write(slug, body string) {
	st.t.Helper()
	by := auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Scope: auth.AllTables,
		Actor: auth.Actor{Type: auth.ByOperator}}
	_, err := st.records.Write(st.t.Context(), ingest.Record{By: by, Slug: slug, Body: []byte(body), RequestID: "test"})
	require.NoError(st.t, err)
}

// fill creates many rows in both tables.
func (st *stage) fill(n int) {
	st.t.Helper()
	st.fillWith(n, "'word ' || n % 97")
}

// fillWith is fill with an SQL expression for the column words.
func (st *stage) fillWith(n int, words string) {
	st.t.Helper()
	st.exec(`INSERT INTO workspace.gauges (tenant_id, workspace_id, external_id, words, amount, flag, day, moment, ref, color)
		SELECT $1, $2, 'x' || n, `+words+`, n % 1000, n % 2 = 0, date '2020-01-01' + n % 2000, timestamptz '2020-01-01Z' + n * interval '1 minute', gen_random_uuid(), 'c' || n % 7
		FROM generate_series(1, $3) n`, st.tenant.ID, st.tenant.Workspace, n)
	st.exec(`INSERT INTO workspace.records (tenant_id, workspace_id, slug, external_id, data)
		SELECT $1, $2, 'things', g.external_id, to_jsonb(g) - '{id,tenant_id,workspace_id,external_id,version,created_at,updated_at}'::text[]
		FROM workspace.gauges g WHERE g.tenant_id = $1`, st.tenant.ID, st.tenant.Workspace)
	st.exec("ANALYZE workspace.gauges, workspace.records")
}

// values decodes a row's values.
func values(t *testing.T, row Row) map[string]any {
	t.Helper()
	var read map[string]any
	require.NoError(t, json.Unmarshal(row.Values, &read))
	return read
}

// ids returns the external ids of all rows that a request finds, in order, over all pages.
func (st *stage) ids(request Request) (ids []string) {
	st.t.Helper()
	request.SelectFields = []string{"external_id"}
	for {
		page, err := st.s.Rows(st.t.Context(), st.by(), request)
		require.NoError(st.t, err, string(request.Filters))
		require.False(st.t, request.Cursor != "" && len(page.Rows) == 0, "a page said that there were more rows")
		for _, row := range page.Rows {
			id, ok := values(st.t, row)["external_id"].(string)
			require.True(st.t, ok)
			ids = append(ids, id)
		}
		if page.NextCursor == "" {
			return ids
		}
		request.Cursor = page.NextCursor
	}
}

// pages returns the statements that read a plan's next rows.
func (p plan) pages(limit int) (pages []statement) {
	for _, part := range p.parts() {
		pages = append(pages, p.page(part == withoutValue, limit))
	}
	return pages
}
