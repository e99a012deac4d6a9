package shop

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// dice returns a random generator with its own stream for each purpose and number, so that a
// change of one part leaves the others unchanged, and any part can be made again.
func (o Options) dice(purpose string, n int) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(purpose))
	return rand.New(rand.NewPCG(o.Seed^hash.Sum64(), uint64(n))) //nolint:gosec // it must be the same every time
}

// between draws from a uniform distribution.
func between(chance *rand.Rand, low, high float64) float64 { return low + (high-low)*chance.Float64() }

// pick draws an index by weight.
func pick(chance *rand.Rand, weights ...float64) int {
	all := 0.0
	for _, weight := range weights {
		all += weight
	}
	left := chance.Float64() * all
	for i, weight := range weights {
		if left -= weight; left < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// poisson draws from a Poisson distribution, or for a large mean from the normal one.
func poisson(chance *rand.Rand, mean float64) int {
	if mean > 40 {
		return max(0, int(math.Round(mean+math.Sqrt(mean)*chance.NormFloat64())))
	}
	count, left := 0, math.Exp(-mean)
	for product := chance.Float64(); product > left; product *= chance.Float64() {
		count++
	}
	return count
}

// gamma draws from a gamma distribution, by the method of Marsaglia and Tsang (2000).
func gamma(chance *rand.Rand, shape, mean float64) float64 {
	if shape < 1 {
		return gamma(chance, shape+1, mean*(shape+1)/shape) * math.Pow(chance.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := chance.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-chance.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v * mean / shape
		}
	}
}

// negativeBinomial draws a count with the given mean and the variance mean + mean²/shape.
func negativeBinomial(chance *rand.Rand, mean, shape float64) int {
	return poisson(chance, gamma(chance, shape, mean))
}

// lot draws the size of one sale, at least 1, from a geometric distribution.
func lot(chance *rand.Rand, mean float64) int {
	if mean <= 1 {
		return 1
	}
	return 1 + int(math.Log(1-chance.Float64())/math.Log(1-1/mean))
}
