package demo

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/source"
)

// TestEverything checks the records of three days: they are the same twice, as many as
// promised, none is in the future, and no key repeats. The days are a leap day, a busy day and
// a quiet one.
func TestEverything(t *testing.T) {
	t.Parallel()
	for _, today := range []time.Time{
		time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC),
		time.Date(2027, 12, 20, 0, 0, 0, 0, time.UTC),
	} {
		now := today.Add(11*time.Hour + 20*time.Minute)
		steps := slices.Collect(everything(today, func() time.Time { return now }))
		require.Equal(t, steps, slices.Collect(everything(today, func() time.Time { return now })), "chance has a seed")
		count, kinds, seen := map[string]int{}, map[string]bool{}, map[string]bool{}
		refused := 0
		for _, s := range steps {
			for _, r := range s.records {
				var sent map[string]any
				require.NoError(t, json.Unmarshal(r.body, &sent), string(r.body))
				for _, name := range []string{"ordered_at", "received_at", "cancelled_at", "stock_updated_at", "started_at",
					"source_created_at", "launched_at"} {
					if text, ok := sent[name].(string); ok {
						at, err := time.Parse(time.RFC3339, text)
						require.NoError(t, err)
						if s.name == "stock counts of today" {
							require.Equal(t, now, at, "the receipts come before it")
							continue
						}
						require.False(t, at.After(today), "%s of %s", name, r.body)
					}
				}
				if r.refused != "" {
					refused++
					kinds[r.refused] = true
					continue
				}
				if s.name != "records" {
					continue
				}
				count[s.slug]++
				id, _ := sent["external_id"].(string)
				if id == "" {
					id, _ = sent["sku"].(string)
				}
				require.False(t, seen[s.slug+id], "%s %s twice", s.slug, id)
				seen[s.slug+id] = true
			}
		}
		for slug, least := range map[string]int{
			"suppliers": 25, "products": 120, "customers": 200, "orders": 400, "order_line_items": 850,
			"purchase_order_lines": 140, "meeting_notes": 30,
		} {
			require.GreaterOrEqual(t, count[slug], least, slug)
		}
		status, overdue := map[string]int{}, 0
		suppliers := readSuppliers()
		for _, l := range makePurchases(today, suppliers, readProducts(suppliers)) {
			status[l.status]++
			if l.expected.Before(today) && (l.status == "ordered" || l.status == "partially_received") {
				overdue++
			}
		}
		require.Len(t, status, 6)
		require.GreaterOrEqual(t, overdue, 5)
		require.GreaterOrEqual(t, refused, 60)
		require.Len(t, kinds, 6)
	}
}

// TestSpread checks the times of figures: each tally once, within the hours that a source
// shows, in ascending order.
func TestSpread(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 10, 17, 0, 0, time.UTC)
	for _, n := range []int{0, 1, 25, 900} {
		moments := spread("orders", make([]tally, n), now)
		require.Len(t, moments, n)
		for i, m := range moments {
			require.False(t, m.at.After(now))
			require.Less(t, now.Sub(m.at), (source.Hours-1)*time.Hour)
			require.True(t, i == 0 || !m.at.Before(moments[i-1].at))
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	require.Equal(t, "12.05", string(encoded(money(1205))))
	require.Equal(t, money(1205), price("12.05"))
	require.Equal(t, money(860), money(1000).in("GBP"))
	require.Equal(t, money(1000), money(860).euros("GBP"))
	require.Equal(t, money(190), money(999).percent(19))
	require.Equal(t, `{"name": "Kiln & Clay", "on": false}`,
		string(fields{"name", "Kiln & Clay", "note", "", "id", nil, "on", false}.body()))
}
