//race:detect connections are read at the same time, and share the limit of hints
package exchange_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/inventory/katana"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/vault"
	standin "github.com/quayside/quayside/test/inventory"
)

const (
	token = "canary-token-5f1e"
	aKey  = "test:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	order = "PO-7"
)

// world is a workspace with a connection to a stand-in of the inventory system.
type world struct {
	*exchange.Service
	t           *testing.T
	db          *pgtest.DB
	admin       *pgx.Conn
	there       *standin.Server
	lines       *purchase.Service
	connections *connection.Service
	buyer, boss auth.Principal
	sync        auth.Principal
	connection  connection.Connection
}

// newWorld returns a world whose articles TEA, CUP and POT and whose supplier exist on both sides.
func newWorld(t *testing.T, options standin.Options, change ...func(*connection.Settings)) *world {
	t.Helper()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	options.Token = token
	w := &world{t: t, db: db, admin: db.Admin(t), lines: purchase.New(db.Cells), there: standin.New(options, standin.Stock{
		Suppliers: []standin.Supplier{{Name: "Harbour Teas", Currency: "EUR"}},
		Variants:  []standin.Variant{{SKU: "TEA"}, {SKU: "CUP"}, {SKU: "POT"}, {SKU: "MUG"}},
		Locations: []standin.Location{{Name: "Main"}},
	})}
	person := func(role auth.Role) auth.Principal {
		id := uuid.New()
		return auth.Principal{Tenant: tenant.ID, Workspace: tenant.Workspace, Role: role, Person: id,
			Actor: auth.Actor{Type: auth.ByPerson, ID: id.String()}}
	}
	w.buyer, w.boss = person(auth.Buyer), person(auth.CompanyAdmin)
	w.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name)
		VALUES ($1, $2, 'sup-1', 'S1', 'Harbour Teas')`, tenant.ID, tenant.Workspace)
	for _, sku := range []string{"TEA", "CUP", "POT"} {
		w.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name, supplier_id)
			VALUES ($1, $2, $3, $4, $5, $5, 'sup-1')`, tenant.ID, tenant.Workspace, "prod-"+sku, "P-"+sku, sku)
	}
	listener := httptest.NewServer(w.there)
	t.Cleanup(listener.Close)
	w.Service, w.connections = w.instance()
	settings := connection.Settings{Name: "Katana", Address: listener.URL + "/v1", MayExport: true, MayLoad: true, Location: "7",
		CallsPerMinute: 600}
	for _, do := range change {
		do(&settings)
	}
	w.connect(settings)
	w.exec(`INSERT INTO workspace.exchange_ids (tenant_id, connection_id, kind, ours, theirs, chosen_by)
		VALUES ($1, $2, 'supplier', 'sup-1', '2', '{}')`, tenant.ID, w.connection.ID)
	return w
}

