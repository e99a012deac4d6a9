package registry_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// shelf is a workspace whose rules are kept and changed.
type shelf struct {
	t  *testing.T
	db *pgtest.DB
	s  *registry.Service
	by auth.Principal
}

func newShelf(t *testing.T) shelf {
	t.Helper()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	by := auth.Operator(tenant.ID)
	by.Workspace = tenant.Workspace
	return shelf{t, db, registry.New(db.Cells), by}
}

func (h shelf) keep(slug string, key *uuid.UUID, fixes ...string) (rules []*registry.KeptRule, err error) {
	h.t.Helper()
	keeping := registry.Keeping{Slug: slug, Key: key}
	for _, fix := range fixes {
		var read mend.Fix
		require.NoError(h.t, json.Unmarshal([]byte(fix), &read))
		keeping.Fixes = append(keeping.Fixes, read)
	}
	err = h.db.InTenant(h.t.Context(), h.by.Tenant, func(tx pgx.Tx) (err error) {
		rules, err = registry.KeepRules(h.t.Context(), tx, h.by, keeping)
		return err
	})
	return rules, err
}

// fields returns the fields of the rules of a table, in their order.
func (h shelf) fields(slug string) (fields []string) {
	h.t.Helper()
	rules, err := h.s.Rules(h.t.Context(), h.by, slug)
	require.NoError(h.t, err)
	for _, rule := range rules {
		fields = append(fields, rule.Fix.Field)
	}
	return fields
}

func drop(field string) string { return fmt.Sprintf(`{"do":"drop","field":%q}`, field) }

func TestRulesAreKept(t *testing.T) {
	t.Parallel()
	h := newShelf(t)
	ctx := t.Context()
	before, err := h.s.Table(ctx, h.by.Tenant, "customers")
	require.NoError(t, err)
	require.Empty(t, before.Rules)
	rules, err := h.keep("customers", nil, drop("a"), drop("b"), drop("c"))
	require.NoError(t, err)
	after, err := h.s.Current(ctx, h.by.Tenant, before)
	require.NoError(t, err)
	require.Len(t, after.Rules[h.by.Workspace], 3)
	require.Equal(t, []string{"a", "b", "c"}, h.fields("customers"))
	require.Empty(t, h.fields("orders"))

	place, off := 1, false
	moved, err := h.s.ChangeRule(ctx, h.by, rules[2].ID, 1, registry.RuleChanges{Place: &place})
	require.NoError(t, err)
	require.Equal(t, int64(2), moved.Version)
	require.Equal(t, []string{"c", "a", "b"}, h.fields("customers"))
	moved, err = h.s.ChangeRule(ctx, h.by, rules[2].ID, 2, registry.RuleChanges{Place: &place})
	require.NoError(t, err)
	require.Equal(t, int64(2), moved.Version, "it is there already")

	_, err = h.s.ChangeRule(ctx, h.by, rules[0].ID, 1, registry.RuleChanges{Enabled: &off})
	require.NoError(t, err)
	after, err = h.s.Current(ctx, h.by.Tenant, after)
	require.NoError(t, err)
	require.Len(t, after.Rules[h.by.Workspace], 2)
	require.Equal(t, []string{"c", "a", "b"}, h.fields("customers"), "it is kept")
	again, err := h.keep("customers", nil, drop("a"))
	require.NoError(t, err)
	require.Equal(t, rules[0].ID, again[0].ID)
	require.True(t, again[0].Enabled)
	versions, err := h.s.RuleVersions(ctx, h.by, rules[0].ID)
	require.NoError(t, err)
	require.Len(t, versions, 3)
	require.Equal(t, []bool{true, false, true}, []bool{versions[0].Enabled, versions[1].Enabled, versions[2].Enabled})
	unchanged, err := h.keep("customers", nil, drop("a"))
	require.NoError(t, err)
	require.Equal(t, int64(3), unchanged[0].Version)

	var audited []string
	rows, err := h.db.Admin(t).Query(ctx, "SELECT action || ' ' || (data->>'field') FROM workspace.audit WHERE tenant_id = $1 AND action LIKE 'rule.%' ORDER BY id", h.by.Tenant)
	require.NoError(t, err)
	audited, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"rule.kept a", "rule.kept b", "rule.kept c", "rule.changed c", "rule.changed a", "rule.changed a"}, audited)
}

