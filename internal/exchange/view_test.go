package exchange_test

import (
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/vault"
)

// desk is where people look at the exchange. Orders come into it as in the service: a trigger puts them there when
// they are drafted. What a sync would write is inserted.
type desk struct {
	*exchange.Service
	t           *testing.T
	admin       *pgx.Conn
	lines       *purchase.Service
	boss, buyer auth.Principal
	connection  uuid.UUID
	db          *pgtest.DB
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	somebody := func(role auth.Role) auth.Principal {
		person := uuid.New()
		return auth.Principal{Tenant: tenant.ID, Workspace: tenant.Workspace, Role: role, Person: person,
			Actor: auth.Actor{Type: auth.ByPerson, ID: person.String()}}
	}
	d := &desk{t: t, db: db, admin: db.Admin(t), lines: purchase.New(db.Cells), boss: somebody(auth.CompanyAdmin),
		buyer: somebody(auth.Buyer)}
	keys, err := vault.ParseKeys("test:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	require.NoError(t, err)
	outside := outbound.New(outbound.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(outside.Close)
	log := slog.New(slog.DiscardHandler)
	connections := connection.New(db.Cells, vault.New(db.Cells, keys), outside,
		map[connection.System]connection.Prober{connection.Katana: unasked{}}, log)
	d.Service = exchange.New(db.Cells, d.lines, connections, nil, log, exchange.Config{})
	made, err := connections.Create(t.Context(), d.boss, connection.Katana, connection.Settings{Name: "Katana",
		Address: "http://127.0.0.1:1", MayExport: true, Location: "1", CallsPerMinute: 30}, "token")
	require.NoError(t, err)
	d.connection = made.ID
	d.exec("UPDATE workspace.connections SET state = 'active' WHERE id = $1", made.ID)
	return d
}

// unasked is a system that nobody tests.
type unasked struct{ connection.Prober }

func (d *desk) exec(sql string, args ...any) {
	d.t.Helper()
	_, err := d.admin.Exec(d.t.Context(), sql, args...)
	require.NoError(d.t, err)
}

// order drafts an order of one line and returns the line.
func (d *desk) order(number string) purchase.Line {
	d.t.Helper()
	text := func(s string) *string { return &s }
	lines, err := d.lines.DraftConfirmed(d.t.Context(), d.buyer, []purchase.NewLine{{Changes: purchase.Changes{
		OrderNo: &number, SKU: text("TEA"), QuantityOrdered: text("10"), PricePerUnit: text("2"), Currency: text("EUR")}}})
	require.NoError(d.t, err)
	return lines[0]
}

// ask opens a conflict about a line, as a sync does.
func (d *desk) ask(line purchase.Line, field inventory.Field, reason inventory.Reason, base, ours, theirs string,
	choices ...string) exchange.Answer {
	d.t.Helper()
	id := uuid.Must(uuid.NewV7())
	d.exec("UPDATE workspace.exchange_orders SET state = 'conflict' WHERE order_no = $1 AND state <> 'paused'", line.OrderNo)
	d.exec(`INSERT INTO workspace.exchange_conflicts (tenant_id, id, connection_id, workspace_id, order_no, line_id, field, reason, base, ours,
		theirs, choices) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`, d.boss.Tenant, id, d.connection, d.boss.Workspace,
		line.OrderNo, line.ID, field, reason, base, ours, theirs, choices)
	return exchange.Answer{Conflict: id, Take: inventory.Ours, Ours: ours, Theirs: theirs}
}

// stand returns the state of the exchange of PO-1, and how often it was asked for.
func (d *desk) stand() (state exchange.State, asked int64) {
	d.t.Helper()
	require.NoError(d.t, d.admin.QueryRow(d.t.Context(),
		"SELECT state, asked FROM workspace.exchange_orders WHERE order_no = 'PO-1'").Scan(&state, &asked))
	return state, asked
}

// told returns the newest entry of the audit.
func (d *desk) told() audit.Entry {
	d.t.Helper()
	entries, _, err := audit.New(d.db.Cells, slog.New(slog.DiscardHandler)).List(d.t.Context(), d.boss, audit.Filter{},
		page.Request{Most: 1})
	require.NoError(d.t, err)
	return entries[0]
}

func requireDenied(t *testing.T, err error, code string) {
	t.Helper()
	require.True(t, fault.HasCode(err, code), "%v", err)
}

// TestProgress checks the figures of a connection, its list of orders in pages, and an order's attempts.
func TestProgress(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	empty, err := d.Progress(ctx, d.boss, d.connection)
	require.NoError(t, err)
	require.Nil(t, empty.FirstDue)
	require.Nil(t, empty.LastSynced)
	for n := range 5 {
		d.order(fmt.Sprintf("PO-%d", n))
	}
	d.exec(`UPDATE workspace.exchange_orders SET state = 'synced', synced_at = '2026-11-18 10:00Z', external_id = '77',
		notices = '{receipt_replaced}' WHERE order_no = 'PO-1'`)
	d.exec(`UPDATE workspace.exchange_orders SET state = 'failed', failures = 3, code = 'inventory_refused', message = 'it refuses this'
		WHERE order_no IN ('PO-2', 'PO-3')`)
	d.exec(`INSERT INTO workspace.exchange_cursors (tenant_id, connection_id, workspace_id, since, reached, polled_at, message, reconcile)
		VALUES ($1, $2, $3, now(), now(), '2026-11-18 11:00Z', 'no answer', '{"orders": 5}')`, d.boss.Tenant, d.connection, d.boss.Workspace)

	got, err := d.Progress(ctx, d.boss, d.connection)
	require.NoError(t, err)
	require.Equal(t, map[exchange.State]int64{exchange.Waiting: 2, exchange.Synced: 1, exchange.Failed: 2}, got.Orders)
	require.WithinDuration(t, time.Now(), *got.FirstDue, time.Minute)
	require.Equal(t, "2026-11-18T10:00:00Z", got.LastSynced.UTC().Format(time.RFC3339))
	require.Equal(t, "no answer", got.PollMessage)
	require.JSONEq(t, `{"orders": 5}`, string(got.Reconcile))
	require.EqualValues(t, 30, got.CallsPerMinute)

	numbers := []string{}
	for filter, more := (exchange.OrderFilter{}), true; more; {
		var orders []exchange.Exchanged
		orders, more, err = d.Orders(ctx, d.boss, d.connection, filter, 2)
		require.NoError(t, err)
		for _, order := range orders {
			numbers = append(numbers, order.Number)
			filter.Before = order.Number
		}
	}
	require.Equal(t, []string{"PO-4", "PO-3", "PO-2", "PO-1", "PO-0"}, numbers)
	synced, _, err := d.Orders(ctx, d.boss, d.connection, exchange.OrderFilter{State: exchange.Synced}, 10)
	require.NoError(t, err)
	require.Len(t, synced, 1)
	require.Equal(t, "77", synced[0].External)
	require.Equal(t, "Both sides booked a receipt. The one in Katana counts.",
		exchange.NoticeWords(synced[0].Notices[0], synced[0].Name))

	for n := range 3 {
		d.exec(`INSERT INTO workspace.exchange_attempts (tenant_id, id, connection_id, order_no, version, outcome, here, there, took)
			VALUES ($1, $2, $3, 'PO-1', $4, 'synced', '{"TEA: receipts"}', '{}', '1.5 s')`, d.boss.Tenant, uuid.Must(uuid.NewV7()), d.connection, n)
	}
	first, more, err := d.Attempts(ctx, d.boss, d.connection, "PO-1", page.Request{Most: 2})
	require.NoError(t, err)
	require.True(t, more)
	require.EqualValues(t, 2, first[0].Version, "the newest first")
	require.Equal(t, []string{"TEA: receipts"}, first[0].Here)
	require.Equal(t, 1500*time.Millisecond, first[0].Took)
	rest, more, err := d.Attempts(ctx, d.boss, d.connection, "PO-1", page.Request{After: first[1].ID, Most: 2})
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, rest, 1)
	_, _, err = d.Attempts(ctx, d.boss, d.connection, "PO-9", page.Request{Most: 2})
	requireDenied(t, err, "unknown_exchange")
	_, err = d.Progress(ctx, d.buyer, d.connection)
	requireDenied(t, err, "forbidden")
	elsewhere := d.boss
	elsewhere.Workspace = uuid.New()
	_, _, err = d.Orders(ctx, elsewhere, d.connection, exchange.OrderFilter{}, 2)
	requireDenied(t, err, "unknown_connection")
}

// TestPauseResumeRetry checks what a person does to the exchange of orders, and what the audit says of it.
func TestPauseResumeRetry(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	line := d.order("PO-1")
	paused, err := d.PauseOrder(ctx, d.boss, d.connection, "PO-1")
	require.NoError(t, err)
	require.Equal(t, exchange.Paused, paused.State)
	require.Equal(t, d.boss.Actor, *paused.PausedBy)
	require.EqualValues(t, "exchange_order.paused", d.told().Action)
	require.Equal(t, map[string]any{"order_no": "PO-1", "name": "Katana"}, d.told().Data)
	for _, do := range []func() (exchange.Exchanged, error){
		func() (exchange.Exchanged, error) { return d.PauseOrder(ctx, d.boss, d.connection, "PO-1") },
		func() (exchange.Exchanged, error) { return d.RetryOrder(ctx, d.boss, d.connection, "PO-1") },
	} {
		_, err = do()
		requireDenied(t, err, "exchange_paused")
	}
	answer := d.ask(line, inventory.FieldPrice, inventory.BothChanged, "1", "2", "3", "ours", "theirs")
	require.NoError(t, d.Decide(ctx, d.buyer, "PO-1", []exchange.Answer{answer}))
	state, _ := d.stand()
	require.Equal(t, exchange.Paused, state, "a decision does not resume what somebody paused")
	_, before := d.stand()
	resumed, err := d.ResumeOrder(ctx, d.boss, d.connection, "PO-1")
	require.NoError(t, err)
	require.Equal(t, exchange.Waiting, resumed.State)
	require.Nil(t, resumed.PausedBy)
	_, after := d.stand()
	require.Equal(t, before+1, after)
	_, err = d.ResumeOrder(ctx, d.boss, d.connection, "PO-1")
	requireDenied(t, err, "exchange_running")

	d.order("PO-2")
	d.order("PO-3")
	d.exec("UPDATE workspace.exchange_orders SET state = 'failed', failures = 9, due_at = 'infinity' WHERE order_no = 'PO-1'")
	d.exec("UPDATE workspace.exchange_orders SET state = 'held' WHERE order_no = 'PO-2'")
	d.exec("UPDATE workspace.exchange_orders SET state = 'synced' WHERE order_no = 'PO-3'")
	_, err = d.RetryOrders(ctx, d.boss, d.connection, []exchange.State{exchange.Conflict})
	requireDenied(t, err, "states")
	retried, err := d.RetryOrders(ctx, d.boss, d.connection, []exchange.State{exchange.Failed, exchange.Held})
	require.NoError(t, err)
	require.EqualValues(t, 2, retried)
	one, _, err := d.Orders(ctx, d.boss, d.connection, exchange.OrderFilter{Number: "PO-1"}, 1)
	require.NoError(t, err)
	require.Zero(t, one[0].Failures)
	require.WithinDuration(t, time.Now(), one[0].DueAt, time.Minute)
	again, err := d.RetryOrder(ctx, d.boss, d.connection, "PO-3")
	require.NoError(t, err)
	require.Equal(t, exchange.Waiting, again.State)
	_, err = d.RetryOrder(ctx, d.boss, d.connection, "PO-9")
	requireDenied(t, err, "unknown_exchange")
	_, err = d.PauseOrder(ctx, d.buyer, d.connection, "PO-1")
	requireDenied(t, err, "forbidden")
}

// TestQuestions checks what people see of conflicts: names instead of ids, reasons and effects in words.
func TestQuestions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	tea, rice := d.order("PO-1"), d.order("PO-2")
	d.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 's1', 's1', 'Northern Mills')`,
		d.boss.Tenant, d.boss.Workspace)
	d.exec(`INSERT INTO workspace.exchange_ids (tenant_id, connection_id, kind, ours, theirs, name, chosen_by) VALUES
		($1, $2, 'supplier', 's1', '501', 'N. Mills', '{}'), ($1, $2, 'supplier', 'gone', '502', 'Grains Ltd', '{}'),
		($1, $2, 'article', 'a1', '501', 'Not a supplier', '{}')`, d.boss.Tenant, d.connection)
	d.ask(tea, inventory.FieldSupplier, inventory.BothChanged, "503", "501", "502", "ours", "theirs")
	d.ask(tea, inventory.FieldPrice, inventory.FixedThere, "2", "2.5", "2", "theirs")
	d.ask(rice, inventory.FieldPrice, inventory.BothChanged, "2", "2.5", "3", "ours", "theirs")
	d.ask(rice, inventory.FieldCurrency, inventory.BothChanged, "EUR", "GBP", "USD", "ours", "theirs")

	viewer := d.buyer
	viewer.Role = auth.Viewer
	got, more, open, err := d.Questions(ctx, viewer, exchange.Asked{}, page.Request{Most: 3})
	require.NoError(t, err)
	require.True(t, more)
	require.EqualValues(t, 4, open)
	require.Equal(t, []exchange.Value{{Text: "503"}, {Text: "501", Name: "Northern Mills"}, {Text: "502", Name: "Grains Ltd"}},
		[]exchange.Value{got[0].Base, got[0].Ours, got[0].Theirs})
	require.Equal(t, "TEA", got[0].SKU)
	require.Equal(t, "It was changed here and in Katana, to different values.", got[0].Why())
	require.Equal(t, "Writes our value into Katana.", got[0].Effect(inventory.Ours))
	require.Equal(t, "EUR", got[1].Currency)
	require.Equal(t, []inventory.Side{inventory.Theirs}, got[1].Choices)
	require.Empty(t, got[2].Currency, "which currency is in question")
	rest, more, _, err := d.Questions(ctx, viewer, exchange.Asked{Connection: d.connection, Number: "PO-2"},
		page.Request{After: got[2].ID, Most: 3})
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, rest, 1)

	all, err := d.OfOrder(ctx, viewer, "PO-1")
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "Katana", all[0].Name)
	require.True(t, all[0].Active)
	require.Len(t, all[0].Conflicts, 2)
	_, err = d.OfOrder(ctx, viewer, "PO-9")
	requireDenied(t, err, "unknown_order")

	d.exec("UPDATE workspace.connections SET deleted_at = now() WHERE id = $1", d.connection)
	_, _, open, err = d.Questions(ctx, viewer, exchange.Asked{}, page.Request{Most: 3})
	require.NoError(t, err)
	require.Zero(t, open, "nobody asks any more")
	all, err = d.OfOrder(ctx, viewer, "PO-1")
	require.NoError(t, err)
	require.Empty(t, all)
}

// TestWords checks that there are words for everything that a comparison can find.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, notice := range []inventory.Notice{inventory.ApprovedElsewhere, inventory.ReceiptReplaced,
		inventory.AwaitsApproval, inventory.OrderFinished, inventory.AwaitsLines} {
		require.NotEmpty(t, exchange.NoticeWords(notice, "Katana"), notice)
	}
	for reason, choices := range map[inventory.Reason][]inventory.Side{ // as package inventory asks
		inventory.BothChanged: {inventory.Ours, inventory.Theirs}, inventory.SetBack: {inventory.Ours, inventory.Theirs},
		inventory.DeletedThere: {inventory.Ours, inventory.Theirs}, inventory.CancelledHere: {inventory.Ours, inventory.Theirs},
		inventory.FixedThere: {inventory.Theirs}, inventory.TakenBack: {inventory.Theirs}, inventory.NoRoom: {inventory.Theirs},
		inventory.NoReceipt: {inventory.Theirs},
	} {
		question := exchange.Question{Reason: reason, System: "Katana"}
		require.NotEmpty(t, question.Why(), reason)
		for _, choice := range choices {
			require.NotEmpty(t, question.Effect(choice), "%s %s", reason, choice)
		}
	}
}

// TestDecide checks that a decision holds only for what the person saw, and for all of it or nothing.
func TestDecide(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	tea, rice := d.order("PO-1"), d.order("PO-2")
	price := d.ask(tea, inventory.FieldPrice, inventory.BothChanged, "2", "2.5", "3", "ours", "theirs")
	amount := d.ask(tea, inventory.FieldQuantity, inventory.FixedThere, "10", "12", "10", "theirs")
	other := d.ask(rice, inventory.FieldPrice, inventory.BothChanged, "2", "2.5", "3", "ours", "theirs")
	amount.Take = inventory.Theirs

	with := func(a exchange.Answer, change func(*exchange.Answer)) exchange.Answer { change(&a); return a }
	viewer, agent := d.buyer, d.buyer
	viewer.Role, agent.Actor.Type = auth.Viewer, auth.BySync
	for name, tt := range map[string]struct {
		by      auth.Principal
		answers []exchange.Answer
		code    string
	}{
		"a viewer":             {viewer, []exchange.Answer{price}, "forbidden"},
		"a sync":               {agent, []exchange.Answer{price}, "people_decide"},
		"nothing":              {d.buyer, nil, "decisions"},
		"twice":                {d.buyer, []exchange.Answer{price, price}, "twice"},
		"another order's":      {d.buyer, []exchange.Answer{price, other}, "unknown_conflict"},
		"other values":         {d.buyer, []exchange.Answer{amount, with(price, func(a *exchange.Answer) { a.Theirs = "4" })}, "stale"},
		"what cannot be done":  {d.buyer, []exchange.Answer{price, with(amount, func(a *exchange.Answer) { a.Take = "ours" })}, "choice"},
		"what nobody can take": {d.buyer, []exchange.Answer{with(price, func(a *exchange.Answer) { a.Take = "both" })}, "choice"},
	} {
		requireDenied(t, d.Decide(ctx, tt.by, "PO-1", tt.answers), tt.code)
		state, _ := d.stand()
		require.Equal(t, exchange.Conflict, state, name)
	}
	_, _, open, err := d.Questions(ctx, d.buyer, exchange.Asked{}, page.Request{Most: 9})
	require.NoError(t, err)
	require.EqualValues(t, 3, open, "nothing was decided")

	require.NoError(t, d.Decide(ctx, d.buyer, "PO-1", []exchange.Answer{price, amount}))
	state, asked := d.stand()
	require.Equal(t, exchange.Waiting, state)
	require.EqualValues(t, 1, asked)
	entry := d.told()
	require.EqualValues(t, "exchange_conflict.decided", entry.Action)
	require.Equal(t, d.buyer.Actor, entry.By)
	require.Equal(t, map[string]any{"order_no": "PO-1", "name": "Katana", "decisions": []any{
		map[string]any{"line": tea.ID, "sku": "TEA", "field": "price", "take": "ours", "ours": "2.5", "theirs": "3", "currency": "EUR"},
		map[string]any{"line": tea.ID, "sku": "TEA", "field": "quantity", "take": "theirs", "ours": "12", "theirs": "10", "currency": "EUR"},
	}}, entry.Data)
	requireDenied(t, d.Decide(ctx, d.buyer, "PO-1", []exchange.Answer{price}), "stale")
	d.exec("UPDATE workspace.exchange_conflicts SET closed_at = now() WHERE id = $1", other.Conflict)
	requireDenied(t, d.Decide(ctx, d.buyer, "PO-2", []exchange.Answer{other}), "stale")
}

// TestDecideTogether lets several people decide the same conflict at the same time: one does, and the others are told.
func TestDecideTogether(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	answer := d.ask(d.order("PO-1"), inventory.FieldPrice, inventory.BothChanged, "2", "2.5", "3", "ours", "theirs")
	var all sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		all.Go(func() {
			mine := answer
			mine.Take = []inventory.Side{inventory.Ours, inventory.Theirs}[i%2]
			errs[i] = d.Decide(t.Context(), d.buyer, "PO-1", []exchange.Answer{mine})
		})
	}
	all.Wait()
	decided := 0
	for _, err := range errs {
		if err == nil {
			decided++
			continue
		}
		requireDenied(t, err, "stale")
	}
	require.Equal(t, 1, decided)
	_, asked := d.stand()
	require.EqualValues(t, 1, asked)
}
