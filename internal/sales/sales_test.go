package sales

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestWeeks computes the figures of lines by hand.
func TestWeeks(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("customers", map[string]any{"external_id": "c1", "name": "Ada"})
	st.product("a", nil)
	st.order("o1", "2026-03-02T10:00:00Z", map[string]any{"customer_id": "c1"}) // a Monday
	st.order("o2", "2026-03-08T10:00:00Z", map[string]any{"customer_id": "c1"}) // the Sunday of the same week
	st.order("o3", "2026-03-09T10:00:00Z", nil)
	st.line("l1", "o1", 3, map[string]any{"product_id": "a", "discount_amount": 6})
	st.line("l2", "o1", 1, map[string]any{"product_id": "a"}) // a second line of the order
	st.line("l3", "o2", 4, map[string]any{"product_id": "a", "returned_quantity": 1})
	st.line("l4", "o3", 2, map[string]any{"product_id": "a", "current_quantity": 0, "returned_quantity": 1})
	st.line("l5", "o3", 7, map[string]any{"sku": "unknown"})
	st.keep()
	require.Equal(t, []string{
		// Gross 30 + 10 + 40; of l3, three of four units were kept: 40 × 3/4.
		"2026-03-02 lines 3 orders 2 customers 1 units 8 - 1 gross 80 discount 6 net 64 unconverted 0",
		"2026-03-09 lines 1 orders 1 customers 0 units 2 - 2 gross 20 discount 0 net 0 unconverted 0",
	}, st.weeks("a"))
	require.Equal(t, []string{"2026-03-09 lines 1 orders 1 customers 0 units 7 - 0 gross 70 discount 0 net 70 unconverted 0"},
		st.weeks(""), "a line that matches no article")
	require.Equal(t, []string{
		"2026-03-02 lines 3 orders 2 customers 1 units 8 - 1 gross 80 discount 6 net 64 unconverted 0",
		"2026-03-09 lines 2 orders 1 customers 0 units 9 - 2 gross 90 discount 0 net 70 unconverted 0",
	}, st.weeks("*"))
	require.Equal(t, "2026-03-02 2026-03-09 from 2026-03-02 {7,0} {0,0} counted from ends 2026-03-09", st.series())
}

// TestLinesThatDoNotCount changes, one at a time, whether a sale counts.
func TestLinesThatDoNotCount(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.product("a", nil)
	st.order("o", "2026-03-02T10:00:00Z", nil)
	st.line("l", "o", 1, map[string]any{"product_id": "a"})
	st.keep()
	counted := st.weeks("*")
	require.Len(t, counted, 1)
	for name, change := range map[string]map[string]any{
		"cancelled": {"status": "cancelled"}, "draft": {"status": "draft"}, "failed": {"status": "failed"},
		"cancelled at": {"cancelled_at": "2026-03-03T00:00:00Z"}, "test": {"is_test": true},
	} {
		st.order("o", "2026-03-02T10:00:00Z", change)
		st.keep()
		require.Empty(t, st.weeks("*"), name)
		require.Empty(t, st.rows("SELECT order_id FROM workspace.sales_orders WHERE tenant_id = $1"), name)
		require.Equal(t, "from {} {} counted from ends", st.series(), name)
		st.order("o", "2026-03-02T10:00:00Z", map[string]any{"cancelled_at": nil, "is_test": nil})
		st.keep()
		require.Equal(t, counted, st.weeks("*"), name)
	}
	st.line("l", "o", 1, map[string]any{"is_gift_card": true})
	st.keep()
	require.Empty(t, st.weeks("*"), "a gift card")
}

// TestMatching follows a line from no article to another and back.
func TestMatching(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.order("o", "2026-03-02T10:00:00Z", nil)
	st.line("l", "o", 5, map[string]any{"variant_external_id": "v", "sku": "S"})
	sold := func(article string) int { st.keep(); return len(st.weeks(article)) }
	require.Equal(t, 1, sold(""))
	st.product("x", map[string]any{"sku": "S"})
	require.Equal(t, 1, sold("x"), "by SKU")
	require.Equal(t, 0, sold(""))
	st.product("y", map[string]any{"sku": "S"})
	require.Equal(t, 1, sold(""), "two articles have the SKU")
	st.product("y", map[string]any{"status": "archived"})
	require.Equal(t, 1, sold("x"), "one of them is archived")
	st.product("y", map[string]any{"status": "active"})
	require.Equal(t, 0, sold("x"))
	st.product("y", map[string]any{"sku": "T"})
	require.Equal(t, 1, sold("x"), "the other has a different SKU now")
	st.product("v", nil)
	require.Equal(t, 1, sold("v"), "by variant, before the SKU")
	st.line("l", "o", 5, map[string]any{"product_id": "y"})
	require.Equal(t, 1, sold("y"), "the line names its product")
	require.Equal(t, 0, sold("v"))
}

