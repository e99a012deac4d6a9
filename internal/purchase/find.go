package purchase

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

// Article is something that can be ordered, with its usual supplier and price if they are
// known.
type Article struct {
	ID, SKU, Name            string
	SupplierID, SupplierName string
	Cost                     *decimal.Decimal
	Currency                 string
	OnItsWay                 []OnItsWay // its open lines
}

// Supplier is one that can be ordered from.
type Supplier struct {
	ID, Name, Currency string
}

// mostFound is how many matches a picker offers.
const mostFound = 20

// FindArticles returns articles with these words in SKU or name. Archived articles are left
// out.
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
		open, _, err := onItsWay(ctx, queries, by, keys)
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

// FindSuppliers returns suppliers with these words in their name. Inactive suppliers are left
// out.
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

// searched removes zero bytes, which PostgreSQL does not accept in text.
func searched(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\x00", "")) }
