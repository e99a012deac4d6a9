package shop_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/shop"
	"github.com/quayside/quayside/test/property"
)

var today = time.Date(2026, 11, 16, 9, 30, 0, 0, time.UTC)

var laws = []shop.Law{shop.LawA, shop.LawB}

// TestTheSameTwice makes a shop twice, with its orders, and other shops for comparison.
//
//race:detect
func TestTheSameTwice(t *testing.T) {
	t.Parallel()
	options := shop.Options{Seed: 7, Today: today, Articles: 60, Days: 200}
	one, again := shop.Make(options), shop.Make(options)
	require.Equal(t, one, again)
	require.Equal(t, fingerprint(one), fingerprint(again))
	require.Equal(t, fingerprint(one), fingerprint(one), "orders are made again by every call")
	for name, change := range map[string]func(*shop.Options){
		"seed": func(o *shop.Options) { o.Seed++ },
		"law":  func(o *shop.Options) { o.Law = shop.LawB },
		"day":  func(o *shop.Options) { o.Today = o.Today.AddDate(0, 0, 1) },
	} {
		other := options
		change(&other)
		require.NotEqual(t, fingerprint(one), fingerprint(shop.Make(other)), name)
	}
}

func fingerprint(s *shop.Shop) uint64 {
	hash := fnv.New64a()
	for order := range s.Orders() {
		fmt.Fprintf(hash, "%+v\n", order)
	}
	return hash.Sum64()
}

// TestDefaultSize checks that a shop of the default size has what the demo promises.
func TestDefaultSize(t *testing.T) {
	t.Parallel()
	for _, law := range laws {
		s := shop.Make(shop.Options{Seed: 1, Today: today, Law: law})
		require.Len(t, s.Articles, 1200)
		require.Len(t, s.Suppliers, 40)
		require.Len(t, s.Families, 14)
		require.Equal(t, time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC), s.Date(len(s.History[0].Sold)-1), "yesterday")

		lines, statuses, currencies, returned, tests := 0, map[string]int{}, map[string]int{}, 0, 0
		var last time.Time
		for order := range s.Orders() {
			require.False(t, order.At.Before(last), "oldest first")
			last = order.At
			lines += len(order.Lines)
			statuses[order.Status]++
			currencies[order.Currency]++
			if order.Test {
				tests++
			}
			for _, line := range order.Lines {
				returned += line.Returned
				require.LessOrEqual(t, line.Returned, line.Quantity)
				require.Less(t, line.Discount, line.Unit*shop.Money(line.Quantity))
			}
		}
		require.InDelta(t, 180_000, lines, 20_000, "law %s", law)
		require.Len(t, statuses, 5)
		require.Len(t, currencies, 2)
		require.Positive(t, tests)
		require.Greater(t, returned, 4000)

		classes := map[string]int{}
		for _, h := range s.History {
			classes[class(h)]++
		}
		for _, name := range []string{"smooth", "erratic", "intermittent", "lumpy", "no sale"} {
			require.Greater(t, classes[name], 30, "law %s: %v", law, classes)
		}
		checkLosses(t, s)
		checkSeasons(t, s)
		checkSuppliers(t, s)
	}
}

// class returns the class of demand that half a year of sales shows.
func class(h shop.History) string {
	n, sum, squares := 0.0, 0.0, 0.0
	for week := range 26 {
		units := 0.0
		for day := range 7 {
			units += float64(h.Sold[len(h.Sold)-1-7*week-day])
		}
		if units > 0 {
			n, sum, squares = n+1, sum+units, squares+units*units
		}
	}
	frequent, variable := 26/n < 1.32, n*squares/(sum*sum)-1 >= 0.49
	switch {
	case n == 0:
		return "no sale"
	case frequent && !variable:
		return "smooth"
	case frequent:
		return "erratic"
	case variable:
		return "lumpy"
	}
	return "intermittent"
}

// checkLosses compares demand with sales: shelves were empty at times, and a rate that ignores
// those days is too low.
func checkLosses(t *testing.T, s *shop.Shop) {
	t.Helper()
	var mean, demanded, sold, alive, empty, below, censored float64
	for i, h := range s.History {
		var itsDays, itsEmpty, itsMean, itsSold float64
		for day := max(0, s.Articles[i].Launch); day < s.Articles[i].End; day++ {
			itsDays++
			if !h.InStock(day) {
				itsEmpty++
			}
			itsMean += float64(h.Mean[day])
			itsSold += float64(h.Sold[day])
			demanded += float64(h.Demanded[day])
		}
		mean, sold, alive, empty = mean+itsMean, sold+itsSold, alive+itsDays, empty+itsEmpty
		if itsEmpty > itsDays/10 && itsMean > 100 {
			censored++
			if itsSold < itsMean {
				below++
			}
		}
	}
	require.InEpsilon(t, mean, demanded, 0.05, "demand has its mean")
	require.InDelta(t, 0.045, empty/alive, 0.025)
	require.InDelta(t, 0.93, sold/demanded, 0.04)
	require.Greater(t, censored, 20.0)
	require.Greater(t, below/censored, 0.9)
}

