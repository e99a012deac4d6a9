package procure_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

// began is the first day of the plays: long enough ago that all verdicts are final today.
var began = today.AddDate(0, 0, -70)

// play makes a company whose articles sell 14 a week, and computes the queue of the first day.
func play(t *testing.T, skus ...string) *stage {
	t.Helper()
	st := newStage(t)
	st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas", "lead_time_days": 10})
	for _, sku := range skus {
		st.product(sku, 20, nil)
		st.sellSince(sku, 11, 22)
	}
	require.NoError(t, st.sales.CatchUp(t.Context(), st.tenant.ID, st.tenant.Workspace))
	st.exec("DELETE FROM workspace.stock_days")
	st.day(0)
	return st
}

// day computes the demand and the queue of a day, counted from the first one, and judges.
func (st *stage) day(n int) {
	st.t.Helper()
	day := began.AddDate(0, 0, n)
	require.NoError(st.t, st.forecasts.Compute(st.t.Context(), st.tenant.ID, st.tenant.Workspace, demand.DayOf(day)))
	require.NoError(st.t, st.queue.Daily(st.t.Context(), day.Add(12*time.Hour)))
}

// counts stores the closing stock of an article on days.
func (st *stage) counts(sku string, closings map[int]float64) {
	st.t.Helper()
	for n, closing := range closings {
		day := began.AddDate(0, 0, n)
		st.exec(`INSERT INTO workspace.stock_days (tenant_id, workspace_id, product_id, day, available, closing, closed_at, version)
			SELECT tenant_id, workspace_id, id, $2, $3::numeric > 0, $3, $4, 1 FROM workspace.products WHERE sku = $1`,
			sku, day, closing, day.Add(18*time.Hour))
	}
}

// order orders what the queue suggests for an article, or a quantity, as of a day.
func (st *stage) order(by auth.Principal, sku string, quantity *string, n int) purchase.Line {
	st.t.Helper()
	ctx := st.t.Context()
	lines, err := st.queue.Draft(ctx, by, []procure.Pick{{Key: st.row(sku).Key, Quantity: quantity}}, true)
	require.NoError(st.t, err)
	lines, err = st.lines.Submit(ctx, st.by(auth.Buyer), refs(lines))
	require.NoError(st.t, err)
	lines, err = st.lines.Approve(ctx, st.by(auth.Approver), refs(lines))
	require.NoError(st.t, err)
	st.exec("UPDATE workspace.purchase_order_lines SET ordered_at = $2 WHERE id = $1", lines[0].ID, began.AddDate(0, 0, n).Add(9*time.Hour))
	line, err := st.lines.Line(ctx, by, lines[0].ID)
	require.NoError(st.t, err)
	return line
}

func refs(lines []purchase.Line) (refs []purchase.Ref) {
	for _, line := range lines {
		refs = append(refs, purchase.Ref{ID: line.ID, Version: line.Version})
	}
	return refs
}

// receive books that all of a line arrived on a day.
func (st *stage) receive(line purchase.Line, n int) {
	st.t.Helper()
	_, err := st.lines.Receive(st.t.Context(), st.by(auth.Buyer), purchase.Delivery{At: began.AddDate(0, 0, n).Add(12 * time.Hour),
		Arrivals: []purchase.Arrival{{Ref: purchase.Ref{ID: line.ID, Version: line.Version}}}})
	require.NoError(st.t, err)
}

// cases returns the cases of the track record by SKU, the newest of each.
func (st *stage) cases() map[string]procure.Case {
	st.t.Helper()
	return st.casesOf(procure.Span{})
}

func (st *stage) casesOf(span procure.Span) map[string]procure.Case {
	st.t.Helper()
	all, next, err := st.queue.Cases(st.t.Context(), st.by(auth.Viewer), procure.CaseFilter{Span: span})
	require.NoError(st.t, err)
	require.Empty(st.t, next)
	bySKU := map[string]procure.Case{}
	for _, one := range all {
		if _, newer := bySKU[one.SKU]; !newer {
			bySKU[one.SKU] = one
		}
	}
	return bySKU
}

