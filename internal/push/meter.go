package push

import (
	"sync"
	"time"
)

// meter measures the rate of the last seconds.
type meter struct {
	mu      sync.Mutex
	samples []sample
}

type sample struct {
	at   time.Time
	done int64
}

// note takes the number of records done so far.
func (m *meter) note(now time.Time, done int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.samples = append(m.samples, sample{now, done})
	for len(m.samples) > 2 && now.Sub(m.samples[1].at) > rateOver {
		m.samples = m.samples[1:]
	}
}

func (m *meter) perSecond() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.samples) < 2 {
		return 0
	}
	first, last := m.samples[0], m.samples[len(m.samples)-1]
	if took := last.at.Sub(first.at).Seconds(); took > 0 {
		return float64(last.done-first.done) / took
	}
	return 0
}
