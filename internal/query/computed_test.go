package query

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// TestCatalogue checks that every computed view is described, that its description fits its
// statement, and that no table has its slug.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 1)
	tea, _ := st.sellTea()
	st.foresee(tea)
	tables, err := registry.New(st.db.Cells).All(t.Context(), st.tenant.ID)
	require.NoError(t, err)
	slugs := map[string]bool{}
	for _, table := range tables {
		slugs[table.Slug] = true
	}
	files, err := viewFiles.ReadDir("views")
	require.NoError(t, err)
	require.Len(t, files, len(computed), "a file that no view has")
	for _, view := range computed {
		require.True(t, registry.Reserved(view.Slug), "no table of a company may have the name %s", view.Slug)
		require.False(t, slugs[view.Slug], "%s is a table", view.Slug)
		require.True(t, registry.IsSlug(view.Slug))
		require.NotEmpty(t, view.Description)
		for _, name := range append(view.View.Columns, view.View.SortBy) {
			_, known := view.Field(name)
			require.True(t, known, "%s shows %s", view.Slug, name)
		}
		for _, product := range []string{"", EveryProduct} {
			if product != "" && !view.takes(Product) {
				continue
			}
			read := st.readAll(st.by(), Request{ViewSlug: view.Slug, Parameters: Parameters{Product: product}})
			require.NotEmpty(t, read)
			for i := range view.Fields {
				field := &view.Fields[i]
				require.NotEmpty(t, field.Description, "%s of %s", field.Name, view.Slug)
				require.Contains(t, registry.Types(), field.Type)
				if field.References != "" {
					require.True(t, slugs[field.References], "%s refers to %s", field.Name, field.References)
				}
				for _, row := range read {
					value := values(t, row)[field.Name]
					require.True(t, field.Nullable || value != nil, "%s of %s is never empty, and is", field.Name, view.Slug)
					require.True(t, value == nil || field.Choices == nil || contains(field.Choices, value), "%v", value)
				}
				// Every field sorts and filters.
				sorted := st.readAll(st.by(), Request{ViewSlug: view.Slug, SortBy: field.Name, SortDesc: true, Limit: 1,
					Filters: fmt.Appendf(nil, `{%q:{"empty":false}}`, field.Name), Parameters: Parameters{Product: product}})
				empty := st.readAll(st.by(), Request{ViewSlug: view.Slug, SortBy: field.Name, Limit: 1,
					Filters: fmt.Appendf(nil, `{%q:null}`, field.Name), Parameters: Parameters{Product: product}})
				require.Len(t, read, len(sorted)+len(empty), "%s of %s", field.Name, view.Slug)
			}
		}
	}
}

// foresee stores a forecast of an article, and the season of its family.
func (st *stage) foresee(product string) {
	st.t.Helper()
	st.exec(`INSERT INTO workspace.forecast_state (tenant_id, workspace_id, as_of, time_zone, week_start, computed_at, stale)
		VALUES ($1, $2, '2026-11-16', 'UTC', 1, now(), false)`, st.tenant.ID, st.tenant.Workspace)
	st.exec(`INSERT INTO workspace.forecasts (tenant_id, workspace_id, product_id, as_of, family, exposure_days, stockout_days_84,
			units_28, units_84, units_365, velocity_raw, velocity, sigma_day, season_factor, season_strength, demand_per_day,
			demand_class, forecast_30, forecast_90, low_30, high_30, wape, confidence, flags)
		VALUES ($1, $2, $3, '2026-11-16', 'Tea', 30, 2, 8, 14, 14, 0.1, 0.123456, 1, 1, 0, 0.123456,
			'new', 3.70368, 11.11, 1, 7, NULL, 'low', '{unknown_stock,no_family}')`, st.tenant.ID, st.tenant.Workspace, product)
	st.exec(`INSERT INTO workspace.queue_rows (tenant_id, workspace_id, product_id, as_of, recommendation_key, name, action, urgency, rank,
			margin_at_risk, open_purchase_order_quantity, draft_quantity, overdue_quantity, demand_per_day, lead_time_days,
			lead_time_source, safety_stock, reorder_point, target_stock, late_by_days, raw_quantity, suggested_quantity,
			overbuy_quantity, confidence, data_gaps, reason, reason_text, computed_at, digest)
		VALUES ($1, $2, $3, '2026-11-16', 'rq1:0000000000000000:1', 'Tea', 'order', 'critical', 0,
			12.5, 0, 0, 0, 0.123456, 14, 'default', 3, 5, 9, 2, 7.5, 8, 0.5, 'low', '{"failed_imports": 2}', '[]', 'Sells 0.1 a day.', now(), '')`,
		st.tenant.ID, st.tenant.Workspace, product)
	st.exec(`INSERT INTO workspace.forecast_families (tenant_id, workspace_id, family, indexed, strength, strength_reason, raw_index, index, years, units)
		SELECT $1, $2, family, false, 0, 'no_index', array_fill(1.5, ARRAY[12]), array_fill(1, ARRAY[12]), array_fill(1, ARRAY[12]), array_fill(3, ARRAY[12])
		FROM unnest(ARRAY['', 'Tea']) family`, st.tenant.ID, st.tenant.Workspace)
}

