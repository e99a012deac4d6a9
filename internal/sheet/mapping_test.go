package sheet

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// tableOf returns a table with these columns; ! marks a required one.
func tableOf(slug string, columns ...string) *Table {
	table := &Table{Slug: slug}
	for _, name := range columns {
		bare := strings.TrimSuffix(name, "!")
		kind := "text"
		switch {
		case strings.HasPrefix(bare, "is_"):
			kind = "boolean"
		case strings.HasSuffix(bare, "_at"):
			kind = "datetime"
		case strings.HasSuffix(bare, "total"), strings.HasSuffix(bare, "_days"):
			kind = "number"
		}
		table.Columns = append(table.Columns, Column{Name: bare, Type: kind, Accepted: true, Required: bare != name})
	}
	table.Columns = append(table.Columns, Column{Name: "created_at", Type: "datetime"})
	return table
}

var orders = tableOf("orders", "external_id!", "order_number", "ordered_at!", "status", "customer_email", "total",
	"subtotal",
	"tax_total", "shipping_total", "is_test", "note", "tags", "lead_time_days", "received_at")

func TestMapping(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, from, to, how string
		overrides           []Override
		besides             []string
	}{
		{name: "its name", from: "order_number", to: "order_number", how: Exact},
		{name: "case, space and dash", from: "Order-NUMBER", to: "order_number", how: Exact},
		{name: "a hump", from: "orderNumber", to: "order_number", how: Exact},
		{name: "brackets", from: "Lead time (days)", to: "lead_time_days", how: Exact},
		{name: "an abbreviation", from: "Order No.", to: "order_number", how: Similar},
		{name: "another order of words", from: "Email Customer", to: "customer_email", how: Similar},
		{name: "a dash in a word", from: "Customer E-Mail", to: "customer_email", how: Exact},
		{name: "the table's noun", from: "Order Status", to: "status", how: Similar},
		{name: "a plural", from: "Notes", to: "note", how: Similar},
		{name: "a slip", from: "custmer_email", to: "customer_email", how: Similar},
		{name: "swapped letters", from: "shippign_total", to: "shipping_total", how: Similar},
		{name: "told", from: "X7", to: "total", how: Named, overrides: []Override{{From: "X7", To: "total"}}},
		{name: "told against its name", from: "total", to: "subtotal", how: Named,
			overrides: []Override{{From: "total", To: "subtotal"}}},
		{name: "told to be dropped", from: "total", how: Dropped, overrides: []Override{{From: "total"}}},
		{name: "a stranger", from: "Shoe Size", how: Dropped},
		{name: "one that is not accepted", from: "created_at", how: Dropped},
		{name: "another word", from: "received_by", how: Dropped},
		{name: "part of a name", from: "grand total", how: Dropped},
		{name: "another number", from: "note2", how: Dropped},
		{name: "a note", from: "_error", how: Dropped},
		{name: "its exact name goes before a similar one", from: "Order Status", how: Dropped, besides: []string{"status"}},
		{name: "one of two that are alike", from: "Order Number", how: Dropped, besides: []string{"ORDER_NUMBER"}},
		{name: "the very name goes before one that is alike", from: "order_number", to: "order_number", how: Exact,
			besides: []string{"Order Number"}},
		{name: "one of two that are similar", from: "Notes", how: Dropped, besides: []string{"Order Note"}},
		{name: "a name that is there twice", from: "total", how: Dropped, besides: []string{"total"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := NewMapping(orders, append([]string{tt.from}, tt.besides...), tt.overrides)
			require.NoError(t, err)
			require.Equal(t, [3]string{tt.from, tt.to, tt.how}, [3]string{m.Pairs[0].From, m.Pairs[0].To, m.Pairs[0].How},
				m.Pairs[0].Why)
			require.Equal(t, tt.how == Dropped, m.Pairs[0].Why != "")
		})
	}
}

func TestMappingDoesNotGuess(t *testing.T) {
	t.Parallel()
	table := tableOf("x", "billing_street1", "billing_street", "delivery_date", "delivery_data")
	m, err := NewMapping(table, []string{"delivery_dat", "Billing Stret"}, nil)
	require.NoError(t, err)
	require.Equal(t, Dropped, m.Pairs[0].How)
	require.Contains(t, m.Pairs[0].Why, "it could be delivery_dat")
	require.ElementsMatch(t, []string{"delivery_date", "delivery_data"}, m.Pairs[0].Could)
	require.Equal(t, "billing_street", m.Pairs[1].To, "the digit tells them apart")
}

