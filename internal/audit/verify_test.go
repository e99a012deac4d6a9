package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/telemetry"
)

// book is one tenant's audit in a test's database.
type book struct {
	t      testing.TB
	db     *pgtest.DB
	admin  *pgx.Conn
	audit  *audit.Service
	log    *bytes.Buffer
	tenant uuid.UUID
	by     auth.Principal
	rows   []uuid.UUID // the sealed ones, in the order of their seals
}

func newBook(t testing.TB, db *pgtest.DB) *book {
	t.Helper()
	log := &bytes.Buffer{}
	b := &book{t: t, db: db, admin: db.Admin(t), log: log,
		audit: audit.New(db.Cells, slog.New(slog.NewTextHandler(log, nil)))}
	b.tenant = pgtest.NewTenant(t, db).ID
	b.by = auth.Operator(b.tenant)
	return b
}

// write writes rows and seals them.
func (b *book) write(rows int) {
	b.t.Helper()
	for range rows {
		b.record()
	}
	require.NoError(b.t, b.audit.Seal(b.t.Context()))
	b.rows = b.read("SELECT row_id::text FROM workspace.audit_seals WHERE tenant_id = $1 ORDER BY number")
}

func (b *book) record() {
	b.t.Helper()
	ctx := telemetry.WithRequestID(b.t.Context(), "a-request")
	by := b.by
	by.Workspace = uuid.New()
	err := b.db.InTenant(ctx, b.tenant, func(tx pgx.Tx) error {
		return audit.Record(ctx, tx, by, "thing.done", uuid.NewString(), audit.Data{"amount": 1, "name": "Größe \"x\""})
	})
	require.NoError(b.t, err)
}

