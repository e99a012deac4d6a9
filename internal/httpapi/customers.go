package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/customer"
)

type (
	customerDueJSON struct {
		Orders      int64   `json:"orders"`
		First       string  `json:"first_order_date" format:"date"`
		Last        string  `json:"last_order_date" format:"date"`
		MedianGap   *string `json:"median_gap_days,omitempty" doc:"The median of the days between the last orders."`
		Cadence     *string `json:"cadence_days,omitempty" doc:"The days after which the next order is expected."`
		Next        *string `json:"expected_next_date,omitempty" format:"date"`
		DaysOverdue *int64  `json:"days_overdue,omitempty" doc:"Below 0: not expected yet."`
		Status      *string `json:"status,omitempty" enum:"not_due,due,overdue,lapsed" doc:"Absent with too few orders to say."`
		Confidence  string  `json:"confidence" enum:"high,medium,low"`
		Expected    *string `json:"expected_value,omitempty" doc:"Of the next order."`
		Lifetime    *string `json:"lifetime_value,omitempty"`
		Reason      string  `json:"reason"`
	}
	customerMonthJSON struct {
		Month       string `json:"month" format:"date" doc:"Its first day."`
		Orders      int64  `json:"orders"`
		Net         string `json:"net"`
		Unconverted int64  `json:"unconverted" doc:"Orders whose currency has no rate, which are in no amount."`
	}
	usualArticleJSON struct {
		ID          string `json:"id"`
		SKU         string `json:"sku,omitempty"`
		Name        string `json:"name"`
		VariantName string `json:"variant_name,omitempty"`
		Orders      int64  `json:"orders" doc:"In how many orders it was."`
		Units       string `json:"units" doc:"Without what was returned."`
		Last        string `json:"last" format:"date"`
	}
	usualJSON struct {
		Orders   int64              `json:"orders" doc:"The latest orders that were looked at; at most 500."`
		Units    string             `json:"units" doc:"Sold in these, returned ones included."`
		Returned string             `json:"returned"`
		Articles []usualArticleJSON `json:"articles" doc:"The most usual first; at most 20."`
		Cut      bool               `json:"cut" doc:"There are older orders."`
	}
	customerPageJSON struct {
		ID         string              `json:"id"`
		ExternalID string              `json:"external_id"`
		Called     string              `json:"called" doc:"The name, else the company, the mail address or the external id."`
		Name       string              `json:"name,omitempty"`
		Company    string              `json:"company,omitempty"`
		Email      string              `json:"email,omitempty"`
		Phone      string              `json:"phone,omitempty"`
		Country    string              `json:"country,omitempty"`
		City       string              `json:"city,omitempty"`
		Tags       string              `json:"tags,omitempty"`
		Note       string              `json:"note,omitempty"`
		Since      *time.Time          `json:"since,omitempty" doc:"When the customer was created in the source."`
		Currency   string              `json:"currency" doc:"Of all amounts but those of single orders: the workspace's."`
		Today      string              `json:"today" format:"date" doc:"The day in the workspace's time zone."`
		Due        *customerDueJSON    `json:"due,omitempty" doc:"The row of customer_reorder_due, which counts the days before today. Absent without an order."`
		Months     []customerMonthJSON `json:"months" doc:"Of the last 24 months, from the first with an order on."`
		LeftOut    int64               `json:"left_out" doc:"Lines that are in no figure, because their date, quantity or amount is not plausible."`
		Usual      usualJSON           `json:"usual"`
	}
	customerActivityJSON struct {
		Notes    []noteJSON         `json:"notes" doc:"The latest meeting notes that refer to the customer; at most 20."`
		Failures *[]mentionJSON     `json:"failures,omitempty" doc:"Open failed imports that have the customer's external id, id or mail address as a value, among the latest 2,000; at most 20. Absent if you may not see failed imports."`
		Moments  []recordMomentJSON `json:"moments" doc:"Who changed what of the record, the latest first; at most 50."`
	}
	soldLineJSON struct {
		ID       string `json:"id"`
		Product  string `json:"product_id,omitempty" doc:"Absent if the line matches no article."`
		SKU      string `json:"sku,omitempty"`
		Name     string `json:"name"`
		Quantity string `json:"quantity"`
		Returned string `json:"returned"`
		Price    string `json:"unit_price" doc:"In the order's currency."`
	}
	customerOrderJSON struct {
		ID          uuid.UUID      `json:"id" format:"uuid"`
		Number      string         `json:"number" doc:"Else the external id."`
		At          time.Time      `json:"at"`
		Status      string         `json:"status"`
		Financial   string         `json:"financial_status,omitempty"`
		Fulfillment string         `json:"fulfillment_status,omitempty"`
		Total       moneyJSON      `json:"total" doc:"In the order's own currency."`
		Lines       []soldLineJSON `json:"lines" doc:"At most 20."`
		Cut         bool           `json:"cut" doc:"The order has more lines."`
	}
	// OneCustomer names a customer.
	OneCustomer struct {
		InWorkspace
		Customer string `path:"customer" doc:"The customer's id in Quayside."`
	}
)

