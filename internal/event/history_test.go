package event_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// past is an outbox with events of many days, whose clock has been steady for long.
type past struct {
	t      *testing.T
	db     *pgtest.DB
	tenant pgtest.Tenant
	log    *strings.Builder // what drop has logged
}

// newPast writes an event on each day, which is so many days ago.
func newPast(t *testing.T, daysAgo ...int) past {
	t.Helper()
	p := past{t: t, db: pgtest.New(t), log: &strings.Builder{}}
	var owner string
	require.NoError(t, p.db.Admin(t).QueryRow(t.Context(),
		"SELECT relowner::regrole::text FROM pg_class WHERE oid = 'workspace.events'::regclass").Scan(&owner))
	p.tenant = pgtest.NewTenant(t, p.db)
	for _, ago := range daysAgo {
		day := time.Now().UTC().AddDate(0, 0, -ago)
		if ago > 1 || ago < -event.DaysAhead {
			p.exec(fmt.Sprintf("CREATE TABLE workspace.events_%s PARTITION OF workspace.events FOR VALUES FROM ('%s 00:00+00') TO ('%s 00:00+00')",
				day.Format("20060102"), day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)))
			p.exec("ALTER TABLE workspace.events_" + day.Format("20060102") + " OWNER TO " + owner)
		}
		require.NoError(t, pgx.BeginFunc(t.Context(), p.db.Admin(t), func(tx pgx.Tx) error {
			write(t, tx, p.tenant, day.Format(time.DateOnly))
			_, err := tx.Exec(t.Context(), "UPDATE workspace.events SET created_at = $2 WHERE tenant_id = $1 AND subject = $3",
				p.tenant.ID, day, day.Format(time.DateOnly))
			return err
		}))
	}
	p.exec("UPDATE control.event_retention SET steady_since = now() - interval '2 days'")
	// Moving an event to its day leaves today's file with a dead row in it.
	p.exec("VACUUM workspace.events")
	return p
}

func (p past) exec(sql string) {
	p.t.Helper()
	_, err := p.db.Admin(p.t).Exec(p.t.Context(), sql)
	require.NoError(p.t, err)
}

func (p past) drop(wanted int64) {
	p.t.Helper()
	require.NoError(p.t, event.DropOld(p.t.Context(), p.db.Cells, wanted, slog.New(slog.NewTextHandler(p.log, nil))))
}

// events returns how many are left.
func (p past) events() (n int) {
	p.t.Helper()
	require.NoError(p.t, p.db.Admin(p.t).QueryRow(p.t.Context(), "SELECT count(*) FROM workspace.events").Scan(&n))
	return n
}

func (p past) history() event.History {
	p.t.Helper()
	history, err := event.ReadHistory(p.t.Context(), p.db.Cells, 0)
	require.NoError(p.t, err)
	return history
}

// TestOldDaysAreDropped drops what is older than 30 days, a few days at a time, and tells, also in the log.
func TestOldDaysAreDropped(t *testing.T) {
	t.Parallel()
	p := newPast(t, 0, 5, 30, 31, 32, 40)
	require.EqualValues(t, 3, p.history().Due)
	p.drop(0)
	require.Equal(t, 4, p.events(), "two days in one run")
	logged := strings.Split(strings.TrimSpace(p.log.String()), "\n")
	require.Len(t, logged, 2, "a line for each day")
	for i, ago := range []int{40, 32} {
		day := time.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly)
		require.Contains(t, logged[i], `msg="dropped a day of events" day=`+day+" kept_days=30")
	}
	p.drop(30)
	p.drop(0)
	require.Equal(t, 3, p.events(), "the thirtieth day is kept")
	history := p.history()
	require.EqualValues(t, 30, history.KeptDays)
	require.Zero(t, history.Due)
	require.Empty(t, history.Held)
	require.Len(t, history.Days, 3)
	require.Len(t, history.Dropped, 3)
	require.Equal(t, time.Now().UTC().AddDate(0, 0, -31).Format(time.DateOnly), history.Dropped[0].Day.Day.Format(time.DateOnly))
	require.Positive(t, history.Dropped[0].Bytes)

	require.NoError(t, event.MakeDays(t.Context(), p.db.Cells))
	var partitions int
	require.NoError(t, p.db.Admin(t).QueryRow(t.Context(),
		"SELECT count(*) FROM pg_inherits WHERE inhparent = 'workspace.events'::regclass").Scan(&partitions))
	require.Equal(t, 2+16, partitions, "emptied days are removed: two of the past are left, and yesterday to two weeks ahead")
}

