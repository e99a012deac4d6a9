package pg_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
)

// relation is a table or view of the schema, read from the catalog.
type relation struct {
	name         string // schema.name
	tenantColumn string // column with the owner: a tenant or a person
	person       bool
	columns      []column
	grants       []string // of the service: SELECT, INSERT, UPDATE, DELETE
}

type column struct {
	name, kind string
	required   bool // not null and without a default
	unique     bool // part of a unique index
}

// TestTenantsDoNotMeet tests every relation of the schema, so that new tables are covered
// automatically. Each of two tenants has a row that differs only in the tenant, and neither
// can see, change, add or infer a row of the other.
func TestTenantsDoNotMeet(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	admin := db.Admin(t)
	// Row security does not depend on checks, references and triggers. Without them, a row
	// for any table can be made from its columns' types alone.
	dropRules(t, admin)
	relations := readRelations(t, admin)
	require.Greater(t, len(relations), 14, "the catalog was not read")

	ours, theirs, nobody := uuid.New(), uuid.New(), uuid.New()
	for _, rel := range relations {
		t.Run(rel.name, func(t *testing.T) {
			if rel.tenantColumn == "" {
				require.Contains(t, []string{"control.cells", "control.event_days_dropped", "control.event_retention", "control.full_passes", "control.migrations", "control.origin", "control.readers", "control.retention", "control.throttles"}, rel.name,
					"a relation without a tenant must be named here")
				if rel.name != "control.throttles" { // it holds only hashes and counts
					require.NotContains(t, rel.grants, "INSERT")
				}
				return
			}
			for _, tenant := range []uuid.UUID{ours, theirs} {
				_, err := admin.Exec(t.Context(), rel.insert(), rel.values(tenant)...)
				require.NoError(t, err)
			}
			as := func(tenant uuid.UUID, fn func(tx pgx.Tx)) {
				undone := func(tx pgx.Tx) error { fn(tx); return errRollback }
				if rel.person {
					require.ErrorIs(t, db.InPerson(t.Context(), tenant, uuid.Nil, undone), errRollback)
					// A company sees nothing of people who are not its members.
					require.ErrorIs(t, db.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
						require.Zero(t, count(t, tx, "SELECT count(*) FROM "+rel.name))
						return errRollback
					}), errRollback)
					return
				}
				require.ErrorIs(t, db.InTenant(t.Context(), tenant, undone), errRollback)
			}
			others := fmt.Sprintf(" WHERE %s <> '%s' AND %s <> '%s'", rel.tenantColumn, ours, rel.tenantColumn, uuid.Nil)

			as(ours, func(tx pgx.Tx) {
				require.Equal(t, 1, count(t, tx,
					"SELECT count(*) FROM "+rel.name+fmt.Sprintf(" WHERE %s = '%s'", rel.tenantColumn, ours)), "the tenant's own row")
				require.Zero(t, count(t, tx, "SELECT count(*) FROM "+rel.name+others), "another tenant's row was read")
			})
			as(nobody, func(tx pgx.Tx) {
				require.Zero(t, count(t, tx,
					"SELECT count(*) FROM "+rel.name+fmt.Sprintf(" WHERE %s <> '%s'", rel.tenantColumn, uuid.Nil)))
			})
			as(uuid.Nil, func(tx pgx.Tx) { // binds no tenant, and must not let anybody write built-in rows
				require.Zero(t, count(t, tx,
					"SELECT count(*) FROM "+rel.name+fmt.Sprintf(" WHERE %s <> '%s'", rel.tenantColumn, uuid.Nil)))
				if slices.Contains(rel.grants, "UPDATE") {
					tag, err := tx.Exec(t.Context(), fmt.Sprintf("UPDATE %s SET %[2]s = %[2]s", rel.name, rel.tenantColumn))
					require.NoError(t, err)
					require.Zero(t, tag.RowsAffected())
				}
			})
			for _, grant := range rel.grants {
				as(ours, func(tx pgx.Tx) {
					switch grant {
					case "UPDATE":
						tag, err := tx.Exec(t.Context(),
							fmt.Sprintf("UPDATE %s SET %[2]s = %[2]s %[3]s", rel.name, rel.tenantColumn, others))
						require.NoError(t, err)
						require.Zero(t, tag.RowsAffected(), "another tenant's row was changed")
						_, err = tx.Exec(t.Context(), fmt.Sprintf("UPDATE %s SET %s = '%s'", rel.name, rel.tenantColumn, theirs))
						requireDenied(t, err, "a row was given to another tenant")
					case "DELETE":
						tag, err := tx.Exec(t.Context(), "DELETE FROM "+rel.name+others)
						require.NoError(t, err)
						require.Zero(t, tag.RowsAffected(), "another tenant's row was deleted")
					case "INSERT":
						_, err := tx.Exec(t.Context(), rel.insert(), rel.values(theirs)...)
						requireDenied(t, err, "a row was added to another tenant, or its key told on it")
					}
				})
			}
			// The two rows differ only in the tenant, so the keys of one could not collide
			// with the other's; only the directory is global, by hash.
		})
	}
}

