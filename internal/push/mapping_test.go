package push

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tableOf makes a table of column names; ! marks a required one.
func tableOf(slug string, columns ...string) *Table {
	table := &Table{Slug: slug, ConflictKey: []string{"tenant_id", "external_id"}}
	for _, name := range columns {
		bare := strings.TrimSuffix(name, "!")
		kind := "text"
		if strings.HasPrefix(bare, "is_") {
			kind = "boolean"
		}
		table.Columns = append(table.Columns, Column{Name: bare, Type: kind, Accepted: true, Required: bare != name})
	}
	table.Columns = append(table.Columns, Column{Name: "created_at", Type: "datetime"})
	return table
}

var orders = tableOf("orders", "external_id!", "order_number", "ordered_at!", "status", "customer_email", "total", "subtotal",
	"tax_total", "shipping_total", "is_test", "note", "tags", "lead_time_days", "received_at")

func TestMapping(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, from, to, how string
		overrides           []string
		besides             []string
	}{
		{name: "its name", from: "order_number", to: "order_number", how: exact},
		{name: "case, space and dash", from: "Order-NUMBER", to: "order_number", how: exact},
		{name: "a hump", from: "orderNumber", to: "order_number", how: exact},
		{name: "brackets", from: "Lead time (days)", to: "lead_time_days", how: exact},
		{name: "an abbreviation", from: "Order No.", to: "order_number", how: similar},
		{name: "another order of words", from: "Email Customer", to: "customer_email", how: similar},
		{name: "a dash in a word", from: "Customer E-Mail", to: "customer_email", how: exact},
		{name: "the table's noun", from: "Order Status", to: "status", how: similar},
		{name: "a plural", from: "Notes", to: "note", how: similar},
		{name: "a slip", from: "custmer_email", to: "customer_email", how: similar},
		{name: "swapped letters", from: "shippign_total", to: "shipping_total", how: similar},
		{name: "told", from: "X7", to: "total", how: named, overrides: []string{"X7=total"}},
		{name: "told against its name", from: "total", to: "subtotal", how: named, overrides: []string{"total = subtotal"}},
		{name: "told to be dropped", from: "total", how: dropped, overrides: []string{"total="}},
		{name: "a stranger", from: "Shoe Size", how: dropped},
		{name: "one that is not accepted", from: "created_at", how: dropped},
		{name: "another word", from: "received_by", how: dropped},
		{name: "part of a name", from: "grand total", how: dropped},
		{name: "another number", from: "note2", how: dropped},
		{name: "push's own", from: "_error", how: dropped},
		{name: "its exact name goes before a similar one", from: "Order Status", how: dropped, besides: []string{"status"}},
		{name: "one of two that are alike", from: "Order Number", how: dropped, besides: []string{"ORDER_NUMBER"}},
		{name: "the very name goes before one that is alike", from: "order_number", to: "order_number", how: exact, besides: []string{"Order Number"}},
		{name: "one of two that are similar", from: "Notes", how: dropped, besides: []string{"Order Note"}},
		{name: "a name that is there twice", from: "total", how: dropped, besides: []string{"total"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := NewMapping(orders, append([]string{tt.from}, tt.besides...), tt.overrides)
			require.NoError(t, err)
			require.Equal(t, [3]string{tt.from, tt.to, tt.how}, [3]string{m.Pairs[0].From, m.Pairs[0].To, m.Pairs[0].How}, m.Pairs[0].Why)
			require.Equal(t, tt.how == dropped, m.Pairs[0].Why != "")
		})
	}
}

func TestMappingDoesNotGuess(t *testing.T) {
	t.Parallel()
	table := tableOf("x", "billing_street1", "billing_street", "delivery_date", "delivery_data")
	m, err := NewMapping(table, []string{"delivery_dat", "Billing Stret"}, nil)
	require.NoError(t, err)
	require.Equal(t, dropped, m.Pairs[0].How)
	require.Contains(t, m.Pairs[0].Why, "it could be delivery_dat")
	require.Contains(t, m.Pairs[0].Why, "--map 'delivery_dat=delivery_dat")
	require.Equal(t, "billing_street", m.Pairs[1].To, "the digit tells them apart")
}

func TestMappingOverridesAreChecked(t *testing.T) {
	t.Parallel()
	for override, says := range map[string]string{
		"total":        "--map is from=to",
		"=total":       "--map is from=to",
		"nope=total":   `the file has no column "nope"; it has a, b`,
		"a=nope":       `table orders takes no column "nope"; it takes external_id, order_number`,
		"a=created_at": "takes no column",
	} {
		_, err := NewMapping(orders, []string{"a", "b"}, []string{override})
		require.ErrorContains(t, err, says)
	}
	_, err := NewMapping(orders, []string{"a", "b"}, []string{"a=total", "b=total"})
	require.ErrorContains(t, err, `sends both "a" and "b" to total`)
	_, err = NewMapping(orders, []string{"a", "a"}, []string{"a=total"})
	require.ErrorContains(t, err, `several columns of the file are called "a"`)
}

func TestMappingApplies(t *testing.T) {
	t.Parallel()
	m, err := NewMapping(orders, []string{"External ID", "Shoe Size", "_error", "is_test", "note"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"ordered_at"}, m.Missing())
	m.booleans = true
	fields := m.Apply([]Field{
		{"External ID", quoted("7")}, {"Shoe Size", quoted("43")}, {"_error", quoted("x")}, {"is_test", quoted("TRUE")}, {"note", quoted("TRUE")},
	})
	require.Equal(t, `{"external_id":"7","is_test":true,"note":"TRUE"}`, string(object(fields)))
	require.Equal(t, "external_id=7", keyOf(fields, orders.identity()))
	require.Empty(t, keyOf(nil, orders.identity()))

	// What a stream shows later is matched by its very name or not at all.
	pair, isNew := m.Learn("Order Number")
	require.True(t, isNew)
	require.Equal(t, "order_number", pair.To)
	pair, _ = m.Learn("order_number")
	require.Empty(t, pair.To, "the column has its source")
	pair, _ = m.Learn("Customer Mail")
	require.Empty(t, pair.To)
	_, isNew = m.Learn("Customer Mail")
	require.False(t, isNew)
	require.Empty(t, m.Apply([]Field{{"_note", quoted("x")}}))
}
