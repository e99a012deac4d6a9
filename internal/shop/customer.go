package shop

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Customer is a person or company that buys. Regular customers return after about Cadence days.
// For the others Cadence is 0.
type Customer struct {
	ID, Name, Email, Company, Country, City string
	Since                                   time.Time // before the first order
	Cadence                                 float64   // days
	Lapsed                                  int       // the day from which the customer no longer comes, or Days
	Family                                  int       // the family of most of the customer's purchases

	start int // the first day on which the customer may come
}

// Currency returns the currency in which the customer pays.
func (c Customer) Currency() string { return currencyOf(c.Country) }

func currencyOf(country string) string {
	if country == "GB" {
		return "GBP"
	}
	return "EUR"
}

const (
	linesPerOrder = 2.9
	// regularShare is the share of orders that regular customers place.
	regularShare = 0.6
)

// cadences are the days between a regular customer's orders, weighted by how common they are.
var cadences = []struct{ days, weight float64 }{{14, 6}, {28, 20}, {42, 26}, {60, 26}, {90, 22}}

// makeCustomers makes the regular customers, then the others in the order in which they found
// the shop.
func makeCustomers(o Options, families int) (all []Customer, regulars int) {
	perDay, visits, weight := float64(o.Lines)/float64(o.Days)/linesPerOrder, 0.0, 0.0
	for _, cadence := range cadences {
		visits += cadence.weight / cadence.days
		weight += cadence.weight
	}
	// About a quarter of the regular customers have not come yet or no longer come.
	regulars = 1 + int(perDay*regularShare/(visits/weight)/0.75)
	others := 1 + o.Lines/45
	lists := words()
	all = make([]Customer, regulars+others)
	for i := range all {
		chance := o.dice("customer", i)
		c := &all[i]
		c.name(chance, lists, i)
		c.Family, c.Lapsed = chance.IntN(families), o.Days
		if i < regulars {
			c.comeAgain(chance, o.Days, i)
		} else {
			c.start = (i - regulars) * o.Days / others
		}
		c.Since = o.date(c.start).Add(-time.Duration(chance.IntN(60*24*20)) * time.Minute)
	}
	return all, regulars
}

func (c *Customer) name(chance *rand.Rand, lists map[string][]string, i int) {
	one := func(list string) string { return lists[list][chance.IntN(len(lists[list]))] }
	countries := []string{"DE", "AT", "NL", "FR", "IE", "GB"}
	c.Country = countries[pick(chance, 52, 9, 11, 8, 5, 15)]
	given, family := one("given"), one("family")
	c.ID, c.Name = fmt.Sprintf("gid://shopify/Customer/65%010d", 2027*(i+1)), given+" "+family
	c.Email = strings.ToLower(fmt.Sprintf("%s.%s.%d@mail.example", given, family, i+1))
	c.City = one(c.Country)
	if i%20 == 0 { // a reseller
		c.Company = one("place") + " " + family + ", " + c.City
		c.Email = fmt.Sprintf("orders@trade-%d.example", i+1)
	}
}

func (c *Customer) comeAgain(chance *rand.Rand, days, i int) {
	weights := make([]float64, len(cadences))
	for n, cadence := range cadences {
		weights[n] = cadence.weight
	}
	c.Cadence = cadences[pick(chance, weights...)].days * between(chance, 0.8, 1.2)
	if c.Company != "" {
		c.Cadence = between(chance, 10, 24)
	}
	c.start = -chance.IntN(400)
	if i%5 < 2 {
		c.start = chance.IntN(days)
	}
	if chance.Float64() < 0.2 {
		c.Lapsed = max(c.start, 0) + chance.IntN(days-max(c.start, 0)) + 1
	}
}

// gap draws the days until a regular customer returns.
func (c Customer) gap(chance *rand.Rand) int { return max(1, int(gamma(chance, 12, c.Cadence)+0.5)) }
