package purchase

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

// Article is what may be ordered, with from whom and for how much as far as that is known.
type Article struct {
	ID, SKU, Name            string
	SupplierID, SupplierName string
	Cost                     *decimal.Decimal
	Currency                 string
	OnItsWay                 []OnItsWay // its open lines
}

// Supplier is whom to order from.
type Supplier struct {
	ID, Name, Currency string
}

// mostFound is how many a picker offers.
const mostFound = 20

// FindArticles returns articles with these words in SKU or name, what is archived left out.
func (s *Service) FindArticles(ctx context.Context, by auth.Principal, text string) (articles []Article, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		found, err := queries.SearchProducts(ctx,
			q.SearchProductsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Words: searched(text), Most: mostFound})
		if err != nil {
			return err
		}
		var keys []article
		for _, one := range found {
			keys = append(keys, article{one.Sku, one.ID})
		}
		open, err := onItsWay(ctx, queries, by, keys)
		for i, one := range found {
			articles = append(articles, Article{
				ID: one.ID, SKU: one.Sku, Name: one.Name, SupplierID: one.SupplierID, SupplierName: one.SupplierName,
				Cost: one.UnitCost, Currency: one.Currency, OnItsWay: open[keys[i]],
			})
		}
		return err
	})
	return articles, err
}

// FindSuppliers returns suppliers with these words in their name, those that are not
// active left out.
func (s *Service) FindSuppliers(ctx context.Context, by auth.Principal, text string) (suppliers []Supplier, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		found, err := q.New(tx).SearchSuppliers(ctx,
			q.SearchSuppliersParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Words: searched(text), Most: mostFound})
		for _, one := range found {
			suppliers = append(suppliers, Supplier(one))
		}
		return err
	})
	return suppliers, err
}

// searched is a text that PostgreSQL takes.
func searched(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\x00", "")) }
