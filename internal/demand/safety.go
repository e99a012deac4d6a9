package demand

import (
	"math"
	"slices"
)

const (
	calibrationNeeds = 50   // entries
	defaultTau2      = 0.04 // with fewer entries
	lowestTau2       = 0.0025
	highestTau2      = 0.16
	leastShape       = 0.15
	calibrationPrior = 10 // entries beyond the quantile that weigh as much as the normal quantile
)

// Calibration is what the log shows about the forecasts of one class.
type Calibration struct {
	Tau2   float64   // squared relative error of the forecast itself, apart from the demand's own noise
	Scores []float64 // sorted; the deviation of each outcome, in standard deviations
}

// Calibrate computes the calibrations from the log's entries that count on asOf.
func Calibrate(log []Entry, asOf Day) map[Class]Calibration {
	entries := map[Class][]Entry{}
	for _, e := range log {
		if e.counts(asOf) {
			entries[e.Class] = append(entries[e.Class], e)
		}
	}
	calibrations := make(map[Class]Calibration, len(Classes))
	for _, class := range Classes {
		calibrations[class] = newCalibration(entries[class])
	}
	return calibrations
}

func newCalibration(entries []Entry) Calibration {
	c := Calibration{Tau2: defaultTau2}
	if len(entries) < calibrationNeeds {
		return c
	}
	// A fixed order, because the sum of floats depends on it in the last digits.
	slices.SortFunc(entries, compareEntries)
	var excess, squares float64
	for _, e := range entries {
		f := e.Expected()
		excess += (e.Units-f)*(e.Units-f) - float64(e.InStock)*e.SigmaDay2
		squares += f * f
	}
	c.Tau2 = min(max(excess/squares, lowestTau2), highestTau2)
	for _, e := range entries {
		f := e.Expected()
		k := shape(f, float64(e.InStock)*e.SigmaDay2+c.Tau2*f*f)
		c.Scores = append(c.Scores, 3*math.Sqrt(k)*(math.Cbrt(e.Units/f)-1+1/(9*k)))
	}
	slices.Sort(c.Scores)
	return c
}

// Z returns how many standard deviations cover the demand with the probability level. It mixes
// the scores of the log with the normal quantile, by how many entries lie beyond level.
func (c Calibration) Z(level float64) float64 {
	normal := NormalZ(level)
	n := float64(len(c.Scores))
	if n < calibrationNeeds {
		return normal
	}
	w := n * (1 - level) / (n*(1-level) + calibrationPrior)
	z := w*quantile(c.Scores, level) + (1-w)*normal
	return min(max(z, 0.7*normal), 1.8*normal+0.5)
}

// NormalZ returns the quantile of the normal distribution, to three digits: 1.645 for .95.
func NormalZ(level float64) float64 {
	return math.Round(1000*math.Sqrt2*math.Erfinv(2*level-1)) / 1000
}

// Variance returns the variance of the demand over days with this mean: the noise of the days,
// the error of the forecast, and that of the lead time, whose standard deviation is leadSigma
// days.
func Variance(mean float64, days int, sigmaDay2, tau2, leadSigma float64) float64 {
	v := float64(days)*sigmaDay2 + tau2*mean*mean
	if days > 0 {
		perDay := mean / float64(days)
		v += perDay * perDay * leadSigma * leadSigma
	}
	return v
}

// shape returns the shape of the gamma distribution with this mean and variance. Below its
// minimum the approximation of Quantile fails.
func shape(mean, variance float64) float64 {
	return max(leastShape, mean*mean/variance)
}

// Quantile returns the quantile of a gamma distribution at z standard deviations, by Wilson and
// Hilferty's approximation.
func Quantile(mean, variance, z float64) float64 {
	if mean <= 0 {
		return 0
	}
	if variance <= 0 {
		return mean
	}
	k := shape(mean, variance)
	root := max(0, 1-1/(9*k)+z/(3*math.Sqrt(k)))
	return mean * root * root * root
}

// Safety returns the stock that covers the demand beyond its mean: whole units, unless most
// limits it. One unit is always allowed.
func Safety(mean, variance, z, most float64) float64 {
	if mean <= 0 {
		return 0
	}
	return min(max(0, math.Ceil(Quantile(mean, variance, z)-mean)), max(most, 1))
}

// ReorderPoint returns the stock at which to order.
func ReorderPoint(mean, safety float64) float64 { return math.Ceil(mean + safety) }

// Range returns the 10 and 90 % quantiles of the demand of the days that start on from.
func (d Demand) Range(from Day, days int, tau2 float64) (low, high float64) {
	mean := d.Over(from, days)
	v := Variance(mean, days, d.SigmaDay2, tau2, 0)
	return Quantile(mean, v, -NormalZ(0.9)), Quantile(mean, v, NormalZ(0.9))
}
