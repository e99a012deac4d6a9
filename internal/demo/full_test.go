package demo

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/shop"
)

// TestFull checks the records of a made shop: no key is twice in a step, whose records may be
// written in any order, no record refers to a later one or is from the future, the lines of a
// purchase order are in different steps, and stock counts show on which days there was none.
func TestFull(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 11, 20, 0, 0, time.UTC)
	made := shop.Make(shop.Options{Seed: Seed, Today: now, Articles: 90, Suppliers: 6})
	records := newFull(made)
	records.chunk = 500
	known, statuses, stock := map[string]bool{}, map[string]int{}, map[string][]report{}
	units, refused := map[string]int{}, 0
	for s := range records.steps(func() time.Time { return now }) {
		require.LessOrEqual(t, len(s.records), 4*records.chunk, "memory is limited")
		here, orders := map[string]bool{}, map[string]bool{}
		for _, r := range s.records {
			var sent map[string]any
			require.NoError(t, json.Unmarshal(r.body, &sent))
			for name, value := range sent {
				if at, err := time.Parse(time.RFC3339, text(value)); err == nil && name != "expected_arrival_date" {
					require.False(t, at.After(now), "%s of %s", name, r.body)
				}
			}
			for name, slug := range map[string]string{"supplier_id": "suppliers", "product_id": "products",
				"customer_id": "customers", "order_id": "orders"} {
				if sent[name] != nil {
					require.True(t, known[slug+text(sent[name])], "%s of %s", name, r.body)
				}
			}
			if r.refused != "" {
				refused++
				continue
			}
			id := s.slug + text(sent["external_id"])
			require.False(t, here[id], "%s twice in one step", id)
			require.False(t, s.name == "records" && known[id], "%s twice", id)
			here[id] = true
			if s.slug == "products" {
				stock[id] = append(stock[id], report{text(sent["stock_updated_at"]), number64(sent["stock_on_hand"])})
			}
			if s.slug == "purchase_order_lines" {
				statuses[text(sent["status"])]++
				require.False(t, orders[text(sent["order_no"])], "%s twice in one step", sent["order_no"])
				orders[text(sent["order_no"])] = true
			}
			if s.slug == "order_line_items" {
				units[text(sent["sku"])] += number64(sent["quantity"])
			}
		}
		maps.Copy(known, here)
	}
	require.Greater(t, statuses["ordered"], 3)
	require.Greater(t, statuses["received"], 100)
	require.Equal(t, refusedLines, refused)
	for i, a := range made.Articles {
		reports := stock["products"+a.ID]
		require.NotEmpty(t, reports)
		for n, day := 0, max(a.Launch, 0); day < made.Options.Days; day++ {
			end := made.Date(day).Add(22 * time.Hour).Format(time.RFC3339)
			for n+1 < len(reports) && reports[n+1].at <= end {
				n++
			}
			require.Equal(t, made.History[i].Stock[day] > 0, reports[n].stock > 0, "%s on day %d", a.SKU, day)
		}
		sold := 0
		for _, n := range made.History[i].Sold {
			sold += int(n)
		}
		require.GreaterOrEqual(t, units[a.SKU], sold)
	}
}

type report struct {
	at    string
	stock int
}

func text(value any) string {
	text, _ := value.(string)
	return text
}

func number64(value any) int {
	number, _ := value.(float64)
	return int(number)
}

// TestLargestShop checks that the numbers of the largest shop fit their formats.
func TestLargestShop(t *testing.T) {
	t.Parallel()
	require.Len(t, barcode(1000+MaxScale*articlesPerScale), len(barcode(0)))
	require.GreaterOrEqual(t, MaxScale*articlesPerScale, 100_000)
	require.GreaterOrEqual(t, MaxScale*articlesPerScale*150, 20_000_000, "order lines")
}

// TestInterruptedDay checks that an interrupted demo goes on with the day on which it was begun.
func TestInterruptedDay(t *testing.T) {
	t.Parallel()
	require.Equal(t, time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC),
		day(uuid.MustParse("018df6c6-2fc0-7000-8000-000000000001")))
	require.WithinDuration(t, time.Now().UTC().Truncate(24*time.Hour), day(uuid.Must(uuid.NewV7())), 24*time.Hour)
}
