package ingest

import (
	"strconv"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

// stallTime is how long a lane may take nothing although something waits in it, before
// the service calls itself unready.
const stallTime = 3 * time.Second

// CheckLanes says which lanes have stopped, if any have: records or dead letters wait in
// them, and no batch has been taken for some seconds.
func (s *Service) CheckLanes() error {
	now := time.Now()
	for _, queue := range []struct {
		name    string
		stalled time.Duration
	}{{s.lanes.name, s.lanes.stalled(now)}, {s.detour.name, s.detour.stalled(now)},
		{s.letters.name, s.letters.stalled(now)}} {
		if queue.stalled > stallTime {
			return fault.New(fault.Unavailable, "lanes_stalled", "%s wait, and a lane has taken none for %s", queue.name,
				queue.stalled.Round(time.Second))
		}
	}
	return nil
}

// observe shows what waits in each lane.
func (s *Service) observe() {
	observeLanes(s, s.lanes)
	observeLanes(s, s.detour)
	observeLanes(s, s.letters)
}

func observeLanes[T any](s *Service, b *batcher[T]) {
	for i, l := range b.lanes {
		labels := map[string]string{"queue": b.name, "lane": strconv.Itoa(i)}
		s.metrics.LabelledGauge("quayside_queue_entries", "Records, or dead letters, that wait in a lane.", labels,
			func() float64 {
				entries, _ := l.queued()
				return float64(entries)
			})
		s.metrics.LabelledGauge("quayside_queue_bytes", "Bytes of the records, or dead letters, that wait in a lane.", labels,
			func() float64 {
				_, bytes := l.queued()
				return float64(bytes)
			})
	}
}
