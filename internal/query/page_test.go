package query

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// scatter fills both tables with rows that have many ties and nulls in every column, some
// created at the same moment.
func (st *stage) scatter(random *rand.Rand, n int) {
	st.t.Helper()
	words := []string{"", "a", "A", "b", "ä", "Ä", "z", "a b", "10", "9", "'", "%", strings.Repeat("long ", 80) + "1",
		strings.Repeat("long ", 80) + "2"}
	maybe := func(value any) any {
		if random.IntN(4) == 0 {
			return nil
		}
		return value
	}
	for i := range n {
		record := map[string]any{
			"external_id": fmt.Sprintf("%c%d", 'a'+rune(random.IntN(4)), i),
			"words":       maybe(words[random.IntN(len(words))]),
			"amount": maybe(json.Number([]string{"1", "1.0", "1.00", "-5", "0.1", "1e20",
				"123456789012345678.000001"}[random.IntN(7)])),
			"flag":   maybe(random.IntN(2) == 0),
			"day":    maybe(fmt.Sprintf("2026-01-%02d", 1+random.IntN(5))),
			"moment": maybe(time.Unix(1+int64(random.IntN(5)), int64(random.IntN(3))*1000).UTC().Format(time.RFC3339Nano)),
			"ref":    maybe([]string{firstRef, secondRef}[random.IntN(2)]),
		}
		body, err := json.Marshal(record)
		require.NoError(st.t, err)
		for _, slug := range stored {
			st.write(slug, string(body))
		}
	}
}

// TestPages goes through all pages in every order, with several page sizes and filters: each
// row comes once, in the order of a plain statement.
func TestPages(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	random := rand.New(rand.NewPCG(3, 4))
	st.scatter(random, 120)
	bare := map[string]map[string]string{"gauges": {}, "things": {}}
	for _, name := range []string{"id", "external_id", "version", "created_at", "updated_at", "workspace_id"} {
		bare["gauges"][name], bare["things"][name] = name, name
	}
	for name, kind := range map[string]string{"words": "text", "amount": "numeric", "flag": "boolean", "day": "date",
		"moment": "timestamptz", "ref": "uuid"} {
		bare["gauges"][name], bare["things"][name] = name, fmt.Sprintf("(data->>'%s')::%s", name, kind)
	}
	for slug, columns := range bare {
		from := map[string]string{"gauges": "workspace.gauges", "things": "workspace.records"}[slug]
		for column, expression := range columns {
			for _, desc := range []bool{false, true} {
				for filters, where := range map[string]string{"": "true", `{"flag":true}`: columns["flag"],
					`{"words":null}`: "coalesce(" + columns["words"] + ", '') = ''"} {
					direction := map[bool]string{false: "ASC", true: "DESC"}[desc]
					if column == "words" { // texts are ordered by their first 300 characters
						expression = "left(" + columns[column] + ", 300)"
					}
					want := st.bare(fmt.Sprintf("SELECT external_id FROM %s WHERE %s ORDER BY %s %s NULLS LAST, id %[4]s", from, where,
						expression, direction))
					limit := []int{1, 2, 7, 50, 1000}[random.IntN(5)]
					got := st.ids(Request{ViewSlug: slug, Filters: []byte(filters), SortBy: column, SortDesc: desc, Limit: limit})
					require.Equal(t, want, got, "%s by %s %s, %d a page, %s", slug, column, direction, limit, filters)
				}
			}
		}
	}
}

