package procure_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/query"
	"github.com/quayside/quayside/internal/registry"
)

// reasons returns why agents may not order what asks for an order, by SKU. The list, the explanations
// and the view must agree.
func (st *stage) reasons() map[string]procure.Blocked {
	st.t.Helper()
	ctx, viewer := st.t.Context(), st.by(auth.Viewer)
	rows, _, err := st.queue.List(ctx, viewer, procure.Filter{})
	require.NoError(st.t, err)
	listed, explained, read := map[string]procure.Blocked{}, map[string]procure.Blocked{}, map[string]procure.Blocked{}
	for _, row := range rows {
		listed[row.SKU], explained[row.SKU] = row.Blocked, st.row(row.SKU).Blocked
	}
	require.Equal(st.t, listed, explained)

	views := query.New(st.db.Cells, registry.New(st.db.Cells), st.forecasts, purchase.LeftAsJSON)
	request := query.Request{ViewSlug: "procurement_queue", SelectFields: []string{"sku", "blocked_reason"},
		Filters: []byte(`{"action": {"ne": "none"}}`)}
	page, err := views.Rows(ctx, viewer, request)
	require.NoError(st.t, err)
	over := int64(0)
	for _, row := range page.Rows {
		var values struct {
			SKU     string          `json:"sku"`
			Blocked procure.Blocked `json:"blocked_reason"`
		}
		require.NoError(st.t, json.Unmarshal(row.Values, &values))
		read[values.SKU] = values.Blocked
		if values.Blocked == procure.OverBudget {
			over++
		}
	}
	require.Equal(st.t, listed, read)
	request.Filters = []byte(`{"action": {"ne": "none"}, "blocked_reason": "over_budget"}`)
	count, err := views.Count(ctx, viewer, request)
	require.NoError(st.t, err)
	require.Equal(st.t, over, count.Rows, "rows are filtered and counted by what is shown")
	return listed
}

// TestOverBudgetRows says of every row whether the rest of the month's budget covers it, whoever reads
// it and however.
func TestOverBudgetRows(t *testing.T) {
	t.Parallel()
	st := market(t)
	ctx, agent, buyer := t.Context(), st.agent(), st.by(auth.Buyer)
	st.product("CHEAP", 0, map[string]any{"unit_cost": "0.01"})
	st.product("DOLLAR", 0, map[string]any{"unit_cost": "0.01", "cost_currency": "USD"})
	st.sell("CHEAP", 12)
	st.sell("DOLLAR", 12)
	st.compute()
	st.exec("UPDATE workspace.sales_settings SET base_currency = 'EUR'")
	require.Equal(t, map[string]procure.Blocked{"TEA": "", "POT": "", "MUG": "", "CHEAP": "", "DOLLAR": "", "BARE": procure.NoPrice},
		st.reasons(), "there is no budget")

	st.set(playbook.Values{"monthly_budget": jsontext.Value("10")})
	require.Equal(t, map[string]procure.Blocked{"TEA": procure.OverBudget, "POT": procure.OverBudget, "MUG": procure.OverBudget,
		"CHEAP": "", "DOLLAR": procure.OverBudget, "BARE": procure.NoPrice}, st.reasons())

	tea, cheap := []procure.Pick{{Key: st.row("TEA").Key}}, []procure.Pick{{Key: st.row("CHEAP").Key}}
	_, err := st.queue.Draft(ctx, agent, tea, true)
	require.True(t, fault.HasCode(err, "recommendation_blocked"), err)
	require.ErrorContains(t, err, "agents may not order The TEA (over_budget); a person can")
	_, err = st.queue.Draft(ctx, buyer, tea, false)
	require.ErrorContains(t, err, "look at The TEA before you order it (over_budget)")
	_, err = st.queue.Draft(ctx, agent, cheap, false)
	require.NoError(t, err)
	require.Empty(t, st.reasons()["CHEAP"], "its line is spent already")

	for _, d := range st.decided(st.run(buyer, true).ID) {
		switch d.SKU {
		case "TEA", "POT", "MUG":
			require.Equal(t, procure.RuleBudget, d.Rule, d.Sentence)
		case "DOLLAR":
			require.Equal(t, procure.RuleCurrency, d.Rule, d.Sentence)
		}
	}

	_, err = st.queue.Draft(ctx, buyer, tea, true)
	require.NoError(t, err, "people are not bound")
	st.product("FREE", 0, map[string]any{"unit_cost": "0"})
	st.sell("FREE", 12)
	st.compute()
	require.Equal(t, procure.NoPrice, st.reasons()["FREE"], "what costs nothing is in no budget")
	_, err = st.queue.Draft(ctx, agent, []procure.Pick{{Key: st.row("FREE").Key}}, false)
	require.Error(t, err)
}
