package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

type figures struct {
	Rows         int64      `json:"rows"`
	LastRecordAt *time.Time `json:"last_record_at"`
	Accepted     int64      `json:"accepted_24h"`
	Failed       int64      `json:"failed_24h"`
	OpenFailures int64      `json:"open_failures"`
	Pending      int64      `json:"pending_references"`
	ByHour       []struct {
		Accepted int64 `json:"accepted"`
	} `json:"by_hour"`
	Warned []struct {
		Code    string `json:"code"`
		Meaning string `json:"meaning"`
		Records int64  `json:"records"`
	} `json:"warned_24h"`
}

type sourceAnswer struct {
	Slug     string  `json:"slug"`
	Endpoint string  `json:"endpoint"`
	Figures  figures `json:"figures"`
}

// TestFigures counts incoming records, through the meter and the jobs, and reads the figures
// as a viewer.
func TestFigures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer := w.join(w.tenant, auth.Viewer).enter()
	sources := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/sources"
	read := func(slug string) figures {
		for _, one := range decode[page[sourceAnswer]](t, viewer.call(http.MethodGet, sources, nil), http.StatusOK).Items {
			if one.Slug == slug {
				require.Equal(t, "https://quay.example/api/ingest/"+slug, one.Endpoint)
				return one.Figures
			}
		}
		t.Fatalf("no source %s", slug)
		return figures{}
	}
	settle := func() {
		require.NoError(t, w.app.Meter.Flush(t.Context()))
		require.NoError(t, w.app.Records.CountStates(t.Context()))
	}

	empty := read("suppliers")
	require.Len(t, empty.ByHour, 24)
	require.Empty(t, empty.Warned)
	empty.ByHour, empty.Warned = nil, nil
	require.Equal(t, figures{}, empty)

	for _, body := range []string{
		`{"external_id":"S1","name":"One"}`, `{"external_id":"S2","name":"Two"}`,
		`{"external_id":"S1","name":"One"}`, `{"external_id":"S2","name":"Three"}`,
	} {
		require.Equal(t, http.StatusOK, w.post("suppliers", body).status)
	}
	require.Equal(t, http.StatusUnprocessableEntity,
		w.post("suppliers", `{"external_id":"S3","name":"x","lead_time_days":"soon"}`).status)
	require.Equal(t, http.StatusBadRequest, w.post("suppliers", `{`).status)
	require.Equal(t, http.StatusOK, w.post("suppliers?dry_run=true", `{"external_id":"S4","name":"Dry"}`).status)
	require.Equal(t, http.StatusOK,
		w.post("order_line_items", `{"external_id":"I1","order_id":"O1","name":"Tea","quantity":1,"unit_price":2}`).status)
	settle()

	got := read("suppliers")
	require.WithinDuration(t, time.Now(), *got.LastRecordAt, time.Minute)
	require.Equal(t, int64(4), got.ByHour[23].Accepted+got.ByHour[22].Accepted)
	require.Equal(t, figures{Rows: 2, Accepted: 4, Failed: 2, OpenFailures: 1, LastRecordAt: got.LastRecordAt,
		ByHour: got.ByHour, Warned: got.Warned}, got)
	require.Empty(t, got.Warned)
	lines := read("order_line_items")
	require.Equal(t, int64(1), lines.Pending)
	require.Equal(t, int64(1), lines.Rows)

	t.Run("records that were warned of are counted by code", func(t *testing.T) {
		for i, body := range []string{`"sku":"NONE"`, `"sku":" NONE"`, `"sku":"NONE","status":"received"`} {
			require.Equal(t, http.StatusOK, w.post("purchase_order_lines",
				fmt.Sprintf(`{"external_id":"L%d","order_no":"1","quantity_ordered":1,%s}`, i, body)).status)
			settle()
		}
		require.Equal(t, http.StatusOK, w.post("purchase_order_lines?dry_run=true",
			`{"external_id":"L9","order_no":"1","quantity_ordered":1,"sku":"NONE"}`).status)
		settle()
		warned := map[string]int64{}
		for _, one := range read("purchase_order_lines").Warned {
			warned[one.Code] = one.Records
			require.NotEmpty(t, one.Meaning)
		}
		require.Equal(t, map[string]int64{"sku_unknown": 3, "sku_padded": 1, "received_without_quantity": 1}, warned)
	})
	t.Run("what was pending is not for ever", func(t *testing.T) {
		require.Equal(t, http.StatusOK, w.post("orders",
			`{"external_id":"O1","ordered_at":"2026-03-14T09:30:00Z","status":"open","currency":"EUR","total":2}`).status)
		w.exec("UPDATE workspace.source_figures SET counted_at = now() - interval '2 minutes'")
		settle()
		require.Zero(t, read("order_line_items").Pending)
	})
	t.Run("rows that a crash did not count are counted when it is quiet", func(t *testing.T) {
		w.exec("UPDATE workspace.source_figures SET rows = 0, touched_at = now() - interval '2 minutes'")
		w.exec("UPDATE workspace.suppliers SET created_at = now() - interval '1 hour'")
		require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S6","name":"Not flushed yet"}`).status)
		require.NoError(t, w.app.Records.RecountRows(t.Context()))
		require.Equal(t, int64(2), read("suppliers").Rows, "what the meter will add is not counted")
		settle()
		require.Equal(t, int64(3), read("suppliers").Rows)
		w.exec("UPDATE workspace.source_figures SET rows = 0, touched_at = now() - interval '2 minutes'")
		require.NoError(t, w.app.Records.RecountRows(t.Context()))
		require.Zero(t, read("suppliers").Rows, "one count a day")
		w.exec("UPDATE workspace.source_figures SET rows = 3 WHERE slug = 'suppliers'")
	})
	t.Run("sums that could not be written are written later", func(t *testing.T) {
		require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S5","name":"Five"}`).status)
		w.exec("ALTER TABLE workspace.source_hours RENAME TO away")
		require.Error(t, w.app.Meter.Flush(t.Context()))
		w.exec("ALTER TABLE workspace.away RENAME TO source_hours")
		settle()
		got := read("suppliers")
		require.Equal(t, int64(4), got.Rows)
		require.Equal(t, int64(6), got.Accepted)
	})
	t.Run("another workspace has figures of its own", func(t *testing.T) {
		var other uuid.UUID
		require.NoError(t, w.admin.QueryRow(t.Context(),
			"SELECT id FROM control.workspaces WHERE tenant_id = $1 AND id <> $2", w.tenant.ID, w.tenant.Workspace).Scan(&other))
		got := decode[struct {
			Source sourceAnswer `json:"source"`
		}](t, viewer.call(http.MethodGet, "/api/app/workspaces/"+other.String()+"/sources/suppliers", nil), http.StatusOK)
		require.Zero(t, got.Source.Figures.Rows)
	})
}

