package httpapi_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/registry"
	tokens "github.com/quayside/quayside/internal/token"
)

// hostileTexts are texts that break whatever takes them for something else than text.
var hostileTexts = []string{
	"'; DROP TABLE workspace.records; --", `"quoted" 'single' \back`, `a\u0000b`, "$1", "?", "x::int", "%s%n", "%_\\", "../../etc/passwd",
	"<script>alert(1)</script>", `<img src=x onerror="alert(1)">`, "]]>&amp;<!--", "{{constructor.constructor('x')()}}", "${7*7}", "{{ $json.x }}",
	"{0}", "=cmd|'/C calc'!A0", "@SUM(1+1)", "+49 40 1", "-1+2", "a;=1+1", "__proto__", "constructor", "null", "undefined", "true", "NaN",
	"a,b;c\td", "p\u0430ypal", "e\u0301", "\u00e9", "\ufeffbom", "a\u200bb", "a\u2028b", "😀🏴‍☠️", "ﬁ", "İstanbul", "{}", "[1]", `{"a":1}`, "0x10", "1e5",
	strings.Repeat("x", 100), strings.Repeat("語", 100),
	// What is refused everywhere or in most places.
	"", " ", "a\x00b", "\u202eevil", "two\nlines", "\r\nX-Header: 1", strings.Repeat("x", 3000),
}

// hostileNames are names of columns and slugs that are a word of something else.
var hostileNames = []string{
	"select", "order", "user", "table", "null", "true", "default", "limit", "offset", "and", "or", "not", "eq", "in", "contains", "is_null",
	"constructor", "prototype", "data", "custom", "values", "record", "filters", "sort_by", "cursor", "key", "value", "type", "name", "title",
	"xmin", "ctid", "tableoid", "oid", "current_user", "now", "external_id", "row", "t", "r", "q", "ids", "slug", "length", "label",
	"created", "version_", "tenant", "search", strings.Repeat("n", 63), "a1_", "x__y",
	// What is refused.
	"id", "tenant_id", "updated_at", "__proto__", "Select", "größe", "ｓelect", "a b", "a-b", "1a", "", strings.Repeat("n", 64), "a\u0000", `a"b`, "a'b",
}

// TestHostileDefinitions defines tables whose every name and text is hostile. What is refused is refused with a field.
// What is accepted is walked through every place that shows a definition or takes its values, and comes out as it was.
func TestHostileDefinitions(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	w := newWorldWith(t, slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelError})))
	w.work()
	w.unlimited()
	r := rand.New(rand.NewPCG(20, 26)) // the same definitions in every run
	q := w.quay(auth.CompanyAdmin)
	definitions := "/api/app/tenants/" + w.tenant.ID.String() + "/table-definitions"
	accepted, refused := 0, 0
	for n := range 150 {
		if accepted == 16 {
			break
		}
		definition := hostileDefinition(r, n)
		made := q.call(http.MethodPost, definitions, definition)
		if made.status == http.StatusCreated {
			accepted++
			t.Logf("%s", made.body)
			table := decode[registry.Definition](t, made, http.StatusCreated)
			hostileWalk{w: w, t: t, q: q, table: table, grid: grid{q.person, q.path + "/tables/" + table.Slug}, n: accepted}.walk(definitions)
			continue
		}
		refused++
		found := decode[problem](t, made, http.StatusUnprocessableEntity)
		require.NotEmpty(t, found.Code, made.body)
		require.NotEmpty(t, found.Errors, "%v: %s", definition, made.body)
		for _, one := range found.Errors {
			require.NotEmpty(t, one.Pointer, made.body)
		}
	}
	require.Equal(t, 16, accepted)
	require.Greater(t, refused, 20)
	for _, path := range []string{definitions, "/api/app/tenants/" + w.tenant.ID.String() + "/audit?limit=100", q.path + "/tables", q.path + "/sources"} {
		got := q.call(http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, got.status, got.body)
	}
	require.NotContains(t, logged.String(), "level=ERROR")
}

