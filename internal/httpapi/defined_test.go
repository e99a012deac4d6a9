package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/registry"
)

// defined is a random table with the values of one record.
type defined struct {
	registry.Definition
	record map[string]any    // as a system sends it
	shown  map[string]string // as it is read again
	edited string            // a column that people can edit, or empty
	base   map[string]any    // what the table itself requires besides
}

// randomTable makes a table of random columns, which may refer to the given tables' records.
func randomTable(r *rand.Rand, n int, known map[string]string) defined {
	d := defined{record: map[string]any{"external_id": "R-1"}, shown: map[string]string{"external_id": "R-1"}}
	d.Title, d.Slug = fmt.Sprintf("Random %d", n), fmt.Sprintf("random_%d", n)
	for i := range 1 + r.IntN(7) {
		c := registry.ColumnDefinition{Name: fmt.Sprintf("c%d", i), Type: registry.Types()[r.IntN(6)], Required: r.IntN(3) == 0}
		sent, shown := any(nil), ""
		switch c.Type {
		case registry.Text:
			sent, shown = "a 'quoted' \"text\" \\ {{x}} %s", "a 'quoted' \"text\" \\ {{x}} %s"
			switch r.IntN(3) {
			case 0:
				c.Choices = []string{"open", "it's done", `"void"`}
				sent, shown = "it's done", "it's done"
			case 1:
				for slug := range known { // any of them
					c.References, sent, shown = slug, known[slug], ""
					break
				}
			}
		case registry.Number:
			c.Minimum, c.Maximum = "-5", "1e6"
			sent, shown = json.Number("3.50"), "3.50"
		case registry.Boolean:
			sent, shown = true, "true"
		case registry.Date:
			sent, shown = "2026-03-14", "2026-03-14"
		case registry.Datetime:
			sent, shown = "2026-03-14T10:30:00+01:00", "2026-03-14T09:30:00Z"
		case registry.UUID:
			sent, shown = "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e", "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"
		}
		if c.References == "" && c.Type == registry.Number {
			d.edited = c.Name
		}
		d.record[c.Name] = sent
		if shown != "" {
			d.shown[c.Name] = shown
		}
		d.Columns = append(d.Columns, c)
	}
	return d
}

// body returns the definition as the app API takes it, with bounds as text.
func (d defined) body() map[string]any {
	columns := []map[string]any{}
	for _, c := range d.Columns {
		column := d.rules(c)
		column["name"] = c.Name
		columns = append(columns, column)
	}
	return map[string]any{"name": d.Title, "slug": d.Slug, "columns": columns}
}

// rules returns a column as the app API takes it, without its name.
func (defined) rules(c registry.ColumnDefinition) map[string]any {
	column := map[string]any{"type": c.Type, "required": c.Required, "minimum": string(c.Minimum),
		"maximum": string(c.Maximum), "references": c.References}
	if c.Choices != nil {
		column["choices"] = c.Choices
	}
	return column
}

// TestEverythingFollowsADefinition defines random tables and uses every capability that a built-in table has with each
// of them. Nothing in the service knows these tables.
func TestEverythingFollowsADefinition(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S-1","name":"Harbour Teas"}`).status)
	known := map[string]string{"suppliers": "S-1"}
	admin, q := w.join(w.tenant, auth.CompanyAdmin).enter(), w.quay(auth.CompanyAdmin)
	definitions := "/api/app/tenants/" + w.tenant.ID.String() + "/table-definitions"
	for n := range 6 {
		d := randomTable(r, n, known)
		made := admin.call(http.MethodPost, definitions, d.body())
		require.Equal(t, http.StatusCreated, made.status, made.body)
		followed{w, t, d, grid{admin, q.path + "/tables/" + d.Slug}, q}.walk()
		known[d.Slug] = "R-1"
	}
	// The same with random columns of every built-in table.
	for _, slug := range []string{"suppliers", "products", "customers", "orders", "order_line_items", "purchase_order_lines", "meeting_notes"} {
		d := randomTable(r, 0, known)
		d.Slug, d.Title = slug, registry.LabelOf(slug, false)
		described := decode[registry.Description](t, w.send(http.MethodGet, "master", "/api/ingest/"+slug, nil, nil), http.StatusOK)
		d.base = map[string]any{}
		for _, column := range described.Columns {
			if column.Required && column.Name != "external_id" {
				d.base[column.Name] = column.Example
			}
		}
		maps.Copy(d.record, d.base)
		version := int64(0)
		for _, column := range d.Columns {
			put := decode[struct{ Version int64 }](t, admin.call(http.MethodPut, definitions+"/"+slug+"/columns/"+column.Name, d.rules(column),
				fmt.Sprintf(`If-Match: "%d"`, version)), http.StatusOK)
			version = put.Version
		}
		followed{w, t, d, grid{admin, q.path + "/tables/" + slug}, q}.walk()
	}
}

