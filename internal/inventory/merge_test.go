package inventory_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/purchase"
)

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

var at = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)

func onDay(n int) *time.Time {
	day := time.Date(2026, 12, n, 0, 0, 0, 0, time.UTC)
	return &day
}

// line describes a line as "status quantity price day received", such as "ordered 10 4 1 0".
func line(text string) inventory.Line {
	f := strings.Fields(text)
	price := dec(f[2])
	return inventory.Line{Status: purchase.Status(f[0]), Variant: "3", Supplier: "2", Currency: "EUR", Quantity: dec(f[1]),
		Price: &price, Expected: onDay(int(dec(f[3]).IntPart())), Received: dec(f[4]), ReceivedAt: at}
}

// remote describes a line there in the same way. What arrived is row r1, and the rest is row 9.
func remote(text string) *inventory.Remote {
	if text == "" {
		return nil
	}
	l := line(text)
	state := inventory.StateOf(l.Status)
	order := inventory.Order{ID: "1", State: state, Supplier: "2", Currency: "EUR", UpdatedAt: at}
	if rest := l.Quantity.Sub(l.Received); rest.IsPositive() {
		order.Rows = append(order.Rows, inventory.Row{ID: "9", Variant: "3", Group: "g", Quantity: rest, Price: l.Price,
			Expected: l.Expected})
	}
	if l.Received.IsPositive() {
		order.Rows = append(order.Rows, inventory.Row{ID: "r1", Variant: "3", Group: "g", Quantity: l.Received,
			Price: l.Price, Expected: l.Expected, Received: &at})
	}
	return &inventory.Fold(order)[0]
}

// agreed returns the base of two equal sides.
func agreed(text string) inventory.Base {
	if text == "" {
		return inventory.Base{}
	}
	ours := line(text)
	return inventory.Merge(inventory.Base{}, &ours, remote(text)).Base
}

