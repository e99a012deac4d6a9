package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

const purchaseOrders = 50

// purchaseLine is one article on one order to a supplier.
type purchaseLine struct {
	id, order, sku     string
	product            any // nil: the line names the article by its SKU only
	supplier           supplier
	status             string // the final one
	quantity, received int
	price              money
	made, expected     time.Time
	note               string
}

// makePurchases makes the orders of the last eight months, oldest first. Their status depends
// on their age: old orders have arrived, the latest are drafts.
func makePurchases(today time.Time, suppliers []supplier, products []product) (all []purchaseLine) {
	chance := dice("purchases")
	bySupplier := map[string][]product{}
	for _, p := range products {
		bySupplier[p.supplier.id] = append(bySupplier[p.supplier.id], p)
	}
	for n := range purchaseOrders {
		from := suppliers[(n*7+3)%(len(suppliers)-1)]                                     // the last supplier has closed
		age := 1 + int(230*math.Pow(float64(purchaseOrders-1-n)/(purchaseOrders-1), 1.8)) // more orders in recent weeks
		made := workday(today, age).Add(time.Duration(8*60+chance.IntN(8*60)) * time.Minute)
		articles := bySupplier[from.id]
		start := chance.IntN(len(articles))
		for i := range min(len(articles), 2+chance.IntN(4)) {
			p := articles[(start+i)%len(articles)]
			l := purchaseLine{
				order: fmt.Sprintf("PO-%d", 3100+n), sku: p.sku, product: p.ref(), supplier: from, made: made,
				quantity: []int{12, 24, 36, 48, 60, 120}[pick(chance, []float64{3, 5, 3, 3, 2, 1})],
				price:    p.cost.percent(98 + chance.IntN(6)),
			}
			l.id = fmt.Sprintf("%s-%d", l.order, i+1)
			l.expected = made.AddDate(0, 0, from.lead)
			l.decide(chance, n, i, today)
			all = append(all, l)
		}
	}
	return append(all, unresolved(today, suppliers[3])...)
}

// decide sets the status and the received quantity of a line.
func (l *purchaseLine) decide(chance *rand.Rand, n, i int, today time.Time) {
	late := int(today.Sub(l.expected).Hours() / 24)
	switch {
	case n >= purchaseOrders-4:
		l.status = "draft"
	case n >= purchaseOrders-8:
		l.status = "pending_approval"
	case n%13 == 6:
		l.status, l.note = "cancelled", "The supplier cannot deliver it this year"
	case late < 0 || late < 12 && n%2 == 0:
		l.status = "ordered" // in transit, or overdue
		if late > -6 && i == 0 {
			l.status, l.received, l.note = "partially_received", l.quantity/3, "Rest follows with the next pallet"
		}
	case n >= purchaseOrders/2 && n%3 == 1 && i == 1:
		l.status = "ordered" // the supplier forgot it
	case n%9 == 4 && i == 0:
		l.status, l.received, l.note = "partially_received", l.quantity-5, "Five were broken, replacement is promised"
	default:
		l.status, l.received = "received", l.quantity
		if chance.IntN(30) == 0 {
			l.received += 2
		}
	}
	if l.status == "ordered" && late > 0 {
		l.note = "Asked the supplier for a new date"
	}
}

// unresolved returns lines of articles that the shop does not have yet.
func unresolved(today time.Time, from supplier) (all []purchaseLine) {
	for i, sku := range []string{"TEA-FRU-100", "TEA-FRU-250", "TEA-HIB-100", "TEA-HIB-250", "TEA-APP-100",
		"TEA-APP-250"} {
		order := fmt.Sprintf("PO-%d", 3100+purchaseOrders)
		all = append(all, purchaseLine{
			id: fmt.Sprintf("%s-%d", order, i+1), order: order, sku: sku, supplier: from, status: "ordered", quantity: 48,
			price: money(310 + 90*(i%2)), made: today.AddDate(0, 0, -8).Add(10 * time.Hour), expected: today.AddDate(0, 0, 2),
			note: "New article, not in the shop yet",
		})
	}
	return all
}

// fields returns the line as it is first sent. Receipts are sent later.
func (l purchaseLine) fields() fields {
	f := fields{
		"external_id", l.id, "order_no", l.order, "sku", l.sku, "status", l.status, "quantity_ordered", l.quantity,
		"expected_arrival_date", l.expected.Format(time.DateOnly), "price_per_unit", l.price, "currency", l.supplier.currency,
		"note", l.note, "supplier_id", l.supplier.id, "product_id", l.product, "ordered_at", l.made,
	}
	switch l.status {
	case "partially_received", "received":
		f.set("status", "ordered") // the receipt changes it
	case "draft", "pending_approval":
		f.set("ordered_at", nil)
	}
	return f
}

// receipts returns the deliveries of the lines in two waves: first a part, then the rest.
func receipts(today time.Time, all []purchaseLine) (parts, rest []fields) {
	for i, l := range all {
		if l.received == 0 {
			continue
		}
		if l.status == "partially_received" {
			parts = append(parts, fields{"external_id", l.id, "quantity_received", l.received})
			continue
		}
		if i%4 == 1 {
			parts = append(parts, fields{"external_id", l.id, "quantity_received", l.quantity / 2})
		}
		arrived := l.expected.Add(time.Duration(i%5-2) * 24 * time.Hour)
		if yesterday := today.Add(-9 * time.Hour); arrived.After(yesterday) {
			arrived = yesterday
		}
		rest = append(rest, fields{"external_id", l.id, "quantity_received", l.received, "received_at", arrived})
	}
	return parts, rest
}