// TestMovedAndLate sends an order after its line, and then moves it.
func TestMovedAndLate(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.product("a", nil)
	st.line("l", "o", 2, map[string]any{"product_id": "a"})
	st.keep()
	require.Empty(t, st.weeks("*"), "its order has not arrived")
	st.order("o", "2026-03-01T23:30:00Z", nil)
	st.keep()
	require.Equal(t, []string{"2026-02-23 lines 1 orders 1 customers 0 units 2 - 0 gross 20 discount 0 net 20 unconverted 0"},
		st.weeks("a"))
	st.order("o", "2026-03-20T10:00:00Z", nil)
	st.keep()
	require.Equal(t, []string{"2026-03-16 lines 1 orders 1 customers 0 units 2 - 0 gross 20 discount 0 net 20 unconverted 0"},
		st.weeks("*"))
	st.order("p", "2026-03-01T23:30:00Z", nil)
	st.line("l", "p", 2, nil)
	st.keep()
	require.Equal(t, []string{"p"}, st.rows(`SELECT o.external_id FROM workspace.sales_orders s
		JOIN workspace.orders o ON o.tenant_id = s.tenant_id AND o.id = s.order_id WHERE s.tenant_id = $1`))

	// In Berlin the order is of 2 March, a Monday; if weeks start on Sunday, it is in that of
	// the first.
	st.exec("UPDATE control.workspaces SET time_zone = 'Europe/Berlin' WHERE tenant_id = $1", st.tenant.ID)
	st.keep()
	require.Equal(t, []string{"2026-03-02"}, st.rows("SELECT week::text FROM workspace.sales_weeks WHERE tenant_id = $1 AND product_id = '*'"))
	st.exec("UPDATE control.workspaces SET week_start = 7 WHERE tenant_id = $1", st.tenant.ID)
	st.keep()
	require.Equal(t, []string{"2026-03-01"}, st.rows("SELECT DISTINCT week::text FROM workspace.sales_weeks WHERE tenant_id = $1"))
}

// TestMoney converts what it has a rate for, and adds nothing that it has none for.
func TestMoney(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for name, c := range map[string]struct {
		order, line map[string]any
		want        string
	}{
		"the workspace's currency": {want: "gross 20 discount 0 net 20 unconverted 0"},
		"a share of the converted total": {order: map[string]any{"currency": "USD", "total": 300, "base_total": 100},
			want: "gross 6.666667 discount 0 net 6.666667 unconverted 0"},
		"another currency": {order: map[string]any{"currency": "USD"}, want: "gross 0 discount 0 net 0 unconverted 1"},
		"converted into a third currency": {order: map[string]any{"currency": "USD", "base_total": 50, "base_currency": "CHF"},
			want: "gross 0 discount 0 net 0 unconverted 1"},
		"a total of nothing": {order: map[string]any{"currency": "USD", "total": 0, "base_total": 0},
			want: "gross 0 discount 0 net 0 unconverted 1"},
		"converted to nothing": {order: map[string]any{"currency": "USD", "total": 300, "base_total": 0},
			want: "gross 0 discount 0 net 0 unconverted 1"},
		"converted to nothing from the same currency": {order: map[string]any{"total": 300, "base_total": 0},
			want: "gross 20 discount 0 net 20 unconverted 0"},
		"a line of another currency": {order: map[string]any{"base_total": 100}, line: map[string]any{"currency": "USD"},
			want: "gross 0 discount 0 net 0 unconverted 1"},
	} {
		one := st.beside()
		one.order("o", "2026-03-02T10:00:00Z", c.order)
		one.line("l", "o", 2, c.line)
		one.keep()
		require.Equal(t, []string{"2026-03-02 lines 1 orders 1 customers 0 units 2 - 0 " + c.want}, one.weeks("*"), name)
	}
}

// TestEmptyDaysOfDailyCounts: a day on which less than nothing is counted once more, since more is owed, is as empty as one on which
// nobody counted.
func TestEmptyDaysOfDailyCounts(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	count := func(day string, available any) {
		st.product("a", map[string]any{"stock_available": available, "stock_updated_at": "2026-03-" + day + "T18:00:00Z"})
	}
	st.product("a", nil)
	st.order("o1", "2026-03-02T12:00:00Z", nil)
	st.line("o1", "o1", 1, map[string]any{"product_id": "a"})
	count("03", 0)
	count("04", -2)
	count("05", -1)
	count("06", 4)
	st.keep()
	require.Equal(t, "2026-03-02 2026-03-02 from 2026-03-02 {1} {2} counted from 2026-03-03 ends 2026-03-06", st.series(),
		"empty on 4 and 5: the 3rd began with some, and the 6th ended with some")
}

