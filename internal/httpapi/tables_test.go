package httpapi_test

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

type row struct {
	ID      string         `json:"id"`
	Version int64          `json:"version"`
	Values  map[string]any `json:"values"`
}

// grid is a person in front of a table.
type grid struct {
	*person
	path string
}

func (w *world) grid(tenant pgtest.Tenant, role auth.Role) grid {
	return grid{w.join(tenant, role).enter(), "/api/app/workspaces/" + tenant.Workspace.String() + "/tables/suppliers"}
}

func (g grid) rows(query url.Values) page[row] {
	g.w.t.Helper()
	return decode[page[row]](g.w.t, g.call(http.MethodGet, g.path+"/rows?"+query.Encode(), nil), http.StatusOK)
}

func (g grid) edit(record string, version int64, values map[string]any) answer {
	g.w.t.Helper()
	return g.call(http.MethodPatch, g.path+"/rows/"+record, map[string]any{"values": values},
		fmt.Sprintf(`If-Match: "%d"`, version))
}

func TestRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 7 {
		require.Equal(t, http.StatusOK, w.post("suppliers",
			fmt.Sprintf(`{"external_id":"S%d","name":"Supplier %d","lead_time_days":%d.50,"active":%t}`, i, i%3, i,
				i%2 == 0)).status)
	}
	g := w.grid(w.tenant, auth.Viewer)
	query := url.Values{"filters": {`{"active":true,"name":{"contains":"SUPPLIER"}}`},
		"select_fields": {"external_id,lead_time_days"}, "sort_by": {"lead_time_days"}, "sort_desc": {"true"}, "limit": {"3"}}
	first := g.rows(query)
	require.Len(t, first.Items, 3)
	require.Equal(t, map[string]any{"external_id": "S6", "lead_time_days": "6.50"}, first.Items[0].Values)
	query.Set("cursor", first.NextCursor)
	rest := g.rows(query)
	require.Len(t, rest.Items, 1)
	require.Equal(t, "S0", rest.Items[0].Values["external_id"])
	require.Empty(t, rest.NextCursor)

	type count struct {
		Count int64
		More  bool
	}
	got := decode[count](t, g.call(http.MethodGet, g.path+"/count?"+url.Values{"filters": query["filters"]}.Encode(), nil),
		http.StatusOK)
	require.Equal(t, count{4, false}, got)
	require.Len(t, g.rows(nil).Items, 7)

	one := g.call(http.MethodGet, g.path+"/rows/"+first.Items[0].ID, nil)
	require.Equal(t, `"1"`, one.header.Get("ETag"))
	require.Equal(t, "Supplier 0", decode[row](t, one, http.StatusOK).Values["name"])

	for query, code := range map[string]string{
		"filters={":                                 "invalid_json",
		"filters=%7B%22shoe%22:1%7D":                "unknown_field",
		"filters=%7B%22name%22:%7B%22gt%22:1%7D%7D": "operator",
		"sort_by=shoe":                              "unknown_field",
		"select_fields=name,shoe":                   "unknown_field",
		"cursor=abc":                                "cursor",
		"sort_by=name&cursor=" + first.NextCursor:   "cursor",
	} {
		requireProblem(t, g.call(http.MethodGet, g.path+"/rows?"+query, nil), http.StatusBadRequest, code)
	}
	require.Equal(t, http.StatusUnprocessableEntity, g.call(http.MethodGet, g.path+"/rows?limit=1001", nil).status)
	requireProblem(t, g.call(http.MethodGet, g.path+"/rows/nobody", nil), http.StatusNotFound, "unknown_record")
	requireProblem(t, g.call(http.MethodGet, g.path+"/rows/%00", nil), http.StatusUnprocessableEntity, "nul")
	requireProblem(t, g.call(http.MethodGet, g.path+"x/rows", nil), http.StatusNotFound, "unknown_table")

	type column struct {
		Name, Label, Type, Locked string
		Operators                 []string
		Editable                  bool
	}
	type table struct {
		Slug    string
		Count   int `json:"column_count"`
		Columns []column
	}
	tables := strings.TrimSuffix(g.path, "/suppliers")
	listed := decode[page[table]](t, g.call(http.MethodGet, tables, nil), http.StatusOK).Items
	require.Len(t, listed, 14, "seven tables and seven computed views")
	seen := 0
	for _, one := range listed {
		require.Empty(t, one.Columns, "a list has no columns")
		found := decode[table](t, g.call(http.MethodGet, tables+"/"+one.Slug, nil), http.StatusOK)
		require.Len(t, found.Columns, one.Count, one.Slug)
		for _, c := range found.Columns {
			if found.Slug == "purchase_order_lines" && c.Name == "status" {
				require.False(t, c.Editable)
				require.Contains(t, c.Locked, "approve")
				seen++
			}
			if found.Slug == "suppliers" && c.Name == "lead_time_days" {
				require.Equal(t, column{"lead_time_days", "Lead time days", "number", "",
					[]string{"eq", "ne", "in", "gt", "gte", "lt", "lte", "empty"}, true}, c)
				seen++
			}
		}
	}
	require.Equal(t, 2, seen)
	requireProblem(t, g.call(http.MethodGet, tables+"/nobody", nil), http.StatusNotFound, "unknown_table")
}

