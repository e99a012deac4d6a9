// Package pg is the only way to PostgreSQL.
//
// Every statement runs in a transaction that says whose rows it may touch:
// InTenant and InTenants bind row security to one tenant or to a batch of them
// until commit, Reading binds it for reads of one moment, InControl binds it in the
// control database, InPerson binds it to one person's own rows there, and InSystem
// crosses tenants; each call of it says why in a comment. Errors leave this package
// translated.
package pg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/telemetry"
)

// AppRole is the role that the service runs as: it owns nothing, and row security binds it.
const AppRole = "quayside_app"

// systemRole is the role that InSystem takes for one transaction.
const systemRole = "quayside_system"

// Cells gives access to the control database and to the cells that hold tenants. There is only
// one cell so far, which is also the control database. Callers name the tenant, not the cell,
// so that this can change here alone.
type Cells struct {
	id    string // of this instance, among those that work on jobs
	pools map[purpose]*shared
	lanes *pgxpool.Pool // connections with settings for batches
	sizes Sizes

	commits commits
	pulse   pulse
}

// Config says how to reach the database.
type Config struct {
	URL      string
	MaxConns int32 // all connections; 0: it depends on the cores
	Lanes    int32 // connections for batches; 0: 1
	Share    int   // percent of the connections for reads and for files that one tenant may use; 0: half
}

// Open connects as the service. The role is a start-up parameter of every connection, so that
// neither RESET nor DISCARD ALL can change it.
func Open(ctx context.Context, cfg Config) (*Cells, error) {
	poolConfig, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fault.New(fault.BadRequest, "database_url",
			"the database address cannot be read; it should look like postgres://user:password@host:5432/quayside")
	}
	sizes, err := SizesFor(cores(), cfg.Lanes, cfg.MaxConns)
	if err != nil {
		return nil, err
	}
	poolConfig.MaxConnIdleTime = 5 * time.Minute
	settings := map[string]string{
		"role":                                AppRole,
		"application_name":                    "quayside",
		"timezone":                            "UTC",
		"datestyle":                           "ISO",
		"statement_timeout":                   "30s",
		"idle_in_transaction_session_timeout": "60s",
	}
	if own := poolConfig.ConnConfig.RuntimeParams["statement_timeout"]; own != "" { // of a slow server
		settings["statement_timeout"] = own
	}
	maps.Copy(poolConfig.ConnConfig.RuntimeParams, settings)
	poolConfig.ConnConfig.OnNotice = watchNotices
	if telemetry.Tracing() {
		poolConfig.ConnConfig.Tracer = tracer{}
	}
	cells := &Cells{id: uuid.NewString(), pools: map[purpose]*shared{}, sizes: sizes, pulse: pulse{closed: make(chan struct{})}}
	if err := cells.open(ctx, poolConfig, cmp.Or(cfg.Share, 50)); err != nil {
		cells.Close()
		return nil, err
	}
	return cells, nil
}

// open opens the pools. They connect when they are first used.
func (c *Cells) open(ctx context.Context, config *pgxpool.Config, share int) (err error) {
	for _, pool := range []struct {
		purpose purpose
		size    int32
		share   int // percent of it that one tenant, or one session, may use; 0: all
	}{{people, c.sizes.People, share}, {reads, c.sizes.Reads, share}, {files, c.sizes.Files, share},
		{background, c.sizes.Background, 0}} {
		if c.pools[pool.purpose], err = open(ctx, config, pool.purpose, pool.size, pool.share); err != nil {
			return err
		}
	}
	if c.lanes, err = openLanes(ctx, config, c.sizes.Lanes); err != nil {
		return err
	}
	c.pulse.pool, err = openPulse(ctx, config)
	return err
}

// Place returns the host and database of an address, without secrets, in a form that fits a
// file's name.
func Place(address string) string {
	cfg, err := pgconn.ParseConfig(address)
	if err != nil {
		return "unknown" // Open reports the error
	}
	return url.PathEscape(fmt.Sprintf("%s-%d-%s", cfg.Host, cfg.Port, cfg.Database))
}

// Close returns when every connection is closed.
func (c *Cells) Close() {
	close(c.pulse.closed)
	for _, pool := range c.all() {
		pool.Close()
	}
}

// Ping reports whether a statement can be run now, with an error for operators.
func (c *Cells) Ping(ctx context.Context) error {
	return explain(c.pools[people].Ping(ctx))
}

// all returns the pools by name.
func (c *Cells) all() map[string]*pgxpool.Pool {
	all := map[string]*pgxpool.Pool{}
	for purpose, pool := range c.pools {
		if pool != nil { // one that could not be opened
			all[string(purpose)] = pool.Pool
		}
	}
	for name, pool := range map[string]*pgxpool.Pool{"lanes": c.lanes, "checks": c.pulse.pool} {
		if pool != nil {
			all[name] = pool
		}
	}
	return all
}

// Observe registers the metrics of the pools, and whether transactions are refused.
func (c *Cells) Observe(metrics *telemetry.Metrics) {
	for name, pool := range c.all() {
		labels := map[string]string{"pool": name}
		gauge := func(name, help string, read func(*pgxpool.Stat) int32) {
			metrics.LabelledGauge(name, help, labels, func() float64 { return float64(read(pool.Stat())) })
		}
		gauge("quayside_pool_connections", "Connections to PostgreSQL.", (*pgxpool.Stat).TotalConns)
		gauge("quayside_pool_busy", "Connections in use.", (*pgxpool.Stat).AcquiredConns)
		gauge("quayside_pool_limit", "Connections that may be made.", (*pgxpool.Stat).MaxConns)
		metrics.LabelledCounter("quayside_pool_waits_total", "Times that all connections were in use.", labels,
			func() float64 { return float64(pool.Stat().EmptyAcquireCount()) })
	}
	metrics.Gauge("quayside_database_down", "1 while transactions are refused because PostgreSQL is down.", func() float64 {
		if c.pulse.down.Load() == nil {
			return 0
		}
		return 1
	})
	metrics.Gauge("quayside_commits_unanswered", "Connections that still wait for the answer to a commit.",
		func() float64 { return float64(c.commits.abandoned.Load()) })
}

// explain tells an operator what to do about a failure to connect.
func explain(err error) error {
	if err == nil {
		return nil
	}
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		var connectErr *pgconn.ConnectError
		if errors.As(err, &connectErr) {
			return fault.New(fault.Unavailable, "database_unreachable",
				"PostgreSQL does not answer at %s:%d; is it running, and is that the right address?",
				connectErr.Config.Host, connectErr.Config.Port).Because(err)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return errNoAnswer.Because(err)
		}
		return err
	}
	switch pgErr.Code {
	case "28P01", "28000":
		return fault.New(fault.Unauthenticated, "database_login",
			"PostgreSQL refused the login; check user and password in the database's address").Because(err)
	case "3D000":
		return fault.New(fault.Unavailable, "database_missing",
			"the database does not exist; create it, then run 'quayside migrate'").Because(err)
	case "22023", "42704": // role "quayside_app" does not exist
		return fault.New(fault.Unavailable, "migrations_missing", "the role %s does not exist; run 'quayside migrate'",
			AppRole).Because(err)
	case "42501": // permission denied to set role
		return fault.New(fault.Forbidden, "role_not_granted",
			"the service's login may not become %s; run 'quayside migrate' with QUAYSIDE_MIGRATE_URL and QUAYSIDE_DATABASE_URL set, or GRANT %s to that login", AppRole, AppRole).Because(err)
	}
	return err
}
