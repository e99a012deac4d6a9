package backup

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
)

// secretColumns let somebody in, or are of use only with a key that stays here. They leave no company's export.
const secretColumns = "'{key_hash,token_hash,sealed}'::text[]" //nolint:gosec // names of columns

// tenantTables lists the tables that hold rows of a company, each with the column that names it.
const tenantTables = `SELECT format('%I.%I', n.nspname, c.relname), CASE WHEN c.oid = 'control.tenants'::regclass THEN 'id' ELSE 'tenant_id' END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('control', 'workspace') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND (c.oid = 'control.tenants'::regclass OR EXISTS (
      SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped))
ORDER BY 1`

// people are the company's members; their accounts may belong to other companies too.
const people = `SELECT jsonb_build_object('id', u.id, 'email', u.email, 'name', u.name, 'role', m.role)::text
FROM control.memberships m JOIN control.users u ON u.id = m.user_id WHERE m.tenant_id = $1 ORDER BY u.id`

// Export writes everything of a company as a zip of JSON lines, a file for each table, as of one moment. Secrets are
// left out. It returns the rows of each table.
func Export(ctx context.Context, ownerURL string, tenant uuid.UUID, w io.Writer) (rows map[string]int64, err error) {
	rows = map[string]int64{}
	archive := zip.NewWriter(w)
	err = ofCompany(ctx, ownerURL, tenant, func(tx pgx.Tx, table, column string) error {
		statement := fmt.Sprintf("SELECT (to_jsonb(t) - %s)::text FROM %s t WHERE t.%s = $1", secretColumns, table, column)
		rows[table], err = writeLines(ctx, tx, archive, table, statement, tenant)
		return err
	}, func(tx pgx.Tx) error {
		rows["people"], err = writeLines(ctx, tx, archive, "people", people, tenant)
		return err
	})
	if err != nil {
		return nil, err
	}
	manifest, err := archive.Create("rows.json")
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(manifest).Encode(rows); err != nil {
		return nil, err
	}
	return rows, archive.Close()
}

// Remains counts the rows of a company that are left in any table. After its deletion there are none.
func Remains(ctx context.Context, ownerURL string, tenant uuid.UUID) (rows map[string]int64, err error) {
	rows = map[string]int64{}
	err = ofCompany(ctx, ownerURL, tenant, func(tx pgx.Tx, table, column string) error {
		var count int64
		err := tx.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM %s t WHERE t.%s = $1", table, column), tenant).Scan(&count)
		if count > 0 {
			rows[table] = count
		}
		return err
	}, func(pgx.Tx) error { return nil })
	return rows, err
}

// ofCompany runs each for every table that holds rows of companies, and then last, as of one moment.
func ofCompany(ctx context.Context, ownerURL string, tenant uuid.UUID, each func(tx pgx.Tx, table, column string) error,
	last func(pgx.Tx) error) error {
	return pg.ReadingAll(ctx, ownerURL, func(tx pgx.Tx, _ string) error {
		found, err := tx.Query(ctx, tenantTables)
		if err != nil {
			return err
		}
		type place struct{ Table, Column string }
		tables, err := pgx.CollectRows(found, pgx.RowToStructByPos[place])
		if err != nil {
			return err
		}
		if len(tables) == 0 {
			return fault.New(fault.Unavailable, "migrations_missing", "the database has no tables; run 'quayside migrate'")
		}
		for _, t := range tables {
			if err := each(tx, t.Table, t.Column); err != nil {
				return fmt.Errorf("%s of %s: %w", t.Table, tenant, err)
			}
		}
		return last(tx)
	})
}

// writeLines writes each row that a statement returns as a line of one file.
func writeLines(ctx context.Context, tx pgx.Tx, archive *zip.Writer, name, statement string, tenant uuid.UUID) (count int64, err error) {
	file, err := archive.Create(name + ".jsonl")
	if err != nil {
		return 0, err
	}
	rows, err := tx.Query(ctx, statement, tenant)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		if _, err := file.Write(append(rows.RawValues()[0], '\n')); err != nil {
			return count, err
		}
		count++
	}
	return count, rows.Err()
}
