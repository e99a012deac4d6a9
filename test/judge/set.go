package main

import (
	"compress/gzip"
	"embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/shop"
)

//go:embed data/*.csv.gz
var data embed.FS

// set is a history of sales to judge forecasts by. Its weeks are numbered from 0.
type set struct {
	name  string
	weeks int
	sales demand.Sales
	// wanted is the demand of each week, by article, including demand lost to empty shelves. It
	// has the weeks of the article's series.
	wanted map[string][]float64
	// truth is the true mean demand of each week's in-stock days, by article; nil when unknown.
	truth map[string][]float64
	shop  *shop.Shop // of a made set

	origins []int // weeks at which the forecasts are judged
	logFrom int   // the week of the first logged forecast
	held    []int // weeks at which reorder points are judged
}

// day returns the day on which a week of the set starts.
func (s *set) day(week int) demand.Day { return s.sales.End - demand.Day(7*(s.weeks-week)) }

// every returns the numbers from first to last in steps.
func every(step, first, last int) (list []int) {
	for n := first; n <= last; n += step {
		list = append(list, n)
	}
	return list
}

// realSet reads one of the real sets. They have no families, so each set is one family, and no
// stock, so every day counts as in stock. start is the first day; without seasons it makes no
// difference.
func realSet(name, file string, start time.Time) (*set, error) {
	packed, err := data.Open("data/" + file)
	if err != nil {
		return nil, err
	}
	plain, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(plain).ReadAll()
	if err != nil {
		return nil, err
	}
	s := &set{name: name, weeks: len(rows[0]) - 1, wanted: map[string][]float64{}, logFrom: 12}
	s.origins = every(2, 20, 48)
	s.held = every(2, 26, s.weeks-1)
	s.sales.End = demand.DayOf(start) + demand.Day(7*s.weeks)
	for _, row := range rows[1:] {
		units := make([]float64, s.weeks)
		for i, cell := range row[1:] {
			if units[i], err = strconv.ParseFloat(cell, 64); err != nil {
				return nil, fmt.Errorf("%s, article %s: %w", file, row[0], err)
			}
		}
		first := slices.IndexFunc(units, func(u float64) bool { return u > 0 })
		if first < 0 {
			continue
		}
		units = units[first:]
		inStock := slices.Repeat([]int{7}, len(units))
		s.sales.Articles = append(s.sales.Articles, demand.Article{ID: row[0], Family: "all", Units: units, InStock: inStock})
		s.wanted[row[0]] = units
	}
	return s, nil
}
