// Package demand estimates the future sales of each article, their uncertainty, and the stock
// that covers the time until a new order arrives.
//
// It is arithmetic on slices: no database, no clock, no files. The caller passes the current
// day. Results depend on nothing but the arguments: neither the order of the articles nor an
// article of another family matters. All numbers are float64, because every result is an
// estimate. Quantities that are stored or ordered are decimals elsewhere.
//
// Weekly series are oldest first. All series of one Sales end with the same week.
package demand

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Day is a calendar date, as the number of days since 1 January 1970.
type Day int

// DayOf returns the date of t in its own time zone.
func DayOf(t time.Time) Day {
	year, month, day := t.Date()
	return Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
}

const secondsPerDay = 24 * 60 * 60

// date returns midnight of the day, in UTC.
func (d Day) date() time.Time {
	return time.Unix(int64(d)*secondsPerDay, 0).UTC()
}

// serial numbers the months of all years, so that consecutive months differ by one.
func (d Day) serial() int {
	year, month, _ := d.date().Date()
	return year*12 + int(month) - 1
}

// Article is the history of one product: one entry per complete week, oldest first.
type Article struct {
	ID     string
	Family string // empty: the article has no family, so no prior and no season
	// Units are the net units of each week since the first sale, uncapped. Weeks before the
	// first sale must be left out. The oldest weeks may be left out too: rates use the last
	// 104.
	Units []float64
	// InStock are the days of each week, 0 to 7, on which the article was in stock. It has the
	// length of Units.
	InStock []int
	// Running are the units of the running week. They enter no rate, and only show that a dead
	// article sells again.
	Running float64
}

// Sales are the histories of one workspace's articles.
type Sales struct {
	// End is the day after the last complete week: the last entry of every series is the week
	// that starts on End-7.
	End      Day
	Articles []Article
}

// Before returns the sales as known on an earlier day: the weeks that were complete then. It
// leaves out articles whose life had not begun.
func (s Sales) Before(end Day) Sales {
	weeks := max(0, int(s.End-end)+6) / 7
	if weeks == 0 {
		return s
	}
	past := Sales{End: s.End - Day(7*weeks), Articles: make([]Article, 0, len(s.Articles))}
	for _, a := range s.Articles {
		if n := len(a.Units) - weeks; n > 0 {
			a.Units, a.InStock, a.Running = a.Units[:n:n], a.InStock[:n:n], 0
			past.Articles = append(past.Articles, a)
		}
	}
	return past
}

// Demand is the estimate for one article.
type Demand struct {
	ID       string
	Family   string
	Exposure int     // in-stock days of the last 104 weeks
	Raw      float64 // units per in-stock day, free of season
	Velocity float64 // Raw, drawn towards the family's prior
	// SigmaDay2 is the variance of one day's demand.
	SigmaDay2 float64
	Class     Class
	// Index is the season that was applied, at the family's Strength.
	Index      Index
	Strength   float64
	Confidence Confidence
	Trend      *float64 // see Trend
}

// Over returns the expected demand of the days that start on from.
func (d Demand) Over(from Day, days int) float64 {
	return d.Velocity * d.Index.Mean(from, days) * float64(days)
}

// Family holds the values that the articles of one family share.
type Family struct {
	Name     string
	Season   Season
	Strength Strength
	Prior    *float64 // nil: fewer than 3 articles have enough history
}

// Index returns the family's season at its strength. It is flat if the season is not known.
func (f Family) Index() Index {
	if !f.Season.Known {
		return flat
	}
	return f.Season.Index().At(f.Strength.Value)
}

// Estimate computes the demand of a member with the values that the family has. It is what the
// function Estimate returns for the article if these are still the family's values. The zero
// Family is for articles without one.
func (f Family) Estimate(a Article, end Day) Demand {
	index := f.Index()
	factors := index.weeks(end)
	d := newDemand(a, newRate(a, factors), f.Prior, index, factors)
	d.Strength = f.Strength.Value
	return d
}

// Estimates are the results for a workspace.
type Estimates struct {
	Families []Family // by name; articles without a family have none
	Articles []Demand // by ID
	All      Season   // of all articles together; shown, but never applied
}

// Estimate computes the demand of every article as of sales.End. The log gives the strength of
// each family's season; entries that were not finished on sales.End do not count. The log must
// be sorted by origin and article, as Replay returns it, so that sums are the same to the last
// digit.
func Estimate(sales Sales, log []Entry) Estimates {
	groups := families(sales.Articles)
	out := Estimates{All: NewSeason(slices.Concat(groups...), sales.End)}
	evidence := strengthEvidence(log, sales.End)
	for _, members := range groups {
		name := members[0].Family
		season := familySeason(members, sales.End)
		strength := chooseStrength(season, evidence[name])
		demands, prior := estimateFamily(members, sales.End, season.Index().At(strength.Value))
		for i := range demands {
			demands[i].Strength = strength.Value
		}
		out.Articles = append(out.Articles, demands...)
		if name != "" {
			out.Families = append(out.Families, Family{Name: name, Season: season, Strength: strength, Prior: prior})
		}
	}
	slices.SortFunc(out.Articles, func(a, b Demand) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// families groups articles by family, sorted by name and then by ID, so that sums do not depend
// on the order of the input.
func families(articles []Article) [][]Article {
	sorted := slices.Clone(articles)
	slices.SortFunc(sorted, func(a, b Article) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.ID, b.ID))
	})
	var groups [][]Article
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].Family == sorted[0].Family {
			n++
		}
		groups = append(groups, sorted[:n:n])
		sorted = sorted[n:]
	}
	return groups
}

// Confidence says how much history an estimate rests on.
type Confidence string

// The levels of confidence.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

func confidence(exposure int, units float64) Confidence {
	switch {
	case exposure >= 182 && units >= 30:
		return High
	case exposure >= 56 && units >= 10:
		return Medium
	}
	return Low
}

// Trend returns the change from the 4 weeks before the last 4 weeks to the last 4, in percent.
// It is nil if nothing was sold in the earlier weeks.
func Trend(units []float64) *float64 {
	n := len(units)
	earlier := sum(units[max(0, n-8):max(0, n-4)])
	return ratio(100*(sum(units[max(0, n-4):])-earlier), earlier)
}

// ratio returns a/b, or nil if b is not positive.
func ratio(a, b float64) *float64 {
	if b <= 0 {
		return nil
	}
	return known(a / b)
}

// known returns nil for a number that cannot be shown.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func sum(values []float64) float64 {
	var total float64
	for _, v := range values {
		total += v
	}
	return total
}
