package pg_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestRegistryDescribesTheSchema compares the registry's built-in tables with the catalog:
// every column is described, every described column exists, and types, nullability, choices
// and references agree.
func TestRegistryDescribesTheSchema(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	admin := db.Admin(t)
	for name, sql := range map[string]string{
		"a registered table that does not exist": `
			SELECT slug FROM workspace.registry_tables WHERE storage = 'table' AND to_regclass('workspace.' || slug) IS NULL`,
		"a column that is described but missing, or the reverse": `
			SELECT coalesce(r.slug || '.' || r.name, c.slug || '.' || c.name)
			FROM (SELECT * FROM workspace.registry_columns) r
			FULL JOIN (
				SELECT t.slug, a.attname::text AS name
				FROM workspace.registry_tables t JOIN pg_attribute a ON a.attrelid = to_regclass('workspace.' || t.slug)
				WHERE a.attnum > 0 AND NOT a.attisdropped
				  AND a.attname NOT IN ('id', 'tenant_id', 'workspace_id', 'version', 'created_at', 'updated_at', 'custom',
				      'received_here', -- kept by a trigger, for decision 0044
				      'merged_into') -- nobody sees the rows that have it, see decision 0049
			) c ON c.slug = r.slug AND c.name = r.name
			WHERE r.name IS NULL OR c.name IS NULL`,
		"a table that cannot be extended": `
			SELECT slug FROM workspace.registry_tables t WHERE NOT EXISTS (
				SELECT FROM pg_attribute a WHERE a.attrelid = to_regclass('workspace.' || t.slug) AND a.attname = 'custom'
				  AND a.atttypid = 'jsonb'::regtype AND a.attnotnull AND a.atthasdef)`,
		"another type": `
			SELECT r.slug || '.' || r.name FROM workspace.registry_columns r
			JOIN pg_attribute a ON a.attrelid = to_regclass('workspace.' || r.slug) AND a.attname = r.name
			WHERE format_type(a.atttypid, a.atttypmod) <> CASE r.type WHEN 'number' THEN 'numeric' WHEN 'datetime' THEN 'timestamp with time zone' ELSE r.type END`,
		"another idea of emptiness": `
			SELECT r.slug || '.' || r.name FROM workspace.registry_columns r
			JOIN pg_attribute a ON a.attrelid = to_regclass('workspace.' || r.slug) AND a.attname = r.name
			WHERE r.pending_column IS NULL AND (a.attnotnull = r.nullable OR (a.attnotnull AND NOT r.required AND NOT a.atthasdef))`,
		"a reference without its foreign key, or to another table": `
			SELECT r.slug || '.' || r.name FROM workspace.registry_columns r
			WHERE r.reference IS NOT NULL AND NOT EXISTS (
				SELECT FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[2]
				WHERE k.contype = 'f' AND k.conrelid = to_regclass('workspace.' || r.slug) AND a.attname = r.name
				  AND k.confrelid = to_regclass('workspace.' || r.reference))`,
		"a foreign key that the registry does not know": `
			SELECT k.conname FROM pg_constraint k
			JOIN workspace.registry_tables t ON k.conrelid = to_regclass('workspace.' || t.slug)
			JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[2]
			LEFT JOIN workspace.registry_columns r ON r.slug = t.slug AND r.name = a.attname
			WHERE k.contype = 'f' AND r.reference IS NULL`,
		// A minimum of 0 is a rule of the table. The other bounds are about what is plausible, and rows may be older.
		"choices without their check, or a minimum of 0 without it": `
			SELECT r.slug || '.' || r.name FROM workspace.registry_columns r
			WHERE (r.choices IS NOT NULL OR r.minimum = 0) AND NOT EXISTS (
				SELECT FROM pg_constraint k WHERE k.contype = 'c' AND k.conrelid = to_regclass('workspace.' || r.slug)
				  AND pg_get_constraintdef(k.oid) LIKE '%' || r.name || '%'
				  AND (r.choices IS NULL OR (SELECT bool_and(pg_get_constraintdef(k.oid) LIKE '%''' || c || '''%') FROM unnest(r.choices) c))
				  AND (r.minimum IS DISTINCT FROM 0 OR pg_get_constraintdef(k.oid) LIKE '%>= (' || r.minimum || ')%'))`,
		"a check of 0 that the registry does not know": `
			SELECT r.slug || '.' || r.name FROM workspace.registry_columns r
			JOIN pg_constraint k ON k.contype = 'c' AND k.conrelid = to_regclass('workspace.' || r.slug)
				AND pg_get_constraintdef(k.oid) LIKE '%(' || r.name || ' >= (0)%'
			WHERE r.minimum IS DISTINCT FROM 0`,
		"a column without meaning or example": `
			SELECT slug || '.' || name FROM workspace.registry_columns WHERE description = '' OR example IS NULL`,
		"a conflict column without its unique index": `
			SELECT slug FROM workspace.registry_tables t WHERE NOT EXISTS (
				SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[1]
				WHERE i.indisunique AND i.indrelid = to_regclass('workspace.' || t.slug) AND i.indnkeyatts = 2 AND a.attname = t.conflict_column)`,
		"a currency that is not marked as one, or the reverse": `
			SELECT slug || '.' || name FROM workspace.registry_columns
			WHERE (name ~ '(^|_)currency$') <> (format IS NOT DISTINCT FROM 'currency')`,
		"a snapshot whose function or columns do not exist": `
			SELECT s.slug FROM workspace.registry_snapshots s
			WHERE to_regproc('workspace.' || s.function) IS NULL
			   OR EXISTS (SELECT FROM unnest(s.arguments || s.columns || s.match_column || s.marker_column) c
			              WHERE c NOT IN (SELECT name FROM workspace.registry_columns r WHERE r.slug = s.slug))`,
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := admin.Query(t.Context(), sql)
			require.NoError(t, err)
			wrong, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			require.Empty(t, wrong)
		})
	}
	var tables int
	require.NoError(t, admin.QueryRow(t.Context(), "SELECT count(*) FROM workspace.registry_tables").Scan(&tables))
	require.Equal(t, 7, tables)
}