// hostileDefinition returns a table in the form of the app API. Most of its texts are hostile but may be accepted.
func hostileDefinition(r *rand.Rand, n int) map[string]any {
	text := func() string { return hostileTexts[r.IntN(len(hostileTexts))] }
	some := func(usual string) string {
		if r.IntN(12) == 0 {
			return text()
		}
		return usual
	}
	columns, used := []map[string]any{}, map[string]bool{}
	for range 1 + r.IntN(4) {
		name := hostileNames[r.IntN(len(hostileNames))]
		if used[name] && r.IntN(10) > 0 {
			continue
		}
		used[name] = true
		column := map[string]any{"name": name, "type": some("text"), "description": text()}
		switch r.IntN(4) {
		case 0:
			column["choices"] = []string{text(), text(), text()}
		case 1:
			column["default"], column["example"] = text(), text()
		case 2:
			column["type"], column["required"] = registry.Types()[r.IntN(6)], true
		case 3:
			column["type"], column["minimum"], column["maximum"] = "number", some("5"), some("1e6")
		}
		if column["type"] != "number" || r.IntN(3) == 0 {
			column["references"] = some("")
		}
		columns = append(columns, column)
	}
	definition := map[string]any{"name": text(), "description": text(), "columns": columns, "slug": fmt.Sprintf("hostile_%d", n)}
	switch r.IntN(4) {
	case 0:
		definition["slug"] = hostileNames[r.IntN(len(hostileNames))]
	case 1:
		delete(definition, "slug") // made from the name
	}
	return definition
}

// hostileWalk is the walk over one table.
type hostileWalk struct {
	grid
	w     *world
	t     *testing.T
	q     quay
	n     int
	table registry.Definition

	record map[string]any    // as it is sent
	shown  map[string]string // as it is read again
}

func (h hostileWalk) walk(definitions string) {
	h.t.Helper()
	h.record, h.shown = map[string]any{"external_id": "=R'1"}, map[string]string{"external_id": "=R'1"}
	for _, column := range h.table.Columns {
		if column.Name == "external_id" {
			continue
		}
		h.record[column.Name], h.shown[column.Name] = hostileValue(column, h.n)
	}
	h.discovers()
	h.stores()
	id := h.reads()
	h.exports()
	h.asksAssistant()
	h.imports()
	require.Len(h.t, decode[page[struct{ Result string }]](h.t, h.call(http.MethodGet, h.path+"/rows/"+id+"/history", nil), http.StatusOK).Items, 1)
	for _, column := range h.table.Columns {
		rules := map[string]any{"type": column.Type, "required": true, "example": column.Example}
		if column.References != "" || column.Name == "external_id" {
			continue
		}
		trial := h.call(http.MethodPost, definitions+"/"+h.table.Slug+"/columns/"+column.Name+"/trial", rules)
		require.Equal(h.t, http.StatusOK, trial.status, trial.body)
	}
}

// hostileValue returns a value that the column takes, and how it is shown.
func hostileValue(column registry.ColumnDefinition, n int) (sent any, shown string) {
	switch {
	case column.References != "":
		return nil, ""
	case column.Choices != nil:
		choice := column.Choices[len(column.Choices)-1]
		return choice, choice
	}
	switch column.Type {
	case registry.Number:
		return json.Number("7.50"), "7.50"
	case registry.Boolean:
		return true, "true"
	case registry.Date:
		return "2026-03-14", "2026-03-14"
	case registry.Datetime:
		return "2026-03-14T09:30:00Z", "2026-03-14T09:30:00Z"
	case registry.UUID:
		return "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e", "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"
	case registry.Text:
	}
	text := hostileTexts[n%40]
	return text, text
}

