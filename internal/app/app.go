// Package app constructs the service from one Config.
package app

import (
	"context"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/docs"
	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/article"
	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/customer"
	"github.com/quayside/quayside/internal/double"
	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/fieldindex"
	"github.com/quayside/quayside/internal/forecast"
	"github.com/quayside/quayside/internal/freshness"
	"github.com/quayside/quayside/internal/httpapi"
	"github.com/quayside/quayside/internal/inbox"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/mcpserver"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/retention"
	"github.com/quayside/quayside/internal/sales"
	"github.com/quayside/quayside/internal/search"
	"github.com/quayside/quayside/internal/sending"
	"github.com/quayside/quayside/internal/share"
	"github.com/quayside/quayside/internal/source"
	"github.com/quayside/quayside/internal/spool"
	"github.com/quayside/quayside/internal/supplier"
	"github.com/quayside/quayside/internal/telemetry"
	"github.com/quayside/quayside/internal/thread"
	"github.com/quayside/quayside/internal/today"
	"github.com/quayside/quayside/internal/token"
	"github.com/quayside/quayside/internal/trouble"
	"github.com/quayside/quayside/internal/unknown"
	"github.com/quayside/quayside/internal/upload"
	"github.com/quayside/quayside/internal/vault"
	"github.com/quayside/quayside/web"
)

// App is the whole service.
type App struct {
	cfg       Config
	log       *slog.Logger
	metrics   *telemetry.Metrics
	Cells     *pg.Cells
	Accounts  *account.Service
	Keys      *apikey.Service
	Tokens    *token.Service
	Tables    *registry.Service
	Records   *ingest.Service
	Sources   *source.Service
	Meter     *source.Meter
	Fields    *unknown.Meter
	Alerts    *alert.Service
	Inbox     *inbox.Service
	Failures  *failed.Service
	Purchase  *purchase.Service
	Sending   *sending.Service
	Exchange  *exchange.Service
	Playbook  *playbook.Service
	Sales     *sales.Service
	Forecasts *forecast.Service
	Procure   *procure.Service
	Uploads   *upload.Service
	Unknown   *unknown.Service
	Audit     *audit.Service
	Retention *retention.Service
	Indexes   *fieldindex.Service
	Spool     *spool.Spool
	Outbound  *outbound.Transport
	Vault     *vault.Vault
	HTTP      *httpapi.Server

	troubles *trouble.Watch
	posted   posted
	done     done

	leads atomic.Bool // this instance does the chores that one does for all
	holds bool        // nothing is sent: the database was restored, and nobody has settled what that means
}

