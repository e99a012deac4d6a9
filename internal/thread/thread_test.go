package thread_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/thread"
)

// company is a company with one order, PO-1, and a member.
type company struct {
	pgtest.Tenant
	member uuid.UUID
}

type stage struct {
	t     *testing.T
	db    *pgtest.DB
	admin *pgx.Conn
	log   *thread.Service
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	return &stage{t: t, db: db, admin: db.Admin(t), log: thread.New(db.Cells)}
}

func (st *stage) company() company {
	st.t.Helper()
	c := company{Tenant: pgtest.NewTenant(st.t, st.db)}
	c.member = pgtest.NewUser(st.t, st.admin, uuid.NewString()+"@example.com")
	st.exec("INSERT INTO control.memberships (tenant_id, user_id, role) VALUES ($1, $2, 'buyer')", c.ID, c.member)
	st.order(c, "PO-1")
	return c
}

func (st *stage) order(c company, number string) {
	st.t.Helper()
	st.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, status)
		VALUES ($1, $2, gen_random_uuid()::text, $3, 'TEA', 10, 'ordered')`, c.ID, c.Workspace, number)
}

func (st *stage) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), sql, args...)
	require.NoError(st.t, err)
}

func (c company) by(role auth.Role) auth.Principal {
	by := auth.Principal{Tenant: c.ID, Workspace: c.Workspace, Role: role, Person: c.member,
		Actor: auth.Actor{Type: auth.ByPerson, ID: c.member.String()}}
	if role == auth.Agent {
		by.Person, by.Actor = uuid.Nil, auth.Actor{Type: auth.ByAgent, ID: uuid.NewString()}
	}
	return by
}

func TestAdd(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ours, theirs := st.company(), st.company()
	st.order(theirs, "PO-2")
	second := ours
	second.Workspace = uuid.Must(uuid.NewV7())
	st.exec("INSERT INTO control.workspaces (tenant_id, id, name, time_zone) VALUES ($1, $2, 'Second', 'UTC')", ours.ID, second.Workspace)
	said := func(text string, mentions ...uuid.UUID) thread.Entry {
		return thread.Entry{Kind: thread.Comment, Text: text, Mentions: mentions}
	}
	for _, tt := range []struct {
		name  string
		by    auth.Principal
		order string
		entry thread.Entry
		code  string
	}{
		{"a buyer comments", ours.by(auth.Buyer), "PO-1", said("where is it?"), ""},
		{"an approver comments", ours.by(auth.Approver), "PO-1", said("soon?"), ""},
		{"an agent comments", ours.by(auth.Agent), "PO-1", said("late by 12 days"), ""},
		{"a viewer only reads", ours.by(auth.Viewer), "PO-1", said("hm"), "forbidden"},
		{"a colleague is mentioned", ours.by(auth.Buyer), "PO-1", said("look", ours.member, ours.member), ""},
		{"a stranger is not", ours.by(auth.Buyer), "PO-1", said("look", ours.member, theirs.member), "unknown_member"},
		{"their order", ours.by(auth.Buyer), "PO-2", said("hm"), "unknown_order"},
		{"another workspace's order", second.by(auth.Buyer), "PO-1", said("hm"), "unknown_order"},
		{"nothing said", ours.by(auth.Buyer), "PO-1", said(" \n"), "text"},
		{"too much said", ours.by(auth.Buyer), "PO-1", said(strings.Repeat("ä", 2001)), "text"},
		{"the longest", ours.by(auth.Buyer), "PO-1", said(strings.Repeat("ä", 2000)), ""},
		{"an unknown kind", ours.by(auth.Buyer), "PO-1", thread.Entry{Kind: "smoke", Text: "hm"}, "kind"},
	} {
		_, err := st.log.Add(t.Context(), tt.by, tt.order, tt.entry)
		if tt.code == "" {
			require.NoError(t, err, tt.name)
			continue
		}
		var refusal *fault.Error
		require.ErrorAs(t, err, &refusal, tt.name)
		require.Equal(t, tt.code, refusal.Code, tt.name)
	}
	entries, _, err := st.log.List(t.Context(), ours.by(auth.Viewer), "PO-1", page.All)
	require.NoError(t, err)
	require.Len(t, entries, 5)
	require.Equal(t, []uuid.UUID{ours.member}, entries[1].Mentions)
	require.Equal(t, auth.ByAgent, entries[2].By.Type)
	var audited int
	require.NoError(t, st.admin.QueryRow(t.Context(), `SELECT count(*) FROM workspace.audit
		WHERE tenant_id = $1 AND action = 'purchase_order.commented' AND subject = 'PO-1'`, ours.ID).Scan(&audited))
	require.Equal(t, len(entries), audited, "every entry, and no refusal")

	none, _, err := st.log.List(t.Context(), theirs.by(auth.CompanyAdmin), "PO-1", page.All)
	require.NoError(t, err)
	require.Empty(t, none, "their order of the same number")
}

// TestAnOrderWithoutLines checks that an order whose lines moved to another one has no log any more.
func TestAnOrderWithoutLines(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ours := st.company()
	st.exec("UPDATE workspace.purchase_order_lines SET order_no = 'PO-9' WHERE tenant_id = $1", ours.ID)
	for order, code := range map[string]string{"PO-1": "unknown_order", "PO-9": ""} {
		_, err := st.log.Add(t.Context(), ours.by(auth.Buyer), order, thread.Entry{Kind: thread.Comment, Text: "where is it?"})
		require.Equal(t, code != "", fault.HasCode(err, code), "%s: %v", order, err)
	}
}

func TestListAndLatest(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ours, theirs := st.company(), st.company()
	st.order(ours, "PO-2")
	st.order(ours, "PO-3")
	ctx, buyer := t.Context(), ours.by(auth.Buyer)
	add := func(by auth.Principal, order string, kind thread.Kind, text string) {
		_, err := st.log.Add(ctx, by, order, thread.Entry{Kind: kind, Text: text})
		require.NoError(t, err)
	}
	add(buyer, "PO-1", thread.Comment, "one")
	add(buyer, "PO-1", thread.Reminder, "two")
	add(buyer, "PO-1", thread.Call, "three")
	add(buyer, "PO-2", thread.Reminder, "four")
	add(theirs.by(auth.Buyer), "PO-1", thread.Call, "theirs")

	first, more, err := st.log.List(ctx, buyer, "PO-1", page.Request{Most: 2})
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, []string{"three", "two"}, []string{first[0].Text, first[1].Text})
	rest, more, err := st.log.List(ctx, buyer, "PO-1", page.Request{Most: 2, After: first[1].ID})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, "one", rest[0].Text)
	_, _, err = st.log.List(ctx, buyer, "PO-9", page.All)
	require.True(t, fault.Is(err, fault.NotFound))

	latest, err := st.log.Latest(ctx, ours.by(auth.Viewer), []string{"PO-1", "PO-2", "PO-2", "PO-3", "PO-9"})
	require.NoError(t, err)
	texts := map[string]string{}
	for _, entry := range latest {
		texts[entry.OrderNo] = string(entry.Kind) + " " + entry.Text
	}
	require.Len(t, latest, 2)
	require.Equal(t, map[string]string{"PO-1": "call three", "PO-2": "reminder four"}, texts)
}

// TestEntriesStay checks that the service's role can neither change nor delete an entry.
func TestEntriesStay(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ours := st.company()
	_, err := st.log.Add(t.Context(), ours.by(auth.Buyer), "PO-1", thread.Entry{Kind: thread.Call, Text: "Monday"})
	require.NoError(t, err)
	for _, sql := range []string{"UPDATE workspace.order_entries SET text = 'Friday'", "DELETE FROM workspace.order_entries"} {
		err := st.db.InTenant(t.Context(), ours.ID, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), sql)
			return err
		})
		require.ErrorContains(t, err, "permission denied", sql)
	}
}