// TestStoredViews reads the views of stored forecasts as of today, and as of an earlier day what
// is computed then.
func TestStoredViews(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 1)
	tea, cup := st.sellTea()
	st.foresee(tea)
	demand := Request{ViewSlug: "product_demand",
		SelectFields: []string{"product_id", "velocity", "forecast_30", "wape", "flags"}}
	want := []string{tea + " 0.1235 3.7037 - unknown_stock, no_family"}
	require.Equal(t, want, st.table(demand))
	demand.Product = tea
	require.Equal(t, want, st.table(demand))
	demand.Product = cup
	require.Empty(t, st.table(demand), "it has no forecast")
	season := Request{ViewSlug: "seasonality", SelectFields: []string{"scope", "month", "raw_index"}, SortBy: "scope"}
	require.Len(t, st.table(season), 24)
	season.Product = tea
	require.Equal(t, "Tea 12 1.5000", st.table(season)[11])

	st.exec(`INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id, first_sale, last_sale, first_week, units, empty_days, ends_on)
		VALUES ($1, $2, $3, '2026-10-05', '2026-10-25', '2026-10-05', '{7,14,21}', '{0,0,0}', '2026-10-25')
		ON CONFLICT (tenant_id, workspace_id, product_id) DO UPDATE SET first_sale = excluded.first_sale, last_sale = excluded.last_sale,
			first_week = excluded.first_week, units = excluded.units, empty_days = excluded.empty_days, ends_on = excluded.ends_on`,
		st.tenant.ID, st.tenant.Workspace, tea)
	for day, velocity := range map[string]string{"2026-11-16": "0.1235", "2026-10-12": "1.0000", "2026-10-19": "1.5263", "2026-10-05": "0.0000"} {
		for _, product := range []string{tea, ""} {
			then := Request{ViewSlug: "product_demand", SelectFields: []string{"velocity"}, SortBy: "velocity", SortDesc: true,
				Filters: []byte(`{"sku":"TEA"}`), Parameters: Parameters{AsOf: day, Product: product}}
			require.Equal(t, []string{velocity}, st.table(then), day)
			count, err := st.s.Count(t.Context(), st.by(), then)
			require.NoError(t, err)
			require.Equal(t, Count{Rows: 1}, count)
			row, err := st.s.Get(t.Context(), st.by(), then.ViewSlug, tea, then.Parameters)
			require.NoError(t, err)
			require.Equal(t, velocity, values(t, row)["velocity"])
		}
	}
	season.AsOf = "2026-10-12"
	require.Equal(t, "Tea 12 1.0000", st.table(season)[11])
	season.Product = EveryProduct
	require.Len(t, st.table(season), 24)
}

func contains(choices []string, value any) bool {
	for _, choice := range choices {
		if choice == value {
			return true
		}
	}
	return false
}

// readAll reads all rows of a request, page by page.
func (st *stage) readAll(by auth.Principal, request Request) (rows []Row) {
	st.t.Helper()
	for {
		page, err := st.s.Rows(st.t.Context(), by, request)
		require.NoError(st.t, err)
		rows = append(rows, page.Rows...)
		if page.NextCursor == "" {
			return rows
		}
		request.Cursor = page.NextCursor
	}
}