func (b *book) read(sql string) (ids []uuid.UUID) {
	b.t.Helper()
	rows, err := b.admin.Query(b.t.Context(), sql, b.tenant)
	require.NoError(b.t, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(b.t, err)
	for _, text := range texts {
		ids = append(ids, uuid.MustParse(text))
	}
	return ids
}

// tamper runs a statement as a superuser.
func (b *book) tamper(sql string, args ...any) {
	b.t.Helper()
	tag, err := b.admin.Exec(b.t.Context(), sql, args...)
	require.NoError(b.t, err, sql)
	require.NotZero(b.t, tag.RowsAffected(), "nothing was tampered with: %s", sql)
}

func (b *book) verify(kept ...audit.Head) audit.Report {
	b.t.Helper()
	report, err := b.audit.Verify(b.t.Context(), b.by, kept...)
	require.NoError(b.t, err)
	return report
}

// says returns the findings in short: the problem, the seal, and the position of the row.
func (b *book) says(report audit.Report) (found []string) {
	require.Equal(b.t, int(report.Problems), len(report.Findings))
	for _, finding := range report.Findings {
		text := string(finding.Problem)
		if finding.Seal != 0 {
			text += fmt.Sprintf(" seal %d", finding.Seal)
		}
		if at := slices.Index(b.rows, finding.Row); at >= 0 {
			text += fmt.Sprintf(" row %d", at+1)
		} else if finding.Row != uuid.Nil {
			text += " a row"
		}
		require.NotEmpty(b.t, finding.Detail)
		found = append(found, text)
	}
	slices.Sort(found)
	return found
}

// TestTampering changes an audit of six rows, sealed in two groups of three, as an attacker
// with the owner's login could do to hide something.
func TestTampering(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const (
		row  = " WHERE tenant_id = $1 AND id = $2"
		swap = `UPDATE workspace.audit a SET %[1]s = b.%[1]s FROM workspace.audit b
			WHERE a.tenant_id = $1 AND b.tenant_id = $1 AND a.id = ANY ($2) AND b.id = ANY ($2) AND a.id <> b.id`
		forged = `INSERT INTO workspace.audit (tenant_id, id, at, actor, request_id, action, subject, xid)
			SELECT tenant_id, overlay(id::text placing '0000' from 33)::uuid, at - interval '%s', actor, request_id, action, 'forged', xid FROM workspace.audit` + row
	)
	replica := func(b *book, sql string, args ...any) { // without the trigger that queues a row for its seal
		b.tamper("SELECT set_config('session_replication_role', 'replica', false)")
		b.tamper(sql, args...)
		b.tamper("SELECT set_config('session_replication_role', 'origin', false)")
	}
	for _, tt := range []struct {
		name   string
		tamper func(b *book)
		want   []string
	}{
		{"delete the first row", func(b *book) { b.tamper("DELETE FROM workspace.audit"+row, b.tenant, b.rows[0]) },
			[]string{"row_deleted seal 1 row 1"}},
		{"delete a row in the middle", func(b *book) { b.tamper("DELETE FROM workspace.audit"+row, b.tenant, b.rows[2]) },
			[]string{"row_deleted seal 3 row 3"}},
		{"delete the last row", func(b *book) { b.tamper("DELETE FROM workspace.audit"+row, b.tenant, b.rows[5]) },
			[]string{"row_deleted seal 6 row 6"}},
		{"delete all rows", func(b *book) { b.tamper("DELETE FROM workspace.audit WHERE tenant_id = $1", b.tenant) },
			[]string{
				"row_deleted seal 1 row 1", "row_deleted seal 2 row 2", "row_deleted seal 3 row 3", "row_deleted seal 4 row 4",
				"row_deleted seal 5 row 5", "row_deleted seal 6 row 6"}},
		{"swap what two rows say", func(b *book) { b.tamper(fmt.Sprintf(swap, "subject"), b.tenant, b.rows[1:3]) },
			[]string{"row_altered seal 2 row 2", "row_altered seal 3 row 3"}},
		{"swap two rows by their ids", func(b *book) {
			b.tamper("UPDATE workspace.audit SET id = $3"+row, b.tenant, b.rows[1], uuid.Nil)
			b.tamper("UPDATE workspace.audit SET id = $3"+row, b.tenant, b.rows[4], b.rows[1])
			b.tamper("UPDATE workspace.audit SET id = $3"+row, b.tenant, uuid.Nil, b.rows[4])
		}, []string{"row_altered seal 2 row 2", "row_altered seal 5 row 5"}},
		{"forge a row between others", func(b *book) { b.tamper(fmt.Sprintf(forged, "1 day"), b.tenant, b.rows[2]) },
			[]string{"row_late a row"}},
		{"forge one and have it sealed", func(b *book) {
			b.tamper(fmt.Sprintf(forged, "1 day"), b.tenant, b.rows[2])
			require.NoError(t, b.audit.Seal(t.Context()))
		}, []string{"row_late seal 7 a row"}},
		{"forge one without the trigger", func(b *book) { replica(b, fmt.Sprintf(forged, "0"), b.tenant, b.rows[2]) },
			[]string{"row_unsealed a row"}},
		{"forge one with the lowest id", func(b *book) {
			replica(b, `INSERT INTO workspace.audit (tenant_id, id, actor, request_id, action, subject) VALUES ($1, $2, '{}', '', 'a.b', '')`, b.tenant, uuid.Nil)
		}, []string{"row_unsealed"}},
		{"give a forged row a seal below the chain", func(b *book) {
			replica(b, fmt.Sprintf(forged, "0"), b.tenant, b.rows[2])
			_, err := b.admin.Exec(t.Context(), "ALTER TABLE workspace.audit_seals DROP CONSTRAINT audit_seals_number_check")
			require.NoError(t, err)
			b.tamper(`INSERT INTO workspace.audit_seals (tenant_id, number, row_id, row_hash, hash)
				SELECT $1, -9223372036854775808, id, sha256(''), sha256('') FROM workspace.audit WHERE tenant_id = $1 AND subject = 'forged'`, b.tenant)
		}, []string{"seal_broken seal -9223372036854775808 a row"}},
		{"make a row wait no longer", func(b *book) {
			b.record()
			b.tamper("DELETE FROM workspace.audit_unsealed WHERE tenant_id = $1", b.tenant)
		}, []string{"row_unsealed a row"}},
		{"delete a row that waits", func(b *book) {
			b.record()
			b.tamper("DELETE FROM workspace.audit WHERE tenant_id = $1 AND NOT id = ANY ($2)", b.tenant, b.rows)
		}, []string{"row_deleted a row"}},
		{"delete the first seal", func(b *book) {
			b.tamper("DELETE FROM workspace.audit_seals WHERE tenant_id = $1 AND number = 1", b.tenant)
		}, []string{"row_unsealed row 1", "seal_missing seal 1"}},
		{"delete seals in the middle", func(b *book) {
			b.tamper("DELETE FROM workspace.audit_seals WHERE tenant_id = $1 AND number IN (3, 4)", b.tenant)
		}, []string{"row_unsealed row 3", "row_unsealed row 4", "seal_missing seal 3"}},
		{"delete the last seal", func(b *book) {
			b.tamper("DELETE FROM workspace.audit_seals WHERE tenant_id = $1 AND number = 6", b.tenant)
		}, []string{"row_unsealed row 6"}},
		{"delete all seals", func(b *book) { b.tamper("DELETE FROM workspace.audit_seals WHERE tenant_id = $1", b.tenant) },
			[]string{
				"row_unsealed row 1", "row_unsealed row 2", "row_unsealed row 3", "row_unsealed row 4", "row_unsealed row 5",
				"row_unsealed row 6"}},
		{"delete a row in the middle with its seal, and close the gap", func(b *book) {
			b.tamper("DELETE FROM workspace.audit"+row, b.tenant, b.rows[2])
			b.tamper("DELETE FROM workspace.audit_seals WHERE tenant_id = $1 AND number = 3", b.tenant)
			for number := 4; number <= 6; number++ {
				b.tamper("UPDATE workspace.audit_seals SET number = number - 1 WHERE tenant_id = $1 AND number = $2", b.tenant,
					number)
			}
		}, []string{"seal_broken seal 3 row 4", "seal_broken seal 4 row 5", "seal_broken seal 5 row 6"}},
		{"swap two seals", func(b *book) {
			b.tamper("UPDATE workspace.audit_seals SET number = 100 WHERE tenant_id = $1 AND number = 3", b.tenant)
			b.tamper("UPDATE workspace.audit_seals SET number = 3 WHERE tenant_id = $1 AND number = 4", b.tenant)
			b.tamper("UPDATE workspace.audit_seals SET number = 4 WHERE tenant_id = $1 AND number = 100", b.tenant)
		}, []string{"seal_broken seal 3 row 4", "seal_broken seal 4 row 3", "seal_broken seal 5 row 5"}},
		{"alter a row and its seal's account of it", func(b *book) {
			b.tamper("UPDATE workspace.audit_seals SET row_hash = sha256('what the altered row hashes to') WHERE tenant_id = $1 AND number = 2", b.tenant)
		}, []string{"row_altered seal 2 row 2", "seal_broken seal 2 row 2"}},
		{"alter a seal's hash", func(b *book) {
			b.tamper("UPDATE workspace.audit_seals SET hash = sha256('') WHERE tenant_id = $1 AND number = 2", b.tenant)
		}, []string{"seal_broken seal 2 row 2"}},
		{"alter when a seal was made", func(b *book) {
			b.tamper("UPDATE workspace.audit_seals SET sealed_at = sealed_at + interval '1 microsecond' WHERE tenant_id = $1 AND number = 6", b.tenant)
		}, []string{"seal_broken seal 6 row 6"}},
		{"alter when a seal was made, to never", func(b *book) {
			b.tamper("UPDATE workspace.audit_seals SET sealed_at = 'infinity' WHERE tenant_id = $1 AND number = 6", b.tenant)
		}, []string{"seal_broken seal 6 row 6"}},
		{"have a seal speak of another row", func(b *book) {
			b.tamper("DELETE FROM workspace.audit_seals WHERE tenant_id = $1 AND number = 6", b.tenant)
			b.tamper("UPDATE workspace.audit_seals SET row_id = $2 WHERE tenant_id = $1 AND number = 5", b.tenant, b.rows[5])
		}, []string{"row_altered seal 5 row 6", "row_unsealed row 5", "seal_broken seal 5 row 6"}},
		{"move a row to another company", func(b *book) {
			other := newBook(t, db)
			b.tamper("UPDATE workspace.audit SET tenant_id = $3"+row, b.tenant, b.rows[1], other.tenant)
			require.Equal(t, []string{"row_unsealed a row"}, other.says(other.verify()))
		}, []string{"row_deleted seal 2 row 2"}},
		{"move the whole audit to another company", func(b *book) {
			other := newBook(t, db)
			for _, table := range []string{"audit", "audit_seals"} {
				b.tamper("UPDATE workspace."+table+" SET tenant_id = $2 WHERE tenant_id = $1", b.tenant, other.tenant)
			}
			require.Equal(t, int64(12), other.verify().Problems, "six rows and six seals say whose they are")
		}, nil}, // the audit is empty now, which only a kept head shows
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, db)
			b.write(3)
			b.write(3)
			head := b.verify().Head
			require.Empty(t, b.says(b.verify(head)))
			tt.tamper(b)
			require.Equal(t, tt.want, b.says(b.verify()))
			if tt.want == nil {
				require.Equal(t, []string{"head_missing seal 6"}, b.says(b.verify(head)))
			}
		})
	}
}