// New constructs the service without connecting to the database. Check reports whether it can
// work.
func New(ctx context.Context, cfg Config, log *slog.Logger) (*App, error) {
	post, err := mail.New(cfg.SMTPURL)
	if err != nil {
		return nil, err
	}
	cells, err := pg.Open(ctx, pg.Config{URL: cfg.DatabaseURL, MaxConns: cfg.MaxConns, Lanes: cfg.Lanes, Share: cfg.TenantShare})
	if err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, log: log, metrics: telemetry.NewMetrics(), Cells: cells}
	a.Outbound = outbound.New(outbound.Config{Allow: cfg.Inside, Away: share.Away})
	a.Vault = vault.New(cells, cfg.SecretKeys)
	a.Accounts = account.New(cells, post, log, cfg.BaseURL)
	a.Keys = apikey.New(cells)
	a.Tokens = token.New(cells)
	a.Tables = registry.New(cells)
	a.Spool = spool.New(cfg.SpoolDir, cfg.SpoolMaxBytes)
	a.Fields = unknown.NewMeter(cells)
	a.Records = ingest.New(cells, a.Tables, log, a.metrics, ingest.Config{
		Lanes: int(cfg.Lanes), Queued: cfg.MaxQueued, QueuedBytes: cfg.MaxQueuedBytes, Wait: cfg.MaxWait, Spool: a.Spool,
		Gates: map[string]ingest.Gates{"purchase_order_lines": purchaseGates}, Unknown: a.Fields.Saw,
	})
	a.Sources = source.New(cells, a.Tables)
	a.Meter = source.NewMeter(cells)
	a.Failures = failed.New(cells, a.Records)
	a.Unknown = unknown.New(cells, a.Tables, a.Records, a.Fields)
	a.Purchase = purchase.New(cells)
	a.Sending = sending.New(cells, a.Purchase, post,
		sending.Limits{Person: cfg.MailsPerPerson, Company: cfg.MailsPerCompany, New: cfg.NewReceivers}, log)
	connections := connection.New(cells, a.Vault, a.Outbound, probers, log)
	a.Exchange = exchange.New(cells, a.Purchase, connections, systems, log, exchange.Config{Lease: cfg.ExchangeLease})
	a.Playbook = playbook.New(cells)
	a.Forecasts = forecast.New(cells, log)
	a.Sales = sales.New(cells, a.Forecasts)
	a.Procure = procure.New(cells, a.Purchase, log)
	a.Alerts = alert.New(cells, a.Tables, post, log, a.metrics, cfg.BaseURL)
	a.Inbox = inbox.New(cells, a.Purchase, a.Alerts, post, log, a.metrics, cfg.BaseURL)
	a.Uploads = upload.New(cells, a.Tables, a.Records, a.Meter, cfg.MaxBodyBytes)
	a.Audit = audit.New(cells, log)
	a.Retention = retention.New(cells, log, a.metrics.Retention)
	a.Indexes = fieldindex.New(cells, log, a.metrics.FieldIndexes)
	reads, finds := query.New(cells, a.Tables, a.Forecasts, purchase.LeftAsJSON), search.New(cells)
	reads.Log = log
	threads := thread.New(cells)
	processors := share.New(runtime.GOMAXPROCS(0), cfg.TenantShare)
	a.metrics.Gauge("quayside_calls_waiting", "Calls that wait because their company has computed more than its share of the processors.",
		func() float64 { return float64(processors.Waiting()) })
	tools := &mcpserver.Server{
		Log: log, Metrics: a.metrics, Accounts: a.Accounts, Tokens: a.Tokens, Audit: a.Audit, Sources: a.Sources,
		Query: reads, Tables: a.Tables, Records: a.Records,
		Search: finds, Failures: a.Failures, Purchase: a.Purchase, Playbook: a.Playbook, Procure: a.Procure,
		Threads: threads, Processors: processors, BaseURL: cfg.BaseURL, MaxBody: cfg.MaxBodyBytes,
	}
	a.HTTP = &httpapi.Server{
		Log: log, Metrics: a.metrics, Accounts: a.Accounts, Keys: a.Keys, Tokens: a.Tokens, Tables: a.Tables,
		Records: a.Records,
		Sources: a.Sources, Failures: a.Failures, Uploads: a.Uploads, Unknown: a.Unknown, Purchase: a.Purchase, Sending: a.Sending,
		Alerts: a.Alerts, Query: reads,
		Sales: a.Sales, Search: finds, Articles: article.New(cells, reads), Doubles: double.New(cells), Procure: a.Procure, Playbook: a.Playbook,
		Today: today.New(cells, a.Purchase, a.Procure), Inbox: a.Inbox, Threads: threads, Suppliers: supplier.New(cells, reads),
		Customers:   customer.New(cells, reads),
		Connections: connections, Exchange: a.Exchange, Hints: exchange.NewHints(cells, connections, hints),
		Audit: a.Audit, Meter: a.Meter, Site: web.Dist(), Docs: docs.Files, Mounted: tools.Routes(),
		BaseURL: cfg.BaseURL, Proxies: cfg.Proxies, MaxBody: cfg.MaxBodyBytes, Ready: a.ready,
		Accepts: a.Spool.Room, OperatorToken: cfg.OperatorToken, Processors: processors,
	}
	a.observe(post)
	return a, nil
}

