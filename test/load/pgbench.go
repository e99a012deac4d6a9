package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// handWritten is the minimal work for one record: the row, with its trigger, and its event,
// under row security. It verifies no key, reads no registry and looks up no reference.
const handWritten = `WITH stored AS (
INSERT INTO workspace.purchase_order_lines AS t (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, quantity_received, expected_arrival_date, price_per_unit, currency)
SELECT %s, %s, x.external_id, 'PO-' || x.product, 'SKU-' || x.product, 'ordered', x.quantity, 0, '2026-12-24', 4.20, 'EUR' FROM (%s) x
ON CONFLICT (tenant_id, external_id) DO UPDATE SET order_no = excluded.order_no, sku = excluded.sku, status = excluded.status, quantity_ordered = excluded.quantity_ordered, quantity_received = excluded.quantity_received, expected_arrival_date = excluded.expected_arrival_date, price_per_unit = excluded.price_per_unit, currency = excluded.currency, version = t.version + 1, updated_at = now()
RETURNING t.tenant_id, t.workspace_id, t.id, t.version, t.external_id, t.order_no, t.sku, t.status, t.quantity_ordered, t.quantity_received, t.expected_arrival_date, t.price_per_unit, t.currency
) INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
SELECT tenant_id, id, workspace.new_id()::uuid, workspace_id, 'ingest.purchase_order_lines.received', 'purchase_order_lines', version, '{"type": "key", "id": "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"}', '0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e',
jsonb_build_object('result', 'updated', 'record', jsonb_build_object('external_id', external_id, 'order_no', order_no, 'sku', sku, 'status', status, 'quantity_ordered', quantity_ordered, 'quantity_received', quantity_received, 'expected_arrival_date', expected_arrival_date, 'price_per_unit', price_per_unit, 'currency', currency)) FROM stored;`

// oneRecord and batchOf are the source rows of handWritten: an existing line every other time,
// otherwise a new one.
const oneRecord = `SELECT CASE WHEN :kind::int = 0 THEN 'L-' || :line::int ELSE 'B-' || :unique::bigint END AS external_id, :product::int AS product, :quantity::numeric AS quantity`

func batchOf(n int) string {
	return fmt.Sprintf(`SELECT CASE WHEN g %% 2 = 0 THEN 'L-' || 1 + (:line::int + g) %% :lines::int ELSE 'B-' || :unique::bigint || '-' || g END AS external_id, 1 + (:product::int + g) %% :products::int AS product, :quantity::numeric AS quantity FROM generate_series(1, %d) g`, n)
}

// The forms of the same transaction. The faster one counts.
const (
	pipelined = "pipelined" // everything in one round trip
	stepwise  = "stepwise"  // BEGIN, bind, store, COMMIT
)

func pgbenchScript(form string, m mix, source string) string {
	// pgbench does not substitute variables inside quotes.
	statement := strings.ReplaceAll(fmt.Sprintf(handWritten, fmt.Sprintf(tenantSQL, ":tenant"),
		fmt.Sprintf(workspaceSQL, ":tenant"), source), "\n", " ")
	bind := "SELECT set_config('app.tenants', " + fmt.Sprintf(tenantSQL, ":tenant") + "::text, true);"
	set := fmt.Sprintf("\\set tenant random(%d, %d)\n\\set products %d\n\\set product random(1, %[3]d)\n\\set lines %d\n\\set line random(1, %[4]d)\n\\set kind random(0, 1)\n\\set unique random(1, 9000000000000000)\n\\set quantity random(1, 500)\n",
		m.first+1, m.first+m.tenants, m.products, max(1, m.lines))
	if form == pipelined {
		return set + "\\startpipeline\n" + bind + "\n" + statement + "\n\\endpipeline\n"
	}
	return set + "BEGIN;\n" + bind + "\n" + statement + "\nCOMMIT;\n"
}

// pgbench runs a script and returns transactions per second and latencies.
func (c *cluster) pgbench(ctx context.Context, script string, connections int, duration time.Duration) (sample, error) {
	seconds := int(math.Ceil(duration.Seconds())) + 1 // the first second, for connections and plans, is left out
	for range 3 {
		got, err := c.pgbenchFor(ctx, script, connections, seconds)
		if err != nil || got.PerSecond > 0 {
			return got, err
		}
		seconds *= 4 // a busy machine was still connecting at the end
	}
	return sample{}, errors.New("pgbench had not connected when its time was over; is the machine busy?")
}

func (c *cluster) pgbenchFor(ctx context.Context, script string, connections, seconds int) (sample, error) {
	dir, err := os.MkdirTemp("", "pgbench-")
	if err != nil {
		return sample{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "script.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return sample{}, err
	}
	binary, err := pgbenchBinary()
	if err != nil {
		return sample{}, err
	}
	cmd := exec.CommandContext(ctx, binary, "-n", "-M", "prepared", "-f", file, "-c", strconv.Itoa(connections), "-j", "2",
		"-T", strconv.Itoa(seconds), "-l", "--log-prefix", filepath.Join(dir, "log"), c.url("QUAYSIDE_DATABASE_URL"))
	cmd.Env = append(os.Environ(),
		"PGOPTIONS=-c role=quayside_app -c timezone=UTC -c plan_cache_mode=force_generic_plan -c jit=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return sample{}, fmt.Errorf("pgbench: %w: %.600s", err, out)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "log*"))
	if err != nil {
		return sample{}, err
	}
	var (
		latencies   []time.Duration
		first, last int64
	)
	for _, path := range logs {
		log, err := os.Open(path)
		if err != nil {
			return sample{}, err
		}
		for lines := bufio.NewScanner(log); lines.Scan(); {
			fields := strings.Fields(lines.Text()) // client, number, latency, script, second, microsecond
			if len(fields) < 6 {
				continue
			}
			ended, _ := strconv.ParseInt(fields[4]+fmt.Sprintf("%06s", fields[5]), 10, 64)
			if first == 0 {
				first = ended
			}
			if ended < first+1_000_000 {
				continue
			}
			last = max(last, ended)
			micros, _ := strconv.ParseInt(fields[2], 10, 64)
			latencies = append(latencies, time.Duration(micros)*time.Microsecond)
		}
		_ = log.Close()
	}
	return summarise(latencies, nil, time.Duration(last-first-1_000_000)*time.Microsecond), nil
}

func pgbenchBinary() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if err != nil || len(found) == 0 {
		return "", errors.New("pgbench not found; on Debian it comes with postgresql-contrib or postgresql")
	}
	return found[len(found)-1], nil
}