// discovers reads the description and the schema, and sends the example that they show.
func (h hostileWalk) discovers() {
	h.t.Helper()
	described := decode[registry.Description](h.t, h.w.send(http.MethodGet, "master", "/api/ingest/"+h.table.Slug, nil, nil), http.StatusOK)
	require.Equal(h.t, h.table.Title, described.Title)
	require.Equal(h.t, h.table.Description, described.Description)
	for _, column := range h.table.Columns {
		at := slices.IndexFunc(described.Columns, func(c registry.ColumnDescription) bool { return c.Name == column.Name })
		require.GreaterOrEqual(h.t, at, 0, column.Name)
		require.Equal(h.t, column.Choices, described.Columns[at].Choices)
		require.Equal(h.t, column.Default, described.Columns[at].Default)
	}
	schema := decode[*jsonschema.Schema](h.t, h.w.send(http.MethodGet, "master", "/api/ingest/"+h.table.Slug,
		http.Header{"Accept": {"application/schema+json"}}, nil), http.StatusOK)
	resolved, err := schema.Resolve(nil)
	require.NoError(h.t, err)
	example, err := json.Marshal(described.Example)
	require.NoError(h.t, err)
	sent, err := json.Marshal(h.record)
	require.NoError(h.t, err)
	for _, record := range []string{string(example), string(sent)} {
		var value any
		require.NoError(h.t, json.Unmarshal([]byte(record), &value))
		require.NoError(h.t, resolved.Validate(value), record)
	}
	got := h.w.post(h.table.Slug, string(example))
	require.Equal(h.t, http.StatusOK, got.status, "%s: %s", example, got.body)
	for platform := range players {
		template := h.call(http.MethodGet, h.q.path+"/sources/"+h.table.Slug+"/templates/"+platform, nil)
		require.Equal(h.t, http.StatusOK, template.status, template.body)
		require.True(h.t, json.Valid([]byte(template.body)), platform)
	}
	found := h.call(http.MethodGet, h.q.path+"/search?q="+url.QueryEscape(h.table.Title), nil)
	require.Equal(h.t, http.StatusOK, found.status, found.body)
}

// stores sends the record, and finds it in its event.
func (h hostileWalk) stores() {
	h.t.Helper()
	body, err := json.Marshal(h.record)
	require.NoError(h.t, err)
	got := h.w.post(h.table.Slug, string(body))
	require.Equal(h.t, http.StatusOK, got.status, "%s: %s", body, got.body)
	require.Equal(h.t, []string{"created", ""}, []string{got.header.Get("Ingest-Result"), got.header.Get("Ingest-Dropped")})
	events := h.w.read("workspace.events WHERE slug = '"+h.table.Slug+"' AND data->'record'->>'external_id' = '=R''1'", "data->'record'", "1")
	require.Len(h.t, events, 1)
	var event map[string]any
	decoder := json.NewDecoder(strings.NewReader(events[0]))
	decoder.UseNumber()
	require.NoError(h.t, decoder.Decode(&event))
	for name, value := range h.record {
		require.Equal(h.t, value, event[name], name)
	}
}

// reads filters and sorts by every column, and returns the record's id.
func (h hostileWalk) reads() (id string) {
	h.t.Helper()
	for name, shown := range h.shown {
		if h.record[name] == nil {
			continue
		}
		filters, err := json.Marshal(map[string]any{name: h.record[name], "external_id": "=R'1"})
		require.NoError(h.t, err)
		rows := h.rows(url.Values{"filters": {string(filters)}, "sort_by": {name}, "sort_desc": {"true"}})
		require.Len(h.t, rows.Items, 1, name)
		require.Equal(h.t, shown, fmt.Sprint(rows.Items[0].Values[name]), name)
		id = rows.Items[0].ID
	}
	last := h.table.Columns[len(h.table.Columns)-1].Name
	first := h.rows(url.Values{"sort_by": {last}, "limit": {"1"}})
	require.NotEmpty(h.t, first.NextCursor)
	require.Len(h.t, h.rows(url.Values{"sort_by": {last}, "limit": {"1"}, "cursor": {first.NextCursor}}).Items, 1, last)
	return id
}

