package faults_test

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
)

// setClock sets the clock of PostgreSQL ahead and back again. On the whole day it is so far ahead that there is no
// partition for its day, and that everything of today seems to be older than what is kept.
func (d *day) setClock(lasts time.Duration) string {
	d.t.Helper()
	if !d.faked {
		d.exec("UPDATE control.event_retention SET looked_at = now() - interval '40 days'")
		require.Equal(d.t, "not_steady", d.dropOld())
		d.last(lasts)
		return "libfaketime is not installed, so only the time of the last look at old events was set."
	}
	days := 10
	if d.whole {
		days = 40
	}
	ahead := func() bool {
		return ask[bool](d, d.server, "SELECT clock_timestamp() > $1::timestamptz + interval '5 days'", time.Now())
	}
	from := time.Now()
	d.server.SetClock(fmt.Sprintf("+%dd", days))
	d.waitFor("clock that is ahead", ahead)
	d.last(lasts)
	d.settle() // a missing partition is made within a minute
	require.Equal(d.t, "service_clock", d.dropOld())
	d.server.SetClock("+0")
	d.waitFor("clock that is right again", func() bool { return !ahead() })
	require.Equal(d.t, "events_ahead", d.dropOld())
	require.Positive(d.t, ask[int](d, d.server, "SELECT count(*) FROM workspace.events WHERE created_at > $1::timestamptz + interval '5 days'", from),
		"records were stored meanwhile")
	return fmt.Sprintf("It was %d days ahead.", days)
}

// dropOld does what an instance does once an hour, and returns why nothing was dropped.
func (d *day) dropOld() (held string) {
	d.t.Helper()
	held = ask[string](d, d.server, "SELECT held FROM workspace.drop_event_days($1, 2)", time.Now())
	require.Zero(d.t, ask[int](d, d.server, "SELECT count(*) FROM control.event_days_dropped"), "days of events were dropped")
	return held
}
