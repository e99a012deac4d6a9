package forecast_test

import (
	"os"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
)

// TestComputeAtSize measures QUAYSIDE_FORECAST_ARTICLES articles with 104 weeks each, of which
// every sixth day of the last year has a sale.
func TestComputeAtSize(t *testing.T) { //nolint:paralleltest // it measures
	articles, _ := strconv.Atoi(os.Getenv("QUAYSIDE_FORECAST_ARTICLES"))
	if articles == 0 {
		t.Skip("set QUAYSIDE_FORECAST_ARTICLES, such as 10000")
	}
	s := newStage(t)
	s.exec(`INSERT INTO workspace.sales_settings (tenant_id, workspace_id, time_zone, week_start, base_currency, rebuild_began_at)
		VALUES ($1, $2, 'UTC', 1, 'EUR', now())`, s.tenant.ID, s.tenant.Workspace)
	s.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name, family)
		SELECT $1, $2, 'product-' || to_char(n, 'FM00000000'), n::text, 'x', 'family ' || n % 40 FROM generate_series(1, $3::int) n`,
		s.tenant.ID, s.tenant.Workspace, articles)
	s.exec("SELECT setseed(0.5)")
	s.exec(`INSERT INTO workspace.sales_series (tenant_id, workspace_id, product_id, first_sale, last_sale, first_week, units, empty_days, ends_on)
		SELECT tenant_id, workspace_id, id, $1::date - 728, $1::date - 1, $1::date - 728, u.units, u.empty_days, $1::date - 1
		FROM workspace.products p CROSS JOIN LATERAL (
			SELECT array_agg(floor(random() * random() * 20)) AS units, array_agg(floor(random() * 1.3)::int) AS empty_days
			FROM generate_series(1, 104) WHERE p.id <> '') u`, today)
	s.exec(`INSERT INTO workspace.sales_days (tenant_id, workspace_id, product_id, day, lines, units, returned, net)
		SELECT p.tenant_id, p.workspace_id, p.id, $1::date - d, 1, 2, 0, 0 FROM workspace.products p, generate_series(1, 365, 6) d`, today)
	s.exec("ANALYZE")

	measure := func(what string, fn func() error) {
		t.Helper()
		began, used := time.Now(), processorTime(t)
		require.NoError(t, fn())
		status, err := os.ReadFile("/proc/self/status")
		require.NoError(t, err)
		t.Logf("%-35s %6.2f s, of which this process used %5.2f s; peak %s", what, time.Since(began).Seconds(),
			(processorTime(t) - used).Seconds(), regexp.MustCompile(`VmHWM:\s+(.*)`).FindSubmatch(status)[1])
	}
	measure("compute without a log", func() error {
		return s.forecasts.Compute(t.Context(), s.tenant.ID, s.tenant.Workspace, demand.DayOf(today)-1)
	})
	measure("the first day: replays 13 origins", func() error { return s.forecasts.Daily(t.Context(), today) })
	measure("compute again: nothing changes", func() error {
		return s.forecasts.Compute(t.Context(), s.tenant.ID, s.tenant.Workspace, demand.DayOf(today))
	})
	measure("the next day: all change", func() error { return s.forecasts.Daily(t.Context(), today.AddDate(0, 0, 1)) })
	for what, product := range map[string]string{"all": "", "one article, with its family": "product-00000001"} {
		measure("as of an earlier day: "+what, func() error {
			return s.db.InTenant(t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
				_, err := s.forecasts.DemandAsOf(t.Context(), tx, s.tenant.ID, s.tenant.Workspace, today.AddDate(0, -3, 0), product)
				if fault.HasCode(err, "too_many") {
					t.Log(err)
					return nil
				}
				return err
			})
		})
	}
	for _, changed := range []int{1, 500} {
		s.exec("UPDATE workspace.sales_series SET units[104] = units[104] + 3 WHERE product_id <= 'product-' || to_char($1::int, 'FM00000000')", changed)
		s.mark(s.rows("SELECT id FROM workspace.products ORDER BY id LIMIT $1", changed)...)
		measure("update of "+strconv.Itoa(changed), func() error {
			return s.forecasts.Update(t.Context(), s.tenant.ID, s.tenant.Workspace)
		})
	}
}

// processorTime returns what this process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
