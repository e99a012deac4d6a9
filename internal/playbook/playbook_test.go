package playbook_test

import (
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/playbook"
)

// stage is a company with a playbook.
type stage struct {
	*pgtest.DB
	t      *testing.T
	s      *playbook.Service
	admin  *pgx.Conn
	tenant pgtest.Tenant
	boss   auth.Principal
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	st := &stage{DB: db, t: t, s: playbook.New(db.Cells), admin: db.Admin(t), tenant: pgtest.NewTenant(t, db)}
	st.boss = st.as(st.tenant, auth.CompanyAdmin)
	return st
}

func (st *stage) as(tenant pgtest.Tenant, role auth.Role) auth.Principal {
	id := uuid.New()
	return auth.Principal{Tenant: tenant.ID, Workspace: tenant.Workspace, Role: role, Person: id,
		Actor: auth.Actor{Type: auth.ByPerson, ID: id.String()}}
}

// assistant returns the admin with a token.
func (st *stage) assistant(scopes ...auth.Scope) auth.Principal {
	by := st.boss
	by.Token, by.Scopes = uuid.New(), scopes
	return by
}

func (st *stage) read(tenant pgtest.Tenant, day time.Time) (book playbook.Book) {
	st.t.Helper()
	require.NoError(st.t, st.InTenant(st.t.Context(), tenant.ID, func(tx pgx.Tx) (err error) {
		book, err = playbook.Read(st.t.Context(), tx, tenant.ID, tenant.Workspace, day)
		return err
	}))
	return book
}

func (st *stage) rows(sql string) []string {
	st.t.Helper()
	rows, err := st.admin.Query(st.t.Context(), sql)
	require.NoError(st.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(st.t, err)
	return found
}

func (st *stage) add(strategy playbook.Strategy) playbook.Document[playbook.Strategy] {
	st.t.Helper()
	made, err := st.s.CreateStrategy(st.t.Context(), st.boss, strategy, "")
	require.NoError(st.t, err)
	return made
}

func values(pairs ...string) playbook.Values {
	made := playbook.Values{}
	for i := 0; i < len(pairs); i += 2 {
		made[pairs[i]] = jsontext.Value(pairs[i+1])
	}
	return made
}

var today = time.Now().UTC()

func days(n int) string { return today.AddDate(0, 0, n).Format(time.DateOnly) }

// TestConfig checks versions of the config: what is in force, staleness, the audit, and that no
// version ever changes.
func TestConfig(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	start, err := st.s.Settings(ctx, st.boss)
	require.NoError(t, err)
	require.Equal(t, playbook.Settings{Config: playbook.Defaults()}, start)
	require.Zero(t, st.read(st.tenant, today).Revision)

	first, err := st.s.SetConfig(ctx, st.boss, playbook.ConfigChange{
		Values: values("cover_days", "45", "monthly_budget", "9000.5", "review_days", "1"), Note: "Longer cover"})
	require.NoError(t, err)
	require.Equal(t, int64(1), first.Version)
	require.Equal(t, 45, first.Config.CoverDays)
	require.JSONEq(t, `{"values":{"cover_days":45,"monthly_budget":9000.5}}`,
		st.rows("SELECT content::text FROM workspace.playbook_versions")[0], "only what is not a default")

	_, err = st.s.SetConfig(ctx, st.boss, playbook.ConfigChange{Values: values("cover_days", "50")})
	require.True(t, fault.Is(err, fault.Stale))
	_, public := fault.Public(err)
	require.Equal(t, int64(1), public.Version)
	second, err := st.s.SetConfig(ctx, st.boss,
		playbook.ConfigChange{Values: values("cover_days", "null", "require_four_eyes", "false"), Version: 1})
	require.NoError(t, err)
	require.Equal(t, 30, second.Config.CoverDays, "null is the default")
	require.False(t, second.Config.RequireFourEyes)
	require.Equal(t, "9000.5", second.Config.MonthlyBudget.String(), "what is not named stays")
	require.Equal(t, []string{
		`{"to": {"cover_days": 45, "monthly_budget": 9000.5}, "from": {"cover_days": 30, "monthly_budget": null}}`,
		`{"to": {"cover_days": 30, "require_four_eyes": false}, "from": {"cover_days": 45, "require_four_eyes": true}}`,
	}, st.rows("SELECT data::text FROM workspace.audit WHERE action = 'procurement_config.changed' ORDER BY id"))

	for _, bad := range []struct {
		change playbook.ConfigChange
		code   string
	}{
		{playbook.ConfigChange{Values: values("cover_days", "0")}, "range"},
		{playbook.ConfigChange{Values: values("cover", "1")}, "unknown_key"},
		{playbook.ConfigChange{EffectiveFrom: "soon"}, "date"},
		{playbook.ConfigChange{EffectiveFrom: days(-2)}, "past"},
		{playbook.ConfigChange{Note: "\x00"}, "nul"},
	} {
		bad.change.Version = 2
		_, err := st.s.SetConfig(ctx, st.boss, bad.change)
		require.True(t, fault.HasCode(err, bad.code), "%+v: %v", bad, err)
	}
	versions, more, err := st.s.ConfigVersions(ctx, st.boss, 0)
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, versions, 2)
	require.Equal(t, st.boss.Actor, versions[1].Author)
	require.Equal(t, "Longer cover", versions[1].Note)
	require.Equal(t, int64(2), st.read(st.tenant, today).Revision, "refused changes leave the revision")

	for _, statement := range []string{"UPDATE workspace.playbook_versions SET note = 'x'",
		"DELETE FROM workspace.playbook_versions", "DELETE FROM workspace.playbook_state"} {
		require.ErrorContains(t, st.InTenant(ctx, st.tenant.ID, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, statement)
			return err
		}), "permission denied", statement)
	}
}

