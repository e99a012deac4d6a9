//race:detect requests share the meter
package source

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestBusiest lets 100 tenants send: the first one record a minute, the second two, and so on.
func TestBusiest(t *testing.T) {
	t.Parallel()
	m := NewMeter(nil)
	start := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	var tenants []uuid.UUID
	for i := range 100 {
		tenants = append(tenants, uuid.UUID{15: byte(i + 1)})
	}
	for minute := range 10 {
		for i, tenant := range tenants {
			for range i + 1 {
				m.Record(auth.Principal{Tenant: tenant}, "orders", Stored, start.Add(time.Duration(minute)*time.Minute))
			}
		}
	}
	m.Record(auth.Principal{Tenant: tenants[0]}, "orders", Failed, start.Add(9*time.Minute))

	top, rest := m.Busiest(start.Add(10*time.Minute+30*time.Second), 2)
	require.Equal(t, map[uuid.UUID]int64{tenants[99]: 500, tenants[98]: 495}, top)
	require.EqualValues(t, 5*(98*99/2), rest)
	require.LessOrEqual(t, len(m.recent), busiestMinutes+1, "older minutes are forgotten")

	top, rest = m.Busiest(start.Add(11*time.Minute), 200)
	require.Len(t, top, 100)
	require.EqualValues(t, 400, top[tenants[99]], "the first of the five minutes has gone")
	require.Zero(t, rest)
	top, rest = m.Busiest(start.Add(time.Hour), 5)
	require.Empty(t, top)
	require.Zero(t, rest)
}