// instance returns the services of one more instance.
func (w *world) instance() (*exchange.Service, *connection.Service) {
	w.t.Helper()
	parsed, err := vault.ParseKeys(aKey)
	require.NoError(w.t, err)
	outside := outbound.New(outbound.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	w.t.Cleanup(outside.Close)
	log := slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	connections := connection.New(w.db.Cells, vault.New(w.db.Cells, parsed), outside,
		map[connection.System]connection.Prober{connection.Katana: probe{}}, log)
	return exchange.New(w.db.Cells, w.lines, connections, map[connection.System]exchange.Dial{
		connection.Katana: func(address string, secret vault.Secret, client *outbound.Client) inventory.System {
			return katana.New(address, secret.Reveal(), client)
		}}, log, exchange.Config{}), connections
}

// connect makes a connection and takes it into use.
func (w *world) connect(settings connection.Settings) {
	w.t.Helper()
	ctx := w.t.Context()
	made, err := w.connections.Create(ctx, w.boss, connection.Katana, settings, token)
	require.NoError(w.t, err)
	_, err = w.connections.Test(ctx, w.boss, made.ID)
	require.NoError(w.t, err)
	w.connection, err = w.connections.Resume(ctx, w.boss, made.ID)
	require.NoError(w.t, err)
	w.sync = auth.Connection(w.boss.Tenant, w.boss.Workspace, made.ID, time.UTC)
	// The budget is tested elsewhere: here nobody waits for it.
	w.exec(`UPDATE workspace.connections SET calls_per_minute = 600 WHERE id = $1`, made.ID)
}

// abundant lets calls be made at once, as if the budget had not been used.
func (w *world) abundant() {
	w.exec(`UPDATE workspace.connection_pace SET used_until = now() - interval '1 hour', held_until = now() - interval '1 hour'`)
}

// clock returns the database's time.
func (w *world) clock() (now time.Time) {
	w.t.Helper()
	require.NoError(w.t, w.admin.QueryRow(w.t.Context(), "SELECT clock_timestamp()").Scan(&now))
	return now
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.admin.Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
}

func text(v string) *string { return &v }

// draft makes lines of the order with these articles.
func (w *world) draft(number string, skus ...string) []purchase.Line {
	w.t.Helper()
	wanted := []purchase.NewLine{}
	for _, sku := range skus {
		wanted = append(wanted, purchase.NewLine{Changes: purchase.Changes{OrderNo: &number, ProductID: text("prod-" + sku),
			SupplierID: text("sup-1"), QuantityOrdered: text("10"), PricePerUnit: text("2.5"), Currency: text("EUR"),
			ExpectedArrivalDate: text("2026-12-01")}})
	}
	lines, err := w.lines.DraftConfirmed(w.t.Context(), w.buyer, wanted)
	require.NoError(w.t, err)
	return lines
}

// ordered makes lines and has them approved.
func (w *world) ordered(number string, skus ...string) []purchase.Line {
	w.t.Helper()
	return w.approve(w.draft(number, skus...))
}

func (w *world) approve(lines []purchase.Line) []purchase.Line {
	w.t.Helper()
	lines, err := w.lines.Submit(w.t.Context(), w.buyer, refs(lines...))
	require.NoError(w.t, err)
	lines, err = w.lines.Approve(w.t.Context(), w.boss, refs(lines...))
	require.NoError(w.t, err)
	return lines
}

func refs(lines ...purchase.Line) (refs []purchase.Ref) {
	for _, line := range lines {
		refs = append(refs, purchase.Ref{ID: line.ID, Version: line.Version})
	}
	return refs
}

// compare syncs an order and requires a state.
func (w *world) compare(number string, want exchange.State) exchange.Outcome {
	w.t.Helper()
	w.abundant()
	outcome, err := w.Sync(w.t.Context(), w.sync, w.connection.ID, number)
	require.NoError(w.t, err)
	require.Equal(w.t, want, outcome.State, "%+v", outcome)
	require.Equal(w.t, string(want), w.state(number))
	return outcome
}

// state returns the stored state of an order.
func (w *world) state(number string) (stored string) {
	w.t.Helper()
	require.NoError(w.t, w.admin.QueryRow(w.t.Context(), `SELECT state FROM workspace.exchange_orders WHERE order_no = $1`,
		number).Scan(&stored))
	return stored
}

// hint says that an order exists there, as a poll does.
func (w *world) hint(number, external string) {
	w.exec(`INSERT INTO workspace.exchange_orders (tenant_id, connection_id, order_no, workspace_id, external_id)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, connection_id, order_no) DO UPDATE
		SET asked = workspace.exchange_orders.asked + 1, state = 'waiting', due_at = now()`,
		w.boss.Tenant, w.connection.ID, number, w.boss.Workspace, external)
}

// row is a line as both sides have it.
type row struct {
	SKU, Status, Quantity, Received, Price, Day string
}

// here returns an order's lines as they are stored here.
func (w *world) here(number string) (rows []row) {
	w.t.Helper()
	found, err := w.admin.Query(w.t.Context(), `SELECT sku, status, trim_scale(quantity_ordered)::text, trim_scale(quantity_received)::text,
		coalesce(trim_scale(price_per_unit)::text, ''), coalesce(expected_arrival_date::text, '')
		FROM workspace.purchase_order_lines WHERE order_no = $1 ORDER BY sku, id`, number)
	require.NoError(w.t, err)
	rows, err = pgx.CollectRows(found, pgx.RowToStructByPos[row])
	require.NoError(w.t, err)
	return rows
}

// orderThere returns an order that is not deleted there, or nil, and requires that there is only one.
func (w *world) orderThere(number string) (found *standin.Order) {
	w.t.Helper()
	for _, one := range w.there.All() {
		if one.Number == number && one.DeletedAt == nil {
			require.Nil(w.t, found, "a second order was made")
			found = &one
		}
	}
	return found
}

// receipts returns the sum and the number of a line's receipts, after checking that they add up.
func (w *world) receipts(line string) (quantities []string) {
	w.t.Helper()
	rows, err := w.admin.Query(w.t.Context(), `SELECT trim_scale(quantity)::text || ' ' || received_at::date
		FROM workspace.receipts WHERE line_id = $1 ORDER BY version`, line)
	require.NoError(w.t, err)
	quantities, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	var differs bool
	require.NoError(w.t, w.admin.QueryRow(w.t.Context(), `SELECT quantity_received <> (SELECT coalesce(sum(quantity), 0)
		FROM workspace.receipts r WHERE r.line_id = l.id) FROM workspace.purchase_order_lines l WHERE id = $1`, line).Scan(&differs))
	require.False(w.t, differs, "the receipts add up")
	return quantities
}

func (w *world) stored(id string) purchase.Line {
	w.t.Helper()
	line, err := w.lines.Line(w.t.Context(), w.buyer, id)
	require.NoError(w.t, err)
	return line
}

func dec(v string) decimal.Decimal { return decimal.RequireFromString(v) }

func at(day string) time.Time {
	moment, err := time.Parse("2006-01-02 15:04", fmt.Sprintf("%s 09:30", day))
	if err != nil {
		panic(err)
	}
	return moment
}

// probe passes every connection.
type probe struct{}

// Probe implements connection.Prober.
func (probe) Probe(context.Context, *outbound.Client, string, vault.Secret) error { return nil }

// foreign makes an order there that is not ours.
func (w *world) foreign(number string, skus ...string) {
	w.t.Helper()
	w.abundant()
	opened, err := w.connections.Open(w.t.Context(), w.sync, w.connection.ID)
	require.NoError(w.t, err)
	made := inventory.NewOrder{Number: number, State: inventory.NotReceived, Supplier: "2", Location: "7", Currency: "EUR"}
	ids := map[string]string{"TEA": "3", "CUP": "4", "POT": "5", "MUG": "6"}
	price := dec("4")
	for _, sku := range skus {
		made.Rows = append(made.Rows, inventory.NewRow{Variant: ids[sku], Quantity: dec("6"), Price: &price})
	}
	_, err = katana.New(opened.Settings.Address, token, opened.Client).Create(w.t.Context(), made)
	require.NoError(w.t, err)
}

// meddling returns an instance that calls a function after each request.
func (w *world) meddling(after func(request string)) *exchange.Service {
	w.t.Helper()
	return w.meddlingWith(exchange.Config{}, after)
}

func (w *world) meddlingWith(config exchange.Config, after func(request string)) *exchange.Service {
	w.t.Helper()
	return exchange.New(w.db.Cells, w.lines, w.connections, map[connection.System]exchange.Dial{
		connection.Katana: func(address string, secret vault.Secret, client *outbound.Client) inventory.System {
			return katana.New(address, secret.Reveal(), meddler{client, after})
		}}, slog.New(slog.DiscardHandler), config)
}

type meddler struct {
	client *outbound.Client
	after  func(request string)
}

// Do implements katana.Doer.
func (m meddler) Do(request *http.Request) (*http.Response, error) {
	response, err := m.client.Do(request)
	m.after(request.Method + " " + request.URL.Path)
	return response, err
}

// edit changes a line as a person does.
func (w *world) edit(id string, changes purchase.Changes) {
	w.t.Helper()
	_, err := w.lines.Edit(w.t.Context(), w.buyer, refs(w.stored(id))[0], changes)
	require.NoError(w.t, err)
}

// questions returns the open conflicts.
func (w *world) questions() []string {
	w.t.Helper()
	rows, err := w.admin.Query(w.t.Context(), `SELECT concat_ws(' ', field, reason, base, ours, theirs)
		FROM workspace.exchange_conflicts WHERE closed_at IS NULL ORDER BY id`)
	require.NoError(w.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	return found
}

// decide answers all open questions, as a person does.
func (w *world) decide(take string) {
	w.exec(`UPDATE workspace.exchange_conflicts SET take = $1, decided_by = '{}', decided_at = now() WHERE closed_at IS NULL`, take)
	w.exec(`UPDATE workspace.exchange_orders SET state = 'waiting', due_at = now(), asked = asked + 1`)
}
