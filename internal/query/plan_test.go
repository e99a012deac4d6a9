package query

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
)

// planNode is one step in the output of EXPLAIN ANALYZE.
type planNode struct {
	NodeType  string  `json:"Node Type"`
	IndexName string  `json:"Index Name"`
	IndexCond string  `json:"Index Cond"`
	Rows      float64 `json:"Actual Rows"`
	Loops     float64 `json:"Actual Loops"`
	Removed   float64 `json:"Rows Removed by Filter"`
	Plans     []planNode
}

// touched returns the largest number of rows that a step of the plan read.
func (n planNode) touched() float64 {
	most := (n.Rows + n.Removed) * n.Loops
	for _, child := range n.Plans {
		most = max(most, child.touched())
	}
	return most
}

// indexes returns the indexes that a plan uses, with their conditions.
func (n planNode) indexes() string {
	words := ""
	if n.IndexName != "" {
		words = n.IndexName + " " + n.IndexCond + "\n"
	}
	for _, child := range n.Plans {
		words += child.indexes()
	}
	return words
}

// explainPages runs the statements of a request as the service does, and returns their plans.
func (st *stage) explainPages(request Request, of func(plan) []statement) (plans []planNode) {
	st.t.Helper()
	err := st.s.reading(st.t.Context(), st.by(), request, time.Minute, func(tx pgx.Tx, p plan) error {
		for _, stmt := range of(p) {
			var text []byte
			if err := tx.QueryRow(st.t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+stmt.sql,
				stmt.parameters()...).Scan(&text); err != nil {
				return err
			}
			var read []struct{ Plan planNode }
			if err := json.Unmarshal(text, &read); err != nil {
				return err
			}
			plans = append(plans, read[0].Plan)
		}
		return nil
	})
	require.NoError(st.t, err)
	return plans
}

// TestPagePlans checks that a page reads only a range of an index with its order, wherever it
// begins, also in a generic table that was created after a larger one; and that a count stops
// at its bound.
func TestPagePlans(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.fill(60_000)
	st.register(st.tenant.ID, "notes", "records")
	st.exec(`INSERT INTO workspace.records (tenant_id, workspace_id, slug, external_id) SELECT $1, $2, 'notes', n::text FROM generate_series(1, 20000) n`, st.tenant.ID, st.tenant.Workspace)
	for range 3 { // other tenants, so that an index on the tenant is useful
		other := pgtest.NewTenant(t, st.db)
		st.exec(`INSERT INTO workspace.gauges (tenant_id, workspace_id, external_id) SELECT $1, $2, n::text FROM generate_series(1, 5000) n`, other.ID, other.Workspace)
		st.exec(`INSERT INTO workspace.records (tenant_id, workspace_id, slug, external_id) SELECT $1, $2, 'things', n::text FROM generate_series(1, 5000) n`, other.ID, other.Workspace)
	}
	st.exec("CREATE INDEX gauges_moment ON workspace.gauges (tenant_id, workspace_id, moment, id)")
	st.exec("VACUUM ANALYZE workspace.gauges, workspace.records")
	deep := map[string]string{"id": "", "external_id": "x45", "moment": "2020-01-20 00:00:00+00"}
	var middle string
	require.NoError(t, st.admin.QueryRow(t.Context(),
		"SELECT id FROM workspace.gauges WHERE tenant_id = $1 AND external_id = 'x45000'", st.tenant.ID).Scan(&middle))
	for _, tt := range []struct{ slug, sort, index string }{
		{"gauges", "id", "gauges_pkey"},
		{"gauges", "external_id", "gauges_external_id"},
		{"gauges", "moment", "gauges_moment"},
		{"things", "id", "(records_in_order|records_pkey)"},
		{"notes", "id", "records_in_order"},
	} {
		for _, desc := range []bool{false, true} {
			for _, late := range []bool{false, true} {
				if late && tt.slug == "notes" {
					continue
				}
				t.Run(fmt.Sprintf("%s by %s desc %t late %t", tt.slug, tt.sort, desc, late), func(t *testing.T) {
					plans := st.explainPages(Request{ViewSlug: tt.slug, SortBy: tt.sort, SortDesc: desc}, func(p plan) []statement {
						if late {
							value := deep[tt.sort]
							p.from = &place{&value, middle}
						}
						return p.pages(51)[:1] // the rows with a sort value
					})
					require.Regexp(t, tt.index, plans[0].indexes())
					require.LessOrEqual(t, plans[0].touched(), 200.0, "more than a page was read")
					if late {
						require.Regexp(t, tt.index+`.*\b`+tt.sort+`\b`, plans[0].indexes(),
							"the page does not begin where the one before has ended")
					}
				})
			}
		}
	}
	counted := st.explainPages(Request{ViewSlug: "things"},
		func(p plan) []statement { return []statement{p.count(CountedTo + 1)} })
	require.LessOrEqual(t, counted[0].touched(), float64(CountedTo+1))
}
