package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/supplier"
)

type (
	openLineJSON struct {
		ID       string  `json:"id"`
		SKU      string  `json:"sku"`
		Product  string  `json:"product_id,omitempty" doc:"Absent if the line names no article."`
		Name     string  `json:"name,omitempty" doc:"Absent if the article is unknown."`
		Status   string  `json:"status" enum:"draft,pending_approval,ordered,partially_received"`
		Quantity string  `json:"quantity" doc:"What is still open."`
		Expected *string `json:"expected_arrival_date,omitempty" format:"date"`
		Late     bool    `json:"late" doc:"It was ordered, and its expected day has passed."`
	}
	openOrderJSON struct {
		OrderNo string         `json:"order_no"`
		Lines   int64          `json:"lines" doc:"Ordered, and not fully received."`
		Late    int64          `json:"late" doc:"Of these, lines whose expected day has passed."`
		Drafted int64          `json:"drafted" doc:"Lines that are drafts or wait for approval."`
		Next    *string        `json:"next,omitempty" format:"date" doc:"The first expected day of its lines, passed or not."`
		Value   []moneyJSON    `json:"value" doc:"What is still expected, by currency. Drafts and lines without a price are not in it."`
		List    []openLineJSON `json:"list" doc:"Its open lines by expected arrival; at most 50."`
	}
	supplierOpenJSON struct {
		Orders     int64           `json:"orders" doc:"With ordered lines."`
		Lines      int64           `json:"lines" doc:"Ordered, and not fully received."`
		Late       int64           `json:"late"`
		LateOrders int64           `json:"late_orders"`
		Drafted    int64           `json:"drafted"`
		Value      []moneyJSON     `json:"value" doc:"What is still expected, by currency."`
		LeftOut    int64           `json:"left_out" doc:"Lines that are in no amount, because their quantity or price is not plausible."`
		Next       *string         `json:"next,omitempty" format:"date" doc:"The next expected day that has not passed."`
		List       []openOrderJSON `json:"list" doc:"Those that are expected first, then drafts; at most 50."`
		Cut        bool            `json:"cut" doc:"There are more than 2,000 open lines; those that are expected last are in no figure."`
	}
	supplierToOrderJSON struct {
		AsOf     string      `json:"as_of" format:"date"`
		Articles int64       `json:"articles"`
		Critical int64       `json:"critical"`
		Cost     []moneyJSON `json:"cost" doc:"By currency. Articles without a price cost nothing here."`
		LeftOut  int64       `json:"left_out" doc:"Articles that are in no amount, because their cost is not plausible."`
	}
	boughtJSON struct {
		Amounts  []moneyJSON `json:"amounts" doc:"By currency. What was cancelled, or never came of a line that was closed, is not in it."`
		Lines    int64       `json:"lines"`
		Unpriced int64       `json:"unpriced" doc:"Lines without a price, which are in no amount."`
		LeftOut  int64       `json:"left_out" doc:"Lines that are in no amount, because their quantity or price is not plausible."`
		Cut      bool        `json:"cut" doc:"Only the newest 20,000 lines were looked at."`
	}
	learntLeadJSON struct {
		Days       float64 `json:"days" doc:"The median, in calendar days."`
		Sigma      float64 `json:"sigma" doc:"The standard deviation, from the slow case."`
		Deliveries int     `json:"deliveries" doc:"The lines of the last year that it was learnt from."`
	}
	supplierPageJSON struct {
		ID                string               `json:"id"`
		ExternalID        string               `json:"external_id"`
		Name              string               `json:"name"`
		Active            *bool                `json:"active,omitempty" doc:"Absent if nobody said so."`
		ContactName       string               `json:"contact_name,omitempty"`
		Email             string               `json:"email,omitempty"`
		Phone             string               `json:"phone,omitempty"`
		Country           string               `json:"country,omitempty"`
		Currency          string               `json:"currency,omitempty"`
		Note              string               `json:"note,omitempty"`
		LeadTimeDays      *string              `json:"lead_time_days,omitempty" doc:"As set on the supplier."`
		OrderCycleDays    *string              `json:"order_cycle_days,omitempty"`
		PaymentTermsDays  *string              `json:"payment_terms_days,omitempty"`
		MinOrderValue     *string              `json:"min_order_value,omitempty" doc:"In the supplier's currency."`
		FreeShippingValue *string              `json:"free_shipping_value,omitempty" doc:"In the supplier's currency."`
		Today             string               `json:"today" format:"date" doc:"The day in the workspace's time zone."`
		Open              supplierOpenJSON     `json:"open"`
		ToOrder           *supplierToOrderJSON `json:"to_order,omitempty" doc:"Absent before the queue was first computed."`
		Bought            boughtJSON           `json:"bought" doc:"Ordered in the last 12 months."`
		Punctuality       *punctualityJSON     `json:"punctuality,omitempty" doc:"Absent if nothing came in the last year."`
		LearntLead        *learntLeadJSON      `json:"learnt_lead_time,omitempty" doc:"The queue plans with it. Absent with fewer than three deliveries."`
	}
	paidJSON struct {
		Price   string    `json:"price" doc:"For one unit."`
		At      time.Time `json:"at" doc:"When it was ordered."`
		OrderNo string    `json:"order_no"`
		LineID  string    `json:"line_id"`
	}
	priceChangeJSON struct {
		SKU      string   `json:"sku"`
		Product  string   `json:"product_id,omitempty"`
		Name     string   `json:"name,omitempty"`
		Currency string   `json:"currency" doc:"Empty if none was sent."`
		Last     paidJSON `json:"last"`
		Before   paidJSON `json:"before" doc:"The last price before that was another one."`
	}
	supplierDeliveryJSON struct {
		LineID   string  `json:"line_id"`
		OrderNo  string  `json:"order_no"`
		SKU      string  `json:"sku"`
		Product  string  `json:"product_id,omitempty"`
		Name     string  `json:"name,omitempty"`
		Quantity string  `json:"quantity"`
		Promised *string `json:"promised,omitempty" format:"date"`
		Came     string  `json:"came" format:"date"`
		DaysLate *int    `json:"days_late,omitempty" doc:"Below 0: early. Absent if nothing was promised."`
	}
	supplierActivityJSON struct {
		Prices     []priceChangeJSON      `json:"prices" doc:"Articles whose price changed, the largest rise first; at most 20, from the newest 20,000 lines."`
		Deliveries []supplierDeliveryJSON `json:"deliveries" doc:"Lines that were fully received, the latest first; at most 20."`
		Notes      []noteJSON             `json:"notes" doc:"The latest meeting notes that refer to it; at most 20."`
		Failures   *[]mentionJSON         `json:"failures,omitempty" doc:"Open failed imports that have its external id or id as a value, among the latest 2,000; at most 20. Absent if you may not see failed imports."`
		Moments    []recordMomentJSON     `json:"moments" doc:"What people, agents and keys did with it and its newest 50 lines, the latest first; at most 50."`
	}
	supplierArticleJSON struct {
		ID          uuid.UUID  `json:"id" format:"uuid"`
		SKU         string     `json:"sku,omitempty" doc:"Else the external id."`
		SupplierSKU string     `json:"supplier_sku,omitempty"`
		Name        string     `json:"name"`
		VariantName string     `json:"variant_name,omitempty"`
		Planned     bool       `json:"planned" doc:"The queue has it. If not, available is as it was reported, and the other figures are unknown."`
		Available   *float64   `json:"available,omitempty"`
		Incoming    float64    `json:"incoming"`
		DaysOfCover *float64   `json:"days_of_cover,omitempty"`
		Suggested   float64    `json:"suggested" doc:"To order now; 0 if it is drafted already, or put off."`
		Price       *moneyJSON `json:"price,omitempty"`
	}
	supplierOrderJSON struct {
		ID      uuid.UUID   `json:"id" format:"uuid" doc:"Of its newest line of the supplier."`
		OrderNo string      `json:"order_no"`
		At      time.Time   `json:"at" doc:"When it was ordered."`
		Lines   int64       `json:"lines"`
		Live    int64       `json:"live" doc:"Lines that were not cancelled."`
		Total   []moneyJSON `json:"total" doc:"Ordered, by currency, without cancelled lines."`
		Arrived []moneyJSON `json:"arrived" doc:"What came of it."`
		LeftOut int64       `json:"left_out" doc:"Lines that are in no amount, because their quantity or price is not plausible."`
	}
	// OneSupplier names a supplier.
	OneSupplier struct {
		InWorkspace
		Supplier string `path:"supplier" maxLength:"100" doc:"The supplier's id in Quayside."`
	}
	pagedSupplier struct {
		OneSupplier
		Paged
	}
)

