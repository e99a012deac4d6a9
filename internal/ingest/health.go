package ingest

import (
	"strconv"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

// stallTime is how long a lane with queued entries may take no batch before the service
// reports that it is not ready.
const stallTime = 3 * time.Second

// CheckLanes returns an error if a lane has stalled: records or dead letters wait in it,
// and it has taken no batch for some seconds.
func (s *Service) CheckLanes() error {
	now := time.Now()
	for _, queue := range []struct {
		name    string
		stalled time.Duration
	}{{s.lanes.name, s.lanes.stalled(now)}, {s.detour.name, s.detour.stalled(now)},
		{s.guarded.name, s.guarded.stalled(now)}, {s.letters.name, s.letters.stalled(now)}} {
		if queue.stalled > stallTime {
			return fault.New(fault.Unavailable, "lanes_stalled", "%s wait, and a lane has taken none for %s", queue.name,
				queue.stalled.Round(time.Second))
		}
	}
	return nil
}

// observe registers gauges of what waits in each lane.
func (s *Service) observe() {
	observeLanes(s, s.lanes)
	observeLanes(s, s.detour)
	observeLanes(s, s.guarded)
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
		s.metrics.LabelledGauge("quayside_queue_oldest_seconds", "How long the oldest record, or dead letter, has waited in a lane.", labels,
			func() float64 { return l.oldest(time.Now()).Seconds() })
	}
}
