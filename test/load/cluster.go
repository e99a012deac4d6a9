package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// cluster is a private PostgreSQL with a data set, durable as in production.
type cluster struct {
	root, dir string
	env       []string
	binary    string
	adminURL  string // the superuser's
	admin     *pgx.Conn
	services  []*service // including those of a failed run
	keep      bool       // the data stays
}

// settings give PostgreSQL the memory of a machine of this size; everything that makes it
// durable stays on. Statements are counted only where that is measured.
const settings = "shared_buffers=2GB effective_cache_size=8GB max_wal_size=4GB checkpoint_timeout=15min max_connections=400 shared_preload_libraries=pg_stat_statements"

// inMemory is the folder for a data directory in memory, and leastMemory what must be free
// there.
const (
	inMemory    = "/dev/shm"
	leastMemory = 4 << 30
)

// build builds the checkout's binary at the same path as 'make build'.
func build(ctx context.Context, root string) (string, error) {
	binary := filepath.Join(root, "bin", "quayside")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/quayside")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	return binary, cmd.Run()
}

// startCluster starts a PostgreSQL and migrates it with the binary that will serve on it.
func startCluster(ctx context.Context, opt options, binary string) (*cluster, error) {
	place := "/var/tmp"
	if opt.memory {
		place = inMemory
		var free syscall.Statfs_t
		if err := syscall.Statfs(place, &free); err != nil {
			return nil, err
		}
		if left := free.Bavail * uint64(free.Bsize); left < leastMemory {
			return nil, fmt.Errorf("-memory needs %d GiB in %s, which has %.1f", leastMemory>>30, place, float64(left)/(1<<30))
		}
	}
	dir, err := opt.keep, error(nil)
	if dir == "" {
		dir, err = os.MkdirTemp(place, "quayside-bench-")
	}
	if err != nil {
		return nil, err
	}
	c := &cluster{root: opt.root, dir: dir, binary: binary, keep: opt.keep != ""}
	if err := c.start(ctx); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

func (c *cluster) start(ctx context.Context) error {
	out, err := c.script(ctx, "start")
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		if name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "="); ok {
			c.env = append(c.env, name+"="+strings.Trim(value, "'"))
		}
	}
	if err := c.run(ctx, c.binary, "migrate"); err != nil {
		return err
	}
	password, err := os.ReadFile(filepath.Join(c.dir, "password"))
	if err != nil {
		return err
	}
	address, err := url.Parse(c.url("QUAYSIDE_MIGRATE_URL"))
	if err != nil {
		return err
	}
	address.User = url.UserPassword("postgres", strings.TrimSpace(string(password)))
	c.adminURL = address.String()
	if c.admin, err = pgx.Connect(ctx, c.adminURL); err != nil {
		return err
	}
	return c.set(ctx, "pg_stat_statements.track", "none")
}

// set changes a setting of the server.
func (c *cluster) set(ctx context.Context, name, value string) error {
	if err := c.exec(ctx, fmt.Sprintf("ALTER SYSTEM SET %s = '%s'", name, value)); err != nil {
		return err
	}
	return c.exec(ctx, "SELECT pg_reload_conf()")
}

// stop ends the running processes, and deletes the data unless it is kept.
func (c *cluster) stop() {
	for _, s := range c.services {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	}
	if c.admin != nil {
		_ = c.admin.Close(context.Background())
	}
	_, _ = c.script(context.Background(), map[bool]string{true: "stop", false: "drop"}[c.keep])
}

func (c *cluster) script(ctx context.Context, command string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(c.root, "scripts", "postgres"), command)
	cmd.Env = append(os.Environ(), "QUAYSIDE_RUN_DIR="+c.dir, "QUAYSIDE_RUN_SETTINGS="+settings)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return string(out), err
}

func (c *cluster) run(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = c.root, append(os.Environ(), c.env...), os.Stderr
	return cmd.Run()
}

func (c *cluster) url(name string) string {
	for _, entry := range c.env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

func (c *cluster) exec(ctx context.Context, sql string, args ...any) error {
	_, err := c.admin.Exec(ctx, sql, args...)
	return err
}

// beside connects to another database of the server.
func (c *cluster) beside(ctx context.Context) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(c.adminURL)
	if err != nil {
		return nil, err
	}
	config.Database = "postgres"
	return pgx.ConnectConfig(ctx, config)
}

// withoutReaders runs fn while no reader of the outbox gets anything: an open transaction in
// another database of the server holds them up, as they must not pass it.
func (c *cluster) withoutReaders(ctx context.Context, fn func() error) error {
	db, err := c.beside(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close(context.WithoutCancel(ctx)) }()
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_current_xact_id()"); err != nil {
			return err
		}
		return fn()
	})
}