// TestNewTableIsNoticed adds relations as a careless migration would.
func TestNewTableIsNoticed(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	gaps, err := db.CheckRowSecurity(t.Context())
	require.NoError(t, err)
	require.Empty(t, gaps, "the schema as it is")

	owner := db.Owner(t)
	for _, tt := range []struct{ name, sql, want string }{
		{"no row security", "CREATE TABLE workspace.careless (tenant_id uuid, id text, PRIMARY KEY (tenant_id, id))",
			"workspace.careless: row security is not enabled"},
		{"not forced on the owner",
			"CREATE TABLE workspace.careless (tenant_id uuid); ALTER TABLE workspace.careless ENABLE ROW LEVEL SECURITY",
			"workspace.careless: row security is not enabled and forced"},
		{"no policy", "CREATE TABLE workspace.careless (tenant_id uuid); ALTER TABLE workspace.careless ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY", "workspace.careless: no policy"},
		{"a global unique index",
			"CREATE TABLE workspace.careless (tenant_id uuid, id text PRIMARY KEY); SELECT control.protect('workspace.careless')", "spans tenants"},
		{"a global foreign key",
			`CREATE TABLE workspace.careless (tenant_id uuid, k uuid REFERENCES control.key_directory (key_id)); SELECT control.protect('workspace.careless')`, "spans tenants"},
		{"a view with its owner's rights", "CREATE VIEW workspace.careless AS SELECT * FROM workspace.orders",
			"workspace.careless: the view"},
		{"a materialised view", "CREATE MATERIALIZED VIEW workspace.careless AS SELECT * FROM workspace.orders",
			"materialised"},
		{"a function with its owner's rights",
			"CREATE FUNCTION workspace.careless() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM workspace.orders'", "careless(): runs with its owner's rights"},
		{"a policy for everybody", "CREATE POLICY leak ON workspace.customers FOR SELECT TO public USING (true)",
			"the policy leak is not one of ours"},
		{"a policy that binds nobody",
			"CREATE POLICY built_in ON workspace.customers FOR SELECT TO quayside_app USING (true)",
			"the policy built_in is not one of ours"},
		{"a person's policy on a tenant's table", "CREATE POLICY person ON workspace.customers TO quayside_app USING (true)",
			"the policy person is not one of ours"},
		{"a view in another schema",
			"CREATE VIEW public.careless AS SELECT * FROM workspace.orders; GRANT SELECT ON public.careless TO quayside_app",
			"public.careless: lies outside our schemas"},
		{"a partition that can be read directly",
			"DO $$ BEGIN EXECUTE (SELECT 'GRANT SELECT ON ' || inhrelid::regclass || ' TO quayside_app' FROM pg_inherits WHERE inhparent = 'workspace.events'::regclass LIMIT 1); END $$", "a partition is reached directly by quayside_app"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := owner.Exec(t.Context(), tt.sql)
			require.NoError(t, err)
			t.Cleanup(func() {
				_, _ = owner.Exec(context.WithoutCancel(t.Context()), `DROP TABLE IF EXISTS workspace.careless`)
				_, _ = owner.Exec(context.WithoutCancel(t.Context()), `DROP VIEW IF EXISTS workspace.careless`)
				_, _ = owner.Exec(context.WithoutCancel(t.Context()), `DROP MATERIALIZED VIEW IF EXISTS workspace.careless`)
				_, _ = owner.Exec(context.WithoutCancel(t.Context()), `DROP FUNCTION IF EXISTS workspace.careless()`)
			})
			gaps, err := db.CheckRowSecurity(t.Context())
			require.NoError(t, err)
			require.Contains(t, strings.Join(gaps, "\n"), tt.want)
		})
	}
}

