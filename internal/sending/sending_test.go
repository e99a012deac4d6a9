//race:detect mails are sent at the same time
package sending_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/mail/mailtest"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/sending"
)

// desk is a workspace with an order of two lines, and two instances of the service that share it.
type desk struct {
	t      *testing.T
	cells  *pg.Cells
	admin  *pgx.Conn
	tenant pgtest.Tenant
	box    *mailtest.Postbox
	by     auth.Principal
	lines  *purchase.Service
	one    *sending.Service
	two    *sending.Service
	limits sending.Limits
	log    *bytes.Buffer
}

var order = purchase.Print{OrderNo: "PO-1"}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return newDeskWithin(t, sending.Limits{})
}

// newDeskWithin is newDesk with limits of its own.
func newDeskWithin(t *testing.T, limits sending.Limits) *desk {
	t.Helper()
	db := pgtest.New(t)
	d := &desk{t: t, cells: db.Cells, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db), box: mailtest.New(t), lines: purchase.New(db.Cells),
		limits: limits, log: &bytes.Buffer{}}
	post, err := mail.New(d.box.URL)
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(d.log, nil))
	d.one, d.two = sending.New(db.Cells, d.lines, post, d.limits, log), sending.New(db.Cells, purchase.New(db.Cells), post, d.limits, log)
	person := pgtest.NewUser(t, d.admin, "ada@harbour.example")
	d.by = auth.Principal{Tenant: d.tenant.ID, Workspace: d.tenant.Workspace, Role: auth.Buyer, Person: person,
		Actor: auth.Actor{Type: auth.ByPerson, ID: person.String()}}
	d.exec("INSERT INTO control.memberships (tenant_id, user_id, role) VALUES ($1, $2, 'buyer')", d.tenant.ID, person)
	d.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name, email, contact_name, language)
		VALUES ($1, $2, 'sup-1', 'S1', 'Tea House', 'orders@tea.example', 'Frau Berg', 'de')`, d.tenant.ID, d.tenant.Workspace)
	for _, sku := range []string{"TEA", "CUP"} {
		d.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered,
			price_per_unit, currency, supplier_id, supplier_name, product_name) VALUES ($1, $2, $3, 'PO-1', $3, 'ordered', 2, 1.5, 'EUR', 'sup-1', 'Tea House', $3)`,
			d.tenant.ID, d.tenant.Workspace, sku)
	}
	return d
}

// member makes somebody a member of the company.
func (d *desk) member(email, role string) uuid.UUID {
	d.t.Helper()
	person := pgtest.NewUser(d.t, d.admin, email)
	d.exec("INSERT INTO control.memberships (tenant_id, user_id, role) VALUES ($1, $2, $3)", d.tenant.ID, person, role)
	return person
}

func (d *desk) exec(sql string, args ...any) {
	d.t.Helper()
	_, err := d.admin.Exec(d.t.Context(), sql, args...)
	require.NoError(d.t, err)
}

func (d *desk) draft() sending.Draft {
	d.t.Helper()
	draft, err := d.one.Draft(d.t.Context(), d.by, order, time.Now())
	require.NoError(d.t, err)
	return draft
}

// letter answers a draft as a person would who changes nothing.
func letter(draft sending.Draft) sending.Letter {
	letter := sending.Letter{Key: uuid.New(), Digest: draft.Digest, To: draft.To, Subject: draft.Subject, Text: draft.Text}
	if draft.Last != nil {
		letter.After = draft.Last.ID
	}
	return letter
}

func (d *desk) send(letter sending.Letter) sending.Mail {
	d.t.Helper()
	sent, err := d.one.Send(d.t.Context(), d.by, order, letter, time.Now())
	require.NoError(d.t, err)
	return sent
}

func (d *desk) deliver(sent sending.Mail) time.Duration {
	d.t.Helper()
	pause, err := d.two.Deliver(d.t.Context(), sending.Job{Tenant: d.tenant.ID, Mail: sent.ID})
	require.NoError(d.t, err)
	return pause
}

