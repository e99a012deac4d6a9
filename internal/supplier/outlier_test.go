package supplier

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
)

// TestOutlier stores lines that cannot be true beside others: no figure has them, and each says so.
func TestOutlier(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	const outlier = "98765431211434745.89"
	st.line("PO-1", "A", "ordered", 10, 0, "2", "EUR", "2026-04-01", "2026-03-01", "")
	st.line("PO-1", "B", "ordered", 10, 0, outlier, "EUR", "2026-04-01", "2026-03-01", "")
	st.line("PO-2", "A", "received", 10, 10, "2", "EUR", "", "2026-02-01", "2026-02-20")
	st.line("PO-2", "B", "received", 10, 10, outlier, "EUR", "", "2026-02-01", "2026-02-20")
	st.insert("products", "external_id, sku, name, supplier_id, stock_available", fmt.Sprintf("'p', 'P', 'Pot', '%s', 1e308", st.id))
	by := st.by(auth.Buyer)
	o, err := st.s.Get(t.Context(), by, st.id)
	require.NoError(t, err)
	require.EqualValues(t, 2, o.Open.Lines)
	require.EqualValues(t, 1, o.Open.LeftOut)
	require.Equal(t, "[{20 EUR}]", fmt.Sprint(o.Open.Value))
	require.EqualValues(t, 4, o.Bought.Lines)
	require.EqualValues(t, 2, o.Bought.LeftOut)
	require.Equal(t, "[{40 EUR}]", fmt.Sprint(o.Bought.Amounts))
	past, _, err := st.s.Orders(t.Context(), by, st.id, page.All)
	require.NoError(t, err)
	require.Len(t, past, 1)
	require.EqualValues(t, 1, past[0].LeftOut)
	require.Equal(t, "[{20 EUR}] [{20 EUR}]", fmt.Sprint(past[0].Total, past[0].Arrived))
	articles, _, err := st.s.Articles(t.Context(), by, st.id, page.All)
	require.NoError(t, err)
	require.Nil(t, articles[0].Available)
}
