package inbox_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inbox"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
	"github.com/quayside/quayside/internal/thread"
)

// stage is a company with a buyer, two who approve and a viewer.
type stage struct {
	t                             *testing.T
	db                            *pgtest.DB
	admin                         *pgx.Conn
	tenant                        pgtest.Tenant
	lines                         *purchase.Service
	threads                       *thread.Service
	box                           *inbox.Service
	buyer, boss, approver, viewer auth.Principal
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	st := &stage{t: t, db: db, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db), lines: purchase.New(db.Cells),
		threads: thread.New(db.Cells)}
	st.box = st.service("")
	st.buyer, st.boss = st.person(auth.Buyer, "Cleo Berg"), st.person(auth.CompanyAdmin, "Ada Lind")
	st.approver, st.viewer = st.person(auth.Approver, "Ben Falk"), st.person(auth.Viewer, "Dana Moor")
	return st
}

// service returns an instance that mails through an SMTP server.
func (st *stage) service(smtp string) *inbox.Service {
	st.t.Helper()
	post, err := mail.New(smtp)
	require.NoError(st.t, err)
	log, metrics := slog.New(slog.DiscardHandler), telemetry.NewMetrics()
	alerts := alert.New(st.db.Cells, registry.New(st.db.Cells), post, log, metrics, "")
	return inbox.New(st.db.Cells, purchase.New(st.db.Cells), alerts, post, log, metrics, "https://quay.example")
}

// person adds a member, whose address begins with their role.
func (st *stage) person(role auth.Role, name string) auth.Principal {
	st.t.Helper()
	id := pgtest.NewUser(st.t, st.admin, string(role)+"@example.com")
	st.exec("UPDATE control.users SET name = $2 WHERE id = $1", id, name)
	st.exec("INSERT INTO control.memberships (tenant_id, user_id, role) VALUES ($1, $2, $3)", st.tenant.ID, id, role)
	return auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Role: role, Person: id,
		Actor: auth.Actor{Type: auth.ByPerson, ID: id.String()}}
}

func (st *stage) exec(sql string, args ...any) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), sql, args...)
	require.NoError(st.t, err)
}

