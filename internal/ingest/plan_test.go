package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// newService returns a service and its own database.
func newService(t *testing.T) (*Service, *pgtest.DB) {
	t.Helper()
	db := pgtest.New(t)
	s := New(db.Cells, registry.New(db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		Config{Lanes: 2, Queued: 1000})
	t.Cleanup(s.Close)
	return s, db
}

// planNode is one step of a plan, as EXPLAIN prints it.
type planNode struct {
	NodeType     string `json:"Node Type"`
	RelationName string `json:"Relation Name"`
	IndexCond    string `json:"Index Cond"`
	JoinType     string `json:"Join Type"`
	Relationship string `json:"Parent Relationship"`
	Plans        []planNode
}

// TestPlans reads the plan of every table's batch statement, with every column present, under
// row security and the lanes' settings. Steps that are repeated for each record must be
// look-ups by index: a table scan, or a nested loop over more than one look-up, would make the
// cost quadratic.
func TestPlans(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	fillForPlans(t, db)
	tenant := pgtest.NewTenant(t, db)
	for _, slug := range []string{"suppliers", "products", "customers", "orders", "order_line_items",
		"purchase_order_lines", "meeting_notes"} {
		t.Run(slug, func(t *testing.T) {
			table, err := s.registry.Table(t.Context(), tenant.ID, slug)
			require.NoError(t, err)
			var fields []string
			for _, column := range table.Columns {
				if column.Accepted {
					fields = append(fields, fmt.Sprintf("%q:%s", column.Name, column.Example))
				}
			}
			group := make([]*ticket, 0, 200)
			for n := range 200 {
				sent, err := decode([]byte("{" + strings.Join(fields, ",") + "}"))
				require.NoError(t, err)
				clean := sanitize(table, sent, time.UTC, false)
				require.Empty(t, clean.refused)
				clean.identity = fmt.Sprint(n)
				group = append(group, &ticket{clean: clean, mode: write, record: Record{
					By: auth.Principal{Tenant: tenant.ID, Workspace: tenant.Workspace, Key: uuid.New()}, RequestID: "x",
				}})
			}
			for _, problem := range quadratic(explain(t, s, db.Cells, tenant.ID, group)) {
				t.Error(problem)
			}
			for n, ticket := range group { // the same with sequences
				ticket.clean.sequence, _ = ReadSequence(fmt.Sprint(n))
			}
			for _, problem := range quadratic(explain(t, s, db.Cells, tenant.ID, group)) {
				t.Error("with sequences: " + problem)
			}
		})
	}
	t.Run("the check can fail", func(t *testing.T) {
		scan := planNode{NodeType: "Seq Scan", RelationName: "products"}
		require.NotEmpty(t, quadratic(scan))
		require.NotEmpty(t, quadratic(planNode{NodeType: "Nested Loop",
			Plans: []planNode{{NodeType: "CTE Scan", Relationship: "Outer"}, {NodeType: "CTE Scan", Relationship: "Inner"}}}))
	})
}

// explain returns the generic plan that a lane would run.
func explain(t *testing.T, s *Service, cells *pg.Cells, tenant uuid.UUID, group []*ticket) planNode {
	t.Helper()
	stmt := s.statements.get(group[0])
	var text []byte
	err := cells.InBatch(t.Context(), []uuid.UUID{tenant}, func(b *pgx.Batch, clock pg.Clock) {
		b.Queue("EXPLAIN (FORMAT JSON) "+stmt.sql,
			arguments(stmt, clock, s.wait, group)...).QueryRow(func(row pgx.Row) error { return row.Scan(&text) })
	})
	require.NoError(t, err)
	var plans []struct{ Plan planNode }
	require.NoError(t, json.Unmarshal(text, &plans))
	return plans[0].Plan
}

// quadratic returns the steps whose cost grows faster than the batch.
func quadratic(node planNode) (problems []string) {
	if node.NodeType == "Seq Scan" {
		problems = append(problems, "a scan of "+node.RelationName)
	}
	if node.NodeType == "Nested Loop" {
		for _, child := range node.Plans {
			if child.Relationship == "Inner" && !lookUp(child) {
				problems = append(problems, "a nested loop over "+child.NodeType+" "+child.RelationName)
			}
		}
	}
	for _, child := range node.Plans {
		problems = append(problems, quadratic(child)...)
	}
	return problems
}

// lookUp reports whether a step finds at most a few rows by an index.
func lookUp(node planNode) bool {
	switch node.NodeType {
	case "Index Scan", "Index Only Scan":
		return node.IndexCond != ""
	case "Limit", "Subquery Scan", "Append", "Memoize", "Materialize", "Aggregate", "WindowAgg", "Sort",
		"Incremental Sort", "Nested Loop", "Bitmap Heap Scan", "Bitmap Index Scan", "Result":
		for _, child := range node.Plans {
			if !lookUp(child) {
				return false
			}
		}
		return true
	}
	return false
}

// fillForPlans makes the tables so large that the planner prefers indexes to scans.
func fillForPlans(t *testing.T, db *pgtest.DB) {
	t.Helper()
	admin := db.Admin(t)
	for _, sql := range []string{
		`INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name) SELECT gen_random_uuid(), gen_random_uuid(), n::text, 'x' FROM generate_series(1, 5000) n`,
		`INSERT INTO workspace.customers (tenant_id, workspace_id, external_id, name) SELECT gen_random_uuid(), gen_random_uuid(), n::text, 'x' FROM generate_series(1, 5000) n`,
		`INSERT INTO workspace.products (tenant_id, workspace_id, external_id, sku, name) SELECT gen_random_uuid(), gen_random_uuid(), n::text, 'S' || n, 'x' FROM generate_series(1, 5000) n`,
		`INSERT INTO workspace.orders (tenant_id, workspace_id, external_id, ordered_at, status, currency, total) SELECT gen_random_uuid(), gen_random_uuid(), n::text, now(), 'open', 'EUR', 1 FROM generate_series(1, 5000) n`,
		`INSERT INTO workspace.order_line_items (tenant_id, workspace_id, external_id, order_external_id, name, quantity, unit_price) SELECT gen_random_uuid(), gen_random_uuid(), n::text, 'x', 'x', 1, 1 FROM generate_series(1, 5000) n`,
		`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, product_name) SELECT gen_random_uuid(), gen_random_uuid(), n::text, 'x', 'S' || n, 1, 'x' FROM generate_series(1, 5000) n`,
		`INSERT INTO workspace.meeting_notes (tenant_id, workspace_id, external_id, title, started_at) SELECT gen_random_uuid(), gen_random_uuid(), n::text, 'x', now() FROM generate_series(1, 5000) n`,
		`INSERT INTO workspace.article_aliases (tenant_id, workspace_id, name, product_id) SELECT tenant_id, workspace_id, sku, id FROM workspace.products`,
		`INSERT INTO workspace.record_sequences (tenant_id, record_id, sequence, version) SELECT gen_random_uuid(), n::text, lpad(n::text, 19, '0'), 1 FROM generate_series(1, 5000) n`,
		`INSERT INTO workspace.api_keys (tenant_id, id, workspace_id, key_hash, prefix, label, scope) SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), sha256(n::text::bytea), 'pk_00000000', 'x', '*' FROM generate_series(1, 5000) n`,
		`INSERT INTO workspace.registry_tables (tenant_id, slug, title) SELECT gen_random_uuid(), 'things', 'x' FROM generate_series(1, 5000) n`,
		`INSERT INTO workspace.registry_tables (tenant_id, slug, title, storage) SELECT gen_random_uuid(), 'products', 'x', 'extension' FROM generate_series(1, 5000) n`,
		`ANALYZE`,
	} {
		_, err := admin.Exec(context.WithoutCancel(t.Context()), sql)
		require.NoError(t, err)
	}
}