// checkSeasons compares each family's season with its demand.
func checkSeasons(t *testing.T, s *shop.Shop) {
	t.Helper()
	wanted := make([][12]float64, len(s.Families))
	for i, h := range s.History {
		for day, units := range h.Demanded {
			wanted[s.Articles[i].Family][s.Date(day).Month()-1] += float64(units)
		}
	}
	for i, family := range s.Families {
		sum, all := 0.0, 0.0
		for month, share := range family.Season {
			sum += share
			all += wanted[i][month]
		}
		require.InDelta(t, 12, sum, 1e-9)
		for month, index := range family.Season {
			seen := wanted[i][month] / all * 12
			require.InDelta(t, index, seen, 0.2+0.35*index, "%s in month %d", family.Name, month+1)
			if !family.Seasonal {
				require.InDelta(t, 1, index, 0)
			}
		}
	}
	gifts := s.Families[13]
	require.Greater(t, wanted[13][11], 3*wanted[13][6], gifts.Name)
}

// checkSuppliers checks that some suppliers are later than promised, and that some purchases
// are still open.
func checkSuppliers(t *testing.T, s *shop.Shop) {
	t.Helper()
	late, n, open := make([]float64, len(s.Suppliers)), make([]float64, len(s.Suppliers)), 0
	for _, p := range s.Purchases {
		require.Positive(t, p.Quantity)
		require.Zero(t, p.Quantity%s.Articles[p.Article].Lot)
		require.Greater(t, p.Arrived, p.Ordered)
		late[p.Supplier] += float64(p.Arrived-p.Ordered) / float64(p.Due-p.Ordered)
		n[p.Supplier]++
		if p.Arrived >= s.Options.Days {
			open++
		}
	}
	require.Greater(t, open, 50)
	bad := 0
	for i := range late {
		if late[i]/n[i] > 1.25 {
			bad++
		}
	}
	require.InDelta(t, 4, bad, 2)
}

// TestLawsDiffer measures the difference between the laws: under one, levels change every day;
// under the other, they stay for a month or more.
func TestLawsDiffer(t *testing.T) {
	t.Parallel()
	changes := map[shop.Law]float64{}
	for _, law := range laws {
		s := shop.Make(shop.Options{Seed: 3, Today: today, Law: law, Articles: 200})
		for i, h := range s.History {
			a := s.Articles[i]
			if s.Families[a.Family].Seasonal || a.Launch > -30 || a.End < s.Options.Days {
				continue
			}
			growth := s.Families[a.Family].Growth * 7 / 365
			for day := 100; day+7 < 130; day++ { // the same weekday a week later
				if math.Abs(math.Log(float64(h.Mean[day+7]/h.Mean[day]))-growth) > 1e-4 {
					changes[law]++
				}
			}
		}
	}
	require.Greater(t, changes[shop.LawA], 2*changes[shop.LawB])
}

// TestNothingFromNothing checks small shops: sales never exceed demand or stock, stock is
// arrivals less sales, and the valid orders add up to the sales.
func TestNothingFromNothing(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		s := shop.Make(shop.Options{
			Seed: rapid.Uint64().Draw(t, "seed"), Today: today.AddDate(0, 0, rapid.IntRange(0, 1500).Draw(t, "today")),
			Law:      rapid.SampledFrom(laws).Draw(t, "law"),
			Articles: rapid.IntRange(1, 40).Draw(t, "articles"), Suppliers: rapid.IntRange(1, 12).Draw(t, "suppliers"),
			Days: rapid.IntRange(1, 420).Draw(t, "days"), Lines: rapid.IntRange(1, 4000).Draw(t, "lines"),
		})
		arrivals := make(map[[2]int]int32)
		for _, p := range s.Purchases {
			arrivals[[2]int{p.Article, p.Arrived}] += int32(p.Quantity)
		}
		ordered := map[[2]int]int32{}
		for order := range s.Orders() {
			require.NotEmpty(t, order.Lines)
			require.True(t, order.Customer == shop.Guest || s.Customers[order.Customer].Since.Before(order.At))
			require.Equal(t, s.Date(order.Day), order.At.Truncate(24*time.Hour))
			for _, line := range order.Lines {
				require.Positive(t, line.Quantity)
				if order.Valid() {
					ordered[[2]int{line.Article, order.Day}] += int32(line.Quantity)
				}
			}
		}
		for i, h := range s.History {
			start := max(0, s.Articles[i].Launch)
			for day := range h.Sold {
				require.LessOrEqual(t, h.Sold[day], h.Demanded[day])
				require.GreaterOrEqual(t, h.Stock[day], int32(0))
				require.Equal(t, h.Sold[day], ordered[[2]int{i, day}])
				if day > start {
					there := h.Stock[day-1] + arrivals[[2]int{i, day}]
					require.LessOrEqual(t, h.Sold[day], there)
					require.Equal(t, there-h.Sold[day], h.Stock[day])
				}
				if day < start || day >= s.Articles[i].End {
					require.Zero(t, h.Demanded[day])
					require.Zero(t, h.Mean[day])
				}
			}
		}
	})
}
