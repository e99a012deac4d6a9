package service_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// unlimited lifts the rate limit of all keys.
func (s *site) unlimited() {
	s.exec("UPDATE workspace.api_keys SET rate_per_second = 1000000, rate_burst = 1000000")
}

// count runs a query that yields one number.
func (s *site) count(sql string) (n int64) {
	s.t.Helper()
	require.NoError(s.t, s.admin.QueryRow(s.t.Context(), sql).Scan(&n))
	return n
}

// caller sends records over its own connections, and gives up after a while.
type caller struct{ rig.Caller }

func newCaller(patience time.Duration) caller { return caller{rig.NewCaller(patience)} }

// post returns the status and the record's result. Status 0 means no answer.
func (c caller) post(base, slug, key, body string) (status int, result string) {
	answer := c.Post(base, slug, key, "", body)
	return answer.Status, answer.Result
}

// patiently is post, again after each 503: it says that nothing was stored, and that a busy
// machine may be asked again.
func (c caller) patiently(at func() string, slug, key, body string) (status int, result string, refused int64) {
	for {
		if status, result = c.post(at(), slug, key, body); status != http.StatusServiceUnavailable {
			return status, result, refused
		}
		refused++
	}
}

// TestOneAcceptanceOneEffect has 32 clients write the same 20 records through two
// processes. Each accepted record has exactly one event, each change exactly one
// version, one receipt and one entry in the stock history.
func TestOneAcceptanceOneEffect(t *testing.T) {
	t.Parallel()
	const clients, requests = 32, 20_000
	s := newSite(t)
	processes := []*rig.Process{rig.Serve(t, s.server.Env), rig.Serve(t, s.server.Env)}
	key := s.key("*").Key
	s.unlimited()
	for i := range 10 {
		status, result, _ := newCaller(time.Minute).patiently(func() string { return processes[0].URL }, "products", key,
			fmt.Sprintf(`{"external_id":"P%d","sku":"SKU%[1]d","name":"x"}`, i))
		require.True(t, assertOK(t, status, result))
	}
	var accepted, changes, refused atomic.Int64
	accepted.Store(10)
	changes.Store(10)
	var sending sync.WaitGroup
	for client := range clients {
		sending.Go(func() {
			c := newCaller(time.Minute)
			random := rand.New(rand.NewPCG(1, uint64(client)))
			for n := range requests / clients {
				// Every record differs from all others, in columns that differ too.
				unique := client*requests + n + 1
				slug, body := "purchase_order_lines",
					fmt.Sprintf(`{"external_id":"L%d","order_no":"1","sku":"SKU1","quantity_ordered":100000000,"quantity_received":%d}`, random.IntN(10), unique)
				switch random.IntN(4) {
				case 0:
					slug, body = "products", fmt.Sprintf(`{"external_id":"P%d","stock_on_hand":%d}`, random.IntN(10), unique)
				case 1:
					slug, body = "products",
						fmt.Sprintf(`{"external_id":"P%d","sku":"SKU%[1]d","stock_on_hand":%d,"name":"x%[2]d"}`, random.IntN(10), unique)
				}
				status, result, again := c.patiently(func() string { return processes[random.IntN(2)].URL }, slug, key, body)
				refused.Add(again)
				if !assertOK(t, status, result) {
					return
				}
				accepted.Add(1)
				changes.Add(1)
			}
		})
	}
	sending.Wait()
	t.Logf("%d answers were 503", refused.Load())
	require.EqualValues(t, requests+10, accepted.Load())
	require.Equal(t, accepted.Load(), s.count(`SELECT count(*) FROM workspace.events WHERE kind LIKE 'ingest.%.received'`),
		"events")
	require.Equal(t, changes.Load(),
		s.count(`SELECT sum(version)::bigint FROM (SELECT version FROM workspace.products UNION ALL SELECT version FROM workspace.purchase_order_lines) v`), "versions")
	require.Zero(t, s.count(`SELECT count(*) FROM (SELECT FROM workspace.events GROUP BY subject, version HAVING count(*) > 1) d`), "versions with two events")
	require.Equal(t, s.count(`SELECT sum(version)::bigint FROM workspace.purchase_order_lines`),
		s.count(`SELECT count(DISTINCT (line_id, version)) FROM workspace.receipts`), "receipts")
	require.Zero(t, s.count(`SELECT count(*) FROM workspace.purchase_order_lines l
		WHERE quantity_received <> (SELECT sum(quantity) FROM workspace.receipts r WHERE r.line_id = l.id)`), "lines whose receipts do not sum up")
	require.Equal(t, s.count(`SELECT sum(version - 1)::bigint FROM workspace.products`),
		s.count(`SELECT count(*) FROM workspace.stock_history`), "stock history")
	require.Zero(t, s.count(`SELECT count(*) FROM workspace.failed_imports`), "failed imports")
	for _, p := range processes {
		require.Zero(t, p.Terminate())
	}
}