// TestConfigLater checks a config that takes effect on a later day.
func TestConfigLater(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	_, err := st.s.SetConfig(ctx, st.boss, playbook.ConfigChange{Values: values("cover_days", "40")})
	require.NoError(t, err)
	later, err := st.s.SetConfig(ctx, st.boss,
		playbook.ConfigChange{Values: values("cover_days", "50"), EffectiveFrom: days(10), Version: 1})
	require.NoError(t, err)
	require.Equal(t, 40, later.Config.CoverDays)
	require.Equal(t, int64(1), later.InForce)
	require.Equal(t, int64(2), later.Version)
	require.Equal(t, 40, st.read(st.tenant, today.AddDate(0, 0, 9)).Config.CoverDays)
	require.Equal(t, 50, st.read(st.tenant, today.AddDate(0, 0, 10)).Config.CoverDays)
	after, err := st.s.SetConfig(ctx, st.boss, playbook.ConfigChange{Values: values("review_days", "2"), Version: 2})
	require.NoError(t, err)
	require.Equal(t, 40, after.Config.CoverDays)
	require.Equal(t, 40, st.read(st.tenant, today.AddDate(0, 0, 20)).Config.CoverDays, "a newer version replaces it")
}

// TestWhoMayWrite checks who may put something in force. TestWhoProposes checks who may draft it.
func TestWhoMayWrite(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	active := playbook.Strategy{Title: "Tea", Scope: playbook.OfWorkspace, Status: playbook.Active}
	sop := playbook.SOP{Slug: "late", Title: "Late", OwnerRole: auth.Buyer, Status: playbook.Active}
	for _, role := range []auth.Role{auth.Approver, auth.Buyer, auth.Viewer, auth.Agent} {
		by := st.as(st.tenant, role)
		_, err := st.s.SetConfig(ctx, by, playbook.ConfigChange{})
		require.True(t, fault.Is(err, fault.Forbidden), role)
		_, err = st.s.CreateStrategy(ctx, by, active, "")
		require.True(t, fault.Is(err, fault.Forbidden), role)
		_, err = st.s.CreateSOP(ctx, by, sop, "")
		require.True(t, fault.Is(err, fault.Forbidden), role)
		_, err = st.s.Settings(ctx, by)
		require.NoError(t, err, role)
	}
	_, err := st.s.Strategies(ctx, st.assistant(auth.ScopeWrite))
	require.True(t, fault.HasCode(err, "missing_scope"))
	token := st.assistant(auth.Scopes()...)
	_, err = st.s.Strategies(ctx, token)
	require.NoError(t, err)
	_, err = st.s.SetConfig(ctx, token, playbook.ConfigChange{Values: values("require_four_eyes", "false")})
	require.True(t, fault.Is(err, fault.Forbidden), "no token changes what guards people's decisions")
	_, err = st.s.CreateStrategy(ctx, token, active, "")
	require.True(t, fault.Is(err, fault.Forbidden))
	_, err = st.s.CreateSOP(ctx, token, sop, "")
	require.True(t, fault.Is(err, fault.Forbidden))
}