func TestAnOrderReachesItsSupplier(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec("UPDATE control.workspaces SET order_contact = 'Grace Hopper', order_email = 'buy@harbour.example' WHERE tenant_id = $1", d.tenant.ID)
	draft := d.draft()
	require.Equal(t, []string{"orders@tea.example"}, draft.To)
	require.Equal(t, "Bestellung PO-1", draft.Subject)
	require.Equal(t, "Guten Tag Frau Berg,\n\nanbei erhalten Sie unsere Bestellung PO-1.\n"+
		"Bitte bestätigen Sie uns Preise, Mengen und Liefertermine.\n\nMit freundlichen Grüßen\nGrace Hopper\nTest", draft.Text)
	require.Nil(t, draft.Last)
	d.member("boss@harbour.example", "viewer")
	wanted := letter(draft)
	wanted.Cc = []string{"boss@harbour.example", "Orders@tea.example"}
	sent := d.send(wanted)
	require.Equal(t, sending.Queued, sent.State)
	require.Empty(t, d.box.Mails, "the request does not wait for the mail server")
	require.Zero(t, d.deliver(sent))

	got := d.box.Next(t)
	require.Equal(t, []string{"orders@tea.example", "boss@harbour.example"}, got.All)
	require.Equal(t, "<buy@harbour.example>", got.Header.Get("Reply-To"))
	name, pdf, err := d.one.Document(t.Context(), d.by, "PO-1", sent.ID)
	require.NoError(t, err)
	require.Equal(t, "PO-1.pdf", name)
	require.Equal(t, map[string]string{"PO-1.pdf": string(pdf)}, got.Attached, "what is kept is what the supplier got")

	moments, _, err := d.lines.OrderTimeline(t.Context(), d.by, "PO-1", page.All)
	require.NoError(t, err)
	require.Equal(t, "sent", moments[0].What)
	require.Equal(t, draft.Text, moments[0].Text)
	require.JSONEq(t, `{"state": "sent", "reason": "", "to": ["orders@tea.example"], "cc": ["boss@harbour.example"],
		"subject": "Bestellung PO-1", "supplier": "Tea House", "lines": 2}`, string(moments[0].Data))
	var audited string
	require.NoError(t, d.admin.QueryRow(t.Context(), `SELECT data::text FROM workspace.audit
		WHERE tenant_id = $1 AND action = 'purchase_order.sent' AND subject = 'PO-1'`, d.tenant.ID).Scan(&audited))
	require.NotContains(t, audited, "Guten Tag")

	again := d.draft()
	require.Equal(t, sending.Sent, again.Last.State)
	require.Zero(t, again.Changed)
	d.exec("UPDATE workspace.purchase_order_lines SET quantity_ordered = 5 WHERE tenant_id = $1 AND sku = 'TEA'", d.tenant.ID)
	d.exec("UPDATE workspace.purchase_order_lines SET status = 'cancelled' WHERE tenant_id = $1 AND sku = 'CUP'", d.tenant.ID)
	require.Equal(t, 2, d.draft().Changed)
	_, old, err := d.one.Document(t.Context(), d.by, "PO-1", sent.ID)
	require.NoError(t, err)
	require.Equal(t, pdf, old)
}

