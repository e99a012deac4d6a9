package pg

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed schema.sql
var schema string

// policyName finds the name and the table of a statement that creates a policy.
var policyName = regexp.MustCompile(`^CREATE POLICY (\w+) ON (\w+\.\w+) `)

// access returns the statements of the schema that give rights, and those that create policies.
func access() (rights, policies []string) {
	lines := strings.Split(schema, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		isPolicy := strings.HasPrefix(line, "CREATE POLICY ")
		if !isPolicy && !strings.HasPrefix(line, "GRANT ") && !strings.HasPrefix(line, "REVOKE ") &&
			!strings.HasPrefix(line, "ALTER DEFAULT PRIVILEGES ") {
			continue
		}
		for !strings.HasSuffix(line, ";") {
			i++
			line += "\n" + lines[i]
		}
		if isPolicy {
			policies = append(policies, line)
		} else {
			rights = append(rights, line)
		}
	}
	return rights, policies
}

// repairAccess gives the roles the rights and policies that the schema says, where they are missing: a dump that is
// restored on a server without the roles has none. It says what it did. It leaves a database alone that a newer
// release has migrated.
func repairAccess(ctx context.Context, db *sql.DB) (repaired []string, err error) {
	var ahead bool
	newest := missingMigrations(nil)
	err = db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) > $1 FROM "+migrationTable+" WHERE is_applied",
		migrationNumber(newest[len(newest)-1])).Scan(&ahead)
	if err != nil || ahead {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, "SET LOCAL lock_timeout = '5s'"); err != nil {
		return nil, err
	}
	before, err := fingerprint(ctx, tx)
	if err != nil {
		return nil, err
	}
	rights, policies := access()
	for _, statement := range rights {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	for _, statement := range policies {
		if err := createPolicy(ctx, tx, statement); err != nil {
			return nil, err
		}
	}
	if _, err := tx.ExecContext(ctx, repairEventDays); err != nil {
		return nil, err
	}
	after, err := fingerprint(ctx, tx)
	if err != nil {
		return nil, err
	}
	if before != after {
		repaired = []string{"rights and policies that were missing"}
	}
	return repaired, tx.Commit()
}

// createPolicy creates a policy unless its table has one of this name.
func createPolicy(ctx context.Context, tx *sql.Tx, statement string) error {
	named := policyName.FindStringSubmatch(statement)
	if named == nil {
		return fmt.Errorf("schema.sql: not a policy: %s", statement)
	}
	var exists bool
	err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_policy WHERE polname = $1 AND polrelid = $2::text::regclass)",
		named[1], named[2]).Scan(&exists)
	if err != nil || exists {
		return err
	}
	if _, err := tx.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// repairEventDays lets backups read the days of events, which are not in schema.sql.
const repairEventDays = `DO $$
DECLARE
    day regclass;
BEGIN
    FOR day IN SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = 'workspace.events'::regclass
        AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = i.inhrelid AND p.polname = 'backup')
    LOOP
        EXECUTE format('CREATE POLICY backup ON %s FOR SELECT TO quayside_backup USING (true)', day);
    END LOOP;
    FOR day IN SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = 'workspace.events'::regclass
        AND NOT has_table_privilege('quayside_backup', i.inhrelid, 'SELECT')
    LOOP
        EXECUTE format('GRANT SELECT ON %s TO quayside_backup', day);
    END LOOP;
END
$$`

// fingerprint changes if rights or policies do.
func fingerprint(ctx context.Context, tx *sql.Tx) (text string, err error) {
	err = tx.QueryRowContext(ctx, `WITH ours AS (SELECT 'control'::regnamespace AS oid UNION ALL SELECT 'workspace'::regnamespace)
SELECT md5(concat(
    (SELECT string_agg(concat(n.oid, n.nspacl), ' ' ORDER BY n.oid) FROM pg_namespace n WHERE n.oid IN (SELECT oid FROM ours)),
    (SELECT string_agg(concat(c.oid, c.relacl), ' ' ORDER BY c.oid) FROM pg_class c WHERE c.relnamespace IN (SELECT oid FROM ours)),
    (SELECT string_agg(concat(a.attrelid, a.attnum, a.attacl), ' ' ORDER BY a.attrelid, a.attnum) FROM pg_attribute a
     JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace IN (SELECT oid FROM ours) AND a.attacl IS NOT NULL),
    (SELECT string_agg(concat(p.oid, p.proacl), ' ' ORDER BY p.oid) FROM pg_proc p WHERE p.pronamespace IN (SELECT oid FROM ours)),
    (SELECT string_agg(concat(p.polrelid, p.polname, p.polroles), ' ' ORDER BY p.oid) FROM pg_policy p)))`).Scan(&text)
	return text, err
}
