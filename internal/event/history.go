package event

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	// dropsPerRun bounds what one run of DropOld can lose, whatever made it believe that days are old.
	dropsPerRun = 2
	longestKept = 36500
	droppedTold = 100
)

// History is how long events are kept, and what there is.
type History struct {
	KeptDays int64
	Days     []Day  // that have events, oldest first
	Due      int64  // how many of them are older than what is kept
	Held     string // why nothing is dropped, in words; empty: nothing prevents it
	Passes   bool   // what holds it passes by itself within a day
	Dropped  []DroppedDay
}

// Day is one day of events, all companies together.
type Day struct {
	Day   time.Time
	Bytes int64
}

// DroppedDay is a day whose events were dropped.
type DroppedDay struct {
	Day
	At       time.Time
	KeptDays int64 // how many days were kept at the time
}

// DropOld drops the oldest days of those that are no longer kept, a few at a time, and logs each. A day
// that somebody reads, such as a backup, is left for the next run: nobody waits for it. While the clocks
// are in doubt nothing is dropped. wanted is the number of days that this instance was configured with,
// or 0; if all instances are told another, nothing is dropped either.
func DropOld(ctx context.Context, cells *pg.Cells, wanted int64, log *slog.Logger) error {
	run, err := drop(ctx, cells, wanted, dropsPerRun)
	if err != nil {
		return err
	}
	for _, day := range run.Dropped {
		log.WarnContext(ctx, "dropped a day of events", "day", day.Time.Format(time.DateOnly), "kept_days", run.KeptDays)
	}
	if held, _ := heldBy(run, wanted); held != "" && run.Due > 0 {
		log.WarnContext(ctx, "old events are not dropped", "days", run.Due, "why", held)
	}
	return nil
}

// drop drops at most as many days, and none if this instance was told another number of days.
func drop(ctx context.Context, cells *pg.Cells, wanted int64, most int32) (run q.DropEventDaysRow, err error) {
	// Crosses tenants: a day holds the events of all. It reads the sizes of files, and no row.
	err = cells.InSystem(ctx, func(tx pgx.Tx) error {
		queries := q.New(tx)
		kept, err := queries.GetEventRetention(ctx)
		if err != nil {
			return err
		}
		if wanted != 0 && wanted != kept {
			most = 0
		}
		run, err = queries.DropEventDays(ctx, q.DropEventDaysParams{ServiceClock: time.Now(), Most: most})
		return err
	})
	return run, err
}

// heldBy says why old days are not dropped, and whether that passes by itself. It is empty if they are.
func heldBy(run q.DropEventDaysRow, wanted int64) (why string, passes bool) {
	switch {
	case run.Held == "service_clock":
		return "the clocks of this machine and of PostgreSQL differ by more than 5 minutes; set both by NTP", false
	case run.Held == "events_ahead":
		return "there are events of a day that has not come yet, so the clock of PostgreSQL is or was wrong; " +
			"dropping goes on when that day is over", false
	case wanted != 0 && wanted != run.KeptDays:
		return "QUAYSIDE_EVENTS_KEPT_DAYS differs from the number that holds for all instances; " +
			"set that with 'quayside history keep', then remove the variable", false
	case run.Held == "not_steady":
		return "nothing is dropped for a day after the clock jumped, the service was down for a day, " +
			"or the number of days was changed", true
	}
	return run.Held, false
}

// ReadHistory returns what is kept, and what was dropped lately.
func ReadHistory(ctx context.Context, cells *pg.Cells, wanted int64) (History, error) {
	run, err := drop(ctx, cells, wanted, 0)
	if err != nil {
		return History{}, err
	}
	history := History{KeptDays: run.KeptDays, Due: run.Due}
	history.Held, history.Passes = heldBy(run, wanted)
	// Crosses tenants, as above.
	err = cells.InSystem(ctx, func(tx pgx.Tx) error {
		queries := q.New(tx)
		days, err := queries.EventDays(ctx)
		if err != nil {
			return err
		}
		for _, day := range days {
			history.Days = append(history.Days, Day{Day: day.Day.Time, Bytes: day.Bytes})
		}
		dropped, err := queries.EventDaysDropped(ctx, droppedTold)
		for _, d := range dropped {
			history.Dropped = append(history.Dropped,
				DroppedDay{Day: Day{Day: d.Day.Time, Bytes: d.Bytes}, At: d.DroppedAt, KeptDays: d.KeptDays})
		}
		return err
	})
	return history, err
}

// KeepFor sets how many days of events are kept, for all instances. Dropping pauses for a day then, so
// that a mistake can be taken back.
func KeepFor(ctx context.Context, cells *pg.Cells, days int64) error {
	if days < 1 || days > longestKept {
		return fault.InField("days", "days", "events are kept for 1 to %d days", longestKept)
	}
	// Crosses tenants: one number holds for all.
	return cells.InSystem(ctx, func(tx pgx.Tx) error { return q.New(tx).SetEventRetention(ctx, days) })
}