func (st *stage) bare(sql string) []string {
	st.t.Helper()
	rows, err := st.admin.Query(st.t.Context(), sql)
	require.NoError(st.t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(st.t, err)
	return ids
}

// TestPagesWhileRowsCome pages during writes: a row that exists from the start and does not
// move comes exactly once.
func TestPagesWhileRowsCome(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill(200)
	request := Request{ViewSlug: "things", SortBy: "amount", SortDesc: true, Limit: 17,
		SelectFields: []string{"external_id"}}
	seen := map[string]int{}
	for n := 0; ; n++ {
		page, err := st.s.Rows(t.Context(), st.by(), request)
		require.NoError(t, err)
		for _, row := range page.Rows {
			seen[fmt.Sprint(values(t, row)["external_id"])]++
		}
		st.write("things", fmt.Sprintf(`{"external_id":"new-%d","amount":%d}`, n, n*20))
		if request.Cursor = page.NextCursor; request.Cursor == "" {
			break
		}
	}
	for n := range 200 {
		require.Equal(t, 1, seen[fmt.Sprintf("x%d", n+1)])
	}
}

// TestCursors checks that a cursor works for its own list only, and not if it is damaged or
// forged.
func TestCursors(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.scatter(rand.New(rand.NewPCG(1, 1)), 30)
	own := Request{ViewSlug: "gauges", Filters: []byte(`{"flag":true,"day":{"gte":"2026-01-01"}}`), SortBy: "amount",
		Limit: 2}
	first, err := st.s.Rows(t.Context(), st.by(), own)
	require.NoError(t, err)
	require.NotEmpty(t, first.NextCursor)
	own.Cursor = first.NextCursor

	same := own
	same.Filters = []byte(` { "day" : {"gte":"2026-01-01"}, "flag":"true" } `)
	same.SelectFields, same.Limit = []string{"words"}, 9
	_, err = st.s.Rows(t.Context(), st.by(), same)
	require.NoError(t, err, "the same filters in other words, other fields and another limit are the same list")

	for name, change := range map[string]func(*Request){
		"table":     func(r *Request) { r.ViewSlug = "things" },
		"order":     func(r *Request) { r.SortBy = "day" },
		"direction": func(r *Request) { r.SortDesc = true },
		"value":     func(r *Request) { r.Filters = []byte(`{"flag":false,"day":{"gte":"2026-01-01"}}`) },
		"operator":  func(r *Request) { r.Filters = []byte(`{"flag":true,"day":{"gt":"2026-01-01"}}`) },
		"filters":   func(r *Request) { r.Filters = nil },
		"cut off":   func(r *Request) { r.Cursor = r.Cursor[:len(r.Cursor)-1] },
		"longer":    func(r *Request) { r.Cursor += "AAAA" },
		"padded":    func(r *Request) { r.Cursor += "=" },
		"changed":   func(r *Request) { r.Cursor = r.Cursor[:30] + string(r.Cursor[30]^1) + r.Cursor[31:] },
		"no base64": func(r *Request) { r.Cursor = "!!" },
		"only sums": func(r *Request) { r.Cursor = base64.RawURLEncoding.EncodeToString(make([]byte, sumLength)) },
		"huge":      func(r *Request) { r.Cursor = strings.Repeat("A", 100_000) },
	} {
		foreign := own
		change(&foreign)
		_, err := st.s.Rows(t.Context(), st.by(), foreign)
		require.True(t, fault.HasCode(err, "cursor"), "%s: %v", name, err)
		require.True(t, fault.Is(err, fault.BadRequest))
	}
	elsewhere := st.by()
	elsewhere.Workspace = st.by().Tenant
	_, err = st.s.Rows(t.Context(), elsewhere, own)
	require.True(t, fault.HasCode(err, "cursor"), "another workspace: %v", err)

	// Somebody who knows the checksum can forge a place. It must still be one that PostgreSQL
	// can compare with.
	table, err := st.s.tables.Table(t.Context(), st.tenant.ID, "gauges")
	require.NoError(t, err)
	for column, texts := range map[string][]string{
		"amount": {"NaN", "Infinity", "1e9", "'", strings.Repeat("9", 2000)}, "flag": {"true", "x"},
		"day":    {"infinity", "2026-02-30", "0000-01-01"},
		"moment": {"now", "infinity", "2026-01-01"}, "ref": {"x", "urn:uuid:" + firstRef},
		"words": {"a\x00b", strings.Repeat("x", 600)}, "external_id": {"\x00"},
	} {
		for _, text := range texts {
			p, err := fromTable(table).understand(st.tenant.ID, st.tenant.Workspace, time.UTC, Request{SortBy: column})
			require.NoError(t, err)
			_, err = st.s.Rows(t.Context(), st.by(),
				Request{ViewSlug: "gauges", SortBy: column, Cursor: p.cursor(place{&text, "x"})})
			require.True(t, fault.HasCode(err, "cursor"), "%s %q: %v", column, text, err)
		}
	}
}

// TestValues checks the form of values: decimals are exact text, times RFC 3339, dates ISO
// dates, and fields come in the requested order.
func TestValues(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for _, slug := range stored {
		for _, record := range specimens[:2] {
			st.write(slug, record)
		}
		st.write(slug, `{"external_id":"z"}`)
		page, err := st.s.Rows(t.Context(), st.by(), Request{
			ViewSlug: slug, SortBy: "external_id",
			SelectFields: []string{"words", "amount", "flag", "day", "moment", "ref", "version", "workspace_id"},
		})
		require.NoError(t, err)
		require.Len(t, page.Rows, 3)
		at := `"` + st.tenant.Workspace.String() + `"`
		require.Equal(t, `{"words":"Alpha","amount":"1.50","flag":true,"day":"2026-01-01","moment":"2026-01-01T10:00:00.123456Z","ref":"`+firstRef+`","version":"1","workspace_id":`+at+`}`, string(page.Rows[0].Values))
		require.Contains(t, string(page.Rows[1].Values), `"amount":"123456789012345678901234.567890"`)
		require.Equal(t, `{"words":null,"amount":null,"flag":null,"day":null,"moment":null,"ref":null,"version":"1","workspace_id":`+at+`}`, string(page.Rows[2].Values))

		one, err := st.s.Get(t.Context(), st.by(), slug, page.Rows[0].ID, Parameters{})
		require.NoError(t, err)
		require.Equal(t, int64(1), one.Version)
		require.Equal(t, "1.50", values(t, one)["amount"])
		require.Equal(t, one.ID, values(t, one)["id"])
		for _, id := range []string{"", "nobody", "a\x00", strings.Repeat("x", 5000), "\xff"} {
			_, err = st.s.Get(t.Context(), st.by(), slug, id, Parameters{})
			require.True(t, fault.HasCode(err, "unknown_record"), "%q: %v", id, err)
		}
	}
}

// TestLargeRows checks that a page of long texts ends early, and the next one continues there.
func TestLargeRows(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.exec(`INSERT INTO workspace.gauges (tenant_id, workspace_id, external_id, words)
		SELECT $1, $2, n::text, repeat('x', 1000000) FROM generate_series(1, 12) n`, st.tenant.ID, st.tenant.Workspace)
	page, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "gauges", Limit: 1000})
	require.NoError(t, err)
	require.Len(t, page.Rows, 4)
	seen := st.ids(Request{ViewSlug: "gauges", SortBy: "words"})
	slices.Sort(seen)
	require.Len(t, slices.Compact(seen), 12)
}