// TestStrategies checks versions of strategies, and which is in force on which day.
// TestStrategyOfMergedArticle: a strategy for an article is one for what that was merged into.
func TestStrategyOfMergedArticle(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	article := func(id, sku string) {
		_, err := st.admin.Exec(t.Context(), "INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name) VALUES ($1, $2, $3, nullif($4, ''), $5, 'Tea')",
			st.tenant.ID, st.tenant.Workspace, id, map[bool]string{true: "X"}[id == "other"], sku)
		require.NoError(t, err)
	}
	article("double", "T1")
	article("other", "T1")
	of := playbook.Strategy{Title: "Tea", Scope: playbook.OfProduct, Target: "double", Body: "# Why", Parameters: values("cover_days", "60"),
		Status: playbook.Active}
	made := st.add(of)
	cover := func(id string) int {
		config, _ := st.read(st.tenant, today).For(id, "", "")
		return config.CoverDays
	}
	require.Equal(t, []int{60, 30}, []int{cover("double"), cover("other")})
	_, err := st.admin.Exec(t.Context(), "INSERT INTO workspace.article_aliases (tenant_id, workspace_id, name, product_id) VALUES ($1, $2, 'double', 'other')",
		st.tenant.ID, st.tenant.Workspace)
	require.NoError(t, err)
	_, err = st.admin.Exec(t.Context(), "UPDATE workspace.products SET merged_into = 'other', sku = NULL WHERE id = 'double'")
	require.NoError(t, err)
	require.Equal(t, 60, cover("other"))
	of.Parameters = values("cover_days", "50")
	_, err = st.s.ChangeStrategy(t.Context(), st.boss, made.ID, 1, of, "less")
	require.NoError(t, err)
	require.Equal(t, 50, cover("other"))
}

func TestStrategies(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	tea := playbook.Strategy{Title: " Tea ", Scope: playbook.OfFamily, Target: "Tea", Body: "# Why",
		Parameters: values("cover_days", "60"), Status: playbook.Draft}
	made := st.add(tea)
	require.Equal(t, "Tea", made.Content.Title)
	cover := func(day int) int {
		config, _ := st.read(st.tenant, today.AddDate(0, 0, day)).For("p", "s", "Tea")
		return config.CoverDays
	}
	put := func(version int64) playbook.Document[playbook.Strategy] {
		t.Helper()
		changed, err := st.s.ChangeStrategy(ctx, st.boss, made.ID, version, tea, "because")
		require.NoError(t, err)
		return changed
	}
	require.Equal(t, 30, cover(0), "a draft is not in force")
	tea.Status = playbook.Active
	require.Equal(t, int64(2), put(1).InForce)
	require.Equal(t, 60, cover(0))
	_, origins := st.read(st.tenant, today).For("p", "s", "Tea")
	require.Equal(t, playbook.Origin{Source: playbook.FromStrategy, ID: made.ID, Title: "Tea", Scope: playbook.OfFamily,
		Version: 2}, origins.Of("cover_days"))

	tea.Status, tea.Parameters = playbook.Draft, values("cover_days", "70")
	require.Equal(t, int64(2), put(2).InForce, "a draft leaves the version before it in force")
	require.Equal(t, 60, cover(0))
	tea.Status, tea.EffectiveFrom, tea.EffectiveUntil = playbook.Active, days(5), days(8)
	require.Equal(t, int64(2), put(3).InForce)
	for day, want := range map[int]int{0: 60, 4: 60, 5: 70, 8: 70, 9: 30} {
		require.Equal(t, want, cover(day), "in %d days", day)
	}
	_, err := st.s.ChangeStrategy(ctx, st.boss, made.ID, 3, tea, "")
	require.True(t, fault.Is(err, fault.Stale))
	tea.Status, tea.EffectiveFrom, tea.EffectiveUntil = playbook.Archived, "", ""
	require.Zero(t, put(4).InForce)
	require.Equal(t, 30, cover(6))
	require.Equal(t, int64(3), st.read(st.tenant, today).Revision, "drafts leave the revision")

	versions, more, err := st.s.StrategyVersions(ctx, st.boss, made.ID, 3)
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, versions, 2)
	require.Equal(t, int64(2), versions[0].Version)
	require.Equal(t, "# Why", versions[0].Content.Body)
	require.Equal(t, []string{`{"to": {"scope": "family", "title": "Tea", "status": "active", "target": "Tea", "parameters": {"cover_days": 60}}, ` +
		`"from": {"scope": "family", "title": "Tea", "status": "draft", "target": "Tea", "parameters": {"cover_days": 60}}, "title": "Tea", "version": 2}`},
		st.rows("SELECT data::text FROM workspace.audit WHERE action = 'strategy.changed' AND data ->> 'version' = '2'"))
}

