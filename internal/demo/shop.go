package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/quayside/quayside/internal/shop"
)

const (
	customerCount = 200
	cafés         = 16 // the first customers
	orderCount    = 400
	orderDays     = 273 // nine months
	firstOrderNo  = 10480
)

// customer is a person or company that buys.
type customer struct {
	id, name, email, company, country, city string
	since                                   time.Time // their first order sets it
	number                                  int
}

func (c customer) currency() string {
	if c.country == "GB" {
		return "GBP"
	}
	return "EUR"
}

// makeCustomers makes customers in six countries. The first are cafés and hotels.
func makeCustomers() (customers []customer) {
	lists := map[string][]string{}
	for _, line := range shop.Lines(files, "people.txt") {
		name, list, _ := strings.Cut(line, "|")
		lists[name] = strings.Split(list, ",")
	}
	chance := dice("customers")
	countries := []string{"DE", "AT", "NL", "FR", "IE", "GB"}
	for i := range customerCount {
		given, family := lists["given"][chance.IntN(len(lists["given"]))], lists["family"][chance.IntN(len(lists["family"]))]
		country := countries[pick(chance, []float64{52, 9, 11, 8, 5, 15})]
		c := customer{
			id: fmt.Sprintf("gid://shopify/Customer/6%011d", 207119*(i+31)), name: given + " " + family,
			email:   fmt.Sprintf("%s.%s%d@mail.example", plain(given), plain(family), i+1),
			country: country, city: lists[country][chance.IntN(len(lists[country]))], number: i,
		}
		if i < cafés {
			c.company = lists["café"][i]
			c.email = "orders@" + plain(c.company) + ".example"
		}
		customers = append(customers, c)
	}
	return customers
}

// plain returns the text in lower-case ASCII letters and digits, for email addresses.
func plain(text string) string {
	text = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "é", "e", "è", "e", "ë",
		"e").Replace(strings.ToLower(text))
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, text)
}

// fields returns the customer as the shop sends it.
func (c customer) fields() fields {
	f := fields{
		"external_id", c.id, "name", c.name, "email", c.email, "company", c.company, "country", c.country, "city", c.city,
		"accepts_marketing", c.number%3 != 0, "source_created_at", c.since,
		"locale", map[string]string{"DE": "de-DE", "AT": "de-AT", "NL": "nl-NL", "FR": "fr-FR", "IE": "en-IE",
			"GB": "en-GB"}[c.country],
	}
	switch {
	case c.company != "":
		return append(f, "tags", "wholesale", "phone", fmt.Sprintf("+49 40 555 %04d", 2000+c.number))
	case c.number%29 == 5:
		return append(f, "note", "Please no paper bills")
	}
	return f
}

// order is a sales order with its lines.
type order struct {
	id     string
	number int
	at     time.Time
	status string
	buyer  *customer
	guest  bool // ordered without an account
	test   bool
	lines  []line
}

// line is an article on an order.
type line struct {
	product                    product
	quantity, returned         int
	unit, gross, discount, tax money
}

// months and weekdays are relative sales, from January and Sunday on. Most is sold before
// Christmas and on Sundays.
var (
	months   = []float64{0.9, 0.85, 0.9, 0.85, 0.8, 0.75, 0.7, 0.75, 0.95, 1.1, 1.5, 1.8}
	weekdays = []float64{1.35, 1.1, 0.95, 0.9, 0.9, 0.85, 1.1}
)

// taxes are tax rates in percent, by country.
var taxes = map[string]int{"DE": 19, "AT": 20, "NL": 21, "FR": 20, "IE": 23, "GB": 20}