// TestLinks checks that rows come with the names of the records that they refer to, but never
// with names from another workspace.
func TestLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for slug, body := range map[string]string{"suppliers": `{"external_id":"SUP-7","name":"Harbour Teas"}`,
		"customers": `{"external_id":"c1","name":"Ada"}`} {
		require.Equal(t, http.StatusOK, w.post(slug, body).status)
		foreign := w.send(http.MethodPost, "stranger", "/api/ingest/"+slug, nil,
			[]byte(`{"external_id":"canary","name":"canary"}`))
		require.Equal(t, http.StatusOK, foreign.status)
	}
	require.Equal(t, http.StatusOK, w.post("products", `{"sku":"TEA-1","name":"Earl Grey","supplier_id":"SUP-7"}`).status)
	require.Equal(t, http.StatusOK, w.post("products", `{"sku":"TEA-2","name":"Assam","supplier_id":"SUP-7"}`).status)
	g := w.grid(w.tenant, auth.Viewer)
	g.path = strings.Replace(g.path, "suppliers", "products", 1)
	type named struct {
		Items []row
		Links map[string]map[string]map[string]string
	}
	got := decode[named](t, g.call(http.MethodGet, g.path+"/rows?select_fields=sku,supplier_id", nil), http.StatusOK)
	supplier, _ := got.Items[0].Values["supplier_id"].(string)
	require.Equal(t, map[string]map[string]map[string]string{"supplier_id": {supplier: {"label": "Harbour Teas",
		"code": "SUP-7"}}}, got.Links)
	one := g.call(http.MethodGet, g.path+"/rows/"+got.Items[0].ID, nil)
	require.Contains(t, one.body, `"links":{"supplier_id":{"`+supplier+`":{"label":"Harbour Teas","code":"SUP-7"}}}`)
	require.Empty(t, decode[named](t, g.call(http.MethodGet, g.path+"/rows?select_fields=sku", nil), http.StatusOK).Links)

	w.exec("SET session_replication_role = replica") // without foreign keys, which would refuse this row
	w.exec(`UPDATE workspace.products SET supplier_id = (SELECT id FROM workspace.suppliers WHERE name = 'canary') WHERE sku = 'TEA-2'`)
	foreign := g.call(http.MethodGet, g.path+"/rows?filters=%7B%22sku%22:%22TEA-2%22%7D", nil)
	require.Len(t, decode[named](t, foreign, http.StatusOK).Items, 1)
	require.Equal(t, map[string]map[string]map[string]string{"supplier_id": {}},
		decode[named](t, foreign, http.StatusOK).Links)
	require.NotContains(t, foreign.body, "canary")
}

// TestCreateRow creates a record as a person.
func TestCreateRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	buyer, viewer := w.grid(w.tenant, auth.Buyer), w.grid(w.tenant, auth.Viewer)
	create := func(g grid, values map[string]any) answer {
		return g.call(http.MethodPost, g.path+"/rows", map[string]any{"values": values})
	}
	made := create(buyer, map[string]any{"external_id": "S9", "name": "Mills", "lead_time_days": "7.50"})
	require.Equal(t, `"1"`, made.header.Get("ETag"))
	created := decode[row](t, made, http.StatusCreated)
	require.Equal(t, "Mills", created.Values["name"])
	require.Equal(t, created.ID, viewer.rows(nil).Items[0].ID)
	again := requireProblem(t, create(buyer, map[string]any{"external_id": "S9", "name": "Other"}),
		http.StatusUnprocessableEntity, "exists")
	require.Equal(t, "#/external_id", again.Errors[0].Pointer)
	require.Len(t, requireProblem(t, create(buyer, map[string]any{"active": "perhaps"}), http.StatusUnprocessableEntity,
		"required").Errors, 3)
	requireProblem(t, create(viewer, map[string]any{"external_id": "S10", "name": "x"}), http.StatusForbidden, "forbidden")
	buyer.path = strings.Replace(buyer.path, "suppliers", "purchase_order_lines", 1)
	requireProblem(t, create(buyer, map[string]any{"external_id": "L1"}), http.StatusUnprocessableEntity, "closed")
}

