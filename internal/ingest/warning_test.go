package ingest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// soldArticle is an article as the rules for SKUs see it.
type soldArticle struct {
	id, sku  string // id: external_id
	archived bool
}

func (a soldArticle) key() string {
	if a.id != "" {
		return a.id
	}
	return a.sku
}

// articles apply the rules for SKUs once more.
type articles []soldArticle

func (all articles) count(holds func(soldArticle) bool) (n int) {
	for _, a := range all {
		if holds(a) {
			n++
		}
	}
	return n
}

// named is the warning for a record that names an article by its key.
func (all articles) named(sku, key string) string {
	for _, a := range all {
		if a.key() == key && a.sku == sku {
			return ""
		}
	}
	if all.count(func(a soldArticle) bool { return a.sku == sku }) > 0 {
		return "sku_product_mismatch"
	}
	return "sku_unknown"
}

func (all articles) ofLine(sku, key string) string {
	switch {
	case key != "":
		return all.named(sku, key)
	case all.count(func(a soldArticle) bool { return a.sku == sku }) == 0:
		return "sku_unknown"
	case all.count(func(a soldArticle) bool { return a.sku == sku && a.id != "" }) > 1:
		return "sku_ambiguous"
	}
	return ""
}

func (all articles) ofItem(sku, variant, key string) string {
	sold := all.count(func(a soldArticle) bool { return a.sku == sku && !a.archived })
	switch {
	case sku == "":
		return ""
	case key != "":
		return all.named(sku, key)
	case variant != "" && all.count(func(a soldArticle) bool { return a.id == variant }) > 0, sold == 1:
		return ""
	case sold == 0:
		return "sku_unknown"
	}
	return "sku_ambiguous"
}

// ofArticle is the warning for an article that takes the place of the one with its key, if there is one.
func (all articles) ofArticle(a soldArticle) string {
	if all.count(func(known soldArticle) bool { return known.key() == a.key() && known.sku == a.sku }) > 0 {
		return ""
	}
	if a.sku != "" && all.count(func(o soldArticle) bool { return o.key() != a.key() && o.sku == a.sku && (o.id == "") != (a.id == "") }) > 0 {
		return "sku_twin"
	}
	return ""
}

// said writes a record and returns the codes of its warnings.
func (st stand) said(slug string, record map[string]any) string {
	st.t.Helper()
	body, err := json.Marshal(record)
	require.NoError(st.t, err)
	outcome, err := st.s.Write(st.t.Context(), Record{By: st.by(), Slug: slug, Body: body, RequestID: "test"})
	require.NoError(st.t, err, "%s", body)
	return strings.Join(outcome.Codes(), " ")
}

// TestWarningsOfSKUs writes random articles and lines, and compares every warning with the rules in plain Go.
func TestWarningsOfSKUs(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	random := rand.New(rand.NewPCG(1, 2))
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	skus := []string{"s1", "s2", "s3", "s4", "s5"}
	seen := map[string]int{}
	var all articles
	for i := range 250 {
		if i%5 == 0 {
			a := soldArticle{id: one("", "g1", "g2", "g3", "g4"), sku: one(skus...), archived: random.IntN(4) == 0}
			record := map[string]any{"sku": a.sku, "name": "x", "status": "active"}
			if a.id != "" {
				record["external_id"] = a.id
			}
			if a.archived {
				record["status"] = "archived"
			}
			want := all.ofArticle(a)
			require.Equal(t, want, st.said("products", record), "%v to %v", record, all)
			seen[want]++
			all = append(slices.DeleteFunc(all, func(known soldArticle) bool { return known.key() == a.key() }), a)
		}
		var keys []string
		for _, a := range all {
			keys = append(keys, a.key())
		}
		sku, variant, key := one(append(skus, "s6")...), one("", "", "g1", "g2", "g9"), one(append(keys, "", "", "")...)
		line := map[string]any{"external_id": fmt.Sprint("line-", i), "order_no": "1", "sku": sku, "quantity_ordered": 1}
		item := map[string]any{"external_id": fmt.Sprint("item-", i), "order_id": "O1", "sku": sku, "name": "x", "quantity": 1, "unit_price": 1}
		if variant != "" {
			item["variant_external_id"] = variant
		}
		if key != "" {
			line["product_id"], item["product_id"] = key, key
		}
		wantLine, wantItem := all.ofLine(sku, key), all.ofItem(sku, variant, key)
		for range 2 { // new and known
			require.Equal(t, wantLine, st.said("purchase_order_lines", line), "%v with %v", line, all)
			require.Equal(t, wantItem, st.said("order_line_items", item), "%v with %v", item, all)
		}
		seen["line "+wantLine]++
		seen["item "+wantItem]++
	}
	for _, code := range []string{"sku_twin", "line ", "line sku_unknown", "line sku_ambiguous", "line sku_product_mismatch", "item ",
		"item sku_unknown", "item sku_ambiguous", "item sku_product_mismatch"} {
		require.NotZero(t, seen[code], "%q was not tried: %v", code, seen)
	}
}

func TestSpellings(t *testing.T) {
	t.Parallel()
	for key, want := range map[string][]string{
		"7":          {" 7", "7 "},
		"7 ":         {"7", " 7 ", "7  "},
		"tea":        {" tea", "tea ", "TEA", "Tea"},
		"TEA":        {" TEA", "TEA ", "tea", "Tea"},
		"Acme  Tea":  {"Acme Tea", "AcmeTea", " Acme  Tea", "Acme  Tea ", "acme tea", "ACME TEA", "Acme tea"},
		"\u00a0ÖL\t": {"ÖL", " \u00a0ÖL\t", "\u00a0ÖL\t ", "öl", "Öl"},
		"  ":         {"   "},
	} {
		require.Equal(t, want, spellings(key), "%q", key)
	}
	for _, key := range []string{"", " ", "\u0130", "\xff", strings.Repeat("ab ", 300)} {
		require.LessOrEqual(t, len(spellings(key)), 9)
		require.NotContains(t, spellings(key), key)
	}
}

// TestNearKeys writes pairs of new keys that nearly equal each other, in the same batch and through two services at once. Of
// each pair at least one record is warned of, and no other record.
func TestNearKeys(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	other := New(db.Cells, registry.New(db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(), Config{Lanes: 2, Queued: 1000})
	t.Cleanup(other.Close)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	write := func(s *Service, key string) bool {
		outcome, err := s.Write(t.Context(), Record{By: st.by(), Slug: "customers", Body: fmt.Appendf(nil, `{"external_id":%q}`, key), RequestID: "test"})
		if err != nil {
			t.Error(err)
		}
		return slices.Contains(outcome.Warnings, Warning{WarnNearKey, "external_id"})
	}
	const pairs = 40
	var (
		both      sync.WaitGroup
		warned    [pairs][2]bool
		different [pairs]bool
	)
	for i := range pairs {
		both.Go(func() { warned[i][0] = write(s, fmt.Sprintf("key-%d", i)) })
		both.Go(func() { warned[i][1] = write([]*Service{s, other}[i%2], fmt.Sprintf("KEY-%d", i)) })
		both.Go(func() { different[i] = write(other, fmt.Sprintf("other_%d", i)) })
	}
	both.Wait()
	for i := range pairs {
		require.True(t, warned[i][0] || warned[i][1], "pair %d", i)
		require.False(t, different[i])
	}
	require.False(t, write(s, "key-1"), "known by now")
}