// The names in the data set are functions of numbers, so that SQL, pgbench and the generator
// agree: tenant 7 is 00000000-0000-7000-8000-000000000007.
const (
	tenantSQL    = "('00000000-0000-7000-8000-' || lpad((%s)::int::text, 12, '0'))::uuid"
	workspaceSQL = "('00000000-0000-7000-9000-' || lpad((%s)::int::text, 12, '0'))::uuid"
	keySQL       = "('00000000-0000-7000-a000-' || lpad((%s)::int::text, 12, '0'))::uuid"
)

// keyOf returns tenant n's API key.
func keyOf(n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "bench %d", n))
	return "pk_" + hex.EncodeToString(sum[:24])
}

// load empties the database and makes tenants, each with as many orders as products, and purchase order lines.
func (c *cluster) load(ctx context.Context, tenants, products, lines int) error {
	if err := c.exec(ctx, "TRUNCATE control.tenants, workspace.api_keys, workspace.products, workspace.orders, workspace.purchase_orders, workspace.events, workspace.failed_imports CASCADE"); err != nil {
		return err
	}
	return c.add(ctx, 0, tenants, products, lines)
}

// add makes further tenants, numbered after the first ones.
func (c *cluster) add(ctx context.Context, first, tenants, products, lines int) error {
	hashes := make([][]byte, tenants)
	for i := range hashes {
		sum := sha256.Sum256([]byte(keyOf(first + i + 1)))
		hashes[i] = sum[:]
	}
	fill := strings.NewReplacer("TENANT", fmt.Sprintf(tenantSQL, "n"), "WORKSPACE", fmt.Sprintf(workspaceSQL, "n"), "KEY",
		fmt.Sprintf(keySQL, "n"))
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO control.tenants (id, name) SELECT TENANT, 'Bench' FROM generate_series($1::int + 1, $1::int + $2::int) n`, []any{first, tenants}},
		{`INSERT INTO control.workspaces (tenant_id, id, name) SELECT TENANT, WORKSPACE, 'Main' FROM generate_series($1::int + 1, $1::int + $2::int) n`, []any{first, tenants}},
		{`INSERT INTO control.key_directory (key_hash, key_id, tenant_id, workspace_id)
			SELECT h, KEY, TENANT, WORKSPACE FROM (SELECT h, $1::int + o AS n FROM unnest($2::bytea[]) WITH ORDINALITY u (h, o)) u`, []any{first, hashes}},
		{`INSERT INTO workspace.api_keys (tenant_id, id, workspace_id, key_hash, prefix, label, scope, rate_per_second, rate_burst)
			SELECT TENANT, KEY, WORKSPACE, h, 'pk_00000000', 'bench', '*', 1000000, 1000000 FROM (SELECT h, $1::int + o AS n FROM unnest($2::bytea[]) WITH ORDINALITY u (h, o)) u`, []any{first, hashes}},
		{`INSERT INTO workspace.products (tenant_id, workspace_id, external_id, sku, name, product_external_id)
			SELECT TENANT, WORKSPACE, 'gid/' || p, 'SKU-' || p, 'Product ' || p, 'gid/parent/' || p
			FROM generate_series($1::int + 1, $1::int + $2::int) n, generate_series(1, $3::int) p`, []any{first, tenants, products}},
		{`INSERT INTO workspace.orders (tenant_id, workspace_id, external_id, ordered_at, status, currency, total)
			SELECT TENANT, WORKSPACE, 'O-' || o, '2026-11-01T10:00:00Z', 'open', 'EUR', 10
			FROM generate_series($1::int + 1, $1::int + $2::int) n, generate_series(1, $3::int) o`, []any{first, tenants, products}},
		{`INSERT INTO workspace.purchase_order_lines
				(tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, price_per_unit, currency, product_name, variant_external_id)
			SELECT TENANT, WORKSPACE, 'L-' || l, 'PO-' || l / 10, 'SKU-' || 1 + l % $3::int, 'ordered', 10, 4.2, 'EUR', 'Product', 'gid/1'
			FROM generate_series($1::int + 1, $1::int + $2::int) n, generate_series(1, $4::int) l`, []any{first, tenants, products, lines}},
		{`VACUUM ANALYZE workspace.products, workspace.orders, workspace.purchase_order_lines, workspace.api_keys, control.key_directory`, nil},
	} {
		if err := c.exec(ctx, fill.Replace(step.sql), step.args...); err != nil {
			return fmt.Errorf("%s: %w", step.sql, err)
		}
	}
	return nil
}
