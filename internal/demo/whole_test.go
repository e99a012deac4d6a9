package demo

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/shop"
)

// TestWhole fills the demo with a small shop as the command does: through ingest, sales and
// forecasts. What the computed views then show is compared with what the shop knows.
//
//race:detect
func TestWhole(t *testing.T) {
	t.Parallel()
	w := fillWhole(t)
	w.requireWeeks()
	w.requireDemand()
	w.requireSeasons()
}

// whole is a filled demo.
type whole struct {
	*testing.T
	app   *app.App
	made  *shop.Shop
	by    auth.Principal
	today time.Time
}

func fillWhole(t *testing.T) *whole {
	t.Helper()
	db := pgtest.New(t)
	cfg := app.Config{DatabaseURL: db.ServiceURL, MigrateURL: db.OwnerURL, BaseURL: "https://quay.example", Lanes: 2,
		MaxQueued: 4096, MaxQueuedBytes: 1 << 26, MaxWait: time.Minute, MaxBodyBytes: 1 << 20, MaxConns: 32,
		SpoolDir: "off"}
	w := &whole{T: t}
	var err error
	w.app, err = app.New(t.Context(), cfg, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))
	require.NoError(t, err)
	t.Cleanup(w.app.Close)
	filler := &Filler{Accounts: w.app.Accounts, Keys: w.app.Keys, Records: w.app.Records, Meter: w.app.Meter, Alerts: w.app.Alerts,
		Progress: t.Output(), Scale: 1, Grown: w.app.Analyze,
		shopOf: func(today time.Time, _ int) *shop.Shop {
			w.made = shop.Make(shop.Options{Seed: Seed, Today: today, Articles: 40, Suppliers: 4})
			return w.made
		}}
	filled, err := filler.Fill(t.Context(), time.Now())
	require.NoError(t, err)
	require.NoError(t, w.app.Sales.CatchUp(t.Context(), filled.Tenant.ID, filled.Tenant.Workspace))
	w.today = day(filled.Tenant.ID)
	require.NoError(t, w.app.Forecasts.Daily(t.Context(), w.today.Add(12*time.Hour))) // also if midnight passes
	w.by = auth.Principal{Tenant: filled.Tenant.ID, Workspace: filled.Tenant.Workspace, Zone: time.UTC, Role: auth.Viewer}
	return w
}

// rows reads all rows of a view as of the shop's day.
func (w *whole) rows(view, product string, fields ...string) (rows []map[string]any) {
	w.Helper()
	request := query.Request{ViewSlug: view, SelectFields: fields, Limit: query.MaxLimit,
		Parameters: query.Parameters{Product: product, AsOf: w.today.Format(time.DateOnly)}}
	for {
		page, err := w.app.HTTP.Query.Rows(context.WithoutCancel(w.Context()), w.by, request)
		require.NoError(w, err)
		for _, row := range page.Rows {
			var values map[string]any
			require.NoError(w, json.Unmarshal(row.Values, &values))
			rows = append(rows, values)
		}
		if page.NextCursor == "" {
			return rows
		}
		request.Cursor = page.NextCursor
	}
}

// number reads a number of a row.
func (w *whole) number(row map[string]any, name string) float64 {
	w.Helper()
	n, err := strconv.ParseFloat(text(row[name]), 64)
	require.NoError(w, err, "%s of %v", name, row)
	return n
}

// sold returns the units of each article that were sold on a day and kept.
func (w *whole) sold() []map[int]int {
	sold := make([]map[int]int, len(w.made.Articles))
	for i := range sold {
		sold[i] = map[int]int{}
	}
	for o := range w.made.Orders() {
		for _, l := range o.Lines {
			if o.Valid() {
				sold[l.Article][o.Day] += l.Quantity - l.Returned
			}
		}
	}
	return sold
}

// articles returns the ids of the shop's articles, by their position.
func (w *whole) articles() map[string]int {
	w.Helper()
	places, ids := map[string]int{}, map[string]int{}
	for i, a := range w.made.Articles {
		places[a.ID] = i
	}
	for _, row := range w.rows("product_demand", "", "product_id", "variant_external_id") {
		if place, ours := places[text(row["variant_external_id"])]; ours {
			ids[text(row["product_id"])] = place
		}
	}
	require.Len(w, ids, len(places))
	return ids
}

// requireWeeks compares every week of every article.
func (w *whole) requireWeeks() {
	w.Helper()
	type week struct {
		article int
		start   string
	}
	want, got := map[week]int{}, map[week]int{}
	for article, days := range w.sold() {
		for day, units := range days {
			date := w.made.Date(day)
			monday := date.AddDate(0, 0, -(int(date.Weekday())+6)%7)
			want[week{article, monday.Format(time.DateOnly)}] += units
		}
	}
	ids := w.articles()
	for _, row := range w.rows("weekly_sales", query.EveryProduct, "product_id", "week_start", "units_net") {
		if article, ours := ids[text(row["product_id"])]; ours {
			got[week{article, text(row["week_start"])}] = int(w.number(row, "units_net"))
		}
	}
	require.Greater(w, len(want), 1000)
	require.Equal(w, want, got)
}

// requireDemand compares what is known of each article's sales and stock, and the forecasts of
// all of them with the true mean demand of the last days.
func (w *whole) requireDemand() {
	w.Helper()
	sold, ids := w.sold(), w.articles()
	days := w.made.Options.Days
	var miss, truth float64
	for _, row := range w.rows("product_demand", "") {
		article, ours := ids[text(row["product_id"])]
		if !ours {
			continue
		}
		year, first, last := 0, math.MaxInt, -1
		for day, units := range sold[article] {
			first, last = min(first, day), max(last, day)
			if day >= days-365 {
				year += units
			}
		}
		require.InDelta(w, year, w.number(row, "units_365"), 1e-9)
		require.Equal(w, w.made.Date(first).Format(time.DateOnly), row["first_sale_date"])
		require.Equal(w, w.made.Date(last).Format(time.DateOnly), row["last_sale_date"])
		h, inStock := w.made.History[article], 0
		end := days - (int(w.today.Weekday())+6)%7 // of the last complete week
		for day := max(first, end-104*7); day < end; day++ {
			if h.InStock(day) {
				inStock++
			}
		}
		require.InDelta(w, inStock, w.number(row, "exposure_days"), 0, "%s", w.made.Articles[article].ID)
		for _, mean := range h.Mean[days-28:] {
			truth += float64(mean) / 28
			miss -= float64(mean) / 28
		}
		miss += w.number(row, "demand_per_day")
	}
	require.Less(w, math.Abs(miss), 0.35*truth, "the forecasts of all articles together")
}

// requireSeasons checks that the seasons which are applied rise where they truly do: on average, for
// a family of a few articles sells too little for its months to be certain.
func (w *whole) requireSeasons() {
	w.Helper()
	peaks := map[string]int{}
	for _, f := range w.made.Families {
		if f.Seasonal {
			peaks[f.Name] = slices.Index(f.Season[:], slices.Max(f.Season[:])) + 1
		}
	}
	applied, rise := 0, 0.0
	for _, row := range w.rows("seasonality", "") {
		peak, seasonal := peaks[text(row["scope"])]
		if seasonal && w.number(row, "strength") > 0 && int(w.number(row, "month")) == peak {
			rise += w.number(row, "index") - 1
			applied++
		}
	}
	require.Greater(w, rise, 0.1*float64(applied), "months of %d seasons in which most is sold", applied)
	require.Positive(w, applied, "some seasons are strong enough to be found")
}