// TestEditAndHistory edits what a key has written, and reads the history.
func TestEditAndHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	buyer, viewer := w.grid(w.tenant, auth.Buyer), w.grid(w.tenant, auth.Viewer)
	w.exec("UPDATE control.users SET name = 'Grace' WHERE id = $1", buyer.id)
	sent := w.post("suppliers", `{"external_id":"S1","name":"Acme","lead_time_days":"7.50"}`)
	require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S1","name":"Acme"}`).status)
	record := buyer.rows(nil).Items[0].ID
	at := buyer.path + "/rows/" + record

	edited := buyer.edit(record, 1, map[string]any{"lead_time_days": "8.25", "note": "Call first"})
	require.Equal(t, "8.25", decode[row](t, edited, http.StatusOK).Values["lead_time_days"])
	require.Equal(t, `"2"`, edited.header.Get("ETag"))

	requireProblem(t, buyer.call(http.MethodPatch, at, map[string]any{"values": map[string]any{"note": "x"}}),
		http.StatusPreconditionRequired, "if_match")
	stale := buyer.edit(record, 1, map[string]any{"note": "x"})
	requireProblem(t, stale, http.StatusPreconditionFailed, "stale")
	require.Equal(t, `"2"`, stale.header.Get("ETag"))
	require.Contains(t, stale.body, `"version":2`)
	requireProblem(t, viewer.edit(record, 2, map[string]any{"note": "x"}), http.StatusForbidden, "forbidden")
	refused := requireProblem(t, buyer.edit(record, 2, map[string]any{"lead_time_days": "soon", "active": "yes"}),
		http.StatusUnprocessableEntity, "type")
	require.Len(t, refused.Errors, 2)
	requireProblem(t, buyer.edit(record, 2, map[string]any{"external_id": "S2"}), http.StatusUnprocessableEntity, "locked")
	requireProblem(t, buyer.edit("nobody", 2, map[string]any{"note": "x"}), http.StatusNotFound, "unknown_record")
	require.Empty(t, w.read("workspace.failed_imports", "code", "1"))

	type entry struct {
		Result    string
		Version   int64
		ByType    string `json:"by_type"`
		ByName    string `json:"by_name"`
		RequestID string `json:"request_id"`
		Values    map[string]any
	}
	history := decode[page[entry]](t, viewer.call(http.MethodGet, at+"/history", nil), http.StatusOK)
	require.Equal(t, []entry{
		{"updated", 2, "user", "Grace", edited.header.Get("X-Request-Id"),
			map[string]any{"external_id": "S1", "lead_time_days": "8.25", "note": "Call first"}},
		{"unchanged", 1, "key", "test", history.Items[1].RequestID, map[string]any{"external_id": "S1", "name": "Acme"}},
		{"created", 1, "key", "test", sent.header.Get("X-Request-Id"),
			map[string]any{"external_id": "S1", "name": "Acme", "lead_time_days": "7.50"}},
	}, history.Items)

	first := decode[page[entry]](t, viewer.call(http.MethodGet, at+"/history?limit=2", nil), http.StatusOK)
	rest := decode[page[entry]](t, viewer.call(http.MethodGet, at+"/history?limit=2&cursor="+first.NextCursor, nil),
		http.StatusOK)
	require.Equal(t, history.Items, append(first.Items, rest.Items...))
	requireProblem(t, viewer.call(http.MethodGet, at+"x/history", nil), http.StatusNotFound, "unknown_record")
}