// told prints a result: what is written here and there, conflicts and notices.
func told(r inventory.Result) string {
	parts := []string{}
	for side, w := range map[string]inventory.Write{"here": r.Here, "there": r.There} {
		if w.Create {
			parts = append(parts, side+" create")
		}
		if w.Delete {
			parts = append(parts, side+" delete")
		}
		for _, f := range w.Fields {
			value := map[inventory.Field]string{inventory.FieldStatus: string(w.Line.Status),
				inventory.FieldQuantity: w.Line.Quantity.String()}[f]
			if f == inventory.FieldPrice {
				value = w.Line.Price.String()
			}
			if f == inventory.FieldExpected {
				value = w.Line.Expected.Format("02")
			}
			parts = append(parts, side+" "+string(f)+"="+value)
		}
		for _, receipt := range w.Receipts {
			parts = append(parts, strings.TrimSpace(side+" receive "+receipt.Quantity.String()+" "+receipt.ID))
		}
	}
	for _, c := range r.Conflicts {
		choices := []string{}
		for _, choice := range c.Choices {
			choices = append(choices, string(choice))
		}
		parts = append(parts, "ask "+string(c.Field)+" "+string(c.Reason)+" "+strings.Join(choices, "/"))
	}
	for _, n := range r.Notices {
		parts = append(parts, "say "+string(n))
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// TestMerge has each rule at least once: base, ours, theirs, and what is done.
func TestMerge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, base, ours, theirs, want string }{
		{"nothing happened", "ordered 10 4 1 0", "ordered 10 4 1 0", "ordered 10 4 1 0", ""},
		{"our own echo", "ordered 10 4 1 0", "ordered 12 5 2 0", "ordered 12 5 2 0", ""},
		{"only ours changed", "ordered 10 4 1 0", "ordered 12 5 2 0", "ordered 10 4 1 0",
			"there expected_arrival=02; there price=5; there quantity=12"},
		{"only theirs changed", "ordered 10 4 1 0", "ordered 10 4 1 0", "ordered 12 5 2 0",
			"here expected_arrival=02; here price=5; here quantity=12"},
		{"each changed something else", "ordered 10 4 1 0", "ordered 12 4 1 0", "ordered 10 5 1 0",
			"here price=5; there quantity=12"},
		{"both changed the day: theirs", "ordered 10 4 1 0", "ordered 10 4 2 0", "ordered 10 4 3 0",
			"here expected_arrival=03"},
		{"both changed the price: a person, and the export pauses", "ordered 10 4 1 0", "ordered 12 5 1 0",
			"ordered 10 6 1 0", "ask price both_changed ours/theirs"},
		{"both changed the quantity: a person", "ordered 10 4 1 0", "ordered 12 4 1 0", "ordered 13 4 1 0",
			"ask quantity both_changed ours/theirs"},
		{"never synced, and different", "", "ordered 12 4 1 0", "ordered 13 4 2 0",
			"ask quantity both_changed ours/theirs; here expected_arrival=02"},

		{"new here", "", "draft 10 4 1 0", "", "there create"},
		{"new here and cancelled", "", "cancelled 10 4 1 0", "", ""},
		{"pending is a draft there", "draft 10 4 1 0", "pending_approval 10 4 1 0", "draft 10 4 1 0", ""},
		{"a draft there leaves pending alone", "pending_approval 10 4 1 0", "pending_approval 10 4 1 0", "draft 10 5 1 0",
			"here price=5"},
		{"approved here", "draft 10 4 1 0", "ordered 10 4 1 0", "draft 10 4 1 0", "there status=ordered"},
		{"ordered there, a draft here", "draft 10 4 1 0", "draft 10 4 1 0", "ordered 10 4 1 0",
			"here status=ordered; say approved_elsewhere"},
		{"ordered there, pending here", "draft 10 4 1 0", "pending_approval 10 4 1 0", "ordered 10 4 1 0",
			"here status=ordered; say approved_elsewhere"},
		{"ordered and received there, pending here", "draft 10 4 1 0", "pending_approval 10 4 1 0",
			"partially_received 10 4 1 3", "here receive 3 r1; here status=partially_received; say approved_elsewhere"},
		{"back for approval here", "ordered 10 4 1 0", "pending_approval 10 9 1 0", "ordered 10 4 1 0", "say awaits_approval"},
		{"back for approval here, a part arrived there", "ordered 10 4 1 0", "pending_approval 10 9 1 0",
			"partially_received 10 4 1 3", "here receive 3 r1; say awaits_approval"},
		{"set back to a draft there", "ordered 10 4 1 0", "ordered 10 4 1 0", "draft 10 4 1 0",
			"ask status set_back ours/theirs"},
		{"set back there, a part has arrived here", "ordered 10 4 1 0", "partially_received 10 4 1 2", "draft 10 4 1 0",
			"ask status set_back ours"},

		{"a part arrived there", "ordered 10 4 1 0", "ordered 10 4 1 0", "partially_received 10 4 1 3",
			"here receive 3 r1; here status=partially_received"},
		{"all arrived there", "ordered 10 4 1 0", "ordered 10 4 1 0", "received 10 4 1 10",
			"here receive 10 r1; here status=received"},
		{"a part arrived here", "ordered 10 4 1 0", "partially_received 10 4 1 3", "ordered 10 4 1 0", "there receive 3"},
		{"the same arrived on both sides", "ordered 10 4 1 0", "partially_received 10 4 1 3", "partially_received 10 4 1 3",
			""},
		{"both booked something else: theirs", "ordered 10 4 1 0", "partially_received 10 4 1 3",
			"partially_received 10 4 1 4", "here receive -3; here receive 4 r1; say receipt_replaced"},
		{"more arrived here than was ordered", "ordered 10 4 1 0", "received 10 4 1 12", "ordered 10 4 1 0",
			"there quantity=12; there receive 12"},
		{"closed short here", "partially_received 10 4 1 3", "received 10 4 1 3", "partially_received 10 4 1 3",
			"there quantity=3"},
		{"closed short there", "partially_received 10 4 1 3", "partially_received 10 4 1 3", "received 3 4 1 3",
			"here status=received"},
		{"taken back there", "received 10 4 1 10", "received 10 4 1 10", "ordered 10 4 1 0",
			"here receive -10 r1; here status=ordered"},
		{"taken back here", "received 10 4 1 10", "partially_received 10 4 1 8", "received 10 4 1 10",
			"ask receipts taken_back theirs"},
		{"more arrived here than fits there", "received 10 4 1 10", "received 10 4 1 12", "received 10 4 1 10",
			"ask receipts no_room theirs"},
		{"received here without a receipt", "ordered 10 4 1 0", "received 10 4 1 0", "ordered 10 4 1 0",
			"ask status no_receipt theirs"},
		{"changed here, but all arrived there", "ordered 10 4 1 0", "ordered 10 5 1 0", "received 10 4 1 10",
			"ask price fixed_there theirs; here receive 10 r1; here status=received"},
		{"the day changed here, but all arrived there", "ordered 10 4 1 0", "ordered 10 4 5 0", "received 10 4 1 10",
			"here expected_arrival=01; here receive 10 r1; here status=received"},
		{"less ordered here than arrived there", "ordered 10 4 1 0", "ordered 2 4 1 0", "partially_received 10 4 1 3",
			"here receive 3 r1; here status=received; there quantity=3"},

		{"cancelled here", "ordered 10 4 1 0", "cancelled 10 4 1 0", "ordered 10 4 1 0", "there delete"},
		{"cancelled here, changed there", "ordered 10 4 1 0", "cancelled 10 4 1 0", "ordered 10 5 1 0",
			"ask status cancelled_here ours/theirs"},
		{"cancelled here, arrived there", "ordered 10 4 1 0", "cancelled 10 4 1 0", "partially_received 10 4 1 3",
			"ask status cancelled_here theirs"},
		{"deleted there", "ordered 10 4 1 0", "ordered 10 4 1 0", "", "here status=cancelled"},
		{"deleted there, changed here", "ordered 10 4 1 0", "ordered 10 5 1 0", "", "ask status deleted_there ours/theirs"},
		{"deleted there, approved here", "draft 10 4 1 0", "ordered 10 4 1 0", "", "ask status deleted_there ours/theirs"},
		{"deleted there, a part had arrived", "partially_received 10 4 1 3", "partially_received 10 4 1 3", "",
			"ask status deleted_there ours/theirs"},
		{"gone on both sides", "ordered 10 4 1 0", "cancelled 10 4 1 0", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ours := line(tt.ours)
			require.Equal(t, tt.want, told(inventory.Merge(agreed(tt.base), &ours, remote(tt.theirs))))
		})
	}
}

