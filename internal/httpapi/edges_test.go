package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestHSTS checks that every answer tells browsers to use HTTPS if the base URL does.
func TestHSTS(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/", "/healthz", "/api/app/session", "/api/ingest/orders", "/mcp", "/nothing"} {
		require.Equal(t, "max-age=31536000",
			w.nobody().call(http.MethodGet, path, nil).header.Get("Strict-Transport-Security"), path)
	}
	w.app.HTTP.BaseURL = "http://quay.example"
	require.Empty(t, w.nobody().call(http.MethodGet, "/", nil).header.Get("Strict-Transport-Security"))
}

// TestLargeRecords checks that operations that carry a record accept what ingest accepts, 1
// MiB here, however many bytes JSON has to escape.
func TestLargeRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.join(w.tenant, auth.CompanyAdmin).enter()
	at := "/api/app/workspaces/" + w.tenant.Workspace.String()
	record := func(size int) string {
		return `{"external_id":"1","title":"x","started_at":"2026-03-14T09:30:00Z","transcript":"` + strings.Repeat(`\"`, size/2) + `"}`
	}
	fits, larger := record(1<<20-128), record(1<<20)

	failure := uuid.Must(uuid.NewV7())
	w.exec(`INSERT INTO workspace.failed_imports (tenant_id, id, workspace_id, slug, http_status, code, message, payload, payload_hash, key_id, request_id, status)
		VALUES ($1, $2, $3, 'meeting_notes', 422, 'required', 'x', '{"external_id":"1"}', sha256('x'), $2, 'test', 'open')`, w.tenant.ID, failure, w.tenant.Workspace)
	for _, tt := range []struct {
		path string
		body func(record string) any
	}{
		{at + "/sources/meeting_notes/test", func(record string) any { return map[string]any{"record": record} }},
		{at + "/failures/" + failure.String() + "/retry",
			func(record string) any { return map[string]any{"payload": record, "overwrite": true} }},
	} {
		require.Contains(t, requireProblem(t, ada.call(http.MethodPost, tt.path, tt.body(larger)),
			http.StatusRequestEntityTooLarge, "too_large").Detail, "1024 KiB")
		got := decode[struct{ Status int }](t, ada.call(http.MethodPost, tt.path, tt.body(fits)), http.StatusOK)
		require.Equal(t, http.StatusOK, got.Status)
	}
	id := w.read("workspace.meeting_notes", "id", "1")[0]
	path := at + "/tables/meeting_notes/rows/" + id
	edit := func(size int) answer {
		return ada.call(http.MethodPatch, path, `{"values":{"transcript":"`+strings.Repeat(`\n`, size/2)+`"}}`, `If-Match: "1"`)
	}
	require.Equal(t, http.StatusOK, edit(1<<20-64).status)
	requireProblem(t, edit(1<<20), http.StatusRequestEntityTooLarge, "too_large")
	requireProblem(t, ada.call(http.MethodPatch, "/api/app/profile", map[string]any{"name": strings.Repeat("a", 70<<10)}),
		http.StatusRequestEntityTooLarge, "too_large")
}
