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
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/telemetry"
	"github.com/quayside/quayside/internal/worker"
)

const (
	drainTimeout = 25 * time.Second
	flushTimeout = 5 * time.Second
	closeTimeout = 20 * time.Second
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
	moved, err := a.Cells.Moved(ctx)
	if a.holds = moved; moved {
		a.log.ErrorContext(ctx, "nothing is sent to suppliers, inventory systems and people: this database was restored or moved, "+
			"and what it would send may have been sent already; run 'quayside backup restored', then start again")
	}
	return err
}

// Serve answers requests until ctx ends, then finishes those in progress.
func (a *App) Serve(ctx context.Context) error {
	if OwnerIsNear() && a.cfg.MigrateURL == "" {
		a.log.WarnContext(ctx, ownerVariable+" is in the environment of 'quayside serve', which does not read it; "+
			"take it out, so that nobody who gets into this process finds the owner's login")
	}
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

	servers, served, err := a.listen(ctx)
	if err != nil {
		return err
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
	_ = a.HTTP.LogRefused(ctx)
	a.log.InfoContext(ctx, "stopped")
	return nil
}

// listen starts the servers. The first that ends sends why.
func (a *App) listen(ctx context.Context) (servers []*http.Server, served chan error, err error) {
	allowed := connsAllowed(descriptors(), a.Cells.Sizes().All())
	callers := newGate(allowed, spareConns)
	a.metrics.Gauge("quayside_http_connections", "Connections of callers.", func() float64 { return float64(callers.open()) })
	a.metrics.Gauge("quayside_http_connections_limit", "Connections that callers may have, because of the limit of open files.",
		func() float64 { return float64(allowed) })
	served = make(chan error, 2)
	for _, s := range []struct {
		addr    string
		handler http.Handler
		gate    *gate
	}{{a.cfg.Addr, a.HTTP.Handler(), callers}, {a.cfg.MetricsAddr, a.metrics.Handler(), newGate(metricsConns, 0)}} {
		if s.addr == "" {
			continue
		}
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.addr)
		if err != nil {
			return nil, nil, fault.New(fault.Unavailable, "address",
				"cannot listen on %s; is another process there? QUAYSIDE_ADDR and QUAYSIDE_METRICS_ADDR choose the addresses",
				s.addr).Because(err)
		}
		server := a.server(s.handler, s.gate)
		servers = append(servers, server)
		go func() { served <- server.Serve(gated{listener, s.gate}) }()
	}
	return servers, served, nil
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
	queues := job.Queues()
	if a.holds {
		delete(queues, job.Mails)
		delete(queues, job.Exchanges)
	}
	return a.Cells.StartJobs(ctx,
		worker.New(worker.Domains{Accounts: a.Accounts, Failures: a.Failures, Uploads: a.Uploads, Unknown: a.Unknown,
			Procure: a.Procure, Sending: a.Sending, Exchange: a.Exchange, Records: a.Records}),
		queues, job.Shared, a.log)
}

// server returns an HTTP server whose limits protect it from slow or greedy clients.
func (a *App) server(handler http.Handler, callers *gate) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ConnContext:       callers.mark,
		ConnState:         callers.changed,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
}