// TestCountsAreBounded checks that counts are exact up to the bound, and that no more rows are
// read.
func TestCountsAreBounded(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill(9_999)
	for _, want := range []Count{{9_999, false}, {10_000, false}, {10_000, true}} {
		for _, slug := range stored {
			got, err := st.s.Count(t.Context(), st.by(), Request{ViewSlug: slug})
			require.NoError(t, err)
			require.Equal(t, want, got)
			got, err = st.s.Count(t.Context(), st.by(), Request{ViewSlug: slug, Filters: []byte(`{"color":"c1"}`)})
			require.NoError(t, err)
			require.Equal(t, Count{1429, false}, got)
			st.write(slug, fmt.Sprintf(`{"external_id":"more-%d-%t"}`, want.Rows, want.More))
		}
	}
}

// TestTheRegistryIsConfirmed changes a table without clearing the cache: the next read sees
// the change.
func TestTheRegistryIsConfirmed(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.write("things", `{"external_id":"a","words":"x"}`)
	request := Request{ViewSlug: "things", SelectFields: []string{"added"}, Filters: []byte(`{"added":null}`)}
	_, err := st.s.Rows(t.Context(), st.by(), request)
	require.True(t, fault.HasCode(err, "unknown_field"))
	st.exec("INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type) VALUES ($1, 'things', 'added', 9, 'number')", st.tenant.ID)
	page, err := st.s.Rows(t.Context(), st.by(), request)
	require.NoError(t, err)
	require.JSONEq(t, `{"added":null}`, string(page.Rows[0].Values))

	// A column whose type was changed: stored values are shown, but not compared.
	st.exec("UPDATE workspace.registry_columns SET type = 'number' WHERE tenant_id = $1 AND slug = 'things' AND name = 'words'", st.tenant.ID)
	page, err = st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "things", SelectFields: []string{"words"}})
	require.NoError(t, err)
	require.JSONEq(t, `{"words":"x"}`, string(page.Rows[0].Values))
	_, err = st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "things", SortBy: "words"})
	require.True(t, fault.HasCode(err, "unfit_values"), err)

	st.exec("DELETE FROM workspace.registry_tables WHERE tenant_id = $1 AND slug = 'things'", st.tenant.ID)
	_, err = st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "things"})
	require.True(t, fault.HasCode(err, "unknown_table"), err)
}

// TestReadsOfAChangingTable reads a table whose registration changes all the time. Whoever cannot be served is told so, and never
// gets an empty page.
func TestReadsOfAChangingTable(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill(10)
	changer := st.db.Admin(t)
	enough, stop := context.WithCancel(t.Context())
	var changing sync.WaitGroup
	defer changing.Wait()
	defer stop()
	changing.Go(func() {
		for enough.Err() == nil {
			_, err := changer.Exec(context.WithoutCancel(enough), `UPDATE workspace.registry_tables SET version = version + 1
				WHERE tenant_id = $1 AND slug = 'things'`, st.tenant.ID)
			assert.NoError(t, err)
		}
	})
	for range 100 {
		page, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: "things"})
		if err != nil {
			require.True(t, fault.HasCode(err, "table_changing"), err)
			continue
		}
		require.Len(t, page.Rows, 10)
	}
}

// TestSlowReads checks that a read that takes too long is ended with a helpful error.
func TestSlowReads(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill(60_000)
	st.s.pageTimeout, st.s.exportTimeout = time.Millisecond, time.Millisecond
	request := Request{ViewSlug: "things", SortBy: "words", Filters: []byte(`{"words":{"contains":"nobody"}}`)}
	_, err := st.s.Rows(t.Context(), st.by(), request)
	require.True(t, fault.HasCode(err, "too_slow"), err)
	_, err = st.s.Count(t.Context(), st.by(), request)
	require.True(t, fault.HasCode(err, "too_slow"), err)
	var file strings.Builder
	_, err = st.s.Export(t.Context(), st.by(), request, &file)
	require.True(t, fault.HasCode(err, "too_slow"), err)
	require.Empty(t, file.String())
}
