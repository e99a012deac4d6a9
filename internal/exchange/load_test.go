package exchange_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/inventory/katana"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/vault"
	standin "github.com/quayside/quayside/test/inventory"
)

const (
	hookSecret = "a-secret-of-16-characters"
	minute     = time.Minute
)

// warehouse is a world whose calls are counted, and whose maps are complete.
type warehouse struct {
	*world
	*exchange.Service
	calls atomic.Int64
	hints *exchange.Hints
	id    uuid.UUID
}

func newWarehouse(t *testing.T) *warehouse {
	t.Helper()
	w := &warehouse{world: newWorld(t, standin.Options{})}
	w.id, w.Service = w.connection.ID, w.counted()
	w.hints = exchange.NewHints(w.db.Cells, w.connections, map[connection.System]exchange.ReadHint{
		connection.Katana: func(m exchange.Message, secret vault.Secret) (string, error) {
			return katana.Hint(m.Body, m.Header(katana.SignatureHeader), secret.Reveal())
		}})
	w.exec(`UPDATE workspace.connections SET calls_per_minute = 6000`)
	w.exec(`INSERT INTO workspace.exchange_ids (tenant_id, connection_id, kind, ours, theirs, chosen_by)
		VALUES ($1, $2, 'article', 'prod-TEA', '3', '{}')`, w.boss.Tenant, w.id)
	return w
}

// counter counts calls.
type counter struct {
	katana.Doer
	calls *atomic.Int64
}

// Do implements katana.Doer.
func (c counter) Do(request *http.Request) (*http.Response, error) {
	c.calls.Add(1)
	return c.Doer.Do(request)
}

// counted returns the service of one more instance, whose calls are counted.
func (w *warehouse) counted() *exchange.Service {
	_, connections := w.instance()
	return exchange.New(w.db.Cells, w.lines, connections, map[connection.System]exchange.Dial{
		connection.Katana: func(address string, secret vault.Secret, client *outbound.Client) inventory.System {
			return katana.New(address, secret.Reveal(), counter{client, &w.calls})
		}}, slog.New(slog.DiscardHandler), exchange.Config{})
}

// call writes there as somebody who works there does.
func (w *warehouse) call(method, path, body string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, "http://standin.example/v1"+path, strings.NewReader(body))
	require.NoError(w.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	w.there.ServeHTTP(recorder, request)
	require.Less(w.t, recorder.Code, 300, recorder.Body.String())
}

// make makes an order there, of ten cups of tea, and returns it.
func (w *warehouse) make(number string) standin.Order {
	w.t.Helper()
	w.call(http.MethodPost, "/purchase_orders", fmt.Sprintf(`{"order_no": %q, "supplier_id": 2, "location_id": 7, "status": "NOT_RECEIVED",
		"purchase_order_rows": [{"quantity": 10, "variant_id": 3, "price_per_unit": 4}]}`, number))
	all := w.there.All()
	return all[len(all)-1]
}

