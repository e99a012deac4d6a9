package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/httpapi"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/telemetry"
	"github.com/quayside/quayside/internal/worker"
)

const (
	drainTimeout = 25 * time.Second
	flushTimeout = 5 * time.Second
	closeTimeout = 20 * time.Second
	flushEvery   = 5 * time.Second
	loadEvery    = 2 * time.Second
	salesEvery   = time.Second
	queueEvery   = time.Second
	inboxEvery   = 30 * time.Second
	// wholeEvery is how often workspaces are looked for whose demand or queue is computed as a whole:
	// a new one has its first queue after twice as long, and changed rules show after once.
	wholeEvery = 15 * time.Second
	// silenceEvery is the interval of the thorough search for alerts. It is also the time after
	// a start in which no source counts as silent, because none could reach the service while
	// it was down.
	silenceEvery = 5 * time.Minute
)

// Prepare checks the database and creates the partitions that records are written to now.
func (a *App) Prepare(ctx context.Context) error {
	if err := a.Check(ctx); err != nil {
		return err
	}
	if err := event.MakeDays(ctx, a.Cells); err != nil {
		if missing := a.Cells.CheckPartitions(ctx); missing != nil {
			return errors.Join(missing, err)
		}
		a.log.ErrorContext(ctx, "partition upkeep failed", "err", err)
	}
	return nil
}

// Serve answers requests until ctx ends, then finishes those in progress.
func (a *App) Serve(ctx context.Context) error {
	if err := a.Prepare(ctx); err != nil {
		return err
	}
	if err := a.openSpool(ctx); err != nil {
		return err
	}
	stopTracing, err := telemetry.StartTracing(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = stopTracing(context.WithoutCancel(ctx)) }()

	servers := []*http.Server{a.server(a.cfg.Addr, a.HTTP.Handler())}
	if a.cfg.MetricsAddr != "" {
		servers = append(servers, a.server(a.cfg.MetricsAddr, a.metrics.Handler()))
	}
	served := make(chan error, len(servers))
	for _, server := range servers {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", server.Addr)
		if err != nil {
			return fault.New(fault.Unavailable, "address",
				"cannot listen on %s; is another process there? QUAYSIDE_ADDR and QUAYSIDE_METRICS_ADDR choose the addresses",
				server.Addr).Because(err)
		}
		go func() { served <- server.Serve(listener) }()
	}
	var chores sync.WaitGroup
	a.startChores(ctx, &chores)
	waitForJobs, err := a.StartJobs(ctx)
	if err != nil {
		return err
	}
	a.log.InfoContext(ctx, "serving", "addr", a.cfg.Addr, "base_url", a.cfg.BaseURL)

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	a.log.InfoContext(ctx, "draining")
	a.HTTP.Drain()
	time.Sleep(a.cfg.DrainDelay) // load balancers poll /readyz only now and then
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	for _, server := range servers {
		if err := server.Shutdown(drain); err != nil {
			return fault.New(fault.Unavailable, "drain", "some requests did not end within %s", drainTimeout).Because(err)
		}
	}
	if !within(drain, func() { chores.Wait(); waitForJobs() }) {
		a.log.ErrorContext(ctx, "background work did not end in time")
	}
	a.log.InfoContext(ctx, "stopped")
	return nil
}

// within reports whether do returned before ctx ended.
func within(ctx context.Context, do func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// StartJobs processes background jobs until ctx ends. The returned function waits for the jobs
// in progress.
func (a *App) StartJobs(ctx context.Context) (wait func(), err error) {
	return a.Cells.StartJobs(ctx,
		worker.New(worker.Domains{Accounts: a.Accounts, Failures: a.Failures, Uploads: a.Uploads, Procure: a.Procure,
			Sending: a.Sending}),
		job.Queues(), a.log)
}

// server returns an HTTP server whose limits protect it from slow or greedy clients.
func (a *App) server(addr string, handler http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ConnContext:       httpapi.ConnContext,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
}

// atNow turns a function that needs the time into a chore.
func atNow(do func(context.Context, time.Time) error) func(context.Context) error {
	return func(ctx context.Context) error { return do(ctx, time.Now()) }
}

// startChores runs the periodic chores until ctx ends. Every instance runs all of them: each
// chore is safe to run twice at once.
func (a *App) startChores(ctx context.Context, running *sync.WaitGroup) {
	ctx = pg.InBackground(ctx)
	for _, chore := range []struct {
		name  string
		every time.Duration
		do    func(context.Context) error
	}{
		{"make partitions", time.Minute, func(ctx context.Context) error { return event.MakeDays(ctx, a.Cells) }},
		{"drop old events", time.Hour, func(ctx context.Context) error {
			return event.DropOld(ctx, a.Cells, a.cfg.EventsKeptDays, a.log)
		}},
		{"link late records", a.cfg.SweepEvery, a.Records.Sweep},
		{"resolve failures", a.cfg.SweepEvery, func(ctx context.Context) error {
			_, err := a.Records.ResolveFailures(ctx)
			return err
		}},
		{"load spooled dead letters", loadEvery, a.Records.LoadSpooled},
		{"flush figures", flushEvery, a.Meter.Flush},
		{"count states", a.cfg.SweepEvery, a.Records.CountStates},
		{"recount rows", time.Hour, a.Records.RecountRows},
		{"drop old hours", time.Hour, a.Meter.Tidy},
		{"drop expired sessions and links", time.Hour, a.Accounts.Tidy},
		{"look for alerts", a.cfg.AlertsEvery, atNow(a.Alerts.Look)},
		{"look for alerts thoroughly", silenceEvery, atNow(a.Alerts.LookThoroughly)},
		{"mail alerts", a.cfg.AlertsEvery, atNow(a.Alerts.Mail)},
		{"mail inboxes", inboxEvery, atNow(a.Inbox.Mail)},
		{"drop old alerts", time.Hour, atNow(a.Alerts.Tidy)},
		{"drop old files", time.Hour, a.Uploads.Tidy},
		{"compute demand", wholeEvery, atNow(a.Forecasts.Daily)},
		{"keep sales", salesEvery, a.Sales.Keep},
		{"compute the queue", wholeEvery, atNow(a.Procure.Daily)},
		{"keep the queue", queueEvery, a.Procure.Keep},
		{"start the agents of the day", time.Minute, a.Procure.StartDaily},
		{"seal the audit", a.cfg.SweepEvery, a.Audit.Seal},
		{"count jobs", a.cfg.SweepEvery, func(ctx context.Context) error { return a.Cells.CountJobs(ctx, a.metrics.Jobs) }},
	} {
		running.Go(func() {
			ticker := time.NewTicker(chore.every)
			defer ticker.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
					err := chore.do(ctx)
					if ctx.Err() != nil {
						return
					}
					a.metrics.Chore(chore.name, err)
					if err != nil {
						a.log.ErrorContext(ctx, "chore failed", "chore", chore.name, "err", err)
					}
				}
			}
		})
	}
}
