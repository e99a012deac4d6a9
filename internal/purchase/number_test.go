package purchase

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSeries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		recent []string
		want   string
	}{
		{"no order yet", nil, "PO-1001"},
		{"ours", []string{"PO-1001"}, "PO-1002"},
		{"theirs", []string{"B-77", "B-78", "B-76"}, "B-79"},
		{"with a year", []string{"2026/0041", "2026/0040"}, "2026/0042"},
		{"filled with zeros", []string{"000099", "000098"}, "000100"},
		{"more digits than before", []string{"PO-1000", "PO-999"}, "PO-1001"},
		{"a number alone", []string{"4711"}, "4712"},
		{"a stray among them", []string{"X-1", "PO-3131", "PO-3130"}, "PO-3132"},
		{"no series", []string{"tea", "coffee", "A-1", "B-2", "C-3"}, "PO-1001"},
		{"no series, but ours", []string{"A-1", "B-2", "C-3", "PO-1007"}, "PO-1008"},
		{"more digits than a number has", []string{"9999999999999999999999"}, "PO-1001"},
	} {
		require.Equal(t, tt.want, seriesOf(tt.recent).String(), tt.name)
	}
}