// exports reads the record from a file, in which no cell is a formula.
func (h hostileWalk) exports() {
	h.t.Helper()
	names := []string{}
	for name := range h.shown {
		names = append(names, name)
	}
	slices.Sort(names)
	got := h.call(http.MethodGet, h.path+"/export?"+url.Values{"select_fields": {strings.Join(names, ",")},
		"filters": {`{"external_id":"=R'1"}`}}.Encode(), nil)
	require.Equal(h.t, http.StatusOK, got.status, got.body)
	lines, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
	require.NoError(h.t, err)
	require.Len(h.t, lines, 2)
	require.Equal(h.t, names, lines[0])
	for i, cell := range lines[1] {
		require.Equal(h.t, strings.ReplaceAll(h.shown[names[i]], "'", ""), strings.ReplaceAll(cell, "'", ""), names[i])
		require.False(h.t, cell != "" && strings.ContainsAny(cell[:1], "=+-@"), cell)
	}
}

// asksAssistant describes the table and asks for the record as an assistant.
func (h hostileWalk) asksAssistant() {
	h.t.Helper()
	by := auth.Principal{Tenant: h.w.tenant.ID, Workspace: h.w.tenant.Workspace, Role: auth.CompanyAdmin, Person: h.q.id,
		Actor: auth.Actor{Type: auth.ByPerson, ID: h.q.id.String()}}
	_, secret, err := h.w.app.Tokens.Issue(h.t.Context(), by, tokens.Request{Label: "hostile", Scopes: []auth.Scope{auth.ScopeRead}})
	require.NoError(h.t, err)
	header := http.Header{"Authorization": {"Bearer " + secret}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-06-18"}}
	ask := func(tool string, arguments map[string]any) (text string) {
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": tool, "arguments": arguments}})
		require.NoError(h.t, err)
		answered := decode[struct {
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}](h.t, h.w.send(http.MethodPost, "", "/mcp", header, body), http.StatusOK)
		require.False(h.t, answered.Result.IsError, "%s", answered)
		require.Len(h.t, answered.Result.Content, 1)
		return answered.Result.Content[0].Text
	}
	var described struct{ Slug string }
	require.NoError(h.t, json.Unmarshal([]byte(ask("table_describe", map[string]any{"view_slug": h.table.Slug})), &described))
	names := []string{}
	for name := range h.shown {
		names = append(names, name)
	}
	var found struct{ Rows []map[string]any }
	require.NoError(h.t, json.Unmarshal([]byte(ask("data_query", map[string]any{"view_slug": h.table.Slug, "select_fields": names,
		"sort_by": names[0], "filters": map[string]any{"external_id": "=R'1"}})), &found))
	require.Len(h.t, found.Rows, 1)
	for name, shown := range h.shown {
		if h.record[name] != nil {
			require.Equal(h.t, shown, fmt.Sprint(found.Rows[0][name]), name)
		}
	}
}

// imports uploads the record as a file under another key. Every column of the file is matched by its name.
func (h hostileWalk) imports() {
	h.t.Helper()
	names, values := []string{}, []string{}
	for name, shown := range h.shown {
		if name == "external_id" {
			shown = "R-2"
		}
		names, values = append(names, name), append(values, shown)
	}
	var file bytes.Buffer
	lines := csv.NewWriter(&file)
	require.NoError(h.t, lines.WriteAll([][]string{names, values}))
	uploaded := decode[fileImport](h.t, h.q.upload(h.table.Slug, "file.csv", file.String()), http.StatusCreated)
	preview := h.q.preview(uploaded.ID, map[string]any{})
	for _, column := range preview.Columns {
		require.Equal(h.t, column.From, column.To)
	}
	require.Len(h.t, preview.Records, 1)
	require.Equal(h.t, http.StatusOK, preview.Records[0].Status, preview.Records[0])
	if h.n%6 > 0 {
		require.Equal(h.t, http.StatusOK, h.q.call(http.MethodPost, h.q.at(uploaded.ID, "/cancel"), nil).status)
		return // the rest takes a second
	}
	h.q.start(uploaded.ID)
	require.Equal(h.t, [6]int64{1, 1, 0, 0, 0, 0}, h.q.ended(uploaded.ID).counts())
	rows := h.rows(url.Values{"filters": {`{"external_id":"R-2"}`}})
	require.Len(h.t, rows.Items, 1)
	for name, shown := range h.shown {
		if h.record[name] != nil && name != "external_id" {
			require.Equal(h.t, shown, fmt.Sprint(rows.Items[0].Values[name]), name)
		}
	}
}
