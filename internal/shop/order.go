package shop

import (
	"iter"
	"math/rand/v2"
	"slices"
	"time"
)

// Guest is the customer of an order that was placed without an account.
const Guest = -1

// Order is a sales order.
type Order struct {
	Number            int // from 1
	Day               int
	At                time.Time
	Customer          int // position in the shop's list, or Guest
	Country, Currency string
	Status            string // completed, open, cancelled, draft or failed
	Test              bool
	Lines             []Line
}

// Valid reports whether the order is a sale. History.Sold counts valid orders only.
func (o Order) Valid() bool { return !o.Test && (o.Status == "completed" || o.Status == "open") }

// Line is an article on an order.
type Line struct {
	Article, Quantity, Returned int
	Unit, Discount              Money // in the order's currency; Discount is on the whole line
}

// openDays is how long an order stays open. Nothing of an open order is returned.
const openDays = 3

// Orders returns the orders, oldest first. It holds the orders of one day at a time, and every
// call makes the same orders.
func (s *Shop) Orders() iter.Seq[Order] {
	return func(yield func(Order) bool) {
		till := newTill(s)
		number := 0
		for day := range s.Options.Days {
			for _, order := range till.day(day) {
				number++
				order.Number = number
				if !yield(order) {
					return
				}
			}
		}
	}
}

// till turns the units sold on a day into customers' orders.
type till struct {
	shop *Shop
	due  [][]int // regular customers by the day of their next visit
}

func newTill(s *Shop) *till {
	t := &till{shop: s, due: make([][]int, s.Options.Days+1)}
	for i, c := range s.Customers[:s.regulars] {
		chance := s.Options.dice("first visit", i)
		first := max(c.start, 0)
		if c.start < 0 { // already a customer: the first visit lies within one cadence
			first = chance.IntN(int(c.Cadence) + 1)
		}
		t.expect(i, first)
	}
	return t
}

func (t *till) expect(customer, day int) {
	if day < t.shop.Options.Days && day < t.shop.Customers[customer].Lapsed {
		t.due[day] = append(t.due[day], customer)
	}
}

// day makes a day's orders. Regular customers who are due buy first. A customer who finds no
// lines left comes back the next day. Other customers buy the remaining lines.
func (t *till) day(day int) (orders []Order) {
	s := t.shop
	chance := s.Options.dice("orders", day)
	shelves := t.shelves(chance, day)
	due := t.due[day]
	t.due[day] = nil
	chance.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	for _, customer := range due {
		if shelves.left == 0 {
			t.expect(customer, day+1)
			continue
		}
		c := s.Customers[customer]
		orders = append(orders, t.order(chance, day, customer, shelves.take(chance, basket(chance, c), c.Family)))
		t.expect(customer, day+c.gap(chance))
	}
	for shelves.left > 0 {
		customer, family := t.passer(chance, day), chance.IntN(len(s.Families))
		if customer != Guest {
			family = s.Customers[customer].Family
		}
		orders = append(orders, t.order(chance, day, customer, shelves.take(chance, 1+pick(chance, 3, 4, 3, 2), family)))
	}
	orders = append(orders, t.noise(chance, day, orders)...)
	slices.SortStableFunc(orders, func(a, b Order) int { return a.At.Compare(b.At) })
	return orders
}

// basket draws how many lines a regular customer buys.
func basket(chance *rand.Rand, c Customer) int {
	if c.Company != "" {
		return 4 + chance.IntN(6)
	}
	return 1 + pick(chance, 2, 4, 3, 2, 1)
}

// passer draws a customer who found the shop recently, or a guest.
func (t *till) passer(chance *rand.Rand, day int) int {
	others := len(t.shop.Customers) - t.shop.regulars
	found := (day + 1) * others / t.shop.Options.Days
	if found == 0 || chance.Float64() < 0.15 {
		return Guest
	}
	recent := max(1, min(found, others/12))
	return t.shop.regulars + found - 1 - chance.IntN(recent)
}

// order makes an order with these lines.
func (t *till) order(chance *rand.Rand, day, customer int, lines []Line) Order {
	s := t.shop
	hour := 6 + pick(chance, 2, 4, 6, 8, 9, 10, 10, 8, 7, 7, 8, 11, 14, 16, 12)
	o := Order{Day: day, Customer: customer, Status: "completed", Country: "DE", Lines: lines,
		At: s.Date(day).Add(time.Duration(hour*3600+chance.IntN(3600)) * time.Second)}
	if customer != Guest {
		o.Country = s.Customers[customer].Country
	}
	o.Currency = currencyOf(o.Country)
	if day >= s.Options.Days-openDays {
		o.Status = "open"
	}
	coupon := 0
	if chance.Float64() < 0.06 {
		coupon = 10
	}
	for i := range o.Lines {
		l := &o.Lines[i]
		l.Unit = s.Articles[l.Article].Price.In(o.Currency)
		l.Discount = (l.Unit * Money(l.Quantity)).percent(max(coupon, t.discount(l.Article, day)))
		for range l.Quantity {
			if o.Status == "completed" && chance.Float64() < s.Articles[l.Article].ReturnRate {
				l.Returned++
			}
		}
	}
	return o
}

func (t *till) discount(article, day int) (percent int) {
	for _, p := range t.shop.promoted[article] {
		if p.on(day) {
			percent = max(percent, p.Discount)
		}
	}
	return percent
}

// noise returns orders that are no sales, with the same lines as some of the day's sales.
func (t *till) noise(chance *rand.Rand, day int, sales []Order) (all []Order) {
	for _, sale := range sales {
		which := pick(chance, 94, 4, 0.7, 0.7, 0.3)
		if which == 0 {
			continue
		}
		o := t.order(chance, day, sale.Customer, slices.Clone(sale.Lines))
		o.Status = []string{"", "cancelled", "draft", "failed", "completed"}[which]
		o.Test = which == 4
		for i := range o.Lines {
			o.Lines[i].Returned = 0
		}
		all = append(all, o)
	}
	return all
}

// shelves are the lines of a day that no customer has bought yet, by family.
type shelves struct {
	lines [][]Line
	left  int
}

// shelves splits the units sold on a day into lines.
func (t *till) shelves(chance *rand.Rand, day int) *shelves {
	s := &shelves{lines: make([][]Line, len(t.shop.Families))}
	for i, a := range t.shop.Articles {
		for units := int(t.shop.History[i].Sold[day]); units > 0; {
			l := Line{Article: i, Quantity: min(units, lot(chance, a.Size))}
			units -= l.Quantity
			s.lines[a.Family] = append(s.lines[a.Family], l)
			s.left++
		}
	}
	for _, lines := range s.lines {
		chance.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	return s
}

// take takes up to count lines, mostly of one family. Lines of the same article are merged.
func (s *shelves) take(chance *rand.Rand, count, family int) (taken []Line) {
	for tries := 0; len(taken) < count && s.left > 0 && tries < 3*count; tries++ {
		from := family
		if len(s.lines[from]) == 0 || chance.Float64() < 0.4 {
			from = chance.IntN(len(s.lines))
			for len(s.lines[from]) == 0 {
				from = (from + 1) % len(s.lines)
			}
		}
		last := len(s.lines[from]) - 1
		line := s.lines[from][last]
		if same := slices.IndexFunc(taken, func(l Line) bool { return l.Article == line.Article }); same >= 0 {
			taken[same].Quantity += line.Quantity
		} else {
			taken = append(taken, line)
		}
		s.lines[from] = s.lines[from][:last]
		s.left--
	}
	return taken
}
