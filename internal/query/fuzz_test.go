package query

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

// hostile are texts that somebody may send as a name, an operator, a value, an order or a
// cursor.
var hostile = []string{
	"", " ", "'", `"`, `\`, ";", "--", "/*", "$1", "%s", "{}", "[]", "null", "id", "words", "amount", "t.id", "tenant_id",
	"*", "1", "0x1", "-1", "1e999", "NaN",
	"'; DROP TABLE workspace.gauges; --", `" OR 1=1 --`, "words) UNION SELECT key_hash FROM workspace.api_keys --",
	"pg_sleep(10)", "now()", "infinity",
	"\x00", "a\x00b", "\xff\xfe", "\u202e", "𝒲", "ﬃ", strings.Repeat("x", 5000), strings.Repeat("[", 3000), "2026-02-30",
	"2026-01-01", "99999-01-01", "true", "t",
	"eq", "ne", "in", "gt", "contains", "empty", "EQ", firstRef, "workspace.gauges", "gauges", "things", "../things",
	"records",
}

// pairs returns two tables with the same columns, as the registry would describe them.
func pairs() []*registry.Table {
	var tables []*registry.Table
	for _, generic := range []bool{false, true} {
		table := registry.NewTable(map[bool]string{false: "gauges", true: "things"}[generic], "external_id",
			registry.Column{Name: "external_id", Type: registry.Text, Kind: "writable", Accepted: true, Required: true},
			registry.Column{Name: "words", Type: registry.Text, Kind: "writable", Accepted: true, Nullable: true},
			registry.Column{Name: "amount", Type: registry.Number, Kind: "writable", Accepted: true, Nullable: true},
			registry.Column{Name: "flag", Type: registry.Boolean, Kind: "writable", Accepted: true, Nullable: true},
			registry.Column{Name: "day", Type: registry.Date, Kind: "writable", Accepted: true, Nullable: true},
			registry.Column{Name: "moment", Type: registry.Datetime, Kind: "writable", Accepted: true, Nullable: true},
			registry.Column{Name: "ref", Type: registry.UUID, Kind: "writable", Accepted: true, Nullable: true},
		)
		table.Generic = generic
		tables = append(tables, table)
	}
	return tables
}

// sqlWords matches every word that a statement over the pairs may contain.
var sqlWords = regexp.MustCompile(`^(SELECT|FROM|WHERE|AND|NOT|IS|NULL|DISTINCT|ANY|ORDER|BY|ASC|DESC|NULLS|LAST|LIMIT|COLLATE|LIKE|count|left|round|lower|coalesce|` +
	`workspace|records|t|data|slug|default|tenant_id|workspace_id|id|version|created_at|updated_at|gauges|things|external_id|words|amount|flag|day|moment|ref|` +
	`key|true|uuid|text|numeric|boolean|date|timestamptz|bigint|300|4|0)$`)

var (
	sqlQuoted    = regexp.MustCompile(`'[a-z_]*'|"[a-z0-9_]+"`)
	sqlParameter = regexp.MustCompile(`\$\d+`)
)

// FuzzPlan checks that every request is either refused as a bad request, or becomes statements
// whose text does not depend on its values.
func FuzzPlan(f *testing.F) {
	f.Add([]byte(`{"words":"a","amount":{"gte":1}}`), "words", "amount", true, 10, "", "", "")
	f.Add([]byte(`{"flag":true,"day":["2026-01-01"],"moment":{"lt":"2026-01-01"},"ref":null}`), "id", "moment", false,
		1000, "x", "", "")
	f.Add([]byte(`{"units_net":{"gte":1}}`), "week_start,units_net", "week_start", true, 10, "", "2026-01-01", "all")
	for i, text := range hostile {
		quoted, err := json.Marshal(text)
		require.NoError(f, err)
		f.Add(fmt.Appendf(nil, `{"words":{"contains":%s}}`, quoted), text, text, i%2 == 0, i, text, "", "")
		f.Add(fmt.Appendf(nil, `{%s:{"eq":%[1]s}}`, quoted), "words", "", false, 0, "", "", "")
		f.Add([]byte(`{}`), "", "", false, 0, "", text, text)
	}
	tenant, workspace, now := uuid.New(), uuid.New(), time.Now()
	relations := slices.Clone(computed)
	for _, table := range pairs() {
		relations = append(relations, fromTable(table))
	}
	f.Fuzz(func(t *testing.T, filters []byte, selected, sortBy string, desc bool, limit int, cursor, asOf, product string) {
		for _, relation := range relations {
			request := Request{Filters: filters, SelectFields: strings.Split(selected, ","), SortBy: sortBy, SortDesc: desc,
				Limit: limit, Cursor: cursor, Parameters: Parameters{asOf, product}, now: now}
			if selected == "" {
				request.SelectFields = nil
			}
			p, err := relation.understand(tenant, workspace, time.UTC, request)
			if err != nil {
				require.True(t, fault.Is(err, fault.BadRequest), err)
				require.Less(t, len(err.Error()), 2000)
				continue
			}
			if relation.budgeted {
				p.rows = "null"
			}
			// Also from a cursor that a row of hostile text would give.
			p.from = &place{key: sortBy}
			if p.sort.isPrinted(selected) {
				p.from.value = &selected
			}
			again, err := p.readCursor(p.cursor(*p.from))
			if err == nil {
				require.Equal(t, p.from, again)
			}
			other := p
			other.tenant, other.workspace, other.limit = uuid.New(), uuid.New(), 1
			other.conditions = slices.Clone(p.conditions)
			for i := range other.conditions {
				if len(other.conditions[i].values) > 0 {
					other.conditions[i].values = []string{"other"}
				}
			}
			other.given = slices.Repeat([]string{"other"}, len(p.given))
			other.from = &place{key: "other"}
			if p.from.value != nil {
				other.from.value = new(string)
			}
			ours, theirs := statements(p), statements(other)
			require.Len(t, ours, len(theirs))
			for i := range ours {
				require.Equal(t, theirs[i].sql, ours[i].sql)
				requirePlainSQL(t, relation, ours[i])
			}
		}
	})
}

