package forecast

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
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

// figure is a row of workspace.forecasts, apart from its place and day.
type figure struct {
	ProductID         string            `json:"product_id"`
	Family            string            `json:"family"`
	FirstSaleDate     pgtype.Date       `json:"first_sale_date"`
	LastSaleDate      pgtype.Date       `json:"last_sale_date"`
	ExposureDays      int               `json:"exposure_days"`
	StockoutDays84    int               `json:"stockout_days_84"`
	Units28           float64           `json:"units_28"`
	Units84           float64           `json:"units_84"`
	Units365          float64           `json:"units_365"`
	VelocityRaw       float64           `json:"velocity_raw"`
	Velocity          float64           `json:"velocity"`
	SigmaDay          float64           `json:"sigma_day"`
	SeasonFactor      float64           `json:"season_factor"`
	SeasonStrength    float64           `json:"season_strength"`
	DemandPerDay      float64           `json:"demand_per_day"`
	TrendPct          *float64          `json:"trend_pct"`
	DemandClass       demand.Class      `json:"demand_class"`
	Forecast30        float64           `json:"forecast_30"`
	Forecast90        float64           `json:"forecast_90"`
	Low30             float64           `json:"low_30"`
	High30            float64           `json:"high_30"`
	WAPE              *float64          `json:"wape"`
	WAPENaive         *float64          `json:"wape_naive"`
	WAPESeasonalNaive *float64          `json:"wape_seasonal_naive"`
	RMSSE             *float64          `json:"rmsse"`
	Bias              *float64          `json:"bias"`
	Confidence        demand.Confidence `json:"confidence"`
	Flags             []string          `json:"flags"`
}

// rows returns the figures of the articles from position from up to to as JSON. An article whose
// figures are no numbers is left out.
func (f figures) rows(from, to int) ([]byte, error) {
	rows := make([]figure, 0, to-from)
	for i := from; i < to; i++ {
		var row figure
		if fault.Recovered(func() error { row = f.row(i); return nil }) != nil || !row.finite() {
			f.known.gaps[f.demands[i].ID] = unshowable
			continue
		}
		rows = append(rows, row)
	}
	return json.Marshal(rows)
}

// finite reports whether all figures are numbers.
func (f *figure) finite() bool {
	all := []float64{f.Units28, f.Units84, f.Units365, f.VelocityRaw, f.Velocity, f.SigmaDay, f.SeasonFactor, f.SeasonStrength,
		f.DemandPerDay, f.Forecast30, f.Forecast90, f.Low30, f.High30}
	for _, maybe := range []*float64{f.TrendPct, f.WAPE, f.WAPENaive, f.WAPESeasonalNaive, f.RMSSE, f.Bias} {
		if maybe != nil {
			all = append(all, *maybe)
		}
	}
	return !slices.ContainsFunc(all, func(x float64) bool { return !plausible.Finite(x) })
}

func (f figures) row(i int) figure {
	asOf, end := f.known.asOf, f.known.sales.End
	d, row, accuracy := f.demands[i], f.known.rows[i], f.accuracy(i)
	low, high := d.Range(asOf, 30, f.tau2[d.Class])
	return figure{
		ProductID: d.ID, Family: d.Family, FirstSaleDate: row.FirstSale, LastSaleDate: row.LastSale,
		ExposureDays: d.Exposure, StockoutDays84: stockoutDays(row, f.known.sales.Articles[i], end),
		Units28: row.Units28, Units84: row.Units84, Units365: row.Units365,
		VelocityRaw: d.Raw, Velocity: d.Velocity, SigmaDay: math.Sqrt(d.SigmaDay2),
		SeasonFactor: d.Index.Mean(asOf, 30), SeasonStrength: d.Strength, DemandPerDay: d.Over(asOf, 30) / 30,
		TrendPct: d.Trend, DemandClass: d.Class, Forecast30: d.Over(asOf, 30), Forecast90: d.Over(asOf, 90),
		Low30: low, High30: high,
		WAPE: accuracy.WAPE, WAPENaive: accuracy.WAPENaive, WAPESeasonalNaive: accuracy.WAPESeasonalNaive,
		RMSSE: accuracy.RMSSE, Bias: accuracy.Bias,
		Confidence: d.Confidence, Flags: flagsOf(row, end, f.known.leftOut[d.ID] > 0),
	}
}

// save stores the figures of the articles from position from up to to that differ from those
// that are stored, and returns how many did. Figures that PostgreSQL refuses are left out.
func (f figures) save(ctx context.Context, tx pgx.Tx, from, to int) (written int64, err error) {
	var positions []int
	for i := from; i < to; i++ {
		positions = append(positions, i)
	}
	err = pg.InParts(ctx, tx, positions, func(some []int) error {
		rows, err := f.rows(some[0], some[len(some)-1]+1)
		if err != nil {
			return err
		}
		n, err := q.New(tx).SaveForecasts(ctx, q.SaveForecastsParams{
			TenantID: f.known.at.tenant, WorkspaceID: f.known.at.workspace, AsOf: dateOf(f.known.asOf), Rows: rows,
		})
		if err == nil {
			written += n
		}
		return err
	}, func(i int, _ error) { f.known.gaps[f.demands[i].ID] = unshowable })
	return written, err
}

// saveFigures stores all figures, and returns how many differed.
func (s *Service) saveFigures(ctx context.Context, f figures) (written int64, err error) {
	for from := 0; from < len(f.demands) && err == nil; from += chunk {
		err = s.cells.InTenant(ctx, f.known.at.tenant, func(tx pgx.Tx) error {
			if err := q.New(tx).PlanForecasts(ctx); err != nil {
				return err
			}
			n, err := f.save(ctx, tx, from, min(from+chunk, len(f.demands)))
			written += n
			return err
		})
	}
	return written, err
}
