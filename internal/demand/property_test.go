package demand

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/test/property"
)

// drawSales draws articles of two families and of none, with lives of up to weeks weeks.
func drawSales(t *rapid.T, weeks int) Sales {
	sales := Sales{End: day("2026-01-05") + Day(7*rapid.IntRange(0, 200).Draw(t, "weeks later"))}
	for i := range rapid.IntRange(1, 9).Draw(t, "articles") {
		a := Article{ID: strconv.Itoa(i), Family: rapid.SampledFrom([]string{"", "f", "f", "g"}).Draw(t, "family")}
		level := rapid.IntRange(0, 30).Draw(t, "level")
		for range rapid.IntRange(1, weeks).Draw(t, "life") {
			e := rapid.SampledFrom([]int{7, 7, 7, 7, 4, 1, 0}).Draw(t, "in stock")
			u := 0
			if e > 0 {
				u = rapid.SampledFrom([]int{0, level, level, level + 1, 2 * level, 20 * level, -1}).Draw(t, "units")
			}
			a.Units, a.InStock = append(a.Units, float64(u)/10), append(a.InStock, e) // some articles are sold by weight
		}
		sales.Articles = append(sales.Articles, a)
	}
	return sales
}

func clone(s Sales) Sales {
	s.Articles = slices.Clone(s.Articles)
	for i, a := range s.Articles {
		s.Articles[i].Units, s.Articles[i].InStock = slices.Clone(a.Units), slices.Clone(a.InStock)
	}
	return s
}

// replay returns the log of the sales' last year.
func replay(s Sales) []Entry { return Replay(s, Origins(s.End-7*55, s.End)) }

// A factor of 4 is exact in binary. Seasons are left out, because larger numbers make them
// stronger.
func TestUnitsScale(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		sales := drawSales(t, 50)
		more := clone(sales)
		for _, a := range more.Articles {
			for w := range a.Units {
				a.Units[w] *= 4
			}
		}
		before, after := Estimate(sales, nil), Estimate(more, nil)
		for i, d := range before.Articles {
			require.Equal(t, 4*d.Velocity, after.Articles[i].Velocity)
			require.Equal(t, 4*d.Raw, after.Articles[i].Raw)
			require.Equal(t, d.Class, after.Articles[i].Class)
		}
	})
}

// 1600 years are a multiple of 4 weeks, and then the calendar repeats.
func TestDatesShift(t *testing.T) {
	t.Parallel()
	const ages = 4 * 146097
	property.Check(t, func(t *rapid.T) {
		sales := drawSales(t, 130)
		later := clone(sales)
		later.End += ages
		log, laterLog := replay(sales), replay(later)
		require.Equal(t, Estimate(sales, log), Estimate(later, laterLog))
		for i := range laterLog {
			laterLog[i].Origin -= ages
		}
		require.Equal(t, log, laterLog)
	})
}

func TestOtherFamiliesChangeNothing(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		sales := drawSales(t, 130)
		alone := sales
		alone.Articles = slices.DeleteFunc(slices.Clone(sales.Articles), func(a Article) bool { return a.Family != "f" })
		got := Estimate(sales, replay(sales)).Articles
		got = slices.DeleteFunc(got, func(d Demand) bool { return d.Family != "f" })
		want := Estimate(alone, replay(alone)).Articles
		require.True(t, len(got) == 0 && len(want) == 0 || reflect.DeepEqual(want, got))
	})
}

func TestOrderOfArticlesChangesNothing(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		sales := drawSales(t, 130)
		for i := range 3 { // enough history for a season
			a := steady("long"+strconv.Itoa(i), "f", 110, 0.1+float64(i)*7.3)
			for w := range a.Units {
				a.Units[w] *= float64(1 + w%9)
			}
			sales.Articles = append(sales.Articles, a)
		}
		turned := clone(sales)
		slices.Reverse(turned.Articles)
		log, turnedLog := replay(sales), replay(turned)
		require.Equal(t, log, turnedLog)
		require.Equal(t, Estimate(sales, log), Estimate(turned, turnedLog))
	})
}