// order makes an order of one line here.
func (w *warehouse) order(number, status string, quantity int) {
	w.t.Helper()
	w.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, product_id, supplier_id,
			status, quantity_ordered, price_per_unit, currency)
		VALUES ($1, $2, $3, $3, 'TEA', 'prod-TEA', 'sup-1', $4, $5, 4, 'EUR')`, w.boss.Tenant, w.boss.Workspace, number, status,
		quantity)
}

// synced makes as if all orders that are linked were compared now.
func (w *warehouse) synced() {
	w.t.Helper()
	for _, order := range w.there.All() {
		updated := order.UpdatedAt
		for _, row := range order.Rows {
			if row.UpdatedAt.After(updated) {
				updated = row.UpdatedAt
			}
		}
		w.exec(`UPDATE workspace.exchange_orders SET state = 'synced', changed_there = $2, external_id = $3, answered = asked
			WHERE order_no = $1 AND coalesce(external_id, $3) = $3`, order.Number, updated, fmt.Sprint(order.ID))
	}
}

// orders returns the exchanged orders: number, id there, state, how often they were asked for, and a code.
func (w *warehouse) orders() (found []string) {
	w.t.Helper()
	rows, err := w.admin.Query(w.t.Context(), `SELECT concat_ws(' ', order_no, coalesce(external_id, '-'), state, asked, nullif(code, ''))
		FROM workspace.exchange_orders ORDER BY order_no`)
	require.NoError(w.t, err)
	found, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	return found
}

// read polls now.
func (w *warehouse) read() {
	w.t.Helper()
	w.exec("UPDATE workspace.exchange_cursors SET poll_at = now()")
	require.NoError(w.t, w.Read(w.t.Context(), minute))
}

// one returns one value of the database as a text.
func (w *warehouse) one(sql string) string {
	w.t.Helper()
	var value any
	require.NoError(w.t, w.admin.QueryRow(w.t.Context(), sql).Scan(&value))
	return fmt.Sprint(value)
}

// TestSuspendedCompanyIsNotRead suspends a company: its inventory system is not called until it goes on.
func TestSuspendedCompanyIsNotRead(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	accounts := account.New(w.db.Cells, nil, slog.New(slog.DiscardHandler), "")
	_, err := accounts.Suspend(t.Context(), w.boss.Tenant, "unpaid")
	require.NoError(t, err)
	require.NoError(t, w.Read(t.Context(), minute))
	require.Zero(t, w.calls.Load())
	_, err = accounts.Resume(t.Context(), w.boss.Tenant)
	require.NoError(t, err)
	require.NoError(t, w.Read(t.Context(), minute))
	require.NotZero(t, w.calls.Load())
}

// TestPoll reads what changed there, over several pages, and asks for each order once.
func TestPoll(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	for i := range 150 { // two pages
		w.make(fmt.Sprintf("T-%03d", i))
	}
	gone := w.make("T-GONE")
	require.NoError(t, w.there.Remove("T-GONE"))
	w.order("T-001", "draft", 1) // the trigger wants it there, and somebody has made one with the number
	w.exec("UPDATE workspace.exchange_orders SET state = 'synced', wanted = 1, done = 1")
	require.NoError(t, w.Read(t.Context(), minute))
	got := w.orders()
	require.Len(t, got, 150)
	require.Equal(t, fmt.Sprintf("T-000 %d waiting 1", w.there.All()[0].ID), got[0])
	require.Equal(t, "T-001 - waiting 1", got[1], "asked for by its number, and not taken for the order there")
	require.NotContains(t, strings.Join(got, "\n"), gone.Number)
	require.Equal(t, "true", w.one("SELECT since > '2020-01-01' AND page = 0 AND polled_at IS NOT NULL AND message = '' FROM workspace.exchange_cursors"))

	calls := w.calls.Load()
	require.NoError(t, w.Read(t.Context(), minute))
	require.Equal(t, calls, w.calls.Load(), "the next poll is due in a minute")

	w.read()
	require.Equal(t, got, w.orders(), "what is not compared yet is not asked for again")
	w.synced()
	w.exec("UPDATE workspace.exchange_orders SET state = 'held', seen_there = changed_there, changed_there = NULL WHERE order_no = 'T-003'")
	w.read()
	for _, order := range w.orders() {
		require.NotContains(t, order, "waiting", "our own echo")
	}
	require.NoError(t, w.there.SetPrice("T-002", "TEA", dec("5")))
	require.NoError(t, w.there.Remove("T-004"))
	require.NoError(t, w.there.SetPrice("T-003", "TEA", dec("5")))
	w.exec("UPDATE workspace.exchange_orders SET state = 'paused' WHERE order_no = 'T-004'")
	w.read()
	got = w.orders()
	require.Contains(t, got[2], "waiting 2")
	require.Contains(t, got[3], "waiting 2", "held, and changed there")
	require.Contains(t, got[4], "paused 2", "a paused order stays paused, and is compared when it is resumed")
	require.Contains(t, got[5], "synced 1")
}

// TestPollNumbers keeps apart an order there and one here that have the same number.
func TestPollNumbers(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.exec("UPDATE workspace.connections SET may_export = false")
	w.order("PO-1", "ordered", 10)
	w.make("PO-1")
	w.make("PO-2")
	w.make("PO-2") // Katana does not refuse it
	w.read()
	got := w.orders()
	require.Len(t, got, 2)
	require.Equal(t, "PO-1 - held 1 exchange_number_used", got[0])
	require.Contains(t, got[1], "PO-2 ")
	require.Contains(t, w.one("SELECT message FROM workspace.exchange_orders WHERE code <> ''"), "has an order PO-1 of its own")
	w.read()
	require.Equal(t, got[0], w.orders()[0], "it is told once")
}

// TestPollFails pauses longer each time, says why in words, and pauses a connection whose token is refused.
func TestPollFails(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	pause := func() string {
		return w.one("SELECT round(extract(epoch FROM poll_at - now()) / 60)::text || ' ' || message FROM workspace.exchange_cursors")
	}
	for _, want := range []string{"1", "2", "4", "8"} {
		w.there.Fail("GET /v1/purchase_orders", standin.Broken)
		w.read()
		require.Equal(t, want+" the inventory system cannot be reached", strings.TrimRight(pause(), ": "))
	}
	w.read()
	require.Equal(t, "1 ", pause(), "a success ends it")
	require.Equal(t, "0", w.one("SELECT failures::text FROM workspace.exchange_cursors"))

	_, err := w.connections.ReplaceToken(t.Context(), w.boss, w.id, "another-token-0b7d")
	require.NoError(t, err)
	w.exec("UPDATE workspace.connections SET state = 'active'")
	w.read()
	c, err := w.connections.Get(t.Context(), w.boss, w.id)
	require.NoError(t, err)
	require.Equal(t, connection.Paused, c.State)
	require.Contains(t, c.PausedBecause, "does not accept the token")
	calls := w.calls.Load()
	w.read()
	require.Equal(t, calls, w.calls.Load(), "a paused connection calls nobody")
}

// TestPollGoesOn lets an instance die between two pages: the next one goes on with the second page, and a third that still
// believes to hold the cursor does not move it.
func TestPollGoesOn(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	for i := range 150 {
		w.make(fmt.Sprintf("T-%03d", i))
	}
	w.there.Fail("GET /v1/purchase_orders", standin.None, standin.Broken)
	w.read()
	require.Equal(t, "2", w.one("SELECT page::text FROM workspace.exchange_cursors"))
	require.Len(t, w.orders(), 100)
	calls := w.calls.Load()
	w.exec("UPDATE workspace.exchange_cursors SET began_at = now() - interval '1 hour'")
	w.read()
	require.Equal(t, int64(1), w.calls.Load()-calls, "the first page is not read again")
	require.Len(t, w.orders(), 150)
	require.Equal(t, "true", w.one("SELECT (since < now() - interval '50 minutes')::text FROM workspace.exchange_cursors"),
		"an order of the first page may have changed since the poll began")
	require.Equal(t, "0", w.one("SELECT page::text FROM workspace.exchange_cursors"))
}

// TestTwoInstancesPoll lets many instances poll at once: each poll is made by one of them.
func TestTwoInstancesPoll(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.make("T-1")
	w.read()
	for range 5 {
		w.exec("UPDATE workspace.exchange_cursors SET poll_at = now()")
		before := w.calls.Load()
		var all sync.WaitGroup
		for range 4 {
			other := w.counted()
			all.Go(func() {
				if err := other.Read(t.Context(), minute); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Equal(t, int64(1), w.calls.Load()-before)
	}
}

// TestHints takes webhooks: signed ones make an order due, and whatever else comes changes nothing.
func TestHints(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	order := w.make("T-1")
	w.read()
	w.synced()
	sent := []exchange.Message{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		sent = append(sent, exchange.Message{Body: body, Header: r.Header.Get})
	}))
	t.Cleanup(receiver.Close)
	w.there.SetWebhooks(standin.Webhooks{URL: receiver.URL, Secret: hookSecret})
	require.NoError(t, w.there.SetPrice("T-1", "TEA", dec("5")))
	w.make("T-2")
	_, err := w.there.Deliver(t.Context())
	require.NoError(t, err)
	require.Len(t, sent, 2)
	from := netip.MustParseAddr("192.0.2.7")
	take := func(id uuid.UUID, m exchange.Message) error { return w.hints.Take(t.Context(), from, id, m) }

	unknown := take(uuid.New(), sent[0])
	require.True(t, fault.Is(unknown, fault.Unauthenticated))
	require.Equal(t, unknown, take(w.id, sent[0]), "no secret was set, and the answer is the same")
	_, err = w.connections.SetHookSecret(t.Context(), w.boss, w.id, "short")
	require.True(t, fault.Is(err, fault.Invalid))
	c, err := w.connections.SetHookSecret(t.Context(), w.boss, w.id, hookSecret)
	require.NoError(t, err)
	require.NotNil(t, c.HookSetAt)
	require.Equal(t, connection.Active, c.State)
	forged := exchange.Message{Body: append([]byte(" "), sent[0].Body...), Header: sent[0].Header}
	require.Equal(t, unknown, take(w.id, forged))
	w.exec("UPDATE workspace.connections SET state = 'paused'")
	require.NoError(t, take(w.id, sent[0]))
	w.exec("UPDATE workspace.connections SET state = 'active'")
	require.Equal(t, []string{fmt.Sprintf("T-1 %d synced 1", order.ID)}, w.orders())

	require.NoError(t, take(w.id, sent[0]))
	require.Equal(t, []string{fmt.Sprintf("T-1 %d waiting 2", order.ID)}, w.orders())
	w.exec("UPDATE workspace.exchange_orders SET state = 'synced', synced_at = now()")
	require.NoError(t, take(w.id, sent[0]))
	require.Contains(t, w.orders()[0], "synced 2", "right after a comparison it is an echo")

	require.Equal(t, "false", w.one("SELECT poll_at <= now() + interval '15 s' FROM workspace.exchange_cursors"))
	require.NoError(t, take(w.id, sent[1]))
	require.Equal(t, "true", w.one("SELECT poll_at BETWEEN now() AND now() + interval '10 s' FROM workspace.exchange_cursors"), "an unknown order")

	limited := error(nil)
	for range 5000 { // the limit rises while they are sent
		if limited = w.hints.Take(t.Context(), from, uuid.New(), forged); fault.Is(limited, fault.RateLimited) {
			break
		}
	}
	require.True(t, fault.Is(limited, fault.RateLimited))
	require.NoError(t, w.hints.Take(t.Context(), netip.MustParseAddr("192.0.2.8"), w.id, sent[0]), "others are not concerned")
}

// TestDeadClaims lets a process die while it compares orders: the others go on meanwhile.
func TestDeadClaims(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	for i := range 6 {
		w.draft(fmt.Sprintf("PO-%d", 11+i), "TEA")
	}
	w.exec(`UPDATE workspace.exchange_orders SET due_at = now() - interval '1 hour', claim = gen_random_uuid(),
		claimed_until = now() + interval '2 minutes' WHERE order_no <= 'PO-14'`)
	w.abundant()
	require.NoError(t, w.Dispatch(t.Context()))
	require.Equal(t, []string{"PO-15", "PO-16"}, w.jobs())
}