// TestSourceDescribesItself reads one source's columns.
func TestSourceDescribesItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer := w.join(w.tenant, auth.Viewer).enter()
	sources := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/sources"
	got := viewer.call(http.MethodGet, sources+"/purchase_order_lines", nil)
	require.Equal(t, http.StatusOK, got.status)
	for _, want := range []string{`"name":"sku"`, `"kind":"trigger"`, `"kind":"api_only"`, `"choices":["draft"`,
		`"conflict_key":["tenant_id","external_id"]`, `"example":{`} {
		require.Contains(t, got.body, want)
	}
	requireProblem(t, viewer.call(http.MethodGet, sources+"/nothing", nil), http.StatusNotFound, "unknown_table")
}

// TestTryingARecord compares the trial's answer with the endpoint's.
func TestTryingARecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	buyer := w.join(w.tenant, auth.Buyer).enter()
	type trial struct {
		Status           int
		Body, Result     string
		Dropped, Coerced []string
		Errors           []struct{ Pointer, Detail string }
	}
	for _, record := range []string{
		`{"external_id":"S1","name":"One","lead_time_days":"7","colour":"red"}`,
		`{"external_id":"S1"}`,
		`{"external_id":"S1","name":"One","lead_time_days":"soon"}`,
		`{`,
		`[]`,
	} {
		path := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/sources/suppliers/test"
		got := decode[trial](t, buyer.call(http.MethodPost, path, map[string]string{"record": record}), http.StatusOK)
		answered := w.post("suppliers?dry_run=true", record)
		require.Equal(t, answered.status, got.Status, record)
		require.JSONEq(t, answered.body, got.Body)
		require.Equal(t, answered.header.Get("Ingest-Result"), got.Result)
		require.Equal(t, answered.header.Get("Ingest-Dropped"), strings.Join(got.Dropped, ", "))
		require.Equal(t, answered.header.Get("Ingest-Coerced"), strings.Join(got.Coerced, ", "))
		require.Equal(t, got.Status == http.StatusUnprocessableEntity, len(got.Errors) > 0)
	}
	require.Empty(t, w.read("workspace.suppliers", "external_id", "1"))
}

// TestKeyUse checks the figures of a key's use.
func TestKeyUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.join(w.tenant, auth.CompanyAdmin).enter()
	keys := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/keys"
	type key struct {
		Label        string     `json:"label"`
		Scope        string     `json:"scope"`
		Calls        int64      `json:"calls_24h"`
		LastUsedAt   *time.Time `json:"last_used_at"`
		LastUsedFrom string     `json:"last_used_from"`
	}
	for range 3 {
		w.post("suppliers", `{"external_id":"S1","name":"One"}`)
	}
	w.send(http.MethodGet, "orders", "/api/ingest/orders", http.Header{"X-Forwarded-For": {"6.6.6.6, 198.51.100.7"}}, nil)
	require.NoError(t, w.app.Meter.Flush(t.Context()))
	for _, one := range decode[page[key]](t, admin.call(http.MethodGet, keys, nil), http.StatusOK).Items {
		switch one.Scope {
		case "*":
			require.Equal(t, int64(3), one.Calls)
			require.Equal(t, "127.0.0.1", one.LastUsedFrom)
		case "orders":
			require.Equal(t, int64(1), one.Calls)
			require.Equal(t, "198.51.100.7", one.LastUsedFrom, "what the caller wrote before the proxy is not believed")
		}
		require.WithinDuration(t, time.Now(), *one.LastUsedAt, time.Minute)
	}
}
