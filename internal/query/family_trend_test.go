package query

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sellWeek stores a week of an article, or of all.
func (st *stage) sellWeek(product, week string, lines, units, net int) {
	st.t.Helper()
	st.exec(`INSERT INTO workspace.sales_weeks (tenant_id, workspace_id, product_id, week, lines, orders, customers, units, returned,
			gross, discount, net, unconverted)
		VALUES ($1, $2, $3, $4, $5, $5, 0, $6 + 1, 1, 0, 0, $7, 0)`, st.tenant.ID, st.tenant.Workspace, product, week, lines, units, net)
}

// TestFamilyTrend has the weeks 2026-10-05 to 2026-10-26 against 2026-09-07 to 2026-09-28.
func TestFamilyTrend(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 1)
	tea, oldTea := st.article("1", "TEA", "Tea", "Drinks", ""), st.article("2", "OLD", "Tea", "", "archived")
	st.article("3", "UNSOLD", "Tea", "", "active")
	coffee, mug, plate := st.article("4", "BEAN", "Coffee", "", ""), st.article("5", "MUG", "", "Cups", ""),
		st.article("6", "PLATE", "", "", "")
	st.article("7", "GONE", "Gone", "", "archived")

	st.sellWeek("*", "2025-10-06", 1, 1, 1) // sales are known a year back
	st.sellWeek(tea, "2025-10-06", 9, 30, 0)
	st.sellWeek(tea, "2025-10-27", 9, 10, 0)
	st.sellWeek(tea, "2025-11-03", 9, 500, 0) // a week too late
	// Tea: 30 lines after 50, z = -20 / √80; 60 units after 100. A quarter of its days is empty.
	st.sellWeek(tea, "2026-09-07", 40, 80, 800)
	st.sellWeek(oldTea, "2026-09-28", 10, 20, 200)
	st.sellWeek(tea, "2026-10-05", 20, 40, 400)
	st.sellWeek(tea, "2026-10-26", 10, 20, 200)
	st.sellWeek(tea, "2026-08-31", 99, 999, 9) // before
	st.sellWeek(tea, "2026-11-02", 99, 999, 9) // the running week
	st.series(tea, "2025-10-06", "2026-10-05", "{3,2,2}", false)
	// Coffee: 19 lines say nothing.
	st.sellWeek(coffee, "2026-10-05", 19, 19, 100)
	// Cups: 25 lines after none is a rise without a percentage. It began on Thursday and is empty since.
	st.sellWeek(mug, "2026-10-19", 25, 25, 100)
	st.series(mug, "2026-10-22", "2026-10-19", "{2}", true)
	// Unassigned: an article without family and category, and lines without an article.
	st.sellWeek(plate, "2026-09-14", 50, 50, 100)
	st.sellWeek(plate, "2026-10-12", 50, 51, 100)
	st.sellWeek("", "2026-10-12", 10, 10, 100)

	fields := "family products active_products units_4w units_prev_4w units_4w_ly sales_4w sales_prev_4w growth_pct yoy_pct " +
		"share_pct z label stockout_share warn as_of_week"
	want := []string{
		"Coffee 1 1 19 0 0 100 0 - - 10.0 4.36 insufficient - no 2026-10-26",
		"Cups 1 1 25 0 0 100 0 - - 10.0 5.00 rising 0.818 no 2026-10-26",
		"Tea 2 1 60 100 40 600 1000 -40.0 50.0 60.0 -2.24 falling 0.250 yes 2026-10-26",
		"Unassigned 1 1 61 50 0 200 100 22.0 - 20.0 0.95 steady - no 2026-10-26",
	}
	request := Request{ViewSlug: "family_trend", SelectFields: strings.Fields(fields), Parameters: Parameters{AsOf: "2026-11-05"}}
	require.Equal(t, want, st.table(request))
	request.SortBy, request.SortDesc = "growth_pct", true
	require.Equal(t, []string{want[3], want[2], want[1], want[0]}, st.table(request), "by a field with holes")

	request = Request{ViewSlug: "family_trend", SelectFields: []string{"top_movers"}, Parameters: Parameters{AsOf: "2026-11-05"}}
	require.Equal(t, []string{"BEAN +19", "MUG +25", "TEA -20, OLD -20", "PLATE +1"}, st.table(request), "ties by product")
	// Seen a week earlier, all spans lie a week earlier, and a year back is not known.
	request = Request{ViewSlug: "family_trend", SelectFields: []string{"units_4w", "units_prev_4w", "units_4w_ly", "yoy_pct"},
		Filters: []byte(`{"family":"Tea"}`), Parameters: Parameters{AsOf: "2026-11-01"}}
	require.Equal(t, []string{"60 1079 - -"}, st.table(request))
}
