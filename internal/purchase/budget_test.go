package purchase_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/purchase"
)

// budget gives the office a currency and a budget for each month.
func (o *office) budget(amount string) {
	o.t.Helper()
	o.exec(`INSERT INTO workspace.sales_settings (tenant_id, workspace_id, time_zone, week_start, base_currency, rebuild_began_at)
		VALUES ($1, $2, 'Europe/Berlin', 1, 'EUR', now())`, o.tenant.ID, o.tenant.Workspace)
	settings := playbook.New(o.db.Cells)
	now, err := settings.Settings(o.t.Context(), o.who[auth.CompanyAdmin])
	require.NoError(o.t, err)
	_, err = settings.SetConfig(o.t.Context(), o.who[auth.CompanyAdmin], playbook.ConfigChange{Version: now.Version,
		Values: playbook.Values{"monthly_budget": jsontext.Value(amount)}})
	require.NoError(o.t, err)
}

// TestAgentsKeepTheBudget checks that an agent can neither draft beyond the month's budget nor edit its own
// draft beyond it, and that people can do both.
func TestAgentsKeepTheBudget(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.budget("100")
	ctx, agent := t.Context(), o.who[auth.Agent]
	dear := wanted()
	dear.QuantityOrdered = set("41")
	_, err := o.lines.Draft(ctx, agent, []purchase.NewLine{dear})
	require.True(t, fault.HasCode(err, "over_budget"), "%v", err)
	require.ErrorContains(t, err, "EUR 2.50 more than the month's budget of EUR 100.00 leaves")
	drafted, err := o.lines.Draft(ctx, agent, []purchase.NewLine{wanted()})
	require.NoError(t, err)
	line := drafted[0]
	for name, tt := range map[string]struct {
		changes purchase.Changes
		code    string
	}{
		"all that is left":        {purchase.Changes{QuantityOrdered: set("40")}, ""},
		"one piece more":          {purchase.Changes{QuantityOrdered: set("41")}, "over_budget"},
		"a price beyond it":       {purchase.Changes{PricePerUnit: set("10.01")}, "over_budget"},
		"another currency":        {purchase.Changes{Currency: set("USD")}, "over_budget"},
		"no price":                {purchase.Changes{PricePerUnit: set("")}, "over_budget"},
		"a price of nothing":      {purchase.Changes{PricePerUnit: set("0")}, "over_budget"},
		"fewer at a higher price": {purchase.Changes{QuantityOrdered: set("2"), PricePerUnit: set("50")}, ""},
	} {
		before := o.now(line)
		edited, err := o.lines.Edit(ctx, agent, refs(before)[0], tt.changes)
		if tt.code != "" {
			require.True(t, fault.HasCode(err, tt.code), "%s: %v", name, err)
			require.Equal(t, before.Version, o.now(line).Version, name)
			continue
		}
		require.NoError(t, err, name)
		_, err = o.lines.Edit(ctx, agent, refs(edited[0])[0],
			purchase.Changes{QuantityOrdered: set("10"), PricePerUnit: set("2.50")})
		require.NoError(t, err, name)
	}
	beyond, err := o.lines.Edit(ctx, o.maker, refs(o.now(line))[0], purchase.Changes{QuantityOrdered: set("400")})
	require.NoError(t, err, "people are not bound")
	_, err = o.lines.Edit(ctx, agent, refs(beyond[0])[0], purchase.Changes{QuantityOrdered: set("399")})
	require.True(t, fault.HasCode(err, "over_budget"), "less than a person wanted, and still too much: %v", err)
}

// TestRecordsKeepTheBudget checks that an agent cannot draft or change a line beyond the budget with the record of
// a failed import that it corrects, and that nothing of such a record is stored.
func TestRecordsKeepTheBudget(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.budget("100")
	agent := o.who[auth.Agent]
	record := fresh()
	err := o.correct(agent, record, priced+`, "quantity_ordered": 41`)
	require.True(t, fault.Is(err, fault.Invalid) && fault.HasCode(err, "over_budget"), "%v", err)
	require.NoError(t, o.correct(agent, record, priced+`, "quantity_ordered": 40`))
	line := o.stored(record)
	err = o.correct(agent, record, `"quantity_ordered": 40, "price_per_unit": 2.51`)
	require.True(t, fault.HasCode(err, "over_budget"), "%v", err)
	require.Equal(t, line.Version, o.now(line).Version)
	require.NoError(t, o.correct(o.maker, fresh(), priced), "people are not bound")
}

