package forecast

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Stored is the stored demand of one article. Its Exposure and Raw are not read.
type Stored struct {
	demand.Demand
	AsOf  demand.Day // sales up to the day before are in it
	Tau2  float64    // the squared relative error of forecasts of its class
	Flags []string
}

// Range returns the 10 and 90 % quantiles of the demand of the days that start on from.
func (s Stored) Range(from demand.Day, days int) (low, high float64) {
	return s.Demand.Range(from, days, s.Tau2)
}

// Read returns the stored demand of an article, in the caller's transaction. It is nil before the
// demand was first computed.
func Read(ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID, product string) (*Stored, error) {
	row, err := q.New(tx).GetForecast(ctx,
		q.GetForecastParams{TenantID: tenant, WorkspaceID: workspace, ProductID: product})
	if fault.Is(pg.Translate(err), fault.NotFound) {
		return nil, nil //nolint:nilnil // no demand is a normal state of an article
	}
	if err != nil {
		return nil, err
	}
	family := demand.Family{Name: row.Family, Strength: demand.Strength{Value: row.SeasonStrength}}
	if family.Season.Known = row.Indexed; row.Indexed {
		for m := range family.Season.Months {
			family.Season.Months[m].Index = row.Index[m]
		}
	}
	return &Stored{
		Demand: demand.Demand{
			ID: product, Family: row.Family, Velocity: row.Velocity, SigmaDay2: row.SigmaDay * row.SigmaDay,
			Class: demand.Class(row.DemandClass), Index: family.Index(), Strength: row.SeasonStrength,
			Confidence: demand.Confidence(row.Confidence), Trend: row.TrendPct,
		},
		AsOf: dayOf(row.AsOf), Tau2: row.Tau2, Flags: row.Flags,
	}, nil
}
