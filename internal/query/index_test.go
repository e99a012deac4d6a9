package query

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fieldindex"
)

// indexAll has every field of both tables indexed: by reading slowly, and by the builder.
func (st *stage) indexAll() {
	st.t.Helper()
	st.s.slowRead, st.s.leastRows = 0, 1
	for _, slug := range stored {
		for _, field := range append([]string{"extra", "label"}, indexedFields...) {
			_, err := st.s.Rows(st.t.Context(), st.by(), Request{ViewSlug: slug, SortBy: field})
			require.NoError(st.t, err)
		}
	}
	st.s.slowRead = time.Hour
	st.exec("UPDATE workspace.indexed_fields SET used_at = now() - interval '2 days'")
	builder := fieldindex.New(st.db.Cells, slog.New(slog.DiscardHandler), func(string, int64, int64) {})
	require.Eventually(st.t, func() bool {
		require.NoError(st.t, builder.Keep(st.t.Context()))
		var ready int
		require.NoError(st.t, st.admin.QueryRow(st.t.Context(),
			"SELECT count(*) FROM workspace.indexed_fields WHERE state = 'ready'").Scan(&ready))
		return ready == len(stored)*(len(indexedFields)+2)
	}, time.Minute, 10*time.Millisecond)
}

var indexedFields = []string{"words", "amount", "flag", "day", "moment", "ref", "version", "updated_at"}

// extend adds two columns to both tables: as those of the company's own table, and beside those of the built-in one.
func (st *stage) extend() {
	st.t.Helper()
	st.exec("ALTER TABLE workspace.gauges ADD COLUMN custom jsonb NOT NULL DEFAULT '{}'")
	st.exec("INSERT INTO workspace.registry_tables (tenant_id, slug, title, storage) VALUES ($1, 'gauges', 'Gauges', 'extension')", st.tenant.ID)
	for _, slug := range stored {
		st.exec(`INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type)
			VALUES ($1, $2, 'extra', 20, 'number'), ($1, $2, 'label', 21, 'text')`, st.tenant.ID, slug)
	}
	st.exec("UPDATE workspace.registry_tables SET version = version + 1 WHERE tenant_id = $1", st.tenant.ID)
}

// randomRequest filters and sorts by any fields.
func randomRequest(random *rand.Rand, r *Relation) Request {
	request := Request{ViewSlug: r.Slug, Limit: 1 + random.IntN(9), SortDesc: random.IntN(2) == 0,
		SortBy: r.Fields[random.IntN(len(r.Fields))].Name, SelectFields: []string{"external_id"}}
	examples := map[string][]string{
		"text":     {`""`, `"a"`, `"A"`, `"ä"`, `"zz"`, `"` + strings.Repeat("long ", 80) + `1"`, `"` + strings.Repeat("long ", 60) + `"`},
		"number":   {`1`, `"1.00"`, `-5`, `0.1`, `1e20`, `0`, `2`},
		"boolean":  {`true`, `false`},
		"date":     {`"2026-01-01"`, `"2026-01-03"`, `"2026-01-05"`},
		"datetime": {`"1970-01-01T00:00:01.000001Z"`, `"1970-01-01T00:00:03Z"`, `"2020-01-01T00:00:00Z"`},
		"uuid":     {`"` + firstRef + `"`, `"` + secondRef + `"`},
	}
	filters := map[string]map[string]json.RawMessage{}
	for range random.IntN(4) {
		field := r.Fields[random.IntN(len(r.Fields))]
		values := examples[string(field.Type)]
		value := func() string { return values[random.IntN(len(values))] }
		operator := field.Operators()[random.IntN(len(field.Operators()))]
		text := value()
		if operator == In {
			text = "[" + value() + "," + value() + "]"
		}
		if operator == Empty {
			text = strconv.FormatBool(random.IntN(2) == 0)
		}
		if filters[field.Name] == nil {
			filters[field.Name] = map[string]json.RawMessage{}
		}
		filters[field.Name][string(operator)] = json.RawMessage(text)
	}
	request.Filters, _ = json.Marshal(filters)
	return request
}

