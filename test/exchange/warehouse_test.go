package exchange_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standin "github.com/quayside/quayside/test/inventory"
)

const token = "a-token-of-the-warehouse"

// The inventory system allows so many requests in a second, and so many connections are cut.
const (
	perSecond   = 60
	everyLimit  = 300 // and so often it refuses a request although the limit is not used up, as others use it too
	cutCreates  = 20
	cutWrites   = 30
	cutsInTotal = cutCreates + cutWrites
)

// warehouse is the inventory system, as a server whose connections are cut.
type warehouse struct {
	*standin.Server
	address            string
	supplier, location string
	variants           map[string]int64

	mu                      sync.Mutex
	everyCreate, everyWrite int // which of them are cut
	creates, writes, reads  int
	cut                     map[string]int // by route
	limited                 int            // answers with 429
}

func newWarehouse(t *testing.T, orders int) *warehouse {
	t.Helper()
	w := &warehouse{everyCreate: max(1, orders/(cutCreates+1)), everyWrite: max(1, orders/(3*cutWrites)), cut: map[string]int{},
		Server: standin.New(standin.Options{Token: token, Limit: perSecond, Per: time.Second}, standin.Stock{
			Suppliers: []standin.Supplier{{Name: "Harbour Teas", Currency: "EUR"}},
			Variants:  []standin.Variant{{SKU: "TEA"}, {SKU: "CUP"}, {SKU: "POT"}},
			Locations: []standin.Location{{Name: "Main"}}})}
	w.supplier, w.variants, w.location = "2", map[string]int64{"TEA": 3, "CUP": 4, "POT": 5}, "6" // given one after the other
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.address = server.URL + "/v1"
	return w
}

// hook sends webhooks to an address, some of them never, some twice, and all in any order.
func (w *warehouse) hook(address string) {
	w.SetWebhooks(standin.Webhooks{URL: address, Secret: hookSecret, Lose: 0.3, Twice: 0.2, Shuffle: true})
}

// ServeHTTP implements http.Handler. Some writes are carried out, and their answers lost.
func (w *warehouse) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if w.cuts(r) {
		w.Server.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	recorder := &statusRecorder{ResponseWriter: rw}
	if w.requests()%everyLimit == 0 {
		rw.Header().Set("Retry-After", "1")
		recorder.WriteHeader(http.StatusTooManyRequests)
	} else {
		w.Server.ServeHTTP(recorder, r)
	}
	if recorder.status == http.StatusTooManyRequests {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.limited++
	}
}

func (w *warehouse) requests() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reads + w.creates + w.writes
}

// cuts counts a request, and reports whether its connection is cut.
func (w *warehouse) cuts(r *http.Request) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	route := r.Method + " " + strings.TrimRight(r.URL.Path, "0123456789")
	cut := false
	switch {
	case r.Method == http.MethodGet:
		w.reads++
	case route == "POST /v1/purchase_orders":
		w.creates++
		cut = w.creates%w.everyCreate == 0 && w.cut[route] < cutCreates
	default:
		w.writes++
		cut = w.writes%w.everyWrite == 0 && w.cuttings()-w.cut["POST /v1/purchase_orders"] < cutWrites
	}
	if cut {
		w.cut[route]++
	}
	return cut
}

func (w *warehouse) cuttings() (n int) {
	for _, cut := range w.cut {
		n += cut
	}
	return n
}

// String says what has happened.
func (w *warehouse) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("%d reads, %d orders created, %d other writes, %d answers of 429, connections cut after the request was carried out: %v",
		w.reads, w.creates, w.writes, w.limited, w.cut)
}

// deliver sends webhooks until ctx ends.
func (w *warehouse) deliver(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_, _ = w.Deliver(ctx) // they are hints
		}
	}
}

// live returns the orders that are not deleted, by their numbers.
func (w *warehouse) live() map[string][]standin.Order {
	found := map[string][]standin.Order{}
	for _, order := range w.All() {
		if order.DeletedAt == nil {
			found[order.Number] = append(found[order.Number], order)
		}
	}
	return found
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func number(n int) string { return "PO-" + strconv.Itoa(100000+n) }
