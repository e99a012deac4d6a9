package forecast

import (
	"context"
	"math"
	"slices"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
)

// figures are what is stored of one article.
type figures struct {
	row      q.ReadSeriesRow
	stockout int
	flags    string
	demand   demand.Demand
	accuracy demand.Accuracy
	low      float64 // of the next 30 days
	high     float64
}

// figures returns the figures of articles from their demands, both in the order of their ids.
func (k *known) figures(demands []demand.Demand, tau2 map[demand.Class]float64) []figures {
	position := make(map[string]int, len(k.sales.Articles))
	for i, a := range k.sales.Articles {
		position[a.ID] = i
	}
	own := make([][]int32, len(k.sales.Articles)) // positions in the log
	for i, e := range k.log {
		if at, ok := position[e.Article]; ok {
			own[at] = append(own[at], int32(i))
		}
	}
	all := make([]figures, len(demands))
	var entries []demand.Entry
	for i, d := range demands {
		row, article := k.rows[i], k.sales.Articles[i]
		entries = entries[:0]
		for _, at := range own[i] {
			entries = append(entries, k.log[at])
		}
		f := figures{row: row, demand: d, stockout: stockoutDays(row, article, k.sales.End), flags: flagsOf(row, k.sales.End)}
		f.accuracy = demand.Judge(article, k.sales.End, d.Class, entries)
		f.low, f.high = d.Range(k.asOf, 30, tau2[d.Class])
		all[i] = f
	}
	return all
}

// columns returns the figures as columns of the table.
func columns(at place, all []figures, asOf demand.Day) q.SaveForecastsParams {
	c := q.SaveForecastsParams{TenantID: at.tenant, WorkspaceID: at.workspace, AsOf: dateOf(asOf)}
	for _, f := range all {
		d := f.demand
		c.Products = append(c.Products, d.ID)
		c.Families = append(c.Families, d.Family)
		c.FirstSaleDates = append(c.FirstSaleDates, f.row.FirstSale)
		c.LastSaleDates = append(c.LastSaleDates, f.row.LastSale)
		c.ExposureDays = append(c.ExposureDays, int32(d.Exposure))     //nolint:gosec // days of 104 weeks
		c.StockoutDays84 = append(c.StockoutDays84, int32(f.stockout)) //nolint:gosec // at most 84
		c.Units28 = append(c.Units28, f.row.Units28)
		c.Units84 = append(c.Units84, f.row.Units84)
		c.Units365 = append(c.Units365, f.row.Units365)
		c.RawVelocities = append(c.RawVelocities, d.Raw)
		c.Velocities = append(c.Velocities, d.Velocity)
		c.Sigmas = append(c.Sigmas, math.Sqrt(d.SigmaDay2))
		c.SeasonFactors = append(c.SeasonFactors, d.Index.Mean(asOf, 30))
		c.SeasonStrengths = append(c.SeasonStrengths, d.Strength)
		c.DemandsPerDay = append(c.DemandsPerDay, d.Over(asOf, 30)/30)
		c.TrendsPct = append(c.TrendsPct, orNaN(d.Trend))
		c.DemandClasses = append(c.DemandClasses, string(d.Class))
		c.Forecasts30 = append(c.Forecasts30, d.Over(asOf, 30))
		c.Forecasts90 = append(c.Forecasts90, d.Over(asOf, 90))
		c.Lows30 = append(c.Lows30, f.low)
		c.Highs30 = append(c.Highs30, f.high)
		c.Wapes = append(c.Wapes, orNaN(f.accuracy.WAPE))
		c.WapesNaive = append(c.WapesNaive, orNaN(f.accuracy.WAPENaive))
		c.WapesSeasonalNaive = append(c.WapesSeasonalNaive, orNaN(f.accuracy.WAPESeasonalNaive))
		c.Rmsses = append(c.Rmsses, orNaN(f.accuracy.RMSSE))
		c.Biases = append(c.Biases, orNaN(f.accuracy.Bias))
		c.Confidences = append(c.Confidences, string(d.Confidence))
		c.Flags = append(c.Flags, f.flags)
	}
	return c
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// saveFigures stores the figures that differ from those that are stored, and returns how many did.
func (s *Service) saveFigures(ctx context.Context, at place, all []figures, asOf demand.Day) (written int64, err error) {
	for some := range slices.Chunk(all, chunk) {
		err := s.write(ctx, at, func(queries *q.Queries) error {
			n, err := queries.SaveForecasts(ctx, columns(at, some, asOf))
			written += n
			return err
		})
		if err != nil {
			return written, err
		}
	}
	return written, nil
}
