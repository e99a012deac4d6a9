package purchase

import (
	"fmt"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/test/property"
)

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func TestDivide(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, approved, ordered, part, multiple, rest, of string }{
		{"as much as approved", "100", "100", "40", "0", "60", "40"},
		{"less than approved", "100", "40", "20", "0", "50", "50"},
		{"raised: the part's share is rounded down", "100", "105", "50", "0", "53", "47"},
		{"raised, and nearly all is split off", "100", "105", "100", "0", "5", "95"},
		{"one piece of a raised line is approved with the rest", "100", "105", "1", "0", "100", "0"},
		{"cartons of 12", "100", "105", "48", "12", "64", "36"},
		{"cartons, of which nothing is lost", "96", "96", "48", "12", "48", "48"},
		{"no whole carton is split in pieces", "100", "105", "50", "12", "53", "47"},
		{"goods by weight", "10", "10", "3.25", "0", "6.75", "3.25"},
		{"goods by weight, raised", "10", "10.5", "3.25", "0", "6.904762", "3.095238"},
		{"half kilograms", "10", "10.5", "3.5", "0.5", "7", "3"},
		{"nothing is approved", "0", "5", "2", "0", "0", "0"},
		{"an outside system lowered it", "100", "3", "1", "0", "67", "33"},
	} {
		rest, of := divide(dec(tt.approved), dec(tt.ordered), dec(tt.part), dec(tt.multiple))
		require.Equal(t, tt.rest+" "+tt.of, rest.String()+" "+of.String(), tt.name)
	}
}

func TestStanding(t *testing.T) {
	t.Parallel()
	approved := deal{orderNo: "PO-1", sku: "TEA", quantity: dec("100"), price: new(dec("2.5"))}
	with := func(change func(*deal)) deal {
		is := approved
		change(&is)
		return is
	}
	for _, tt := range []struct {
		name string
		is   deal
		want Status
	}{
		{"the same", approved, Ordered},
		{"at the tolerance", with(func(d *deal) { d.quantity, d.price = dec("105"), new(dec("2.625")) }), Ordered},
		{"above it", with(func(d *deal) { d.quantity = dec("105.000001") }), PendingApproval},
		{"a higher price", with(func(d *deal) { d.price = new(dec("2.625001")) }), PendingApproval},
		{"no price", with(func(d *deal) { d.price = nil }), PendingApproval},
		{"less", with(func(d *deal) { d.quantity, d.price = dec("1"), new(dec("0")) }), Ordered},
		{"another order", with(func(d *deal) { d.orderNo = "PO-2" }), PendingApproval},
		{"another article", with(func(d *deal) { d.sku = "CUP" }), PendingApproval},
		{"another product", with(func(d *deal) { d.productID = new("p") }), PendingApproval},
		{"another supplier", with(func(d *deal) { d.supplierID = new("s") }), PendingApproval},
		{"another currency", with(func(d *deal) { d.currency = new("USD") }), PendingApproval},
	} {
		got, err := standing(Ordered, tt.is, approved, dec("5"))
		require.NoError(t, err)
		require.Equal(t, tt.want, got, tt.name)
		got, err = standing(PartiallyReceived, tt.is, approved, dec("5"))
		require.Equal(t, tt.want == Ordered, err == nil, "%s, and a part has arrived: %v", tt.name, err)
		require.Equal(t, PartiallyReceived, got)
	}
}

// held is a line that is ordered, as far as the rule of approvals goes.
type held struct {
	approved, is deal
	waits        bool // for approval again
}

// reach returns the most that a line may be raised to without a new approval: in quantity, and in money at the highest price.
func (h held) reach(percent decimal.Decimal) (quantity, money decimal.Decimal) {
	if h.waits {
		return decimal.Zero, decimal.Zero
	}
	quantity = raised(h.approved.quantity, percent)
	return quantity, quantity.Mul(raised(*h.approved.price, percent))
}