// TestRecord plays what becomes of suggestions: ordered and sold, ordered late and too few, dismissed,
// put off, and never decided.
func TestRecord(t *testing.T) {
	t.Parallel()
	st := play(t, "TEA", "CUP", "POT", "MUG", "JAR")
	ctx, anna, ben := t.Context(), st.by(auth.Buyer), st.by(auth.Buyer)
	firstDay := procure.Span{To: &began}
	first := st.casesOf(firstDay)
	require.Len(t, first, 5)
	tea := first["TEA"]
	require.Equal(t, began, tea.FirstOn)
	require.Equal(t, procure.Undecided, tea.Decision)
	require.Nil(t, tea.Known, "no day has passed")
	safety := st.row("TEA").SafetyStock
	last := int(tea.Until.Sub(began).Hours() / 24)
	require.Greater(t, last, 20, "the plays below need the days")

	// TEA is ordered on the next day, and comes on day 11, when 4 are left. On day 13 as many are left as
	// came, so that without them nothing would be. 30 more than the safety stock are left at the end.
	line := st.order(anna, "TEA", nil, 1)
	came := line.QuantityOrdered.InexactFloat64()
	st.receive(line, 11)
	st.counts("TEA", map[int]float64{-1: 20, 10: 4, 11: 4 + came, 12: 2 + came, 13: came, last: safety + 30, last + 1: 0})
	// Of CUP half is ordered on day 4, and comes on day 18, although it could have on day 14. It is empty
	// from day 9 on: 1 day is too late, 4 wait for the order, and 4 for the supplier. It is used up on the
	// day after.
	half := st.order(ben, "CUP", new("12"), 4)
	st.receive(half, 18)
	st.counts("CUP", map[int]float64{-1: 20, 8: 0, 18: 12, 19: 0, 21: 9, last: 9})
	// POT is dismissed, and empty from day 15 on until day 20, when some is found. On day 17 it sells.
	require.NoError(t, st.queue.Dismiss(ctx, ben, st.row("POT").Key, "A new model comes"))
	st.counts("POT", map[int]float64{-1: 20, 14: 0, 20: 5})
	st.exec(`INSERT INTO workspace.sales_days (tenant_id, workspace_id, product_id, day, lines, units, returned, net)
		SELECT tenant_id, workspace_id, id, $1, 1, 1, 0, 10 FROM workspace.products WHERE sku = 'POT'`, began.AddDate(0, 0, 17))
	require.NoError(t, st.queue.Snooze(ctx, anna, st.row("MUG").Key, today.AddDate(0, 0, 3), ""))
	// Nobody decides about JAR, whose stock is never counted.

	st.day(12)
	half12 := st.casesOf(firstDay)["CUP"]
	require.Equal(t, procure.EmptyDays{TooLate: 1, Waiting: 2}, half12.Empty, "the days before day 12")
	require.False(t, half12.Closed)
	require.Nil(t, half12.Overbuy)

	st.day(last + 4)
	cases := st.casesOf(firstDay)
	tea = cases["TEA"]
	require.Equal(t, procure.AsSuggested, tea.Decision)
	require.Equal(t, anna.Actor, tea.By)
	require.Equal(t, began.AddDate(0, 0, 1), *tea.DecidedOn)
	require.Equal(t, began.AddDate(0, 0, 13), *tea.PreventedOn)
	require.Zero(t, tea.Empty)
	require.InDelta(t, min(30, came), *tea.Overbuy, 1e-6)
	require.Equal(t, "EUR", tea.Currency)
	require.InDelta(t, 4*min(30, came), tea.OverbuyValue.InexactFloat64(), 1e-6)
	require.True(t, tea.Closed)

	cup := cases["CUP"]
	require.Equal(t, procure.OrderedLess, cup.Decision)
	require.Equal(t, procure.EmptyDays{TooLate: 1, Waiting: 4, Supplier: 4, TooFew: 1}, cup.Empty)
	require.Equal(t, began.AddDate(0, 0, 9), *cup.EmptyFrom)
	require.Nil(t, cup.PreventedOn, "it ended a stock-out")

	pot := cases["POT"]
	require.Equal(t, procure.TurnedDown, pot.Decision)
	require.Equal(t, ben.Actor, pot.By)
	require.Equal(t, procure.EmptyDays{Waiting: 4}, pot.Empty)
	require.Equal(t, procure.PutOff, cases["MUG"].Decision)
	require.Equal(t, procure.Undecided, cases["JAR"].Decision)
	require.False(t, *cases["JAR"].Known)
	require.False(t, cases["JAR"].Closed, "it is still asked for")
	require.Contains(t, tea.Story("Anna"), "by Anna; without it the stock would have been used up on "+began.AddDate(0, 0, 13).Format("2 January"))

	record, err := st.queue.TrackRecord(ctx, st.by(auth.Viewer), procure.ByBuyer, firstDay)
	require.NoError(t, err)
	total := record.Total
	require.Equal(t, [8]int64{5, 1, 1, 0, 1, 1, 1, 0}, [8]int64{total.Suggested, total.AsSuggested, total.Less, total.More,
		total.TurnedDown, total.PutOff, total.Undecided, total.TakenBack})
	require.Equal(t, [5]int64{3, 2, 1, 2, 1}, [5]int64{total.Judged, total.NotKnown, total.Prevented, total.RanOut, total.Overbought})
	require.Equal(t, procure.EmptyDays{TooLate: 1, Waiting: 8, Supplier: 4, TooFew: 1}, total.Empty)
	require.InDelta(t, 0.5, *total.MedianDays, 1e-9, "0, 0, 1 and 4 days")
	require.Len(t, record.Groups, 3)
	groups := map[auth.Actor]procure.RecordFigures{}
	for _, group := range record.Groups {
		groups[group.Buyer] = group
	}
	require.Equal(t, int64(2), groups[ben.Actor].Suggested)
	require.Equal(t, 8, groups[ben.Actor].Empty.Waiting)
	require.Equal(t, "EUR", groups[anna.Actor].Overbuy[0].Currency)
	require.Equal(t, procure.Nobody, groups[auth.Actor{}].Group)
	st.checkFilters(record)

	// A computation of the whole, and another judgement, keep what was.
	before := st.everything()["suggestions"]
	st.exec("DELETE FROM workspace.queue_state")
	st.day(last + 4)
	require.Equal(t, before, st.everything()["suggestions"])
}