// TestOnePressIsOneMail presses many times, in two tabs, against two instances, whose jobs all run twice.
func TestOnePressIsOneMail(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	draft := d.draft()
	first, second := letter(draft), letter(draft) // two tabs
	var (
		working sync.WaitGroup
		mu      sync.Mutex
		mails   = map[uuid.UUID]bool{}
		refused int
	)
	for i := range 12 {
		working.Go(func() {
			service, wanted := []*sending.Service{d.one, d.two}[i%2], []sending.Letter{first, second}[i/2%2]
			sent, err := service.Send(t.Context(), d.by, order, wanted, time.Now())
			if err == nil {
				for range 2 {
					if _, failed := service.Deliver(t.Context(), sending.Job{Tenant: d.tenant.ID, Mail: sent.ID}); failed != nil {
						t.Error(failed)
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				mails[sent.ID] = true
			case fault.HasCode(err, "already_sent"):
				refused++
			default:
				t.Error(err)
			}
		})
	}
	working.Wait()
	require.Len(t, mails, 1)
	require.Equal(t, 6, refused, "the other tab is told each time")
	d.box.Next(t)
	require.Empty(t, d.box.Mails)
	var jobs int
	require.NoError(t, d.admin.QueryRow(t.Context(), "SELECT count(*) FROM river.river_job WHERE kind = 'order_mail'").Scan(&jobs))
	require.Equal(t, 1, jobs)
}

// TestTheKeyOfALetter sends letters a second time with their keys. One that was stored is found, whatever has
// become of the order since; a refusal is not kept, so that the letter goes out once nothing speaks against it.
func TestTheKeyOfALetter(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	again := func(wanted sending.Letter) (sending.Mail, error) {
		return d.two.Send(t.Context(), d.by, order, wanted, time.Now())
	}
	first := letter(d.draft())
	sent := d.send(first)
	d.exec("UPDATE workspace.purchase_order_lines SET quantity_ordered = 5 WHERE tenant_id = $1 AND sku = 'TEA'", d.tenant.ID)
	d.exec("UPDATE workspace.purchase_order_lines SET status = 'pending_approval' WHERE tenant_id = $1 AND sku = 'CUP'", d.tenant.ID)
	found, err := again(first)
	require.NoError(t, err, "the answer was lost, and the order was changed since")
	require.Equal(t, sent.ID, found.ID)

	second := letter(d.draft())
	_, err = again(second)
	require.True(t, fault.HasCode(err, "not_approved"), "%v", err)
	d.exec("UPDATE workspace.purchase_order_lines SET status = 'ordered' WHERE tenant_id = $1", d.tenant.ID)
	later, err := again(second)
	require.NoError(t, err, "the same letter, once all lines are approved")
	require.NotEqual(t, sent.ID, later.ID)
	found, err = again(first)
	require.NoError(t, err)
	require.Equal(t, sent.ID, found.ID, "each key has its own mail")

	third := letter(d.draft())
	d.exec("UPDATE workspace.purchase_order_lines SET quantity_ordered = 6 WHERE tenant_id = $1 AND sku = 'TEA'", d.tenant.ID)
	_, err = again(third)
	require.True(t, fault.HasCode(err, "order_changed"), "%v", err)
	d.exec("UPDATE workspace.purchase_order_lines SET quantity_ordered = 5 WHERE tenant_id = $1 AND sku = 'TEA'", d.tenant.ID)
	_, err = again(third)
	require.NoError(t, err, "the order is again what the writer saw")
	var mails int
	require.NoError(t, d.admin.QueryRow(t.Context(), "SELECT count(*) FROM workspace.order_mails").Scan(&mails))
	require.Equal(t, 3, mails)
}

// TestFailedAndPerhapsSent refuses a mail, breaks off after one, and loses the process that sends one.
func TestFailedAndPerhapsSent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.box.Refuse(func(string) bool { return true })
	sent := d.send(letter(d.draft()))
	require.Zero(t, d.deliver(sent))
	last := d.draft()
	require.Equal(t, sending.Failed, last.Last.State)
	require.Equal(t, "The mail server refused it: 550 5.1.1 <orders@tea.example> is not known here", last.Last.Reason)
	require.NotContains(t, d.log.String(), "tea.example", "addresses are not logged")
	require.NotContains(t, d.log.String(), "Guten Tag")

	d.box.Refuse(func(string) bool { return false })
	d.box.Mute(true)
	sent = d.send(letter(last))
	require.Zero(t, d.deliver(sent))
	d.box.Next(t)
	require.Equal(t, sending.Unknown, d.draft().Last.State)
	require.Zero(t, d.deliver(sent))
	require.Empty(t, d.box.Mails, "what may have been sent is never sent again by itself")

	d.box.Mute(false)
	sent = d.send(letter(d.draft()))
	d.exec("UPDATE workspace.order_mails SET state = 'sending' WHERE tenant_id = $1 AND id = $2", d.tenant.ID, sent.ID)
	require.Positive(t, d.deliver(sent), "another instance may still be at it")
	d.exec("UPDATE workspace.order_mails SET changed_at = now() - interval '2 minutes' WHERE tenant_id = $1", d.tenant.ID)
	require.Zero(t, d.deliver(sent))
	require.Equal(t, sending.Unknown, d.draft().Last.State)
	require.Empty(t, d.box.Mails)

	sent = d.send(letter(d.draft()))
	require.Zero(t, d.deliver(sent))
	d.box.Next(t)
	require.Equal(t, sending.Sent, d.draft().Last.State)
}

// TestChangedSinceWhatArrived checks that changes are counted since the last mail that the supplier may have got.
func TestChangedSinceWhatArrived(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	require.Zero(t, d.deliver(d.send(letter(d.draft()))))
	d.box.Next(t)
	d.exec("UPDATE workspace.purchase_order_lines SET quantity_ordered = 5 WHERE tenant_id = $1 AND sku = 'TEA'", d.tenant.ID)
	require.Equal(t, 1, d.draft().Changed)
	d.box.Refuse(func(string) bool { return true })
	require.Zero(t, d.deliver(d.send(letter(d.draft()))))
	require.Equal(t, sending.Failed, d.draft().Last.State)
	require.Equal(t, 1, d.draft().Changed, "nobody has told the supplier yet")
}

// TestAnUnreachedServerIsTriedAgain has no mail server listening.
func TestAnUnreachedServerIsTriedAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	sent := d.send(letter(d.draft()))
	away, err := mail.New("smtp://127.0.0.1:1?from=quayside@example.com&tls=none")
	require.NoError(t, err)
	service := sending.New(d.cells, d.lines, away, sending.Limits{}, slog.New(slog.DiscardHandler))
	for try := range 4 {
		pause, err := service.Deliver(t.Context(), sending.Job{Tenant: d.tenant.ID, Mail: sent.ID})
		require.NoError(t, err)
		last := d.draft().Last
		require.Equal(t, "The mail server cannot be reached.", last.Reason)
		if try < 3 {
			require.Positive(t, pause)
			require.Equal(t, sending.Queued, last.State)
		} else {
			require.Zero(t, pause)
			require.Equal(t, sending.Failed, last.State)
		}
	}
}

func TestSendingRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	draft := d.draft()
	eleven := []string{}
	for i := range 11 {
		eleven = append(eleven, fmt.Sprintf("a%d@tea.example", i))
	}
	for name, tt := range map[string]struct {
		change func(*sending.Letter)
		code   string
	}{
		"no key":                  {func(l *sending.Letter) { l.Key = uuid.Nil }, "key"},
		"nobody":                  {func(l *sending.Letter) { l.To = nil }, "required"},
		"a second receiver":       {func(l *sending.Letter) { l.To = []string{"a@tea.example\r\nBcc: eve@evil.example"} }, "address"},
		"a name":                  {func(l *sending.Letter) { l.Cc = []string{"\"a\r\nBcc: e@evil.example\" <a@tea.example>"} }, "address"},
		"many":                    {func(l *sending.Letter) { l.To = eleven }, "receivers"},
		"many with copies":        {func(l *sending.Letter) { l.To, l.Cc = eleven[:5], eleven[5:] }, "receivers"},
		"a header in the subject": {func(l *sending.Letter) { l.Subject = "Hi\r\nBcc: eve@evil.example" }, "text"},
		"no subject":              {func(l *sending.Letter) { l.Subject = " " }, "text"},
		"control":                 {func(l *sending.Letter) { l.Text = "a\x07b" }, "text"},
		"long":                    {func(l *sending.Letter) { l.Text = strings.Repeat("a", 2001) }, "text"},
		"another order was seen":  {func(l *sending.Letter) { l.Digest = "x" }, "order_changed"},
		"another mail was seen":   {func(l *sending.Letter) { l.After = uuid.New() }, "already_sent"},
	} {
		t.Run(name, func(t *testing.T) {
			wanted := letter(draft)
			tt.change(&wanted)
			_, err := d.one.Send(t.Context(), d.by, order, wanted, time.Now())
			require.True(t, fault.HasCode(err, tt.code), "%v", err)
		})
	}
	viewer := d.by
	viewer.Role = auth.Viewer
	_, err := d.one.Send(t.Context(), viewer, order, letter(draft), time.Now())
	require.True(t, fault.Is(err, fault.Forbidden))

	d.exec("UPDATE workspace.purchase_order_lines SET status = 'pending_approval' WHERE tenant_id = $1 AND sku = 'TEA'", d.tenant.ID)
	_, err = d.one.Send(t.Context(), d.by, order, letter(d.draft()), time.Now())
	require.True(t, fault.HasCode(err, "not_approved"), "%v", err)
	require.Empty(t, d.box.Mails)
}

// TestByHand keeps what somebody sends with their own program, with or without a mail server.
func TestByHand(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	none, err := mail.New("")
	require.NoError(t, err)
	service := sending.New(d.cells, d.lines, none, sending.Limits{}, slog.New(slog.DiscardHandler))
	draft, err := service.Draft(t.Context(), d.by, order, time.Now())
	require.NoError(t, err)
	require.False(t, draft.CanMail)
	wanted := letter(draft)
	_, err = service.Send(t.Context(), d.by, order, wanted, time.Now())
	require.True(t, fault.HasCode(err, "no_mail_server"), "%v", err)
	wanted.ByHand, wanted.To = true, nil
	sent, err := service.Send(t.Context(), d.by, order, wanted, time.Now())
	require.NoError(t, err)
	require.Equal(t, sending.ByHand, sent.State)
	require.Zero(t, d.deliver(sent))
	require.Empty(t, d.box.Mails)
	require.Equal(t, sending.ByHand, d.draft().Last.State)

	queued := d.send(letter(d.draft()))
	pause, err := service.Deliver(t.Context(), sending.Job{Tenant: d.tenant.ID, Mail: queued.ID})
	require.NoError(t, err)
	require.Zero(t, pause)
	require.Equal(t, "No mail server is configured any more.", d.draft().Last.Reason)
}
