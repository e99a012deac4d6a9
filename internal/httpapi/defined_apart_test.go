package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// apart is one of two companies that have a table of the same slug.
type apart struct {
	grid
	tenant  pgtest.Tenant
	version int64 // of the table
	key     http.Header
	columns []registry.ColumnDefinition
	only    string   // a column that the other company does not have
	kinds   []string // JSON Schema's types of the columns
	record  string   // with %s for its external_id
	shown   map[string]any
	line    string // of an export, after the external_id
}

// TestSameSlugOfTwoCompanies gives two companies a table of the same slug, whose columns of the same names have other
// types. Every step is taken in turns, so that whatever is cached by slug would be the other company's.
func TestSameSlugOfTwoCompanies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := apart{tenant: w.tenant, only: "first_only", kinds: []string{"string", "number", "string"},
		columns: []registry.ColumnDefinition{{Name: "state", Type: registry.Text, Choices: []string{"open", "done"}},
			{Name: "weight", Type: registry.Number, Maximum: "10"}, {Name: "first_only", Type: registry.Text}},
		record: `{"external_id":"%s","state":"open","weight":3.5,"first_only":"x"}`,
		shown:  map[string]any{"state": "open", "weight": "3.5", "first_only": "x"}, line: "open,3.5,x"}
	second := apart{tenant: pgtest.NewTenant(t, w.db), only: "second_only", kinds: []string{"boolean", "string", "number"},
		columns: []registry.ColumnDefinition{{Name: "state", Type: registry.Boolean},
			{Name: "weight", Type: registry.Date}, {Name: "second_only", Type: registry.Number}},
		record: `{"external_id":"%s","state":true,"weight":"2026-03-14","second_only":7}`,
		shown:  map[string]any{"state": true, "weight": "2026-03-14", "second_only": "7"}, line: "true,2026-03-14,7"}
	sides := []*apart{&first, &second}
	for _, side := range sides {
		side.grid = w.grid(side.tenant, auth.CompanyAdmin)
		side.path = strings.Replace(side.path, "/suppliers", "/decisions", 1)
		side.key = http.Header{"Authorization": {"Bearer " + w.issue(side.tenant.ID, side.tenant.Workspace, "*")}}
		made := side.call(http.MethodPost, side.definitions(), defined{Definition: registry.Definition{Title: "Decisions", Slug: "decisions",
			Columns: side.columns}}.body())
		side.version = decode[struct{ Version int64 }](t, made, http.StatusCreated).Version
	}
	w.unlimited()
	tags := map[*apart]string{}
	for round := range 2 {
		for i, side := range sides {
			tags[side] = side.discover(sides[1-i].only)
		}
		storeBoth(sides, round)
		for i, side := range sides {
			side.refuses(fmt.Sprintf(sides[1-i].record, "R-foreign"))
		}
		for i, side := range sides {
			side.page(20*(round+1), sides[1-i].only)
		}
		for _, side := range sides {
			side.export(20 * (round + 1))
		}
	}

	// What one company changes leaves the other's table as it was, whatever it is called.
	retired := first.call(http.MethodPost, first.definitions()+"/decisions/columns/first_only/retire", nil,
		fmt.Sprintf(`If-Match: "%d"`, first.version))
	require.Equal(t, http.StatusOK, retired.status, retired.body)
	require.NotContains(t, first.describe("application/json").body, "first_only")
	second.key.Set("If-None-Match", tags[&second])
	require.Equal(t, http.StatusNotModified, second.describe("application/json").status)
	second.key.Del("If-None-Match")
	second.page(40, "first_only")
}

func (a *apart) definitions() string {
	return "/api/app/tenants/" + a.tenant.ID.String() + "/table-definitions"
}

func (a *apart) describe(accept string) answer {
	header := a.key.Clone()
	header.Set("Accept", accept)
	return a.w.send(http.MethodGet, "", "/api/ingest/decisions", header, nil)
}

// discover returns the description's entity tag.
func (a *apart) discover(foreign string) string {
	t := a.w.t
	t.Helper()
	got := a.describe("application/json")
	described := decode[registry.Description](t, got, http.StatusOK)
	types := map[string]registry.Type{}
	for _, column := range described.Columns {
		types[column.Name] = column.Type
	}
	schema := decode[struct {
		Properties map[string]struct{ Type any }
	}](t, a.describe("application/schema+json"), http.StatusOK)
	require.Len(t, schema.Properties, len(a.columns)+1, "with external_id")
	for i, column := range a.columns {
		require.Equal(t, column.Type, types[column.Name])
		require.Equal(t, []any{a.kinds[i], "null"}, schema.Properties[column.Name].Type)
	}
	require.NotContains(t, types, foreign)
	return got.header.Get("ETag")
}

// storeBoth sends twenty new records of each company at once, so that they share batches.
func storeBoth(sides []*apart, round int) {
	t := sides[0].w.t
	t.Helper()
	var group sync.WaitGroup
	answers := make([]answer, 40)
	for i := range answers {
		side := sides[i%2]
		group.Go(func() {
			answers[i] = side.w.send(http.MethodPost, "", "/api/ingest/decisions", side.key,
				fmt.Appendf(nil, side.record, fmt.Sprintf("R-%d-%02d", round, i/2)))
		})
	}
	group.Wait()
	for _, got := range answers {
		require.Equal(t, http.StatusOK, got.status, got.body)
		require.Equal(t, []string{"created", "", ""}, []string{got.header.Get("Ingest-Result"), got.header.Get("Ingest-Dropped"),
			got.header.Get("Ingest-Coerced")})
	}
}

// refuses sends a record as the other company has them.
func (a *apart) refuses(record string) {
	t := a.w.t
	t.Helper()
	got := a.w.send(http.MethodPost, "", "/api/ingest/decisions", a.key, []byte(record))
	require.Equal(t, http.StatusUnprocessableEntity, got.status, got.body)
	require.Contains(t, got.body, "state: ")
	require.Contains(t, got.body, "weight: ")
}

func (a *apart) page(count int, foreign string) {
	t := a.w.t
	t.Helper()
	for name, value := range a.shown {
		filters, err := json.Marshal(map[string]any{name: value})
		require.NoError(t, err)
		rows := a.rows(url.Values{"filters": {string(filters)}, "sort_by": {name}, "limit": {"100"}}).Items
		require.Len(t, rows, count, name)
		for _, one := range rows {
			require.Equal(t, value, one.Values[name])
			require.NotContains(t, one.Values, foreign)
		}
	}
	for _, query := range []url.Values{{"filters": {`{"` + foreign + `":"x"}`}}, {"sort_by": {foreign}}, {"select_fields": {foreign}}} {
		got := a.call(http.MethodGet, a.path+"/rows?"+query.Encode(), nil)
		require.Contains(t, got.body, "unknown_field", query)
	}
}

func (a *apart) export(count int) {
	t := a.w.t
	t.Helper()
	got := a.call(http.MethodGet, a.path+"/export?sort_by=external_id&select_fields=external_id,state,weight,"+a.only, nil)
	lines := strings.Split(strings.TrimSuffix(got.body, "\r\n"), "\r\n")
	require.Equal(t, "external_id,state,weight,"+a.only, lines[0])
	require.Len(t, lines, count+1)
	for _, line := range lines[1:] {
		_, values, _ := strings.Cut(line, ",")
		require.Equal(t, a.line, values)
	}
}
