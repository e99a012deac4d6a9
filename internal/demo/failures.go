package demo

import (
	"fmt"
	"time"
)

// failures returns records that are refused, of the kinds that real systems send: wrong types,
// missing fields, unknown references, values that break a rule, and an old till with other
// names for the same fields.
func failures(today time.Time, orders []order) []step {
	byShop, lines, products := shopFailures(today), []record{}, []record{}
	for i := range 12 { // a field mapping fixes these: the till says qty, title and price
		o := orders[len(orders)-20+i]
		l := o.lines[0]
		lines = append(lines, refused("required", fields{
			"external_id", fmt.Sprintf("till-2-%05d", 40117+i), "order_id", o.id, "sku", l.product.sku,
			"title", l.product.title(), "qty", l.quantity, "price", l.unit,
		}))
	}
	for i := range 4 {
		products = append(products, refused("unknown_reference", fields{
			"external_id", fmt.Sprintf("gid://shopify/ProductVariant/4990000000%02d", i), "sku",
			fmt.Sprintf("TEA-NEW-%02d", i+1),
			"name", []string{"Hibiscus Bloom", "Apple and Thyme", "Cold Peppermint", "Forest Fruit"}[i], "price", money(890),
			"currency", "EUR",
			"supplier_id", "SUP-99",
		}))
	}
	var customers, suppliers, purchases, notes []record
	for i := range 4 {
		customers = append(customers, refused("type", fields{
			"external_id", fmt.Sprintf("till-customer-%d", 311+i), "name",
			[]string{"E. Sommer", "K. Winter", "J. Herbst", "A. Lenz"}[i],
			"country", "DE", "accepts_marketing", "ja",
		}))
	}
	for i := range 3 {
		suppliers = append(suppliers, refused("type", fields{
			"external_id", fmt.Sprintf("SUP-%d", 31+i), "name", []string{"Bambus Import", "Teeblüte", "Alpenkeramik"}[i],
			"currency", "EUR", "lead_time_days", []string{"3-4 weeks", "about 20", "on request"}[i],
		}))
	}
	for i := range 8 {
		purchases = append(purchases, refused("range", fields{
			"external_id", fmt.Sprintf("RET-%d-1", 220+i), "order_no", fmt.Sprintf("RET-%d", 220+i), "sku",
			orders[i].lines[0].product.sku,
			"quantity_ordered", -1 - i, "note", "Return to supplier",
		}))
	}
	for i := range 2 {
		notes = append(notes, refused("nul", fields{
			"external_id", fmt.Sprintf("voicebox-%d", 71+i), "title", "Voice memo", "started_at", today.AddDate(0, 0, -2-i),
			"source", "voicebox", "transcript", "Remember to order\x00 the small tins",
		}))
	}
	steps := []step{
		{shopKey, "orders", "", byShop}, {masterKey, "order_line_items", "", lines}, {masterKey, "products", "", products},
		{masterKey, "customers", "", customers}, {masterKey, "suppliers", "", suppliers},
		{warehouseKey, "purchase_order_lines", "", purchases}, {masterKey, "meeting_notes", "", notes},
	}
	for i := range steps {
		steps[i].name = "failed imports"
	}
	return steps
}

// shopFailures returns orders that are refused.
func shopFailures(today time.Time) (all []record) {
	for i := range 29 {
		f := fields{
			"external_id", fmt.Sprintf("till-order-%d", 9001+i), "order_number", fmt.Sprintf("T%d", 9001+i),
			"ordered_at", today.AddDate(0, 0, -1-i/4).Add(time.Duration(9*60+i*13) * time.Minute), "status", "completed",
			"customer_id", nil, "currency", "EUR", "total", money(1290 + 370*i),
		}
		var code string
		switch {
		case i < 8:
			code = "type"
			f.set("total", fmt.Sprintf("€ %d,90", 12+3*i))
		case i < 16:
			code = "choice"
			f.set("status", []string{"fulfilled", "shipped", "paid", "returned"}[i%4])
		case i < 23:
			code = "unknown_reference"
			f.set("customer_id", fmt.Sprintf("gid://shopify/Customer/6999900%05d", 17*i))
		default:
			code = "required"
			f.set("currency", nil)
		}
		all = append(all, refused(code, f))
	}
	return all
}

func refused(code string, f fields) record { return record{f.body(), code} }