// TestDecide answers conflicts.
func TestDecide(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, base, ours, theirs string
		take                     inventory.Side
		want                     string
	}{
		{"our price", "ordered 10 4 1 0", "ordered 10 5 1 0", "ordered 10 6 1 0", inventory.Ours, "there price=5"},
		{"their price", "ordered 10 4 1 0", "ordered 10 5 1 0", "ordered 10 6 1 0", inventory.Theirs, "here price=6"},
		{"order again", "ordered 10 4 1 0", "ordered 10 4 1 0", "draft 10 4 1 0", inventory.Ours, "there status=ordered"},
		{"draft again", "ordered 10 4 1 0", "ordered 10 4 1 0", "draft 10 4 1 0", inventory.Theirs, "here status=draft"},
		{"make it again there", "ordered 10 4 1 0", "ordered 10 5 1 0", "", inventory.Ours, "there create"},
		{"cancel it here", "partially_received 10 4 1 3", "partially_received 10 4 1 3", "", inventory.Theirs,
			"here receive -3; here status=cancelled"},
		{"delete it there", "ordered 10 4 1 0", "cancelled 10 4 1 0", "ordered 10 5 1 0", inventory.Ours, "there delete"},
		{"take it back here", "ordered 10 4 1 0", "cancelled 10 4 1 0", "partially_received 10 5 1 3", inventory.Theirs,
			"here price=5; here receive 3 r1; here status=partially_received"},
		{"their receipts", "received 10 4 1 10", "partially_received 10 4 1 8", "received 10 4 1 10", inventory.Theirs,
			"here receive 2; here status=received"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ours := line(tt.ours)
			asked := inventory.Merge(agreed(tt.base), &ours, remote(tt.theirs))
			require.Len(t, asked.Conflicts, 1)
			c := asked.Conflicts[0]
			decision := inventory.Decision{Field: c.Field, Take: tt.take, Ours: c.Ours, Theirs: c.Theirs}
			require.Equal(t, tt.want, told(inventory.Merge(asked.Base, &ours, remote(tt.theirs), decision)))
			decision.Ours = "something else"
			require.Len(t, inventory.Merge(asked.Base, &ours, remote(tt.theirs), decision).Conflicts, 1,
				"a decision holds for what the person saw")
		})
	}
}

