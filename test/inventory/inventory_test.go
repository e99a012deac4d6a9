//race:detect requests share the stand-in's state
package inventory_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/inventory/katana"
	standin "github.com/quayside/quayside/test/inventory"
)

const token = "a-very-secret-token"

// world is a stand-in with a client.
type world struct {
	t        *testing.T
	server   *standin.Server
	address  string
	client   *katana.Client
	supplier string
	location string
	variants map[string]string
}

func newWorld(t *testing.T, options standin.Options) *world {
	t.Helper()
	options.Token = token
	w := &world{t: t, variants: map[string]string{}}
	w.server = standin.New(options, standin.Stock{
		Suppliers: []standin.Supplier{{Name: "Harbour Teas", Currency: "GBP"}, {Name: "Kräuterhof", Currency: "EUR"}},
		Variants:  []standin.Variant{{SKU: "TEA"}, {SKU: "CUP"}, {SKU: "POT"}},
		Locations: []standin.Location{{Name: "Main"}},
	})
	listener := httptest.NewServer(w.server)
	t.Cleanup(listener.Close)
	w.address = listener.URL
	w.client = w.another()
	w.supplier, w.location = "2", "7"
	for i, sku := range []string{"TEA", "CUP", "POT"} {
		w.variants[sku] = fmt.Sprint(4 + i)
	}
	return w
}

// another returns a client with connections of its own.
func (w *world) another() *katana.Client {
	transport := &http.Transport{}
	w.t.Cleanup(transport.CloseIdleConnections)
	return katana.New(w.address+"/v1", token, &http.Client{Transport: transport})
}

func (w *world) order(number string, state inventory.State, skus ...string) inventory.NewOrder {
	o := inventory.NewOrder{Number: number, Reference: "ref-" + number, State: state, Supplier: w.supplier,
		Location: w.location, Currency: "GBP"}
	for _, sku := range skus {
		o.Rows = append(o.Rows, inventory.NewRow{Variant: w.variants[sku], Quantity: dec("10"), Price: price("2.5"),
			Expected: day("2026-12-01")})
	}
	return o
}

func (w *world) create(number string, state inventory.State, skus ...string) inventory.Order {
	w.t.Helper()
	made, err := w.client.Create(w.t.Context(), w.order(number, state, skus...))
	require.NoError(w.t, err)
	return made
}

// raw calls the server without the client.
func (w *world) raw(method, path, body string) (status int, answer string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.address+path, strings.NewReader(body))
	require.NoError(w.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(w.t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	return response.StatusCode, string(text)
}

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func price(text string) *decimal.Decimal {
	d := dec(text)
	return &d
}

func day(text string) *time.Time {
	at, err := time.Parse("2006-01-02", text)
	if err != nil {
		panic(err)
	}
	return &at
}

func requireCode(t *testing.T, err error, code string) fault.Error {
	t.Helper()
	require.True(t, fault.HasCode(err, code), "want %s, got %v", code, err)
	require.NotContains(t, err.Error(), token)
	_, public := fault.Public(err)
	return *public
}

func TestLookups(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	suppliers, err := w.client.Suppliers(t.Context())
	require.NoError(t, err)
	require.Equal(t, inventory.Supplier{ID: w.supplier, Name: "Harbour Teas", Currency: "GBP"}, suppliers[0])
	variants, err := w.client.Variants(t.Context(), []string{"CUP", "NONE"})
	require.NoError(t, err)
	require.Equal(t, []inventory.Variant{{ID: w.variants["CUP"], SKU: "CUP"}}, variants)
	variant, err := w.client.Variant(t.Context(), w.variants["CUP"])
	require.NoError(t, err)
	require.Equal(t, variants[0], variant)
	_, err = w.client.Variant(t.Context(), "999")
	requireCode(t, err, inventory.CodeNotFound)
	locations, err := w.client.Locations(t.Context())
	require.NoError(t, err)
	require.Equal(t, []inventory.Location{{ID: w.location, Name: "Main"}}, locations)
}

// TestPages lists 230 orders, one of them deleted, on three pages.
func TestPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	for i := range 230 {
		w.create(fmt.Sprintf("PO-%d", i), inventory.NotReceived, "TEA")
	}
	require.NoError(t, w.server.Remove("PO-0"))
	seen, deleted, pages := map[string]bool{}, 0, 0
	var changes inventory.Changes
	for next := (&inventory.Cursor{}); next != nil; next = changes.Next {
		var err error
		changes, err = w.client.Changed(t.Context(), *next)
		require.NoError(t, err)
		pages++
		for _, o := range changes.Orders {
			require.False(t, seen[o.ID])
			seen[o.ID] = true
			if o.Deleted {
				require.Equal(t, "PO-0", o.Number)
				deleted++
			}
		}
	}
	require.Len(t, seen, 230)
	require.Equal(t, []int{1, 3}, []int{deleted, pages})

	mark := inventory.Watermark(time.Time{}, changes.Orders).Add(inventory.Overlap)
	require.NoError(t, w.server.SetArrival("PO-7", "TEA", *day("2027-01-01")))
	changes, err := w.client.Changed(t.Context(), inventory.Cursor{Since: mark.Add(time.Hour)})
	require.NoError(t, err)
	require.Empty(t, changes.Orders)
	_, answer := w.raw(http.MethodGet, "/v1/purchase_orders?limit=1000", "")
	require.Equal(t, 229, strings.Count(answer, `"order_no"`), "the largest page has 250")
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{Limit: 2, Per: time.Hour})
	for range 2 {
		_, err := w.client.Locations(t.Context())
		require.NoError(t, err)
	}
	// The last answer said that nothing is left, so the client asks no more.
	_, err := w.client.Locations(t.Context())
	limited := requireCode(t, err, inventory.CodeLimited)
	require.LessOrEqual(t, limited.Wait, time.Minute)
	// Another process does not know that.
	other := w.another()
	_, err = other.Create(t.Context(), w.order("PO-1", inventory.NotReceived, "TEA"))
	limited = requireCode(t, err, inventory.CodeLimited)
	require.InDelta(t, time.Hour.Seconds(), limited.Wait.Seconds(), 60, "Retry-After")
	require.Empty(t, w.server.All())
	_, err = other.Locations(t.Context())
	requireCode(t, err, inventory.CodeLimited)
}

