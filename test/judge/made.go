package main

import (
	"time"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/shop"
)

// today is the day on which the made shops end, a Monday.
var today = time.Date(2026, 7, 6, 0, 0, 0, 0, time.UTC)

// madeSet makes a shop in which an article has about 150 order lines in two years. Its true
// mean demand is known, and is judged beside the forecasts.
func madeSet(name string, law shop.Law, size made) *set {
	weeks := size.weeks
	made := shop.Make(shop.Options{Seed: size.seed, Today: today, Law: law, Articles: size.articles, Days: 7 * weeks,
		Lines: 150 * size.articles * weeks / 104})
	s := &set{name: name, weeks: weeks, shop: made, wanted: map[string][]float64{}, truth: map[string][]float64{}, logFrom: 12}
	s.sales.End = demand.DayOf(today)
	s.origins = every(2, weeks-52, weeks-4) // the last year, so that every season is forecast
	s.held = every(4, weeks-52, weeks-1)
	for i, article := range made.Articles {
		h := made.History[i]
		first := 0
		for first < len(h.Sold) && h.Sold[first] == 0 {
			first++
		}
		if first == len(h.Sold) {
			continue
		}
		a := demand.Article{ID: article.ID, Family: made.Families[article.Family].Name}
		var wanted, means []float64
		for week := first / 7; week < weeks; week++ {
			var units, asked, mean float64
			inStock := 0
			for day := max(first, 7*week); day < 7*week+7; day++ {
				units += float64(h.Sold[day])
				asked += float64(h.Demanded[day])
				if h.InStock(day) {
					mean += float64(h.Mean[day])
					inStock++
				}
			}
			a.Units, a.InStock = append(a.Units, units), append(a.InStock, inStock)
			wanted, means = append(wanted, asked), append(means, mean)
		}
		s.sales.Articles = append(s.sales.Articles, a)
		s.wanted[a.ID], s.truth[a.ID] = wanted, means
	}
	return s
}