// TestEcho sends changes, changes the line again, and reads the first changes back.
func TestEcho(t *testing.T) {
	t.Parallel()
	ours := line("partially_received 10 5 1 3")
	ours.ReceivedAt = at
	order := &inventory.Order{ID: "1", State: inventory.NotReceived, UpdatedAt: at}
	plan := inventory.Plan(order, []inventory.Pair{{Base: agreed("ordered 10 4 1 0"), Ours: &ours,
		Theirs: remote("ordered 10 4 1 0")}})
	require.Equal(t, "there price=5; there receive 3", told(plan.Lines[0]))
	later := line("partially_received 10 6 1 7")
	later.ReceivedAt = at.Add(time.Hour)
	echo := remote("partially_received 10 5 1 3")
	echo.Version = at.Add(time.Minute)
	require.Equal(t, "there price=6; there receive 4", told(inventory.Merge(plan.Lines[0].Base, &later, echo)))
}

// TestLoad makes a line here of one that exists only there, and merges it again.
func TestLoad(t *testing.T) {
	t.Parallel()
	theirs := remote("partially_received 10 4 1 3")
	loaded := inventory.Merge(inventory.Base{}, nil, theirs)
	require.Equal(t, "here create; here receive 3 r1", told(loaded))
	require.Equal(t, purchase.PartiallyReceived, loaded.Here.Line.Status)
	ours := loaded.Here.Line
	require.True(t, inventory.Merge(loaded.Base, &ours, theirs).Quiet())
	require.True(t, inventory.Merge(inventory.Base{}, nil, nil).Quiet())
}

// TestMadeAgain makes a line again there of which a part has arrived: its receipts are told again.
func TestMadeAgain(t *testing.T) {
	t.Parallel()
	ours := line("partially_received 10 4 1 3")
	asked := inventory.Merge(agreed("partially_received 10 4 1 3"), &ours, nil)
	c := asked.Conflicts[0]
	made := inventory.Merge(asked.Base, &ours, nil, inventory.Decision{Field: c.Field, Take: inventory.Ours, Ours: c.Ours,
		Theirs: c.Theirs})
	require.Equal(t, "there create", told(made))
	require.Equal(t, "there receive 3", told(inventory.Merge(made.Base, &ours, remote("ordered 10 4 1 0"))))
}

// TestSameDeliveries books on both sides what arrived in two parts there.
func TestSameDeliveries(t *testing.T) {
	t.Parallel()
	ours, theirs := line("partially_received 10 4 1 3"), remote("partially_received 10 4 1 3")
	theirs.Receipts = []inventory.Receipt{{ID: "r1", Quantity: dec("1"), At: at}, {ID: "r2", Quantity: dec("2"), At: at}}
	require.Empty(t, told(inventory.Merge(agreed("ordered 10 4 1 0"), &ours, theirs)))
	theirs.Receipts = append(theirs.Receipts, inventory.Receipt{ID: "r3", Quantity: dec("3"), At: at})
	theirs.Received = dec("6")
	require.Equal(t, "here receive 1 r1; here receive 2 r2",
		told(inventory.Merge(agreed("ordered 10 4 1 0"), &ours, theirs)), "r3 is the one that was booked here")
}

