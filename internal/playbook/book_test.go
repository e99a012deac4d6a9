package playbook

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestKeys checks the table of keys: every key is described, and its default is within its bounds
// and in its usual form.
func TestKeys(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, key := range Keys() {
		require.False(t, seen[key.Name], key.Name)
		seen[key.Name] = true
		require.NotEmpty(t, key.Meaning, key.Name)
		require.NotEmpty(t, key.Raising, key.Name)
		require.Equal(t, string(key.Default), string(key.value(Defaults())), key.Name)
	}
	require.Len(t, seen, 18)
	require.Empty(t, Defaults().changed())
	require.Equal(t, []string{"service_level", "default_lead_time_days", "cover_days", "review_days", "max_safety_days",
		"lookahead_days", "overdue_push_days", "stale_po_days", "stock_stale_hours"}, planningKeys())
	require.InDelta(t, 0.95, Defaults().ServiceLevel, 0)
	require.True(t, Defaults().RequireFourEyes)
	require.Nil(t, Defaults().MonthlyBudget)
}

// TestDocumented checks that the documentation has the table of keys.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/playbook.md")
	require.NoError(t, err)
	for _, key := range Keys() {
		bounds := ""
		if key.Type != Boolean {
			least, most := key.bounds()
			bounds = least.String() + " to " + most.String()
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %s | %s %s |", key.Name, key.Type, key.Default, bounds, key.Meaning, key.Raising)
		require.Contains(t, string(page), row+"\n")
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ key, value, want, code string }{
		{"service_level", "0.5", "0.5", ""},
		{"service_level", "0.9990", "0.999", ""},
		{"service_level", "0.4999", "", "range"},
		{"service_level", "1", "", "range"},
		{"service_level", `"0.9"`, "", "number"},
		{"cover_days", "45.0", "45", ""},
		{"cover_days", "45.5", "", "integer"},
		{"cover_days", "-1", "", "range"},
		{"cover_days", "1e2", "", "range"},
		{"cover_days", "99999999999999999999999999", "", "range"},
		{"cover_days", "null", "30", ""},
		{"cover_days", "[]", "", "number"},
		{"over_receipt_pct", "2.5", "2.5", ""},
		{"over_receipt_pct", "2.123456789", "", "decimals"},
		{"require_four_eyes", "false", "false", ""},
		{"require_four_eyes", "0", "", "boolean"},
		{"monthly_budget", "125000.50", "125000.5", ""},
		{"monthly_budget", "null", "null", ""},
		{"monthly_budget", "-1", "", "range"},
		{"nothing", "1", "", "unknown_key"},
		{"tenant_id", "null", "", "unknown_key"},
	} {
		t.Run(tt.key+" "+tt.value, func(t *testing.T) {
			t.Parallel()
			config, err := Defaults().with(Values{tt.key: text(tt.value)})
			if tt.code != "" {
				require.True(t, fault.HasCode(err, tt.code), "%v", err)
				_, public := fault.Public(err)
				require.Equal(t, tt.key, public.Fields[0].Field)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, string(config.Values()[tt.key]))
			// What is stored reads back the same.
			stored, err := json.Marshal(configContent{Values: config.changed()})
			require.NoError(t, err)
			again, err := readConfig(stored)
			require.NoError(t, err)
			require.Equal(t, config.Values(), again.Values())
		})
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{"require_four_eyes": "unknown_key", "monthly_budget": "unknown_key",
		"agent_daily": "unknown_key", "x": "unknown_key"} {
		_, err := checkParameters(Values{name: text("1")})
		require.True(t, fault.HasCode(err, code), name)
	}
	_, err := checkParameters(Values{"cover_days": text("null")})
	require.True(t, fault.HasCode(err, "number"), "a parameter is left out, not null")
	checked, err := checkParameters(Values{"cover_days": text("7.0")})
	require.NoError(t, err)
	require.Equal(t, Values{"cover_days": text("7")}, checked)
}

// a strategy of a book in a test.
func strategy(scope Scope, target string, revision int64, parameters Values) inForce {
	id := uuid.New()
	title := fmt.Sprint(scope, " ", target, " ", revision)
	return inForce{Strategy{Title: title, Scope: scope, Target: target, Parameters: parameters},
		Origin{FromStrategy, id, title, scope, revision}, revision}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	config, err := Defaults().with(Values{"cover_days": text("10"), "review_days": text("2")})
	require.NoError(t, err)
	book := Book{Config: config, ConfigVersion: 3,
		origins: Origins{"cover_days": {Source: FromConfig, Version: 3}, "review_days": {Source: FromConfig, Version: 3}},
		strategies: byTarget([]inForce{
			strategy(OfProduct, "P", 1, Values{"cover_days": text("50")}), // old, and still before all others
			strategy(OfWorkspace, "", 9, Values{"cover_days": text("20"), "lookahead_days": text("21")}),
			strategy(OfFamily, "F", 8, Values{"cover_days": text("30"), "service_level": text("0.9")}),
			strategy(OfSupplier, "S", 6, Values{"cover_days": text("41")}),
			strategy(OfSupplier, "S", 7, Values{"cover_days": text("40")}), // newer
		})}
	for _, tt := range []struct {
		product, supplier, family string
		cover                     int
		from                      Scope
	}{
		{"P", "S", "F", 50, OfProduct},
		{"Q", "S", "F", 40, OfSupplier},
		{"Q", "T", "F", 30, OfFamily},
		{"Q", "T", "G", 20, OfWorkspace},
		{"", "", "", 20, OfWorkspace},
	} {
		got, origins := book.For(tt.product, tt.supplier, tt.family)
		require.Equal(t, tt.cover, got.CoverDays, "%+v", tt)
		require.Equal(t, tt.from, origins.Of("cover_days").Scope)
		require.Equal(t, Origin{Source: FromConfig, Version: 3}, origins.Of("review_days"))
		require.Equal(t, Origin{Source: FromDefault}, origins.Of("max_safety_days"))
	}
	_, origins := book.For("", "", "")
	require.Equal(t, FromStrategy, origins.Of("lookahead_days").Source)
	require.Equal(t, Origin{Source: FromConfig, Version: 3}, book.origins.Of("cover_days"), "the book itself is not changed")
	got, origins := Book{Config: Defaults()}.For("P", "S", "F")
	require.Equal(t, Defaults(), got)
	require.Equal(t, FromDefault, origins.Of("cover_days").Source)
}

// TestPrecedenceOfAny compares For with a search that is slow and plain: for each key, the best of
// all strategies that apply.
func TestPrecedenceOfAny(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	rank := map[Scope]int{OfWorkspace: 0, OfFamily: 1, OfSupplier: 2, OfProduct: 3}
	names := []string{"cover_days", "review_days", "lookahead_days"}
	for range 300 {
		var all []inForce
		for revision := range random.Int64N(12) {
			scope := Scopes()[random.IntN(4)]
			target := ""
			if scope != OfWorkspace {
				target = fmt.Sprint(random.IntN(2))
			}
			parameters := Values{}
			for _, name := range names {
				if random.IntN(2) == 0 {
					parameters[name] = text(fmt.Sprint(1 + random.IntN(80)))
				}
			}
			all = append(all, strategy(scope, target, revision, parameters))
		}
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		targets := map[Scope]string{OfProduct: fmt.Sprint(random.IntN(2)), OfSupplier: fmt.Sprint(random.IntN(2)),
			OfFamily: fmt.Sprint(random.IntN(2))}
		config, origins := Book{Config: Defaults(), strategies: byTarget(append([]inForce{}, all...))}.
			For(targets[OfProduct], targets[OfSupplier], targets[OfFamily])
		for _, name := range names {
			var best *inForce
			for i, one := range all {
				if one.Target != targets[one.Scope] || one.Parameters[name] == nil {
					continue
				}
				if best == nil || rank[one.Scope] > rank[best.Scope] ||
					one.Scope == best.Scope && one.revision > best.revision {
					best = &all[i]
				}
			}
			if best == nil {
				require.Equal(t, FromDefault, origins.Of(name).Source)
				require.Equal(t, Defaults().Values()[name], config.Values()[name])
				continue
			}
			require.Equal(t, best.origin, origins.Of(name))
			require.Equal(t, string(best.Parameters[name]), string(config.Values()[name]))
		}
	}
}
