package query

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// orderOn stores a customer's orders of one article, on the days that lie so far apart, the last
// one on a given day.
func (st *stage) orderOn(customer, product, last string, gaps ...int) (lines []line) {
	st.t.Helper()
	day, err := time.Parse(time.DateOnly, last)
	require.NoError(st.t, err)
	for i := len(gaps); i >= 0; i-- {
		lines = append(lines, line{order: fmt.Sprint(customer, "-", i), product: product, customer: customer,
			day: day.Format(time.DateOnly), units: "1", gross: "10", net: "10"})
		if i > 0 {
			day = day.AddDate(0, 0, -gaps[i-1])
		}
	}
	return lines
}

var dueFields = strings.Fields("customer_id orders first_order_date last_order_date median_gap_days cadence_days " +
	"expected_next_date days_overdue status confidence cadence_source")

// TestReorderDue has twenty customers who came back for tea after 30 days, and twenty for coffee
// after 60.
func TestReorderDue(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 1)
	tea, coffee := st.article("1", "TEA", "Tea", "", ""), st.article("2", "BEAN", "", "Coffee", "")
	plate := st.article("3", "PLATE", "", "", "")
	var lines []line
	for i := range 20 {
		lines = append(lines, st.orderOn(fmt.Sprintf("t%02d", i), tea, "2026-01-31", 30)...)
		lines = append(lines, st.orderOn(fmt.Sprintf("k%02d", i), coffee, "2026-03-31", 60)...)
	}
	for _, of := range [][]line{
		// (3·10 + 2·30)/5 = 18 days, give or take 5: expected on 19 October, 17 days late.
		st.orderOn("a", tea, "2026-10-01", 10, 10, 40),
		// Only the last eight of ten gaps: (8·7 + 2·30)/10 = 11.6 days, give or take 3.
		st.orderOn("b", tea, "2026-10-25", 100, 100, 7, 7, 7, 7, 7, 7, 7, 7),
		// One order: the prior of the same family.
		st.orderOn("c", coffee, "2026-10-20"),
		// An article without a family: everybody's prior. Of 10, 20 times 30, 20 times 60 and 100, 45 is in the middle.
		st.orderOn("d", plate, "2026-06-01"),
		// Two orders on one day are one day; the sale on the day of as_of has not happened.
		append(st.orderOn("e", tea, "2026-11-05", 9), st.orderOn("e2", tea, "2026-10-27")...),
	} {
		lines = append(lines, of...)
	}
	lines[len(lines)-1].customer = "e"
	st.sell(lines...)
	st.exec("INSERT INTO workspace.customers (tenant_id, workspace_id, id, external_id, name, company) VALUES ($1, $2, 'a', 'C-1', '', 'Quay Café')",
		st.tenant.ID, st.tenant.Workspace)

	request := Request{ViewSlug: "customer_reorder_due", SelectFields: dueFields, Parameters: Parameters{AsOf: "2026-11-05"},
		Filters: []byte(`{"customer_id":["a","b","c","d","e"]}`)}
	require.Equal(t, []string{
		"a 4 2026-08-02 2026-10-01 10 18.0 2026-10-19 17 overdue medium own and family",
		"b 11 2026-02-11 2026-10-25 7 11.6 2026-11-06 -1 due high own and family",
		"c 1 2026-10-20 2026-10-20 - 60.0 2026-12-19 -44 not_due low family",
		"d 1 2026-06-01 2026-06-01 - 45.0 2026-07-16 112 lapsed low all",
		"e 2 2026-10-27 2026-10-27 - 30.0 2026-11-26 -21 not_due low family",
	}, st.table(request))
	request.Filters = []byte(`{"customer_id":["a"]}`)
	request.SelectFields = []string{"name", "repeat_rate", "usual_products", "expected_value", "lifetime_value", "reason"}
	require.Equal(t, []string{"Quay Café 0.957 TEA 10.00 40 Orders every 10 days (median of the last 3); customers of the same " +
		"family come back after 30 days. Last on 2026-10-01, next expected on 2026-10-19, give or take 5 days."},
		st.table(request), "22 of 23 customers of tea came back")
	byName := Request{ViewSlug: "customer_reorder_due", SelectFields: []string{"customer_id", "name", "cadence_days"},
		SortBy: "name", Parameters: request.Parameters}
	require.Equal(t, []string{"a Quay Café 18.0", "b - 11.6"}, st.table(byName)[:2], "by name; whoever has none comes last")
	byName.SortBy, byName.Filters = "", []byte(`{"name":{"contains":"café"}}`)
	require.Equal(t, []string{"a Quay Café 18.0"}, st.table(byName))
	// The edges of due and overdue: 19 October, give or take 5, and 27 days later.
	request.SelectFields = []string{"status", "days_overdue"}
	for day, status := range map[string]string{"2026-10-13": "not_due -6", "2026-10-14": "due -5", "2026-10-24": "due 5",
		"2026-10-25": "overdue 6", "2026-11-15": "overdue 27", "2026-11-16": "lapsed 28"} {
		request.AsOf = day
		require.Equal(t, []string{status}, st.table(request), day)
	}
	request.AsOf, request.Filters = "2026-01-01", nil
	request.SelectFields = []string{"customer_id", "orders"}
	require.Empty(t, st.table(request), "before the first order")
}

// TestReorderWithoutOthers checks that a customer's own gaps decide while there are fewer than
// twenty others, if there are two.
func TestReorderWithoutOthers(t *testing.T) {
	t.Parallel()
	st := newSalesStage(t, 1)
	tea := st.article("1", "TEA", "Tea", "", "")
	st.sell(append(append(st.orderOn("a", tea, "2026-10-01", 30), st.orderOn("b", tea, "2026-10-01", 30, 35)...),
		line{order: "nobody", product: tea, day: "2026-10-01", units: "1"})...)
	require.Equal(t, []string{
		"a 2 2026-09-01 2026-10-01 30 - - - - low -",
		"b 3 2026-07-28 2026-10-01 32.5 32.5 2026-11-03 2 due medium own",
	}, st.table(Request{ViewSlug: "customer_reorder_due", SelectFields: dueFields, Parameters: Parameters{AsOf: "2026-11-05"}}))
}
