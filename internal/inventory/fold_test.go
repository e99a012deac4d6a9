package inventory_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/purchase"
)

// TestStatuses walks the six statuses there and back.
func TestStatuses(t *testing.T) {
	t.Parallel()
	for _, status := range purchase.Statuses() {
		back := inventory.StatusOf(inventory.StateOf(status))
		if status == purchase.PendingApproval {
			require.Equal(t, purchase.Draft, back, "the only status that does not come back")
			continue
		}
		require.Equal(t, status, back)
	}
	require.Len(t, inventory.Statuses(), len(purchase.Statuses()))
}

// TestDocumented checks that docs/inventory.md prints the table of the code.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/inventory.md")
	require.NoError(t, err)
	require.Contains(t, string(page), inventory.Markdown(), "put this into docs/inventory.md:\n%s", inventory.Markdown())
}

func TestFold(t *testing.T) {
	t.Parallel()
	row := func(id, variant, group, quantity string, received bool) inventory.Row {
		price := dec("4")
		r := inventory.Row{ID: id, Variant: variant, Group: group, Quantity: dec(quantity), Price: &price, Expected: onDay(1)}
		if received {
			r.Received = &at
		}
		return r
	}
	dear := dec("5")
	open := row("10", "3", "g", "4", false)
	open.Price, open.Expected = &dear, onDay(9)
	deleted := row("2", "3", "g", "99", false)
	deleted.Deleted = true
	order := inventory.Order{State: inventory.PartiallyReceived, Supplier: "s", Currency: "EUR", Rows: []inventory.Row{
		row("11", "3", "g", "6", true), open, row("9", "3", "other", "1", false), row("12", "4", "g", "2", true), deleted}}
	lines := inventory.Fold(order)
	require.Len(t, lines, 3, "by variant and group")
	line := inventory.Find(lines, inventory.Key{Root: "10"})
	require.Equal(t, inventory.Key{Root: "10", Variant: "3", Group: "g"}, line.Key, "the lowest id, as a number")
	require.Equal(t, []string{"10", "6", "partially_received", "5"},
		[]string{line.Quantity.String(), line.Received.String(), string(line.Status), line.Price.String()})
	require.Equal(t, onDay(9), line.Expected, "of what is open")
	require.Equal(t, []inventory.Receipt{{ID: "11", Quantity: dec("6"), At: at}}, line.Receipts)
	require.Equal(t, purchase.Ordered, lines[0].Status)
	require.Equal(t, purchase.Received, lines[2].Status)

	require.Same(t, line, inventory.Find(lines, inventory.Key{Root: "11"}), "any of its rows finds the line")
	require.Same(t, line, inventory.Find(lines, inventory.Key{Root: "2", Variant: "3", Group: "g"}), "its root was deleted")
	require.Nil(t, inventory.Find(lines, inventory.Key{Root: "2", Variant: "5", Group: "g"}))
	matched, rest := inventory.Match(lines, []inventory.Key{{Variant: "3"}, {Root: "9"}, {Variant: "7"}})
	require.Same(t, line, matched[0], "a line without a row there is known by its article, if that is free")
	require.Equal(t, "9", matched[1].Key.Root)
	require.Nil(t, matched[2])
	require.Len(t, rest, 1)

	open.ID = "13" // a row that was added after the first had arrived
	order.Rows = []inventory.Row{row("11", "3", "g", "6", true), open}
	require.Equal(t, "5", inventory.Fold(order)[0].Price.String(), "the price of what is open")

	early, late := row("14", "3", "g", "1", false), row("15", "3", "g", "1", false)
	early.Expected, late.Expected = onDay(3), onDay(20)
	order.Rows = []inventory.Row{late, early, open}
	require.Equal(t, onDay(3), inventory.Fold(order)[0].Expected, "the next day on which a part of it is expected")
	order.Rows = []inventory.Row{row("10", "3", "g", "1", false), row("9", "3", "g", "1", false)}
	require.Equal(t, "9", inventory.Fold(order)[0].Key.Root, "9 comes before 10")

	order.State = inventory.Draft
	require.Equal(t, purchase.Draft, inventory.Fold(order)[0].Status)
	order.Deleted = true
	require.Empty(t, inventory.Fold(order))
}

func TestWatermark(t *testing.T) {
	t.Parallel()
	seen := []inventory.Order{{UpdatedAt: at}, {UpdatedAt: at.Add(-time.Hour)}}
	require.Equal(t, at.Add(-inventory.Overlap), inventory.Watermark(time.Time{}, seen))
	require.Equal(t, at, inventory.Watermark(at, seen), "never back")
}
