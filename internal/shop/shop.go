// Package shop simulates a shop and records the truth about it: the real demand for every
// article on every day, beside the sales.
//
// It is pure: the same options give the same shop. The demo is therefore the same on every run
// of a day. Forecasts can be judged by values they could not see: the true mean demand, the
// season, the lead times, and the sales lost to empty shelves.
//
// Days are counted from 0, the first, to Days-1, which is yesterday. A day is a day in UTC.
// Orders arrive between 6 and 21 o'clock, so that time zones from UTC-6 to UTC+2 see the same
// day.
//
// Stock is held per article, and demand that finds no stock is lost. Returned goods are not
// sold again. Cancelled, draft, failed and test orders are made in addition: they take nothing
// from stock, and Sold does not count them.
package shop

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// Law is the model that demand is drawn from.
type Law string

// The laws.
const (
	// LawA draws each day from a negative binomial distribution. The logarithm of its level is
	// a random walk.
	LawA Law = "a"
	// LawB is a compound Poisson process: customers come at random and buy several units. Its
	// level stays for some months and then jumps.
	LawB Law = "b"
)

// Options describe the shop to make. Zero values mean the defaults given here.
type Options struct {
	Seed      uint64
	Today     time.Time // the day after the last one; the time of day is ignored
	Law       Law       // LawA
	Articles  int       // 1,200
	Suppliers int       // 40
	Days      int       // 730
	Lines     int       // approximate number of order lines; 150 for each article
}

func (o Options) withDefaults() Options {
	o.Today = o.Today.UTC().Truncate(24 * time.Hour)
	if o.Law == "" {
		o.Law = LawA
	}
	for value, otherwise := range map[*int]int{&o.Articles: 1200, &o.Suppliers: 40, &o.Days: 730} {
		if *value == 0 {
			*value = otherwise
		}
	}
	if o.Lines == 0 {
		o.Lines = 150 * o.Articles
	}
	return o
}

// Shop is a simulated shop. It must not be changed.
type Shop struct {
	Options    Options // with defaults filled in
	Families   []Family
	Suppliers  []Supplier
	Articles   []Article
	History    []History // by article
	Promotions []Promotion
	Outliers   []Outlier
	Purchases  []Purchase // sorted by the day of the order, then by article
	Customers  []Customer

	promoted [][]Promotion // by article
	regulars int           // the number of regular customers, who come first in Customers
}

// Date returns the midnight at which a day begins.
func (s *Shop) Date(day int) time.Time { return s.Options.date(day) }

func (o Options) date(day int) time.Time { return o.Today.AddDate(0, 0, day-o.Days) }

// History is the history of one article, by day.
type History struct {
	Mean     []float32 // true mean demand: level, season, weekday and promotion
	Demanded []int32   // units demanded, including outliers
	Sold     []int32   // units sold, including those returned later
	Stock    []int32   // units on hand at the end of the day
}

// InStock reports whether the article was in stock at any time of the day.
func (h History) InStock(day int) bool { return h.Stock[day]+h.Sold[day] > 0 }

// Make simulates a shop.
func Make(options Options) *Shop {
	o := options.withDefaults()
	s := &Shop{Options: o, Families: readFamilies(), Suppliers: makeSuppliers(o)}
	s.Articles = makeArticles(o, s.Families, s.Suppliers)
	s.Promotions = makePromotions(o, s.Articles)
	s.promoted = byArticle(s.Promotions, o.Articles)
	s.History = make([]History, o.Articles)

	// Articles do not depend on each other, so they are made concurrently.
	calendar := newCalendar(s)
	purchases, outliers := make([][]Purchase, o.Articles), make([][]Outlier, o.Articles)
	var running sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for i := worker; i < o.Articles; i += runtime.GOMAXPROCS(0) {
				s.History[i], outliers[i] = calendar.demand(i)
				purchases[i] = s.supply(i, s.History[i])
			}
		})
	}
	running.Wait()
	s.Outliers = slices.Concat(outliers...)
	s.Purchases = slices.Concat(purchases...)
	slices.SortStableFunc(s.Purchases, func(a, b Purchase) int { return a.Ordered - b.Ordered })
	s.Customers, s.regulars = makeCustomers(o, len(s.Families))
	return s
}
