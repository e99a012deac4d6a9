package demand

import (
	"math"
	"time"
)

const (
	seasonMonths = 12  // complete months with in-stock days that a season needs
	seasonUnits  = 200 // units in those months that a season needs
	shrinkUnits  = 60  // a month with as many units keeps half of its distance from 1
	trustOneYear = 0.65
	trustYears   = 0.9 // from two years on
	lowestIndex  = 0.2
	highestIndex = 4
	seasonWeeks  = 3 // weeks with sales in a month of the year, over all years, that a median needs
	mostOfMedian = 4 // of which a week counts with so many in the season
)

// Index holds the relative sales of each month, January first. The average month is 1.
type Index [12]float64

// flat is the index without a season.
var flat = Index{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}

// At returns the index at a strength: 0 is no season, 1 the full one.
func (x Index) At(strength float64) Index {
	for m := range x {
		x[m] = 1 + strength*(x[m]-1)
	}
	return x
}

// Mean returns the mean of the index over the days that start on from. If days is 0, it is the
// index of from.
func (x Index) Mean(from Day, days int) float64 {
	if x == flat {
		return 1
	}
	days = max(1, days)
	var total float64
	for day := from; day < from+Day(days); {
		year, month, of := day.date().Date()
		left := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day() - of + 1
		n := min(left, int(from)+days-int(day))
		total += float64(n) * x[month-1]
		day += Day(n)
	}
	return total / float64(days)
}

// weeks returns the index of each of the last 104 weeks before end, newest first. A week
// belongs to the month of its fourth day.
func (x Index) weeks(end Day) []float64 {
	factors := make([]float64, rateWeeks)
	for i := range factors {
		factors[i] = x[monthOfWeek(end-Day(7*(i+1)))%12]
	}
	return factors
}

// monthOfWeek returns the serial number of the month to which the week from start on belongs.
func monthOfWeek(start Day) int {
	return (start + 3).serial()
}

// Season is the season of a family.
type Season struct {
	Months [12]SeasonMonth // January first
	Known  bool            // false: too little history; every Index is 1
}

// SeasonMonth is one month of a season.
type SeasonMonth struct {
	Raw   float64 // median over the years, before shrinking
	Index float64 // as forecasts use it
	Years int     // number of years with data
	Units float64 // sold in those years
}

// Index returns the season at full strength, as forecasts use it.
func (s Season) Index() Index {
	var x Index
	for m, month := range s.Months {
		x[m] = month.Index
	}
	return x
}

// raw returns the season before shrinking.
func (s Season) raw() Index {
	var x Index
	for m, month := range s.Months {
		x[m] = month.Raw
	}
	return x
}

// familySeason returns the season of a family's articles. Articles without a family have none.
func familySeason(members []Article, end Day) Season {
	if members[0].Family == "" {
		return NewSeason(nil, end)
	}
	return NewSeason(members, end)
}

// NewSeason computes the season of articles taken together, from all weeks of complete months.
func NewSeason(articles []Article, end Day) Season {
	var s Season
	for m := range s.Months {
		s.Months[m] = SeasonMonth{Raw: 1, Index: 1}
	}
	first, months := monthTotals(articles, end)
	var units float64
	seen := 0
	for _, m := range months {
		if m.days > 0 {
			seen++
			units += m.units
		}
	}
	if seen < seasonMonths || units < seasonUnits {
		return s
	}
	s.Known = true
	var ratios [12][]float64
	for i, m := range months {
		month := (first + i) % 12
		if mean := centredMean(months, i); m.days > 0 && mean > 0 {
			ratios[month] = append(ratios[month], max(0, m.rate()/mean))
			s.Months[month].Units += max(0, m.units)
		}
	}
	raw, index := flat, flat
	var has [12]bool
	for m, r := range ratios {
		if s.Months[m].Years = len(r); len(r) > 0 {
			raw[m], has[m] = median(r), true
		}
	}
	raw = raw.normalised(has)
	for m := range index {
		if !has[m] {
			continue
		}
		trust := trustOneYear
		if s.Months[m].Years >= 2 {
			trust = trustYears
		}
		sold := s.Months[m].Units
		index[m] = min(max(1+sold/(sold+shrinkUnits)*trust*(raw[m]-1), lowestIndex), highestIndex)
	}
	index = index.normalised(has)
	for m := range s.Months {
		s.Months[m].Raw, s.Months[m].Index = raw[m], index[m]
	}
	return s
}

// normalised scales the months with data to a mean of 1. The others stay at 1.
func (x Index) normalised(has [12]bool) Index {
	var total float64
	n := 0
	for m, ok := range has {
		if ok {
			total += x[m]
			n++
		}
	}
	if total <= 0 {
		return flat
	}
	for m, ok := range has {
		if ok {
			x[m] *= float64(n) / total
		}
	}
	return x
}

// monthTotal is the units that articles sold in one month, and their in-stock days.
type monthTotal struct {
	units float64
	days  int
}

func (m monthTotal) rate() float64 { return m.units / float64(m.days) }

// monthTotals sums the articles' weeks by month. It returns the complete months, oldest first,
// and the serial number of the first of them.
func monthTotals(articles []Article, end Day) (first int, months []monthTotal) {
	longest := 0
	for _, a := range articles {
		longest = max(longest, len(a.Units))
	}
	if longest == 0 {
		return 0, nil
	}
	start := end - Day(7*longest)
	first = monthOfWeek(start)
	months = make([]monthTotal, monthOfWeek(end-7)-first+1)
	at := make([]int, longest) // the month of each week, as a position in months
	for w := range at {
		at[w] = monthOfWeek(start+Day(7*w)) - first
	}
	for _, a := range articles {
		offset := longest - len(a.Units)
		of := at[offset:]
		most := monthCeilings(a.Units, of, first)
		for w, u := range a.Units {
			m := &months[of[w]]
			m.units += min(u, most[(first+of[w])%12])
			m.days += a.InStock[w]
		}
	}
	if monthOfWeek(end) == monthOfWeek(end-7) { // the last month is still running
		months = months[:len(months)-1]
	}
	if len(months) > 0 && monthOfWeek(start-7) == first { // the history starts within the first month
		first, months = first+1, months[1:]
	}
	return first, months
}

// monthCeilings returns the most units that a week of an article counts with in the season, for each month of the year. One week in
// which somebody bought everything is no season, for the article or for its family; a month that is strong in its other weeks, or in
// other years, is. of are the weeks' months, counted from the month first.
func monthCeilings(units []float64, of []int, first int) (most [12]float64) {
	var sold [12][]float64
	for w, u := range units {
		if u > 0 {
			month := (first + of[w]) % 12
			sold[month] = append(sold[month], u)
		}
	}
	for m, weeks := range sold {
		most[m] = math.Inf(1)
		if len(weeks) >= seasonWeeks {
			most[m] = mostOfMedian * median(weeks)
		}
	}
	return most
}

// centredMean returns the mean rate of the 12 months around month i, of those with in-stock
// days. It is 0 if nothing was sold in them.
func centredMean(months []monthTotal, i int) float64 {
	from := min(max(0, i-6), max(0, len(months)-12))
	var total float64
	n := 0
	for _, m := range months[from:min(from+12, len(months))] {
		if m.days > 0 {
			total += m.rate()
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return total / float64(n)
}