func TestPlan(t *testing.T) {
	t.Parallel()
	pair := func(base, ours, theirs string) inventory.Pair {
		l := line(ours)
		return inventory.Pair{Base: agreed(base), Ours: &l, Theirs: remote(theirs)}
	}
	const draft, ordered = "draft 10 4 1 0", "ordered 10 4 1 0"
	for _, tt := range []struct {
		name  string
		there inventory.State
		pairs []inventory.Pair
		want  []string
		state inventory.State
	}{
		{"new drafts", inventory.Gone, []inventory.Pair{pair("", draft, ""), pair("", "pending_approval 10 4 1 0", "")},
			[]string{"there create", "there create"}, inventory.Draft},
		{"a draft beside an ordered line waits", inventory.Gone, []inventory.Pair{pair("", draft, ""), pair("", ordered, "")},
			[]string{"say awaits_lines", "there create"}, inventory.NotReceived},
		{"a draft is not added to a placed order", inventory.NotReceived,
			[]inventory.Pair{pair("", draft, ""), pair(ordered, ordered, ordered)},
			[]string{"say awaits_lines", ""}, inventory.Gone},
		{"an order is placed when no line there is a draft", inventory.Draft,
			[]inventory.Pair{pair(draft, draft, draft), pair(draft, ordered, draft)},
			[]string{"", "say awaits_lines"}, inventory.Gone},
		{"then it is placed", inventory.Draft, []inventory.Pair{pair(draft, ordered, draft), pair(draft, ordered, draft)},
			[]string{"there status=ordered", "there status=ordered"}, inventory.NotReceived},
		{"a conflict pauses the order", inventory.NotReceived,
			[]inventory.Pair{pair(ordered, "ordered 10 5 1 0", "ordered 10 6 1 0"), pair(ordered, "ordered 12 4 1 0", ordered)},
			[]string{"ask price both_changed ours/theirs", ""}, inventory.Gone},
		{"a received order takes no line", inventory.Received, []inventory.Pair{pair("", ordered, "")},
			[]string{"say order_finished"}, inventory.Gone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var order *inventory.Order
			if tt.there != inventory.Gone {
				order = &inventory.Order{ID: "1", State: tt.there, UpdatedAt: at}
			}
			plan := inventory.Plan(order, tt.pairs)
			got := []string{}
			for _, l := range plan.Lines {
				got = append(got, told(l))
			}
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.state, plan.State)
		})
	}
	last := inventory.Plan(&inventory.Order{ID: "1", State: inventory.NotReceived}, []inventory.Pair{
		pair(ordered, "cancelled 10 4 1 0", ordered)})
	require.True(t, last.DeleteOrder, "the order goes with its last line")

	old := pair(ordered, ordered, "ordered 10 9 1 0")
	old.Base.UpdatedAt = at.Add(time.Hour)
	stale := inventory.Plan(&inventory.Order{ID: "1", State: inventory.NotReceived, UpdatedAt: at}, []inventory.Pair{old})
	require.True(t, stale.Stale)
	require.True(t, stale.Lines[0].Quiet())
}

// TestDecisionsAreNeeded: of two decisions that lead to each other, and whose writes wait for another line's answer, both are needed
// until both sides agree.
func TestDecisionsAreNeeded(t *testing.T) {
	t.Parallel()
	ours := line("ordered 10 2 1 0")
	decided := []inventory.Decision{{Field: inventory.FieldStatus, Take: inventory.Ours, Ours: "ordered", Theirs: "draft"},
		{Field: inventory.FieldPrice, Take: inventory.Ours, Ours: "2", Theirs: "1"}}
	pair := inventory.Pair{Base: agreed("ordered 10 4 1 0"), Ours: &ours, Theirs: remote("draft 10 1 1 0"), Decisions: decided}
	require.Empty(t, inventory.Merge(pair.Base, pair.Ours, pair.Theirs, pair.Decisions...).Conflicts)
	for _, d := range decided {
		asked := pair.Without(d.Field)
		require.Len(t, asked, 1)
		require.Equal(t, []string{string(d.Field), d.Ours, d.Theirs}, []string{string(asked[0].Field), asked[0].Ours, asked[0].Theirs})
	}
	pair.Theirs = remote("ordered 10 2 1 0")
	require.Empty(t, pair.Without(inventory.FieldStatus))
	require.Empty(t, pair.Without(inventory.FieldPrice))
}

// answers is an inventory system that finds what it is told, and counts what is created.
type answers struct {
	inventory.System
	found   error
	created int
}

func (a *answers) Find(context.Context, string, string) (inventory.Order, error) {
	return inventory.Order{}, a.found
}

func (a *answers) Create(context.Context, inventory.NewOrder) (inventory.Order, error) {
	a.created++
	return inventory.Order{}, nil
}

// TestCreatedOnce: an order is created only if it is known that it does not exist. A call without an answer may have created it.
func TestCreatedOnce(t *testing.T) {
	t.Parallel()
	ours := line("ordered 10 4 1 0")
	pairs := []inventory.Pair{{Ours: &ours}}
	for name, tt := range map[string]struct {
		found   error
		created int
	}{
		"it does not exist":       {inventory.NotFound("PO-1"), 1},
		"it exists":               {nil, 0},
		"nobody knows, no answer": {io.ErrUnexpectedEOF, 0},
	} {
		system := &answers{found: tt.found}
		err := inventory.Plan(nil, pairs).Send(t.Context(), system, inventory.Header{Number: "PO-1"}, nil, pairs)
		require.Equal(t, tt.created, system.created, name)
		require.Equal(t, errors.Is(tt.found, io.ErrUnexpectedEOF), err != nil, name)
	}
}
