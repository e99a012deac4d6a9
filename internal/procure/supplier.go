package procure

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// Supplier is a supplier as one orders from it.
type Supplier struct {
	ID, Name, Contact, Email, Phone, Note string
	Currency                              string
	MinOrderValue, FreeShippingValue      *decimal.Decimal // nil: none
	PaymentDays                           *decimal.Decimal
	LeadDays                              *int // of articles without a lead time of their own; nil: not known
	LeadSource                            LeadSource
}

// Supplier returns a supplier of the caller's workspace.
func (s *Service) Supplier(ctx context.Context, by auth.Principal, id string) (supplier Supplier, err error) {
	if err := by.Require(auth.Read); err != nil {
		return supplier, err
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		supplier, err = getSupplier(ctx, q.New(tx), by, id)
		return err
	})
	return supplier, err
}

func getSupplier(ctx context.Context, queries *q.Queries, by auth.Principal, id string) (Supplier, error) {
	r, err := queries.GetOrderSupplier(ctx,
		q.GetOrderSupplierParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return Supplier{}, fault.New(fault.NotFound, "unknown_supplier", "there is no such supplier")
	}
	supplier := Supplier{ID: r.ID, Name: r.Name, Contact: text(r.ContactName), Email: text(r.Email), Phone: text(r.Phone),
		Note: text(r.Note), Currency: text(r.Currency), MinOrderValue: r.MinOrderValue, FreeShippingValue: r.FreeShippingValue,
		PaymentDays: r.PaymentTermsDays, LeadSource: LeadSource(r.LeadTimeSource)}
	if r.LeadTimeDays >= 0 {
		supplier.LeadDays = new(int(r.LeadTimeDays))
	}
	return supplier, err
}

// SupplierFilter says which articles of a supplier are wanted. Empty fields do not restrict.
type SupplierFilter struct {
	Supplier string
	Search   string   // a part of the name, the variant or one of the SKUs
	Codes    []string // SKUs, the supplier's SKUs or ids
	After    string   // the cursor of the page before
	Most     int
}

// SupplierArticle is an article that can be ordered from a supplier.
type SupplierArticle struct {
	Product, SKU, Name, Variant, SupplierSKU string
	Minimum, Multiple, Price                 *decimal.Decimal
	Currency                                 string
	OnItsWay                                 []purchase.OnItsWay
	// Row is what the queue says. It is nil if the article is not tracked or not to be reordered, and before
	// the queue was first computed.
	Row *Recommendation
}

// Articles returns a page of a supplier's articles, also of those that ask for nothing: first what the
// queue suggests, the most urgent first. The cursor of the next page is empty after the last.
func (s *Service) Articles(ctx context.Context, by auth.Principal, f SupplierFilter) (
	articles []SupplierArticle, next string, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, "", err
	}
	if f.Most <= 0 || f.Most > MostListed {
		f.Most = MostListed
	}
	of := q.ListSupplierArticlesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, SupplierID: f.Supplier,
		Search: containing(f.Search), Most: int32(f.Most) + 1} //nolint:gosec // bounded
	for _, code := range f.Codes {
		of.Codes = append(of.Codes, strings.ToLower(strings.TrimSpace(code)))
	}
	if of.AfterPlace, of.AfterMargin, of.AfterProduct, err = readCursor(f.After); err != nil {
		return nil, "", err
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if _, err := getSupplier(ctx, queries, by, f.Supplier); err != nil {
			return err
		}
		found, err := queries.ListSupplierArticles(ctx, of)
		if err != nil {
			return err
		}
		if len(found) > f.Most {
			found = found[:f.Most]
			last := found[f.Most-1]
			next = newCursor(last.Place, last.MarginAtRisk, last.ID)
		}
		articles, err = describe(ctx, queries, by, found)
		return err
	})
	return articles, next, err
}

// describe adds what is on its way, and what the queue says.
func describe(ctx context.Context, queries *q.Queries, by auth.Principal, found []q.ListSupplierArticlesRow) (
	[]SupplierArticle, error) {
	skus, products := []string{}, []string{}
	for _, one := range found {
		skus, products = append(skus, one.Sku), append(products, one.ID)
	}
	open, err := purchase.OpenLines(ctx, queries, by, skus, products)
	if err != nil {
		return nil, err
	}
	rows, err := list(ctx, queries, by, q.ListQueueParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Products: products,
		Most: MostListed})
	byProduct := map[string]*Recommendation{}
	for i := range rows {
		byProduct[rows[i].Product] = &rows[i]
	}
	articles := make([]SupplierArticle, len(found))
	for i, one := range found {
		articles[i] = SupplierArticle{Product: one.ID, SKU: one.Sku, Name: one.Name, Variant: text(one.VariantName),
			SupplierSKU: text(one.SupplierSku), Minimum: one.Moq, Multiple: one.OrderMultiple, Price: one.UnitCost,
			Currency: one.Currency, OnItsWay: open[i], Row: byProduct[one.ID]}
	}
	return articles, err
}