// followed is the walk over one table.
type followed struct {
	w *world
	t *testing.T
	d defined
	g grid
	q quay
}

func (f followed) walk() {
	f.t.Helper()
	f.discovers()
	row := f.stores()
	f.reads(row)
	f.fails()
	f.imports()
	f.creates()
}

func (f followed) discovers() {
	f.t.Helper()
	got := f.w.send(http.MethodGet, "master", "/api/ingest/"+f.d.Slug, nil, nil)
	require.Equal(f.t, http.StatusOK, got.status, got.body)
	schema := f.w.send(http.MethodGet, "master", "/api/ingest/"+f.d.Slug, http.Header{"Accept": {"application/schema+json"}}, nil)
	require.Equal(f.t, http.StatusOK, schema.status, schema.body)
	for _, column := range f.d.Columns {
		require.Contains(f.t, got.body, `"name":"`+column.Name+`"`)
		require.Contains(f.t, schema.body, `"`+column.Name+`"`)
	}
	for platform := range players {
		template := f.g.call(http.MethodGet, f.q.path+"/sources/"+f.d.Slug+"/templates/"+platform, nil)
		require.Equal(f.t, http.StatusOK, template.status, template.body)
	}
	require.Contains(f.t, f.g.call(http.MethodGet, f.q.path+"/search?q="+url.QueryEscape(f.d.Title), nil).body, f.d.Slug)
}

// stores sends the record twice with a key of the table's own, and returns its row.
func (f followed) stores() row {
	f.t.Helper()
	secret := f.w.issue(f.w.tenant.ID, f.w.tenant.Workspace, f.d.Slug)
	header := http.Header{"Authorization": {"Bearer " + secret}}
	body, err := json.Marshal(f.d.record)
	require.NoError(f.t, err)
	for _, result := range []string{"created", "unchanged"} {
		got := f.w.send(http.MethodPost, "", "/api/ingest/"+f.d.Slug, header, body)
		require.Equal(f.t, http.StatusOK, got.status, "%s: %s", body, got.body)
		require.Equal(f.t, result, got.header.Get("Ingest-Result"))
		require.Empty(f.t, got.header.Get("Ingest-Dropped"))
	}
	other := map[bool]string{true: "products", false: "suppliers"}[f.d.Slug == "suppliers"]
	require.Equal(f.t, http.StatusForbidden, f.w.send(http.MethodPost, "", "/api/ingest/"+other, header, body).status)
	names := []string{}
	for _, column := range f.d.Columns {
		names = append(names, "'"+column.Name+"'")
	}
	require.Len(f.t, f.w.read("workspace.events WHERE slug = '"+f.d.Slug+"' AND data->'record'->>'external_id' = 'R-1' AND data->'record' ?& ARRAY["+
		strings.Join(names, ",")+"]", "kind", "1"), 2)
	rows := f.g.rows(url.Values{"filters": {`{"external_id":"R-1"}`}})
	require.Len(f.t, rows.Items, 1)
	return rows.Items[0]
}

