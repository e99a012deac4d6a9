package alert_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/source"
)

const minute, hour, day = time.Minute, time.Hour, 24 * time.Hour

// soon returns a failure of the value "soon" in a number's place.
func soon(at time.Time) failure {
	return failure{slug: "suppliers", code: "type", field: "lead_time_days",
		message: `lead_time_days: expected a number, received "soon"`, at: at}
}

func TestNewFailures(t *testing.T) {
	t.Parallel()
	k := newQuay(t)
	require.Empty(t, k.look(k.now))
	k.fail(k.tenant, soon(k.now))
	got := k.look(k.now)
	require.Len(t, got, 1)
	require.Equal(t, alert.NewFailures, got[0].Rule)
	require.Equal(t, "New failed imports in Suppliers", got[0].Summary())
	require.Equal(t, "lead_time_days: expected a number", got[0].Reason(), "an alert holds nothing of the record")
	require.Equal(t, "/w/"+k.tenant.Workspace.String()+"/failures?code=type&field=lead_time_days&table=suppliers",
		got[0].Path)
	require.Equal(t, k.now, got[0].Since.UTC())
	require.Equal(t, int64(1), got[0].Open)
	require.Nil(t, got[0].ResolvedAt)

	k.fail(k.tenant, soon(k.now))
	got = k.look(k.now.Add(minute))
	require.Len(t, got, 1, "another of the group is counted, not told again")
	require.Equal(t, int64(2), got[0].Open)
}

// TestOurOwnFailures lets PostgreSQL be away for a minute: 200 records of a company are kept as failed
// imports, and nobody is alerted, because nobody there can do anything about it.
func TestOurOwnFailures(t *testing.T) {
	t.Parallel()
	k := newQuay(t)
	for range 20 {
		k.fail(k.tenant, failure{slug: "suppliers", code: "database_away", message: "temporary failure, safe to retry", at: k.now, ours: true})
	}
	k.send(k.tenant, "suppliers", source.Lost, 180, k.now)
	k.flush()
	require.Empty(t, k.look(k.now))
	require.NoError(t, k.alerts.LookThoroughly(t.Context(), k.now))
	require.Empty(t, k.list(k.tenant))
	k.fail(k.tenant, soon(k.now))
	require.Len(t, k.look(k.now), 1, "the company's own failures still count")
}

// TestGroups checks that failures are grouped by workspace, table, code and field.
func TestGroups(t *testing.T) {
	t.Parallel()
	k := newQuay(t)
	for i, f := range []failure{
		soon(k.now),
		{slug: "products", code: "type", field: "lead_time_days", at: k.now},
		{slug: "suppliers", code: "range", field: "lead_time_days", at: k.now},
		{slug: "suppliers", code: "type", field: "active", at: k.now},
		{slug: "suppliers", code: "fault", message: "temporary failure, safe to retry", at: k.now},
	} {
		k.fail(k.tenant, f)
		require.Len(t, k.look(k.now), i+1)
	}
	require.Contains(t, k.list(k.tenant)[0].Path, "field=none", "the newest names no field")
	elsewhere := pgtest.Tenant{ID: k.tenant.ID, Workspace: uuid.Must(uuid.NewV7())}
	k.fail(elsewhere, soon(k.now))
	require.Len(t, k.look(k.now), 5)
	require.Len(t, k.list(elsewhere), 1)
}

