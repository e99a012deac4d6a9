package forecast_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/shop"
)

// today is a Monday. The made shops end on the day before.
var today = time.Date(2026, 7, 6, 0, 0, 0, 0, time.UTC)

// made makes a shop of three years, so that the first origin of the log has a season to judge.
func made(seed uint64) *shop.Shop {
	return shop.Make(shop.Options{Seed: seed, Today: today, Articles: 60, Days: 156 * 7})
}

// stage is a database with one tenant.
type stage struct {
	t         *testing.T
	db        *pgtest.DB
	admin     *pgx.Conn
	tenant    pgtest.Tenant
	forecasts *forecast.Service
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	return &stage{t: t, db: db, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db),
		forecasts: forecast.New(db.Cells, slog.New(slog.DiscardHandler))}
}

func (s *stage) exec(sql string, args ...any) {
	s.t.Helper()
	_, err := s.admin.Exec(s.t.Context(), sql, args...)
	require.NoError(s.t, err)
}

// family returns the family of an article. Every seventh has none.
func family(made *shop.Shop, article int) string {
	if article%7 == 3 {
		return ""
	}
	return made.Families[made.Articles[article].Family].Name
}

// open writes a shop's sales of the days before until, as the keeper of sales leaves them.
func (s *stage) open(tenant pgtest.Tenant, made *shop.Shop, until int) {
	s.t.Helper()
	s.exec(`INSERT INTO workspace.sales_settings (tenant_id, workspace_id, time_zone, week_start, base_currency, rebuild_began_at)
		VALUES ($1, $2, 'UTC', 1, 'EUR', now())`, tenant.ID, tenant.Workspace)
	for i, a := range made.Articles {
		s.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name, family)
			VALUES ($1, $2, $3, $3, $4, $5, nullif($6, ''))`, tenant.ID, tenant.Workspace, a.ID, a.SKU, a.Name, family(made, i))
		s.sell(tenant, made, i, until)
	}
}

// sell writes the series and days of one article.
func (s *stage) sell(tenant pgtest.Tenant, made *shop.Shop, article, until int) {
	s.t.Helper()
	id, h := made.Articles[article].ID, made.History[article]
	key := []any{tenant.ID, tenant.Workspace, id}
	s.exec("DELETE FROM workspace.sales_series WHERE tenant_id = $1 AND workspace_id = $2 AND product_id = $3", key...)
	s.exec("DELETE FROM workspace.sales_days WHERE tenant_id = $1 AND workspace_id = $2 AND product_id = $3", key...)
	first, last, seen := -1, -1, -1 // seen: the last day of a sale or of a count that differed
	var days [][]any
	for day := range until {
		if h.Sold[day] > 0 {
			if first < 0 {
				first = day
			}
			last, seen = day, day
			days = append(days, append(slices.Clone(key), made.Date(day), 1, h.Sold[day]+1, 1, 0)) // one came back
		}
		if first >= 0 && h.InStock(day) != h.InStock(max(0, day-1)) {
			seen = day
		}
	}
	_, err := s.admin.CopyFrom(s.t.Context(), pgx.Identifier{"workspace", "sales_days"},
		[]string{"tenant_id", "workspace_id", "product_id", "day", "lines", "units", "returned", "net"}, pgx.CopyFromRows(days))
	require.NoError(s.t, err)
	if first < 0 {
		s.exec("INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id) VALUES ($1, $2, $3)", key...)
		return
	}
	units, empty := make([]int32, seen/7-first/7+1), make([]int32, seen/7-first/7+1)
	for day := first; day <= seen; day++ {
		units[day/7-first/7] += h.Sold[day]
		if !h.InStock(day) {
			empty[day/7-first/7]++
		}
	}
	s.exec(`INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id, first_sale, last_sale, first_week, units, empty_days,
			counted_from, ends_empty, ends_on) VALUES ($1, $2, $3, $4, $5, $6, $7::integer[]::numeric[], $8, $4, $9, $10)`,
		append(key, made.Date(first), made.Date(last), made.Date(first/7*7), units, empty, h.Stock[seen] == 0, made.Date(seen))...)
}

// sales returns what was known of the shop on a day, from its days and not from the tables.
func sales(made *shop.Shop, asOf int) demand.Sales {
	weeks := asOf / 7
	known := demand.Sales{End: demand.DayOf(made.Date(7 * weeks))}
	for i, article := range made.Articles {
		h, a := made.History[i], demand.Article{ID: article.ID, Family: family(made, i)}
		first := 0
		for first < asOf && h.Sold[first] == 0 {
			first++
		}
		for w := first / 7; w < weeks; w++ {
			units, inStock := 0.0, 0
			for day := max(first, 7*w); day < 7*w+7; day++ {
				units += float64(h.Sold[day])
				if h.InStock(day) {
					inStock++
				}
			}
			a.Units, a.InStock = append(a.Units, units), append(a.InStock, inStock)
		}
		for day := 7 * weeks; day < asOf; day++ {
			a.Running += float64(h.Sold[day])
		}
		known.Articles = append(known.Articles, a)
	}
	return known
}

// at returns a time of a day of the shop.
func at(made *shop.Shop, day int) time.Time { return made.Date(day).Add(3 * time.Hour) }

// view reads a view as package query does. Without a product it is that of all.
func (s *stage) view(tenant pgtest.Tenant, name string, asOf *time.Time, product *string) []map[string]any {
	s.t.Helper()
	return s.viewOf(tenant, name, asOf, product, nil)
}

// past reads a view as package query does for an earlier day: from rows that are computed for it.
func (s *stage) past(name string, asOf time.Time, product string) []map[string]any {
	s.t.Helper()
	compute := map[string]func(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, time.Time, string) ([]byte, error){
		"product_demand": s.forecasts.DemandAsOf, "seasonality": s.forecasts.SeasonsAsOf,
	}[name]
	var rows []byte
	require.NoError(s.t, s.db.InTenant(s.t.Context(), s.tenant.ID, func(tx pgx.Tx) (err error) {
		rows, err = compute(s.t.Context(), tx, s.tenant.ID, s.tenant.Workspace, asOf, product)
		return err
	}))
	return s.viewOf(s.tenant, name, &asOf, &product, rows)
}

func (s *stage) viewOf(tenant pgtest.Tenant, name string, asOf *time.Time, product *string, past []byte) []map[string]any {
	s.t.Helper()
	file, err := template.ParseFiles("../query/views/" + name + ".sql")
	require.NoError(s.t, err)
	var text strings.Builder
	require.NoError(s.t, file.Execute(&text, map[string]bool{"Past": past != nil}))
	if product == nil {
		product = new(string)
	}
	args := []any{tenant.ID, tenant.Workspace, asOf, product}
	if past != nil {
		args = append(args, past)
	}
	var all []map[string]any
	require.NoError(s.t, s.db.InTenant(s.t.Context(), tenant.ID, func(tx pgx.Tx) error {
		rows, err := tx.Query(s.t.Context(), text.String()+" ORDER BY 1", args...)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowToMap)
		return err
	}))
	return all
}

// stored returns all that is stored of a tenant, for comparing. Times of computing are left out.
func (s *stage) stored(tenant pgtest.Tenant) map[string][]string {
	s.t.Helper()
	tables := map[string][]string{}
	for _, table := range []string{"forecasts", "forecast_families", "forecast_classes", "forecast_log", "forecast_state"} {
		tables[table] = s.rows("SELECT (to_jsonb(t) - 'tenant_id' - 'workspace_id' - 'computed_at' - 'queue_waits_since')::text FROM workspace."+table+
			" t WHERE tenant_id = $1 ORDER BY 1", tenant.ID)
	}
	return tables
}

func (s *stage) rows(sql string, args ...any) []string {
	s.t.Helper()
	rows, err := s.admin.Query(s.t.Context(), sql, args...)
	require.NoError(s.t, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(s.t, err)
	return texts
}