// ways returns every way in which the plan's page could be read, with bounds that are too small and large enough.
func (p plan) ways(ctx context.Context, t *testing.T, tx pgx.Tx) (ways []access) {
	t.Helper()
	other, err := p.otherwise(ctx, tx)
	require.NoError(t, err)
	ways = append(ways, other)
	for _, step := range append(p.steps(), 1) {
		chosen, err := p.choose(ctx, tx, step)
		require.NoError(t, err)
		ways = append(ways, chosen)
	}
	for _, bound := range []int{3, 40, 1000} {
		if p.indexes[p.sort.Name] != nil {
			ways = append(ways, access{way: walk, bound: bound})
		}
		if p.isNative(p.sort) && len(p.conditions) > 0 {
			ways = append(ways, access{way: inOrder, bound: bound})
		}
		for _, g := range p.groups() {
			if g.isPoint() && p.sort.order == p.relation.key {
				ways = append(ways, access{way: point, group: g, bound: bound, covers: p.covers(g)})
			}
		}
	}
	for _, g := range p.groups() {
		ways = append(ways, access{way: gather, group: g, covers: p.covers(g)})
	}
	return ways
}

// TestIndexesChangeNothing reads pages of random requests in every way that indexes allow, while values are rewritten
// and indexes come and go between pages: rows, order and cursors are those of a plain statement.
func TestIndexesChangeNothing(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	st.extend()
	st.scatter(random, 90)
	st.exec(`UPDATE workspace.gauges SET custom = jsonb_build_object('extra', length(external_id), 'label', left(words, 1)) WHERE day > '2026-01-02'`)
	st.exec(`UPDATE workspace.records SET data = data || '{"extra": -1.5, "label": "b"}' WHERE external_id LIKE 'a%'`)
	st.indexAll()
	ctx := t.Context()
	for n := range 150 {
		slug := stored[n%2]
		relation, err := st.s.Table(ctx, st.by(), slug)
		require.NoError(t, err)
		request := randomRequest(random, relation)
		for range 6 {
			next := st.sameInEveryWay(request)
			if request.Cursor = next; next == "" {
				break
			}
			st.disturb(random, slug)
		}
	}
	wrong := st.bare("SELECT w.id || ' ' || w.key FROM workspace.wrong_entries('" + st.tenant.ID.String() + "') w")
	require.Empty(t, wrong)
}

// sameInEveryWay compares one page, and the count, over all ways. It returns the next cursor.
func (st *stage) sameInEveryWay(request Request) (next string) {
	st.t.Helper()
	ctx, t := st.t.Context(), st.t
	err := st.s.reading(ctx, st.by(), request, time.Minute, func(tx pgx.Tx, p plan) error {
		told := fmt.Sprintf("%s by %s desc %t, %d a page, %s", request.ViewSlug, request.SortBy, request.SortDesc, request.Limit, request.Filters)
		plain, cut, err := p.readWith(ctx, tx)
		require.NoError(t, err, told)
		require.False(t, cut)
		for _, way := range p.ways(ctx, t, tx) {
			q := p
			q.access = way
			page, cut, err := q.readWith(ctx, tx)
			require.NoError(t, err, told)
			if cut {
				require.Equal(t, rowIDs(plain.rows[:len(page.rows)]), rowIDs(page.rows), "%s, cut: %+v", told, way)
				continue
			}
			require.Equal(t, rowIDs(plain.rows), rowIDs(page.rows), "%s: %+v", told, way)
			require.Equal(t, plain.last, page.last, "%s: %+v", told, way)
			require.Equal(t, plain.more, page.more, "%s: %+v", told, way)
		}
		if plain.more {
			next = p.cursor(plain.last)
		}
		page, err := p.read(ctx, tx)
		require.NoError(t, err)
		require.Equal(t, rowIDs(plain.rows), rowIDs(page.Rows), told)
		require.Equal(t, next, page.NextCursor, told)
		return st.sameCount(tx, p, told)
	})
	require.NoError(t, err)
	return next
}