// TestGroupLife checks when the alert of a group is resolved and raised again. Each step is a
// time after the first failure, an action, and the numbers of alerts and of open alerts after
// it.
func TestGroupLife(t *testing.T) {
	t.Parallel()
	type step struct {
		after       time.Duration
		fail, close bool
		alerts      int
		open        int
	}
	for name, steps := range map[string][]step{
		"a cause that lasts does not nag": {
			{0, true, false, 1, 1}, {2 * hour, true, false, 1, 1}, {20 * hour, true, false, 1, 1},
			{40 * hour, true, false, 1, 1},
		},
		"back within the hour, it is the same alert": {
			{0, true, false, 1, 1}, {minute, false, true, 1, 0}, {hour - time.Second, true, false, 1, 1},
			{2 * hour, false, true, 1, 0},
		},
		"back after the hour, it is another": {
			{0, true, false, 1, 1}, {minute, false, true, 1, 0}, {hour, true, false, 2, 1},
		},
		"quiet for a day, though open": {
			{0, true, false, 1, 1}, {day - time.Second, false, false, 1, 1}, {day, false, false, 1, 0},
			{3 * day, true, false, 2, 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newQuay(t)
			for _, s := range steps {
				at := k.now.Add(s.after)
				if s.close {
					k.close()
				}
				if s.fail {
					k.fail(k.tenant, soon(at))
				}
				open := 0
				got := k.look(at)
				for _, one := range got {
					if one.ResolvedAt == nil {
						open++
					}
				}
				require.Equal(t, []int{s.alerts, s.open}, []int{len(got), open}, "after %s", s.after)
			}
		})
	}
}

// TestLateFailures checks that a failure that waited in a spool still raises an alert.
func TestLateFailures(t *testing.T) {
	t.Parallel()
	k := newQuay(t)
	k.fail(k.tenant, soon(k.now.Add(-2*hour)))
	k.exec("UPDATE workspace.source_figures SET open_failures = 1")
	require.Empty(t, k.look(k.now))
	require.Len(t, k.lookThoroughly(k.now), 1)
}

func TestFailureRate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name             string
		accepted, failed int
		want             bool
	}{
		{"nothing", 0, 0, false},
		{"exactly 5 %", 95, 5, false},
		{"above 5 %", 94, 6, true},
		{"above 5 % of 99", 93, 6, false},
		{"all of 99", 0, 99, false},
		{"all of 100", 0, 100, true},
		{"exactly 5 % of many", 950, 50, false},
		{"one more of many", 949, 51, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newQuay(t)
			k.send(k.tenant, "orders", source.Stored, tt.accepted, k.now)
			k.send(k.tenant, "orders", source.Failed, tt.failed, k.now)
			// Records of another source do not count.
			k.send(k.tenant, "products", source.Stored, 10_000, k.now)
			k.flush()
			got := k.look(k.now.Add(30 * time.Second))
			if !tt.want {
				require.Empty(t, got)
				return
			}
			require.Len(t, got, 1)
			require.Equal(t, alert.FailureRate, got[0].Rule)
			require.Equal(t, "orders", got[0].Slug)
			require.Equal(t, "/w/"+k.tenant.Workspace.String()+"/failures?table=orders", got[0].Path)
		})
	}
}

// TestRateWindow checks that the rate counts the last fifteen minutes of all instances.
func TestRateWindow(t *testing.T) {
	t.Parallel()
	k := newQuay(t)
	other := source.NewMeter(k.db.Cells)
	for i := range 10 {
		at := k.now.Add(time.Duration(i) * minute)
		k.send(k.tenant, "orders", source.Failed, 5, at)
		k.flush()
		for range 5 {
			other.Record(k.by(k.tenant, uuid.Nil), "orders", source.Stored, at)
		}
		require.NoError(t, other.Flush(t.Context()))
		got := k.look(at)
		require.Equal(t, i == 9, len(got) == 1, "after %d records", 10*(i+1))
	}
	require.Equal(t, "50 of 100 records failed within 15 minutes, more than 5 %", k.list(k.tenant)[0].Reason())
	require.Nil(t, k.look(k.now.Add(15*minute - time.Second))[0].ResolvedAt)
	require.NotNil(t, k.look(k.now.Add(15 * minute))[0].ResolvedAt, "the first minute has left the window")
	// A minute that replaces an old one does not add to its counts.
	k.send(k.tenant, "orders", source.Stored, 99, k.now.Add(16*minute))
	k.send(k.tenant, "orders", source.Failed, 1, k.now.Add(16*minute))
	k.flush()
	require.NotNil(t, k.look(k.now.Add(31*minute - time.Second))[0].ResolvedAt)
}