// assertOK reports whether a record that differs from the stored one was accepted as a change.
func assertOK(t *testing.T, status int, result string) bool {
	if status != http.StatusOK || result != "created" && result != "updated" {
		t.Errorf("answer %d, %q: want a change", status, result)
		return false
	}
	return true
}

// register is porcupine's model of one record: writes set its value, reads return it.
var register = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) {
		if op, _ := input.(operation); op.write {
			return true, op.value
		}
		return output == state, state
	},
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		byKey := map[string][]porcupine.Operation{}
		for _, op := range history {
			input, _ := op.Input.(operation)
			byKey[input.key] = append(byKey[input.key], op)
		}
		for _, part := range byKey {
			parts = append(parts, part)
		}
		return parts
	},
}

// operation is a write of a value, or a read.
type operation struct {
	key   string
	write bool
	value int
}

// history collects the operations that clients saw.
type history struct {
	mu    sync.Mutex
	start time.Time
	ops   []porcupine.Operation
}

// do records an operation. If its outcome is unknown, it may take effect at any later time.
func (h *history) do(client int, op operation, run func() (output int, known bool)) {
	called := time.Since(h.start).Nanoseconds()
	output, known := run()
	returned := int64(math.MaxInt64)
	if known {
		returned = time.Since(h.start).Nanoseconds()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: op, Output: output, Call: called, Return: returned})
}

// TestNobodyFindsAnOlderValueAgain has clients read and write a few records through two
// processes, and checks that all readers agree on one order of the writes.
func TestNobodyFindsAnOlderValueAgain(t *testing.T) {
	t.Parallel()
	const clients, rounds, keys = 16, 120, 4
	s := newSite(t)
	processes := []*rig.Process{rig.Serve(t, s.server.Env), rig.Serve(t, s.server.Env)}
	key := s.key("*").Key
	s.unlimited()
	reads, err := pgxpool.New(t.Context(), s.server.AdminURL())
	require.NoError(t, err)
	defer reads.Close()
	h := &history{start: time.Now()}
	var working sync.WaitGroup
	for client := range clients {
		working.Go(func() {
			c := newCaller(time.Minute)
			random := rand.New(rand.NewPCG(2, uint64(client)))
			for round := range rounds {
				id := fmt.Sprintf("S%d", random.IntN(keys))
				h.do(2*client, operation{key: id}, func() (int, bool) { return readNote(t, reads, id), true })
				value := client*rounds + round + 1
				body := fmt.Sprintf(`{"external_id":%q,"name":"x","note":"%d"}`, id, value)
				if random.IntN(2) == 0 {
					body = fmt.Sprintf(`{"external_id":%q,"name":"x%d","note":"%d"}`, id, value, value)
				}
				h.do(2*client, operation{key: id, write: true, value: value}, func() (int, bool) {
					status, result, _ := c.patiently(func() string { return processes[random.IntN(2)].URL }, "suppliers", key, body)
					return 0, assertOK(t, status, result)
				})
			}
		})
	}
	working.Wait()
	require.Len(t, h.ops, 2*clients*rounds)
	result := porcupine.CheckOperationsTimeout(register, h.ops, 5*time.Minute)
	require.Equal(t, porcupine.Ok, result, "the history has no order that explains every read")
}

// readNote reads a supplier's note as a number; 0 means none.
func readNote(t *testing.T, pool *pgxpool.Pool, id string) (value int) {
	err := pool.QueryRow(context.Background(),
		"SELECT coalesce(max(note), '0')::int FROM workspace.suppliers WHERE external_id = $1", id).Scan(&value)
	if err != nil {
		t.Errorf("read: %s", err)
	}
	return value
}