// TestServiceCannotEscape tries what a bug or an injected statement could do.
func TestServiceCannotEscape(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	for name, sql := range map[string]string{
		"create a table":                "CREATE TABLE workspace.mine (id text)",
		"switch row security off":       "ALTER TABLE workspace.orders DISABLE ROW LEVEL SECURITY",
		"drop a policy":                 "DROP POLICY tenant ON workspace.orders",
		"read a partition":              "SELECT count(*) FROM workspace.events_" + today(t, db),
		"delete a line":                 "DELETE FROM workspace.purchase_order_lines",
		"rewrite the history":           "UPDATE workspace.events SET data = '{}'",
		"change a built-in description": "INSERT INTO workspace.registry_snapshots VALUES ('" + tenant.ID.String() + "', 'orders', 'pg_sleep', '{}', '{}', 'a', 'b', 'c')",
		"become the owner":              "SET ROLE quayside_owner",
		"protect (a function of ours)":  "SELECT control.protect('workspace.orders')",
		"keep partitions as itself":     "SELECT workspace.keep_event_partitions(1, 1)",
		"drop events as itself":         "SELECT workspace.drop_event_days(now(), 1)",
		"make partitions as itself":     "SELECT workspace.make_event_days(1)",
		"keep events for less":          "UPDATE control.event_retention SET kept_days = 1",
		"analyze sales as itself":       "SELECT workspace.analyze_sales()",
	} {
		t.Run(name, func(t *testing.T) {
			err := db.InTenant(t.Context(), tenant.ID, func(tx pgx.Tx) error {
				_, err := tx.Exec(t.Context(), sql)
				return err
			})
			requireDenied(t, err, name)
		})
	}
	t.Run("bind the nil tenant", func(t *testing.T) {
		err := db.InTenant(t.Context(), tenant.ID, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "SELECT set_config('app.tenants', $1, true)", uuid.Nil.String())
			require.NoError(t, err)
			tag, err := tx.Exec(t.Context(), "UPDATE workspace.registry_columns SET accepted = true")
			require.Zero(t, tag.RowsAffected(), "the built-in rows are the migrations'")
			return err
		})
		require.NoError(t, err)
	})
	t.Run("RESET keeps the role", func(t *testing.T) {
		err := db.InTenant(t.Context(), tenant.ID, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "RESET ROLE")
			require.NoError(t, err)
			var role string
			require.NoError(t, tx.QueryRow(t.Context(), "SELECT current_user::text").Scan(&role))
			require.Equal(t, "quayside_app", role)
			return nil
		})
		require.NoError(t, err)
	})
	t.Run("the system's role reads only what it was given", func(t *testing.T) {
		err := db.InSystem(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "SELECT * FROM workspace.customers")
			return err
		})
		requireDenied(t, err, "")
		err = db.InSystem(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "SELECT key_hash FROM workspace.api_keys")
			return err
		})
		requireDenied(t, err, "of keys it reads whether they were revoked, and no more")
	})
	t.Run("a binding ends with its transaction", func(t *testing.T) {
		for range 50 { // more than the pool has connections
			require.NoError(t, db.InTenant(t.Context(), tenant.ID, func(pgx.Tx) error { return nil }))
			err := db.InTenants(t.Context(), nil, func(tx pgx.Tx) error {
				require.Zero(t, count(t, tx, "SELECT count(*) FROM control.workspaces"))
				return nil
			})
			require.NoError(t, err)
		}
	})
}

var errRollback = fmt.Errorf("roll back")

func today(t *testing.T, db *pgtest.DB) string {
	var day string
	require.NoError(t, db.Admin(t).QueryRow(t.Context(),
		"SELECT to_char((now() AT TIME ZONE 'UTC')::date, 'YYYYMMDD')").Scan(&day))
	return day
}

