package procure_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
)

// shelf makes a company with articles in all groups of the queue, of two families, two suppliers and
// two currencies.
func (st *stage) shelf() {
	st.t.Helper()
	st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas", "lead_time_days": 10})
	st.send("suppliers", map[string]any{"external_id": "s2", "name": "Hill Cups"}) // the config says how long it takes
	for i, stock := range []int{0, 5, 20, 30, 45, 60, 80, 120, 200, 500} {
		sku := fmt.Sprint("A", i)
		values := map[string]any{"family": []string{"Tea", "Cups"}[i%2], "supplier_id": []string{"s1", "s2", "s2"}[i%3]}
		switch i {
		case 3:
			values["cost_currency"] = "USD"
		case 4:
			values["order_multiple"], values["unit_cost"] = 12, "1.35"
		case 5:
			values["unit_cost"] = nil
		case 6:
			values["lead_time_days"] = 21
		}
		st.product(sku, stock, values)
		st.sell(sku, 9)
	}
	st.line("o1", "A7", "ordered", 30, map[string]any{"ordered_at": today.AddDate(0, 0, -40).Format(time.RFC3339),
		"expected_arrival_date": today.AddDate(0, 0, -20).Format(time.DateOnly)})
	st.line("o2", "A2", "ordered", 200, map[string]any{"ordered_at": today.Format(time.RFC3339),
		"expected_arrival_date": today.AddDate(0, 0, 15).Format(time.DateOnly)})
	st.compute()
	buyer := st.by(auth.Buyer)
	require.NoError(st.t, st.queue.Dismiss(st.t.Context(), buyer, st.row("A4").Key, "Not now"))
	_, err := st.queue.Draft(st.t.Context(), buyer, []procure.Pick{{Key: st.row("A3").Key}}, true)
	require.NoError(st.t, err)
	st.follow()
}

// listed is what the stored queue shows of an article.
type listed struct {
	Product, Group, Urgency, Currency string
	Quantity                          float64
	Cost                              decimal.Decimal
}

// listed returns the stored queue by article, with the articles that ask for nothing.
func (st *stage) listed() map[string]listed {
	st.t.Helper()
	rows, err := st.admin.Query(st.t.Context(), `SELECT product_id AS product,
			CASE WHEN action = 'none' THEN 'none' WHEN locked_by_line_id IS NOT NULL THEN 'drafted'
				WHEN suppressed_until IS NOT NULL THEN 'put_off' ELSE action END AS group,
			urgency, coalesce(currency, '') AS currency, suggested_quantity AS quantity, coalesce(line_cost, 0)::text AS cost
		FROM workspace.queue_rows WHERE tenant_id = $1`, st.tenant.ID)
	require.NoError(st.t, err)
	all := map[string]listed{}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[listed])
	require.NoError(st.t, err)
	for _, one := range found {
		all[one.Product] = one
	}
	return all
}

// difference is how one queue differs from another, in the form of an effect's figures.
type difference struct {
	Groups                       map[procure.Group]int
	Costs                        map[string]string
	BecomeCritical, StopCritical int
	Changed                      map[string]string
}

func compareQueues(before, after map[string]listed) difference {
	d := difference{Groups: map[procure.Group]int{}, Costs: map[string]string{}, Changed: map[string]string{}}
	costs := map[string]decimal.Decimal{}
	critical := func(r listed) bool {
		return r.Urgency == "critical" && (r.Group == "order" || r.Group == "expedite" || r.Group == "upcoming")
	}
	for product, was := range before {
		is := after[product]
		d.Groups[procure.Group(was.Group)]--
		d.Groups[procure.Group(is.Group)]++
		if was.Group == "order" {
			costs[was.Currency] = costs[was.Currency].Sub(was.Cost)
		}
		if is.Group == "order" {
			costs[is.Currency] = costs[is.Currency].Add(is.Cost)
		}
		if critical(is) && !critical(was) {
			d.BecomeCritical++
		}
		if critical(was) && !critical(is) {
			d.StopCritical++
		}
		if was.Group != is.Group || was.Group != "none" && (was.Quantity != is.Quantity || was.Urgency != is.Urgency) {
			d.Changed[product] = fmt.Sprint(was.Group, was.Quantity, was.Urgency, " to ", is.Group, is.Quantity, is.Urgency)
		}
	}
	for currency, cost := range costs {
		d.Costs[currency] = cost.String()
	}
	return d.tidied()
}

