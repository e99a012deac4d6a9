package audit_test

import (
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/retention"
)

// note writes rows of an action.
func (b *book) note(action audit.Action, rows int) {
	b.t.Helper()
	for range rows {
		require.NoError(b.t, b.audit.Note(b.t.Context(), b.by, action, "data_query", audit.Data{"run": "r"}))
	}
}

// age makes everything that is sealed 400 days older, and the chain correct again.
func (b *book) age() {
	b.t.Helper()
	ctx := b.t.Context()
	b.tamper("UPDATE workspace.audit SET at = at - interval '400 days' WHERE tenant_id = $1", b.tenant)
	b.tamper("UPDATE workspace.audit_seals SET sealed_at = sealed_at - interval '400 days' WHERE tenant_id = $1", b.tenant)
	// The rows' times are hashed too. They are sealed again, at the time that stands in their seals.
	b.tamper("INSERT INTO workspace.audit_unsealed (tenant_id, id) SELECT tenant_id, row_id FROM workspace.audit_seals WHERE tenant_id = $1", b.tenant)
	b.tamper("DELETE FROM workspace.audit_seals WHERE tenant_id = $1", b.tenant)
	require.NoError(b.t, b.audit.Seal(ctx))
	b.tamper("UPDATE workspace.audit_seals SET sealed_at = sealed_at - interval '400 days' WHERE tenant_id = $1", b.tenant)
	rows, err := b.admin.Query(ctx, `SELECT number, row_id, row_hash, to_jsonb(sealed_at AT TIME ZONE 'UTC') #>> '{}' AS sealed_at
		FROM workspace.audit_seals WHERE tenant_id = $1 ORDER BY number`, b.tenant)
	require.NoError(b.t, err)
	type sealed struct {
		Number   int64
		RowID    uuid.UUID
		RowHash  []byte
		SealedAt string
	}
	seals, err := pgx.CollectRows(rows, pgx.RowToStructByName[sealed])
	require.NoError(b.t, err)
	var previous []byte
	for _, s := range seals {
		previous = audit.HashOfSeal(b.tenant, s.Number, s.SealedAt, s.RowID, s.RowHash, previous)
		b.tamper("UPDATE workspace.audit_seals SET hash = $3 WHERE tenant_id = $1 AND number = $2", b.tenant, s.Number, previous)
	}
}

// drop runs retention on a clock that has been steady.
func (b *book) drop() {
	b.t.Helper()
	_, err := b.admin.Exec(b.t.Context(),
		"UPDATE control.event_retention SET steady_since = now() - interval '2 days', looked_at = now()")
	require.NoError(b.t, err)
	rules := retention.New(b.db.Cells, slog.New(slog.DiscardHandler), func(string, int64) {})
	require.NoError(b.t, rules.Run(b.t.Context()))
}

// TestCallsAreNotKept: old calls of tools leave the audit, and it can still be verified. Nothing else leaves it:
// neither other rows, nor calls that wait for their seal, nor young ones, even if the role that deletes tries to.
func TestCallsAreNotKept(t *testing.T) {
	t.Parallel()
	b := newBook(t, pgtest.New(t))
	b.note("tool.called", 5)
	b.note("key.issued", 3)
	b.write(0)
	b.age()
	head := b.verify().Head
	b.note("tool.called", 2)
	b.write(0)
	b.note("tool.called", 1)
	b.tamper("UPDATE workspace.audit SET at = at - interval '400 days' WHERE id IN (SELECT id FROM workspace.audit_unsealed WHERE tenant_id = $1)",
		b.tenant)
	b.drop()
	require.NoError(t, b.db.InSystem(t.Context(), func(tx pgx.Tx) error {
		tag, err := tx.Exec(t.Context(), "DELETE FROM workspace.audit")
		require.Zero(t, tag.RowsAffected())
		return err
	}))
	report := b.verify(head)
	require.Equal(t, []string{"row_late a row"}, b.says(report), "only the one whose time was changed while it waits")
	require.EqualValues(t, 5, report.NotKept)
	require.EqualValues(t, 3+2+1, report.Rows)
}

// TestCallsAreProven takes rows away as if they were calls that are no longer kept.
func TestCallsAreProven(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, tt := range []struct {
		name   string
		tamper func(b *book)
		want   []string
	}{
		{"an old call", func(b *book) { b.age() }, nil},
		{"a young call", func(*book) {}, []string{"row_deleted seal 1 row 1"}},
		{"an old row of another kind, made a call's", func(b *book) {
			b.age()
			b.tamper("UPDATE workspace.audit_seals SET call_hash = row_hash WHERE tenant_id = $1 AND number = 2", b.tenant)
			b.tamper("DELETE FROM workspace.audit WHERE tenant_id = $1 AND action <> 'tool.called'", b.tenant)
		}, []string{"row_deleted seal 2 row 2"}},
		{"an old call without its hash", func(b *book) {
			b.age()
			b.tamper("UPDATE workspace.audit_seals SET call_hash = NULL WHERE tenant_id = $1 AND number = 1", b.tenant)
		}, []string{"row_deleted seal 1 row 1"}},
		{"an old row of another kind, and its seal written anew", func(b *book) {
			b.age()
			b.tamper("UPDATE workspace.audit_seals SET (row_hash, call_hash) = (SELECT o.row_hash, o.call_hash FROM workspace.audit_seals o WHERE o.tenant_id = $1 AND o.number = 1) WHERE tenant_id = $1 AND number = 2", b.tenant)
			b.tamper("DELETE FROM workspace.audit WHERE tenant_id = $1 AND action <> 'tool.called'", b.tenant)
		}, []string{"seal_broken seal 2 row 2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, db)
			b.note("tool.called", 1)
			b.note("key.issued", 1)
			b.write(0)
			tt.tamper(b)
			b.tamper("DELETE FROM workspace.audit WHERE tenant_id = $1 AND action = 'tool.called'", b.tenant)
			require.Equal(t, tt.want, b.says(b.verify()))
		})
	}
	b := newBook(t, db)
	b.note("tool.called", 1)
	b.write(0)
	b.tamper("UPDATE workspace.audit SET subject = 'another' WHERE tenant_id = $1", b.tenant)
	require.Equal(t, []string{"row_altered seal 1 row 1"}, b.says(b.verify()), "a call that was changed")
}