func count(t *testing.T, tx pgx.Tx, sql string) int {
	t.Helper()
	var n int
	require.NoError(t, tx.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

func requireDenied(t *testing.T, err error, message string) {
	t.Helper()
	var pgErr *pgconn.PgError
	require.ErrorAs(t, err, &pgErr, message)
	require.Equal(t, "42501", pgErr.Code, "%s: %s", message, pgErr.Message)
}

// dropRules drops every check, foreign key and trigger of the test's own database.
func dropRules(t *testing.T, admin *pgx.Conn) {
	t.Helper()
	_, err := admin.Exec(t.Context(), `DO $$
	DECLARE statement text;
	BEGIN
		FOR statement IN
			SELECT format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I CASCADE', conrelid::regclass, conname)
			FROM pg_constraint JOIN pg_class c ON c.oid = conrelid
			WHERE connamespace IN ('control'::regnamespace, 'workspace'::regnamespace) AND contype IN ('c', 'f') AND NOT c.relispartition
		UNION ALL
			SELECT format('DROP TRIGGER IF EXISTS %I ON %s', tgname, tgrelid::regclass)
			FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
			WHERE NOT tgisinternal AND c.relnamespace IN ('control'::regnamespace, 'workspace'::regnamespace)
		LOOP EXECUTE statement; END LOOP;
	END $$`)
	require.NoError(t, err)
}

func readRelations(t *testing.T, admin *pgx.Conn) []relation {
	t.Helper()
	rows, err := admin.Query(t.Context(), `
		SELECT n.nspname || '.' || c.relname,
			coalesce((SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid
				AND a.attname = CASE WHEN c.oid IN ('control.tenants'::regclass, 'control.users'::regclass) THEN 'id' WHEN p.person THEN 'user_id' ELSE 'tenant_id' END), ''),
			p.person,
			ARRAY(SELECT p FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p WHERE has_table_privilege('quayside_app', c.oid, p) OR p = 'INSERT' AND has_any_column_privilege('quayside_app', c.oid, p)),
			ARRAY(SELECT a.attname::text || ' ' || format_type(a.atttypid, NULL) || ' '
				|| (a.attnotnull AND NOT a.atthasdef) || ' '
				|| EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum = ANY (i.indkey))
				FROM pg_attribute a
				WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid AND polname = 'person') AS person) p
		WHERE n.nspname IN ('control', 'workspace') AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
		ORDER BY 1`)
	require.NoError(t, err)
	relations, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (rel relation, err error) {
		var columns []string
		err = row.Scan(&rel.name, &rel.tenantColumn, &rel.person, &rel.grants, &columns)
		for _, described := range columns {
			words := strings.Fields(described) // name, type in one or more words, required, unique
			last := len(words) - 1
			rel.columns = append(rel.columns, column{
				name: words[0], kind: strings.Join(words[1:last-1], " "), required: words[last-1] == "true",
				unique: words[last] == "true",
			})
		}
		return rel, err
	})
	require.NoError(t, err)
	return relations
}

// sent returns the columns of a test row: the tenant, required columns, and columns of a
// unique index.
func (rel relation) sent() []column {
	return slices.DeleteFunc(slices.Clone(rel.columns), func(c column) bool {
		return c.name != rel.tenantColumn && !c.required && !c.unique
	})
}

func (rel relation) insert() string {
	var names, places []string
	for i, c := range rel.sent() {
		names = append(names, pgx.Identifier{c.name}.Sanitize())
		places = append(places, fmt.Sprintf("$%d::text::%s", i+1, c.kind))
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", rel.name, strings.Join(names, ", "), strings.Join(places, ", "))
}

// values returns a row that is the same for every tenant, except for the tenant and the global
// keys of the directory and of people.
func (rel relation) values(tenant uuid.UUID) []any {
	var values []any
	for _, c := range rel.sent() {
		switch {
		case c.name == rel.tenantColumn:
			values = append(values, tenant.String())
		case rel.person && c.unique, rel.name == "control.key_directory" && c.kind == "uuid":
			values = append(values, tenant.String())
		case rel.name == "control.key_directory":
			values = append(values, `\x`+strings.ReplaceAll(tenant.String(), "-", ""))
		default:
			values = append(values, sample(c.kind))
		}
	}
	return values
}

func sample(kind string) string {
	switch kind {
	case "uuid":
		return "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"
	case "bigint", "double precision", "integer", "numeric", "smallint", "interval":
		return "1"
	case "boolean":
		return "true"
	case "json", "jsonb":
		return "{}"
	case "bytea":
		return `\x00`
	case "date", "timestamp with time zone":
		return "now"
	case "double precision[]", "integer[]":
		return "{1}"
	case "text[]":
		return "{a}"
	}
	return "sample"
}

// TestSystemsTables: the role that works across tenants reads and deletes what is listed here, and nothing else. Whoever adds to
// the list says in the migration why the work crosses tenants.
func TestSystemsTables(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	rows, err := db.Admin(t).Query(t.Context(), `
		SELECT of FROM (
			SELECT g.table_schema || '.' || g.table_name || ' ' || g.privilege_type AS of
			FROM information_schema.role_table_grants g WHERE g.grantee = 'quayside_system'
			UNION ALL
			SELECT c.table_schema || '.' || c.table_name || ' ' || c.privilege_type || ' ' || string_agg(c.column_name, ', ' ORDER BY c.column_name COLLATE "C")
			FROM information_schema.role_column_grants c WHERE c.grantee = 'quayside_system' AND NOT EXISTS (
				SELECT FROM information_schema.role_table_grants g WHERE g.grantee = c.grantee AND g.table_schema = c.table_schema
				  AND g.table_name = c.table_name AND g.privilege_type = c.privilege_type)
			GROUP BY c.table_schema, c.table_name, c.privilege_type
		) rights WHERE of NOT LIKE 'river.%' ORDER BY of COLLATE "C"`)
	require.NoError(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/system_rights.txt")
	require.NoError(t, err)
	require.Equal(t, strings.Split(strings.TrimSpace(string(want)), "\n"), got)
}