func differenceOf(e procure.Effect) difference {
	d := difference{Groups: map[procure.Group]int{}, Costs: map[string]string{}, BecomeCritical: e.BecomeCritical,
		StopCritical: e.StopCritical, Changed: map[string]string{}}
	for group, lines := range e.Groups {
		d.Groups[group] = lines.After - lines.Before
	}
	for _, cost := range e.Costs {
		d.Costs[cost.Currency] = cost.After.Sub(cost.Before).String()
	}
	for _, a := range e.Largest {
		d.Changed[a.Product] = fmt.Sprint(a.Before.Group, a.Before.Quantity, a.Before.Urgency, " to ", a.After.Group,
			a.After.Quantity, a.After.Urgency)
	}
	return d.tidied()
}

// tidied leaves out what did not change, and the group of what is not listed.
func (d difference) tidied() difference {
	delete(d.Groups, procure.GroupNone)
	maps.DeleteFunc(d.Groups, func(_ procure.Group, n int) bool { return n == 0 })
	maps.DeleteFunc(d.Costs, func(_, cost string) bool { return cost == "0" })
	return d
}

// everything returns all rows of the company that a preview could write.
func (st *stage) everything() map[string]string {
	st.t.Helper()
	all := st.dump()
	for _, table := range []string{"queue_rows", "queue_state", "queue_marks", "playbook_versions", "playbook_state", "audit", "events",
		"suppressions", "line_suggestions", "suggestions"} {
		var rows string
		require.NoError(st.t, st.admin.QueryRow(st.t.Context(),
			"SELECT coalesce(jsonb_agg(to_jsonb(t) ORDER BY t::text), '[]')::text FROM workspace."+table+" t WHERE tenant_id = $1",
			st.tenant.ID).Scan(&rows))
		all[table] = rows
	}
	return all
}

// preview previews a trial, and checks that nothing was written.
func (st *stage) preview(p playbook.Trial) procure.Effect {
	st.t.Helper()
	before := st.everything()
	effect, err := st.queue.Preview(st.t.Context(), st.by(auth.CompanyAdmin), p)
	require.NoError(st.t, err)
	require.Equal(st.t, before, st.everything(), "a preview wrote something")
	require.Equal(st.t, today, *effect.AsOf)
	require.Equal(st.t, effect.Total, effect.Articles)
	require.Len(st.t, effect.Largest, effect.Changed)
	return effect
}

// anyValues returns random values of some config keys.
func anyValues(random *rand.Rand, planning bool) playbook.Values {
	values := playbook.Values{}
	keys := playbook.Keys()
	for range 1 + random.IntN(3) {
		key := keys[random.IntN(len(keys))]
		if planning && !key.Planning {
			continue
		}
		switch key.Type {
		case playbook.Boolean:
			values[key.Name] = jsontext.Value(strconv.FormatBool(random.IntN(2) == 0))
		case playbook.Integer:
			values[key.Name] = jsontext.Value(strconv.Itoa(int(key.Min) + random.IntN(min(60, int(key.Max-key.Min)))))
		case playbook.Number, playbook.Amount:
			values[key.Name] = jsontext.Value(fmt.Sprintf("%.3f", key.Min+(min(key.Max, 100)-key.Min)*random.Float64()))
		}
	}
	return values
}

// TestPreviewComesTrue previews changes at random, saves them, computes the queue again, and compares.
func TestPreviewComesTrue(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.shelf()
	random := rand.New(rand.NewPCG(18, 4))
	ctx, boss := t.Context(), st.by(auth.CompanyAdmin)
	var made *playbook.Document[playbook.Strategy]
	effects := 0
	for range 30 {
		settings, err := st.playbook.Settings(ctx, boss)
		require.NoError(t, err)
		same := playbook.ConfigChange{Values: settings.Config.Values(), Version: settings.Version}
		require.Zero(t, st.preview(playbook.Trial{Config: &same}).Total, "the present values have no effect")

		change := playbook.ConfigChange{Values: anyValues(random, false), Version: settings.Version}
		trial := playbook.Trial{Config: &change}
		save := func() error { _, err := st.playbook.SetConfig(ctx, boss, change); return err }
		if random.IntN(2) == 0 {
			strategy := st.anyStrategy(random)
			next := playbook.StrategyChange{Strategy: strategy, Note: "why"}
			if made != nil && random.IntN(3) > 0 {
				next.ID, next.Version = made.ID, made.Version
			}
			trial = playbook.Trial{Strategy: &next}
			save = func() error {
				stored, err := st.playbook.CreateStrategy(ctx, boss, strategy, "why")
				if next.ID != uuid.Nil {
					stored, err = st.playbook.ChangeStrategy(ctx, boss, next.ID, next.Version, strategy, "why")
				}
				made = &stored
				return err
			}
		}
		effect, before := st.preview(trial), st.listed()
		require.NoError(t, save())
		st.follow()
		want := compareQueues(before, st.listed())
		require.Equal(t, want, differenceOf(effect), "%+v %+v", trial.Config, trial.Strategy)
		if len(want.Changed) > 0 {
			effects++
		}
	}
	require.Greater(t, effects, 5, "most changes have an effect")
}

