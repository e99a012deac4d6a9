package demo

import (
	"fmt"
	"time"
)

// Labels of the keys with which the demo's systems write.
const (
	shopKey      = "Shop sync"
	warehouseKey = "Warehouse"
	masterKey    = "Master Import Key"
)

// everything returns all steps in order. Records come before those that refer to them.
func everything(today time.Time) []step {
	var (
		suppliers = readSuppliers()
		products  = readProducts(suppliers)
		customers = makeCustomers()
		orders    = makeOrders(today, customers, products)
		purchases = makePurchases(today, suppliers, products)

		supplierRecords, productRecords, customerRecords, orderRecords, lineRecords, purchaseRecords []fields
	)
	for _, s := range suppliers {
		supplierRecords = append(supplierRecords, s.fields)
	}
	for _, p := range products {
		productRecords = append(productRecords, p.fields(today))
	}
	for _, c := range customers {
		customerRecords = append(customerRecords, c.fields())
	}
	for _, o := range orders {
		orderRecords = append(orderRecords, o.fields())
		for n, l := range o.lines {
			lineRecords = append(lineRecords, l.fields(o, n))
		}
	}
	for _, l := range purchases {
		purchaseRecords = append(purchaseRecords, l.fields())
	}
	parts, rest := receipts(today, purchases)
	steps := []step{
		{masterKey, "suppliers", "records", accepted(supplierRecords)},
		{masterKey, "products", "records", accepted(productRecords)},
		{masterKey, "customers", "records", accepted(customerRecords)},
		{shopKey, "orders", "records", accepted(orderRecords)},
		{masterKey, "order_line_items", "records", accepted(lineRecords)},
		{masterKey, "order_line_items", "that wait for their order", accepted(ahead(orders))},
		{warehouseKey, "purchase_order_lines", "records", accepted(purchaseRecords)},
		{warehouseKey, "purchase_order_lines", "first receipts", accepted(parts)},
		{warehouseKey, "purchase_order_lines", "last receipts", accepted(rest)},
		{masterKey, "meeting_notes", "records", accepted(makeNotes(today, customers))},
	}
	for n := 1; n < len(countedDaysAgo); n++ {
		var counts []fields
		for _, p := range products {
			counts = append(counts, append(p.key(), p.counted(today, n)...))
		}
		steps = append(steps, step{masterKey, "products", fmt.Sprintf("stock counts, %d days back", countedDaysAgo[n]),
			accepted(counts)})
	}
	return append(steps, failures(today, orders)...)
}
