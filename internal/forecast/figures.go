package forecast

import (
	"context"
	"math"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
)

// figures turns demands into what is stored of articles.
type figures struct {
	known   *known
	demands []demand.Demand // in the order of the articles
	tau2    map[demand.Class]float64
	own     [][]int32 // by article: positions in the log
}

func newFigures(k *known, demands []demand.Demand, tau2 map[demand.Class]float64) figures {
	position := make(map[string]int, len(demands))
	for i, d := range demands {
		position[d.ID] = i
	}
	own := make([][]int32, len(demands))
	for i, e := range k.log {
		if at, ok := position[e.Article]; ok {
			own[at] = append(own[at], int32(i))
		}
	}
	return figures{known: k, demands: demands, tau2: tau2, own: own}
}

// accuracy judges the forecasts of an article.
func (f figures) accuracy(i int) demand.Accuracy {
	entries := make([]demand.Entry, len(f.own[i]))
	for n, at := range f.own[i] {
		entries[n] = f.known.log[at]
	}
	return demand.Judge(f.known.sales.Articles[i], f.known.sales.End, f.demands[i].Class, entries)
}

// columns returns the figures of the articles from position from up to to, as columns of the table.
func (f figures) columns(from, to int) q.SaveForecastsParams {
	at, asOf, end := f.known.at, f.known.asOf, f.known.sales.End
	c := q.SaveForecastsParams{TenantID: at.tenant, WorkspaceID: at.workspace, AsOf: dateOf(asOf)}
	for i := from; i < to; i++ {
		d, row, accuracy := f.demands[i], f.known.rows[i], f.accuracy(i)
		stockout := stockoutDays(row, f.known.sales.Articles[i], end)
		low, high := d.Range(asOf, 30, f.tau2[d.Class])
		c.Products = append(c.Products, d.ID)
		c.Families = append(c.Families, d.Family)
		c.FirstSaleDates = append(c.FirstSaleDates, row.FirstSale)
		c.LastSaleDates = append(c.LastSaleDates, row.LastSale)
		c.ExposureDays = append(c.ExposureDays, int32(d.Exposure))   //nolint:gosec // days of 104 weeks
		c.StockoutDays84 = append(c.StockoutDays84, int32(stockout)) //nolint:gosec // at most 84
		c.Units28 = append(c.Units28, row.Units28)
		c.Units84 = append(c.Units84, row.Units84)
		c.Units365 = append(c.Units365, row.Units365)
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
		c.Lows30 = append(c.Lows30, low)
		c.Highs30 = append(c.Highs30, high)
		c.Wapes = append(c.Wapes, orNaN(accuracy.WAPE))
		c.WapesNaive = append(c.WapesNaive, orNaN(accuracy.WAPENaive))
		c.WapesSeasonalNaive = append(c.WapesSeasonalNaive, orNaN(accuracy.WAPESeasonalNaive))
		c.Rmsses = append(c.Rmsses, orNaN(accuracy.RMSSE))
		c.Biases = append(c.Biases, orNaN(accuracy.Bias))
		c.Confidences = append(c.Confidences, string(d.Confidence))
		c.Flags = append(c.Flags, flagsOf(row, end))
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
func (s *Service) saveFigures(ctx context.Context, f figures) (written int64, err error) {
	for from := 0; from < len(f.demands) && err == nil; from += chunk {
		columns := f.columns(from, min(from+chunk, len(f.demands)))
		err = s.write(ctx, f.known.at, func(queries *q.Queries) error {
			n, err := queries.SaveForecasts(ctx, columns)
			written += n
			return err
		})
	}
	return written, err
}
