package sheet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSynonymsAreOfOneColumn checks that no synonym means two columns of a table.
func TestSynonymsAreOfOneColumn(t *testing.T) {
	t.Parallel()
	common := map[string]string{}
	meant := map[[2]string]string{}
	columns := map[[2]string]bool{}
	for _, one := range Synonyms() {
		require.NotEmpty(t, Folded(one.Name), one)
		columns[[2]string{one.Table, one.Column}] = true
		for _, name := range []string{Folded(one.Name), Folded(umlauts.Replace(one.Name))} {
			if other, twice := meant[[2]string{one.Table, name}]; twice {
				require.Equal(t, other, one.Column, "%s: %q", one.Table, one.Name)
			}
			meant[[2]string{one.Table, name}] = one.Column
			if one.Table == "*" {
				common[name] = one.Column
			}
		}
	}
	for _, one := range Synonyms() {
		if column, shared := common[Folded(one.Name)]; shared {
			require.Equal(t, column, one.Column, "%s: %q is already a name of %s", one.Table, one.Name, column)
		}
		for key := range columns {
			own := key[0] == one.Table && key[1] != one.Column
			require.False(t, own && sameName(one.Name, key[1]), "%s: %q is the name of another column", one.Table, one.Name)
		}
	}
	require.Greater(t, len(meant), 900)
}

func TestKnownNames(t *testing.T) {
	t.Parallel()
	products := tableOf("products", "external_id", "sku", "name", "price", "unit_cost", "status", "note", "currency", "stock_on_hand",
		"supplier_id", "lead_time_days", "moq")
	for _, tt := range []struct {
		from, to, how string
		besides       []string
	}{
		{from: "Artikelnummer", to: "sku", how: Known},
		{from: "ARTIKEL-NR.", to: "sku", how: Known},
		{from: "Código de artículo", to: "sku", how: Known},
		{from: "codigo de articulo", to: "sku", how: Known},
		{from: "Währung", to: "currency", how: Known},
		{from: "Waehrung", to: "currency", how: Known},
		{from: "Prix d’achat", to: "unit_cost", how: Known},
		{from: "Levertijd", to: "lead_time_days", how: Known},
		{from: "Giacenza", to: "stock_on_hand", how: Known},
		{from: "sku", to: "sku", how: Exact, besides: []string{"Artikelnummer"}},
		{from: "Artikelnummer", how: Dropped, besides: []string{"SKU"}},
		{from: "Artikelnummer", how: Dropped, besides: []string{"Art.-Nr."}},
		{from: "Schuhgröße", how: Dropped},
	} {
		m, err := NewMapping(products, append([]string{tt.from}, tt.besides...), nil)
		require.NoError(t, err)
		require.Equal(t, [2]string{tt.to, tt.how}, [2]string{m.Pairs[0].To, m.Pairs[0].How}, "%s: %s", tt.from, m.Pairs[0].Why)
	}
	m, err := NewMapping(products, []string{"Artikelnummer", "sku"}, nil)
	require.NoError(t, err)
	require.Equal(t, `sku comes from "sku"`, m.Pairs[0].Why)
	m, err = NewMapping(tableOf("shoes", "sku", "currency"), []string{"Artikelnummer", "Währung"}, nil)
	require.NoError(t, err)
	require.True(t, m.Empty(), "a company's own table has its own words")
}
