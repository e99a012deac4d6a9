package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/quayside/quayside/internal/demand"
)

// judged is one article at one origin: the forecast of each method for the next 28 days, and
// the units sold on them.
type judged struct {
	article   string
	class     demand.Class // at the origin
	sold      float64
	forecasts map[string]float64 // by method, for the in-stock days
}

// judge makes the forecasts of all methods at the set's origins. As in the forecast log, an
// article is judged if it was in stock on at least 21 of the 28 days, and forecasts are for its
// in-stock days.
func judge(s *set, log []demand.Entry) []judged {
	var all []judged
	for _, week := range s.origins {
		origin := s.day(week)
		estimates := map[string]demand.Demand{}
		for _, d := range demand.Estimate(s.sales.Before(origin), log).Articles {
			estimates[d.ID] = d
		}
		for _, a := range s.sales.Articles {
			n := len(a.Units) - (s.weeks - week)
			inStock := 0
			if n > 0 {
				for _, e := range a.InStock[n : n+4] {
					inStock += e
				}
			}
			if inStock < 21 {
				continue
			}
			share := float64(inStock) / demand.Horizon
			d := estimates[a.ID]
			j := judged{article: a.ID, class: d.Class, sold: math.Max(0, total(a.Units[n:n+4])),
				forecasts: map[string]float64{ours: share * d.Over(origin, demand.Horizon)}}
			for _, m := range s.rivals() {
				j.forecasts[m.name] = share * m.forecast(a.Units[:n])
			}
			if s.truth != nil {
				j.forecasts[truth] = total(s.truth[a.ID][n : n+4])
			}
			all = append(all, j)
		}
	}
	slices.SortStableFunc(all, func(a, b judged) int { return cmp.Compare(a.article, b.article) })
	return all
}

// rivals returns the methods that can forecast the set. Seasonal naive needs a second year.
func (s *set) rivals() []method {
	if s.truth != nil {
		return rivals
	}
	return slices.DeleteFunc(slices.Clone(rivals), func(m method) bool { return m.name == seasonalNaive })
}

// methods returns the names of all methods that forecast the set.
func (s *set) methods() []string {
	names := []string{}
	for _, m := range s.rivals() {
		names = append(names, m.name)
	}
	names = append(names, ours)
	if s.truth != nil {
		names = append(names, truth)
	}
	return names
}

// figures are the results of one method. A figure that cannot be computed is nil.
type figures struct {
	forecasts         int
	wape, rmsse, bias *float64
}

// figuresOf judges a method on a class of articles, or on all if class is empty. WAPE and bias
// are computed from sums; the RMSSE is that of the median article. A method that did not
// forecast the set has no figures.
func figuresOf(all []judged, method string, class demand.Class) figures {
	var outcomes []demand.Outcome
	var scaled []float64
	for len(all) > 0 {
		var own, naive []demand.Outcome
		n := 0
		for ; n < len(all) && all[n].article == all[0].article; n++ {
			j := all[n]
			if forecast, made := j.forecasts[method]; made && (class == "" || j.class == class) {
				own = append(own, demand.Outcome{Forecast: forecast, Actual: j.sold})
				naive = append(naive, demand.Outcome{Forecast: j.forecasts[lastFour], Actual: j.sold})
			}
		}
		if r := demand.RMSSE(own, naive); r != nil {
			scaled = append(scaled, *r)
		}
		outcomes = append(outcomes, own...)
		all = all[n:]
	}
	f := figures{forecasts: len(outcomes), wape: demand.WAPE(outcomes), bias: demand.Bias(outcomes)}
	if len(scaled) > 0 {
		slices.Sort(scaled)
		f.rmsse = &scaled[len(scaled)/2]
	}
	return f
}
