package demo

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/shop"
)

const (
	// Seed is the seed of the made shop.
	Seed = 2026
	// MaxScale is the largest scale: 134,000 articles and 20 million order lines.
	MaxScale = 112

	articlesPerScale  = 1200
	suppliersPerScale = 40
	firstShopOrder    = 100_000
	firstShopPurchase = 10_001
)

// makeShop makes a shop whose sales end on the day before today.
func makeShop(today time.Time, scale int) *shop.Shop {
	return shop.Make(shop.Options{Seed: Seed, Today: today, Articles: articlesPerScale * scale,
		Suppliers: suppliersPerScale * scale})
}

// full is a made shop as records of Harbour Goods.
type full struct {
	*shop.Shop
	products  []product
	customers []customer
	chunk     int // the number of records, or of orders with their lines, that are held in memory at once
}

func newFull(s *shop.Shop) *full {
	f := &full{Shop: s, chunk: 5000}
	for i, a := range s.Articles {
		f.products = append(f.products, product{
			id: a.ID, parent: a.Parent, sku: a.SKU, name: a.Name, variant: a.Variant, family: s.Families[a.Family].Name,
			category: a.Category, price: money(a.Price), place: i,
		})
	}
	for i, c := range s.Customers {
		f.customers = append(f.customers, customer{id: c.ID, name: c.Name, email: c.Email, company: c.Company,
			country: c.Country, city: c.City, since: c.Since, number: i})
	}
	return f
}

// steps returns the steps of the shop, in parts. Records come before those that refer to them.
// The last stock count is at now, which is asked when all receipts are booked: it includes them.
func (f *full) steps(now func() time.Time) iter.Seq[step] {
	return inOrder(
		inChunks(f.chunk, masterKey, "suppliers", f.Suppliers, supplierFields),
		inChunks(f.chunk, masterKey, "products", f.products, f.productFields),
		inChunks(f.chunk, masterKey, "customers", f.customers, customer.fields),
		f.purchases(),
		f.sales(),
		f.counts(),
		func(yield func(step) bool) { yield(f.lastCount(now())) },
		func(yield func(step) bool) { yield(step{masterKey, "order_line_items", "failed imports", f.refused()}) },
	)
}

// inChunks returns the records of all.
func inChunks[T any](size int, key, slug string, all []T, record func(T) fields) iter.Seq[step] {
	return func(yield func(step) bool) {
		for part := range slices.Chunk(all, size) {
			if !yield(step{key, slug, "records", accepted(each(part, record))}) {
				return
			}
		}
	}
}

// sales returns the orders, each before its lines.
func (f *full) sales() iter.Seq[step] {
	return func(yield func(step) bool) {
		for orders := range f.orders() {
			var lineRecords []fields
			for _, o := range orders {
				for n, l := range o.lines {
					lineRecords = append(lineRecords, l.fields(o, n))
				}
			}
			if !yield(step{shopKey, "orders", "records", accepted(each(orders, order.fields))}) ||
				!yield(step{masterKey, "order_line_items", "records", accepted(lineRecords)}) {
				return
			}
		}
	}
}

// supplierFields returns a supplier. Some have a minimum order value, and some ship free from a value on.
func supplierFields(s shop.Supplier) fields {
	record := fields{
		"external_id", s.ID, "name", s.Name, "email", "orders@" + strings.ToLower(s.ID) + ".example", "currency", s.Currency,
		"lead_time_days", s.Lead, "order_cycle_days", s.Cycle, "payment_terms_days", 30, "country", s.Country, "active", true,
	}
	if s.Lead%2 == 0 {
		record = append(record, "min_order_value", money(500_00))
	}
	if s.Lead%3 > 0 {
		record = append(record, "free_shipping_value", money(2_000_00))
	}
	return record
}

// productFields returns an article with its first stock.
func (f *full) productFields(p product) fields {
	a, h := f.Articles[p.place], f.History[p.place]
	from, start := f.Suppliers[a.Supplier], max(a.Launch, 0)
	status := "active"
	if a.Archived {
		status = "archived"
	}
	return append(fields{
		"external_id", a.ID, "sku", a.SKU, "product_external_id", a.Parent, "barcode", barcode(1000 + p.place),
		"name", a.Name, "variant_name", a.Variant, "family", p.family, "category", a.Category,
		"vendor", from.Name, "status", status, "price", p.price, "currency", "EUR",
		"unit_cost", money(a.Cost.In(from.Currency)), "cost_currency", from.Currency, "track_inventory", true,
		"allow_backorder", false, "supplier_id", from.ID, "supplier_sku", fmt.Sprintf("%s-%05d", from.ID[9:], p.place+1),
		"moq", a.Lot, "order_multiple", a.Lot, "do_not_reorder", a.Archived, "launched_at", f.Date(a.Launch),
		"tags", strings.ToLower(p.family + ", " + a.Category),
	}, stock(h.Stock[start]+h.Sold[start], f.Date(start).Add(5*time.Hour))...)
}

// stock returns the result of a stock count.
func stock(units int32, at time.Time) fields {
	return fields{"stock_on_hand", units, "stock_committed", 0, "stock_available", units, "stock_updated_at", at}
}

// regularCounts are the days, before the end, on which all stock was counted.
var regularCounts = map[int]bool{84: true, 56: true, 28: true, 21: true, 14: true, 7: true}

