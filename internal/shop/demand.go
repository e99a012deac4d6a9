package shop

import (
	"math"
	"math/rand/v2"
	"time"
)

// Promotion raises the demand for some articles of one family and lowers their price.
type Promotion struct {
	From     int     `json:"from"` // day
	To       int     `json:"to"`   // the first day after the promotion
	Lift     float64 `json:"lift"`
	Discount int     `json:"discount_percent"`
	Articles []int   `json:"articles"`
}

func (p Promotion) on(day int) bool { return p.From <= day && day < p.To }

// Outlier is a large purchase that does not follow the law of demand, such as one for a
// wedding. It counts in Demanded, but not in Mean.
type Outlier struct {
	Article  int `json:"article"`
	Day      int `json:"day"`
	Quantity int `json:"quantity"`
}

// makePromotions gives every family two promotions a year, and all families one at the end of
// November.
func makePromotions(o Options, articles []Article) (all []Promotion) {
	chance := o.dice("promotions", 0)
	byFamily := map[int][]int{}
	families := 0
	for i, a := range articles {
		byFamily[a.Family] = append(byFamily[a.Family], i)
		families = max(families, a.Family+1)
	}
	some := func(family int, share float64) (chosen []int) {
		for _, i := range byFamily[family] {
			if chance.Float64() < share {
				chosen = append(chosen, i)
			}
		}
		return chosen
	}
	for family := range families {
		for half := 0; half*182+30 < o.Days; half++ {
			from := half*182 + chance.IntN(160)
			all = append(all, Promotion{from, from + 5 + chance.IntN(6), between(chance, 1.4, 2.6),
				[]int{10, 15, 20}[chance.IntN(3)], some(family, 0.3)})
		}
	}
	for day := range o.Days {
		if date := o.date(day); date.Month() == time.November && date.Day() == 24 {
			for family := range families {
				all = append(all, Promotion{day, day + 6, between(chance, 1.5, 2.5), 20, some(family, 0.5)})
			}
		}
	}
	return all
}

// byArticle returns the promotions of each article.
func byArticle(promotions []Promotion, articles int) [][]Promotion {
	all := make([][]Promotion, articles)
	for _, p := range promotions {
		for _, article := range p.Articles {
			all[article] = append(all[article], p)
		}
	}
	return all
}

// weekdays are the relative demand on each weekday, Sunday first. Their mean is 1.
var weekdays = [7]float64{1.25, 1.1, 0.95, 0.9, 0.9, 0.85, 1.05}

// calendar holds the factors of demand by day that articles share.
type calendar struct {
	options    Options
	articles   []Article
	families   [][]float64   // season, weekday and growth, by family and day
	promotions [][]Promotion // by article
}

func newCalendar(s *Shop) *calendar {
	c := &calendar{options: s.Options, articles: s.Articles, promotions: s.promoted}
	for _, family := range s.Families {
		factors := make([]float64, s.Options.Days)
		for day := range factors {
			date := s.Date(day)
			years := float64(day-s.Options.Days/2) / 365
			factors[day] = family.Season[date.Month()-1] * weekdays[date.Weekday()] * math.Exp(family.Growth*years)
		}
		c.families = append(c.families, factors)
	}
	return c
}

// demand draws the demand for an article. It sells nothing yet.
func (c *calendar) demand(article int) (h History, outliers []Outlier) {
	days, a := c.options.Days, c.articles[article]
	h = History{make([]float32, days), make([]int32, days), make([]int32, days), make([]int32, days)}
	chance := c.options.dice("demand", article)
	levels := a.levels(chance, c.options)
	for day := max(a.Launch, 0); day < a.End; day++ {
		mean := levels[day] * c.families[a.Family][day]
		for _, p := range c.promotions[article] {
			if p.on(day) {
				mean *= p.Lift
			}
		}
		if age := day - a.Launch; age < 28 { // a new article becomes known slowly
			mean *= float64(age+4) / 32
		}
		h.Mean[day] = float32(mean)
		h.Demanded[day] = int32(a.draw(chance, c.options.Law, mean)) //nolint:gosec // a day's demand is small
	}
	for alive := a.End - max(a.Launch, 0); alive > 60 && chance.Float64() < 0.07; {
		o := Outlier{article, a.End - 1 - chance.IntN(alive), 6 + int(between(chance, 8, 30)*min(a.Level, 4))}
		h.Demanded[o.Day] += int32(o.Quantity) //nolint:gosec // small
		outliers = append(outliers, o)
	}
	return h, outliers
}

// levels returns the article's level on each day. Its mean is Level.
func (a Article) levels(chance *rand.Rand, o Options) []float64 {
	all := make([]float64, o.Days)
	if o.Law == LawB {
		level, until := 0.0, 0
		for day := range all {
			if day >= until {
				spread := 25 * a.drift // 0.1 to 0.45
				level = a.Level * math.Exp(spread*chance.NormFloat64()-spread*spread/2)
				until = day + 30 + int(150*chance.ExpFloat64())
			}
			all[day] = level
		}
		return all
	}
	// The walk starts as if it had already run for half a year.
	walk := math.Sqrt(180) * a.drift * chance.NormFloat64()
	for day := range all {
		walk += a.drift * chance.NormFloat64()
		variance := a.drift * a.drift * float64(181+day)
		all[day] = a.Level * math.Exp(walk-variance/2)
	}
	return all
}

// draw draws a day's demand.
func (a Article) draw(chance *rand.Rand, law Law, mean float64) (units int) {
	if law == LawB {
		for range poisson(chance, mean/a.Size) {
			units += lot(chance, a.Size)
		}
		return units
	}
	return negativeBinomial(chance, mean, a.shape)
}
