package pgtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

// TestOrdersOfLines checks what the recount expects of orders, on an order of seven lines that can be added
// up by hand. Two lines name their supplier only.
func TestOrdersOfLines(t *testing.T) {
	t.Parallel()
	line := func(id, status, supplier, name string, ordered, received int64, expected string) orderLine {
		return orderLine{OrderNo: "PO-9", ID: id, Status: status, QuantityOrdered: decimal.NewFromInt(ordered), Currency: "EUR",
			QuantityReceived: decimal.NewFromInt(received), Expected: expected, Price: decimal.RequireFromString("2.5"), SupplierID: supplier,
			SupplierName: name, Resolved: true}
	}
	lines := []orderLine{
		line("1", "draft", "s1", "Tea House", 1, 0, "2020-01-01"),
		line("2", "pending_approval", "s1", "Tea House", 2, 0, ""),
		line("3", "ordered", "s1", "Tea House", 4, 0, "2026-03-02"),
		line("4", "partially_received", "s1", "Tea House", 10, 4, "2026-03-01"),
		line("5", "received", "s1", "Tea House", 10, 4, "2020-01-01"),
		line("6", "received", "", "Tea House", 10, 12, ""),
		line("7", "cancelled", "", "Acorn", 100, 3, "2020-01-01"),
	}
	lines[0].Resolved, lines[1].Flags = false, 2
	require.Equal(t, orderHeader{OrderNo: "PO-9", SortNo: "po-000000000009", NewestID: "7", Lines: 7, Draft: 1, PendingApproval: 1, Ordered: 1,
		PartiallyReceived: 1, Received: 2, ClosedShort: 1, Cancelled: 1, Unresolved: 1, Flags: 2, NextArrival: "2026-03-01",
		Supplier: "acorn", Suppliers: 1}, countOrders(lines)[orderKey{OrderNo: "PO-9"}], "Acorn's only line is cancelled")
	sums := map[string]string{}
	for key, sum := range sumOrders(lines) {
		sums[key.SupplierID+" "+key.SupplierName] = sum.String()
	}
	require.Equal(t, map[string]string{
		"s1 Tea House": "lines 5 live 5 binding 4 total 67.5 bound 65 ordered 60 received 20 given up 15 expected 25",
		" Tea House":   "lines 1 live 1 binding 1 total 25 bound 25 ordered 25 received 30 given up 0 expected 0",
		" Acorn":       "lines 1 live 0 binding 0 total 0 bound 0 ordered 0 received 0 given up 0 expected 0",
	}, sums)
}

// TestWrongOrders checks that the recount notices a header, or a sum, that is missing, that nothing accounts
// for, or that differs.
func TestWrongOrders(t *testing.T) {
	t.Parallel()
	lines := []orderLine{{OrderNo: "PO-9", ID: "1", Status: "ordered", QuantityOrdered: decimal.NewFromInt(4), Price: decimal.NewFromInt(2)}}
	header := countOrders(lines)[orderKey{OrderNo: "PO-9"}]
	sum := sumOrders(lines)[sumKey{orderKey: orderKey{OrderNo: "PO-9"}}]
	sum.OrderNo = "PO-9"
	empty := orderHeader{OrderNo: "PO-8", SortNo: "po-000000000008", NextArrival: "infinity"}
	later, more := header, sum
	later.NextArrival, more.Total = "2026-03-01", sum.Total.Add(decimal.New(1, -2))
	flagged := empty
	flagged.Flags = 1
	for name, tt := range map[string]struct {
		headers []orderHeader
		sums    []orderSum
		want    int
	}{
		"as it should be":                {[]orderHeader{header}, []orderSum{sum}, 0},
		"an order that lost its lines":   {[]orderHeader{header, empty}, []orderSum{sum, {OrderNo: "PO-8"}}, 0},
		"a flag of no line":              {[]orderHeader{header, flagged}, []orderSum{sum}, 1},
		"another day":                    {[]orderHeader{later}, []orderSum{sum}, 1},
		"a cent more":                    {[]orderHeader{header}, []orderSum{more}, 1},
		"the lines of another workspace": {[]orderHeader{header}, []orderSum{sum, {WorkspaceID: uuid.Max, OrderNo: "PO-9", Lines: 1}}, 1},
		"no sum":                         {[]orderHeader{header}, nil, 1},
		"neither":                        {nil, nil, 2},
	} {
		require.Len(t, wrongOrders(lines, tt.headers, tt.sums), tt.want, name)
	}
}

// TestTokensOf checks the tokens that the check of the search expects of ASCII texts.
func TestTokensOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		codes []string
		names string
		want  []string
	}{
		{nil, " - ", nil},
		{nil, "Linen Shirt, blue/white (M)", []string{"linen", "shirt", "blue", "white", "m"}},
		{[]string{"AB-12-XL", "--", "9"}, "", []string{"#ab12xl", "#12xl", "#xl", "#9"}},
		{[]string{"a-b-c-d-e-f"}, "", []string{"#abcdef", "#bcdef", "#cdef", "#def"}},
		{[]string{"PO-7-M"}, "", []string{"#po7m", "#7m"}},
		{[]string{strings.Repeat("9", 70)}, strings.Repeat("x", 70), []string{strings.Repeat("x", 64), "#" + strings.Repeat("9", 64)}},
		{nil, strings.Repeat("a ", 20), slices.Repeat([]string{"a"}, 16)},
	} {
		require.Equal(t, tt.want, tokensOf(tt.codes, tt.names), "%q %q", tt.codes, tt.names)
	}
}
