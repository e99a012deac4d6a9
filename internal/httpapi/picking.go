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
		SupplierID   string  `json:"supplier_id,omitempty" doc:"The usual supplier."`
		SupplierName string  `json:"supplier_name,omitempty"`
		UnitCost     *string `json:"unit_cost,omitempty" doc:"The last known cost of one unit."`
		Currency     string  `json:"currency,omitempty" doc:"The currency of the cost."`

		OnItsWay      []onItsWayJSON `json:"on_its_way" doc:"The article's open lines in this workspace, at most 20."`
		OnItsWayWords string         `json:"on_its_way_words,omitempty" example:"12 overdue on PO-3131, 5 drafted on PO-3140" doc:"The same in words. Absent if nothing is on its way."`
	}
	onItsWayJSON struct {
		SKU      string          `json:"sku"`
		OrderNo  string          `json:"order_no,omitempty" doc:"Absent if it is another line of the same call."`
		LineID   string          `json:"line_id,omitempty"`
		Status   purchase.Status `json:"status" enum:"draft,pending_approval,ordered,partially_received"`
		Quantity string          `json:"quantity" doc:"The quantity that is still expected."`
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
		Text string `query:"text" maxLength:"200" doc:"Text to search for. Empty returns the first results."`
	}
	orderSupplierJSON struct {
		ID    string `json:"id,omitempty" doc:"Absent if the lines have only a name."`
		Name  string `json:"name,omitempty" doc:"If both id and name are absent, the lines have no supplier."`
		Lines int64  `json:"lines"`
	}
)

// pickingOperations find articles and suppliers for an order.
func (s *Server) pickingOperations(a *appAPI) {
	register(a, operation{
		id: "searchProducts", method: http.MethodGet, path: "workspaces/{workspace}/purchasable-products", tag: purchaseTag,
		needs:   auth.Read,
		summary: "Find products to order by SKU or name",
		about:   "Returns at most 20 products. Those whose SKU begins with the text come first. Archived products and products without a SKU are left out.",
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
		summary: "Find suppliers to order from by name", about: "Returns at most 20 suppliers. Inactive ones are left out.",
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

// printOperations print an order.
func (s *Server) printOperations(a *appAPI) {
	register(a, operation{
		id: "listPurchaseOrderSuppliers", method: http.MethodGet,
		path: "workspaces/{workspace}/purchase-orders/{order}/suppliers", tag: purchaseTag, needs: auth.Read,
		summary: "List the suppliers of an order",
		about:   "Cancelled lines do not count. A line with only a supplier's name belongs to the supplier of that name. Lines without a supplier come last, as an entry without id and name.",
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
		summary: "Print an order as a PDF for its supplier",
		about: "Cancelled lines are left out, and lines that are not approved are marked. An order with several suppliers is printed for one supplier at a time: " +
			"without a supplier the answer is 409 (several_suppliers), with the suppliers in details. If the connection breaks, the file is incomplete.",
	}, func(ctx context.Context, in *struct {
		OneOrder
		Supplier        string `query:"supplier" maxLength:"1000" doc:"The supplier's id, or the name for lines that have only a name."`
		WithoutSupplier bool   `query:"without_supplier" doc:"Print the lines without a supplier."`
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

// fileName turns an order's number into a file name that every system accepts.
func fileName(order string) string {
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, order)
	return "purchase-order-" + name
}
