package query

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

// line is an order line as the sales tables hold it.
type line struct {
	order, product, customer, day string
	units, returned               string
	gross, discount, net          string // net empty: no rate
	dropped                       bool   // of an order that does not count
}

// asOfToday is the day on which the tests of computed views read.
const asOfToday = "2026-11-16"

// newSalesStage returns a stage whose clock stands still, with the settings of its sales.
func newSalesStage(t *testing.T, weekStart int) *stage {
	t.Helper()
	st := newStage(t)
	st.s.now = func() time.Time { return time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC) }
	st.settle(weekStart)
	return st
}

// settle stores the settings by which the workspace's sales are computed.
func (st *stage) settle(weekStart int) {
	st.t.Helper()
	st.exec(`INSERT INTO workspace.sales_settings (tenant_id, workspace_id, time_zone, week_start, base_currency, rebuild_began_at)
		VALUES ($1, $2, 'UTC', $3, 'EUR', now())`, st.tenant.ID, st.tenant.Workspace, weekStart)
}

// article stores a product and returns its id, which ends in the given digits.
func (st *stage) article(digits, sku, family, category, status string) string {
	st.t.Helper()
	id := st.id(digits)
	st.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name, family, category, status)
		VALUES ($1, $2, $3, $4, $4, nullif($5, ''), nullif($6, ''), nullif($7, ''))`, st.tenant.ID, st.tenant.Workspace, id,
		sku, family, category, status)
	return id
}

// id returns a record's id that ends in the given digits.
func (st *stage) id(digits string) string {
	return "01900000-0000-7000-8000-" + strings.Repeat("0", 12-len(digits)) + digits
}

// sell stores order lines, and sums them up by order, day and week.
func (st *stage) sell(lines ...line) {
	st.t.Helper()
	for i, l := range lines {
		st.exec(`INSERT INTO workspace.sales_lines (tenant_id, workspace_id, line_id, order_id, product_id, customer_id, day, week,
				counts, units, returned, gross, discount, net)
			SELECT $1, $2, $3 || $4, $4, $5, nullif($6, ''), $7, workspace.week_of($7, g.week_start),
				$8, $9::text::numeric, coalesce(nullif($10, ''), '0')::numeric, nullif($11, '')::numeric,
				CASE WHEN $13 <> '' THEN coalesce(nullif($12, ''), '0')::numeric END, nullif($13, '')::numeric
			FROM workspace.sales_settings g WHERE g.tenant_id = $1 AND g.workspace_id = $2`,
			st.tenant.ID, st.tenant.Workspace, string(rune('a'+i)), l.order, l.product, l.customer, l.day,
			!l.dropped, l.units, l.returned, l.gross, l.discount, l.net)
	}
	st.sumUp()
}

// sumUp fills the sums of the workspace from its lines, as package sales does.
func (st *stage) sumUp() {
	st.t.Helper()
	for _, sql := range []string{
		`INSERT INTO workspace.sales_orders (tenant_id, workspace_id, order_id, customer_id, day, week, net)
			SELECT $1, $2, order_id, min(customer_id), min(day), min(week), sum(net) FROM workspace.sales_lines
			WHERE tenant_id = $1 AND workspace_id = $2 AND counts GROUP BY order_id`,
		`INSERT INTO workspace.sales_days (tenant_id, workspace_id, product_id, day, lines, units, returned, net)
			SELECT $1, $2, product_id, day, count(*), sum(units), sum(returned), coalesce(sum(net), 0) FROM workspace.sales_lines
			WHERE tenant_id = $1 AND workspace_id = $2 AND counts GROUP BY product_id, day`,
		`INSERT INTO workspace.sales_weeks (tenant_id, workspace_id, product_id, week, lines, orders, customers, units, returned,
				gross, discount, net, unconverted)
			SELECT $1, $2, coalesce(product_id, '*'), week, count(*), count(DISTINCT order_id), count(DISTINCT customer_id), sum(units),
				sum(returned), coalesce(sum(gross), 0), coalesce(sum(discount), 0), coalesce(sum(net), 0), count(*) - count(net)
			FROM workspace.sales_lines WHERE tenant_id = $1 AND workspace_id = $2 AND counts
			GROUP BY GROUPING SETS ((product_id, week), (week))`,
	} {
		st.exec(sql, st.tenant.ID, st.tenant.Workspace)
	}
	queries := q.New(st.admin)
	buyers, err := queries.CustomersAfter(st.t.Context(),
		q.CustomersAfterParams{TenantID: st.tenant.ID, WorkspaceID: st.tenant.Workspace, Most: math.MaxInt32})
	require.NoError(st.t, err)
	always := slices.Repeat([]pgtype.Date{{InfinityModifier: pgtype.NegativeInfinity, Valid: true}}, len(buyers))
	require.NoError(st.t, queries.RefreshCustomers(st.t.Context(), q.RefreshCustomersParams{
		TenantID: st.tenant.ID, WorkspaceID: st.tenant.Workspace, Customers: buyers, Days: always}))
}

// series stores what is known of an article's stock by week, up to the last day of the last one.
func (st *stage) series(product, firstSale, firstWeek, emptyDays string, endsEmpty bool) {
	st.t.Helper()
	st.exec(`INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id, first_sale, first_week, empty_days, ends_empty, ends_on)
		VALUES ($1, $2, $3, $4, $5, $6::text::integer[], $7, $5::date + 7 * cardinality($6::text::integer[]) - 1)`, st.tenant.ID, st.tenant.Workspace, product, firstSale, firstWeek,
		emptyDays, endsEmpty)
}

// table reads all rows of a request, over pages of two, as lines of the selected fields; a dash
// stands for nothing.
func (st *stage) table(request Request) (rows []string) {
	st.t.Helper()
	request.Limit = 2
	for {
		page, err := st.s.Rows(st.t.Context(), st.by(), request)
		require.NoError(st.t, err)
		for _, row := range page.Rows {
			read, words := values(st.t, row), []string{}
			for _, name := range request.SelectFields {
				switch value := read[name].(type) {
				case nil:
					words = append(words, "-")
				case bool:
					words = append(words, map[bool]string{true: "yes", false: "no"}[value])
				case string:
					words = append(words, value)
				}
			}
			rows = append(rows, strings.Join(words, " "))
		}
		if page.NextCursor == "" {
			return rows
		}
		request.Cursor = page.NextCursor
	}
}

// everything reads all rows and fields of all computed views.
func (st *stage) everything(by auth.Principal) string {
	st.t.Helper()
	var all strings.Builder
	for _, view := range computed {
		for _, product := range []string{"", EveryProduct, st.id("1")} {
			if product != "" && !view.takes(Product) {
				continue
			}
			page, err := st.s.Rows(st.t.Context(), by, Request{ViewSlug: view.Slug, Limit: MaxLimit,
				Parameters: Parameters{Product: product}})
			require.NoError(st.t, err)
			text, err := json.Marshal(page)
			require.NoError(st.t, err)
			all.Write(append(text, '\n'))
		}
	}
	return all.String()
}
