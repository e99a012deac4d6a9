package sales

import (
	"cmp"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/pg/q"
)

// touched are the orders, the days and weeks of articles, and the customers that lines which
// changed are part of.
type touched struct {
	orders      map[string]bool
	days, weeks map[articleDate]bool
	customers   map[string]pgtype.Date // the first day that changed
}

// always is the day before all others.
var always = pgtype.Date{InfinityModifier: pgtype.NegativeInfinity, Valid: true}

// articleDate is a day, or the first day of a week, of an article. The article is empty for
// lines that match none.
type articleDate struct {
	article string
	date    pgtype.Date
}

func newTouched() *touched {
	return &touched{orders: map[string]bool{}, days: map[articleDate]bool{}, weeks: map[articleDate]bool{},
		customers: map[string]pgtype.Date{}}
}

// add adds what a line is part of.
func (t *touched) add(line q.LineKeysRow) {
	t.orders[line.OrderID] = true
	t.days[articleDate{line.ProductID, line.Day}] = true
	t.weeks[articleDate{line.ProductID, line.Week}] = true
	if line.CustomerID == nil {
		return
	}
	since, known := t.customers[*line.CustomerID]
	if !known || since.InfinityModifier == pgtype.Finite && line.Day.Time.Before(since.Time) {
		t.customers[*line.CustomerID] = line.Day
	}
}

// addCustomers adds all days of customers.
func (t *touched) addCustomers(ids []string) {
	for _, id := range ids {
		t.customers[id] = always
	}
}

// customersOf returns the customers, and the first day of each that changed.
func (t *touched) customersOf() (customers []string, days []pgtype.Date) {
	for _, customer := range slices.Sorted(maps.Keys(t.customers)) {
		customers, days = append(customers, customer), append(days, t.customers[customer])
	}
	return customers, days
}

func (t *touched) orderIDs() []string { return slices.Sorted(maps.Keys(t.orders)) }

func (t *touched) daysOf() (days []pgtype.Date, articles []string)   { return split(t.days) }
func (t *touched) weeksOf() (weeks []pgtype.Date, articles []string) { return split(t.weeks) }

// split returns the dates and the articles of pairs, in the order of the articles.
func split(pairs map[articleDate]bool) (dates []pgtype.Date, articles []string) {
	for _, pair := range slices.SortedFunc(maps.Keys(pairs), func(a, b articleDate) int {
		return cmp.Or(cmp.Compare(a.article, b.article), a.date.Time.Compare(b.date.Time))
	}) {
		dates, articles = append(dates, pair.date), append(articles, pair.article)
	}
	return dates, articles
}

// totals returns the weeks of all articles.
func (t *touched) totals() []pgtype.Date {
	weeks := map[pgtype.Date]bool{}
	for week := range t.weeks {
		weeks[week.date] = true
	}
	return slices.SortedFunc(maps.Keys(weeks), func(a, b pgtype.Date) int { return a.Time.Compare(b.Time) })
}

// articles returns the touched articles and those given, without repetition.
func (t *touched) articles(others []string) []string {
	articles := map[string]bool{}
	for day := range t.days {
		if day.article != "" {
			articles[day.article] = true
		}
	}
	for _, other := range others {
		articles[other] = true
	}
	return slices.Sorted(maps.Keys(articles))
}
