package procure

import "math"

// epsilon is below every quantity that matters: it is only what adding up fractions leaves. Without
// it, 0.1 + 0.2 would be a little more than 0.3, and one unit more would be ordered.
const epsilon = 1e-6

// below reports whether a is less than b by more than rounding errors.
func below(a, b float64) bool { return a < b-epsilon }

// roundUp returns the least whole number that is at least x, apart from rounding errors.
func roundUp(x float64) float64 {
	return max(0, math.Ceil(x-epsilon)) + 0 // + 0: never -0
}

// orderable returns the least quantity that covers raw and can be ordered: a multiple, and at least
// the minimum. It is 0 if nothing is missing.
func (a Article) orderable(raw float64) float64 {
	if !below(0, raw) {
		return 0
	}
	multiple := a.Multiple
	if multiple <= 0 {
		multiple = 1
	}
	return tidy(max(1, roundUp(max(raw, a.MOQ)/multiple)) * multiple)
}

// tidy removes the last digits that multiplying fractions leaves: 3 times 0.1 is 0.3.
func tidy(x float64) float64 {
	if x == math.Trunc(x) {
		return x
	}
	return math.Round(x*1e6) / 1e6
}