// indexedColumns selects the columns of a table whose values are in an index: directly, in an
// expression, or in a generated column. Columns of an index's predicate do not count.
const indexedColumns = `WITH RECURSIVE held (relation, attnum, indirect) AS (
	SELECT i.indrelid, k.attnum, false FROM pg_index i, unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, place)
	WHERE k.attnum > 0 AND k.place <= i.indnkeyatts
	UNION
	SELECT i.indrelid, v[1]::int2, true FROM pg_index i, regexp_matches(i.indexprs::text, ':varattno (\d+)', 'g') v
	UNION
	SELECT h.relation, v[1]::int2, true FROM held h JOIN pg_attribute a ON a.attrelid = h.relation AND a.attnum = h.attnum AND a.attgenerated <> ''
	JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum, regexp_matches(d.adbin::text, ':varattno (\d+)', 'g') v
), indexed AS (
	SELECT h.relation, a.attname::text AS name, format_type(a.atttypid, NULL) AS type, bool_and(h.indirect) AS indirect
	FROM held h JOIN pg_attribute a ON a.attrelid = h.relation AND a.attnum = h.attnum GROUP BY 1, 2, 3
) `

// TestIndexedColumnsAreBounded checks that the registry knows all indexed columns and limits
// their length: PostgreSQL raises an error if an index entry is too large, which undoes a
// whole batch.
func TestIndexedColumnsAreBounded(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	admin := db.Admin(t)
	wrong := func(sql string) []string {
		rows, err := admin.Query(t.Context(), indexedColumns+sql)
		require.NoError(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return found
	}
	const unbounded = `SELECT r.slug || '.' || r.name FROM workspace.registry_columns r
		JOIN indexed i ON i.relation = to_regclass('workspace.' || r.slug) AND i.name = r.name
		WHERE r.type = 'text' AND (r.max_length IS NULL OR r.max_length > 500) ORDER BY 1`
	const otherwise = `SELECT r.slug || '.' || r.name FROM workspace.registry_columns r
		LEFT JOIN indexed i ON i.relation = to_regclass('workspace.' || r.slug) AND i.name = r.name AND NOT i.indirect
		WHERE r.indexed <> (i.name IS NOT NULL) ORDER BY 1`
	// A pending column holds what was sent for its column.
	const waiting = `SELECT r.slug || '.' || r.name FROM workspace.registry_columns r
		JOIN workspace.registry_columns p ON p.tenant_id = r.tenant_id AND p.slug = r.slug AND p.name = r.pending_column
		WHERE p.indexed AND (r.max_length IS NULL OR r.max_length > p.max_length)`
	// The records of tenants' tables: the registry adds external_id to each.
	const generic = `SELECT i.name FROM indexed i WHERE i.relation = 'workspace.records'::regclass AND i.type = 'text' ORDER BY 1`
	require.Empty(t, wrong(unbounded), "an indexed column without a greatest length")
	require.Empty(t, wrong(otherwise), "another idea of what is indexed")
	require.Empty(t, wrong(waiting), "a longer value than what it waits in may hold")
	require.Equal(t, []string{"external_id", "id", "slug"}, wrong(generic))

	// The test can fail: with an index, one on an expression, one on a generated column.
	for _, sql := range []string{
		"CREATE INDEX ON workspace.suppliers (tenant_id, name)",
		"CREATE INDEX ON workspace.customers (tenant_id, lower(city)) WHERE phone IS NOT NULL",
		"ALTER TABLE workspace.orders ADD COLUMN words text GENERATED ALWAYS AS (note || tags) STORED",
		"CREATE INDEX ON workspace.orders (tenant_id, words)",
	} {
		_, err := admin.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"customers.city", "orders.note", "orders.tags", "suppliers.name"}, wrong(unbounded))
	require.Equal(t, []string{"suppliers.name"}, wrong(otherwise))
	_, err := admin.Exec(t.Context(),
		"UPDATE workspace.registry_columns SET indexed = true WHERE slug = 'suppliers' AND name = 'name'")
	require.ErrorContains(t, err, "violates check constraint", "what is indexed has a greatest length")
}

