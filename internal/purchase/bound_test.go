package purchase

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/pg/q"
)

// TestTypedNumbers reads numbers as people and agents write them, and refuses those beyond the bound by its name.
func TestTypedNumbers(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"0", "12", "12.5", "007", "0.000001", "999999999999.999999", "1000000000000", "1000000000000.000000"} {
		n, err := number("quantity_ordered", sent)
		require.NoError(t, err, sent)
		require.True(t, n.Equal(decimal.RequireFromString(sent)), sent)
	}
	for _, tt := range []struct{ sent, code, message string }{
		{"1000000000000.000001", "range", "1000000000000.000001 is too much; give at most 1000000000000"},
		{"123456789012345678901234567890", "range", "123456789012345678901234567890 is too much; give at most 1000000000000"},
		{"1e308", "number", "give a number such as 12 or 12.5, with at most 6 digits after the point"},
		{"-1", "number", ""}, {"", "number", ""}, {"1,5", "number", ""}, {"1.", "number", ""}, {"0.0000001", "number", ""},
		{"Infinity", "number", ""}, {"1234567890123456789012345678901", "number", ""},
	} {
		_, err := number("quantity_ordered", tt.sent)
		refusal := fault.Refusal(err)
		require.NotNil(t, refusal, tt.sent)
		require.Equal(t, tt.code, refusal.Code, tt.sent)
		require.Contains(t, refusal.Message, tt.message)
	}
}

// TestPlausibleLines refuses changes to beyond the bound, and leaves a line alone that is beyond it already.
func TestPlausibleLines(t *testing.T) {
	t.Parallel()
	line := func(ordered, received, price string) row {
		r := row{WorkspacePurchaseOrderLine: q.WorkspacePurchaseOrderLine{
			QuantityOrdered: decimal.RequireFromString(ordered), QuantityReceived: decimal.RequireFromString(received)}}
		if price != "" {
			amount := decimal.RequireFromString(price)
			r.PricePerUnit = &amount
		}
		return r
	}
	for _, tt := range []struct {
		name          string
		before, after row
		field         string // that is refused
	}{
		{"a new line", row{}, line("1000000000000", "0", "1000000000000"), ""},
		{"a new line of too many", row{}, line("1000000000001", "0", ""), "quantity_ordered"},
		{"a price", line("1", "0", ""), line("1", "0", "1e13"), "price_per_unit"},
		{"another price", line("1", "0", "5"), line("1", "0", "1e13"), "price_per_unit"},
		{"the sum of receipts", line("1000000000000", "600000000000", ""), line("1000000000000", "1200000000000", ""), "quantity_received"},
		{"beyond it already", line("1e20", "0", "1e20"), line("1e20", "1", "1e20"), ""},
		{"beyond it already, in other digits", line("1e20", "0", "1e20"), line("100000000000000000000", "0", "1e20"), ""},
		{"less, but still beyond it", line("1e20", "0", ""), line("1e19", "0", ""), "quantity_ordered"},
		{"back within it", line("1e20", "0", "1e20"), line("7", "0", ""), ""},
	} {
		err := bounded(tt.before, tt.after)
		if tt.field == "" {
			require.NoError(t, err, tt.name)
			continue
		}
		require.True(t, fault.HasCode(err, "range"), tt.name)
		require.Equal(t, tt.field, fault.Refusal(err).Fields[0].Field, tt.name)
	}
}

// TestOneBound compares the bound with that of the registry: what systems send and what people type is refused beyond the
// same one.
func TestOneBound(t *testing.T) {
	t.Parallel()
	var registered []decimal.Decimal
	require.NoError(t, pgtest.New(t).Admin(t).QueryRow(t.Context(), `SELECT array_agg(maximum) FROM workspace.registry_columns
		WHERE slug = $1 AND type = 'number'`, slug).Scan(&registered))
	require.Len(t, registered, 3)
	for _, bound := range registered {
		require.True(t, largest.Equal(bound), bound)
	}
}
