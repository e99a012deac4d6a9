package demo

import (
	"fmt"
	"strconv"
	"time"
)

// fields returns the order as the shop sends it.
func (o order) fields() fields {
	var subtotal, discount, tax money
	for _, l := range o.lines {
		subtotal += l.gross - l.discount
		discount += l.discount
		tax += l.tax
	}
	currency := o.buyer.currency()
	shipping := money(490).in(currency)
	if subtotal.euros(currency) >= 6000 {
		shipping = 0
	}
	total := subtotal + tax + shipping
	f := fields{
		"external_id", o.id, "order_number", "#" + strconv.Itoa(o.number), "ordered_at", o.at, "status", o.status,
		"financial_status", map[string]string{"cancelled": "refunded", "failed": "voided", "draft": "pending"}[o.status],
		"customer_id", o.buyer.id, "customer_email", o.buyer.email, "currency", currency, "total", total,
		"subtotal", subtotal, "discount_total", discount, "tax_total", tax, "shipping_total", shipping,
		"base_currency", "EUR", "base_total", total.euros(currency), "is_test", o.test,
		"channel", "web", "country", o.buyer.country,
	}
	if o.guest {
		f.set("customer_id", nil)
	}
	if o.buyer.company != "" {
		f.set("channel", "wholesale")
	}
	switch o.status {
	case "completed":
		f.set("financial_status", "paid")
		f = append(f, "fulfillment_status", "fulfilled")
	case "open":
		f.set("financial_status", "paid")
	case "cancelled":
		f = append(f, "cancelled_at", o.at.Add(45*time.Minute))
	}
	if o.number%37 == 0 {
		f = append(f, "tags", "gift", "note", "Please add a card: for the first morning in the new kitchen")
	}
	return f
}

// fields returns a line of an order as the shop sends it.
func (l line) fields(o order, n int) fields {
	f := fields{
		"external_id", fmt.Sprintf("gid://shopify/LineItem/%d%02d", 14_000_000_000+o.number*17, n+1), "order_id", o.id,
		"product_id", l.product.ref(), "variant_external_id", l.product.ref(), "sku", l.product.sku, "name",
		l.product.title(),
		"quantity", l.quantity, "current_quantity", l.quantity - l.returned, "returned_quantity", l.returned,
		"unit_price", l.unit, "discount_amount", l.discount, "tax_amount", l.tax, "currency", o.buyer.currency(),
	}
	if o.status == "cancelled" {
		f.set("current_quantity", 0)
	}
	return f
}

// ahead returns lines whose orders the shop has not sent yet. They wait for their orders.
func ahead(orders []order) (all []fields) {
	for i, o := range orders[len(orders)-5:] {
		o.id = fmt.Sprintf("gid://shopify/Order/5%011d", 450789*(orderCount+400+i))
		o.number += 1000
		for n, l := range o.lines {
			all = append(all, l.fields(o, n))
		}
	}
	return all
}