// anyStrategy returns a random strategy that is in force, or archived.
func (st *stage) anyStrategy(random *rand.Rand) playbook.Strategy {
	st.t.Helper()
	strategy := playbook.Strategy{Title: "Some", Scope: playbook.Scopes()[random.IntN(4)], Status: playbook.Active,
		Parameters: anyValues(random, true)}
	if random.IntN(5) == 0 {
		strategy.Status = playbook.Archived
	}
	table, name := "", ""
	switch strategy.Scope {
	case playbook.OfWorkspace:
	case playbook.OfFamily:
		strategy.Target = "Tea"
	case playbook.OfSupplier:
		table, name = "suppliers", "s2"
	case playbook.OfProduct:
		table, name = "products", fmt.Sprint("A", random.IntN(10))
	}
	if table != "" {
		require.NoError(st.t, st.admin.QueryRow(st.t.Context(), "SELECT id FROM workspace."+table+
			" WHERE tenant_id = $1 AND external_id = $2", st.tenant.ID, name).Scan(&strategy.Target))
	}
	return strategy
}

// TestPreview checks figures that a person can follow, and which changes have an effect.
func TestPreview(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.shelf()
	set := func(name, value string) playbook.Trial {
		return playbook.Trial{Config: &playbook.ConfigChange{Values: playbook.Values{name: jsontext.Value(value)}}}
	}
	more := st.preview(set("cover_days", "60"))
	require.Equal(t, 10, more.Total)
	require.Positive(t, more.Changed)
	require.Len(t, more.Costs, 1, "the article in dollars is drafted")
	require.True(t, more.Costs[0].After.GreaterThan(more.Costs[0].Before))
	require.Equal(t, more.Groups[procure.GroupDrafted], procure.Lines{Before: 1, After: 1})
	largest := more.Largest[0]
	require.Equal(t, procure.GroupOrder, largest.After.Group)
	require.Greater(t, largest.After.Quantity, largest.Before.Quantity)
	added := func(a procure.ArticleChange) decimal.Decimal { return a.After.Cost.Sub(*a.Before.Cost) }
	for _, next := range more.Largest[1:] {
		if next.After.Group == procure.GroupOrder && next.After.Cost != nil {
			require.True(t, added(largest).GreaterThanOrEqual(added(next)), "the largest change comes first")
		}
	}
	longer := st.preview(set("default_lead_time_days", "60"))
	require.Positive(t, longer.BecomeCritical)
	require.Zero(t, longer.StopCritical)

	sooner := st.preview(set("rejection_cooldown_days", "0")).Groups
	require.Equal(t, procure.Lines{Before: 1}, sooner[procure.GroupPutOff], "what was put off comes back")
	require.Equal(t, 1, sooner[procure.GroupOrder].After-sooner[procure.GroupOrder].Before)
	require.Zero(t, st.preview(set("require_four_eyes", "false")).Total, "no row depends on it")
	require.Zero(t, st.preview(set("agent_daily", "true")).Total)

	strategy := playbook.Strategy{Title: "Tea", Scope: playbook.OfFamily, Target: "Tea", Status: playbook.Active,
		Parameters: playbook.Values{"cover_days": jsontext.Value("90")}}
	active := st.preview(playbook.Trial{Strategy: &playbook.StrategyChange{Strategy: strategy}})
	require.Equal(t, 5, active.Total, "the articles of the family")
	strategy.Status, strategy.EffectiveFrom = playbook.Draft, today.AddDate(0, 1, 0).Format(time.DateOnly)
	require.Equal(t, active, st.preview(playbook.Trial{Strategy: &playbook.StrategyChange{Strategy: strategy}}),
		"a draft for later counts as in force today")
	strategy.EffectiveFrom, strategy.EffectiveUntil = "", today.AddDate(0, 0, -1).Format(time.DateOnly)
	require.Zero(t, st.preview(playbook.Trial{Strategy: &playbook.StrategyChange{Strategy: strategy}}).Total, "it has ended")
	later := set("cover_days", "60")
	later.Config.EffectiveFrom = today.AddDate(0, 0, 5).Format(time.DateOnly)
	require.Equal(t, more, st.preview(later))
}

