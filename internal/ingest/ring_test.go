package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/test/property"
)

// TestRing compares a ring with a slice.
func TestRing(t *testing.T) {
	t.Parallel()
	property.Check(t, func(rt *rapid.T) {
		var r ring[int]
		var want []int
		next := 0
		rt.Repeat(map[string]func(*rapid.T){
			"push":    func(*rapid.T) { next++; r.push(next); want = append(want, next) },
			"unshift": func(*rapid.T) { next++; r.unshift(next); want = append([]int{next}, want...) },
			"shift": func(rt *rapid.T) {
				if len(want) == 0 {
					rt.Skip()
				}
				require.Equal(rt, want[0], r.shift())
				want = want[1:]
			},
			"": func(rt *rapid.T) {
				require.Equal(rt, len(want), r.len())
				require.LessOrEqual(rt, len(r.slots), max(leastSlots, 4*len(want)))
			},
		})
	})
}
