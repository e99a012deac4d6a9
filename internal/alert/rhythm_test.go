package alert

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shop returns the hours in which a shop sends that opens at 8 and closes at 18, from a Monday on.
func shop(monday time.Time, days int, closed ...time.Weekday) (hours []time.Time) {
	for day := range days {
		for hour := 8; hour < 18; hour++ {
			at := monday.Add(time.Duration(24*day+hour) * time.Hour)
			open := true
			for _, weekday := range closed {
				open = open && at.Weekday() != weekday
			}
			if open {
				hours = append(hours, at)
			}
		}
	}
	return hours
}

// TestQuietUntil checks until when a silence is usual. Times are given after a Monday, in days, hours and minutes.
func TestQuietUntil(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	after := func(days, hours, minutes int) time.Time {
		return monday.Add(time.Duration(24*60*days+60*hours+minutes) * time.Minute)
	}
	weekdays := shop(monday, 14, time.Saturday, time.Sunday)
	twoDays := shop(monday, 14, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday)
	var always, imports, longImports []time.Time
	for hour := range 10 * 24 {
		always = append(always, after(0, hour, 0))
	}
	for day := range 10 {
		imports = append(imports, after(day, 6, 0), after(day, 7, 0))
		longImports = append(longImports, after(day, 6, 0), after(day, 7, 0), after(day, 8, 0))
	}
	outage := append(shop(monday, 5), shop(after(7, 0, 0), 7)...) // nothing came on the first weekend
	hour, day := time.Hour, 24*time.Hour
	for _, tt := range []struct {
		name     string
		hours    []time.Time
		since    time.Time
		patience time.Duration
		want     time.Time
	}{
		{"a night", weekdays, after(8, 17, 50), hour, after(9, 10, 0)},
		{"an evening that ended early", weekdays, after(8, 16, 40), hour, after(9, 9, 40)},
		{"a weekend", weekdays, after(11, 17, 50), hour, after(14, 10, 0)},
		{"an outage in the morning", weekdays, after(8, 10, 5), hour, after(8, 11, 5)},
		{"an outage of a slower shop", weekdays, after(8, 10, 5), 56 * hour, after(8, 14, 5)},
		{"an outage in the afternoon goes on in the morning", weekdays, after(8, 16, 30), hour, after(9, 9, 30)},
		{"a new shop's third night", shop(monday, 3), after(2, 17, 50), hour, after(3, 10, 0)},
		{"a new shop's first night", shop(monday, 1), after(0, 17, 50), hour, after(0, 18, 50)},
		{"a new shop's first Saturday", shop(monday, 5), after(4, 17, 50), hour, after(5, 10, 0)},
		{"always open", always, after(9, 23, 10), hour, after(10, 0, 10)},
		{"always open, and slow", always, after(9, 23, 10), day, after(10, 3, 10)},
		{"a daily import has no usual hours", imports, after(9, 7, 30), 4 * day, after(9, 7, 30)},
		{"a long daily import", longImports, after(9, 8, 30), 3 * day, after(13, 8, 0)},
		{"nothing is usual for longer than four days", twoDays, after(8, 17, 50), hour, after(12, 17, 50)},
		{"an outage a week ago excuses this one, for four days at most", outage, after(12, 17, 50), hour, after(14, 10, 0)},
		{"nothing is known", nil, after(0, 10, 0), hour, after(0, 10, 0)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := newRhythm(tt.hours, tt.since).quietUntil(tt.since, tt.patience)
			require.Equal(t, tt.want, got)
		})
	}
}