// TestWindow shows that the limit starts anew.
func TestWindow(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := newWorld(t, standin.Options{Limit: 1, Per: time.Second, Now: func() time.Time { return now }})
	for _, want := range []int{200, 429} {
		status, _ := w.raw(http.MethodGet, "/v1/locations", "")
		require.Equal(t, want, status)
	}
	now = now.Add(time.Second)
	status, _ := w.raw(http.MethodGet, "/v1/locations", "")
	require.Equal(t, http.StatusOK, status)
}

// TestSplit receives a part, which splits the row, and then the rest.
func TestSplit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	made := w.create("PO-1", inventory.NotReceived, "TEA", "CUP")
	lines := inventory.Fold(made)
	require.Len(t, lines, 2)
	arrived := time.Date(2026, 11, 3, 9, 30, 0, 0, time.UTC)
	require.NoError(t, w.client.Receive(t.Context(), made.ID,
		[]inventory.Arrival{{Key: lines[0].Key, Quantity: dec("4"), At: arrived}}))
	split, err := w.client.Get(t.Context(), made.ID)
	require.NoError(t, err)
	require.Len(t, split.Rows, 3)
	require.Equal(t, inventory.PartiallyReceived, split.State)
	line := inventory.Find(inventory.Fold(split), lines[0].Key)
	require.Equal(t, "partially_received", string(line.Status))
	require.Equal(t, []string{"10", "4"}, []string{line.Quantity.String(), line.Received.String()})
	require.Len(t, line.Receipts, 1)
	require.True(t, arrived.Equal(line.Receipts[0].At))
	require.NotEqual(t, lines[0].Key.Root, line.Receipts[0].ID, "what arrived has a new id")
	require.Equal(t, "ordered", string(inventory.Find(inventory.Fold(split), lines[1].Key).Status),
		"the other line's status is its own")

	err = w.client.Receive(t.Context(), made.ID, []inventory.Arrival{{Key: lines[0].Key, Quantity: dec("7"), At: arrived}})
	requireCode(t, err, inventory.CodeRefused)
	require.NoError(t, w.server.Receive("PO-1", "TEA", dec("6"), arrived))
	done, err := w.client.Get(t.Context(), made.ID)
	require.NoError(t, err)
	line = inventory.Find(inventory.Fold(done), lines[0].Key)
	require.Equal(t, "received", string(line.Status))
	require.Len(t, line.Receipts, 2)
}