// TestComputedAlike checks that a computed view is read in all the ways in which a table is, and
// is not written.
func TestComputedAlike(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 1)
	tea, _ := st.sellTea()
	request := Request{ViewSlug: "weekly_sales", SelectFields: []string{"week_label", "units_net"}, Limit: 1,
		Parameters: Parameters{AsOf: "2026-10-12", Product: tea}}
	first, err := st.s.Rows(t.Context(), st.by(), request)
	require.NoError(t, err)
	require.Equal(t, "2026-10-05."+tea, first.Rows[0].ID)
	require.Equal(t, int64(0), first.Rows[0].Version)
	require.JSONEq(t, `{"week_label":"2026-W41","units_net":"4"}`, string(first.Rows[0].Values))

	for _, other := range []Parameters{{AsOf: "2026-10-13", Product: tea}, {AsOf: "2026-10-12"}, {Product: tea}} {
		next := request
		next.Cursor, next.Parameters = first.NextCursor, other
		_, err = st.s.Rows(t.Context(), st.by(), next)
		require.ErrorIs(t, err, errCursor, "the cursor of another day or product")
	}
	count, err := st.s.Count(t.Context(), st.by(), request)
	require.NoError(t, err)
	require.Equal(t, Count{Rows: 2}, count)
	var file bytes.Buffer
	_, err = st.s.Export(t.Context(), st.person(auth.Buyer), request, &file)
	require.NoError(t, err)
	require.Equal(t, "week_label,units_net\r\n2026-W41,4\r\n2026-W42,0\r\n", file.String())

	one, err := st.s.Get(t.Context(), st.by(), "weekly_sales", first.Rows[0].ID, request.Parameters)
	require.NoError(t, err)
	require.Equal(t, "4", values(t, one)["units_net"])
	require.Equal(t, Label{"TEA", ""}, one.Links["product_id"][tea])
	_, err = st.s.Get(t.Context(), st.by(), "weekly_sales", first.Rows[0].ID, Parameters{})
	require.True(t, fault.HasCode(err, "unknown_record"), "no row of the total: %v", err)
	_, _, err = st.s.History(t.Context(), st.by(), "weekly_sales", first.Rows[0].ID, page.All)
	require.True(t, fault.HasCode(err, "no_history"), err)
	require.True(t, fault.HasCode(Writable("weekly_sales"), "computed"))
	require.NoError(t, Writable("gauges"))

	by := st.person(auth.Buyer)
	saved, err := st.s.CreateView(t.Context(), by, OfTable("weekly_sales"), ViewChange{Name: ptr("Tea"),
		Definition: &Definition{SortBy: "week_start", AsOf: "2026-10-12", Product: tea}})
	require.NoError(t, err)
	shown, err := st.s.Views(t.Context(), by, OfTable("weekly_sales"))
	require.NoError(t, err)
	require.Equal(t, []View{saved}, shown)
	for of, wrong := range map[ViewOf]Definition{
		OfTable("weekly_sales"):   {AsOf: "soon"},
		OfTable("family_trend"):   {Product: tea},
		OfTable("gauges"):         {AsOf: "2026-10-12"},
		OfList("purchase-orders"): {AsOf: "2026-10-12"},
	} {
		_, err = st.s.CreateView(t.Context(), by, of, ViewChange{Name: ptr("Wrong"), Definition: &wrong})
		require.True(t, fault.Is(err, fault.BadRequest), "%v: %v", of, err)
	}
}

// TestOthersChangeNoFigure checks that the sales of another company, and of another workspace of
// the same one, change no row of a computed view.
func TestOthersChangeNoFigure(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 1)
	ours := st.tenant
	st.sellTea()
	before, by := st.everything(st.by()), st.by()
	require.Contains(t, before, "2026-W41")
	require.Contains(t, before, `"Tea"`)

	sibling := pgtest.Tenant{ID: ours.ID, Workspace: uuid.Must(uuid.NewV7())}
	st.exec("INSERT INTO control.workspaces (tenant_id, id, name) VALUES ($1, $2, 'Second')", sibling.ID, sibling.Workspace)
	for i, place := range []pgtest.Tenant{pgtest.NewTenant(t, st.db), sibling} {
		st.tenant = place
		st.settle(7)
		product := st.article(fmt.Sprint(5+i), "CANARY", "Canary", "", "")
		if place != sibling { // the same ids in another company
			st.sellTea()
			st.exec(`DELETE FROM workspace.sales_orders WHERE tenant_id = $1`, place.ID)
			st.exec(`DELETE FROM workspace.sales_days WHERE tenant_id = $1`, place.ID)
			st.exec(`DELETE FROM workspace.sales_weeks WHERE tenant_id = $1`, place.ID)
		}
		st.sell(line{order: "x1", product: product, customer: "c1", day: "2026-09-01", units: "1000", gross: "9", net: "9"},
			line{order: "x2", product: product, customer: "c1", day: "2026-11-12", units: "1000", gross: "9", net: "9"})
		st.series(product, "2026-09-01", "2026-08-31", "{7,7,7,7}", true)
		require.Contains(t, st.everything(st.by()), "Canary", "they see their own")
	}
	st.tenant = ours
	require.Equal(t, before, st.everything(by))
}
