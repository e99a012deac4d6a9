package forecast

import (
	"context"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
)

// write runs fn in one transaction.
func (s *Service) write(ctx context.Context, at place, fn func(*q.Queries) error) error {
	return s.cells.InTenant(ctx, at.tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.PlanForecasts(ctx); err != nil {
			return err
		}
		return fn(queries)
	})
}

// saveShared stores what articles share, drops what belongs to no article any more, and then
// says that the computation is complete.
func saveShared(ctx context.Context, queries *q.Queries, at place, estimates demand.Estimates,
	calibrations map[demand.Class]demand.Calibration, state q.SaveForecastStateParams) error {
	families := withAll(estimates)
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.Name
		if err := queries.SaveForecastFamily(ctx, familyRow(at, f)); err != nil {
			return err
		}
	}
	err := queries.DropForecastFamilies(ctx,
		q.DropForecastFamiliesParams{TenantID: at.tenant, WorkspaceID: at.workspace, Families: names})
	if err != nil {
		return err
	}
	for _, class := range demand.Classes {
		c := calibrations[class]
		err := queries.SaveForecastClass(ctx, q.SaveForecastClassParams{
			TenantID: at.tenant, WorkspaceID: at.workspace, Class: string(class), Forecasts: int64(len(c.Scores)),
			Tau2: c.Tau2, Z90: c.Z(0.90), Z95: c.Z(0.95), Z975: c.Z(0.975), Z99: c.Z(0.99),
		})
		if err != nil {
			return err
		}
	}
	err = queries.DropForecasts(ctx, q.DropForecastsParams{TenantID: at.tenant, WorkspaceID: at.workspace})
	if err != nil {
		return err
	}
	return queries.SaveForecastState(ctx, state)
}

// withAll returns the families and, with an empty name, all articles together. Articles without a
// family have none.
func withAll(estimates demand.Estimates) []demand.Family {
	return append(slices.Clone(estimates.Families), demand.Family{Season: estimates.All,
		Strength: demand.Strength{Reason: demand.NotApplied}})
}

func familyRow(at place, f demand.Family) q.SaveForecastFamilyParams {
	row := q.SaveForecastFamilyParams{
		TenantID: at.tenant, WorkspaceID: at.workspace, Family: f.Name, Prior: f.Prior, Indexed: f.Season.Known,
		Strength: f.Strength.Value, StrengthReason: string(f.Strength.Reason),
	}
	for _, month := range f.Season.Months {
		row.RawIndex = append(row.RawIndex, month.Raw)
		row.Index = append(row.Index, month.Index)
		row.Years = append(row.Years, int32(month.Years)) //nolint:gosec // a few years
		row.Units = append(row.Units, month.Units)
	}
	return row
}

// readFamilies returns the stored values of families, by name.
func readFamilies(ctx context.Context, queries *q.Queries, at place) (map[string]demand.Family, error) {
	rows, err := queries.ReadForecastFamilies(ctx,
		q.ReadForecastFamiliesParams{TenantID: at.tenant, WorkspaceID: at.workspace})
	families := make(map[string]demand.Family, len(rows))
	for _, row := range rows {
		f := demand.Family{Name: row.Family, Prior: row.Prior}
		f.Strength = demand.Strength{Value: row.Strength, Reason: demand.StrengthReason(row.StrengthReason)}
		f.Season.Known = row.Indexed
		for m := range f.Season.Months {
			f.Season.Months[m] = demand.SeasonMonth{Raw: row.RawIndex[m], Index: row.Index[m], Years: int(row.Years[m]),
				Units: row.Units[m]}
			f.Season.Known = f.Season.Known && plausible.Number(row.Index[m])
		}
		if f.Prior != nil && !plausible.Number(*f.Prior) { // computed before such articles were left out
			f.Prior = nil
		}
		families[row.Family] = f
	}
	delete(families, "") // all articles together
	return families, err
}

// readTau2 returns the stored error of forecasts, by class.
func readTau2(ctx context.Context, queries *q.Queries, at place) (map[demand.Class]float64, error) {
	rows, err := queries.ReadForecastClasses(ctx,
		q.ReadForecastClassesParams{TenantID: at.tenant, WorkspaceID: at.workspace})
	tau2 := make(map[demand.Class]float64, len(rows))
	for _, row := range rows {
		if plausible.Finite(row.Tau2) {
			tau2[demand.Class(row.Class)] = row.Tau2
		}
	}
	return tau2, err
}

