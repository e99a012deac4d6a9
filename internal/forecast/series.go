package forecast

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	week = 7
	// rateWeeks is how many weeks the rates of package demand look at.
	rateWeeks = 104
	// logWeeks is how long a forecast of the log counts.
	logWeeks = 52
	// logKept is for how many days an entry of the log is kept: those of a year count on a day
	// of the year before, too. The database allows no younger one to be deleted.
	logKept = 800
	// mostWeeks are read of each article: enough for the rates at the oldest origin that
	// counts, and for three years of a season.
	mostWeeks = rateWeeks + logWeeks
	// stockoutWeeks are the 84 days of stockout_days_84. It counts complete weeks, as the rates
	// do.
	stockoutWeeks = 12
)

// The flags of a forecast.
const (
	unknownStock = "unknown_stock" // stock was not counted on all days, and counts as available before
	noFamily     = "no_family"
	neverSold    = "never_sold"
	leftOut      = "implausible_sales" // sales that cannot be true are in no figure
)

// weekOf returns the first day of the week of a day. start is 1 for Monday and 7 for Sunday.
func weekOf(day demand.Day, start int16) demand.Day {
	weekday := (int(day)%week + week + 3) % week // 0 is Monday; the first of the days was a Thursday
	return day - demand.Day((weekday+week+1-int(start))%week)
}

// newArticle returns the weeks of an article's life that were complete on end, which starts a
// week. Weeks after the last of a sale or a count have no sales; they are without stock if the
// article ended so. The first week begins with the first sale.
func newArticle(row q.ReadSeriesRow, end demand.Day) demand.Article {
	a := demand.Article{ID: row.ProductID, Family: row.Family, Running: row.Running}
	if !row.FirstSale.Valid {
		return a
	}
	first := dayOf(row.FirstWeek)
	weeks := max(0, int(end-first)/week)
	from := max(0, weeks-mostWeeks)
	a.Units, a.InStock = make([]float64, weeks-from), make([]int, weeks-from)
	for w := from; w < weeks; w++ {
		start := first + demand.Day(week*w)
		days, empty := daysOfLife(row, start), 0
		if w < min(len(row.Units), len(row.EmptyDays)) {
			a.Units[w-from], empty = row.Units[w], int(row.EmptyDays[w])
		}
		if row.EndsEmpty {
			empty += min(max(0, int(start+week-1-dayOf(row.EndsOn))), week)
		}
		a.InStock[w-from] = max(0, days-empty)
	}
	return a
}

// daysOfLife returns how many days of a week are not before the first sale.
func daysOfLife(row q.ReadSeriesRow, start demand.Day) int {
	return week - min(max(0, int(dayOf(row.FirstSale)-start)), week)
}

// stockoutDays returns the days of life without stock in the last 84 days before end.
func stockoutDays(row q.ReadSeriesRow, a demand.Article, end demand.Day) (days int) {
	n := len(a.InStock)
	for w := max(0, n-stockoutWeeks); w < n; w++ {
		days += daysOfLife(row, end-demand.Day(week*(n-w))) - a.InStock[w]
	}
	return days
}

// flagsOf returns what a reader of the figures should know. some is true if sales are left out.
func flagsOf(row q.ReadSeriesRow, end demand.Day, some bool) []string {
	flags := []string{}
	if some {
		flags = append(flags, leftOut)
	}
	if row.Family == "" {
		flags = append(flags, noFamily)
	}
	if !row.FirstSale.Valid {
		return append(flags, neverSold)
	}
	since := max(dayOf(row.FirstSale), end-rateWeeks*week)
	if !row.CountedFrom.Valid || dayOf(row.CountedFrom) > since {
		flags = append(flags, unknownStock)
	}
	return flags
}

const secondsPerDay = 24 * 60 * 60

func dayOf(d pgtype.Date) demand.Day { return demand.DayOf(d.Time) }

func dateOf(d demand.Day) pgtype.Date {
	return pgtype.Date{Time: time.Unix(int64(d)*secondsPerDay, 0).UTC(), Valid: true}
}
