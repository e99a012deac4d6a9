package httpapi_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

type listedTable struct {
	Slug       string `json:"slug"`
	Computed   bool   `json:"computed"`
	Creatable  bool   `json:"creatable"`
	Closed     string `json:"closed"`
	Parameters []struct {
		Name string `json:"name"`
	} `json:"parameters"`
	Columns []struct {
		Name     string `json:"name"`
		Editable bool   `json:"editable"`
		Settable bool   `json:"settable"`
	} `json:"columns"`
}

// sell stores a week of sales whose family and article have the canary's name.
func (w *world) sell(place pgtest.Tenant, id, canary string, units int) {
	w.t.Helper()
	w.exec(`INSERT INTO workspace.sales_settings (tenant_id, workspace_id, time_zone, week_start, base_currency, rebuild_began_at)
		VALUES ($1, $2, 'UTC', 1, 'EUR', now())`, place.ID, place.Workspace)
	w.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name, family) VALUES ($1, $2, $3, $4, $4, $4)",
		place.ID, place.Workspace, id, canary)
	w.exec("INSERT INTO workspace.customers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, $3, $3, $3)",
		place.ID, place.Workspace, canary)
	w.exec(`INSERT INTO workspace.sales_weeks (tenant_id, workspace_id, product_id, week, lines, orders, customers, units, returned, gross,
			discount, net, unconverted)
		SELECT $1, $2, product, '2026-10-05', 1, 1, 1, $3, 0, 9, 0, 9, 0 FROM unnest($4::text[]) product`, place.ID, place.Workspace, units,
		[]string{id, "*"})
	w.exec(`INSERT INTO workspace.sales_orders (tenant_id, workspace_id, order_id, customer_id, day, week, net)
		VALUES ($1, $2, $3, $3, '2026-10-06', '2026-10-05', 9)`, place.ID, place.Workspace, canary)
	w.exec(`INSERT INTO workspace.sales_customers (tenant_id, workspace_id, customer_id, day, until, orders, first_day, gaps)
		VALUES ($1, $2, $3, '2026-10-06', 'infinity', 1, '2026-10-06', 0)`, place.ID, place.Workspace, canary)
}

// TestComputedViews checks that computed views are listed, read, counted, exported and saved as
// tables are; that each shows its own workspace only; and that nothing writes to them.
func TestComputedViews(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const ours, theirs = "01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"
	w.sell(w.tenant, ours, "canary-ours", 3)
	w.sell(pgtest.NewTenant(t, w.db), theirs, "canary-theirs", 500)
	g := w.grid(w.tenant, auth.CompanyAdmin)
	tables := strings.TrimSuffix(g.path, "/suppliers")

	var views []string
	for _, table := range decode[page[listedTable]](t, g.call(http.MethodGet, tables, nil), http.StatusOK).Items {
		if !table.Computed {
			require.Empty(t, table.Parameters)
			continue
		}
		views = append(views, table.Slug)
		require.Equal(t, "as_of", table.Parameters[0].Name, table.Slug)
		require.False(t, table.Creatable)
		require.Contains(t, table.Closed, "computed")
		path := tables + "/" + table.Slug
		described := decode[listedTable](t, g.call(http.MethodGet, path, nil), http.StatusOK)
		require.NotEmpty(t, described.Columns, table.Slug)
		for _, column := range described.Columns {
			require.False(t, column.Editable || column.Settable, column.Name)
		}

		days := []string{"", "?as_of=2026-10-20", "?as_of=2026-10-01"}
		if table.Slug == "procurement_queue" { // of today only
			requireProblem(t, g.call(http.MethodGet, path+"/rows"+days[1], nil), http.StatusBadRequest, "value")
			days = days[:1]
		}
		for _, query := range days {
			read := g.call(http.MethodGet, path+"/rows"+query, nil)
			rows := decode[page[row]](t, read, http.StatusOK).Items
			count := decode[struct {
				Count int `json:"count"`
			}](t, g.call(http.MethodGet, path+"/count"+query, nil), http.StatusOK).Count
			require.Len(t, rows, count)
			file := g.call(http.MethodGet, path+"/export"+query, nil)
			require.Equal(t, http.StatusOK, file.status)
			lines, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
			require.NoError(t, err)
			require.Len(t, lines, count+1)
			require.NotContains(t, read.body+file.body, "theirs")
			require.NotContains(t, read.body+file.body, "500")
			for _, one := range rows {
				require.Zero(t, one.Version)
				require.Equal(t, one, decode[row](t, g.call(http.MethodGet, path+"/rows/"+one.ID+query, nil), http.StatusOK))
				requireProblem(t, g.call(http.MethodGet, path+"/rows/"+one.ID+"/history", nil), http.StatusNotFound, "no_history")
				requireProblem(t, g.call(http.MethodPatch, path+"/rows/"+one.ID, map[string]any{"values": map[string]any{"family": "x"}},
					`If-Match: "0"`), http.StatusConflict, "computed")
			}
		}
		requireProblem(t, g.call(http.MethodPost, path+"/rows", map[string]any{"values": map[string]any{"family": "x"}}),
			http.StatusConflict, "computed")
		saved := g.call(http.MethodPost, path+"/views", map[string]any{"name": "Then",
			"definition": map[string]any{"as_of": "2026-10-20"}})
		requireProblem(t, g.call(http.MethodGet, path+"/rows?as_of=soon", nil), http.StatusBadRequest, "value")
		if len(days) == 1 {
			requireProblem(t, saved, http.StatusBadRequest, "value")
		} else {
			require.Equal(t, http.StatusCreated, saved.status, saved.body)
			require.Contains(t, saved.body, `"as_of":"2026-10-20"`)
		}

		for _, method := range []string{http.MethodPost, http.MethodGet} {
			got := w.send(method, "master", "/api/ingest/"+table.Slug, nil, []byte(`{"external_id":"1"}`))
			require.Equal(t, http.StatusNotFound, got.status, "%s: %s", method, got.body)
			require.Contains(t, got.body, "unknown ingest type: "+table.Slug)
		}
		got := g.call(http.MethodGet, strings.TrimSuffix(tables, "/tables")+"/sources/"+table.Slug, nil)
		require.Equal(t, http.StatusNotFound, got.status, got.body)
	}
	require.Equal(t, []string{"weekly_sales", "family_trend", "customer_reorder_due", "product_demand", "seasonality",
		"procurement_queue", "unmatched_lines"}, views)

	weeks := g.call(http.MethodGet, tables+"/weekly_sales/rows?as_of=2026-10-12&product="+ours+"&select_fields=week_label,units_net", nil)
	require.JSONEq(t, `{"week_label":"2026-W41","units_net":"3"}`, firstValues(weeks.body))
	require.Contains(t, weeks.body, `"as_of":"2026-10-12"`)
	require.NotContains(t, g.call(http.MethodGet, tables+"/weekly_sales/rows?product="+theirs, nil).body, "W41",
		"another company's article has no weeks here")
	requireProblem(t, g.call(http.MethodGet, g.path+"/rows?as_of=2026-10-12", nil), http.StatusBadRequest, "unexpected")
}

// firstValues returns the values of the first row of an answer.
func firstValues(body string) string {
	_, rest, _ := strings.Cut(body, `"values":`)
	values, _, _ := strings.Cut(rest, "}")
	return values + "}"
}