// counts returns the stock counts after the first one: when an article ran out, when it was in
// stock again, and some of all articles. The counts of one article are in different steps, in
// the order of their times.
func (f *full) counts() iter.Seq[step] {
	return func(yield func(step) bool) {
		for part := range slices.Chunk(f.products, f.chunk) {
			var waves [][]fields
			for _, p := range part {
				for wave, count := range f.countsOf(p.place) {
					if wave == len(waves) {
						waves = append(waves, nil)
					}
					waves[wave] = append(waves[wave], append(fields{"external_id", p.id}, count...))
				}
			}
			for _, wave := range waves {
				if !yield(step{masterKey, "products", "stock counts", accepted(wave)}) {
					return
				}
			}
		}
	}
}

// countsOf returns the stock counts of one article.
func (f *full) countsOf(article int) (all []fields) {
	h, before := f.History[article], int32(1)
	for day := max(f.Articles[article].Launch, 0); day < len(h.Stock); day++ {
		if before == 0 && h.InStock(day) {
			all = append(all, stock(h.Stock[day]+h.Sold[day], f.Date(day).Add(5*time.Hour)))
			before = 1
		}
		if before > 0 && h.Stock[day] == 0 || regularCounts[len(h.Stock)-day] {
			all = append(all, stock(h.Stock[day], f.Date(day).Add(21*time.Hour+15*time.Minute)))
		}
		before = h.Stock[day]
	}
	return all
}

// lastCount returns the present stock of all articles.
func (f *full) lastCount(now time.Time) step {
	return step{masterKey, "products", "stock counts of today", accepted(each(f.products, func(p product) fields {
		return append(fields{"external_id", p.id}, stock(f.History[p.place].Stock[f.Options.Days-1], now.UTC())...)
	}))}
}

// purchases returns the lines bought, as the warehouse knows them today. The lines from one
// supplier on one day are one order. Each changes its order, so that they would wait for each
// other if they were written at once: they are in different steps.
func (f *full) purchases() iter.Seq[step] {
	return func(yield func(step) bool) {
		number := firstShopPurchase - 1
		for left := f.Purchases; len(left) > 0; {
			size := min(f.chunk, len(left))
			for size < len(left) && left[size].Ordered == left[size-1].Ordered { // not within an order
				size++
			}
			var waves [][]fields
			type orderKey struct{ supplier, day int }
			numbers, positions := map[orderKey]int{}, map[int]int{}
			for _, p := range left[:size] {
				key := orderKey{p.Supplier, p.Ordered}
				if _, ok := numbers[key]; !ok {
					number++
					numbers[key] = number
				}
				wave := positions[numbers[key]]
				positions[numbers[key]]++
				if wave == len(waves) {
					waves = append(waves, nil)
				}
				waves[wave] = append(waves[wave], f.purchaseFields(p, numbers[key], wave+1))
			}
			for _, wave := range waves {
				if !yield(step{warehouseKey, "purchase_order_lines", "records", accepted(wave)}) {
					return
				}
			}
			left = left[size:]
		}
	}
}

// purchaseFields returns a line of a purchase order.
func (f *full) purchaseFields(p shop.Purchase, number, position int) fields {
	a, from := f.Articles[p.Article], f.Suppliers[p.Supplier]
	record := fields{
		"external_id", fmt.Sprintf("PO-%d-%d", number, position), "order_no", fmt.Sprintf("PO-%d", number),
		"sku", a.SKU, "status", "ordered", "quantity_ordered", p.Quantity,
		"expected_arrival_date", f.Date(p.Due).Format(time.DateOnly), "price_per_unit", money(a.Cost.In(from.Currency)),
		"currency", from.Currency, "supplier_id", from.ID, "product_id", a.ID,
		"ordered_at", f.Date(p.Ordered).Add(10 * time.Hour),
	}
	if p.Arrived < f.Options.Days {
		record.set("status", "received")
		record = append(record, "quantity_received", p.Quantity, "received_at", f.Date(p.Arrived).Add(9*time.Hour))
	}
	return record
}

// orders returns the sales orders, in parts that are valid until the next one.
func (f *full) orders() iter.Seq[[]order] {
	return func(yield func([]order) bool) {
		part := make([]order, 0, f.chunk)
		for made := range f.Orders() {
			if part = append(part, f.order(made)); len(part) < f.chunk {
				continue
			}
			if !yield(part) {
				return
			}
			part = part[:0]
		}
		if len(part) > 0 {
			yield(part)
		}
	}
}

// order returns a made order as the shop sends it.
func (f *full) order(made shop.Order) order {
	o := order{
		id: fmt.Sprintf("gid://shopify/Order/56%010d", made.Number), number: firstShopOrder + made.Number, at: made.At,
		status: made.Status, test: made.Test, guest: made.Customer == shop.Guest, buyer: &customer{country: made.Country},
	}
	if !o.guest {
		o.buyer = &f.customers[made.Customer]
	}
	for _, l := range made.Lines {
		gross, discount := money(l.Unit)*money(l.Quantity), money(l.Discount)
		o.lines = append(o.lines, line{
			product: f.products[l.Article], quantity: l.Quantity, returned: l.Returned, unit: money(l.Unit), gross: gross,
			discount: discount, tax: (gross - discount).percent(taxes[made.Country]),
		})
	}
	return o
}

// refusedLines is the number of lines that a till sends with other names for the fields.
const refusedLines = 90

// refused returns lines that are refused, and that a field mapping fixes.
func (f *full) refused() (all []record) {
	for made := range f.Orders() {
		o := f.order(made)
		all = append(all, refused("required", fields{
			"external_id", fmt.Sprintf("till-3-%05d", 60_117+made.Number), "order_id", o.id, "sku", o.lines[0].product.sku,
			"title", o.lines[0].product.title(), "qty", o.lines[0].quantity, "price", o.lines[0].unit,
		}))
		if len(all) == refusedLines {
			break
		}
	}
	return all
}