// makeOrders makes the orders of the nine months until yesterday, oldest first, and sets since
// of the customers.
func makeOrders(today time.Time, customers []customer, products []product) (orders []order) {
	chance := dice("orders")
	var weights []float64
	for day := range orderDays {
		date := today.AddDate(0, 0, day-orderDays)
		growth := 1 + 0.3*float64(day)/orderDays
		weights = append(weights, months[date.Month()-1]*weekdays[date.Weekday()]*growth)
	}
	days := make([]int, orderCount)
	for i := range days {
		days[i] = pick(chance, weights)
	}
	slices.Sort(days)
	for i, day := range days {
		minutes := time.Duration(7*60+pick(chance,
			[]float64{6, 9, 10, 11, 11, 10, 9, 9, 11, 14, 17, 20, 18, 12, 6, 3})*60+chance.IntN(60)) * time.Minute
		o := order{
			id: fmt.Sprintf("gid://shopify/Order/5%011d", 450789*(i+53)), number: firstOrderNo + i,
			at: today.AddDate(0, 0, day-orderDays).Add(minutes), guest: chance.IntN(100) < 12,
		}
		o.test = o.number%190 == 7
		o.buyer = &customers[pick(chance, buyers)]
		if o.buyer.since.IsZero() {
			o.buyer.since = o.at.Add(-time.Duration(chance.IntN(60*24*90)) * time.Minute)
		}
		o.status = o.state(chance, today)
		o.addLines(chance, products)
		orders = append(orders, o)
	}
	for i := range customers {
		if customers[i].since.IsZero() { // signed up, but has not bought yet
			customers[i].since = today.AddDate(0, 0, -2-chance.IntN(200)).Add(11 * time.Hour)
		}
	}
	return orders
}

// buyers are the relative frequencies of the customers' orders: cafés order every few weeks,
// some people often.
var buyers = func() (weights []float64) {
	for i := range customerCount {
		if i < cafés {
			weights = append(weights, 0.8)
			continue
		}
		weights = append(weights, 30/(12+float64(i)))
	}
	return weights
}()

// state draws an order's status. A recent order is open.
func (o order) state(chance *rand.Rand, today time.Time) string {
	switch roll := chance.IntN(100); {
	case roll < 4:
		return "cancelled"
	case roll < 5:
		return "failed"
	case roll < 6:
		return "draft"
	case today.Sub(o.at) < 4*24*time.Hour:
		return "open"
	}
	return "completed"
}

// addLines adds one to four articles to an order, in larger quantities for a café.
func (o *order) addLines(chance *rand.Rand, products []product) {
	weights := make([]float64, len(products))
	for i, p := range products {
		weights[i] = p.weight * season(p, o.at.Month())
	}
	count, wholesale := 1+pick(chance, []float64{26, 35, 24, 15}), o.buyer.company != ""
	discount := 0
	if o.at.Month() == time.November && o.at.Day() >= 20 {
		discount = 15
	} else if chance.IntN(100) < 7 {
		discount = 10
	}
	for range count {
		at := pick(chance, weights)
		if weights[at] == 0 {
			continue // an article appears once on an order
		}
		weights[at] = 0
		l := line{product: products[at], quantity: 1 + pick(chance, []float64{74, 20, 6})}
		if wholesale {
			l.quantity *= 6
		}
		l.unit = l.product.price.in(o.buyer.currency())
		l.gross = l.unit * money(l.quantity)
		l.discount = l.gross.percent(discount)
		l.tax = (l.gross - l.discount).percent(taxes[o.buyer.country])
		if o.status == "completed" && chance.IntN(100) < 4 {
			l.returned = 1
		}
		o.lines = append(o.lines, l)
	}
}

// season returns how much better a product sells in a month.
func season(p product, month time.Month) float64 {
	winter := month >= time.October || month <= time.February
	switch {
	case p.category == "Cold brew":
		return map[bool]float64{true: 0.3, false: 2.2}[winter]
	case p.family == "Gifts" && (month == time.November || month == time.December):
		return 6
	case p.family == "Tea" && winter, p.category == "Chocolate" && winter:
		return 1.5
	}
	return 1
}