// One article alone, with its family's values, gets the result that it has among all.
func TestFamilyEstimatesOne(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		sales := drawSales(t, 130)
		all := Estimate(sales, replay(sales))
		families := map[string]Family{}
		for _, f := range all.Families {
			families[f.Name] = f
		}
		for i, a := range sales.Articles { // drawn in the order of their IDs
			require.Equal(t, all.Articles[i], families[a.Family].Estimate(a, sales.End))
		}
	})
}

// Later sales never change earlier forecasts.
func TestNoLookAhead(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		sales := drawSales(t, 130)
		weeks := rapid.IntRange(1, 30).Draw(t, "weeks that are rewritten")
		other := clone(sales)
		for _, a := range other.Articles {
			for w := max(0, len(a.Units)-weeks); w < len(a.Units); w++ {
				a.Units[w] = 3*a.Units[w] + 100
				a.InStock[w] = 7
			}
		}
		other.Articles = append(other.Articles, steady("new", "f", weeks, 50))
		known := sales.End - Day(7*weeks)
		forecasts := func(s Sales) (made []Entry) {
			for _, e := range replay(s) {
				if e.Origin > known {
					continue
				}
				if e.Origin+Horizon > known { // its outcome was not known yet
					e.Finished, e.InStock, e.Units = false, 0, 0
				}
				made = append(made, e)
			}
			return made
		}
		require.Equal(t, forecasts(sales), forecasts(other))
	})
}

// FuzzFinite makes sales from bytes, and looks for results that are NaN or infinite. Units
// reach 10¹².
func FuzzFinite(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x07\x05\x07\x00\x00\xff\x07\x09 a family of several articles, some of them short"))
	f.Add(slices.Repeat([]byte{7, 40}, 500))
	f.Add(slices.Repeat([]byte{7, 0, 7, 0xff, 0, 0}, 120))
	f.Fuzz(func(t *testing.T, raw []byte) {
		sales := Sales{End: day("2026-01-05")}
		for i := 0; len(raw) > 0 && i < 8; i++ {
			n := min(len(raw)/2, 130)
			a := Article{ID: strconv.Itoa(i), Family: []string{"f", "f", "f", ""}[i%4], Running: float64(len(raw) % 3)}
			for w := range n {
				a.InStock = append(a.InStock, int(raw[2*w]%8))
				a.Units = append(a.Units, units(raw[2*w+1]))
			}
			sales.Articles = append(sales.Articles, a)
			raw = raw[min(len(raw), max(1, 2*n)):]
		}
		log := replay(sales)
		estimates := Estimate(sales, log)
		calibrations := Calibrate(log, sales.End)
		for i, d := range estimates.Articles {
			c := calibrations[d.Class]
			mean := d.Over(sales.End, 45)
			v := Variance(mean, 45, d.SigmaDay2, c.Tau2, 9)
			low, high := d.Range(sales.End, 30, c.Tau2)
			safety := Safety(mean, v, c.Z(0.99), 90*mean)
			for _, x := range append(d.Index[:], d.Raw, d.Velocity, d.SigmaDay2, mean, v, low, high, safety, c.Tau2) {
				require.False(t, math.IsNaN(x) || math.IsInf(x, 0) || x < 0, "%+v", d)
			}
			require.LessOrEqual(t, low, high)
			own := slices.DeleteFunc(slices.Clone(log), func(e Entry) bool { return e.Article != d.ID })
			judged := Judge(sales.Articles[i], sales.End, Smooth, own)
			for _, x := range []*float64{judged.WAPE, judged.RMSSE, judged.Bias, d.Trend} {
				require.False(t, x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0)))
			}
		}
	})
}

// units maps a byte to no, few, many or returned units.
func units(b byte) float64 {
	switch {
	case b == 0xff:
		return 1e12
	case b >= 0xf0:
		return -float64(b - 0xef)
	case b < 0x40:
		return 0
	}
	return float64(b - 0x40)
}

// BenchmarkShop estimates 10,000 articles with two years of history, and replays their log.
func BenchmarkShop(b *testing.B) {
	sales := Sales{End: monday}
	for i := range 10_000 {
		a := steady(strconv.Itoa(i), strconv.Itoa(i%100), 104, 0)
		for w := range a.Units {
			a.Units[w] = float64((i*w*w + w) % 11)
		}
		sales.Articles = append(sales.Articles, a)
	}
	for b.Loop() {
		Estimate(sales, replay(sales))
	}
}