func TestRulesAreRefused(t *testing.T) {
	t.Parallel()
	h := newShelf(t)
	unknown := uuid.New()
	for _, tt := range []struct {
		name, slug string
		key        *uuid.UUID
		fixes      []string
		code       string
	}{
		{"no such table", "nothing", nil, []string{drop("a")}, "unknown_table"},
		{"no slug at all", "a'; --", nil, []string{drop("a")}, "unknown_table"},
		{"no such key", "customers", &unknown, []string{drop("a")}, "unknown_key"},
		{"nothing to keep", "customers", nil, nil, "nothing"},
		{"no fix", "customers", nil, []string{`{"do":"explode","field":"a"}`}, "do"},
	} {
		_, err := h.keep(tt.slug, tt.key, tt.fixes...)
		require.True(t, fault.HasCode(err, tt.code), "%s: %v", tt.name, err)
	}
	for i := range registry.MostRules {
		_, err := h.keep("customers", nil, drop(fmt.Sprint("f", i)))
		require.NoError(t, err)
	}
	_, err := h.keep("customers", nil, drop("one more"))
	require.True(t, fault.HasCode(err, "too_many_rules"), "%v", err)
	_, err = h.keep("orders", nil, drop("one more"))
	require.NoError(t, err)

	buyer := h
	buyer.by.Role = auth.Buyer
	_, err = buyer.keep("orders", nil, drop("a"))
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
	_, err = buyer.s.ChangeRule(t.Context(), buyer.by, uuid.New(), 1, registry.RuleChanges{})
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
	require.Len(t, buyer.fields("orders"), 1, "everybody sees them")

	place := 2
	_, err = h.s.ChangeRule(t.Context(), h.by, uuid.New(), 1, registry.RuleChanges{})
	require.True(t, fault.HasCode(err, "unknown_rule"), "%v", err)
	_, err = h.s.RuleVersions(t.Context(), h.by, uuid.New())
	require.True(t, fault.HasCode(err, "unknown_rule"), "%v", err)
	rules, err := h.s.Rules(t.Context(), h.by, "orders")
	require.NoError(t, err)
	_, err = h.s.ChangeRule(t.Context(), h.by, rules[0].ID, 1, registry.RuleChanges{Place: &place})
	require.True(t, fault.HasCode(err, "place"), "%v", err)
	elsewhere := h.by
	elsewhere.Workspace = uuid.New()
	_, err = h.s.ChangeRule(t.Context(), elsewhere, rules[0].ID, 1, registry.RuleChanges{})
	require.True(t, fault.HasCode(err, "unknown_rule"), "%v", err)
}

// TestRulesAtOnce keeps the same rules in many transactions at once: each is there once.
func TestRulesAtOnce(t *testing.T) {
	t.Parallel()
	h := newShelf(t)
	var group sync.WaitGroup
	failures := make([]error, 8)
	for i := range failures {
		group.Go(func() { _, failures[i] = h.keep("products", nil, drop("a"), drop("b")) })
	}
	group.Wait()
	for _, err := range failures {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"a", "b"}, h.fields("products"))
}

// TestHostileRules stores rules of values that are hard to keep, and reads them back as they were.
func TestHostileRules(t *testing.T) {
	t.Parallel()
	h := newShelf(t)
	for i, value := range []string{
		`"'; DROP TABLE x; --"`, `"\u2028<script>"`, `1e2`, `-0`, `1.500`, `123456789012345678901234567890.10`, `{"a":{"b":[1,null]}}`,
		`"\ud83d\ude00"`, `"%s {{x}} \\"`, `null`,
	} {
		field := fmt.Sprintf("field %d \" ' \\ \u00e4", i)
		quoted, err := json.Marshal(field)
		require.NoError(t, err)
		_, err = h.keep("products", nil, fmt.Sprintf(`{"do":"map","field":%s,"from":%s,"value":%[2]s}`, quoted, value))
		require.NoError(t, err, value)
	}
	rules, err := h.s.Rules(t.Context(), h.by, "products")
	require.NoError(t, err)
	require.Equal(t, "1e2", string(rules[2].Fix.From), "a value is looked for in its spelling")
	table, err := h.s.Table(t.Context(), h.by.Tenant, "products")
	require.NoError(t, err)
	for i, rule := range table.Rules[h.by.Workspace] {
		require.True(t, rule.Same(rules[i].Fix))
		after, changed := rule.Apply([]mend.Member{{Name: rule.Field, Value: []byte(rules[i].Fix.From)}})
		require.False(t, changed, "it becomes what it is")
		require.Len(t, after, 1)
	}
}