// TestReach plays random sequences of splits, rises, merges (a line takes over what another gives up), confirmations, receipts
// and cancellations of one approved line. What all lines together may reach without a new approval never grows, and no line is
// ever above what it may reach.
func TestReach(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		percent := decimal.NewFromInt(int64(rapid.IntRange(0, 30).Draw(t, "percent")))
		multiple := dec(rapid.SampledFrom([]string{"0", "1", "12", "0.5", "0.1"}).Draw(t, "multiple"))
		scale := rapid.SampledFrom([]int32{0, 0, -1, -3, -6}).Draw(t, "scale")
		first := deal{orderNo: "PO-1", sku: "TEA", quantity: decimal.New(int64(rapid.IntRange(1, 1000).Draw(t, "approved")), scale),
			price: new(decimal.New(int64(rapid.IntRange(0, 500).Draw(t, "price")), -2))}
		lines := []held{{approved: first, is: first}}
		all, money := lines[0].reach(percent)
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { checkReach(t, lines, percent, &all, &money) },
			"change": func(t *rapid.T) {
				at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
				h := lines[at]
				if h.waits {
					t.Skip("it waits for approval")
				}
				switch rapid.SampledFrom([]string{"raise", "raise to the tolerance", "split", "split", "merge", "price"}).Draw(t, "change") {
				case "raise": // or lower; by an edit or a supplier's confirmation
					h.is.quantity = decimal.New(int64(rapid.IntRange(1, 1200).Draw(t, "to")), scale)
					lines[at] = h.judged(t, percent)
				case "raise to the tolerance":
					h.is.quantity, _ = h.reach(percent)
					if !h.is.quantity.IsPositive() {
						t.Skip("nothing of it is approved")
					}
					lines[at] = h.judged(t, percent)
				case "price":
					h.is.price = new(raised(*h.approved.price, percent))
					lines[at] = h.judged(t, percent)
				case "merge": // the last line is cancelled, and this one is raised by as much
					h.is.quantity = h.is.quantity.Add(lines[len(lines)-1].is.quantity)
					lines[at] = h.judged(t, percent)
					if at < len(lines)-1 {
						lines = lines[:len(lines)-1]
					}
				case "split":
					part := decimal.New(int64(rapid.IntRange(1, 1200).Draw(t, "part")), scale)
					if part.GreaterThanOrEqual(h.is.quantity) {
						t.Skip("nothing would stay")
					}
					rest, of := divide(h.approved.quantity, h.is.quantity, part, multiple)
					require.True(t, rest.Add(of).Equal(h.approved.quantity) && !of.IsNegative() && !rest.IsNegative(), "%s and %s", rest, of)
					other := h
					h.approved.quantity, other.approved.quantity = rest, of
					h.is.quantity, other.is.quantity = h.is.quantity.Sub(part), part
					lines[at] = h.judged(t, percent)
					require.False(t, lines[at].waits, "the rest of the approval stays with the line")
					lines = append(lines, other.judged(t, percent))
				}
			},
		})
	})
}

// judged is what Edit, Confirm and Split do with a changed line.
func (h held) judged(t *rapid.T, percent decimal.Decimal) held {
	status, err := standing(Ordered, h.is, h.approved, percent)
	require.NoError(t, err)
	h.waits = status == PendingApproval
	return h
}

func checkReach(t *rapid.T, lines []held, percent decimal.Decimal, all, money *decimal.Decimal) {
	quantity, cost := decimal.Zero, decimal.Zero
	for _, h := range lines {
		most, worth := h.reach(percent)
		quantity, cost = quantity.Add(most), cost.Add(worth)
		if !h.waits {
			require.False(t, h.is.quantity.GreaterThan(most), "%s of %s", h.is.quantity, most)
			require.False(t, h.is.quantity.Mul(*h.is.price).GreaterThan(worth), "%s of %s", fmt.Sprint(h.is), worth)
		}
	}
	require.False(t, quantity.GreaterThan(*all), "%s may be reached, and %s before", quantity, all)
	require.False(t, cost.GreaterThan(*money), "%s may be spent, and %s before", cost, money)
	*all, *money = quantity, cost
}
