package demo

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/shop"
)

// TestCatalogue compares the catalogue with a shop that has sold for longer.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	suppliers, articles := Catalogue()
	made := newFull(shop.Make(shop.Options{Seed: Seed, Today: time.Now(), Articles: articlesPerScale,
		Suppliers: suppliersPerScale, Days: 60, Lines: 1000}))
	own := len(articles) - articlesPerScale
	require.Equal(t, "TEA-EGR-50", articles[0].SKU)
	for i, p := range made.products {
		require.Equal(t, Article{p.sku, p.title()}, articles[own+i])
	}
	for i, s := range made.Suppliers {
		require.Equal(t, Supplier{s.Name, s.Currency}, suppliers[len(suppliers)-suppliersPerScale+i])
	}
}