func TestMappingSaysWhoTookAColumn(t *testing.T) {
	t.Parallel()
	m, err := NewMapping(orders, []string{"Total", "Sum"}, []Override{{From: "Sum", To: "total"}})
	require.NoError(t, err)
	require.Equal(t, `total comes from "Sum"`, m.Pairs[0].Why)
}

func TestMappingOverridesAreChecked(t *testing.T) {
	t.Parallel()
	for says, override := range map[string]Override{
		"the file has no column":                                                  {To: "total"},
		`nope=total: the file has no column "nope"; it has a, b`:                  {From: "nope", To: "total"},
		`table orders takes no column "nope"; it takes external_id, order_number`: {From: "a", To: "nope"},
		`table orders takes no column "created_at"`:                               {From: "a", To: "created_at"},
		"note has no numbers and no days to read as decimal_comma":                {From: "a", To: "note", Form: "decimal_comma"},
		"total is read as decimal_point or decimal_comma, not as day_first":       {From: "a", To: "total", Form: "day_first"},
		"ordered_at is read as day_first or month_first, not as year_first":       {From: "a", To: "ordered_at", Form: "year_first"},
		"a value and what replaces it are JSON":                                   {From: "a", To: "note", Values: []Replacement{{`"x"`, "x"}}},
		"has no numbers":                                                          {From: "a", Form: "decimal_comma"},
	} {
		_, err := NewMapping(orders, []string{"a", "b"}, []Override{override})
		require.ErrorContains(t, err, says)
		require.True(t, fault.HasCode(err, Misused))
	}
	_, err := NewMapping(orders, []string{"a", "b"}, []Override{{From: "a", To: "total"}, {From: "b", To: "total"}})
	require.ErrorContains(t, err, `sends both "a" and "b" to total`)
	_, err = NewMapping(orders, []string{"a", "a"}, []Override{{From: "a", To: "total"}})
	require.ErrorContains(t, err, `several columns of the file are called "a"`)
}

func TestMappingApplies(t *testing.T) {
	t.Parallel()
	m, err := NewMapping(orders, []string{"External ID", "Shoe Size", "_error", "is_test", "note"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"ordered_at"}, m.Missing())
	m.ReadBooleans()
	fields := m.Apply(&Record{Fields: []Field{
		{"External ID", quoted("7")}, {"Shoe Size", quoted("43")}, {"_error", quoted("x")}, {"is_test", quoted("TRUE")},
		{"note", quoted("TRUE")},
	}})
	require.Equal(t, `{"external_id":"7","is_test":true,"note":"TRUE"}`, string(Object(fields)))
	require.Equal(t, "7", KeyOf(fields, []string{"external_id"}, nil))
	require.Empty(t, KeyOf(nil, []string{"external_id"}, nil))

	// A name that appears later in a stream matches exactly or not at all.
	pair, isNew := m.Learn("Order Number")
	require.True(t, isNew)
	require.Equal(t, "order_number", pair.To)
	pair, _ = m.Learn("order_number")
	require.Empty(t, pair.To, "the column has its source")
	pair, _ = m.Learn("Customer Mail")
	require.Empty(t, pair.To)
	_, isNew = m.Learn("Customer Mail")
	require.False(t, isNew)
	require.Empty(t, m.Apply(&Record{Fields: []Field{{"_note", quoted("x")}}}))
}

// TestKeysOfOneRow: rows of a file that are one row of the table have one key, so that the last of them is stored last.
func TestKeysOfOneRow(t *testing.T) {
	t.Parallel()
	of := func(pairs ...string) (fields []Field) {
		for i := 0; i < len(pairs); i += 2 {
			fields = append(fields, Field{Name: pairs[i], Value: jsontext.Value(pairs[i+1])})
		}
		return fields
	}
	identity, merged := []string{"external_id", "sku"}, map[string]string{"T1": "P-T1"}
	for name, tt := range map[string]struct {
		fields []Field
		want   string
	}{
		"an id":                    {of("external_id", `"A1"`, "sku", `"B"`), "A1"},
		"a SKU that is that id":    {of("sku", `"A1"`), "A1"},
		"a blank id":               {of("external_id", `"  "`, "sku", `"A1"`), "A1"},
		"no id":                    {of("external_id", `null`, "sku", `"A1"`), "A1"},
		"with white space":         {of("external_id", `" A1 "`), "A1"},
		"another spelling in JSON": {of("external_id", `"\u0041\u0031"`), "A1"},
		"a number":                 {of("external_id", `7`), "7"},
		"a SKU that was merged":    {of("sku", `"T1"`), "P-T1"},
		"an id like a merged SKU":  {of("external_id", `"T1"`), "T1"},
		"neither":                  {of("name", `"x"`), ""},
	} {
		require.Equal(t, tt.want, KeyOf(tt.fields, identity, merged), name)
	}
}