// TestClocksInDoubt drops nothing while a clock may be wrong, and says why. Small differences do not matter.
func TestClocksInDoubt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		daysAgo []int
		change  string
		held    string
		due     int
	}{
		"the clock has jumped ahead, and nothing was written since": {daysAgo: []int{41, 50, 60}},
		"it jumped ahead, and records came": {
			[]int{0, 41, 50}, "UPDATE control.event_retention SET looked_at = now() - interval '40 days'", "clock jumped", 2,
		},
		"it jumped back": {
			[]int{0, 41}, "UPDATE control.event_retention SET looked_at = now() + interval '40 days', steady_since = now() + interval '1 day'",
			"clock jumped", 1,
		},
		"it is behind the events": {[]int{-3, 0, 41}, "", "not come yet", 1},
		"it jumped ahead by 25 hours": {
			[]int{0, 41}, "UPDATE control.event_retention SET looked_at = now() - interval '25 hours'", "clock jumped", 1,
		},
		"it jumped back by 6 minutes": {
			[]int{0, 41}, "UPDATE control.event_retention SET looked_at = now() + interval '6 minutes'", "clock jumped", 1,
		},
		"less was kept since an hour ago": {
			[]int{0, 20}, "UPDATE control.event_retention SET kept_days = 7, steady_since = now() - interval '1 hour'", "was changed", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPast(t, c.daysAgo...)
			if c.change != "" {
				p.exec(c.change)
			}
			p.drop(0)
			require.Equal(t, len(c.daysAgo), p.events())
			history := p.history()
			require.EqualValues(t, c.due, history.Due)
			require.Contains(t, history.Held, c.held)
		})
	}
	for differs, held := range map[string]string{"40 days": "service_clock", "6 minutes": "service_clock", "-6 minutes": "service_clock",
		"4 minutes": "", "-4 minutes": ""} {
		t.Run("the service's clock is behind by "+differs, func(t *testing.T) {
			t.Parallel()
			p := newPast(t, 0, 41)
			var why string
			require.NoError(t, p.db.InSystem(t.Context(), func(tx pgx.Tx) error {
				return tx.QueryRow(t.Context(), "SELECT held FROM workspace.drop_event_days(now() - $1::text::interval, 2)", differs).Scan(&why)
			}))
			require.Equal(t, held, why)
			require.Equal(t, held == "", p.events() == 1)
		})
	}
	for name, looked := range map[string]string{"ahead by 23 hours": "- interval '23 hours'", "back by 4 minutes": "+ interval '4 minutes'"} {
		t.Run("it jumped "+name+", which is no reason", func(t *testing.T) {
			t.Parallel()
			p := newPast(t, 0, 41)
			p.exec("UPDATE control.event_retention SET looked_at = now() " + looked)
			p.drop(0)
			require.Equal(t, 1, p.events())
		})
	}
	t.Run("an instance was told fewer days", func(t *testing.T) {
		t.Parallel()
		p := newPast(t, 0, 20, 41)
		p.drop(7)
		require.Equal(t, 3, p.events())
		history, err := event.ReadHistory(t.Context(), p.db.Cells, 7)
		require.NoError(t, err)
		require.Contains(t, history.Held, "QUAYSIDE_EVENTS_KEPT_DAYS")
	})
}

// TestKeepFor changes the number of days for all instances, and waits a day before it drops.
func TestKeepFor(t *testing.T) {
	t.Parallel()
	p := newPast(t, 0, 20)
	for _, days := range []int64{0, -1, 36501} {
		require.True(t, fault.HasCode(event.KeepFor(t.Context(), p.db.Cells, days), "days"))
	}
	require.NoError(t, event.KeepFor(t.Context(), p.db.Cells, 7))
	p.drop(0)
	require.Equal(t, 2, p.events())
	p.exec("UPDATE control.event_retention SET steady_since = steady_since - interval '1 day'")
	p.drop(0)
	require.Equal(t, 1, p.events())
}

// TestNobodyWaits holds the outbox as a backup does: neither dropping nor removing a day waits for it,
// because a writer would wait behind them.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	p := newPast(t, 0, 41, 42)
	backup, err := p.db.Admin(t).Begin(t.Context())
	require.NoError(t, err)
	_, err = backup.Exec(t.Context(), "SELECT count(*) FROM workspace.events")
	require.NoError(t, err)
	within, cancel := context.WithTimeout(t.Context(), time.Second) // waiting for a lock took two
	defer cancel()
	require.NoError(t, event.DropOld(within, p.db.Cells, 0, slog.New(slog.DiscardHandler)))
	require.NoError(t, event.MakeDays(within, p.db.Cells))
	require.Equal(t, 3, p.events())
	require.NoError(t, backup.Rollback(t.Context()))

	backup, err = p.db.Admin(t).Begin(t.Context())
	require.NoError(t, err)
	_, err = backup.Exec(t.Context(), "SELECT FROM workspace.events WHERE created_at >= '"+time.Now().UTC().Format(time.DateOnly)+" 00:00+00'")
	require.NoError(t, err)
	p.drop(0)
	require.Equal(t, 1, p.events(), "only the days that are read have to wait")
	require.NoError(t, event.MakeDays(within, p.db.Cells), "but the table is in use, so the empty days stay")
	require.NoError(t, backup.Rollback(t.Context()))
}

// TestInstancesDropTogether runs it from several instances at once.
func TestInstancesDropTogether(t *testing.T) {
	t.Parallel()
	p := newPast(t, 0, 41, 42, 43, 44, 45)
	var all sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		all.Go(func() { errs[i] = event.DropOld(t.Context(), p.db.Cells, 0, slog.New(slog.DiscardHandler)) })
	}
	all.Wait()
	require.Equal(t, make([]error, 2), errs)
	require.Equal(t, 2, p.events(), "each has dropped two days")
	require.Len(t, p.history().Dropped, 4)
}