func tau2Of(calibrations map[demand.Class]demand.Calibration) map[demand.Class]float64 {
	tau2 := make(map[demand.Class]float64, len(calibrations))
	for class, c := range calibrations {
		tau2[class] = c.Tau2
	}
	return tau2
}

// newEntry returns an entry of the log as it is stored.
func newEntry(row q.ReadForecastLogRow, texts map[string]string) demand.Entry {
	e := demand.Entry{
		Article: same(texts, row.ProductID), Family: same(texts, row.Family), Origin: dayOf(row.Origin),
		Forecast: [3]float64{row.ForecastNone, row.ForecastHalf, row.ForecastFull}, Strength: row.Strength,
		Indexed: row.Indexed, SigmaDay2: row.SigmaDay2, Class: demand.Class(same(texts, row.Class)), Replayed: row.Replayed,
	}
	if row.InStockDays != nil && row.Units != nil {
		e.Finished, e.InStock, e.Units = true, int(*row.InStockDays), *row.Units
	}
	return e
}

// saveLog stores the new entries and outcomes.
func (s *Service) saveLog(ctx context.Context, at place, log logged) error {
	for some := range slices.Chunk(log.added, chunk) {
		added := addedRows(at, some)
		err := s.write(ctx, at, func(queries *q.Queries) error { return queries.AddToForecastLog(ctx, added) })
		if err != nil {
			return err
		}
	}
	for some := range slices.Chunk(log.finished, chunk) {
		outcomes := q.FinishForecastsParams{TenantID: at.tenant, WorkspaceID: at.workspace}
		for _, e := range some {
			outcomes.Origins = append(outcomes.Origins, dateOf(e.Origin))
			outcomes.Products = append(outcomes.Products, e.Article)
			outcomes.InStockDays = append(outcomes.InStockDays, int32(e.InStock)) //nolint:gosec // at most 28
			outcomes.Units = append(outcomes.Units, e.Units)
		}
		err := s.write(ctx, at, func(queries *q.Queries) error { return queries.FinishForecasts(ctx, outcomes) })
		if err != nil {
			return err
		}
	}
	return nil
}

// dropOld deletes the entries of the log that are older than logKept.
func (s *Service) dropOld(ctx context.Context, at place, asOf demand.Day) error {
	for {
		var dropped int64
		err := s.write(ctx, at, func(queries *q.Queries) (err error) {
			dropped, err = queries.DropOldForecasts(ctx, q.DropOldForecastsParams{
				TenantID: at.tenant, WorkspaceID: at.workspace, Before: dateOf(asOf - logKept), Most: chunk,
			})
			return err
		})
		if err != nil || dropped < chunk {
			return err
		}
	}
}

func addedRows(at place, entries []demand.Entry) q.AddToForecastLogParams {
	added := q.AddToForecastLogParams{TenantID: at.tenant, WorkspaceID: at.workspace}
	for _, e := range entries {
		added.Origins = append(added.Origins, dateOf(e.Origin))
		added.Products = append(added.Products, e.Article)
		added.Families = append(added.Families, e.Family)
		added.ForecastsNone = append(added.ForecastsNone, e.Forecast[0])
		added.ForecastsHalf = append(added.ForecastsHalf, e.Forecast[1])
		added.ForecastsFull = append(added.ForecastsFull, e.Forecast[2])
		added.Strengths = append(added.Strengths, e.Strength)
		added.Indexed = append(added.Indexed, e.Indexed)
		added.Sigmas2 = append(added.Sigmas2, e.SigmaDay2)
		added.Classes = append(added.Classes, string(e.Class))
		added.Replayed = append(added.Replayed, e.Replayed)
		inStock, units := -1, math.NaN()
		if e.Finished {
			inStock, units = e.InStock, e.Units
		}
		added.InStockDays = append(added.InStockDays, int32(inStock))
		added.Units = append(added.Units, units)
	}
	return added
}
