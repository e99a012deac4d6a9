// Package shop makes a shop that never was, with the truth about it: what was really
// wanted of every article on every day, beside what could be sold of it.
//
// It is pure. The same options give the same shop, so that the demo is the same on every
// run of a day, and a forecast can be judged by what it could not see: the true mean
// demand, the season, the lead times, and the sales that empty shelves lost.
//
// Days are counted from 0, the first, to Days-1, which is yesterday. A day is one of UTC;
// orders come between 6 and 21 o'clock, so that a zone from UTC-6 to UTC+2 has the same day.
//
// Stock is held per article and demand is lost when there is none. Returned goods are not
// sold again. Orders that are cancelled, drafts, failed or tests are made in addition:
// they take nothing from stock, and Sold does not count them.
package shop

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// Law is how demand comes about.
type Law string

// The laws.
const (
	// LawA: negative binomial days around a level whose logarithm is a random walk.
	LawA Law = "a"
	// LawB: compound Poisson, customers who come by chance and take several, around a
	// level that stays for some months and then jumps.
	LawB Law = "b"
)

// Options say which shop is made. Zero values have the defaults named.
type Options struct {
	Seed      uint64
	Today     time.Time // the day after the last one; its time of day is ignored
	Law       Law       // LawA
	Articles  int       // 1,200
	Suppliers int       // 40
	Days      int       // 730
	Lines     int       // about how many order lines there are; 150 for each article
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

// Shop is what was made. It must not be changed.
type Shop struct {
	Options    Options // with defaults filled in
	Families   []Family
	Suppliers  []Supplier
	Articles   []Article
	History    []History // by article
	Promotions []Promotion
	Outliers   []Outlier
	Purchases  []Purchase // by the day of their order, then by article
	Customers  []Customer

	regulars int // the first of the customers, who come by themselves
}

// Date is the midnight at which a day begins.
func (s *Shop) Date(day int) time.Time { return s.Options.date(day) }

func (o Options) date(day int) time.Time { return o.Today.AddDate(0, 0, day-o.Days) }

// History is what happened to one article, by day.
type History struct {
	Mean     []float32 // the true mean demand: level, season, weekday and promotion
	Demanded []int32   // what was wanted, outliers included
	Sold     []int32   // what could be sold of it, returned units included
	Stock    []int32   // on hand when the day ends
}

// InStock says whether any was there at some time of the day.
func (h History) InStock(day int) bool { return h.Stock[day]+h.Sold[day] > 0 }

// Make makes a shop.
func Make(options Options) *Shop {
	o := options.withDefaults()
	s := &Shop{Options: o, Families: readFamilies(), Suppliers: makeSuppliers(o)}
	s.Articles = makeArticles(o, s.Families, s.Suppliers)
	s.Promotions = makePromotions(o, s.Articles)
	s.History = make([]History, o.Articles)

	// An article depends on no other one: they are made side by side.
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
