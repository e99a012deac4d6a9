package exchange_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/fault"
	standin "github.com/quayside/quayside/test/inventory"
)

// rehearse returns one line for each order: the number, the prospect, and what would be written or is missing.
func (w *world) rehearse() (told map[string]string, r exchange.Rehearsal) {
	w.t.Helper()
	w.abundant()
	before, taken := w.everything(), w.there.Taken()
	r, err := w.Rehearse(w.t.Context(), w.boss, w.connection.ID)
	require.NoError(w.t, err)
	require.Equal(w.t, before, w.everything(), "something was written here")
	require.Equal(w.t, taken, w.there.Taken(), "something was written there")
	told = map[string]string{}
	for _, one := range r.Orders {
		text := []string{string(one.Prospect)}
		for side, effects := range map[string][]exchange.Effect{"here": one.Here, "there": one.There} {
			for _, e := range effects {
				text = append(text, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s→%s", side, e.What, e.SKU, e.Field, e.From, e.To)))
			}
		}
		for _, c := range one.Conflicts {
			text = append(text, fmt.Sprintf("%s %s %s/%s", c.SKU, c.Field, c.Ours, c.Theirs))
		}
		told[one.Number] = strings.Join(append(text, one.Code), "; ")
	}
	return told, r
}

// everything is what a rehearsal could have changed.
func (w *world) everything() string {
	w.t.Helper()
	var text string
	require.NoError(w.t, w.admin.QueryRow(w.t.Context(), `SELECT concat(
		(SELECT string_agg(l::text, ' ' ORDER BY l.id) FROM workspace.purchase_order_lines l),
		(SELECT string_agg(i::text, ' ' ORDER BY i.ours) FROM workspace.exchange_ids i),
		(SELECT string_agg(o::text, ' ' ORDER BY o.order_no) FROM workspace.exchange_orders o),
		(SELECT string_agg(c::text, ' ') FROM workspace.exchange_conflicts c), (SELECT count(*) FROM workspace.audit))`).Scan(&text))
	return text
}

func TestRehearse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	w.ordered("PO-NEW", "TEA", "CUP")
	w.ordered("PO-SAME", "TEA")
	w.compare("PO-SAME", exchange.Synced)
	w.ordered("PO-PRICE", "TEA")
	w.compare("PO-PRICE", exchange.Synced)
	require.NoError(t, w.there.SetPrice("PO-PRICE", "TEA", dec("3")))
	w.ordered("PO-CAME", "CUP")
	w.compare("PO-CAME", exchange.Synced)
	require.NoError(t, w.there.Receive("PO-CAME", "CUP", dec("4"), at("2026-11-10")))
	w.ordered("PO-BOTH", "POT")
	w.compare("PO-BOTH", exchange.Synced)
	require.NoError(t, w.there.SetPrice("PO-BOTH", "POT", dec("3")))
	w.exec("UPDATE workspace.purchase_order_lines SET price_per_unit = 4 WHERE order_no = 'PO-BOTH'")
	w.draft("PO-HELD", "TEA")
	w.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-2', 'S2', 'Unmapped')",
		w.boss.Tenant, w.boss.Workspace)
	w.exec("UPDATE workspace.purchase_order_lines SET supplier_id = 'sup-2' WHERE order_no = 'PO-HELD'")

	told, r := w.rehearse()
	require.Equal(t, map[string]string{
		"PO-NEW":   "created_there; there create TEA  →10; there create CUP  →10; ",
		"PO-SAME":  "left_alone; ",
		"PO-PRICE": "changed_here; here change TEA price 2.5→3; ",
		"PO-CAME":  "changed_here; here change CUP status ordered→partially_received; here receive CUP  →4; ",
		"PO-BOTH":  "conflict; POT price 4/3; ",
		"PO-HELD":  "held; supplier_unmapped",
	}, told)
	require.Equal(t, []any{int64(6), 6, 4, true, ""}, []any{r.Open, r.Looked, r.There, r.Whole, r.Trouble})

	// Only export: what changed there is left alone.
	w.exec("UPDATE workspace.connections SET may_load = false")
	told, _ = w.rehearse()
	require.Equal(t, "left_alone; ", told["PO-CAME"])
	require.Contains(t, told["PO-NEW"], "created_there")
}

// TestRehearseLoad has an order that somebody made there, and a number that both sides gave by chance.
func TestRehearseLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{}, func(s *connection.Settings) { s.MayExport = false })
	order := func(number, sku string) {
		answer, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/purchase_orders", strings.NewReader(fmt.Sprintf(`{"order_no":%q,"supplier_id":2,"location_id":7,"purchase_order_rows":
			[{"quantity":5,"variant_id":%d,"price_per_unit":1}]}`, number, map[string]int{"TEA": 3, "MUG": 6}[sku])))
		request.Header.Set("Authorization", "Bearer "+token)
		w.there.ServeHTTP(answer, request)
		require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	}
	order("THEIRS-1", "TEA")
	order("THEIRS-2", "MUG")
	order("PO-CHANCE", "TEA")
	w.draft("PO-CHANCE", "CUP")
	w.draft("PO-OURS", "CUP")
	told, _ := w.rehearse()
	require.Equal(t, map[string]string{
		"THEIRS-1":  "created_here; here create TEA  →5; ",
		"THEIRS-2":  "held; article_unmapped",
		"PO-CHANCE": "held; inventory_number_taken",
		"PO-OURS":   "left_alone; ",
	}, told)
}

// TestRehearseWithinBudget has fewer calls than it needs: it says what it did not look at.
func TestRehearseWithinBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standin.Options{})
	w.ordered("PO-1", "TEA")
	w.abundant()
	// One call is left, and the next one is further away than anybody waits.
	w.exec(`UPDATE workspace.connections SET calls_per_minute = 1`)
	r, err := w.Rehearse(t.Context(), w.boss, w.connection.ID)
	require.NoError(t, err)
	require.Equal(t, exchange.NotLookedAt, r.Orders[0].Prospect)
	require.False(t, r.Whole)
	require.Contains(t, r.Trouble, "asks to wait")
	_, err = w.Rehearse(t.Context(), w.boss, w.connection.ID)
	require.True(t, fault.HasCode(err, "inventory_limited"), "%v", err)
	_, err = w.Rehearse(t.Context(), w.buyer, w.connection.ID)
	require.True(t, fault.HasCode(err, "forbidden"))
}
