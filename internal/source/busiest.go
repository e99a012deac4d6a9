package source

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Busiest covers the last busiestMinutes whole minutes.
const busiestMinutes = 5

// recent counts accepted records by minute and tenant, for as long as Busiest reads them.
type recent map[time.Time]map[uuid.UUID]int64

func (r recent) add(tenant uuid.UUID, minute time.Time) {
	if r[minute] == nil {
		maps.DeleteFunc(r, func(old time.Time, _ map[uuid.UUID]int64) bool {
			return old.Before(minute.Add(-busiestMinutes * time.Minute))
		})
		r[minute] = map[uuid.UUID]int64{}
	}
	r[minute][tenant]++
}

// busiest returns the tenants with the most records, at most so many, and the sum of all others.
func (r recent) busiest(now time.Time, most int) (top map[uuid.UUID]int64, rest int64) {
	sums, current := map[uuid.UUID]int64{}, now.UTC().Truncate(time.Minute)
	for minute, counts := range r {
		if minute.Before(current) && !minute.Before(current.Add(-busiestMinutes*time.Minute)) {
			for tenant, records := range counts {
				sums[tenant] += records
			}
		}
	}
	order := slices.SortedFunc(maps.Keys(sums), func(a, b uuid.UUID) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), strings.Compare(a.String(), b.String()))
	})
	top = map[uuid.UUID]int64{}
	for i, tenant := range order {
		if i < most {
			top[tenant] = sums[tenant]
		} else {
			rest += sums[tenant]
		}
	}
	return top, rest
}

// Busiest returns the tenants whose records were accepted most often by this instance within the last five
// whole minutes, at most so many, and the records of all others together.
func (m *Meter) Busiest(now time.Time, most int) (top map[uuid.UUID]int64, rest int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.recent.busiest(now, most)
}
