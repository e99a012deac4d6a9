package httpapi

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

type (
	orderSupplierTermsJSON struct {
		ID                string  `json:"id"`
		Name              string  `json:"name"`
		ContactName       string  `json:"contact_name,omitempty"`
		Email             string  `json:"email,omitempty"`
		Phone             string  `json:"phone,omitempty"`
		Currency          string  `json:"currency,omitempty"`
		MinOrderValue     *string `json:"min_order_value,omitempty"`
		FreeShippingValue *string `json:"free_shipping_value,omitempty" doc:"From this value on the supplier ships free."`
		PaymentDays       *string `json:"payment_terms_days,omitempty"`
		LeadDays          *int    `json:"lead_time_days,omitempty" doc:"The days that the queue expects for articles without a lead time of their own."`
		LeadSource        string  `json:"lead_time_source,omitempty" enum:"supplier_learnt,supplier,default"`
		Note              string  `json:"note,omitempty"`
	}
	orderableArticleJSON struct {
		ProductID      string              `json:"product_id"`
		SKU            string              `json:"sku"`
		SupplierSKU    string              `json:"supplier_sku,omitempty"`
		Name           string              `json:"name"`
		VariantName    string              `json:"variant_name,omitempty"`
		Minimum        *string             `json:"minimum,omitempty" doc:"The least that can be ordered."`
		Multiple       *string             `json:"multiple,omitempty" doc:"Orders are multiples of it."`
		UnitPrice      *string             `json:"unit_price,omitempty" doc:"The last known cost of one unit."`
		Currency       string              `json:"currency,omitempty" doc:"The currency of the price."`
		OnItsWay       []onItsWayJSON      `json:"on_its_way" doc:"The article's open lines in this workspace, at most 20."`
		OnItsWayWords  string              `json:"on_its_way_words,omitempty" example:"12 overdue on PO-3131, 5 drafted on PO-3140" doc:"The same in words."`
		Recommendation *recommendationJSON `json:"recommendation,omitempty" doc:"What the queue says, also if it asks for nothing. Absent if the article is not tracked or not to be reordered, and before the queue was first computed."`
	}
	orderableArticlesJSON struct {
		Items []orderableArticleJSON `json:"items"`
		Next  string                 `json:"next_cursor,omitempty" doc:"Absent on the last page."`
	}
)

// orderGridOperations show what can be ordered from a supplier.
func (s *Server) orderGridOperations(a *appAPI) {
	const path = "workspaces/{workspace}/procurement/suppliers/{supplier}"
	register(a, operation{
		id: "getOrderSupplier", method: http.MethodGet, path: path, tag: procurementTag, needs: auth.Read,
		summary: "Get a supplier's contact and terms",
	}, func(ctx context.Context, in *OneSupplier) (*body[orderSupplierTermsJSON], error) {
		found, err := s.Procure.Supplier(ctx, by(ctx).Principal, in.Supplier)
		return &body[orderSupplierTermsJSON]{toSupplierTerms(found)}, err
	})
	register(a, operation{
		id: "listOrderableArticles", method: http.MethodGet, path: path + "/articles", tag: procurementTag, needs: auth.Read,
		summary: "What can be ordered from a supplier, and what the queue says of it",
		about:   "What the queue suggests comes first, the most urgent first, then all other articles: blocked, drafted, put off, and those that ask for nothing. Archived articles and articles without a SKU are left out.",
	}, func(ctx context.Context, in *struct {
		OneSupplier
		Text   string   `query:"text" maxLength:"200" doc:"Text in the name, the variant, the SKU or the supplier's SKU."`
		Codes  []string `query:"code,explode" maxItems:"200" doc:"Only articles with one of these SKUs, supplier's SKUs or ids, whatever their case."`
		Cursor string   `query:"cursor" maxLength:"200" doc:"next_cursor of the page before."`
		Limit  int      `query:"limit" minimum:"1" maximum:"200" default:"100"`
	}) (*body[orderableArticlesJSON], error) {
		found, next, err := s.Procure.Articles(ctx, by(ctx).Principal,
			procure.SupplierFilter{Supplier: in.Supplier, Search: in.Text, Codes: in.Codes, After: in.Cursor, Most: in.Limit})
		page := orderableArticlesJSON{Items: []orderableArticleJSON{}, Next: next}
		for _, one := range found {
			page.Items = append(page.Items, toOrderable(one))
		}
		return &body[orderableArticlesJSON]{page}, err
	})
}

func toSupplierTerms(s procure.Supplier) orderSupplierTermsJSON {
	return orderSupplierTermsJSON{ID: s.ID, Name: s.Name, ContactName: s.Contact, Email: s.Email, Phone: s.Phone, Currency: s.Currency,
		MinOrderValue: decimalText(s.MinOrderValue), FreeShippingValue: decimalText(s.FreeShippingValue),
		PaymentDays: decimalText(s.PaymentDays), LeadDays: s.LeadDays, LeadSource: string(s.LeadSource), Note: s.Note}
}

func toOrderable(a procure.SupplierArticle) orderableArticleJSON {
	out := orderableArticleJSON{ProductID: a.Product, SKU: a.SKU, SupplierSKU: a.SupplierSKU, Name: a.Name, VariantName: a.Variant,
		Minimum: decimalText(a.Minimum), Multiple: decimalText(a.Multiple), UnitPrice: decimalText(a.Price), Currency: a.Currency,
		OnItsWay: []onItsWayJSON{}, OnItsWayWords: purchase.Underway(a.OnItsWay)}
	for _, one := range a.OnItsWay {
		out.OnItsWay = append(out.OnItsWay, onItsWayJSON(one))
	}
	if a.Row != nil {
		out.Recommendation = new(toRecommendation(*a.Row))
	}
	return out
}
