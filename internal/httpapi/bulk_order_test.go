package httpapi_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
)

// instance starts another instance of the service on the same database, with its jobs.
func (w *world) instance() {
	w.t.Helper()
	cfg := app.Config{DatabaseURL: w.db.ServiceURL, BaseURL: "https://quay.example", Lanes: 2, MaxQueued: 1000, MaxWait: time.Minute,
		MaxBodyBytes: 1 << 20, MaxConns: 32}
	other, err := app.New(w.t.Context(), cfg, slog.New(slog.DiscardHandler))
	require.NoError(w.t, err)
	w.t.Cleanup(other.Close)
	(&world{t: w.t, app: other}).work()
}

// refusedTwice sends two refused payloads of each record, an older and a newer one. For every
// third record, the newer payload was known before: its failed import has the smaller id.
func (w *world) refusedTwice(records int) {
	w.t.Helper()
	send := func(record int, name string) {
		body := fmt.Sprintf(`{"external_id":"S%d","Name":"%s %d"}`, record, name, record)
		require.Equal(w.t, http.StatusUnprocessableEntity, w.post("suppliers", body).status)
	}
	for record := 0; record < records; record += 3 {
		send(record, "new")
	}
	for _, name := range []string{"old", "new"} {
		for record := range records {
			send(record, name)
		}
	}
}

// requireNewest checks that every record has the value that was sent last.
func (w *world) requireNewest(records int) {
	w.t.Helper()
	require.Equal(w.t, []string{fmt.Sprintf("new | %d", records)},
		w.read("workspace.suppliers GROUP BY split_part(name, ' ', 1)", "split_part(name, ' ', 1), count(*)", "1"),
		"values that are not the newest")
}

// TestBulkRetryKeepsTheOrder retries an older and a newer failed import of each record at
// once: the older one neither wins nor blocks the newer one.
func TestBulkRetryKeepsTheOrder(t *testing.T) {
	t.Parallel()
	const records = 100
	for _, tt := range []struct {
		name      string
		overwrite bool
		bulks     int
	}{
		{"one bulk retry", false, 1},
		{"one bulk retry that overwrites", true, 1},
		{"three at once on two instances", false, 3},
		{"three at once on two instances that overwrite", true, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.unlimited()
			d := w.desk(auth.Buyer)
			w.refusedTwice(records)
			plan := map[string]any{"filter": byRename["filter"], "fixes": byRename["fixes"], "overwrite": tt.overwrite}
			var started []bulkRetry
			for range tt.bulks {
				started = append(started, d.start(plan, 2*records))
			}
			w.work()
			w.instance()
			var ends []bulkRetry
			for _, bulk := range started {
				ends = append(ends, d.ended(bulk.ID))
			}
			w.requireNewest(records)
			var succeeded int64
			for _, ended := range ends {
				require.Equal(t, "done", ended.Status, ended.Message)
				require.Equal(t, int64(2*records), ended.Done, "%+v", ended)
				succeeded += ended.Succeeded
				if tt.bulks == 1 {
					require.Equal(t, int64(2*records), ended.Succeeded, "%+v", ended)
				}
			}
			require.GreaterOrEqual(t, succeeded, int64(records))
			require.Equal(t, []string{fmt.Sprint(succeeded)}, w.read("workspace.events", "count(*)", "1"),
				"one event for each that was stored")
		})
	}
}

// TestRetriesByHandKeepTheOrder retries an older and a newer failed import of one record by hand.
func TestRetriesByHandKeepTheOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.desk(auth.Buyer)
	// refuse sends a payload that is refused, and returns a function that retries it
	// corrected.
	refuse := func(id, name string) func(overwrite bool) answer {
		t.Helper()
		failed := d.fail("suppliers", fmt.Sprintf(`{"external_id":%q,"name":%q,"lead_time_days":"soon"}`, id, name))
		return func(overwrite bool) answer {
			return d.retry(failed.ID,
				map[string]any{"payload": fmt.Sprintf(`{"external_id":%q,"name":%q}`, id, name), "overwrite": overwrite})
		}
	}
	name := func(id string) string {
		t.Helper()
		return w.read("workspace.suppliers WHERE external_id = '"+id+"'", "name", "1")[0]
	}
	stored := func(got answer) {
		t.Helper()
		require.Equal(t, http.StatusOK, decode[retried](t, got, http.StatusOK).Status, got.body)
	}
	newer := func(got answer) {
		t.Helper()
		requireProblem(t, got, http.StatusPreconditionFailed, "newer")
	}

	t.Run("the older one first: it does not block the newer ones", func(t *testing.T) {
		first, second, third := refuse("S1", "first"), refuse("S1", "second"), refuse("S1", "third")
		stored(first(false))
		stored(second(false))
		stored(third(false))
		require.Equal(t, "third", name("S1"))
	})
	t.Run("the newer one first: the older one is left alone, unless asked", func(t *testing.T) {
		old, latest := refuse("S2", "old"), refuse("S2", "latest")
		stored(latest(false))
		newer(old(false))
		require.Equal(t, "latest", name("S2"))
		stored(old(true))
		require.Equal(t, "old", name("S2"))
	})
	t.Run("the newer one first, and it changes nothing: it is still newer", func(t *testing.T) {
		require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S3","name":"same"}`).status)
		old, latest := refuse("S3", "old"), refuse("S3", "same")
		stored(latest(false))
		newer(old(false))
		require.Equal(t, "same", name("S3"))
	})
	t.Run("a record that came after both is left alone by both", func(t *testing.T) {
		old, latest := refuse("S4", "old"), refuse("S4", "latest")
		stored(old(false))
		require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S4","name":"live"}`).status)
		newer(latest(false))
		require.Equal(t, "live", name("S4"))
	})
	t.Run("overwriting a record that came later does not make it older", func(t *testing.T) {
		old, latest := refuse("S5", "old"), refuse("S5", "latest")
		require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S5","name":"live","note":"live"}`).status)
		stored(old(true))
		newer(latest(false))
	})
	t.Run("a repeat of the older payload is the newest word", func(t *testing.T) {
		repeated, other := refuse("S6", "repeated"), refuse("S6", "other")
		refuse("S6", "repeated")
		stored(repeated(false))
		newer(other(false))
		require.Equal(t, "repeated", name("S6"))
	})
	t.Run("linking a row to what came late is nobody's word", func(t *testing.T) {
		item := func(quantity string) string {
			return fmt.Sprintf(`{"external_id":"I1","order_id":"O1","name":"Tea","unit_price":2,"quantity":%s}`, quantity)
		}
		old, latest := d.fail("order_line_items", item(`"few"`)), d.fail("order_line_items", item(`"many"`))
		stored(d.retry(old.ID, map[string]any{"payload": item("2")}))
		require.Equal(t, http.StatusOK, w.post("orders",
			`{"external_id":"O1","ordered_at":"2026-03-14T09:30:00Z","status":"open","currency":"EUR","total":2}`).status)
		require.Equal(t, []string{"2 | 2 | -"},
			w.read("workspace.order_line_items", "version, quantity, order_external_id", "1"), "it was linked")
		stored(d.retry(latest.ID, map[string]any{"payload": item("9")}))
		require.Equal(t, []string{"3 | 9"}, w.read("workspace.order_line_items", "version, quantity", "1"))
	})
}