// checkFilters lists the cases of every group, one at a time.
func (st *stage) checkFilters(record procure.Record) {
	st.t.Helper()
	by := st.by(auth.Viewer)
	for _, group := range record.Groups {
		filter := procure.CaseFilter{Span: procure.Span{To: &began}, Buyer: group.Group, Most: 1}
		var found int64
		for {
			page, next, err := st.queue.Cases(st.t.Context(), by, filter)
			require.NoError(st.t, err)
			found += int64(len(page))
			if filter.After = next; next == "" {
				break
			}
		}
		require.Equal(st.t, group.Suggested, found, group.Group)
	}
	for outcome, want := range map[string]string{"prevented": "TEA", "overbuy": "TEA", "turned_down": "POT", "undecided": "JAR",
		"empty": "CUP POT", "not_known": "JAR MUG"} {
		found, _, err := st.queue.Cases(st.t.Context(), by,
			procure.CaseFilter{Span: procure.Span{To: &began}, Outcome: outcome, Supplier: st.onlySupplier(record)})
		require.NoError(st.t, err)
		skus := map[string]bool{}
		for _, one := range found {
			skus[one.SKU] = true
		}
		require.Len(st.t, skus, len(strings.Fields(want)), outcome)
		for _, sku := range strings.Fields(want) {
			require.True(st.t, skus[sku], "%s: %s", outcome, sku)
		}
	}
	for _, none := range []procure.CaseFilter{{Supplier: procure.None}, {Buyer: "user:nobody"}, {Span: procure.Span{From: &today}}} {
		found, _, err := st.queue.Cases(st.t.Context(), by, none)
		require.NoError(st.t, err)
		require.Empty(st.t, found)
	}
	_, _, err := st.queue.Cases(st.t.Context(), by, procure.CaseFilter{After: "x"})
	require.True(st.t, fault.HasCode(err, "cursor"), "%v", err)
	_, err = st.queue.TrackRecord(st.t.Context(), by, procure.ByMonth, procure.Span{From: &today, To: &began})
	require.True(st.t, fault.HasCode(err, "range"), "%v", err)
}

// onlySupplier returns the only supplier of a record, which has the figures of all.
func (st *stage) onlySupplier(record procure.Record) string {
	st.t.Helper()
	suppliers, err := st.queue.TrackRecord(st.t.Context(), st.by(auth.Viewer), procure.BySupplier, procure.Span{To: &began})
	require.NoError(st.t, err)
	require.Len(st.t, suppliers.Groups, 1)
	require.Equal(st.t, "Harbour Teas", suppliers.Groups[0].SupplierName)
	require.Equal(st.t, record.Total.Empty, suppliers.Groups[0].Empty)
	return suppliers.Groups[0].Group
}

// TestAskedAgain keeps the first day of a need that is asked for day after day, and begins a new case
// when a settled one comes back under its key.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	st := play(t, "TEA")
	st.day(1)
	st.day(2)
	tea := st.cases()["TEA"]
	require.Equal(t, began, tea.FirstOn)
	require.Equal(t, 1, st.count("SELECT count(*) FROM workspace.suggestions WHERE last_on = $1", began.AddDate(0, 0, 2)))

	st.product("TEA", 500, nil) // somebody found a pallet
	last := int(tea.Until.Sub(began).Hours() / 24)
	st.day(last + 4)
	require.True(t, st.cases()["TEA"].Closed)
	st.product("TEA", 0, nil)
	st.day(last + 5)
	again := st.cases()["TEA"]
	require.Equal(t, tea.Key, again.Key)
	require.Equal(t, began.AddDate(0, 0, last+5), again.FirstOn)
	require.Equal(t, 2, st.count("SELECT count(*) FROM workspace.suggestions"))
}

