// Package app puts the service together: one Config, everything constructed once,
// in reading order.
package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/httpapi"
	"github.com/quayside/quayside/internal/pg"
)

const (
	drainTimeout   = 25 * time.Second
	upkeepInterval = time.Hour
)

// App is the whole service.
type App struct {
	cfg      Config
	log      *slog.Logger
	Cells    *pg.Cells
	Accounts *account.Service
	Keys     *apikey.Service
	HTTP     *httpapi.Server
}

// New constructs the service. It connects lazily: Check says whether it can work.
func New(ctx context.Context, cfg Config, log *slog.Logger) (*App, error) {
	cells, err := pg.Open(ctx, pg.Config{URL: cfg.DatabaseURL, MaxConns: cfg.MaxConns})
	if err != nil {
		return nil, err
	}
	a := &App{
		cfg: cfg, log: log, Cells: cells,
		Accounts: account.New(cells),
		Keys:     apikey.New(cells),
	}
	a.HTTP = httpapi.New(log, a.ready)
	return a, nil
}

// Close releases the connections.
func (a *App) Close() { a.Cells.Close() }

// Check refuses to start on a database that is away, not migrated, or whose role
// row security would not bind.
func (a *App) Check(ctx context.Context) error {
	if err := a.Cells.Ping(ctx); err != nil {
		return err
	}
	if err := a.Cells.CheckRole(ctx); err != nil {
		return err
	}
	if err := a.Cells.CheckMigrations(ctx); err != nil {
		return err
	}
	gaps, err := a.Cells.CheckRowSecurity(ctx)
	if err == nil && len(gaps) > 0 {
		return fault.New(fault.Forbidden, "row_security", "row security has gaps: %s", strings.Join(gaps, "; "))
	}
	return err
}

// Serve answers requests until ctx ends, then finishes those under way.
func (a *App) Serve(ctx context.Context) error {
	if err := a.Check(ctx); err != nil {
		return err
	}
	if err := event.KeepPartitions(ctx, a.Cells, a.cfg.EventsKeptDays); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", a.cfg.Addr)
	if err != nil {
		return fault.New(fault.Unavailable, "address", "cannot listen on %s; is another process there? QUAYSIDE_ADDR chooses the address", a.cfg.Addr).Because(err)
	}
	server := &http.Server{
		Handler:           a.HTTP.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	go a.upkeep(ctx)
	a.log.InfoContext(ctx, "serving", "addr", listener.Addr().String(), "base_url", a.cfg.BaseURL)

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	a.log.InfoContext(ctx, "draining")
	a.HTTP.Drain()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return fault.New(fault.Unavailable, "drain", "some requests did not end within %s", drainTimeout).Because(err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	a.log.InfoContext(ctx, "stopped")
	return nil
}

// ready is what /readyz asks.
func (a *App) ready(ctx context.Context) error {
	if err := a.Cells.CheckMigrations(ctx); err != nil {
		return err
	}
	return a.Cells.CheckPartitions(ctx)
}

// upkeep does the hourly chores until ctx ends. Every instance does them: they
// are safe to do twice.
func (a *App) upkeep(ctx context.Context) {
	ticker := time.NewTicker(upkeepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := event.KeepPartitions(ctx, a.Cells, a.cfg.EventsKeptDays); err != nil {
				a.log.ErrorContext(ctx, "partition upkeep failed", "err", err)
			}
		}
	}
}
