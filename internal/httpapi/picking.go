package httpapi

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
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

		OnItsWay      []onItsWayJSON `json:"on_its_way" doc:"Its open lines in this workspace, at most 20."`
		OnItsWayWords string         `json:"on_its_way_words,omitempty" example:"12 overdue on PO-3131, 5 drafted on PO-3140" doc:"The same in words; absent: nothing is."`
	}
	onItsWayJSON struct {
		SKU      string          `json:"sku"`
		OrderNo  string          `json:"order_no,omitempty" doc:"Absent: another line of the same call."`
		LineID   string          `json:"line_id,omitempty"`
		Status   purchase.Status `json:"status" enum:"draft,pending_approval,ordered,partially_received"`
		Quantity string          `json:"quantity" doc:"What is still to come."`
		Expected string          `json:"expected_arrival_date,omitempty" format:"date"`
		Overdue  bool            `json:"overdue,omitempty"`
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
	orderSupplierJSON struct {
		ID    string `json:"id,omitempty" doc:"Absent: the lines have only a name."`
		Name  string `json:"name,omitempty" doc:"Absent, and no id: the lines name no supplier."`
		Lines int64  `json:"lines"`
	}
)

// pickingOperations find what an order is made of.
func (s *Server) pickingOperations(a *appAPI) {
	register(a, operation{
		id: "searchProducts", method: http.MethodGet, path: "workspaces/{workspace}/purchasable-products", tag: purchaseTag,
		needs:   auth.Read,
		summary: "Products to order, by SKU or name",
		about:   "At most 20; those whose SKU begins with the words come first. What is archived or has no SKU is left out.",
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
		id: "searchSuppliers", method: http.MethodGet, path: "workspaces/{workspace}/purchase-suppliers", tag: purchaseTag,
		needs:   auth.Read,
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
	s.printOperations(a)
}

// printOperations put an order on paper.
func (s *Server) printOperations(a *appAPI) {
	register(a, operation{
		id: "listPurchaseOrderSuppliers", method: http.MethodGet,
		path: "workspaces/{workspace}/purchase-orders/{order}/suppliers", tag: purchaseTag, needs: auth.Read,
		summary: "Whom an order goes to",
		about:   "Without what is cancelled. A line with only a name belongs to the supplier of that name. Lines without a supplier come last, as an entry without id and name.",
	}, func(ctx context.Context, in *OneOrder) (*body[list[orderSupplierJSON]], error) {
		found, err := s.Purchase.OrderSuppliers(ctx, by(ctx).Principal, in.Order)
		var items []orderSupplierJSON
		for _, one := range found {
			items = append(items, orderSupplierJSON(one))
		}
		return listed(items, false, func(orderSupplierJSON) uuid.UUID { return uuid.Nil }), err
	})
	const id, path = "getPurchaseOrderPdf", "workspaces/{workspace}/purchase-orders/{order}/pdf"
	register(a, operation{
		id: id, method: http.MethodGet, path: path, tag: purchaseTag, needs: auth.Read,
		summary: "An order as a PDF for its supplier",
		about: "Without what is cancelled. Lines that nobody approved are there, and a sentence says so. An order that goes to several suppliers is printed for one of them at a time: " +
			"without one it is refused (409, several_suppliers), with the suppliers in details. A file whose connection breaks is not whole.",
	}, func(ctx context.Context, in *struct {
		OneOrder
		Supplier        string `query:"supplier" maxLength:"1000" doc:"A supplier's id or, for lines that have only a name, the name."`
		WithoutSupplier bool   `query:"without_supplier" doc:"The lines that name no supplier."`
	}) (*huma.StreamResponse, error) {
		want := purchase.Print{OrderNo: in.Order, Supplier: in.Supplier, WithoutSupplier: in.WithoutSupplier}
		sheet, err := s.Purchase.Sheet(ctx, by(ctx).Principal, want, time.Now())
		if err != nil {
			return nil, err
		}
		name := in.Order
		if in.Supplier != "" {
			name += "-" + sheet.Supplier
		}
		return s.file(ctx, id, fileName(name)+".pdf", "application/pdf",
			func(w io.Writer) error { return sheet.WritePDF(ctx, w) }), nil
	})
	a.answersFile(path, "application/pdf")
}

func toArticleJSON(a purchase.Article) articleJSON {
	out := articleJSON{
		ID: a.ID, SKU: a.SKU, Name: a.Name, SupplierID: a.SupplierID, SupplierName: a.SupplierName, Currency: a.Currency,
		OnItsWay: []onItsWayJSON{}, OnItsWayWords: purchase.Underway(a.OnItsWay),
	}
	for _, one := range a.OnItsWay {
		out.OnItsWay = append(out.OnItsWay, onItsWayJSON(one))
	}
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