func TestRegistryOfATenant(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	version := func() string {
		return s.one("SELECT ARRAY[version::text] AS v FROM workspace.registry_tables WHERE slug = 'decisions'")[0]
	}
	s.must("INSERT INTO workspace.registry_tables (tenant_id, slug, title) SELECT $1, 'decisions', 'Decisions' WHERE $2::uuid IS NOT NULL")
	seen := map[string]bool{version(): true}
	for _, sql := range []string{
		"INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type) SELECT $1, 'decisions', 'title', 1, 'text' WHERE $2::uuid IS NOT NULL",
		"UPDATE workspace.registry_columns SET description = 'What was decided' WHERE tenant_id = $1 AND $2::uuid IS NOT NULL",
		"UPDATE workspace.registry_columns SET retired_at = now() WHERE tenant_id = $1 AND $2::uuid IS NOT NULL",
		"UPDATE workspace.registry_tables SET title = 'Choices' WHERE tenant_id = $1 AND $2::uuid IS NOT NULL",
	} {
		s.must(sql)
		require.False(t, seen[version()], "the version stayed after %s", sql)
		seen[version()] = true
	}
	for _, table := range []string{"registry_columns", "registry_tables"} {
		require.Error(t, s.exec("DELETE FROM workspace."+table+" WHERE tenant_id = $1 AND $2::uuid IS NOT NULL"), "what is retired is kept")
	}
	for _, slug := range []string{"orders", "procurement_config", "strategies", "sops", "weekly_sales", "unmatched_lines"} {
		require.True(t, fault.HasCode(s.exec("INSERT INTO workspace.registry_tables (tenant_id, slug, title) SELECT $1, '"+slug+"', 'Mine' WHERE $2::uuid IS NOT NULL"), "slug_taken"), slug)
	}
	require.Error(t, s.exec("INSERT INTO workspace.registry_tables (tenant_id, slug, title, storage) SELECT $1, 'mine', 'Mine', 'table' WHERE $2::uuid IS NOT NULL"), "tenants get no tables of their own")

	extend := "INSERT INTO workspace.registry_tables (tenant_id, slug, title, storage) SELECT $1, '%s', 'Mine', 'extension' WHERE $2::uuid IS NOT NULL"
	s.must(fmt.Sprintf(extend, "products"))
	require.True(t, fault.HasCode(s.exec(fmt.Sprintf(extend, "nothing")), "slug_taken"), "there is nothing to extend")
	for _, sql := range []string{
		"UPDATE workspace.registry_tables SET storage = 'records' WHERE tenant_id = $1 AND slug = 'products' AND $2::uuid IS NOT NULL",
		"UPDATE workspace.registry_tables SET storage = 'extension' WHERE tenant_id = $1 AND slug = 'decisions' AND $2::uuid IS NOT NULL",
		"UPDATE workspace.registry_tables SET slug = 'things' WHERE tenant_id = $1 AND slug = 'products' AND $2::uuid IS NOT NULL",
		"UPDATE workspace.registry_tables SET retired_at = now() WHERE tenant_id = $1 AND slug = 'products' AND $2::uuid IS NOT NULL",
	} {
		require.Error(t, s.exec(sql), sql)
	}

	stranger := store{t: t, db: s.db, tenant: pgtest.NewTenant(t, s.db)}
	require.Equal(t, []string{"7"}, stranger.one("SELECT ARRAY[count(*)::text] AS v FROM workspace.registry_tables"),
		"the built-in tables and nobody's own")
}