// customerOperations show single customers.
func (s *Server) customerOperations(a *appAPI) {
	const tag, path = "Customers", "workspaces/{workspace}/customers/{customer}"
	register(a, operation{
		id: "getCustomer", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "One customer",
		about:   "What they ordered and when they are expected again, what they usually buy, and what they return.",
	}, func(ctx context.Context, in *OneCustomer) (*body[customerPageJSON], error) {
		found, err := s.Customers.Get(ctx, by(ctx).Principal, in.Customer)
		return &body[customerPageJSON]{toCustomer(found)}, err
	})
	register(a, operation{
		id: "getCustomerActivity", method: http.MethodGet, path: path + "/activity", tag: tag, needs: auth.Read,
		summary: "What happened to a customer",
		about:   "Meeting notes, failed imports that mention the customer, and who changed what of the record.",
	}, func(ctx context.Context, in *OneCustomer) (*body[customerActivityJSON], error) {
		found, err := s.Customers.Activity(ctx, by(ctx).Principal, in.Customer)
		return &body[customerActivityJSON]{customerActivityJSON{
			Notes: toNotes(found.Notes), Failures: toMentions(found.Failures), Moments: toMoments(found.Moments),
		}}, err
	})
	register(a, operation{
		id: "listCustomerOrders", method: http.MethodGet, path: path + "/orders", tag: tag, needs: auth.Read,
		summary: "The orders of a customer", about: "The latest first. Only orders that count as sales: no cancelled ones, drafts or tests.",
	}, func(ctx context.Context, in *struct {
		OneCustomer
		Paged
	}) (*body[list[customerOrderJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		found, more, err := s.Customers.Orders(ctx, by(ctx).Principal, in.Customer, want)
		items := make([]customerOrderJSON, 0, len(found))
		for _, one := range found {
			items = append(items, toCustomerOrder(one))
		}
		return listed(items, more, func(one customerOrderJSON) uuid.UUID { return one.ID }), err
	})
}

func toCustomer(o customer.Overview) customerPageJSON {
	out := customerPageJSON{
		ID: o.ID, ExternalID: o.ExternalID, Called: o.Called, Name: o.Name, Company: o.Company, Email: o.Email, Phone: o.Phone,
		Country: o.Country, City: o.City, Tags: o.Tags, Note: o.Note, Since: o.Since, Currency: o.Currency,
		Today: o.Today.Format(time.DateOnly), Months: make([]customerMonthJSON, 0, len(o.Months)), LeftOut: o.LeftOut,
		Usual: usualJSON{Orders: o.Usual.Orders, Units: o.Usual.Units.String(), Returned: o.Usual.Returned.String(),
			Articles: make([]usualArticleJSON, 0, len(o.Usual.Articles)), Cut: o.Usual.Cut},
	}
	if d := o.Due; d != nil {
		out.Due = &customerDueJSON{
			Orders: d.Orders, First: d.First, Last: d.Last, MedianGap: decimalText(d.MedianGap), Cadence: decimalText(d.Cadence),
			Next: d.Next, DaysOverdue: d.DaysOverdue, Status: d.Status, Confidence: d.Confidence,
			Expected: decimalText(d.Expected), Lifetime: decimalText(d.Lifetime), Reason: d.Reason,
		}
	}
	for _, m := range o.Months {
		out.Months = append(out.Months, customerMonthJSON{
			Month: m.First.Format(time.DateOnly), Orders: m.Orders, Net: m.Net.String(), Unconverted: m.Unconverted,
		})
	}
	for _, one := range o.Usual.Articles {
		out.Usual.Articles = append(out.Usual.Articles, usualArticleJSON{
			ID: one.ID, SKU: one.SKU, Name: one.Name, VariantName: one.Variant, Orders: one.Orders, Units: one.Units.String(),
			Last: one.Last.Format(time.DateOnly),
		})
	}
	return out
}

func toCustomerOrder(o customer.Order) customerOrderJSON {
	out := customerOrderJSON{
		ID: o.ID, Number: o.Number, At: o.At, Status: o.Status, Financial: o.Financial, Fulfillment: o.Fulfillment,
		Total: *toMoney(&o.Total), Lines: make([]soldLineJSON, 0, len(o.Lines)), Cut: o.Cut,
	}
	for _, l := range o.Lines {
		out.Lines = append(out.Lines, soldLineJSON{
			ID: l.ID, Product: l.Product, SKU: l.SKU, Name: l.Name, Quantity: l.Quantity.String(), Returned: l.Returned.String(),
			Price: l.Price.String(),
		})
	}
	return out
}