// statements returns all statements of a plan.
func statements(p plan) []statement {
	return append(p.pages(p.limit+1), p.all(), p.count(10), p.one("x"))
}

// requirePlainSQL checks that a statement contains only known words, besides the text of a
// computed view and its fields, and as many parameters as values.
func requirePlainSQL(t *testing.T, relation *Relation, stmt statement) {
	t.Helper()
	used := map[string]bool{}
	for _, parameter := range sqlParameter.FindAllString(stmt.sql, -1) {
		used[parameter] = true
	}
	text := stmt.sql
	if relation.Computed {
		text = strings.NewReplacer(relation.from, " ", relation.every, " ", relation.joined, " ").Replace(text)
		require.NotEqual(t, stmt.sql, text, "the view is not in it")
	}
	text = sqlQuoted.ReplaceAllStringFunc(text,
		func(quoted string) string { return " " + quoted[1:len(quoted)-1] + " " })
	require.Len(t, used, len(stmt.args), stmt.sql)
	text = sqlParameter.ReplaceAllString(text, " ")
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" .,():=<>*[]-", r) }) {
		_, isField := relation.Field(word)
		require.True(t, isField || sqlWords.MatchString(word), "%s in %s", word, stmt.sql)
	}
}

// TestHostileRequests sends hostile texts in every argument to a real PostgreSQL: each request
// is refused or returns rows, and all data is still there afterwards.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	random := rand.New(rand.NewPCG(5, 6))
	st.scatter(random, 20)
	pick := func() string { return hostile[random.IntN(len(hostile))] }
	answered := 0
	for range 3000 {
		field, operator := pick(), pick()
		if random.IntN(4) > 0 {
			field = []string{"words", "external_id", "id", "words", "amount", "flag", "day", "moment", "ref"}[random.IntN(9)]
		}
		if random.IntN(4) > 0 {
			operator = []string{"eq", "ne", "in", "contains", "eq", "contains", "gt", "gte", "lt", "lte",
				"empty"}[random.IntN(11)]
		}
		name, _ := json.Marshal(field)
		value, _ := json.Marshal(pick())
		if operator == "in" {
			value, _ = json.Marshal([]string{pick(), pick()})
		}
		request := Request{
			ViewSlug: stored[random.IntN(2)], SortDesc: random.IntN(2) == 0, Limit: random.IntN(5),
			Filters: fmt.Appendf(nil, `{%s:{%q:%s}}`, name, operator, value),
		}
		switch random.IntN(12) {
		case 0:
			request.ViewSlug = pick()
		case 1:
			request.SortBy = pick()
		case 2:
			request.SelectFields = []string{pick(), pick()}
		case 3:
			request.Cursor = pick()
		case 4:
			request.ViewSlug, request.Filters = computed[random.IntN(len(computed))].Slug, nil
			request.Parameters = Parameters{pick(), pick()}
		case 5:
			request.ViewSlug = computed[random.IntN(len(computed))].Slug
			request.SortBy = pick()
		}
		page, err := st.s.Rows(t.Context(), st.by(), request)
		if err != nil {
			require.True(t, fault.Is(err, fault.BadRequest) || fault.Is(err, fault.NotFound), "%+v: %v", request, err)
			continue
		}
		answered++
		count, err := st.s.Count(t.Context(), st.by(), request)
		require.NoError(t, err)
		require.LessOrEqual(t, int64(len(page.Rows)), count.Rows)
	}
	require.Greater(t, answered, 200, "hardly anything got through: the test tests nothing")
	var there int
	require.NoError(t, st.admin.QueryRow(t.Context(), "SELECT count(*) FROM workspace.gauges").Scan(&there))
	require.Equal(t, 20, there)
}

// TestReadsWriteNothing checks that a statement in a read transaction cannot write.
func TestReadsWriteNothing(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	err := st.db.Reading(t.Context(), st.tenant.ID, time.Second, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(),
			"INSERT INTO workspace.gauges (tenant_id, workspace_id, external_id) VALUES ($1, $2, 'x')", st.tenant.ID,
			st.tenant.Workspace)
		return err
	})
	require.ErrorContains(t, err, "25006")
}