// draft drafts a line of ten at 2.50, in an order of its own or in a given one.
func (st *stage) draft(by auth.Principal, orderNo string) purchase.Line {
	st.t.Helper()
	line := purchase.NewLine{Changes: purchase.Changes{SKU: new("TEA-" + uuid.NewString()), SupplierID: new("sup-1"),
		QuantityOrdered: new("10"), PricePerUnit: new("2.50"), Currency: new("EUR")}}
	if orderNo != "" {
		line.OrderNo = &orderNo
	}
	st.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-1', 'S1', 'Tea House')
		ON CONFLICT DO NOTHING`, st.tenant.ID, st.tenant.Workspace)
	lines, err := st.lines.DraftConfirmed(st.t.Context(), by, []purchase.NewLine{line})
	require.NoError(st.t, err)
	return lines[0]
}

func ref(line purchase.Line) []purchase.Ref {
	return []purchase.Ref{{ID: line.ID, Version: line.Version}}
}

// submit drafts and submits a line.
func (st *stage) submit(by auth.Principal, orderNo string) purchase.Line {
	st.t.Helper()
	lines, err := st.lines.Submit(st.t.Context(), by, ref(st.draft(by, orderNo)))
	require.NoError(st.t, err)
	return lines[0]
}

func (st *stage) sendBack(by auth.Principal, line purchase.Line, reason string) purchase.Line {
	st.t.Helper()
	lines, err := st.lines.SendBack(st.t.Context(), by, ref(line), reason)
	require.NoError(st.t, err)
	return lines[0]
}

func (st *stage) mention(by, who auth.Principal, orderNo, text string) {
	st.t.Helper()
	_, err := st.threads.Add(st.t.Context(), by, orderNo,
		thread.Entry{Kind: thread.Comment, Text: text, Mentions: []uuid.UUID{who.Person}})
	require.NoError(st.t, err)
}

func (st *stage) alert() uuid.UUID {
	st.t.Helper()
	id := uuid.Must(uuid.NewV7())
	st.exec(`INSERT INTO workspace.alerts (tenant_id, id, workspace_id, rule, slug, code, field, message, since, raised_at)
		VALUES ($1, $2, $3, 'new_failures', 'suppliers', 'type', 'lead_time_days', 'expected a number', now(), now())`,
		st.tenant.ID, id, st.tenant.Workspace)
	return id
}

func (st *stage) list(by auth.Principal, kind inbox.Kind) []inbox.Item {
	st.t.Helper()
	items, more, err := st.box.List(st.t.Context(), by, kind, page.Request{Most: 50})
	require.NoError(st.t, err)
	require.False(st.t, more)
	return items
}

// shown describes items: kind, order, and whether it is new.
func shown(items []inbox.Item) (all []string) {
	for _, item := range items {
		state := "new"
		if item.Seen {
			state = "seen"
		}
		all = append(all, fmt.Sprintf("%s %s %s", item.Kind, item.Subject, state))
	}
	return all
}

func (st *stage) count(by auth.Principal) inbox.Count {
	st.t.Helper()
	count, err := st.box.Count(st.t.Context(), by)
	require.NoError(st.t, err)
	return count
}

func (st *stage) mark(by auth.Principal, done bool, items ...inbox.Item) {
	st.t.Helper()
	sights := []inbox.Sight{}
	for _, item := range items {
		sights = append(sights, inbox.Sight{Kind: item.Kind, Subject: item.Subject, At: item.At})
	}
	require.NoError(st.t, st.box.Mark(st.t.Context(), by, sights, done))
}

func TestKinds(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	waits := st.submit(st.buyer, "")
	own := st.submit(st.boss, "") // not for herself
	back := st.sendBack(st.approver, st.submit(st.buyer, ""), "too many")
	st.mention(st.buyer, st.approver, waits.OrderNo, "@Ben Falk please look")
	st.mention(st.approver, st.approver, own.OrderNo, "a note to myself")
	raised := st.alert()

	items := st.list(st.approver, "")
	require.Equal(t, []string{"alert " + raised.String() + " new", "mention " + waits.OrderNo + " new",
		"approval " + own.OrderNo + " new", "approval " + waits.OrderNo + " new"}, shown(items), "the newest first")
	require.Equal(t, "New failed imports in Suppliers", items[0].Alert.Summary())
	require.Contains(t, items[0].Alert.Path, "/failures?")
	require.Equal(t, st.buyer.Actor, items[1].By)
	require.Equal(t, "@Ben Falk please look", items[1].Text)
	require.Equal(t, st.boss.Actor, items[2].By)
	require.EqualValues(t, 1, items[3].Lines)
	require.Equal(t, "25 EUR", items[3].Order.Totals[0].Amount.String()+" "+items[3].Order.Totals[0].Currency)
	require.Equal(t, []string{"Tea House"}, items[3].Order.Suppliers)
	require.WithinDuration(t, time.Now(), items[3].At, time.Minute)
	require.Equal(t, inbox.Count{Unseen: 4, Approvals: 2, UnreadAlerts: 1}, st.count(st.approver))

	require.Equal(t, []string{"approval " + waits.OrderNo + " new"}, shown(st.list(st.boss, inbox.Approval)), "four eyes")
	day, err := st.lines.Day(ctx, st.boss)
	require.NoError(t, err)
	require.Equal(t, day.Pending.Orders, st.count(st.boss).Approvals, "Today has the same number")
	require.Equal(t, []string{"sent_back " + back.OrderNo + " new"}, shown(st.list(st.buyer, inbox.SentBack)))
	sent := st.list(st.buyer, inbox.SentBack)[0]
	require.Equal(t, "too many", sent.Text)
	require.Equal(t, st.approver.Actor, sent.By)
	require.Empty(t, st.list(st.buyer, inbox.Approval))
	require.Len(t, st.list(st.viewer, ""), 1, "the alert")

	// What is no longer so is gone.
	_, err = st.lines.Approve(ctx, st.boss, ref(waits))
	require.NoError(t, err)
	_, err = st.lines.Submit(ctx, st.buyer, ref(back))
	require.NoError(t, err)
	st.exec("UPDATE workspace.alerts SET resolved_at = now() WHERE id = $1", raised)
	st.exec("UPDATE workspace.order_entries SET created_at = now() - interval '31 days' WHERE tenant_id = $1", st.tenant.ID)
	require.Equal(t, []string{"approval " + back.OrderNo + " new", "approval " + own.OrderNo + " new"},
		shown(st.list(st.approver, "")))
	require.Empty(t, st.list(st.buyer, ""))

	for _, program := range []auth.Principal{{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Role: auth.Agent},
		{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Role: auth.Approver, Person: st.approver.Person,
			Token: uuid.New(), Scopes: auth.Scopes()}} {
		_, err := st.box.Count(ctx, program)
		require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
		require.True(t, fault.Is(st.box.Mark(ctx, program, nil, false), fault.Forbidden))
	}
}

func TestSeenAndNews(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	waits := st.submit(st.buyer, "")
	back := st.sendBack(st.approver, st.submit(st.buyer, ""), "too many")
	st.mention(st.buyer, st.approver, waits.OrderNo, "one")
	st.alert()
	seen := st.list(st.approver, "")
	require.Len(t, seen, 3)
	st.mention(st.buyer, st.approver, waits.OrderNo, "two") // after the list was read
	st.mark(st.approver, false, seen...)
	require.Equal(t, []string{"mention " + waits.OrderNo + " new"}, shown(st.list(st.approver, ""))[:1],
		"the second mention was not seen")
	require.EqualValues(t, 1, st.count(st.approver).Unseen)
	require.Zero(t, st.count(st.approver).UnreadAlerts, "the bell knows it too")
	require.EqualValues(t, 1, st.count(st.approver).Approvals, "seen, and still to do")
	require.EqualValues(t, 2, st.count(st.boss).Unseen, "others have seen nothing")

	// More lines are news.
	st.submit(st.buyer, waits.OrderNo)
	approval := st.list(st.approver, inbox.Approval)[0]
	require.False(t, approval.Seen)
	require.EqualValues(t, 2, approval.Lines)

	// Mentions and what was sent back go when they are done, until there is more; approvals and alerts stay.
	all := st.list(st.approver, "")
	require.NoError(t, st.box.MarkAll(t.Context(), st.approver, "", all[0].At, true))
	require.Zero(t, st.count(st.approver).Unseen)
	require.Empty(t, st.list(st.approver, inbox.Mention))
	require.Len(t, st.list(st.approver, inbox.Approval), 1)
	require.Len(t, st.list(st.approver, inbox.Alert), 1)
	st.mention(st.buyer, st.approver, waits.OrderNo, "three")
	require.Equal(t, "three", st.list(st.approver, inbox.Mention)[0].Text)

	st.mark(st.buyer, true, st.list(st.buyer, inbox.SentBack)...)
	require.Empty(t, st.list(st.buyer, inbox.SentBack))
	lines, err := st.lines.Submit(t.Context(), st.buyer, ref(back))
	require.NoError(t, err)
	st.sendBack(st.approver, lines[0], "still too many")
	require.Equal(t, "still too many", st.list(st.buyer, inbox.SentBack)[0].Text)

	// A moment in the future hides nothing that comes later.
	future := st.list(st.buyer, inbox.SentBack)[0]
	future.At = time.Now().Add(time.Hour)
	st.mark(st.buyer, true, future)
	st.mention(st.approver, st.buyer, back.OrderNo, "four")
	mentioned := st.list(st.buyer, inbox.Mention)
	mentioned[0].At = time.Now().Add(time.Hour)
	st.mark(st.buyer, true, mentioned[0])
	st.mention(st.approver, st.buyer, back.OrderNo, "five")
	require.Equal(t, "five", st.list(st.buyer, inbox.Mention)[0].Text)
}

// TestSightsOnlyGrow checks that who marks an item once more as it was earlier has still seen what came since.
func TestSightsOnlyGrow(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	waits := st.submit(st.buyer, "")
	st.mention(st.buyer, st.approver, waits.OrderNo, "one")
	early := st.list(st.approver, inbox.Mention)
	st.mention(st.buyer, st.approver, waits.OrderNo, "two")
	late := st.list(st.approver, inbox.Mention)
	st.mark(st.approver, false, late...)
	st.mark(st.approver, false, early...) // from another tab
	require.Equal(t, []string{"mention " + waits.OrderNo + " seen"}, shown(st.list(st.approver, inbox.Mention)))
	st.mark(st.approver, true, late...)
	st.mark(st.approver, true, early...)
	require.Empty(t, st.list(st.approver, inbox.Mention))
}

// TestPages checks that pages have every item once, also those that came at the same moment.
func TestPages(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for n := range 7 {
		line := st.draft(st.buyer, fmt.Sprintf("P-%d", n))
		st.mention(st.buyer, st.viewer, line.OrderNo, "look")
	}
	st.exec("UPDATE workspace.order_entries SET created_at = date_trunc('minute', now()) WHERE tenant_id = $1", st.tenant.ID)
	got, want := map[string]int{}, page.Request{Most: 3}
	for pages := 1; ; pages++ {
		items, more, err := st.box.List(t.Context(), st.viewer, "", want)
		require.NoError(t, err)
		for _, item := range items {
			got[item.Subject]++
		}
		if !more {
			require.Equal(t, 3, pages)
			break
		}
		want.After = items[len(items)-1].ID
	}
	require.Len(t, got, 7)
	for _, times := range got {
		require.Equal(t, 1, times)
	}
}

// TestOneCompany checks that nothing of a company or workspace reaches another.
func TestOneCompany(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	waits := st.submit(st.buyer, "")
	st.mention(st.buyer, st.approver, waits.OrderNo, "look")
	st.alert()
	elsewhere := st.approver
	elsewhere.Workspace = uuid.New()
	require.Empty(t, st.list(elsewhere, ""))
	stranger := st.approver
	other := pgtest.NewTenant(t, st.db)
	stranger.Tenant, stranger.Workspace = other.ID, other.Workspace
	require.Empty(t, st.list(stranger, ""))
}
