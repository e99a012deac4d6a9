package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/shop"
)

// supplier is a company that sells us articles.
type supplier struct {
	id, name, country, currency string
	lead                        int // days
	fields                      fields
}

// readSuppliers reads the suppliers.
func readSuppliers() (suppliers []supplier) {
	for _, line := range shop.Lines(files, "suppliers.txt") {
		f := strings.Split(line, "|")
		s := supplier{id: f[0], name: f[1], country: f[2], currency: f[3], lead: number(f[4])}
		s.fields = fields{
			"external_id", s.id, "name", s.name, "email", f[9], "contact_name", f[8], "phone", f[10],
			"currency", s.currency, "lead_time_days", s.lead, "order_cycle_days", number(f[5]),
			"min_order_value", money(number(f[6]) * 100), "payment_terms_days", number(f[7]),
			"country", s.country, "active", f[11] == "yes", "note", f[12],
		}
		if home, known := homes[s.country]; known {
			s.fields = append(s.fields, "address", fmt.Sprintf(home.address, len(suppliers)+1), "language", home.language)
		}
		if f[13] != "" {
			s.fields = append(s.fields, "free_shipping_value", money(number(f[13])*100))
		}
		suppliers = append(suppliers, s)
	}
	return suppliers
}

// homes say where the suppliers of a country are, with a house number, and in which language they read orders.
var homes = map[string]struct{ address, language string }{
	"AT": {"Am Heumarkt %d\n1030 Wien\nÖsterreich", "de"},
	"BE": {"Scheldestraat %d\n2000 Antwerpen\nBelgië", "nl"},
	"CH": {"Uferstrasse %d\n4057 Basel\nSchweiz", "de"},
	"DE": {"Am Sandtorkai %d\n20457 Hamburg\nDeutschland", "de"},
	"DK": {"Havnegade %d\n1058 København\nDanmark", "en"},
	"ES": {"Calle del Puerto %d\n46024 Valencia\nEspaña", "es"},
	"FR": {"%d quai des Chartrons\n33000 Bordeaux\nFrance", "fr"},
	"GB": {"%d Quay Street\nBristol BS1 4DJ\nUnited Kingdom", "en"},
	"IT": {"Via del Porto %d\n16126 Genova\nItalia", "it"},
	"NL": {"Maaskade %d\n3071 NC Rotterdam\nNederland", "nl"},
}

// product is one variant of an article.
type product struct {
	id, parent, sku, name, variant, family, category string
	supplier                                         supplier
	price                                            money // in euros
	cost                                             money // in the supplier's currency
	weight                                           float64
	stock                                            []int // by stock count; the last one is current
	place                                            int
}

// title returns the article's name as it appears on an order line.
func (p product) title() string {
	if p.variant == "" {
		return p.name
	}
	return p.name + " " + p.variant
}

// costs are the purchase prices of a family's articles, in percent of the sales price.
var costs = map[string]int{
	"Tea": 36, "Coffee": 52, "Teaware": 48, "Coffee gear": 58, "Kitchen": 54, "Pantry": 50, "Gifts": 45,
}

// countedDaysAgo lists the days of the stock counts. The last count is made while the demo is
// filled. It follows the receipts, which are booked then, and so includes them.
var countedDaysAgo = []int{90, 60, 30, 7, 0}