func TestStrategyChecks(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	_, err := st.admin.Exec(t.Context(), "INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'S', 'S', 'S')",
		st.tenant.ID, st.tenant.Workspace)
	require.NoError(t, err)
	good := playbook.Strategy{Title: "x", Scope: playbook.OfSupplier, Target: "S", Status: playbook.Active}
	st.add(good)
	for _, bad := range []struct {
		field string
		with  func(*playbook.Strategy)
	}{
		{"title", func(s *playbook.Strategy) { s.Title = "  " }},
		{"status", func(s *playbook.Strategy) { s.Status = "live" }},
		{"scope", func(s *playbook.Strategy) { s.Scope = "shop" }},
		{"target", func(s *playbook.Strategy) { s.Target = "" }},
		{"target", func(s *playbook.Strategy) { s.Target = "T" }},
		{"target", func(s *playbook.Strategy) { s.Scope = playbook.OfProduct }},
		{"target", func(s *playbook.Strategy) { s.Scope = playbook.OfWorkspace }},
		{"body", func(s *playbook.Strategy) { s.Body = string(make([]rune, 20_001)) }},
		{"effective_from", func(s *playbook.Strategy) { s.EffectiveFrom = "2026-02-30" }},
		{"effective_until", func(s *playbook.Strategy) { s.EffectiveFrom, s.EffectiveUntil = "2026-03-02", "2026-03-01" }},
		{"agent_daily", func(s *playbook.Strategy) { s.Parameters = values("agent_daily", "true") }},
		{"service_level", func(s *playbook.Strategy) { s.Parameters = values("service_level", "2") }},
	} {
		changed := good
		bad.with(&changed)
		_, err := st.s.CreateStrategy(t.Context(), st.boss, changed, "")
		_, public := fault.Public(err)
		require.Equal(t, fault.Invalid, public.Kind, "%+v: %v", changed, err)
		require.Equal(t, bad.field, public.Fields[0].Field, "%v", err)
	}
	require.Equal(t, int64(1), st.read(st.tenant, today).Revision)
}