// reads filters and sorts by every column, exports, edits, and reads the history.
func (f followed) reads(found row) {
	f.t.Helper()
	for name, shown := range f.d.shown {
		require.Equal(f.t, shown, fmt.Sprint(found.Values[name]), name)
		filters, err := json.Marshal(map[string]any{name: found.Values[name]})
		require.NoError(f.t, err)
		rows := f.g.rows(url.Values{"filters": {string(filters)}, "sort_by": {name}, "sort_desc": {"true"}})
		require.Len(f.t, rows.Items, 1, name)
	}
	for _, column := range f.d.Columns {
		if column.References != "" {
			require.Contains(f.t, f.g.call(http.MethodGet, f.g.path+"/rows", nil).body, `"`+column.Name+`":{"`+fmt.Sprint(found.Values[column.Name]),
				"the referenced record is named")
		}
	}
	first := f.d.Columns[0].Name
	export := f.g.call(http.MethodGet, f.g.path+"/export?select_fields=external_id,"+first+"&filters="+url.QueryEscape(`{"external_id":"R-1"}`), nil)
	require.True(f.t, strings.HasPrefix(export.body, "external_id,"+first+"\r\nR-1,"), export.body)
	if shown := f.d.shown[first]; !strings.Contains(shown, `"`) {
		require.Contains(f.t, export.body, "R-1,"+shown)
	}
	writes := 2
	if f.d.edited != "" {
		changed := decode[row](f.t, f.g.edit(found.ID, found.Version, map[string]any{f.d.edited: "4.25"}), http.StatusOK)
		require.Equal(f.t, "4.25", changed.Values[f.d.edited])
		writes++
	}
	require.Len(f.t, decode[page[struct{ Result string }]](f.t, f.g.call(http.MethodGet, f.g.path+"/rows/"+found.ID+"/history", nil),
		http.StatusOK).Items, writes)
	view := f.g.call(http.MethodPost, f.g.path+"/views", map[string]any{"name": "Mine", "definition": map[string]any{
		"filters": map[string]any{"external_id": "R-1"}, "select_fields": []string{"external_id", f.d.Columns[0].Name}}})
	require.Equal(f.t, http.StatusCreated, view.status, view.body)
}

// creates makes the same record under another key as a person, where people may.
func (f followed) creates() {
	f.t.Helper()
	if f.d.Slug == "purchase_order_lines" {
		return // they are drafted in purchasing
	}
	values := maps.Clone(f.d.record)
	values["external_id"] = "R-4"
	made := decode[row](f.t, f.g.call(http.MethodPost, f.g.path+"/rows", map[string]any{"values": values}), http.StatusCreated)
	for name, shown := range f.d.shown {
		if name != "external_id" {
			require.Equal(f.t, shown, fmt.Sprint(made.Values[name]), name)
		}
	}
}

// fails sends a record that is refused, finds it among the failed imports and retries it corrected.
func (f followed) fails() {
	f.t.Helper()
	wrong := f.d.Columns[0]
	record := map[string]any{}
	for name, value := range f.d.record {
		record[name] = value
	}
	record["external_id"], record[wrong.Name] = "R-2", []any{"not a value"}
	body, err := json.Marshal(record)
	require.NoError(f.t, err)
	got := f.w.post(f.d.Slug, string(body))
	require.Equal(f.t, http.StatusUnprocessableEntity, got.status, got.body)
	failures := decode[page[struct{ ID string }]](f.t, f.g.call(http.MethodGet, f.q.path+"/failures?table="+f.d.Slug, nil), http.StatusOK)
	require.Len(f.t, failures.Items, 1)
	record[wrong.Name] = f.d.record[wrong.Name]
	corrected, err := json.Marshal(record)
	require.NoError(f.t, err)
	retried := f.g.call(http.MethodPost, f.q.path+"/failures/"+failures.Items[0].ID+"/retry", map[string]any{"payload": string(corrected)})
	require.Equal(f.t, http.StatusOK, retried.status, retried.body)
	require.Len(f.t, f.g.rows(url.Values{"filters": {`{"external_id":"R-2"}`}}).Items, 1)
}

// imports stores the same record under another key from a file.
func (f followed) imports() {
	f.t.Helper()
	names, values := []string{"external_id"}, []string{"R-3"}
	for name, value := range f.d.base {
		names, values = append(names, name), append(values, strings.Trim(fmt.Sprintf("%s", value), `"`))
	}
	for _, column := range f.d.Columns {
		names = append(names, column.Name)
		values = append(values, `"`+strings.ReplaceAll(fmt.Sprint(f.d.record[column.Name]), `"`, `""`)+`"`)
	}
	uploaded := decode[fileImport](f.t, f.q.upload(f.d.Slug, "file.csv", strings.Join(names, ",")+"\n"+strings.Join(values, ",")+"\n"),
		http.StatusCreated)
	f.q.start(uploaded.ID)
	require.Equal(f.t, "done", f.q.ended(uploaded.ID).Status)
	rows := f.g.rows(url.Values{"filters": {`{"external_id":"R-3"}`}})
	require.Len(f.t, rows.Items, 1)
	for name, shown := range f.d.shown {
		if name != "external_id" {
			require.Equal(f.t, shown, fmt.Sprint(rows.Items[0].Values[name]), name)
		}
	}
}
