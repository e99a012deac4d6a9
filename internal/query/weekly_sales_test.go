package query

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// sellTea stores three weeks of sales: an article with stock-outs, one with a line without a
// rate, a line without an article, a return, a cancelled order, and a sale on the day of as_of.
func (st *stage) sellTea() (tea, cup string) {
	st.t.Helper()
	tea, cup = st.article("1", "TEA", "Tea", "", ""), st.article("2", "CUP", "", "Cups", "active")
	st.sell(
		line{order: "o1", product: tea, customer: "c1", day: "2026-10-07", units: "3", returned: "1", gross: "30",
			discount: "3", net: "18"},
		line{order: "o1", customer: "c1", day: "2026-10-07", units: "1", gross: "5", net: "5"},
		line{order: "o2", product: tea, customer: "c1", day: "2026-10-11", units: "2", gross: "20", net: "20"},
		line{order: "o3", product: cup, customer: "c2", day: "2026-10-20", units: "4"},
		line{order: "o4", product: tea, day: "2026-10-27", units: "1", gross: "10", net: "10"},
		line{order: "o5", product: tea, customer: "c2", day: "2026-10-29", units: "7", gross: "70", net: "70"},
		line{order: "o6", product: tea, customer: "c2", day: "2026-10-27", units: "100", gross: "1", net: "1", dropped: true},
	)
	st.series(tea, "2026-10-07", "2026-10-05", "{1,3,7,2}", false)
	for _, day := range []string{"2026-10-21", "2026-10-27"} {
		st.exec(`INSERT INTO workspace.stock_days (tenant_id, workspace_id, product_id, day, available, closing, closed_at, version)
			VALUES ($1, $2, $3, $4, false, 0, now(), 1)`, st.tenant.ID, st.tenant.Workspace, tea, day)
	}
	return tea, cup
}

const weekFields = "week_label orders customers units_gross units_returned units_net gross_sales discounts net_sales " +
	"unconverted avg_price in_stock_days days_elapsed is_complete unmatched_lines"

func TestWeeklySales(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 1)
	tea, cup := st.sellTea()
	for _, tt := range []struct {
		what, asOf, product, fields string
		want                        []string
	}{
		{"the total has every week", "2026-10-29", "", weekFields, []string{
			"2026-W41 2 1 6 1 5 55 3 43 0 8.6000 - 7 yes 1",
			"2026-W42 0 0 0 0 0 0 0 0 0 - - 7 yes 0",
			"2026-W43 1 1 4 0 4 0 0 0 1 - - 7 yes 0",
			"2026-W44 1 0 1 0 1 10 0 10 0 10.0000 - 3 no 0",
		}},
		// W41: five days since the first sale, one empty. W44: in stock only on the day of its sale.
		{"an article has every week", "2026-10-29", tea, weekFields, []string{
			"2026-W41 2 1 5 1 4 50 3 38 0 9.5000 4 7 yes -",
			"2026-W42 0 0 0 0 0 0 0 0 0 - 4 7 yes -",
			"2026-W43 0 0 0 0 0 0 0 0 0 - 0 7 yes -",
			"2026-W44 1 0 1 0 1 10 0 10 0 10.0000 1 3 no -",
		}},
		{"an article's weeks begin with its first sale; without a series its stock is unknown", "2026-10-29", cup, weekFields,
			[]string{"2026-W43 1 1 4 0 4 0 0 0 1 - - 7 yes -", "2026-W44 0 0 0 0 0 0 0 0 0 - - 3 no -"}},
		{"all articles have weeks with a sale", "2026-10-29", EveryProduct, "week_start product_id family units_net is_complete",
			[]string{"2026-10-05 " + tea + " Tea 4 yes", "2026-10-19 " + cup + " - 4 yes", "2026-10-26 " + tea + " Tea 1 no"}},
		{"the running week without a sale so far", "2026-10-27", EveryProduct, "week_start product_id",
			[]string{"2026-10-05 " + tea, "2026-10-19 " + cup}},
		{"the running week ends the day before", "2026-10-11", "", weekFields, []string{
			"2026-W41 1 1 4 1 3 35 3 23 0 7.6667 - 6 no 1"}},
		{"a week that begins today", "2026-10-12", "", "week_label units_net days_elapsed is_complete",
			[]string{"2026-W41 5 7 yes", "2026-W42 0 0 no"}},
		{"the day after the first sale", "2026-10-08", "", "week_label units_net days_elapsed", []string{"2026-W41 3 3"}},
		{"before the first sale", "2026-10-07", "", "week_label", nil},
		{"an article before its first sale", "2026-10-20", cup, "week_label", nil},
		{"an article that does not exist", "2026-10-29", st.id("9"), "week_label", nil},
	} {
		t.Run(tt.what, func(t *testing.T) {
			require.Equal(t, tt.want, st.table(Request{ViewSlug: "weekly_sales", SelectFields: strings.Fields(tt.fields),
				Parameters: Parameters{AsOf: tt.asOf, Product: tt.product}}))
		})
	}
}

