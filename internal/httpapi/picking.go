package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

type (
	articleJSON struct {
		ID           string  `json:"id"`
		SKU          string  `json:"sku"`
		Name         string  `json:"name"`
		SupplierID   string  `json:"supplier_id,omitempty" doc:"Whom it usually comes from."`
		SupplierName string  `json:"supplier_name,omitempty"`
		UnitCost     *string `json:"unit_cost,omitempty" doc:"What one cost last, as far as it is known."`
		Currency     string  `json:"currency,omitempty" doc:"Of the cost."`
	}
	supplierJSON struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Currency string `json:"currency,omitempty"`
	}
	// Searched is an operation that looks for words.
	Searched struct {
		Text string `query:"text" maxLength:"200" doc:"Any part of it; empty: the first ones."`
	}
	// orderFile is an order to be printed or sent.
	orderFile struct {
		ContentType        string `header:"Content-Type"`
		ContentDisposition string `header:"Content-Disposition" doc:"An attachment, with the file's name."`
		CacheControl       string `header:"Cache-Control"`
		Body               []byte `contentType:"application/pdf"`
	}
)

// pickingOperations find what an order is made of, and put it on paper.
func (s *Server) pickingOperations(a *appAPI) {
	register(a, operation{
		id: "searchProducts", method: http.MethodGet, path: "workspaces/{workspace}/purchasable-products", tag: purchaseTag, needs: auth.Read,
		summary: "Products to order, by SKU or name", about: "At most 20; those whose SKU begins with the words come first. What is archived or has no SKU is left out.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Searched
	}) (*body[list[articleJSON]], error) {
		found, err := s.Purchase.FindArticles(ctx, by(ctx).Principal, in.Text)
		var items []articleJSON
		for _, one := range found {
			items = append(items, toArticleJSON(one))
		}
		return listed(items, false, func(articleJSON) uuid.UUID { return uuid.Nil }), err
	})
	register(a, operation{
		id: "searchSuppliers", method: http.MethodGet, path: "workspaces/{workspace}/purchase-suppliers", tag: purchaseTag, needs: auth.Read,
		summary: "Suppliers to order from, by name", about: "At most 20. Those that are not active are left out.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Searched
	}) (*body[list[supplierJSON]], error) {
		found, err := s.Purchase.FindSuppliers(ctx, by(ctx).Principal, in.Text)
		var items []supplierJSON
		for _, one := range found {
			items = append(items, supplierJSON(one))
		}
		return listed(items, false, func(supplierJSON) uuid.UUID { return uuid.Nil }), err
	})
	register(a, operation{
		id: "getPurchaseOrderPdf", method: http.MethodGet, path: "workspaces/{workspace}/purchase-orders/{order}/pdf", tag: purchaseTag, needs: auth.Read,
		summary: "An order as a PDF for its supplier", about: "Without what is cancelled. Lines that nobody approved are there, and a sentence says so.",
	}, func(ctx context.Context, in *OneOrder) (*orderFile, error) {
		file, err := s.Purchase.Sheet(ctx, by(ctx).Principal, in.Order, time.Now())
		if err != nil {
			return nil, err
		}
		return &orderFile{
			ContentType: "application/pdf", ContentDisposition: `attachment; filename="` + fileName(in.Order) + `.pdf"`, CacheControl: "no-store", Body: file,
		}, nil
	})
}

func toArticleJSON(a purchase.Article) articleJSON {
	out := articleJSON{ID: a.ID, SKU: a.SKU, Name: a.Name, SupplierID: a.SupplierID, SupplierName: a.SupplierName, Currency: a.Currency}
	if a.Cost != nil {
		cost := a.Cost.String()
		out.UnitCost = &cost
	}
	return out
}

// fileName is an order's number as every system can name a file.
func fileName(order string) string {
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, order)
	return "purchase-order-" + name
}
