package demand

import "slices"

// quantile returns the q-quantile of sorted values, interpolated linearly: the value at
// position q*(n-1). It is 0 for no values.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	position := q * float64(len(sorted)-1)
	below := min(max(0, int(position)), len(sorted)-1)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (position-float64(below))*(sorted[above]-sorted[below])
}

// median returns the median of the values, and leaves them in their order.
func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return quantile(sorted, 0.5)
}
