package demo

import (
	"fmt"
	"iter"
	"slices"
	"time"
)

// Labels of the keys with which the demo's systems write.
const (
	shopKey      = "Shop sync"
	warehouseKey = "Warehouse"
	masterKey    = "Master Import Key"
)

// everything returns all steps in order. Records come before those that refer to them, and
// now is asked when all receipts are booked.
func everything(today time.Time, now func() time.Time) iter.Seq[step] {
	var (
		suppliers = readSuppliers()
		products  = readProducts(suppliers)
		customers = makeCustomers()
		orders    = makeOrders(today, customers, products)
		purchases = makePurchases(today, suppliers, products)

		lineRecords []fields
	)
	for _, o := range orders {
		for n, l := range o.lines {
			lineRecords = append(lineRecords, l.fields(o, n))
		}
	}
	parts, rest := receipts(today, purchases)
	before := []step{
		{masterKey, "suppliers", "records", accepted(each(suppliers, func(s supplier) fields { return s.fields }))},
		{masterKey, "products", "records", accepted(each(products, func(p product) fields { return p.fields(today) }))},
		{masterKey, "customers", "records", accepted(each(customers, customer.fields))},
		{shopKey, "orders", "records", accepted(each(orders, order.fields))},
		{masterKey, "order_line_items", "records", accepted(lineRecords)},
		{masterKey, "order_line_items", "that wait for their order", accepted(ahead(orders))},
		{warehouseKey, "purchase_order_lines", "records", accepted(each(purchases, purchaseLine.fields))},
		{warehouseKey, "purchase_order_lines", "first receipts", accepted(parts)},
		{warehouseKey, "purchase_order_lines", "last receipts", accepted(rest)},
		{masterKey, "meeting_notes", "records", accepted(makeNotes(today, customers))},
	}
	counts := func(name string, n int, at func(product) time.Time) step {
		return step{masterKey, "products", name, accepted(each(products, func(p product) fields {
			return append(p.key(), p.counted(at(p), n)...)
		}))}
	}
	last := len(countedDaysAgo) - 1
	for n := 1; n < last; n++ {
		before = append(before, counts(fmt.Sprintf("stock counts, %d days back", countedDaysAgo[n]), n,
			func(p product) time.Time { return p.countedAt(today, n) }))
	}
	return inOrder(
		slices.Values(before),
		func(yield func(step) bool) {
			at := now().UTC()
			yield(counts("stock counts of today", last, func(product) time.Time { return at }))
		},
		slices.Values(failures(today, orders)),
	)
}

// inOrder returns the steps of all parts. It asks a part for its steps when those before it
// are done.
func inOrder(parts ...iter.Seq[step]) iter.Seq[step] {
	return func(yield func(step) bool) {
		for _, part := range parts {
			for s := range part {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// each returns the records of all.
func each[T any](all []T, record func(T) fields) []fields {
	records := make([]fields, 0, len(all))
	for _, one := range all {
		records = append(records, record(one))
	}
	return records
}
