package main

import (
	"math"
)

// method forecasts the units of the next four weeks from those of the past weeks, oldest first.
type method struct {
	name     string
	forecast func(units []float64) float64
}

// Names of the methods that the report picks out.
const (
	ours          = "this method"
	lastFour      = "last 4 weeks"
	seasonalNaive = "seasonal naive"
	truth         = "truth known"
)

// rivals are the methods that ours is compared with.
var rivals = []method{
	{lastFour, func(units []float64) float64 { return total(tail(units, 4)) }},
	{seasonalNaive, func(units []float64) float64 {
		n := len(units)
		if n < 52 { // it was not sold a year ago, so the last weeks are used
			return total(tail(units, 4))
		}
		return total(units[n-52 : n-48])
	}},
	{"12-week average", func(units []float64) float64 {
		recent := tail(units, 12)
		return 4 * total(recent) / float64(len(recent))
	}},
	{"exponential smoothing", smoothing},
	{"TSB", tsb},
}

// steps are the smoothing factors to try for each article.
var steps = []float64{0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7}

// smoothing is simple exponential smoothing with the factor that had the least error so far.
func smoothing(units []float64) float64 {
	best, least := 0.0, math.Inf(1)
	for _, alpha := range steps {
		level, errors := total(units[:min(4, len(units))])/float64(min(4, len(units))), 0.0
		for _, u := range units {
			errors += (u - level) * (u - level)
			level += alpha * (u - level)
		}
		if errors < least {
			best, least = level, errors
		}
	}
	return 4 * best
}

// tsb is the method of Teunter, Syntetos and Babai: it smooths the chance of a sale in every
// week and the size of a sale in the weeks that have one.
func tsb(units []float64) float64 {
	sold, weeks := 0.0, 0.0
	for _, u := range units {
		if u > 0 {
			sold, weeks = sold+u, weeks+1
		}
	}
	if weeks == 0 {
		return 0
	}
	best, least := 0.0, math.Inf(1)
	for _, alpha := range []float64{0.05, 0.1, 0.2, 0.3} {
		for _, beta := range []float64{0.02, 0.05, 0.1, 0.2, 0.3} {
			chance, size, errors := weeks/float64(len(units)), sold/weeks, 0.0
			for _, u := range units {
				miss := u - chance*size
				errors += miss * miss
				if u > 0 {
					chance += beta * (1 - chance)
					size += alpha * (u - size)
				} else {
					chance -= beta * chance
				}
			}
			if errors < least {
				best, least = chance*size, errors
			}
		}
	}
	return 4 * best
}

func tail(units []float64, n int) []float64 { return units[max(0, len(units)-n):] }

func total(units []float64) (sum float64) {
	for _, u := range units {
		sum += u
	}
	return sum
}
