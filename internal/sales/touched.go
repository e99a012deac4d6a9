package sales

import (
	"cmp"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/pg/q"
)

// touched are the orders, days and weeks of articles that contain lines that changed.
type touched struct {
	orders      map[string]bool
	days, weeks map[articleDate]bool
}

// articleDate is a day, or the first day of a week, of an article. The article is empty for
// lines that match none.
type articleDate struct {
	article string
	date    pgtype.Date
}

func newTouched() *touched {
	return &touched{orders: map[string]bool{}, days: map[articleDate]bool{}, weeks: map[articleDate]bool{}}
}

// add adds what a line is part of.
func (t *touched) add(line q.LineKeysRow) {
	t.orders[line.OrderID] = true
	t.days[articleDate{line.ProductID, line.Day}] = true
	t.weeks[articleDate{line.ProductID, line.Week}] = true
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