func TestSOPs(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	late := playbook.SOP{Slug: "late-delivery", Title: "Late delivery", Trigger: "A line is overdue", Body: "Call.",
		OwnerRole: auth.Buyer, Status: playbook.Active, ReviewDate: "2027-01-31"}
	made, err := st.s.CreateSOP(ctx, st.boss, late, "first")
	require.NoError(t, err)
	require.Equal(t, int64(1), made.InForce)
	_, err = st.s.CreateSOP(ctx, st.boss, late, "")
	require.True(t, fault.HasCode(err, "slug_taken"), "%v", err)
	for _, name := range []string{"late-delivery", made.ID.String()} {
		found, err := st.s.SOP(ctx, st.as(st.tenant, auth.Viewer), name)
		require.NoError(t, err)
		require.Equal(t, late, found.Content)
	}
	changed := late
	changed.Slug, changed.Body = "", "Write."
	after, err := st.s.ChangeSOP(ctx, st.boss, "late-delivery", 1, changed, "")
	require.NoError(t, err)
	require.Equal(t, int64(2), after.Version)
	require.Equal(t, "late-delivery", after.Content.Slug)
	_, err = st.s.ChangeSOP(ctx, st.boss, "late-delivery", 1, changed, "")
	require.True(t, fault.Is(err, fault.Stale))
	changed.Slug = "later"
	_, err = st.s.ChangeSOP(ctx, st.boss, "late-delivery", 2, changed, "")
	require.True(t, fault.HasCode(err, "fixed"))
	_, err = st.s.SOP(ctx, st.boss, "nothing")
	require.True(t, fault.Is(err, fault.NotFound))
	for _, bad := range []playbook.SOP{
		{Slug: "Late", Title: "x", OwnerRole: auth.Buyer, Status: playbook.Draft},
		{Slug: "x", Title: "x", OwnerRole: "king", Status: playbook.Draft},
		{Slug: "x", Title: "x", OwnerRole: auth.Buyer, Status: playbook.Draft, ReviewDate: "x"},
	} {
		_, err := st.s.CreateSOP(ctx, st.boss, bad, "")
		require.True(t, fault.Is(err, fault.Invalid), "%+v", bad)
	}
	require.Zero(t, st.read(st.tenant, today).Revision, "no figure depends on an SOP")
	require.Len(t, st.rows("SELECT data::text FROM workspace.audit WHERE action = 'sop.changed'"), 2)
}

// TestIsolation checks that companies and workspaces have playbooks of their own.
func TestIsolation(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	ours := st.add(playbook.Strategy{Title: "Ours", Scope: playbook.OfWorkspace, Parameters: values("cover_days", "99"),
		Status: playbook.Active})
	sop, err := st.s.CreateSOP(ctx, st.boss,
		playbook.SOP{Slug: "late", Title: "Late", OwnerRole: auth.Buyer, Status: playbook.Active}, "")
	require.NoError(t, err)
	_, err = st.s.SetConfig(ctx, st.boss, playbook.ConfigChange{Values: values("review_days", "9")})
	require.NoError(t, err)
	second := pgtest.Tenant{ID: st.tenant.ID, Workspace: uuid.Must(uuid.NewV7())}
	for _, other := range []pgtest.Tenant{pgtest.NewTenant(t, st.DB), second} {
		by := st.as(other, auth.CompanyAdmin)
		book := st.read(other, today)
		require.Zero(t, book.Revision)
		config, _ := book.For("", "", "")
		require.Equal(t, playbook.Defaults(), config)
		listed, err := st.s.Strategies(ctx, by)
		require.NoError(t, err)
		require.Empty(t, listed)
		_, err = st.s.Strategy(ctx, by, ours.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = st.s.ChangeStrategy(ctx, by, ours.ID, 1, ours.Content, "")
		require.True(t, fault.Is(err, fault.NotFound))
		_, _, err = st.s.SOPVersions(ctx, by, sop.ID.String(), 0)
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = st.s.CreateSOP(ctx, by, sop.Content, "")
		require.NoError(t, err, "a slug is taken in its own workspace only")
	}
}

// TestWritersAtOnce checks that of writers who saw the same version, one succeeds.
func TestWritersAtOnce(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	const writers = 6
	errs := make([]error, writers)
	var done sync.WaitGroup
	for i := range writers {
		done.Go(func() {
			_, errs[i] = st.s.SetConfig(t.Context(), st.boss, playbook.ConfigChange{Values: values("cover_days", "31")})
		})
	}
	done.Wait()
	succeeded := 0
	for _, err := range errs {
		if err == nil {
			succeeded++
			continue
		}
		require.True(t, fault.Is(err, fault.Stale), "%v", err)
	}
	require.Equal(t, 1, succeeded)
	require.Equal(t, []string{"1"}, st.rows("SELECT version::text FROM workspace.playbook_versions"))
}