// TestPreviewRefuses refuses what saving refuses, to those who may save and to others.
func TestPreviewRefuses(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	ctx, boss := t.Context(), st.by(auth.CompanyAdmin)
	strategy := playbook.Strategy{Title: "All", Scope: playbook.OfWorkspace, Status: playbook.Active,
		Parameters: playbook.Values{"cover_days": jsontext.Value("60")}}
	stored, err := st.playbook.CreateStrategy(ctx, boss, strategy, "")
	require.NoError(t, err)
	foreign := strategy
	foreign.Scope, foreign.Target = playbook.OfSupplier, uuid.NewString()
	for name, tt := range map[string]struct {
		by     auth.Principal
		config playbook.ConfigChange
		change *playbook.StrategyChange
		code   string
	}{
		"a buyer":          {by: st.by(auth.Buyer), code: "forbidden"},
		"an agent":         {by: st.agent(), code: "forbidden"},
		"a wrong value":    {by: boss, config: playbook.ConfigChange{Values: playbook.Values{"cover_days": jsontext.Value("0")}}, code: "range"},
		"a newer config":   {by: boss, config: playbook.ConfigChange{Version: 4}, code: "stale"},
		"a past day":       {by: boss, config: playbook.ConfigChange{EffectiveFrom: "2020-01-01"}, code: "past"},
		"an old version":   {by: boss, change: &playbook.StrategyChange{ID: stored.ID, Version: 2, Strategy: strategy}, code: "stale"},
		"no such strategy": {by: boss, change: &playbook.StrategyChange{ID: uuid.New(), Version: 1, Strategy: strategy}, code: "not_found"},
		"no such supplier": {by: boss, change: &playbook.StrategyChange{Strategy: foreign}, code: "unknown_reference"},
		"no title":         {by: boss, change: &playbook.StrategyChange{Strategy: playbook.Strategy{Status: playbook.Draft}}, code: "required"},
	} {
		trial := playbook.Trial{Strategy: tt.change}
		if tt.change == nil {
			trial.Config = &tt.config
		}
		_, err := st.queue.Preview(ctx, tt.by, trial)
		require.True(t, fault.HasCode(err, tt.code), "%s: %v", name, err)
	}
	other := pgtest.NewTenant(t, st.db)
	boss.Tenant, boss.Workspace = other.ID, other.Workspace
	_, err = st.queue.Preview(ctx, boss, playbook.Trial{Strategy: &playbook.StrategyChange{ID: stored.ID, Version: 1, Strategy: strategy}})
	require.True(t, fault.HasCode(err, "not_found"), "%v", err)
	effect, err := st.queue.Preview(ctx, boss, playbook.Trial{Strategy: &playbook.StrategyChange{Strategy: strategy}})
	require.NoError(t, err)
	require.Nil(t, effect.AsOf, "the other company has no queue yet")
	require.Zero(t, effect.Total)
}

// TestPreviewInTime says of how many articles it tells, and refuses to start too many at once.
func TestPreviewInTime(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	boss := st.by(auth.CompanyAdmin)
	longer := playbook.Trial{Config: &playbook.ConfigChange{Values: playbook.Values{"cover_days": jsontext.Value("60")}}}
	leave := st.queue.CrowdPreviews()
	_, err := st.queue.Preview(t.Context(), boss, longer)
	require.True(t, fault.HasCode(err, "previews"), "%v", err)
	leave()
	effect, err := st.queue.Preview(t.Context(), boss, longer)
	require.NoError(t, err)
	require.Equal(t, 2, effect.Articles)
	st.queue.HurryPreviews()
	effect, err = st.queue.Preview(t.Context(), boss, longer)
	require.NoError(t, err)
	require.Zero(t, effect.Articles)
	require.Equal(t, 2, effect.Total)
}