// supplierOperations show single suppliers.
func (s *Server) supplierOperations(a *appAPI) {
	const tag, path = "Suppliers", "workspaces/{workspace}/suppliers/{supplier}"
	register(a, operation{
		id: "getSupplier", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "One supplier",
		about:   "How to reach it and on what terms it delivers, what is on its way and what is late, what is to be ordered, what was bought, and how it delivers.",
	}, func(ctx context.Context, in *OneSupplier) (*body[supplierPageJSON], error) {
		found, err := s.Suppliers.Get(ctx, by(ctx).Principal, in.Supplier)
		return &body[supplierPageJSON]{toSupplier(found)}, err
	})
	register(a, operation{
		id: "getSupplierActivity", method: http.MethodGet, path: path + "/activity", tag: tag, needs: auth.Read,
		summary: "What happened to a supplier",
		about:   "Prices that changed, the latest deliveries, meeting notes, failed imports that mention it, and who did what.",
	}, func(ctx context.Context, in *OneSupplier) (*body[supplierActivityJSON], error) {
		found, err := s.Suppliers.Activity(ctx, by(ctx).Principal, in.Supplier)
		return &body[supplierActivityJSON]{toSupplierActivity(found)}, err
	})
	register(a, operation{
		id: "listSupplierArticles", method: http.MethodGet, path: path + "/articles", tag: tag, needs: auth.Read,
		summary: "The articles of a supplier", about: "By name, without archived ones.",
	}, func(ctx context.Context, in *pagedSupplier) (*body[list[supplierArticleJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		found, more, err := s.Suppliers.Articles(ctx, by(ctx).Principal, in.Supplier, want)
		if err != nil {
			return nil, err
		}
		items, err := toSupplierArticles(found)
		return listed(items, more, func(one supplierArticleJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "listSupplierOrders", method: http.MethodGet, path: path + "/orders", tag: tag, needs: auth.Read,
		summary: "Past purchase orders of a supplier", about: "Those of which nothing is open any more, the latest first.",
	}, func(ctx context.Context, in *pagedSupplier) (*body[list[supplierOrderJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		found, more, err := s.Suppliers.Orders(ctx, by(ctx).Principal, in.Supplier, want)
		items := make([]supplierOrderJSON, 0, len(found))
		for _, o := range found {
			items = append(items, supplierOrderJSON{ID: o.ID, OrderNo: o.OrderNo, At: o.At, Lines: o.Lines, Live: o.Live,
				Total: toMonies(o.Total), Arrived: toMonies(o.Arrived), LeftOut: o.LeftOut})
		}
		return listed(items, more, func(one supplierOrderJSON) uuid.UUID { return one.ID }), err
	})
}

func toSupplier(o supplier.Overview) supplierPageJSON {
	out := supplierPageJSON{
		ID: o.ID, ExternalID: o.ExternalID, Name: o.Name, Active: o.Active, ContactName: o.Contact, Email: o.Email, Phone: o.Phone,
		Country: o.Country, Currency: o.Currency, Note: o.Note, LeadTimeDays: decimalText(o.LeadDays),
		OrderCycleDays: decimalText(o.CycleDays), PaymentTermsDays: decimalText(o.PaymentDays),
		MinOrderValue: decimalText(o.MinOrderValue), FreeShippingValue: decimalText(o.FreeShippingValue),
		Today: o.Today.Format(time.DateOnly), Open: toSupplierOpen(o.Open),
		Bought: boughtJSON{Amounts: toMonies(o.Bought.Amounts), Lines: o.Bought.Lines, Unpriced: o.Bought.Unpriced, LeftOut: o.Bought.LeftOut, Cut: o.Bought.Cut},
	}
	if t := o.ToOrder; t != nil {
		out.ToOrder = &supplierToOrderJSON{AsOf: t.AsOf.Format(time.DateOnly), Articles: t.Articles, Critical: t.Critical,
			Cost: toMonies(t.Cost), LeftOut: t.LeftOut}
	}
	if o.Punctuality != nil {
		judged := punctualityJSON(*o.Punctuality)
		out.Punctuality = &judged
	}
	if o.Learnt != nil {
		learnt := learntLeadJSON(*o.Learnt)
		out.LearntLead = &learnt
	}
	return out
}

func toSupplierOpen(o supplier.Open) supplierOpenJSON {
	out := supplierOpenJSON{
		Orders: o.Orders, Lines: o.Lines, Late: o.Late, LateOrders: o.LateOrders, Drafted: o.Drafted, Value: toMonies(o.Value),
		Next: dateText(o.Next), List: make([]openOrderJSON, 0, len(o.List)), LeftOut: o.LeftOut, Cut: o.Cut,
	}
	for _, order := range o.List {
		one := openOrderJSON{
			OrderNo: order.OrderNo, Lines: order.Lines, Late: order.Late, Drafted: order.Drafted, Next: dateText(order.Next),
			Value: toMonies(order.Value), List: make([]openLineJSON, 0, len(order.List)),
		}
		for _, l := range order.List {
			one.List = append(one.List, openLineJSON{
				ID: l.ID, SKU: l.SKU, Product: l.Product, Name: l.Name, Status: l.Status, Quantity: l.Quantity.String(),
				Expected: dateText(l.Expected), Late: l.Late,
			})
		}
		out.List = append(out.List, one)
	}
	return out
}

func toSupplierActivity(a supplier.Activity) supplierActivityJSON {
	out := supplierActivityJSON{
		Prices: make([]priceChangeJSON, 0, len(a.Prices)), Deliveries: make([]supplierDeliveryJSON, 0, len(a.Deliveries)),
		Notes: toNotes(a.Notes), Failures: toMentions(a.Failures), Moments: toMoments(a.Moments),
	}
	for _, p := range a.Prices {
		out.Prices = append(out.Prices, priceChangeJSON{
			SKU: p.SKU, Product: p.Product, Name: p.Name, Currency: p.Currency, Last: toPaid(p.Last), Before: toPaid(p.Before),
		})
	}
	for _, d := range a.Deliveries {
		out.Deliveries = append(out.Deliveries, supplierDeliveryJSON{
			LineID: d.ID, OrderNo: d.OrderNo, SKU: d.SKU, Product: d.Product, Name: d.Name, Quantity: d.Quantity.String(),
			Promised: dateText(d.Promised), Came: d.Came.Format(time.DateOnly), DaysLate: d.DaysLate(),
		})
	}
	return out
}

func toPaid(p supplier.Paid) paidJSON {
	return paidJSON{Price: p.Price.String(), At: p.At, OrderNo: p.OrderNo, LineID: p.LineID}
}

func toSupplierArticles(articles []supplier.Article) (items []supplierArticleJSON, err error) {
	for _, one := range articles {
		id, err := uuid.Parse(one.ID)
		if err != nil {
			return nil, err
		}
		items = append(items, supplierArticleJSON{
			ID: id, SKU: one.SKU, SupplierSKU: one.SupplierSKU, Name: one.Name, VariantName: one.Variant, Planned: one.Planned,
			Available: one.Available, Incoming: one.Incoming, DaysOfCover: one.DaysOfCover, Suggested: one.Suggested,
			Price: toMoney(one.Price),
		})
	}
	return items, nil
}
