package forecast

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
)

// on parses a date of 2026.
func on(text string) pgtype.Date {
	t, err := time.Parse(time.DateOnly, "2026-"+text)
	if err != nil {
		panic(err)
	}
	return pgtype.Date{Time: t, Valid: true}
}

func TestWeekOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		day   string
		start int16
		want  string
	}{
		{"01-05", 1, "01-05"}, // a Monday
		{"01-11", 1, "01-05"},
		{"01-05", 7, "01-04"},
		{"01-04", 7, "01-04"},
		{"01-10", 7, "01-04"},
		{"01-07", 4, "01-01"}, // a Wednesday, in weeks from Thursday on
		{"01-08", 4, "01-08"},
	} {
		require.Equal(t, dayOf(on(tt.want)), weekOf(dayOf(on(tt.day)), tt.start), "%s from %d on", tt.day, tt.start)
	}
	before := pgtype.Date{Time: time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), Valid: true} // a Wednesday
	require.Equal(t, dayOf(before)-2, weekOf(dayOf(before), 1))
	require.Equal(t, before, dateOf(dayOf(before)))
}

// Weeks start on Monday: 5, 12, 19 and 26 January, 2 February 2026.
func TestNewArticle(t *testing.T) {
	t.Parallel()
	// First sold on a Thursday, last on a Wednesday of the third week.
	sold := q.ReadSeriesRow{ProductID: "p", Family: "f", FirstWeek: on("01-05"), FirstSale: on("01-08"),
		Units: []float64{3, 0, 2}, EmptyDays: []int32{0, 2, 1}, EndsOn: on("01-21"), Running: 9}
	emptied := sold
	emptied.EndsEmpty = true
	for _, tt := range []struct {
		name     string
		row      q.ReadSeriesRow
		end      string
		units    []float64
		inStock  []int
		stockout int
	}{
		{"the first week begins with the first sale", sold, "01-12", []float64{3}, []int{4}, 0},
		{"empty days are left out", sold, "01-19", []float64{3, 0}, []int{4, 5}, 2},
		{"the series as far as it goes", sold, "01-26", []float64{3, 0, 2}, []int{4, 5, 6}, 3},
		{"later weeks are in stock", sold, "02-09", []float64{3, 0, 2, 0, 0}, []int{4, 5, 6, 7, 7}, 3},
		{"unless it ended empty: from Thursday on", emptied, "02-09", []float64{3, 0, 2, 0, 0}, []int{4, 5, 2, 0, 0}, 21},
		{"which an earlier day does not know", emptied, "01-19", []float64{3, 0}, []int{4, 5}, 2},
		{"before the first sale there is nothing", sold, "01-05", []float64{}, []int{}, 0},
	} {
		a := newArticle(tt.row, dayOf(on(tt.end)))
		require.Equal(t, demand.Article{ID: "p", Family: "f", Units: tt.units, InStock: tt.inStock, Running: 9}, a, tt.name)
		require.Equal(t, tt.stockout, stockoutDays(tt.row, a, dayOf(on(tt.end))), tt.name)
	}

	// A count, not a sale, may be the last of the series: the article was found empty on Tuesday.
	counted := q.ReadSeriesRow{FirstWeek: on("01-05"), FirstSale: on("01-05"), Units: []float64{1, 0},
		EmptyDays: []int32{0, 1}, EndsEmpty: true, EndsOn: on("01-13")}
	require.Equal(t, []int{7, 1, 0}, newArticle(counted, dayOf(on("01-26"))).InStock, "Monday only")

	// Sold and emptied within one week, Wednesday to Friday.
	short := q.ReadSeriesRow{FirstWeek: on("01-05"), FirstSale: on("01-07"), Units: []float64{5}, EmptyDays: []int32{0},
		EndsEmpty: true, EndsOn: on("01-09")}
	a := newArticle(short, dayOf(on("01-12")))
	require.Equal(t, []int{3}, a.InStock)
	require.Equal(t, 2, stockoutDays(short, a, dayOf(on("01-12"))))

	unsold := newArticle(q.ReadSeriesRow{ProductID: "n", Running: 0}, dayOf(on("01-12")))
	require.Equal(t, demand.Article{ID: "n"}, unsold)
}

func TestLongSeries(t *testing.T) {
	t.Parallel()
	row := q.ReadSeriesRow{FirstSale: on("01-06"), FirstWeek: on("01-05"), Units: make([]float64, 200),
		EmptyDays: make([]int32, 200)}
	for w := range row.Units {
		row.Units[w] = float64(w)
	}
	end := dayOf(on("01-05")) + 200*week
	a := newArticle(row, end)
	require.Len(t, a.Units, 156)
	require.InDelta(t, 44, a.Units[0], 0, "the oldest are left out")
	require.InDelta(t, 199, a.Units[155], 0)
	require.Equal(t, 7, a.InStock[0])
	// 84 days reach back 12 weeks and no further.
	for w := range row.EmptyDays {
		row.EmptyDays[w] = 1
	}
	require.Equal(t, 12, stockoutDays(row, newArticle(row, end), end))
}

func TestFlags(t *testing.T) {
	t.Parallel()
	end := dayOf(on("02-02"))
	row := q.ReadSeriesRow{Family: "f", FirstSale: on("01-08"), CountedFrom: on("01-08")}
	require.Empty(t, flagsOf(row, end, false))
	row.CountedFrom = on("01-09")
	require.Equal(t, []string{unknownStock}, flagsOf(row, end, false), "its first day was not counted")
	row.CountedFrom, row.Family = pgtype.Date{}, ""
	require.Equal(t, []string{noFamily, unknownStock}, flagsOf(row, end, false))
	row.FirstSale = pgtype.Date{}
	require.Equal(t, []string{noFamily, neverSold}, flagsOf(row, end, false))
	old := q.ReadSeriesRow{Family: "f", FirstSale: on("01-08"), CountedFrom: on("02-08")}
	require.Empty(t, flagsOf(old, end+rateWeeks*week+week, false), "rates no longer look at the days before the count")
}
