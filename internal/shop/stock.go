package shop

import "math"

// Purchase is a quantity of one article ordered from its supplier. Purchases from one supplier
// on one day are one order and arrive together. An article's initial stock has no purchase.
type Purchase struct {
	Article, Supplier int
	Ordered           int // day of the order
	Due               int // day promised by the supplier
	Arrived           int // day of arrival; Days or later if it has not arrived
	Quantity          int
}

const (
	// cover is how many days of sales the buyer orders, beyond the next delivery.
	cover = 40
	// lookBack is how many days of sales the buyer considers.
	lookBack = 90
	// away is how many days the buyer has ordered nothing, so that the demo has orders to
	// place.
	away = 10
)

// supply sells the demanded units while stock lasts, and writes sales and stock into the
// history. It orders like a buyer who considers the sales of the last months. Seasons and late
// suppliers surprise that buyer, so shelves are empty at times.
func (s *Shop) supply(article int, h History) (purchases []Purchase) {
	a, days := s.Articles[article], s.Options.Days
	from := s.Suppliers[a.Supplier]
	start := max(a.Launch, 0)
	stock := a.round(a.Level * float64(from.Lead+from.Cycle+cover) * s.Families[a.Family].Season[s.Date(start).Month()-1])
	onOrder, rate := 0, a.Level
	arrivals := make([]int, days)
	sold, shelf := make([]int, days+1), make([]int, days+1) // running sums of units sold and of days in stock
	for day := range days {
		sold[day+1], shelf[day+1] = sold[day], shelf[day]
		if day < start {
			continue
		}
		stock += arrivals[day]
		onOrder -= arrivals[day]
		units := min(int(h.Demanded[day]), stock)
		if stock > 0 {
			shelf[day+1]++
		}
		stock -= units
		sold[day+1] += units
		h.Sold[day], h.Stock[day] = int32(units), int32(stock) //nolint:gosec // small

		since := max(start, day+1-lookBack)
		if seen := shelf[day+1] - shelf[since]; seen > 7 {
			rate = float64(sold[day+1]-sold[since]) / float64(seen)
		}
		if (day+a.Supplier)%from.Cycle != 0 || day >= days-away || day > a.End-60 && a.End < days {
			continue
		}
		horizon := float64(from.Lead + from.Cycle)
		if position := float64(stock + onOrder); rate > 0 && position <= rate*horizon*a.nerve {
			p := Purchase{article, a.Supplier, day, day + from.Lead, day + s.LeadTime(a.Supplier, day),
				a.round(rate*(horizon*a.nerve+cover) - position)}
			purchases = append(purchases, p)
			onOrder += p.Quantity
			if p.Arrived < days {
				arrivals[p.Arrived] += p.Quantity
			}
		}
	}
	return purchases
}

// round rounds a quantity up to a multiple of the lot, at least one lot.
func (a Article) round(quantity float64) int {
	return max(1, int(math.Ceil(quantity/float64(a.Lot)))) * a.Lot
}

// LeadTime returns how many days the supplier takes for an order of this day.
func (s *Shop) LeadTime(supplier, day int) int {
	from := s.Suppliers[supplier]
	chance := s.Options.dice("lead", supplier*10_000+day)
	return max(1, int(math.Round(from.Median*math.Exp(from.Sigma*chance.NormFloat64()))))
}