// TestWeeksOfSunday checks weeks that do not start on Monday.
func TestWeeksOfSunday(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 7)
	st.sellTea()
	require.Equal(t, []string{"2026-10-04 2026-10-04 3 yes", "2026-10-11 2026-10-11 2 yes"},
		st.table(Request{ViewSlug: "weekly_sales", SelectFields: []string{"week_start", "week_label", "units_net", "is_complete"},
			Parameters: Parameters{AsOf: "2026-10-18"}})[:2])
}

// TestParameters checks which parameters a relation takes, and their values.
func TestParameters(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 1)
	for _, tt := range []struct {
		slug    string
		given   Parameters
		message string
	}{
		{"weekly_sales", Parameters{}, ""},
		{"weekly_sales", Parameters{AsOf: asOfToday, Product: EveryProduct}, ""},
		{"weekly_sales", Parameters{Product: st.id("1")}, ""},
		{"weekly_sales", Parameters{AsOf: "2026-11-17"}, "as_of must be a date such as 2026-11-16, and not after today; received"},
		{"weekly_sales", Parameters{AsOf: "2026-02-30"}, "as_of must be a date"},
		{"weekly_sales", Parameters{AsOf: "yesterday"}, "as_of must be a date"},
		{"weekly_sales", Parameters{AsOf: "0000-01-01"}, "as_of must be a date"},
		{"weekly_sales", Parameters{Product: "*"}, "product must be the id of an article, or all; received *"},
		{"weekly_sales", Parameters{Product: "\x00"}, "product must be the id"},
		{"family_trend", Parameters{Product: EveryProduct}, "family_trend takes no product"},
		{"gauges", Parameters{AsOf: asOfToday}, "gauges takes no as_of"},
		{"things", Parameters{Product: st.id("1")}, "things takes no product"},
	} {
		_, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: tt.slug, Parameters: tt.given})
		if tt.message == "" {
			require.NoError(t, err)
			continue
		}
		require.True(t, fault.Is(err, fault.BadRequest), err)
		require.ErrorContains(t, err, tt.message)
	}
	by := st.by()
	for zone, today := range map[string]string{"UTC": asOfToday, "Pacific/Auckland": "2026-11-17"} {
		var err error
		by.Zone, err = time.LoadLocation(zone)
		require.NoError(t, err)
		page, err := st.s.Rows(t.Context(), by, Request{ViewSlug: "weekly_sales"})
		require.NoError(t, err)
		require.Equal(t, today, page.AsOf, "today is the workspace's")
	}
}

// TestWeeklySalesPlan checks that a page of all articles reads the weeks that it shows, wherever
// it begins, and that the weeks of one article read that article only.
func TestWeeklySalesPlan(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 1)
	ours := st.tenant
	for i, place := range []pgtest.Tenant{ours, pgtest.NewTenant(t, st.db)} {
		st.tenant = place
		if i > 0 {
			st.settle(1)
		}
		st.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name)
			SELECT $1, $2, '01900000-0000-7000-8000-' || lpad(n::text, 12, '0'), n, n FROM generate_series(1, 100) n`, place.ID, place.Workspace)
		st.exec(`INSERT INTO workspace.sales_lines (tenant_id, workspace_id, line_id, order_id, product_id, day, week, counts, units, returned,
				gross, discount, net)
			SELECT $1, $2, n, n / 10, '01900000-0000-7000-8000-' || lpad((1 + n % 100)::text, 12, '0'), day, workspace.week_of(day, 1), true,
				1, 0, 1, 0, 1
			FROM generate_series(1, 30000) n, LATERAL (SELECT date '2026-11-15' - n / 43 AS day) d`, place.ID, place.Workspace)
		st.exec(`INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id, first_sale, first_week)
			SELECT $1, $2, product_id, min(day), min(week) FROM workspace.sales_lines WHERE tenant_id = $1 GROUP BY product_id`,
			place.ID, place.Workspace)
		st.sumUp()
	}
	st.tenant = ours
	st.exec(`VACUUM ANALYZE workspace.products, workspace.sales_lines, workspace.sales_orders, workspace.sales_days, workspace.sales_weeks,
		workspace.sales_series, workspace.sales_settings`)
	of := func(p plan) []statement { return p.pages(51)[:1] }
	every := Parameters{Product: EveryProduct}
	for _, desc := range []bool{false, true} {
		request := Request{ViewSlug: "weekly_sales", SortBy: "week_start", SortDesc: desc, Parameters: every}
		first := st.explainPages(request, of)[0]
		require.Contains(t, first.indexes(), "sales_weeks_week")
		require.LessOrEqual(t, first.touched(), 400.0, "more than some weeks were read")
		late := st.explainPages(request, func(p plan) []statement {
			value := "2025-12-01"
			p.from = &place{&value, value}
			return of(p)
		})[0]
		require.Regexp(t, `sales_weeks_week.*\bweek\b`, late.indexes())
		require.LessOrEqual(t, late.touched(), 400.0, "more than some weeks were read")
	}
	one := st.explainPages(Request{ViewSlug: "weekly_sales", Parameters: Parameters{Product: st.id("7")}}, of)[0]
	require.LessOrEqual(t, one.touched(), 400.0, "other articles were read")
	total := st.explainPages(Request{ViewSlug: "weekly_sales"}, of)[0]
	require.LessOrEqual(t, total.touched(), 700.0, "lines of other weeks were read")
}
