package main

import (
	"time"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/shop"
)

const (
	yearDays = 364    // that are judged
	warmDays = 13 * 7 // before them, in which each policy gets over what the shop's buyer left
	oldest   = 28     // days that an article must have been offered for when the warm-up starts
	logDays  = 56 * 7 // older entries of the forecast log count for nothing
	euro     = 100    // hundredths
)

// today is the day on which the made shops end, a Monday.
var today = time.Date(2026, 7, 6, 0, 0, 0, 0, time.UTC)

// size says how large the made shops are.
type size struct {
	seed            uint64
	articles, weeks int
}

// world is a made shop on the day on which the policies take over from its own buyer. Policies meet
// the same customers and the same lead times, whatever they do.
type world struct {
	name  string
	shop  *shop.Shop
	start int // the first day of the policies; the year starts warmDays later
	items []item
	log   []demand.Entry // of the forecasts before start

	deliveries [][]demand.Delivery // before start, by supplier
}

// item is an article of the world, as its buyer left it.
type item struct {
	shop.Article
	index      int // in the shop
	history    shop.History
	sales      demand.Article // complete weeks before start
	stock      int
	open       []line
	deliveries []demand.Delivery
	dispersion float64 // the true variance of a day's demand, per unit of its mean
}

// line is an order that has not arrived.
type line struct {
	ordered, arrives int
	due              *int // as the supplier promised the shop's own buyer; nil: a policy's order
	quantity         int
}

// newWorld makes a shop and takes the articles that are offered at the start. Articles that end
// before it, or are launched after it, are left out: nobody plans them from a history.
func newWorld(name string, law shop.Law, of size) *world {
	made := shop.Make(shop.Options{Seed: of.seed, Today: today, Law: law, Articles: of.articles, Days: 7 * of.weeks,
		Lines: 150 * of.articles * of.weeks / 104})
	w := &world{name: name, shop: made, start: 7*of.weeks - yearDays - warmDays}
	w.deliveries = make([][]demand.Delivery, len(made.Suppliers))
	at := map[int]int{}
	for i, a := range made.Articles {
		if sales, sold := w.past(i); sold && a.Launch <= w.start-oldest && a.End > w.start {
			at[i] = len(w.items)
			w.items = append(w.items, item{Article: a, index: i, history: made.History[i], sales: sales,
				stock: int(made.History[i].Stock[w.start-1]), dispersion: dispersion(made.History[i])})
		}
	}
	for _, p := range made.Purchases {
		if p.Ordered >= w.start {
			break // they are sorted
		}
		if p.Arrived < w.start {
			w.deliveries[p.Supplier] = append(w.deliveries[p.Supplier], w.delivery(p.Ordered, p.Arrived))
		}
		i, known := at[p.Article]
		if !known {
			continue
		}
		if it := &w.items[i]; p.Arrived < w.start {
			it.deliveries = append(it.deliveries, w.delivery(p.Ordered, p.Arrived))
		} else {
			it.open = append(it.open, line{ordered: p.Ordered, arrives: p.Arrived, due: &p.Due, quantity: p.Quantity})
		}
	}
	sales := demand.Sales{End: w.day(w.start)}
	for _, it := range w.items {
		sales.Articles = append(sales.Articles, it.sales)
	}
	w.log = demand.Replay(sales, demand.Origins(sales.End-logDays, sales.End-7))
	return w
}

// past returns the article's complete weeks before the start, from its first sale on.
func (w *world) past(i int) (sales demand.Article, sold bool) {
	a, h := w.shop.Articles[i], w.shop.History[i]
	first := 0
	for first < w.start && h.Sold[first] == 0 {
		first++
	}
	sales = demand.Article{ID: a.ID, Family: w.shop.Families[a.Family].Name}
	for week := first / 7; 7*week < w.start; week++ {
		units, inStock := 0.0, 0
		for day := max(first, 7*week); day < 7*week+7; day++ {
			units += float64(h.Sold[day])
			if h.InStock(day) {
				inStock++
			}
		}
		sales.Units, sales.InStock = append(sales.Units, units), append(sales.InStock, inStock)
	}
	return sales, first < w.start
}

// dispersion returns how much an article's demand varies around its true mean.
func dispersion(h shop.History) float64 {
	var squares, mean float64
	for day, m := range h.Mean {
		miss := float64(h.Demanded[day]) - float64(m)
		squares += miss * miss
		mean += float64(m)
	}
	return max(1, squares/mean)
}

func (w *world) day(n int) demand.Day { return demand.DayOf(w.shop.Date(n)) }

func (w *world) delivery(ordered, arrived int) demand.Delivery {
	return demand.Delivery{Ordered: w.day(ordered), Arrived: w.day(arrived)}
}

// judged reports whether a day belongs to the year.
func (w *world) judged(day int) bool { return day >= w.start+warmDays }

// end returns the day after the last one.
func (w *world) end() int { return w.shop.Options.Days }
