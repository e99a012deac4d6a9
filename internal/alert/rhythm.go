package alert

import "time"

// The rules for a usual silence: see docs/alerts.md.
const (
	week = 7 * 24 * time.Hour
	// mostMissed is the longest time that a source may be quiet in hours in which it usually sends.
	mostMissed = 4 * time.Hour
	// longestQuiet is the longest silence that can be usual.
	longestQuiet = 4 * 24 * time.Hour
	// leastDays is how many days have to be known of a source that is younger than a week.
	leastDays = 2
)

// rhythm is the hours in which a source sent something, before it became silent.
type rhythm struct {
	heard map[time.Time]bool
	first time.Time
}

// newRhythm takes the hours before since.
func newRhythm(hours []time.Time, since time.Time) rhythm {
	r := rhythm{heard: map[time.Time]bool{}, first: since}
	for _, hour := range hours {
		if hour = hour.UTC().Truncate(time.Hour); hour.Before(since) {
			r.heard[hour] = true
			if hour.Before(r.first) {
				r.first = hour
			}
		}
	}
	return r
}

// quietUntil returns until when a silence is usual. Time counts as missed only in hours in which the source
// usually sends: the clock stops at night and at the weekend of a shop that sleeps then.
func (r rhythm) quietUntil(since time.Time, patience time.Duration) time.Time {
	if !r.sendsForHours() {
		return since
	}
	allowed := min(patience, mostMissed)
	for at := since; at.Before(since.Add(longestQuiet)); {
		hour := at.Truncate(time.Hour)
		next := hour.Add(time.Hour)
		// The hours beside a quiet time do not count: nobody closes at the same minute every day, and
		// clocks change twice a year.
		if r.usual(hour) && r.usual(hour.Add(-time.Hour)) && r.usual(next) {
			left := next.Sub(at)
			if left >= allowed {
				return at.Add(allowed)
			}
			allowed -= left
		}
		at = next
	}
	return since.Add(longestQuiet)
}

// sendsForHours reports whether the source ever sent in three hours in a row. A source that does not, such as a
// daily import, has no hours in which it usually sends.
func (r rhythm) sendsForHours() bool {
	for hour := range r.heard {
		if r.heard[hour.Add(time.Hour)] && r.heard[hour.Add(2*time.Hour)] {
			return true
		}
	}
	return false
}

// usual reports whether the source usually sends in an hour: it did a week before. If it is younger than a
// week, it did on half of the days on which it sent anything; and if too few of them are known, it always does.
func (r rhythm) usual(hour time.Time) bool {
	if before := hour.Add(-week); !before.Before(r.first) {
		return r.heard[before]
	}
	days, sent := 0, 0
	for day := 24 * time.Hour; day < week; day += 24 * time.Hour {
		before := hour.Add(-day)
		if before.Before(r.first) || !r.heardAround(before) {
			continue
		}
		days++
		if r.heard[before] {
			sent++
		}
	}
	return days < leastDays || 2*sent >= days
}

// heardAround reports whether the source sent anything within half a day of an hour.
func (r rhythm) heardAround(hour time.Time) bool {
	for h := hour.Add(-12 * time.Hour); h.Before(hour.Add(12 * time.Hour)); h = h.Add(time.Hour) {
		if r.heard[h] {
			return true
		}
	}
	return false
}