// TestTakenBack does not count what the agent took back as turned down by a person, and counts what a
// person cancelled as such.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	st := play(t, "TEA", "CUP")
	ctx, agent, buyer := t.Context(), st.agent(), st.by(auth.Buyer)
	for sku, by := range map[string]auth.Principal{"TEA": agent, "CUP": buyer} {
		lines, err := st.queue.Draft(ctx, by, []procure.Pick{{Key: st.row(sku).Key}}, by.Actor.Type == auth.ByPerson)
		require.NoError(t, err)
		_, err = st.lines.Cancel(ctx, by, refs(lines), "no")
		require.NoError(t, err)
	}
	st.exec("UPDATE workspace.suppressions SET since = $1", began)
	tea, cup := st.cases()["TEA"], st.cases()["CUP"]
	st.counts("TEA", map[int]float64{-1: 0})
	st.counts("CUP", map[int]float64{-1: 0})
	st.day(1)
	st.day(2)
	all, _, err := st.queue.Cases(ctx, buyer, procure.CaseFilter{})
	require.NoError(t, err)
	byKey := map[string]procure.Case{}
	for _, one := range all {
		byKey[one.Key] = one
	}
	require.Equal(t, procure.TakenBack, byKey[tea.Key].Decision)
	require.Zero(t, byKey[tea.Key].By)
	require.Zero(t, byKey[tea.Key].Empty, "it is judged under the next key")
	require.Equal(t, procure.Undecided, st.cases()["TEA"].Decision)
	require.Equal(t, procure.EmptyDays{TooLate: 1}, st.cases()["TEA"].Empty)
	require.Equal(t, procure.TurnedDown, byKey[cup.Key].Decision)
	require.Equal(t, buyer.Actor, byKey[cup.Key].By)
}

// TestUndoneRun does not count a run of the agent that was undone as anybody's decision.
func TestUndoneRun(t *testing.T) {
	t.Parallel()
	st := market(t)
	ctx := t.Context()
	run := st.run(st.by(auth.Buyer), false)
	require.Equal(t, int64(3), run.Submitted)
	_, err := st.queue.Undo(ctx, st.by(auth.Buyer), run.ID)
	require.NoError(t, err)
	st.follow()
	tomorrow := today.AddDate(0, 0, 1)
	require.NoError(t, st.forecasts.Compute(ctx, st.tenant.ID, st.tenant.Workspace, demand.DayOf(tomorrow)))
	require.NoError(t, st.queue.Daily(ctx, tomorrow.Add(12*time.Hour)))
	record, err := st.queue.TrackRecord(ctx, st.by(auth.Viewer), procure.ByBuyer, procure.Span{})
	require.NoError(t, err)
	require.Equal(t, [4]int64{7, 3, 4, 0}, [4]int64{record.Total.Suggested, record.Total.TakenBack, record.Total.Undecided, record.Total.TurnedDown},
		"four needs, of which three have a second key")
	require.Len(t, record.Groups, 1)
	require.Equal(t, procure.Nobody, record.Groups[0].Group)
}

// TestJudgedAtOnce lets two instances judge at the same time, beside another company that has the same
// articles.
func TestJudgedAtOnce(t *testing.T) {
	t.Parallel()
	st := play(t, "TEA", "CUP", "POT")
	st.counts("TEA", map[int]float64{-1: 0})
	other := pgtest.NewTenant(t, st.db)
	st.exec(`INSERT INTO workspace.suggestions SELECT (jsonb_populate_record(s, jsonb_build_object('tenant_id', $1::uuid, 'workspace_id', $2::uuid))).*
		FROM workspace.suggestions s`, other.ID, other.Workspace)
	ctx := t.Context()
	day := began.AddDate(0, 0, 5)
	require.NoError(t, st.forecasts.Compute(ctx, st.tenant.ID, st.tenant.Workspace, demand.DayOf(day)))
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := st.queue.Daily(ctx, day.Add(12*time.Hour)); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	require.NoError(t, st.queue.Daily(ctx, day.Add(12*time.Hour)))
	require.Equal(t, 3, st.count("SELECT count(*) FROM workspace.suggestions WHERE tenant_id = $1 AND judged_on = $2", st.tenant.ID, day))
	require.Equal(t, procure.EmptyDays{TooLate: 5}, st.cases()["TEA"].Empty)
	require.Equal(t, 3, st.count("SELECT count(*) FROM workspace.suggestions WHERE tenant_id = $1 AND judged_on = $2", other.ID, began))
	stranger := st.by(auth.CompanyAdmin)
	stranger.Tenant, stranger.Workspace = other.ID, other.Workspace
	record, err := st.queue.TrackRecord(ctx, stranger, procure.ByMonth, procure.Span{})
	require.NoError(t, err)
	require.Equal(t, int64(3), record.Total.Suggested)
	require.Zero(t, record.Total.Empty)
	require.Equal(t, began.Format("2006-01"), record.Groups[0].Group)
}
