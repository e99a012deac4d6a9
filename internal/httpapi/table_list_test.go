package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// wide is a table of so many columns, each described as people describe them.
func wide(number, columns int) registry.Definition {
	table := registry.Definition{Title: fmt.Sprintf("Wide %d", number), Slug: fmt.Sprintf("wide_%d", number),
		Description: "What the warehouse's own system knows of an article, as it sends it every night."}
	for i := range columns {
		table.Columns = append(table.Columns, registry.ColumnDefinition{Name: fmt.Sprintf("measure_%d", i), Type: registry.Text,
			Choices:     []string{"open", "waiting", "in progress", "done", "cancelled", "unknown"},
			Description: "How far the measure has come, by the last report of the person who is responsible for it; empty before the first."})
	}
	return table
}

// TestTableList checks that a list of tables, and a table, are sent only if they have changed, and that they are sent to
// everybody as soon as they have, by whichever instance.
func TestTableList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := pgtest.NewTenant(t, w.db)
	ours, theirs := w.grid(w.tenant, auth.Viewer), w.grid(other, auth.Viewer)
	list := func(g grid) string { return strings.TrimSuffix(g.path, "/suppliers") }
	get := func(g grid, path, etag string) answer {
		return g.call(http.MethodGet, path, nil, "If-None-Match: "+etag)
	}
	define := func(tenant pgtest.Tenant, table registry.Definition) {
		_, err := w.app.Tables.Create(t.Context(), auth.Operator(tenant.ID), table)
		require.NoError(t, err)
	}
	fresh := ours.call(http.MethodGet, list(ours), nil)
	require.Equal(t, http.StatusOK, fresh.status, fresh.body)
	require.Equal(t, "private, no-cache", fresh.header.Get("Cache-Control"))
	require.Equal(t, "application/json", fresh.header.Get("Content-Type"))
	etag := fresh.header.Get("ETag")
	require.NotEmpty(t, etag)
	for _, asked := range []string{etag, "W/" + etag, `"x", ` + etag, "*"} {
		again := get(ours, list(ours), asked)
		require.Equal(t, http.StatusNotModified, again.status, asked)
		require.Empty(t, again.body)
		require.Equal(t, etag, again.header.Get("ETag"))
	}
	for _, asked := range []string{"", `"x"`, strings.Trim(etag, `"`)} {
		require.Equal(t, fresh.body, get(ours, list(ours), asked).body, asked)
	}
	require.Equal(t, fresh.body, theirs.call(http.MethodGet, list(theirs), nil).body, "nobody has tables of their own yet")

	define(w.tenant, wide(1, 3))
	changed := get(ours, list(ours), etag)
	require.Equal(t, http.StatusOK, changed.status)
	require.Contains(t, changed.body, "wide_1")
	require.Equal(t, http.StatusNotModified, get(theirs, list(theirs), etag).status, "another company")
	define(other, wide(1, 4))
	mine, foreign := get(ours, ours.pathOf("wide_1"), ""), get(theirs, theirs.pathOf("wide_1"), "")
	require.Contains(t, mine.body, `"column_count":9`)
	require.Contains(t, foreign.body, `"column_count":10`)
	require.NotContains(t, mine.body, "measure_3")
	require.Equal(t, http.StatusOK, get(theirs, theirs.pathOf("wide_1"), mine.header.Get("ETag")).status)
	require.Equal(t, http.StatusNotModified, get(ours, ours.pathOf("wide_1"), mine.header.Get("ETag")).status)

	// A column that a company adds to a built-in table, by another instance.
	supplied := get(ours, ours.pathOf("suppliers"), "")
	column := registry.ColumnDefinition{Name: "hazard_class", Type: registry.Text}
	_, err := registry.New(w.db.Cells).DefineColumn(t.Context(), auth.Operator(w.tenant.ID), "suppliers", 0, column)
	require.NoError(t, err)
	now := get(ours, ours.pathOf("suppliers"), supplied.header.Get("ETag"))
	require.Equal(t, http.StatusOK, now.status)
	require.Contains(t, now.body, "hazard_class")
	require.Equal(t, http.StatusNotModified, get(theirs, theirs.pathOf("suppliers"), supplied.header.Get("ETag")).status)

	// Nobody is told that nothing has changed who may not ask.
	refused := w.nobody().call(http.MethodGet, list(ours), nil, "If-None-Match: "+etag)
	require.Equal(t, http.StatusUnauthorized, refused.status)
	require.Equal(t, "no-store", refused.header.Get("Cache-Control"))
}

// pathOf is the path of a table.
func (g grid) pathOf(table string) string { return strings.TrimSuffix(g.path, "suppliers") + table }

// TestTableListCost measures what the list of tables costs a company with 40 tables of 60 columns: its size, and the
// processor time of the service. Not in parallel, so that the processor time is that of its calls.
func TestTableListCost(t *testing.T) { //nolint:paralleltest // it measures processor time
	w := newWorld(t)
	for number := range 40 {
		_, err := w.app.Tables.Create(t.Context(), auth.Operator(w.tenant.ID), wide(number, 60))
		require.NoError(t, err)
	}
	viewer := w.join(w.tenant, auth.Viewer).enter()
	handler := w.app.HTTP.Handler()
	path := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/tables"
	ask := func(etag string) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		request.Header.Set("Cookie", "__Host-quayside="+viewer.session)
		request.Header.Set("If-None-Match", etag)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		return recorder
	}
	first := ask("")
	require.Equal(t, http.StatusOK, first.Code, first.Body)
	const calls = 30
	measure := func(etag string) (perCall time.Duration) {
		began := processorTime(t)
		for range calls {
			ask(etag)
		}
		return (processorTime(t) - began) / calls
	}
	whole, unchanged := measure(""), measure(first.Header().Get("ETag"))
	t.Logf("%d bytes, %.2f ms of processor time; if it has not changed, %d bytes, %.2f ms", first.Body.Len(),
		whole.Seconds()*1000, ask(first.Header().Get("ETag")).Body.Len(), unchanged.Seconds()*1000)
	require.Less(t, first.Body.Len(), 100_000)
	require.Less(t, whole, 10*time.Millisecond)
	require.Less(t, unchanged, 10*time.Millisecond)
}

// processorTime is what this process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