// TestWiped shows that a change without additional_info wipes it, that the client keeps it, and that it
// writes the reference again.
func TestWiped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	made := w.create("PO-1", inventory.Draft, "TEA")
	path := "/v1/purchase_orders/" + made.ID
	w.raw(http.MethodPatch, path, `{"additional_info": "Ring twice\nQuayside reference: ref-PO-1\nor come round the back"}`)
	changed, err := w.client.Change(t.Context(), inventory.Change{Order: made.ID, Reference: "ref-PO-1", Currency: "EUR"})
	require.NoError(t, err)
	require.Equal(t, "ref-PO-1", changed.Reference)
	require.Equal(t, "Ring twice\nQuayside reference: ref-PO-1\nor come round the back", *w.server.All()[0].Info)

	w.raw(http.MethodPatch, path, `{"currency": "GBP"}`)
	require.Nil(t, w.server.All()[0].Info)
	_, err = w.client.Find(t.Context(), "PO-1", "ref-PO-1")
	requireCode(t, err, inventory.CodeTaken)
	changed, err = w.client.Change(t.Context(), inventory.Change{Order: made.ID, Reference: "ref-PO-1",
		State: inventory.NotReceived})
	require.NoError(t, err)
	require.Equal(t, []any{"ref-PO-1", inventory.NotReceived}, []any{changed.Reference, changed.State})
}

// TestArrivalDates shows that a row's day is changed without those of the others.
func TestArrivalDates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	made := w.create("PO-1", inventory.NotReceived, "TEA", "CUP")
	keys := inventory.Fold(made)
	changed, err := w.client.Change(t.Context(), inventory.Change{Order: made.ID, Lines: []inventory.LineChange{
		{Key: keys[1].Key, Expected: day("2027-02-03")}}})
	require.NoError(t, err)
	require.Equal(t, []string{"2026-12-01", "2027-02-03"},
		[]string{changed.Rows[0].Expected.Format("2006-01-02"), changed.Rows[1].Expected.Format("2006-01-02")})
	w.raw(http.MethodPatch, "/v1/purchase_orders/"+made.ID, `{"expected_arrival_date": "2028-01-01T00:00:00Z"}`)
	changed, err = w.client.Get(t.Context(), made.ID)
	require.NoError(t, err)
	require.Equal(t, "2028-01-01", changed.Rows[1].Expected.Format("2006-01-02"), "the order's day overwrites the rows'")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	made := w.create("PO-1", inventory.NotReceived, "TEA", "CUP")
	key := inventory.Fold(made)[0].Key
	require.NoError(t, w.server.Receive("PO-1", "TEA", dec("10"), time.Now()))

	_, err := w.client.Change(t.Context(), inventory.Change{Order: made.ID, Supplier: "3"})
	require.Equal(t, "supplier_id", requireCode(t, err, inventory.CodeRefused).Fields[0].Field)
	_, err = w.client.Change(t.Context(), inventory.Change{Order: made.ID,
		Lines: []inventory.LineChange{{Key: key, Delete: true}}})
	requireCode(t, err, inventory.CodeRefused)
	status, answer := w.raw(http.MethodPatch, "/v1/purchase_order_rows/"+key.Root, `{"price_per_unit": 3}`)
	require.Equal(t, http.StatusUnprocessableEntity, status, answer)
	status, answer = w.raw(http.MethodPost, "/v1/purchase_orders", `{"order_no": "PO-2", "colour": "blue"}`)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, answer, `".colour"`)

	wrong := w.order("PO-2", inventory.NotReceived, "TEA")
	wrong.Rows[0].Variant = "999"
	_, err = w.client.Create(t.Context(), wrong)
	require.Equal(t, "purchase_order_rows[0].variant_id", requireCode(t, err, inventory.CodeRefused).Fields[0].Field)
	wrong.Rows[0].Price = nil
	_, err = w.client.Create(t.Context(), wrong)
	require.Equal(t, "price", requireCode(t, err, inventory.CodeRefused).Fields[0].Field)
	wrong.Supplier = "nobody"
	_, err = w.client.Create(t.Context(), wrong)
	require.Equal(t, "supplier", requireCode(t, err, inventory.CodeRefused).Fields[0].Field)
	require.Len(t, w.server.All(), 1)

	_, err = w.client.Get(t.Context(), "12345")
	requireCode(t, err, inventory.CodeNotFound)
	_, err = katana.New(w.address+"/v1", "wrong", http.DefaultClient).Get(t.Context(), made.ID)
	requireCode(t, err, inventory.CodeToken)
}

func TestDraftRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{RefuseDraft: true})
	_, err := w.client.Create(t.Context(), w.order("PO-1", inventory.Draft, "TEA"))
	requireCode(t, err, inventory.CodeDraftRefused)
	require.Empty(t, w.server.All())
	w.create("PO-1", inventory.NotReceived, "TEA")
}

// TestPurchaseUnits reads and writes rows that are ordered by the box.
func TestPurchaseUnits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	made := w.create("PO-1", inventory.NotReceived, "TEA")
	require.NoError(t, w.server.SetUnit("PO-1", "TEA", "box", dec("3"), dec("5"), dec("10")))
	boxes, err := w.client.Get(t.Context(), made.ID)
	require.NoError(t, err)
	line := inventory.Fold(boxes)[0]
	require.Equal(t, []string{"15", "3.3333333333333333"}, []string{line.Quantity.String(), line.Price.String()})

	_, err = w.client.Change(t.Context(), inventory.Change{Order: made.ID,
		Lines: []inventory.LineChange{{Key: line.Key, Quantity: price("18"), Price: line.Price}}})
	require.NoError(t, err)
	row := w.server.All()[0].Rows[0]
	require.Equal(t, []string{"6", "10"}, []string{row.Quantity.String(), row.Price.String()}, "the price is what it was")
	_, err = w.client.Change(t.Context(), inventory.Change{Order: made.ID,
		Lines: []inventory.LineChange{{Key: line.Key, Quantity: price("10")}}})
	require.Equal(t, "quantity", requireCode(t, err, inventory.CodeRefused).Fields[0].Field)
	require.NoError(t, w.client.Receive(t.Context(), made.ID, []inventory.Arrival{{Key: line.Key, Quantity: dec("6"),
		At: time.Now()}}))
	require.Equal(t, "4", w.server.All()[0].Rows[0].Quantity.String(), "two of six boxes arrived")
}

// TestQuantities changes the quantity of a line of which a part has arrived.
func TestQuantities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	made := w.create("PO-1", inventory.NotReceived, "TEA", "CUP")
	key := inventory.Fold(made)[0].Key
	require.NoError(t, w.server.Receive("PO-1", "TEA", dec("4"), time.Now()))
	for _, tt := range []struct{ quantity, status string }{
		{"12", "partially_received"}, {"4", "received"}, {"7", "partially_received"},
	} {
		changed, err := w.client.Change(t.Context(), inventory.Change{Order: made.ID,
			Lines: []inventory.LineChange{{Key: key, Quantity: price(tt.quantity)}}})
		require.NoError(t, err)
		line := inventory.Find(inventory.Fold(changed), key)
		require.Equal(t, []string{tt.quantity, "4", tt.status},
			[]string{line.Quantity.String(), line.Received.String(), string(line.Status)})
	}
}

// TestControl does by hand what a person does in the other system.
func TestControl(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	w.create("PO-1", inventory.NotReceived, "TEA")
	for path, body := range map[string]string{
		"receive": `{"order_no": "PO-1", "sku": "TEA", "quantity": 3}`,
		"arrival": `{"order_no": "PO-1", "sku": "TEA", "day": "2027-01-01"}`,
		"price":   `{"order_no": "PO-1", "sku": "TEA", "price": 9.5}`,
		"fault":   `{"route": "GET /v1/suppliers", "fault": "broken"}`,
	} {
		status, answer := w.raw(http.MethodPost, "/control/"+path, body)
		require.Equal(t, http.StatusNoContent, status, answer)
	}
	status, _ := w.raw(http.MethodPost, "/control/receive", `{"order_no": "PO-9", "sku": "TEA", "quantity": 3}`)
	require.Equal(t, http.StatusNotFound, status)
	_, answer := w.raw(http.MethodGet, "/control/orders", "")
	require.Contains(t, answer, `"price_per_unit":9.5`)
	require.Contains(t, answer, `"PARTIALLY_RECEIVED"`)
	status, _ = w.raw(http.MethodGet, "/v1/suppliers", "")
	require.Equal(t, http.StatusInternalServerError, status)
}
