package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

type failure struct {
	ID        uuid.UUID `json:"id"`
	Slug      string    `json:"slug"`
	Status    string    `json:"status"`
	Code      string    `json:"code"`
	Field     *string   `json:"field"`
	RecordKey *string   `json:"record_key"`
	Seen      int64     `json:"seen"`
	ClosedHow *string   `json:"closed_how"`
}

type failureDetail struct {
	Failure  failure
	Payload  string
	Attempts []struct {
		Payload *string
		Status  int64
		Code    string
		ByType  string `json:"by_type"`
	}
}

type retried struct {
	Status int
	Result string
	Errors []struct{ Pointer string }
}

// desk is a person who works on failed imports.
type desk struct {
	*person
	path string
}

func (w *world) desk(role auth.Role) desk {
	return desk{w.join(w.tenant, role).enter(), "/api/app/workspaces/" + w.tenant.Workspace.String() + "/failures"}
}

func (d desk) list(query string) []failure {
	d.w.t.Helper()
	return decode[page[failure]](d.w.t, d.call(http.MethodGet, d.path+"?"+query, nil), http.StatusOK).Items
}

func (d desk) get(id uuid.UUID) failureDetail {
	d.w.t.Helper()
	return decode[failureDetail](d.w.t, d.call(http.MethodGet, d.path+"/"+id.String(), nil), http.StatusOK)
}

func (d desk) retry(id uuid.UUID, body map[string]any) answer {
	d.w.t.Helper()
	return d.call(http.MethodPost, d.path+"/"+id.String()+"/retry", body)
}

// fail sends a record that is refused and returns its failure.
func (d desk) fail(slug, record string) failure {
	d.w.t.Helper()
	require.Equal(d.w.t, http.StatusUnprocessableEntity, d.w.post(slug, record).status)
	return d.list("limit=1")[0]
}

func TestFailuresAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.desk(auth.Viewer)
	for _, record := range []string{
		`{"external_id":"S1","name":"One","lead_time_days":"soon"}`,
		`{"external_id":"S2","name":"Two","lead_time_days":"later"}`,
		`{"external_id":"S3"}`,
		`{"external_id":"S3"}`,
	} {
		require.Equal(t, http.StatusUnprocessableEntity, w.post("suppliers", record).status)
	}
	require.Equal(t, http.StatusUnprocessableEntity, w.post("orders", `{"external_id":"O1"}`).status)

	for query, want := range map[string]int{
		"": 4, "table=suppliers": 3, "table=orders": 1, "field=lead_time_days": 2, "field=none": 0, "code=required": 2,
		"status=open": 4, "status=ignored": 0, "text=soon": 1, "text=" + url.QueryEscape("S3"): 1,
		"since=2001-01-01T00:00:00Z": 4, "since=2101-01-01T00:00:00Z": 0, "key=" + uuid.NewString(): 0, "key=nothing": 0,
	} {
		require.Len(t, d.list(query), want, query)
	}
	first := decode[page[failure]](t, d.call(http.MethodGet, d.path+"?limit=3", nil), http.StatusOK)
	rest := d.list("limit=3&cursor=" + first.NextCursor)
	require.Len(t, rest, 1)
	require.Equal(t, "S1", *rest[0].RecordKey, "the oldest comes last")

	type group struct {
		Slug, Code, Field string
		Failures, Seen    int64
	}
	groups := decode[page[group]](t, d.call(http.MethodGet, strings.Replace(d.path, "failures", "failure-groups", 1), nil),
		http.StatusOK).Items
	require.Equal(t, group{"suppliers", "type", "lead_time_days", 2, 2}, groups[0])
	require.Contains(t, groups, group{"suppliers", "required", "name", 1, 2})

	detail := d.get(rest[0].ID)
	require.JSONEq(t, `{"external_id":"S1","name":"One","lead_time_days":"soon"}`, detail.Payload)
	requireProblem(t, d.retry(rest[0].ID, map[string]any{}), http.StatusForbidden, "forbidden")
}

func TestRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.desk(auth.Buyer)

	t.Run("as it came, it is refused again and stays open", func(t *testing.T) {
		failed := d.fail("suppliers", `{"external_id":"S1","name":"One","lead_time_days":"soon"}`)
		got := decode[retried](t, d.retry(failed.ID, map[string]any{}), http.StatusOK)
		require.Equal(t, http.StatusUnprocessableEntity, got.Status)
		require.Equal(t, "#/lead_time_days", got.Errors[0].Pointer)
		detail := d.get(failed.ID)
		require.Equal(t, "open", detail.Failure.Status)
		require.Equal(t, int64(1), detail.Failure.Seen, "a retry is no repeat of its sender's")
		require.Len(t, detail.Attempts, 1)
		require.Nil(t, detail.Attempts[0].Payload)
		require.Equal(t, "user", detail.Attempts[0].ByType)

		edited := `{"external_id":"S1","name":"One","lead_time_days":7}`
		got = decode[retried](t, d.retry(failed.ID, map[string]any{"payload": edited}), http.StatusOK)
		require.Equal(t, retried{Status: http.StatusOK, Result: "created", Errors: got.Errors}, got)
		detail = d.get(failed.ID)
		require.Equal(t, "resolved", detail.Failure.Status)
		require.Equal(t, "retry", *detail.Failure.ClosedHow)
		require.Contains(t, detail.Payload, "soon", "what came stays as it came")
		require.Equal(t, edited, *detail.Attempts[0].Payload)
		requireProblem(t, d.retry(failed.ID, map[string]any{}), http.StatusConflict, "resolved")
		require.Equal(t, []string{"user | " + d.id.String()}, w.read("workspace.events", "actor->>'type', actor->>'id'", "1"))
	})
	t.Run("a row that was changed since is left alone, unless asked", func(t *testing.T) {
		require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S2","name":"Two"}`).status)
		failed := d.fail("suppliers", `{"external_id":"S2","name":"Old","lead_time_days":"soon"}`)
		require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S2","name":"New"}`).status)
		edited := map[string]any{"payload": `{"external_id":"S2","name":"Old"}`}
		requireProblem(t, d.retry(failed.ID, edited), http.StatusPreconditionFailed, "newer")
		require.Equal(t, []string{"New"}, w.read("workspace.suppliers WHERE external_id = 'S2'", "name", "1"))
		edited["overwrite"] = true
		require.Equal(t, "updated", decode[retried](t, d.retry(failed.ID, edited), http.StatusOK).Result)
		require.Equal(t, []string{"Old"}, w.read("workspace.suppliers WHERE external_id = 'S2'", "name", "1"))
	})
	t.Run("what was missing has come", func(t *testing.T) {
		failed := d.fail("products", `{"external_id":"P1","name":"Tea","supplier_id":"S3"}`)
		require.Equal(t, "unknown_reference", failed.Code)
		require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S3","name":"Three"}`).status)
		require.Equal(t, "created", decode[retried](t, d.retry(failed.ID, map[string]any{}), http.StatusOK).Result)
	})
	t.Run("two people at once make one effect", func(t *testing.T) {
		failed := d.fail("suppliers", `{"external_id":"S4"}`)
		edited := map[string]any{"payload": `{"external_id":"S4","name":"Four"}`}
		var (
			racing sync.WaitGroup
			mu     sync.Mutex
			stored int
		)
		for range 8 {
			other := w.desk(auth.CompanyAdmin)
			racing.Go(func() {
				got := other.retry(failed.ID, edited)
				mu.Lock()
				defer mu.Unlock()
				if got.status == http.StatusOK {
					stored++
				} else {
					require.Equal(t, http.StatusConflict, got.status, got.body)
				}
			})
		}
		racing.Wait()
		require.Equal(t, 1, stored)
		require.Equal(t, []string{"1"}, w.read("workspace.suppliers WHERE external_id = 'S4'", "version", "1"))
	})
	t.Run("an approval cannot be forged by editing", func(t *testing.T) {
		failed := d.fail("purchase_order_lines",
			`{"external_id":"L1","order_no":"PO-1","sku":"TEA","quantity_ordered":"many"}`)
		edited := map[string]any{"payload": `{"external_id":"L1","order_no":"PO-1","sku":"TEA","quantity_ordered":5,"approved_by":"` + uuid.NewString() + `"}`}
		require.Equal(t, http.StatusOK, decode[retried](t, d.retry(failed.ID, edited), http.StatusOK).Status)
		require.Equal(t, []string{"-"}, w.read("workspace.purchase_order_lines", "approved_by", "1"))
	})
}

func TestDismiss(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.desk(auth.Buyer)
	failed := d.fail("suppliers", `{"external_id":"S1"}`)
	at := d.path + "/" + failed.ID.String()
	require.Equal(t, http.StatusUnprocessableEntity,
		d.call(http.MethodPost, at+"/dismiss", map[string]string{"reason": " "}).status)
	require.Equal(t, http.StatusNoContent,
		d.call(http.MethodPost, at+"/dismiss", map[string]string{"reason": "A test"}).status)
	require.Equal(t, "hand", *d.get(failed.ID).Failure.ClosedHow)
	requireProblem(t, d.call(http.MethodPost, at+"/dismiss", map[string]string{"reason": "Again"}), http.StatusConflict,
		"status")
	require.Equal(t, http.StatusNoContent, d.call(http.MethodPost, at+"/reopen", nil).status)
	require.Equal(t, "open", d.get(failed.ID).Failure.Status)

	require.Equal(t, http.StatusNoContent,
		d.call(http.MethodPost, at+"/dismiss", map[string]string{"reason": "A test"}).status)
	d.fail("suppliers", `{"external_id":"S1"}`) // the same payload fails again
	requireProblem(t, d.call(http.MethodPost, at+"/reopen", nil), http.StatusConflict, "status")
	requireProblem(t, d.call(http.MethodPost, d.path+"/"+uuid.NewString()+"/reopen", nil), http.StatusNotFound,
		"unknown_failure")
}