// TestEmptyDays tells days without stock from days without sales.
func TestEmptyDays(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	stock := func(day string, available any) {
		st.product("a", map[string]any{"stock_available": available, "stock_updated_at": "2026-03-" + day + ":00Z"})
	}
	sell := func(id, day string) {
		st.order(id, "2026-03-"+day+"T12:00:00Z", nil)
		st.line(id, id, 1, map[string]any{"product_id": "a"})
		st.keep()
	}
	st.product("a", nil)
	sell("o1", "02") // Monday
	sell("o2", "22") // Sunday of the third week
	require.Equal(t, "2026-03-02 2026-03-22 from 2026-03-02 {1,0,1} {0,0,0} counted from ends 2026-03-22", st.series(),
		"unknown stock counts as available")
	stock("03T10:00", 5)
	stock("05T10:00", 0) // available in the morning of that day
	stock("09T08:00", 0.5)
	stock("10T08:00", 0)
	st.keep()
	require.Equal(t, "2026-03-02 2026-03-22 from 2026-03-02 {1,0,1} {3,5,6} counted from 2026-03-03 ends 2026-03-22 empty", st.series(),
		"empty on 6 to 8, 11 to 15, and 16 to 21; on the 22nd something was sold")
	stock("07T12:00", 2) // counted then, reported late
	st.keep()
	require.Equal(t, "2026-03-02 2026-03-22 from 2026-03-02 {1,0,1} {1,5,6} counted from 2026-03-03 ends 2026-03-22 empty", st.series(),
		"the 6th only: on the 7th there was stock, and the 8th began with it")
	sell("o3", "13")
	stock("25T12:00", nil)
	st.keep()
	require.Equal(t, "2026-03-02 2026-03-22 from 2026-03-02 {1,1,1,0} {1,4,6,2} counted from 2026-03-03 ends 2026-03-25", st.series())

	// When the history is dropped, its days stay.
	before := st.all()
	st.exec("DELETE FROM workspace.stock_history WHERE tenant_id = $1 AND observed_at < '2026-03-20'", st.tenant.ID)
	require.NoError(t, st.s.Rebuild(t.Context(), st.tenant.ID, st.tenant.Workspace))
	st.keep()
	require.Equal(t, before, st.all())
}

// TestState checks what is said of figures: how current they are, and what is missing in them.
func TestState(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	other := st.beside()
	by := auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Role: auth.Viewer}
	state, err := st.s.State(t.Context(), by)
	require.NoError(t, err)
	require.Zero(t, state.Unmatched+state.Unconverted)
	require.Empty(t, state.Currencies)
	require.Empty(t, state.DemandAsOf)
	require.Nil(t, state.DemandAt)

	st.exec(`INSERT INTO workspace.forecast_state (tenant_id, workspace_id, as_of, time_zone, week_start, computed_at, stale)
		VALUES ($1, $2, '2026-03-11', 'UTC', 1, now(), false)`, st.tenant.ID, st.tenant.Workspace)
	st.product("a", nil)
	st.order("o1", "2026-03-02T10:00:00Z", nil)
	st.line("l1", "o1", 1, map[string]any{"product_id": "a"})
	st.line("l2", "o1", 1, map[string]any{"sku": "unknown"})
	st.order("o2", "2026-03-10T10:00:00Z", map[string]any{"currency": "USD"})
	st.line("l3", "o2", 1, map[string]any{"product_id": "a"})
	st.line("l4", "o2", 1, map[string]any{"product_id": "a", "currency": "CHF"})
	st.order("o3", "2026-03-10T10:00:00Z", map[string]any{"currency": "GBP", "status": "cancelled"})
	st.line("l5", "o3", 1, map[string]any{"product_id": "a"})
	sent := time.Now()
	st.keep()
	state, err = st.s.State(t.Context(), by)
	require.NoError(t, err)
	require.True(t, state.ReadTo.After(sent))
	require.False(t, state.Computing)
	require.Equal(t, "2026-03-11", state.DemandAsOf)
	require.NotNil(t, state.DemandAt)
	require.EqualValues(t, 1, state.Unmatched)
	require.EqualValues(t, 2, state.Unconverted)
	require.Equal(t, []string{"CHF", "USD"}, state.Currencies)

	beside, err := other.s.State(t.Context(), auth.Principal{Tenant: other.tenant.ID, Workspace: st.tenant.Workspace, Role: auth.Viewer})
	require.NoError(t, err)
	require.Zero(t, beside.Unmatched+beside.Unconverted, "row security hides the workspace of another company")
	_, err = st.s.State(t.Context(), auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace})
	require.Error(t, err)
}

// TestWeekOf compares the weeks of ten years, whatever day they start on, with weeks that are counted one after the other.
func TestWeekOf(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for start := 1; start <= 7; start++ {
		var want []string
		var week time.Time
		for day := time.Date(2019, 12, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2030; day = day.AddDate(0, 0, 1) {
			if int(day.Weekday()) == start%7 { // Sunday is 0 for Go, and 7 here
				week = day
			}
			if !week.IsZero() {
				want = append(want, day.Format(time.DateOnly)+" "+week.Format(time.DateOnly))
			}
		}
		require.Equal(t, want, st.rows(`SELECT d::date || ' ' || workspace.week_of(d::date, $2)
			FROM generate_series(date '2019-12-01', date '2029-12-31', interval '1 day') d
			WHERE d::date >= $3::date AND $1::uuid IS NOT NULL ORDER BY d`, start, want[0][:10]), "from %d on", start)
	}
}
