package forecast

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// MostPast is how many articles are computed at once for a day that has passed. They take a few
// seconds, at each read.
const MostPast = 10_000

// DemandAsOf computes what is stored of demand as of another day, and returns the rows of
// workspace.forecasts as JSON: of one article, or of all if product is empty. It uses the sales
// as they are known now, of the days before, and the entries of the log that had an outcome by
// then. Of a workspace, or of the article's family, it computes at most MostPast articles.
func (s *Service) DemandAsOf(ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID, day time.Time,
	product string) ([]byte, error) {
	queries := q.New(tx)
	k, err := past(ctx, tx, place{tenant, workspace}, day, product)
	if err != nil {
		return nil, err
	}
	d, err := k.derive(false)
	if err != nil {
		return nil, err
	}
	demands := d.estimates.Articles
	if product == "" {
		return newFigures(&k, demands, tau2Of(d.calibrations)).rows(0, len(demands))
	}
	i := slices.IndexFunc(demands, func(d demand.Demand) bool { return d.ID == product })
	if i < 0 {
		return []byte("[]"), nil
	}
	log, err := k.readClass(ctx, queries, demands[i].Class)
	if err != nil {
		return nil, err
	}
	return newFigures(&k, demands, tau2Of(demand.Calibrate(log, k.sales.End))).rows(i, i+1)
}

// SeasonsAsOf is DemandAsOf for the rows of workspace.forecast_families: of the article's
// family, or of all.
func (s *Service) SeasonsAsOf(ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID, day time.Time,
	product string) ([]byte, error) {
	at := place{tenant, workspace}
	k, err := past(ctx, tx, at, day, product)
	if err != nil {
		return nil, err
	}
	d, err := k.derive(false)
	if err != nil {
		return nil, err
	}
	families := d.estimates.Families
	if product == "" && len(k.rows) > 0 {
		families = withAll(d.estimates)
	}
	rows := make([]season, 0, len(families))
	for _, f := range families {
		row := familyRow(at, f)
		rows = append(rows, season{f.Name, row.Strength, row.StrengthReason, row.RawIndex, row.Index, row.Years, row.Units})
	}
	return json.Marshal(rows)
}

// season is what is shown of a row of workspace.forecast_families.
type season struct {
	Family         string    `json:"family"`
	Strength       float64   `json:"strength"`
	StrengthReason string    `json:"strength_reason"`
	RawIndex       []float64 `json:"raw_index"`
	Index          []float64 `json:"index"`
	Years          []int32   `json:"years"`
	Units          []float64 `json:"units"`
}

// past reads what was known on a day: of an article and its family, or of all articles if
// product is empty.
func past(ctx context.Context, tx pgx.Tx, at place, day time.Time, product string) (k known, err error) {
	queries := q.New(tx)
	if err := queries.PlanForecasts(ctx); err != nil {
		return k, err
	}
	if k, err = begin(ctx, queries, at, demand.DayOf(day)); err != nil {
		if fault.HasCode(err, noSales) {
			return newKnown(at, q.ReadForecastSettingsRow{}, k.asOf), nil
		}
		return k, err
	}
	most, of := MostPast+1, "of this workspace"
	var products []string
	if product == "" {
		products, err = queries.ListSeries(ctx,
			q.ListSeriesParams{TenantID: at.tenant, WorkspaceID: at.workspace, Most: new(int64(most))})
	} else {
		of = "of this article's family"
		products, err = queries.ListFamilySeries(ctx, q.ListFamilySeriesParams{
			TenantID: at.tenant, WorkspaceID: at.workspace, ProductID: product, Most: int32(most),
		})
	}
	if err != nil {
		return k, err
	}
	if len(products) == most {
		return k, fault.New(fault.Invalid, "too_many",
			"demand as of an earlier day is computed for at most %d articles; there are more %s", MostPast, of)
	}
	return k, k.read(ctx, tx, products)
}

// readClass reads the log of all articles of a class.
func (k *known) readClass(ctx context.Context, queries *q.Queries, class demand.Class) (log []demand.Entry, err error) {
	if k.newestOrigin() == nil {
		return nil, nil
	}
	name := string(class)
	rows, err := queries.ReadForecastLog(ctx, q.ReadForecastLogParams{
		TenantID: k.at.tenant, WorkspaceID: k.at.workspace, Class: &name, Since: dateOf(k.logSince()),
	})
	texts := map[string]string{}
	for _, row := range rows {
		if e := newEntry(row, texts); e.Origin <= *k.newestOrigin() && believed(e) {
			log = append(log, e)
		}
	}
	return log, err
}
