package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
)

// How long a page of a computed view may take, in milliseconds, up to mostLines lines and above.
const (
	mostLines     = 2_000_000
	pageLimit     = 300.0
	pageLimitMany = 2000.0
)

// views measures pages of the computed views of a shop, and what keeping them costs the write path.
type views struct {
	reads
	cells     *pg.Cells
	forecasts *forecast.Service
	figures   map[string]float64
	failures  []string
}

func runViews(ctx context.Context, opt options, c *cluster) error {
	cells, err := pg.Open(ctx, pg.Config{URL: c.url("QUAYSIDE_DATABASE_URL")})
	if err != nil {
		return err
	}
	defer cells.Close()
	forecasts := forecast.New(cells, slog.New(slog.DiscardHandler))
	v := &views{reads: reads{options: opt, cluster: c, engine: query.New(cells, registry.New(cells), forecasts, purchase.LeftAsJSON)},
		cells: cells, forecasts: forecasts, figures: map[string]float64{}}
	if err := v.connectAsService(ctx); err != nil {
		return err
	}
	defer func() { _ = v.bare.Close(context.WithoutCancel(ctx)) }()
	if err := v.loadShop(ctx); err != nil {
		return err
	}
	if err := v.measure(ctx); err != nil {
		return err
	}
	return v.report(os.Stdout)
}

// measure measures what the options ask for: the queue, or the views. A quick run does both, without
// the write path, about which a second of load shows nothing.
func (v *views) measure(ctx context.Context) error {
	if v.options.queue {
		return v.queue(ctx)
	}
	if err := v.pages(ctx, os.Stdout); err != nil {
		return err
	}
	if v.quick {
		return v.queue(ctx)
	}
	if v.views > mostLines { // what keeping them costs is limited for fewer lines only
		return nil
	}
	return v.keeping(ctx, os.Stdout)
}

// connectAsService opens the connection for bare statements. They are planned for their values each
// time and not compiled, as the service's are.
func (v *views) connectAsService(ctx context.Context) error {
	config, err := pgx.ParseConfig(v.cluster.url("QUAYSIDE_DATABASE_URL"))
	if err != nil {
		return err
	}
	config.RuntimeParams["role"], config.RuntimeParams["jit"], config.RuntimeParams["enable_memoize"] = pg.AppRole, "off", "off"
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	v.bare, err = pgx.ConnectConfig(ctx, config)
	return err
}

// report prints one JSON object, and fails if a limit was missed for sure.
func (v *views) report(w io.Writer) error {
	line, err := json.Marshal(map[string]any{"articles": v.articles, "lines": v.views, "load_average": loadAverage(),
		"figures": rounded(v.figures), "missed": append([]string{}, v.failures...)})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\n%s\n", line); err != nil || v.failures == nil {
		return err
	}
	return errors.New(strings.Join(v.failures, "; "))
}

// loadAverage returns how many processes wanted a processor in the last minute.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(first, 64)
	return load
}

// pages measures every case in both ways, in turns.
func (v *views) pages(ctx context.Context, w io.Writer) error {
	limit := pageLimit
	if v.views > mostLines {
		limit = pageLimitMany
	}
	fmt.Fprintf(w, "\n%d articles, %d lines; load average %.1f; medians of rounds in turns, in ms\n\n%-52s %9s %9s %9s %7s\n",
		v.articles, v.views, loadAverage(), "page", "bare", "engine", "p95", "ratio")
	for _, c := range viewCases(time.Now()) {
		if !strings.Contains(c.name, v.only) {
			continue
		}
		request := c.request
		sql, args, err := v.bareOf(c)
		if err != nil {
			return err
		}
		var bares, engines series
		if err = v.skipTo(ctx, &request, c.pagesBefore); err == nil {
			bares, engines, err = v.inTurns(func() error { return v.byHand(ctx, sql, args) },
				func() error { return v.byEngine(ctx, readCase{request: request}) })
		}
		if err != nil && ctx.Err() == nil { // cancelled at its time limit: missed, and the others are measured all the same
			v.failures = append(v.failures, fmt.Sprintf("%s: %v", c.name, err))
			fmt.Fprintf(w, "%-52s %v\n", c.name, err)
			continue
		}
		if err != nil {
			return err
		}
		var ratios series
		for i := range bares {
			ratios = append(ratios, engines[i]/bares[i])
		}
		verdicts := ""
		for _, g := range []struct {
			what  string
			of    series
			limit float64
		}{{"ms", engines, limit}, {"× bare", ratios, mostOverBare}} {
			if low, _ := g.of.interval(); low > g.limit {
				verdicts += fmt.Sprintf("  more than %.0f %s", g.limit, g.what)
				v.failures = append(v.failures, fmt.Sprintf("%s: %.1f %s", c.name, g.of.median(), g.what))
			}
		}
		v.figures["ms: "+c.name], v.figures["ratio: "+c.name] = engines.median(), ratios.median()
		fmt.Fprintf(w, "%-52s %9.2f %9.2f %9.2f %7.2f%s\n", c.name, bares.median(), engines.median(), engines.p95(), ratios.median(), verdicts)
	}
	return nil
}

// skipTo makes the request one for a late page.
func (v *views) skipTo(ctx context.Context, request *query.Request, pages int) error {
	for range pages {
		page, err := v.engine.Rows(ctx, v.by, *request)
		if err != nil {
			return err
		}
		if page.NextCursor == "" {
			return errors.New("there is no such late page")
		}
		request.Cursor = page.NextCursor
	}
	return nil
}

// bareOf returns the view's own statement in the order of the page, with its parameters after the
// tenant and the workspace. A late page is skipped to.
func (v *views) bareOf(c viewCase) (sql string, args []any, err error) {
	file, err := template.ParseFiles(filepath.Join(v.root, "internal", "query", "views", c.request.ViewSlug+".sql"))
	if err != nil {
		return "", nil, err
	}
	var text strings.Builder
	if err := file.Execute(&text, struct{ Every, Past, Joined bool }{
		Every: c.request.Product == query.EveryProduct, Joined: c.request.SortBy == "name"}); err != nil {
		return "", nil, err
	}
	day := c.request.AsOf
	if day == "" {
		day = time.Now().UTC().Format(time.DateOnly)
	}
	args = []any{day}
	if strings.Contains(text.String(), "$4") {
		args = append(args, c.request.Product)
	}
	direction := map[bool]string{true: "DESC", false: "ASC"}[c.request.SortDesc]
	return fmt.Sprintf("SELECT * FROM (%s) t WHERE %s ORDER BY %s %s NULLS LAST OFFSET %d LIMIT 51", &text, cmp.Or(c.where, "true"), c.request.SortBy,
		direction, c.pagesBefore*cmp.Or(c.request.Limit, query.DefaultLimit)), args, nil
}

// inTurns runs two ways of the same work, one after the other, until the time is up.
func (v *views) inTurns(byHand, byEngine func() error) (bares, engines series, err error) {
	for round, end := 0, time.Now().Add(v.slice); round < 8 || round < 60 && time.Now().Before(end); round++ {
		b, err := timed(byHand)
		if err != nil {
			return nil, nil, fmt.Errorf("by hand: %w", err)
		}
		e, err := timed(byEngine)
		if err != nil {
			return nil, nil, err
		}
		if round > 0 { // the first one fills the caches
			bares, engines = append(bares, b), append(engines, e)
		}
	}
	return bares, engines, nil
}
