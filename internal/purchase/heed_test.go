package purchase

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

func TestFloor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                 string
		here, received, said string
		want                 string
	}{
		{"nobody booked anything", "", "7", "0", "0"},
		{"fewer than people booked", "5", "12", "3", "5"},
		{"none", "5", "5", "0", "5"},
		{"what people booked", "5", "12", "5", "5"},
		{"between that and what the line has", "5", "12", "8", "8"},
		{"more", "5", "12", "20", "20"},
		{"a part of it, after a sync took some back", "5", "3", "2", "3"},
		{"more than a sync has left, and less than people booked", "5", "3", "4", "4"},
		{"parts of pieces", "2.5", "2.75", "2.49", "2.5"},
	} {
		var here *decimal.Decimal
		if tt.here != "" {
			here = new(decimal.RequireFromString(tt.here))
		}
		got := Floor(here, decimal.RequireFromString(tt.received), decimal.RequireFromString(tt.said))
		require.Equal(t, tt.want, got.String(), tt.name)
	}
}

// TestAdmits walks every status of a line, made here or elsewhere and ordered before or not, to every other.
func TestAdmits(t *testing.T) {
	t.Parallel()
	person, approved := "user", decimal.NewFromInt(1)
	refused := 0
	for _, from := range Statuses() {
		for _, to := range Statuses() {
			for _, made := range []*string{nil, &person} {
				for _, ordered := range []*decimal.Decimal{nil, &approved} {
					var line row
					line.Status, line.CreatedByType, line.approval.ApprovedQuantity = string(from), made, ordered
					waits := from == Draft || from == PendingApproval || from == Cancelled && ordered == nil
					orders := to == Ordered || to == PartiallyReceived || to == Received
					want := made == nil || !waits || !orders
					require.Equal(t, want, line.admits(to), "%s to %s, made by %v, ordered %v", from, to, made, ordered)
					if !want {
						refused++
					}
				}
			}
		}
	}
	require.Equal(t, 3*(2*2+1), refused)
}