func (st *stage) sameCount(tx pgx.Tx, p plan, told string) error {
	st.t.Helper()
	counts := map[bool]int{}
	files := map[bool][][]byte{}
	for _, indexed := range []bool{false, true} {
		q := p
		if indexed {
			var err error
			q.access, err = p.counting(st.t.Context(), tx)
			require.NoError(st.t, err)
		}
		var count int
		stmt := q.count(1000)
		require.NoError(st.t, tx.QueryRow(st.t.Context(), stmt.sql, stmt.parameters()...).Scan(&count), told)
		counts[indexed] = count
		q.access.covers = false
		stmt = q.all()
		rows, err := tx.Query(st.t.Context(), stmt.sql, stmt.parameters()...)
		require.NoError(st.t, err)
		for rows.Next() {
			files[indexed] = append(files[indexed], bytes.Clone(rows.RawValues()[0]))
		}
		require.NoError(st.t, rows.Err())
	}
	require.Equal(st.t, counts[false], counts[true], told)
	require.Equal(st.t, files[false], files[true], told)
	return nil
}

func rowIDs(rows []Row) string {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return strings.Join(ids, " ")
}

// disturb rewrites rows, deletes one, or has an index not be ready for a while.
func (st *stage) disturb(random *rand.Rand, slug string) {
	st.t.Helper()
	switch random.IntN(6) {
	case 0:
		st.exec("UPDATE workspace.indexed_fields SET state = CASE state WHEN 'ready' THEN 'building' ELSE 'ready' END WHERE field = $1",
			indexedFields[random.IntN(len(indexedFields))])
	case 1:
		st.scatter(random, 1)
	case 2:
		from := map[string]string{"gauges": "workspace.gauges", "things": "workspace.records"}[slug]
		st.exec("DELETE FROM " + from + " WHERE id = (SELECT id FROM " + from + " ORDER BY external_id OFFSET 7 LIMIT 1)")
	default:
		names := st.bare("SELECT external_id FROM workspace.gauges ORDER BY random() LIMIT 2")
		for _, name := range names {
			st.write(slug, fmt.Sprintf(`{"external_id":%q,"amount":%d,"words":"w%d","flag":%t,"extra":%d,"label":"l%[3]d"}`, name, random.IntN(4)-2,
				random.IntN(3), random.IntN(2) == 0, random.IntN(3)))
		}
	}
}

// TestFirstNeed asks for indexes on the fields of slow reads of large tables only, within the company's budget, and notes
// when those that are there were last used.
func TestFirstNeed(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill(20)
	read := func(request Request) []string {
		t.Helper()
		request.ViewSlug = "things"
		_, err := st.s.Count(t.Context(), st.by(), request)
		require.NoError(t, err)
		_, err = st.s.Rows(t.Context(), st.by(), request)
		require.NoError(t, err)
		return st.bare("SELECT field FROM workspace.indexed_fields WHERE state = 'wanted' ORDER BY field")
	}
	amounts := Request{SortBy: "day", Filters: []byte(`{"amount":{"gt":3},"words":{"contains":"x"},"external_id":"x1"}`)}
	st.s.slowRead, st.s.leastRows = time.Hour, 20
	require.Empty(t, read(amounts), "fast")
	st.s.slowRead, st.s.leastRows = 0, 21
	require.Empty(t, read(amounts), "small")
	st.s.leastRows = 20
	require.Empty(t, read(Request{SortBy: "external_id"}), "the table has an index")
	require.Equal(t, []string{"amount", "day"}, read(amounts))

	st.exec("UPDATE workspace.indexed_fields SET state = 'ready', used_at = now() - interval '2 days'")
	st.s.slowRead = time.Hour
	read(amounts)
	require.Empty(t, st.bare("SELECT field FROM workspace.indexed_fields WHERE used_at < now() - interval '1 day'"))

	st.exec(`INSERT INTO workspace.indexed_fields (tenant_id, workspace_id, slug, field, home, stored, type, collated, cut, state)
		SELECT tenant_id, workspace_id, 'others', 'f' || n, 'records', 'data', 'text', true, 300, 'leaving'
		FROM workspace.indexed_fields, generate_series(1, 18) n WHERE field = 'day'`)
	st.s.slowRead = 0
	require.Empty(t, read(Request{SortBy: "moment"}), "the budget is used up")
	st.exec("UPDATE workspace.indexed_fields SET state = 'leaving'") // they were never built
}