// visits sends a record at each of these times after the test's start.
func (k *quay) visits(outcome source.Outcome, times ...time.Duration) {
	k.t.Helper()
	for _, after := range times {
		k.send(k.tenant, "orders", outcome, 1, k.now.Add(after))
		k.flush()
	}
}

// every returns n times, each a gap after the one before.
func every(gap time.Duration, n int) (times []time.Duration) {
	for i := range n {
		times = append(times, time.Duration(i)*gap)
	}
	return times
}

func TestSilence(t *testing.T) {
	t.Parallel()
	var daily []time.Duration // an import of two hours every day
	for _, morning := range every(day, 7) {
		for _, part := range every(5*minute, 24) {
			daily = append(daily, morning+part)
		}
	}
	uneven := []time.Duration{0} // gaps of 1, 2 and 3 hours; the median is 2
	for i := range 15 {
		uneven = append(uneven, uneven[i]+time.Duration(1+i%3)*hour)
	}
	for _, tt := range []struct {
		name    string
		times   []time.Duration
		outcome source.Outcome
		quiet   time.Duration // after the last record
		want    bool
	}{
		{"never used", nil, source.Stored, 100 * day, false},
		{"13 visits", every(hour, 13), source.Stored, 3 * day, false},
		{"14 visits, four times the gap", every(hour, 14), source.Stored, 4 * hour, false},
		{"14 visits, longer than that", every(hour, 14), source.Stored, 4*hour + time.Second, true},
		{"an outage is not the rhythm", append(every(hour, 20), 19*hour+3*day), source.Stored, 4*hour + time.Second, true},
		{"uneven, four times the median", uneven, source.Stored, 8 * hour, false},
		{"uneven, longer than that", uneven, source.Stored, 8*hour + time.Second, true},
		{"refused records are heard too", every(hour, 14), source.Failed, 4 * hour, false},
		{"and missed", every(hour, 14), source.Failed, 4*hour + time.Second, true},
		{"a daily import, an hour later", daily, source.Stored, hour, false},
		{"a daily import, three days later", daily, source.Stored, 3 * day, false},
		{"a daily import, five days later", daily, source.Stored, 5 * day, true},
		{"a busy source is heard every quarter of an hour", every(3*minute, 80), source.Stored, hour, false},
		{"a busy source, longer than an hour", every(3*minute, 80), source.Stored, hour + time.Second, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newQuay(t)
			k.visits(tt.outcome, tt.times...)
			last := k.now
			if n := len(tt.times); n > 0 {
				last = k.now.Add(tt.times[n-1])
			}
			k.exec("DELETE FROM workspace.source_minutes") // refused records have alerts of their own
			got := k.lookThoroughly(last.Add(tt.quiet))
			if !tt.want {
				require.Empty(t, got)
				return
			}
			require.Len(t, got, 1)
			require.Equal(t, alert.SilentSource, got[0].Rule)
			require.Equal(t, last, got[0].Since.UTC())
			require.Equal(t, "/w/"+k.tenant.Workspace.String()+"/sources/orders", got[0].Path)
		})
	}
}

// TestNightsAreNotSilence lets a shop send for ten hours of each day. Its nights are not reported, and the morning on
// which it does not open is, once.
func TestNightsAreNotSilence(t *testing.T) {
	t.Parallel()
	k := newQuay(t)
	for _, morning := range every(day, 4) {
		for _, part := range every(15*minute, 41) {
			k.visits(source.Stored, morning+part)
		}
	}
	closed := k.now.Add(3*day + 10*hour)
	for _, quiet := range []time.Duration{hour + minute, 5 * hour, 10 * hour, 14 * hour} {
		require.Empty(t, k.lookThoroughly(closed.Add(quiet)), "after %s", quiet)
	}
	for _, quiet := range []time.Duration{18 * hour, 24 * hour, 40 * hour} {
		got := k.lookThoroughly(closed.Add(quiet))
		require.Len(t, got, 1, "after %s", quiet)
		require.Nil(t, got[0].ResolvedAt)
	}
	for _, part := range every(15*minute, 41) {
		k.visits(source.Stored, 5*day+part)
	}
	require.NotNil(t, k.look(k.now.Add(5*day + 10*hour))[0].ResolvedAt)
	require.Len(t, k.lookThoroughly(k.now.Add(5*day+15*hour)), 1, "the next night is not reported")
}