// TestTablesOfOthers checks that rows, records, histories, files and views of another
// workspace or company cannot be found in any way.
func TestTablesOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var second uuid.UUID
	require.NoError(t, w.admin.QueryRow(t.Context(),
		"SELECT id FROM control.workspaces WHERE tenant_id = $1 AND name = 'Second'", w.tenant.ID).Scan(&second))
	var strangers pgtest.Tenant
	require.NoError(t, w.admin.QueryRow(t.Context(), "SELECT tenant_id, id FROM control.workspaces WHERE tenant_id <> $1",
		w.tenant.ID).Scan(&strangers.ID, &strangers.Workspace))
	places := map[string]pgtest.Tenant{"master": w.tenant, "elsewhere": {ID: w.tenant.ID, Workspace: second},
		"stranger": strangers}
	grids, records := map[string]grid{}, map[string]string{}
	for key, place := range places {
		for _, slug := range []string{"suppliers", "customers"} {
			got := w.send(http.MethodPost, key, "/api/ingest/"+slug, nil,
				fmt.Appendf(nil, `{"external_id":"canary-%s","name":"canary-%[1]s"}`, key))
			require.Equal(t, http.StatusOK, got.status)
		}
		grids[key] = w.grid(place, auth.CompanyAdmin)
		records[key] = grids[key].rows(nil).Items[0].ID
		require.Equal(t, http.StatusCreated, grids[key].call(http.MethodPost, grids[key].path+"/views",
			map[string]any{"name": "canary-" + key, "shared": true, "definition": map[string]any{}}).status)
	}
	for key, g := range grids {
		for other, record := range records {
			if other == key {
				continue
			}
			filters := url.Values{"filters": {`{"name":"canary-` + other + `"}`}}.Encode()
			for _, path := range []string{"/rows", "/rows?" + filters, "/count?" + filters, "/export", "/export?" + filters,
				"/views", "/rows/" + record, "/rows/" + record + "/history"} {
				got := g.call(http.MethodGet, g.path+path, nil)
				require.NotContains(t, got.body, "canary-"+other, path)
				if strings.Contains(path, record) {
					requireProblem(t, got, http.StatusNotFound, "unknown_record")
				} else {
					require.Equal(t, http.StatusOK, got.status)
				}
			}
			requireProblem(t, g.edit(record, 1, map[string]any{"note": "x"}), http.StatusNotFound, "unknown_record")
		}
		require.Contains(t, g.call(http.MethodGet, g.path+"/export", nil).body, "canary-"+key)
	}
}

func TestExportFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, http.StatusOK,
		w.post("suppliers", `{"external_id":"S1","name":"=HYPERLINK(\"x\")","lead_time_days":-0}`).status)
	g := w.grid(w.tenant, auth.Viewer)
	got := g.call(http.MethodGet, g.path+"/export?select_fields=external_id,name,lead_time_days&sort_by=name", nil)
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, "text/csv; charset=utf-8; header=present", got.header.Get("Content-Type"))
	require.Regexp(t, `^attachment; filename=suppliers-\d{4}-\d\d-\d\d\.csv$`, got.header.Get("Content-Disposition"))
	read, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{{"external_id", "name", "lead_time_days"}, {"S1", `'=HYPERLINK("x")`, "0"}}, read)

	requireProblem(t, g.call(http.MethodGet, g.path+"/export?sort_by=shoe", nil), http.StatusBadRequest, "unknown_field")
	requireProblem(t, g.call(http.MethodGet, g.path+"x/export", nil), http.StatusNotFound, "unknown_table")
}

// TestBrokenExport has an export fail half-way: the reader gets a broken connection, never a
// file that ends early.
func TestBrokenExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name) SELECT $1, $2, n::text, repeat('x', 500) FROM generate_series(1, 40000) n`, w.tenant.ID, w.tenant.Workspace)
	g := w.grid(w.tenant, auth.Viewer)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+g.path+"/export", nil)
	require.NoError(t, err)
	request.Header.Set("Cookie", "__Host-quayside="+g.session)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	reader := bufio.NewReader(response.Body)
	_, err = reader.ReadString('\n')
	require.NoError(t, err)
	w.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT t."id"%' AND state = 'active'`)
	_, err = io.Copy(io.Discard, reader)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// TestSlowReaders checks that an export may take longer than any other answer while its reader
// reads.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, external_id, name) SELECT $1, $2, n::text, repeat('x', 500) FROM generate_series(1, 20000) n`, w.tenant.ID, w.tenant.Workspace)
	g := w.grid(w.tenant, auth.Viewer)
	server := httptest.NewUnstartedServer(w.app.HTTP.Handler())
	server.Config.WriteTimeout = 300 * time.Millisecond
	server.Start()
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	start := time.Now()
	_, err = fmt.Fprintf(conn, "GET %s/export HTTP/1.1\r\nHost: x\r\nCookie: __Host-quayside=%s\r\n\r\n", g.path,
		g.session)
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 4<<10), nil)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	lines, piece := 0, make([]byte, 64<<10)
	busy := time.NewTicker(4 * time.Millisecond) // a slow reader
	defer busy.Stop()
	for {
		n, err := response.Body.Read(piece)
		lines += strings.Count(string(piece[:n]), "\n")
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		<-busy.C
	}
	require.Equal(t, 20_001, lines)
	require.Greater(t, time.Since(start), server.Config.WriteTimeout, "the reader was not slow enough to show anything")
}
