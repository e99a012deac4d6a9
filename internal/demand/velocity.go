package demand

import "slices"

const (
	rateWeeks     = 104 // complete weeks that a rate looks at
	varianceWeeks = 52
	decay         = 0.9 // weight of a week relative to the week after it
	capNeeds      = 8   // weeks with sales; with fewer, quartiles mean little
	priorNeeds    = 3   // articles
	priorExposure = 56  // in-stock days of each of these articles
	priorWeight   = 3   // weight of the prior, in in-stock days
	varianceDays  = 4   // in-stock days that a week needs to count for the variance
)

// weights[i] is the weight of the week i weeks before the last one.
var weights = func() (w [rateWeeks]float64) {
	w[0] = 1
	for i := 1; i < rateWeeks; i++ {
		w[i] = w[i-1] * decay
	}
	return w
}()

// ceiling returns the most units that a week counts with: Q3 + 3 IQR of the weeks with sales.
// The quartiles of all weeks would be 0 for an article that sells in few weeks, and it would
// never be ordered again. capped is false if there are too few weeks with sales.
func ceiling(units []float64) (most float64, capped bool) {
	var room [rateWeeks]float64 // saves an allocation in the hottest loop
	sold := room[:0]
	for _, u := range units {
		if u > 0 {
			sold = append(sold, u)
		}
	}
	if len(sold) < capNeeds {
		return 0, false
	}
	slices.Sort(sold)
	lower, upper := quantile(sold, 0.25), quantile(sold, 0.75)
	return upper + 3*(upper-lower), true
}

// rate is the units that an article sold per in-stock day.
type rate struct {
	raw      float64
	exposure int  // in-stock days
	known    bool // false without any in-stock day
}

// newRate computes the rate of the last 104 weeks. factors are the seasonal factors of the
// weeks, newest first.
func newRate(a Article, factors []float64) rate {
	n := min(len(a.Units), rateWeeks)
	units, inStock := a.Units[len(a.Units)-n:], a.InStock[len(a.InStock)-n:]
	most, capped := ceiling(units)
	var r rate
	var sold, exposure float64
	for i := range n {
		u, e := units[n-1-i], inStock[n-1-i]
		if capped {
			u = min(u, most)
		}
		sold += weights[i] * u
		exposure += weights[i] * float64(e) * factors[i]
		r.exposure += e
	}
	if exposure > 0 {
		r.raw, r.known = max(0, sold/exposure), true
	}
	return r
}

// newPrior returns the median rate of a family's articles with enough history, or nil if there
// are too few of them.
func newPrior(rates []rate) *float64 {
	var raws []float64
	for _, r := range rates {
		if r.exposure >= priorExposure {
			raws = append(raws, r.raw)
		}
	}
	if len(raws) < priorNeeds {
		return nil
	}
	m := median(raws)
	return &m
}

// velocity draws the rate towards the prior. The shorter the history, the stronger the pull.
func (r rate) velocity(prior *float64) float64 {
	if prior == nil {
		return r.raw
	}
	h := float64(r.exposure) / float64(r.exposure+priorWeight)
	return h*r.raw + (1-h)**prior
}

// variance returns the variance of a day's demand around velocity, from uncapped weeks. It is
// at least the velocity, as if single units came at random.
func variance(a Article, velocity float64, factors []float64) float64 {
	n := len(a.Units)
	var squares, weight float64
	for i := range min(n, varianceWeeks) {
		u, e := a.Units[n-1-i], a.InStock[n-1-i]
		if e < varianceDays {
			continue
		}
		miss := u - velocity*factors[i]*float64(e)
		squares += weights[i] * miss * miss
		weight += weights[i]
	}
	if weight == 0 {
		return velocity
	}
	return max(squares/weight/7, velocity)
}

// estimateFamily computes the demand of articles that share a prior and a season. index is the
// season at its strength.
func estimateFamily(members []Article, end Day, index Index) ([]Demand, *float64) {
	factors := index.weeks(end)
	rates := make([]rate, len(members))
	for i, a := range members {
		rates[i] = newRate(a, factors)
	}
	prior := newPrior(rates)
	if members[0].Family == "" {
		prior = nil
	}
	demands := make([]Demand, len(members))
	for i, a := range members {
		demands[i] = newDemand(a, rates[i], prior, index, factors)
	}
	return demands, prior
}

// newDemand computes an article's demand. Without any in-stock day, the prior is its rate.
func newDemand(a Article, r rate, prior *float64, index Index, factors []float64) Demand {
	if !r.known && prior != nil {
		r.raw = *prior
	}
	v := r.velocity(prior)
	return Demand{
		ID: a.ID, Family: a.Family, Exposure: r.exposure, Raw: r.raw, Velocity: v,
		SigmaDay2: variance(a, v, factors), Class: classify(a), Index: index,
		Confidence: confidence(r.exposure, sum(a.Units[max(0, len(a.Units)-rateWeeks):])),
		Trend:      Trend(a.Units),
	}
}
