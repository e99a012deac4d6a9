package demand

import "math"

const (
	strengthOrigins = 3    // origins with an index, before the log decides
	strengthGain    = 0.01 // by which a season must beat no season
	regular         = 0.3  // autocorrelation above which a season is given half strength
)

// Strength is how much of a family's season forecasts use: 0, ½ or 1.
type Strength struct {
	Value  float64
	Reason StrengthReason
}

// StrengthReason says what decided a strength.
type StrengthReason string

// The reasons.
const (
	NoIndex   StrengthReason = "no_index"  // too little history: there is no season to apply
	Measured  StrengthReason = "measured"  // the finished forecasts of the log decided
	Regular   StrengthReason = "regular"   // months resemble their neighbours: half, until measured
	Irregular StrengthReason = "irregular" // they do not: none, until measured
	// NotApplied is for the season of all articles together, which is only shown.
	NotApplied StrengthReason = "not_applied"
)

// misses are the errors of a family's finished forecasts.
type misses struct {
	origins map[Day]bool
	at      [3]float64 // sum of |F - Y| at each of the strengths
}

// strengthEvidence sums the errors of each family's forecasts that count, from origins at which
// the family had an index.
func strengthEvidence(log []Entry, asOf Day) map[string]misses {
	families := map[string]misses{}
	for _, e := range log {
		if e.Family == "" || !e.Indexed || !e.counts(asOf) {
			continue
		}
		m, ok := families[e.Family]
		if !ok {
			m.origins = map[Day]bool{}
		}
		m.origins[e.Origin] = true
		for i, strength := range strengths {
			m.at[i] += math.Abs(e.at(strength) - e.Units)
		}
		families[e.Family] = m
	}
	return families
}

// chooseStrength returns the strength with the least error once there are enough origins. A
// season must clearly beat no season to be used.
func chooseStrength(season Season, seen misses) Strength {
	if !season.Known {
		return Strength{Reason: NoIndex}
	}
	if len(seen.origins) < strengthOrigins {
		if autocorrelation(season.raw()) > regular {
			return Strength{Value: 0.5, Reason: Regular}
		}
		return Strength{Reason: Irregular}
	}
	best := 0
	for i := range strengths {
		if seen.at[i] < seen.at[best] {
			best = i
		}
	}
	if seen.at[best] > (1-strengthGain)*seen.at[0] {
		best = 0
	}
	return Strength{Value: strengths[best], Reason: Measured}
}

// autocorrelation returns how much each month resembles the next, from December to January too.
// It is 0 for a constant index.
func autocorrelation(x Index) float64 {
	mean := sum(x[:]) / 12
	var products, squares float64
	for m := range x {
		products += (x[m] - mean) * (x[(m+1)%12] - mean)
		squares += (x[m] - mean) * (x[m] - mean)
	}
	if squares < 1e-12 { // rounding errors
		return 0
	}
	return products / squares
}
