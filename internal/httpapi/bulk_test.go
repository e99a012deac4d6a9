package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

type bulkRetry struct {
	ID                                 uuid.UUID
	Status, Message                    string
	Total, Done                        int64
	Succeeded, Refused, Newer, Skipped int64
}

type preview struct {
	Count   int64
	Samples []struct {
		Before, After string
		Changed       bool
		Status        int
		Code          string
	}
}

func (d desk) bulks() string { return strings.Replace(d.path, "failures", "bulk-retries", 1) }

func (d desk) start(plan map[string]any, expected int) bulkRetry {
	d.w.t.Helper()
	return decode[bulkRetry](d.w.t, d.call(http.MethodPost, d.bulks(), map[string]any{"plan": plan, "expected": expected}),
		http.StatusCreated)
}

// ended waits for a bulk retry to end.
func (d desk) ended(id uuid.UUID) (bulk bulkRetry) {
	d.w.t.Helper()
	require.Eventually(d.w.t, func() bool {
		bulk = decode[bulkRetry](d.w.t, d.call(http.MethodGet, d.bulks()+"/"+id.String(), nil), http.StatusOK)
		return bulk.Status != "queued" && bulk.Status != "running"
	}, 3*time.Minute, 20*time.Millisecond, "the bulk retry never ends")
	return bulk
}

// work starts the background jobs, until the test ends.
func (w *world) work() {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	wait, err := w.app.StartJobs(ctx)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { stop(); wait() })
}

// refused sends supplier records with a misspelt name field.
func (w *world) refused(count int) {
	w.t.Helper()
	for i := range count {
		require.Equal(w.t, http.StatusUnprocessableEntity,
			w.post("suppliers", fmt.Sprintf(`{"external_id":"S%d","Name":"Supplier %d"}`, i, i)).status)
	}
}

var byRename = map[string]any{
	"filter": map[string]any{"table": "suppliers", "code": "required", "field": "name"},
	"fixes":  []any{map[string]any{"do": "rename", "field": "Name", "to": "name"}},
}

func TestFailedValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unlimited()
	for i, total := range []string{`"1.240,50"`, `"1.240,50"`, `"\u0031.240"`, `"1.240"`, `"two"`, `true`} {
		require.Equal(t, http.StatusUnprocessableEntity, w.post("orders", fmt.Sprintf(
			`{"external_id":"O%d","ordered_at":"2026-03-14T09:30:00Z","status":"opened","currency":"EUR","total":%s}`, i, total)).status)
	}
	w.refused(1) // of another table
	d := w.desk(auth.Buyer)
	ask := func(field string) string {
		return d.call(http.MethodPost, d.bulks()+"/values", map[string]any{"filter": map[string]any{"table": "orders"}, "field": field}).body
	}
	require.JSONEq(t, `{"matching":6,"looked":6,"missing":0,"other":0,"items":[
			{"value":"\"1.240\"","count":2},{"value":"\"1.240,50\"","count":2},{"value":"\"two\"","count":1},{"value":"true","count":1}],
		"readings":[
			{"do":"number","form":"decimal_point","count":2,"items":[{"from":"\"1.240\"","to":"1.240"}]},
			{"do":"number","form":"decimal_comma","count":4,"items":[{"from":"\"1.240\"","to":"1240"},{"from":"\"1.240,50\"","to":"1240.50"}]}]}`, ask("total"))
	require.JSONEq(t, `{"matching":6,"looked":6,"missing":6,"other":0,"items":[],"readings":[]}`, ask("nothing"))
	require.JSONEq(t, `{"matching":6,"looked":6,"missing":0,"other":0,"items":[{"value":"\"opened\"","count":6}],"readings":[]}`, ask("status"))
	require.Equal(t, http.StatusForbidden, w.desk(auth.Viewer).call(http.MethodPost, d.bulks()+"/values",
		map[string]any{"filter": map[string]any{}, "field": "total"}).status)

	preview := decode[preview](t, d.call(http.MethodPost, d.bulks()+"/preview", map[string]any{"filter": map[string]any{"table": "orders"},
		"fixes": []any{map[string]any{"do": "number", "field": "total", "form": "decimal_comma"},
			map[string]any{"do": "map", "field": "status", "from": "opened", "value": "open"}}}), http.StatusOK)
	stored := 0
	for _, sample := range preview.Samples {
		if sample.Status == http.StatusOK {
			stored++
		}
	}
	require.Equal(t, 4, stored)
}

func TestBulkRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unlimited()
	d := w.desk(auth.Buyer)
	w.refused(250) // more than a batch
	d.fail("suppliers", `{"external_id":"S-none"}`)
	d.fail("orders", `{"external_id":"O1"}`)
	w.work()

	seen := decode[preview](t, d.call(http.MethodPost, d.bulks()+"/preview", byRename), http.StatusOK)
	require.Equal(t, int64(251), seen.Count)
	require.Len(t, seen.Samples, 20)
	require.Equal(t, 422, seen.Samples[0].Status, "this one has no name under any name")
	require.False(t, seen.Samples[0].Changed)
	require.Equal(t, 200, seen.Samples[1].Status)
	require.Contains(t, seen.Samples[1].Before, `"Name": "Supplier 249"`)
	require.Contains(t, seen.Samples[1].After, `"name": "Supplier 249"`)
	require.Empty(t, w.read("workspace.suppliers", "name", "1"), "a preview keeps nothing")

	requireProblem(t, d.call(http.MethodPost, d.bulks(), map[string]any{"plan": byRename, "expected": 250}),
		http.StatusConflict, "more_match")
	started := d.start(byRename, 251)
	ended := d.ended(started.ID)
	require.Equal(t, bulkRetry{ID: started.ID, Status: "done", Total: 251, Done: 251, Succeeded: 250, Refused: 1}, ended)
	require.Len(t, w.read("workspace.suppliers", "name", "1"), 250)
	require.Len(t, d.list("table=suppliers&status=open"), 1)
	require.Equal(t, "retry", *d.list("table=suppliers&status=resolved&limit=1")[0].ClosedHow)
	require.Len(t, d.list("table=orders&status=open"), 1, "the filter did not mean it")
	require.Equal(t, []string{"bulk_retry.started | 1", "failure.retried | 251"},
		w.read("workspace.audit WHERE actor->>'id' = '"+d.id.String()+"' GROUP BY action", "action, count(*)", "1"))

	detail := d.get(d.list("table=suppliers&status=resolved&limit=1")[0].ID)
	require.Contains(t, detail.Payload, `"Name"`, "what came stays as it came")
	require.Contains(t, *detail.Attempts[0].Payload, `"name"`)
	requireProblem(t, d.call(http.MethodPost, d.bulks(),
		map[string]any{"plan": map[string]any{"filter": map[string]any{"table": "products"}}, "expected": 1}),
		http.StatusConflict, "none_match")
}

// TestBulkRetrySurvives resets a bulk retry to the state of a process that died after its work
// and before it recorded it. Nothing is tried twice and the counts stay right.
func TestBulkRetrySurvives(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.desk(auth.Buyer)
	w.refused(5)
	d.fail("suppliers", `{"external_id":"S-none"}`)
	w.work()
	first := d.ended(d.start(byRename, 6).ID)
	w.exec("UPDATE workspace.bulk_retries SET status = 'running', finished_at = NULL, cursor = $1, succeeded = 0, refused = 0", uuid.Nil)
	w.exec(`INSERT INTO river.river_job (kind, args, max_attempts) SELECT kind, args, max_attempts FROM river.river_job`)
	require.Equal(t, first, d.ended(first.ID))
	require.Equal(t, []string{"6"}, w.read("workspace.failed_import_attempts", "count(*)", "1"))
}

func TestBulkRetryIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.desk(auth.Buyer)
	w.refused(3)
	waiting, running := d.start(byRename, 3), d.start(byRename, 3)
	w.exec("UPDATE workspace.bulk_retries SET status = 'running' WHERE id = $1", running.ID)
	cancel := func(id uuid.UUID) string {
		return decode[bulkRetry](t, d.call(http.MethodPost, d.bulks()+"/"+id.String()+"/cancel", nil), http.StatusOK).Status
	}
	require.Equal(t, "cancelled", cancel(waiting.ID))
	require.Equal(t, "running", cancel(running.ID), "it stops when it looks up")
	w.work()
	require.Equal(t, bulkRetry{ID: running.ID, Status: "cancelled", Total: 3}, d.ended(running.ID))
	require.Equal(t, "cancelled", cancel(running.ID), "twice is once")
	require.Len(t, d.list("status=open"), 3)
}

func TestBulkRetryNeedsItsStarter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, other := w.desk(auth.Buyer), w.desk(auth.CompanyAdmin)
	w.refused(2)
	started, second := d.start(byRename, 2), other.start(byRename, 2)
	w.exec("UPDATE control.memberships SET role = 'viewer' WHERE user_id = $1", d.id)
	w.exec("DELETE FROM control.memberships WHERE user_id = $1", other.id)
	third := w.desk(auth.Viewer)
	w.work() // only now, so that no retry is done before its starter loses the right
	ended := third.ended(started.ID)
	require.Equal(t, "failed", ended.Status)
	require.Contains(t, ended.Message, "may no longer")
	require.Zero(t, ended.Done)
	require.Equal(t, "failed", third.ended(second.ID).Status)
	require.Len(t, third.list("status=open"), 2)
}

func TestBulkRetriesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unlimited()
	d := w.desk(auth.Buyer)
	w.refused(60)
	require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S59","name":"New"}`).status,
		"changed after its failure")
	var bulks []bulkRetry
	for range 4 {
		bulks = append(bulks, d.start(byRename, 60))
	}
	w.work()
	w.work() // as another instance would
	var (
		stored  int64
		waiting sync.WaitGroup
		mu      sync.Mutex
	)
	for _, bulk := range bulks {
		waiting.Go(func() {
			ended := d.ended(bulk.ID)
			mu.Lock()
			defer mu.Unlock()
			stored += ended.Succeeded
		})
	}
	waiting.Wait()
	require.Equal(t, int64(59), stored, "each is stored once, whoever does it")
	require.Equal(t, []string{"1 | 60"}, w.read("workspace.suppliers GROUP BY version", "version, count(*)", "1"))
	require.Equal(t, []string{"New"}, w.read("workspace.suppliers WHERE external_id = 'S59'", "name", "1"))
}

func TestFailuresAreExported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unlimited()
	d := w.desk(auth.Viewer)
	w.refused(230) // more than fit into memory at once
	d.fail("suppliers", "{\n  \"external_id\": \"S-lines\"\n}")
	d.fail("orders", `{"external_id":"O1"}`)
	got := d.call(http.MethodGet, d.path+".ndjson?status=open&table=suppliers", nil)
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.header.Get("Content-Disposition"), "attachment")
	lines := strings.Split(strings.TrimSuffix(got.body, "\n"), "\n")
	require.Len(t, lines, 231)
	require.Equal(t, `{"external_id":"S-lines"}`, lines[0])
	require.Equal(t, `{"external_id":"S0","Name":"Supplier 0"}`, lines[230])
}
