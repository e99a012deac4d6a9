package demand

import (
	"cmp"
	"math"
)

const (
	accuracyForecasts = 3  // with fewer, the accuracy of an article is not shown
	accuracyUnits     = 10 // sold in those
)

// Outcome is a forecast and the units that were sold.
type Outcome struct{ Forecast, Actual float64 }

// WAPE returns the sum of the absolute errors as a share of the units sold. It is nil if none
// were.
func WAPE(outcomes []Outcome) *float64 {
	var misses, sold float64
	for _, o := range outcomes {
		misses += math.Abs(o.Forecast - o.Actual)
		sold += o.Actual
	}
	return ratio(misses, sold)
}

// Bias returns by how much the forecasts were too high, as a share of the units sold. It is nil
// if none were.
func Bias(outcomes []Outcome) *float64 {
	var misses, sold float64
	for _, o := range outcomes {
		misses += o.Forecast - o.Actual
		sold += o.Actual
	}
	return ratio(misses, sold)
}

// RMSSE returns the root mean squared error of the forecasts as a share of that of the naive
// forecasts of the same outcomes. It is nil if the naive forecasts had no error.
func RMSSE(outcomes, naive []Outcome) *float64 {
	share := ratio(squares(outcomes), squares(naive))
	if share == nil {
		return nil
	}
	return known(math.Sqrt(*share))
}

func squares(outcomes []Outcome) float64 {
	var total float64
	for _, o := range outcomes {
		total += (o.Forecast - o.Actual) * (o.Forecast - o.Actual)
	}
	return total
}

// Accuracy is how well an article was forecast. A figure that cannot be computed is nil.
type Accuracy struct {
	WAPE              *float64
	WAPENaive         *float64 // had the last 4 weeks been the forecast
	WAPESeasonalNaive *float64 // had the same weeks of last year been the forecast
	RMSSE             *float64
	Bias              *float64
}

// Judge compares an article's forecasts with their outcomes. own are its entries of the log, of
// which those that count on end are judged. An article that seldom sells has no WAPE, which
// would reward a forecast of zero.
func Judge(a Article, end Day, class Class, own []Entry) Accuracy {
	var ours, naive, seasonal []Outcome
	var sold float64
	for _, e := range own {
		if !e.counts(end) {
			continue
		}
		ours = append(ours, Outcome{e.Expected(), e.Units})
		sold += e.Units
		share := float64(e.InStock) / Horizon
		before := len(a.Units) - int(end-e.Origin)/7
		naive = append(naive, Outcome{fourWeeks(a.Units, before-4) * share, e.Units})
		if before >= 52 {
			seasonal = append(seasonal, Outcome{fourWeeks(a.Units, before-52) * share, e.Units})
		}
	}
	var out Accuracy
	if len(ours) < accuracyForecasts || sold < accuracyUnits {
		return out
	}
	out.Bias, out.RMSSE = Bias(ours), RMSSE(ours, naive)
	if class == Intermittent || class == Lumpy {
		return out
	}
	out.WAPE, out.WAPENaive = WAPE(ours), WAPE(naive)
	if len(seasonal) == len(ours) { // otherwise it would cover other outcomes
		out.WAPESeasonalNaive = WAPE(seasonal)
	}
	return out
}

// fourWeeks returns the units of the 4 weeks from position from on. Weeks before an article's
// life count as 0.
func fourWeeks(units []float64, from int) float64 {
	return max(0, sum(units[max(0, from):max(0, from+4)]))
}

// compareEntries orders entries by origin and article.
func compareEntries(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Article, b.Article))
}