// observe registers what the parts of the service know for the metrics and for the operator.
func (a *App) observe(post *mail.Sender) {
	post.Observe(func(result mail.Result) {
		a.metrics.Mail(string(result))
		a.posted.note(result, time.Now())
	})
	a.troubles = a.watch(post)
	a.Cells.Observe(a.metrics)
	a.Sales.Observe(a.metrics.Gauge)
	a.observeLeader()
	a.observeSpool()
	a.observeTenants()
}

// busiestTenants is how many tenants have figures of their own in the metrics.
const busiestTenants = 5

func (a *App) observeTenants() {
	a.metrics.ListedGauge("quayside_tenant_recent_records",
		"Records accepted within the last five minutes, of the five busiest companies and of all others together.", "tenant",
		func() map[string]float64 {
			top, rest := a.Meter.Busiest(time.Now(), busiestTenants)
			figures := map[string]float64{"other": float64(rest)}
			for tenant, records := range top {
				figures[tenant.String()] = float64(records)
			}
			return figures
		})
}

func (a *App) observeLeader() {
	a.metrics.Gauge("quayside_leader", "1 if this instance does the chores that one instance does for all.", func() float64 {
		if a.leads.Load() {
			return 1
		}
		return 0
	})
}

// purchaseGates let the purchase package judge what is written into its table through ingest. Ingest does not know the
// purchase package.
var purchaseGates = ingest.Gates{People: through(purchase.Gate), Keys: through(purchase.KeyGate), Guards: purchase.Guards,
	Judged: purchase.Judged}

func through(gate func(context.Context, pgx.Tx, purchase.Claim) (purchase.Ruling, error)) ingest.Gate {
	return func(ctx context.Context, tx pgx.Tx, claim ingest.Claim) (ingest.Ruling, error) {
		ruling, err := gate(ctx, tx, purchase.Claim(claim))
		return ingest.Ruling(ruling), err
	}
}

// Close stores the records that still wait and releases the connections. It gives up on what does not
// end in time: the process ends, and PostgreSQL releases what it holds.
func (a *App) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	closed := within(ctx, func() {
		a.Records.Close()
		a.Accounts.Close()
		a.flush()
		a.closeSpool()
		a.Outbound.Close()
		a.Cells.Close()
	})
	if !closed {
		a.log.ErrorContext(ctx, "the service did not close in time", "waited", closeTimeout.String())
	}
}

// flush writes the figures that are still in memory to the database.
func (a *App) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := a.Meter.Flush(ctx); err != nil {
		a.log.ErrorContext(ctx, "figures not flushed", "err", err)
	}
	if err := a.Fields.Flush(ctx); err != nil {
		a.log.ErrorContext(ctx, "unknown fields not flushed", "err", err)
	}
}

// OpenAPI returns the OpenAPI document of the HTTP API.
func OpenAPI() ([]byte, error) { return httpapi.OpenAPI() }

// BaseURL returns the service's address as callers see it.
func (a *App) BaseURL() string { return a.cfg.BaseURL }

// History returns how long events are kept, and what there is.
func (a *App) History(ctx context.Context) (event.History, error) {
	return event.ReadHistory(ctx, a.Cells, a.cfg.EventsKeptDays)
}

// Lagging returns the workspaces whose demand or queue was not computed for long.
func (a *App) Lagging(ctx context.Context) ([]freshness.Workspace, error) {
	return freshness.All(ctx, a.Cells, time.Now())
}

// Check fails if the database cannot be reached, is not migrated, or if the service's role is
// exempt from row security.
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

// ready is the check behind /readyz.
func (a *App) ready(ctx context.Context) error {
	if err := a.Records.CheckLanes(); err != nil {
		return err
	}
	if err := a.Cells.Pulse(ctx); err != nil {
		return err
	}
	if err := a.Cells.CheckMigrations(ctx); err != nil {
		return err
	}
	return a.Cells.CheckPartitions(ctx)
}
