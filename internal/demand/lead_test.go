package demand

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLearnLeadTime(t *testing.T) {
	t.Parallel()
	const asOf Day = 20000
	took := func(days ...Day) (all []Delivery) {
		for i, d := range days {
			arrived := asOf - 1 - Day(i)
			all = append(all, Delivery{Ordered: arrived - d, Arrived: arrived})
		}
		return all
	}
	learnt, known := LearnLeadTime(took(10, 20, 12, 11, 14), asOf)
	require.True(t, known)
	require.Equal(t, 5, learnt.Deliveries)
	require.InDelta(t, 12, learnt.Days, 1e-9)
	require.InDelta(t, (14+0.4*6-12)/1.036, learnt.Sigma, 1e-9, "85 % are at position 3.4 of 10 11 12 14 20")

	_, known = LearnLeadTime(took(10, 12), asOf)
	require.False(t, known, "two are too few")
	for name, other := range map[string]Delivery{
		"arrives later":      {asOf - 30, asOf},
		"arrived long ago":   {asOf - 400, asOf - 366},
		"before it was sent": {asOf - 9, asOf - 10},
		"after years":        {asOf - 368, asOf - 2},
		"on the same day":    {asOf - 2, asOf - 2},
	} {
		_, known = LearnLeadTime(append(took(10, 12), other), asOf)
		require.False(t, known, name)
	}
	learnt, known = LearnLeadTime(append(took(7, 7), Delivery{asOf - 365 - 7, asOf - 365}), asOf)
	require.True(t, known)
	require.Equal(t, LeadTime{Days: 7, Deliveries: 3}, learnt)
}
