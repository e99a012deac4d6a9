package demo

import (
	"time"

	"github.com/quayside/quayside/internal/shop"
)

// Supplier is a supplier of the demo, by name.
type Supplier struct{ Name, Currency string }

// Article is an article of the demo.
type Article struct{ SKU, Name string }

// Catalogue returns the demo's suppliers and articles at scale 1, for systems that trade in the same goods.
func Catalogue() (suppliers []Supplier, articles []Article) {
	own := readSuppliers()
	for _, s := range own {
		suppliers = append(suppliers, Supplier{s.name, s.currency})
	}
	for _, p := range readProducts(own) {
		articles = append(articles, Article{p.sku, p.title()})
	}
	// Names do not depend on how long the shop has sold, so a short time is enough.
	made := newFull(shop.Make(shop.Options{Seed: Seed, Today: time.Now(), Articles: articlesPerScale,
		Suppliers: suppliersPerScale, Days: 30, Lines: 1}))
	for _, s := range made.Suppliers {
		suppliers = append(suppliers, Supplier{s.Name, s.Currency})
	}
	for _, p := range made.products {
		articles = append(articles, Article{p.sku, p.title()})
	}
	return suppliers, articles
}