// TestEveryColumnIsSealed alters each column that the catalog lists, so that a new column
// outside the chain is noticed.
func TestEveryColumnIsSealed(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	altered := map[string]string{
		"uuid": "gen_random_uuid()", "timestamp with time zone": "%s + interval '1 microsecond'", "jsonb": `%s || '{"x": 1}'`,
		"text": "%s || 'x'", "xid8": "'7'::xid8", "bigint": "%s + 1000", "bytea": "sha256(coalesce(%s, ''))",
	}
	for _, table := range []string{"audit", "audit_seals"} {
		rows, err := db.Admin(t).Query(t.Context(), `SELECT attname::text || ':' || format_type(atttypid, NULL) FROM pg_attribute
			WHERE attrelid = ('workspace.' || $1)::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, table)
		require.NoError(t, err)
		columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(columns), 6)
		for _, described := range columns {
			t.Run(table+" "+described, func(t *testing.T) {
				column, kind, _ := strings.Cut(described, ":")
				require.Contains(t, altered, kind)
				b := newBook(t, db)
				b.write(4)
				to := strings.ReplaceAll(altered[kind], "%s", column)
				b.tamper(fmt.Sprintf("UPDATE workspace.%s SET %s = %s WHERE tenant_id = $1 AND %s = $2", table, column, to,
					map[string]string{"audit": "id", "audit_seals": "row_id"}[table]), b.tenant, b.rows[2])
				require.NotEmpty(t, b.says(b.verify()))
			})
		}
	}
	t.Run("to nothing", func(t *testing.T) {
		b := newBook(t, db)
		b.write(2)
		b.tamper("UPDATE workspace.audit SET workspace_id = NULL WHERE tenant_id = $1 AND id = $2", b.tenant, b.rows[0])
		b.tamper("UPDATE workspace.audit SET at = 'infinity' WHERE tenant_id = $1 AND id = $2", b.tenant, b.rows[1])
		require.Equal(t, []string{"row_altered seal 1 row 1", "row_altered seal 2 row 2"}, b.says(b.verify()))
	})
	t.Run("a number's form", func(t *testing.T) {
		b := newBook(t, db)
		b.write(1)
		b.tamper(`UPDATE workspace.audit SET data = data || '{"amount": 1.0}' WHERE tenant_id = $1`, b.tenant)
		require.Equal(t, []string{"row_altered seal 1 row 1"}, b.says(b.verify()))
	})
}

// TestKeptHeads finds what the database alone cannot show: that the end of a chain was deleted,
// or that the whole chain was rewritten.
func TestKeptHeads(t *testing.T) {
	t.Parallel()
	b := newBook(t, pgtest.New(t))
	b.write(3)
	early := b.verify().Head
	b.write(3)
	late := b.verify().Head
	require.Contains(t, b.log.String(), "head="+late.String(), "the log is a witness")
	require.Empty(t, b.says(b.verify(early, late)), "a chain holds all the heads that it had")
	require.Equal(t, audit.Head{Number: 6, Hash: late.Hash}, late)

	forged := audit.Head{Number: 3, Hash: late.Hash}
	require.Equal(t, []string{"head_missing seal 3"}, b.says(b.verify(early, forged)))

	b.tamper("DELETE FROM workspace.audit_seals WHERE tenant_id = $1 AND number = 6", b.tenant)
	b.tamper("DELETE FROM workspace.audit WHERE tenant_id = $1 AND id = $2", b.tenant, b.rows[5])
	require.Empty(t, b.says(b.verify()), "a shorter chain is a chain")
	require.Empty(t, b.says(b.verify(early)))
	require.Equal(t, []string{"head_missing seal 6"}, b.says(b.verify(early, late)))

	// Rewritten by somebody who knows how seals are made.
	b.tamper("UPDATE workspace.audit SET subject = 'somebody else' WHERE tenant_id = $1", b.tenant)
	b.tamper("DELETE FROM workspace.audit_seals WHERE tenant_id = $1", b.tenant)
	b.tamper("INSERT INTO workspace.audit_unsealed SELECT tenant_id, id FROM workspace.audit WHERE tenant_id = $1",
		b.tenant)
	b.write(1)
	require.Empty(t, b.says(b.verify()))
	require.Equal(t, []string{"head_missing seal 3", "head_missing seal 6"}, b.says(b.verify(early, late)))
}

// TestRestored seals an audit after a logical restore into another server: rows and seals come
// from a server that had counted many more transactions.
func TestRestored(t *testing.T) {
	t.Parallel()
	b := newBook(t, pgtest.New(t))
	elsewhere := func(rows int) {
		for range rows {
			b.tamper(`INSERT INTO workspace.audit (tenant_id, id, at, actor, request_id, action, subject, xid)
				VALUES ($1, gen_random_uuid(), now(), '{}', '', 'thing.done', 'elsewhere', '900000000000')`, b.tenant)
		}
	}
	elsewhere(3)
	require.NoError(t, b.audit.Seal(t.Context()))
	elsewhere(2) // not sealed before the dump
	b.write(3)
	report := b.verify()
	require.Empty(t, b.says(report))
	require.Equal(t, []int64{8, 8, 0}, []int64{report.Rows, report.Head.Number, report.Waiting})
}

// TestServiceCannotTamper tries what a bug or an injected statement could do as the service's
// role.
func TestServiceCannotTamper(t *testing.T) {
	t.Parallel()
	b := newBook(t, pgtest.New(t))
	b.write(2)
	b.record()
	for _, sql := range []string{
		"UPDATE workspace.audit SET subject = 'x'",
		"UPDATE workspace.audit SET at = now()",
		"DELETE FROM workspace.audit",
		"TRUNCATE workspace.audit",
		"INSERT INTO workspace.audit (tenant_id, id, at, actor, request_id, action, subject) VALUES ($1, gen_random_uuid(), '2020-01-01', '{}', '', 'a.b', '')",
		"INSERT INTO workspace.audit (tenant_id, id, xid, actor, request_id, action, subject) VALUES ($1, gen_random_uuid(), '1', '{}', '', 'a.b', '')",
		"UPDATE workspace.audit_seals SET hash = row_hash",
		"DELETE FROM workspace.audit_seals",
		"TRUNCATE workspace.audit_seals",
		"INSERT INTO workspace.audit_seals (tenant_id, number, row_id, row_hash, hash, sealed_at) VALUES ($1, 9, gen_random_uuid(), sha256(''), sha256(''), now())",
		"UPDATE workspace.audit_unsealed SET id = gen_random_uuid()",
		"ALTER TABLE workspace.audit DISABLE TRIGGER await_seal",
		"SET LOCAL session_replication_role = replica",
	} {
		args := []any{b.tenant}[:strings.Count(sql, "$1")]
		for role, in := range map[string]func(func(pgx.Tx) error) error{
			"app":    func(fn func(pgx.Tx) error) error { return b.db.InTenant(t.Context(), b.tenant, fn) },
			"system": func(fn func(pgx.Tx) error) error { return b.db.InSystem(t.Context(), fn) },
		} {
			if role == "system" && sql == "DELETE FROM workspace.audit" {
				continue // TestCallsAreNotKept
			}
			var refused *pgconn.PgError
			err := in(func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), sql, args...); return err })
			require.ErrorAs(t, err, &refused, "%s: %s", role, sql)
			require.Equal(t, "42501", refused.Code, "%s: %s", role, sql)
		}
	}
	require.Empty(t, b.says(b.verify()))
}

// TestSealedOnce queues a sealed row again: it keeps its seal, and sealing succeeds.
func TestSealedOnce(t *testing.T) {
	t.Parallel()
	b := newBook(t, pgtest.New(t))
	b.write(2)
	b.tamper("INSERT INTO workspace.audit_unsealed VALUES ($1, $2)", b.tenant, b.rows[0])
	b.write(1)
	require.Len(t, b.rows, 3)
	report := b.verify()
	require.Empty(t, b.says(report))
	require.Zero(t, report.Waiting)
}

func TestVerifyIsForAdmins(t *testing.T) {
	t.Parallel()
	b := newBook(t, pgtest.New(t))
	_, err := b.audit.Verify(context.Background(), auth.Principal{Tenant: b.tenant, Role: auth.Viewer})
	require.True(t, fault.Is(err, fault.Forbidden))
}