// TestSilenceEnds checks that a source is no longer silent once it sends again or is switched
// off.
func TestSilenceEnds(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (*quay, time.Time) {
		t.Helper()
		k := newQuay(t)
		k.visits(source.Stored, every(hour, 14)...)
		return k, k.now.Add(13 * hour)
	}
	t.Run("heard again", func(t *testing.T) {
		t.Parallel()
		k, last := start(t)
		require.Empty(t, k.look(last.Add(5*hour)), "a quick look does not judge silence")
		got := k.lookThoroughly(last.Add(5 * hour))
		require.Len(t, got, 1)
		require.Equal(t, "Something used to come about every 60 minutes; nothing has for four times as long", got[0].Reason())
		require.Nil(t, k.look(last.Add(6 * hour))[0].ResolvedAt)
		k.visits(source.Stored, 19*hour)
		require.NotNil(t, k.look(last.Add(6 * hour))[0].ResolvedAt)
		require.Len(t, k.lookThoroughly(last.Add(10*hour)), 1)
		require.Len(t, k.lookThoroughly(last.Add(11*hour)), 2, "silent again, later")
	})
	t.Run("keys that ran out do not excuse it", func(t *testing.T) {
		t.Parallel()
		k, last := start(t)
		k.exec("UPDATE workspace.api_keys SET expires_at = now() - interval '1 day'")
		require.Len(t, k.lookThoroughly(last.Add(5*hour)), 1)
	})
	t.Run("every key was revoked", func(t *testing.T) {
		t.Parallel()
		k, last := start(t)
		k.exec("UPDATE workspace.api_keys SET revoked_at = now()")
		require.Empty(t, k.lookThoroughly(last.Add(5*hour)))
	})
	t.Run("every key is revoked later", func(t *testing.T) {
		t.Parallel()
		k, last := start(t)
		require.Nil(t, k.lookThoroughly(last.Add(5 * hour))[0].ResolvedAt)
		k.exec("UPDATE workspace.api_keys SET revoked_at = now()")
		require.NotNil(t, k.look(last.Add(5 * hour))[0].ResolvedAt)
	})
	t.Run("a key for another table or workspace feeds nothing here", func(t *testing.T) {
		t.Parallel()
		k, last := start(t)
		k.exec("UPDATE workspace.api_keys SET scope = 'products'")
		require.Empty(t, k.lookThoroughly(last.Add(5*hour)))
		k.exec("UPDATE workspace.api_keys SET scope = 'orders', workspace_id = $1", uuid.New())
		require.Empty(t, k.lookThoroughly(last.Add(5*hour)))
		k.exec("UPDATE workspace.api_keys SET workspace_id = $1", k.tenant.Workspace)
		require.Len(t, k.lookThoroughly(last.Add(5*hour)), 1)
	})
	t.Run("the table is gone", func(t *testing.T) {
		t.Parallel()
		k, last := start(t)
		for _, table := range []string{"source_figures", "source_rhythms"} {
			k.exec("UPDATE workspace." + table + " SET slug = 'parcels'")
		}
		require.Empty(t, k.lookThoroughly(last.Add(5*hour)))
	})
	t.Run("nobody may look who may not read", func(t *testing.T) {
		t.Parallel()
		k, _ := start(t)
		_, err := k.alerts.Unread(t.Context(), auth.Principal{Tenant: k.tenant.ID, Workspace: k.tenant.Workspace}, k.now)
		require.Error(t, err)
	})
}