// readProducts reads the articles, one for each variant. The first articles of a family sell
// best, with a long tail.
func readProducts(suppliers []supplier) (products []product) {
	byID := map[string]supplier{}
	for _, s := range suppliers {
		byID[s.id] = s
	}
	rank := map[string]int{}
	chance := dice("stock")
	for parent, line := range shop.Lines(files, "products.txt") {
		f := strings.Split(line, "|")
		for variant := range strings.SplitSeq(f[5], " / ") {
			v := strings.Split(variant, ":")
			rank[f[1]]++
			p := product{
				id:     fmt.Sprintf("gid://shopify/ProductVariant/4%011d", 390728*(len(products)+17)),
				parent: fmt.Sprintf("gid://shopify/Product/7%011d", 632910*(parent+11)),
				sku:    strings.TrimSuffix(f[0]+"-"+v[0], "-"),
				name:   f[3], variant: v[1], family: f[1], category: f[2],
				supplier: byID[f[4]], price: price(v[2]), place: len(products),
				weight: 10 / (2 + float64(rank[f[1]])),
			}
			p.cost = p.price.percent(costs[p.family]).in(p.supplier.currency)
			for i := range countedDaysAgo {
				p.stock = append(p.stock, chance.IntN(12)+int(p.weight*float64(10+chance.IntN(18))))
				if p.place%15 == 4 && i == len(countedDaysAgo)-1 || p.place%23 == 7 && i == 3 {
					p.stock[i] = 0 // sold out now, or a week ago
				}
			}
			products = append(products, p)
		}
	}
	return products
}

// fields returns the article as the shop sends it, with its first stock count.
func (p product) fields(today time.Time) fields {
	lot := []int{6, 12, 24}[p.place%3]
	status := "active"
	if p.place%40 == 39 {
		status = "archived"
	}
	vendor := p.supplier.name
	if p.family == "Tea" || p.family == "Coffee" || p.family == "Gifts" {
		vendor = Company
	}
	id, parent := any(p.id), any(p.parent)
	if p.family == "Pantry" { // not sold in the web shop, so only its SKU identifies it
		id, parent = nil, nil
	}
	launched := today.AddDate(0, 0, -280-13*(p.place%60))
	return append(fields{
		"external_id", id, "sku", p.sku, "product_external_id", parent, "barcode", barcode(p.place),
		"name", p.name, "variant_name", p.variant, "family", p.family, "category", p.category, "vendor", vendor,
		"status", status, "price", p.price, "currency", "EUR", "unit_cost", p.cost, "cost_currency", p.supplier.currency,
		"track_inventory", true, "allow_backorder", p.family == "Gifts", "supplier_id", p.supplier.id,
		"supplier_sku", fmt.Sprintf("%s-%04d", p.supplier.id[4:], 100+p.place), "lead_time_days", p.supplier.lead,
		"moq", lot, "order_multiple", lot, "safety_stock", int(p.weight * 3), "reorder_point", int(p.weight * 9),
		"cover_days", 45, "do_not_reorder", status == "archived", "launched_at", launched,
		"tags", strings.ToLower(p.family + ", " + p.category),
	}, p.counted(p.countedAt(today, 0), 0)...)
}

// countedAt returns the time of the n-th stock count, on the evening of its day.
func (p product) countedAt(today time.Time, n int) time.Time {
	return today.AddDate(0, 0, -countedDaysAgo[n]).Add(18*time.Hour + time.Duration(p.place)*time.Minute/3)
}

// counted returns the result of the n-th stock count.
func (p product) counted(at time.Time, n int) fields {
	committed := min(p.stock[n], p.place%4)
	return fields{
		"stock_on_hand", p.stock[n], "stock_committed", committed, "stock_available", p.stock[n] - committed,
		"stock_updated_at", at,
	}
}

// key returns the field that identifies the article.
func (p product) key() fields {
	if p.family == "Pantry" {
		return fields{"sku", p.sku}
	}
	return fields{"external_id", p.id}
}

// ref returns the value with which other records refer to the article.
func (p product) ref() any {
	if p.family == "Pantry" {
		return nil // a reference needs an external id, which the article lacks
	}
	return p.id
}

// barcode returns an EAN with its check digit.
func barcode(n int) string {
	digits := fmt.Sprintf("426077%06d", 1200+7*n)
	weighted := 0
	for i, digit := range digits {
		weighted += int(digit-'0') * (1 + 2*(i%2))
	}
	return digits + strconv.Itoa((10-weighted%10)%10)
}