// TestAgentsTakeTurns checks that what one agent is drafting counts for another before it is stored.
func TestAgentsTakeTurns(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.budget("40")
	ctx, told := t.Context(), make(chan error, 1)
	require.NoError(t, o.db.InTenant(ctx, o.tenant.ID, func(tx pgx.Tx) error {
		require.NoError(t, q.New(tx).LockBudget(ctx, o.tenant.Workspace))
		_, err := tx.Exec(ctx, `INSERT INTO workspace.purchase_order_lines
				(tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, price_per_unit, currency)
			VALUES ($1, $2, 'other', 'OTHER-1', 'CUP', 10, 2.5, 'EUR')`, o.tenant.ID, o.tenant.Workspace)
		require.NoError(t, err)
		go func() {
			_, err := o.lines.Draft(ctx, o.who[auth.Agent], []purchase.NewLine{wanted()})
			told <- err
		}()
		pgtest.AwaitWaiting(t, o.admin, 1)
		return nil
	}))
	require.True(t, fault.HasCode(<-told, "over_budget"), "25 of 40 are spent by the other, and this one costs 25 as well")
}

// TestMonth checks which lines count against a month's budget: what was ordered in it, by the workspace's
// calendar, and all that may still be ordered.
func TestMonth(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.budget("100")
	for n, line := range []struct {
		status, ordered   string
		price, currency   any
		approved, created string
	}{
		{"ordered", "2026-03-01 00:00 Europe/Berlin", "1", "EUR", "", ""}, // the first moment
		{"partially_received", "2026-03-15 12:00 Europe/Berlin", "2", "EUR", "", ""},
		{"received", "2026-03-31 23:59 Europe/Berlin", "4", nil, "", ""}, // without a currency it is in the workspace's
		{"ordered", "2026-02-28 23:59 Europe/Berlin", "8", "EUR", "", ""},
		{"ordered", "2026-04-01 00:00 Europe/Berlin", "16", "EUR", "", ""},
		{"cancelled", "2026-03-15 12:00 Europe/Berlin", "32", "EUR", "", ""},
		{"draft", "", "64", "EUR", "", ""},
		{"pending_approval", "", "128", "EUR", "", ""},
		{"ordered", "2026-03-15 12:00 Europe/Berlin", "256", "USD", "", ""},
		{"draft", "", nil, "EUR", "", ""},
		{"ordered", "", "512", "EUR", "", "2026-03-10 12:00 Europe/Berlin"},                                 // another system says no day
		{"ordered", "2026-02-10 12:00 Europe/Berlin", "1024", "EUR", "2026-03-10 12:00 Europe/Berlin", ""},  // or one of another month
		{"received", "2026-04-10 12:00 Europe/Berlin", "2048", "EUR", "2026-03-10 12:00 Europe/Berlin", ""}, // than its approval
		{"ordered", "2026-03-11 12:00 Europe/Berlin", "4096", "EUR", "2026-03-11 12:00 Europe/Berlin", ""},
		{"cancelled", "", "8192", "EUR", "", "2026-03-10 12:00 Europe/Berlin"},
	} {
		o.exec(`INSERT INTO workspace.purchase_order_lines
				(tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, price_per_unit, currency, ordered_at, approved_at, created_at)
			VALUES ($1, $2, 'L' || $3::int, 'MONTH', 'TEA', $4, 10, $5, $6, nullif($7, '')::timestamptz, nullif($8, '')::timestamptz,
				coalesce(nullif($9, '')::timestamptz, now()))`,
			o.tenant.ID, o.tenant.Workspace, n, line.status, line.price, line.currency, line.ordered, line.approved, line.created)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for now, want := range map[string][4]string{
		"2026-03-01": {"76870", "1920", "0", "2"},
		"2026-03-31": {"76870", "1920", "0", "2"},
		"2026-02-28": {"80", "1920", "0", "1"},
		"2026-05-01": {"0", "1920", "0", "1"},
	} {
		day, err := time.ParseInLocation(time.DateOnly, now, berlin)
		require.NoError(t, err)
		require.NoError(t, o.db.InTenant(t.Context(), o.tenant.ID, func(tx pgx.Tx) error {
			month, err := purchase.ThisMonth(t.Context(), q.New(tx), o.tenant.ID, o.tenant.Workspace, day)
			require.NoError(t, err)
			left, limited := month.Left()
			require.True(t, limited)
			require.Equal(t, want, [4]string{month.Ordered.String(), month.Drafted.String(), left.String(),
				strconv.FormatInt(month.Elsewhere, 10)}, now)
			return nil
		}))
	}
}

// TestASplitCountsForTheSameMonth: an order that an external system placed without a day counts for the month in which it came, and so
// does what is split off it later.
func TestASplitCountsForTheSameMonth(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.budget("1000")
	line := o.arrive(`"status": "ordered", ` + priced)
	o.exec("UPDATE workspace.purchase_order_lines SET created_at = now() - interval '40 days', ordered_at = NULL WHERE id = $1", line.ID)
	_, err := o.lines.Split(t.Context(), o.maker, refs(o.now(line))[0], "5", "")
	require.NoError(t, err)
	require.NoError(t, o.db.InTenant(t.Context(), o.tenant.ID, func(tx pgx.Tx) error {
		month, err := purchase.ThisMonth(t.Context(), q.New(tx), o.tenant.ID, o.tenant.Workspace, time.Now())
		require.Zero(t, month.Ordered.IntPart(), month.Ordered.String())
		return err
	}))
}