// TestBuiltInValuesAreBounded fails for a built-in number without a least or greatest value, and for a text without a
// length: one value of such a column could freeze or bend whatever is computed from it.
func TestBuiltInValuesAreBounded(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	admin := db.Admin(t)
	ask := func(sql string) []string {
		rows, err := admin.Query(t.Context(), sql)
		require.NoError(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return found
	}
	exec := func(sql string) {
		_, err := admin.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	// Choices and formats bound their texts.
	const unbounded = `SELECT slug || '.' || name FROM workspace.registry_columns
		WHERE type = 'number' AND (minimum IS NULL OR maximum IS NULL OR minimum >= maximum)
			OR type = 'text' AND choices IS NULL AND format IS NULL AND max_length IS NULL ORDER BY 1`
	require.Empty(t, ask(unbounded))

	bounds := map[string]string{}
	for _, of := range ask(`SELECT slug || '.' || name || ' ' || concat_ws(' ', trim_scale(minimum), trim_scale(maximum), max_length)
		FROM workspace.registry_columns WHERE type IN ('number', 'text') AND choices IS NULL AND format IS NULL`) {
		name, bound, _ := strings.Cut(of, " ")
		bounds[name] = bound
	}
	for name, want := range map[string]string{
		"order_line_items.quantity": "-1000000000000 1000000000000", "orders.total": "-1000000000000 1000000000000",
		"products.stock_on_hand": "-1000000000000 1000000000000", "purchase_order_lines.quantity_ordered": "0 1000000000000",
		"purchase_order_lines.price_per_unit": "0 1000000000000", "suppliers.free_shipping_value": "0 1000000000000",
		"products.lead_time_days": "0 3650", "products.cover_days": "0 3650", "suppliers.payment_terms_days": "0 3650",
		"meeting_notes.duration_minutes": "0 1000000",
		"products.name":                  "1000", "products.sku": "500", "products.barcode": "500", "customers.phone": "100", "customers.email": "320",
		"products.image_url": "2000", "orders.tags": "100000", "orders.note": "100000", "meeting_notes.transcript": "1000000",
		"suppliers.address": "1000",
	} {
		require.Equal(t, want, bounds[name], name)
	}
	require.Equal(t, []string{"customers.source_created_at", "orders.cancelled_at", "orders.ordered_at", "products.stock_updated_at",
		"purchase_order_lines.ordered_at", "purchase_order_lines.received_at"},
		ask("SELECT slug || '.' || name FROM workspace.registry_columns WHERE records_past ORDER BY 1"))

	// The test can fail.
	exec("UPDATE workspace.registry_columns SET maximum = NULL WHERE slug = 'orders' AND name = 'total'")
	exec("UPDATE workspace.registry_columns SET minimum = NULL WHERE slug = 'products' AND name = 'moq'")
	exec("UPDATE workspace.registry_columns SET max_length = NULL WHERE slug = 'suppliers' AND name = 'note'")
	require.Equal(t, []string{"orders.total", "products.moq", "suppliers.note"}, ask(unbounded))
	_, err := admin.Exec(t.Context(), "UPDATE workspace.registry_columns SET records_past = true WHERE slug = 'orders' AND name = 'note'")
	require.ErrorContains(t, err, "violates check constraint", "only a time is in the past")
}
