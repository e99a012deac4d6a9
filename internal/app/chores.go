package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg"
)

const (
	flushEvery = 5 * time.Second
	loadEvery  = 2 * time.Second
	leadEvery  = time.Second
	linkEvery  = time.Second
	passEvery  = time.Minute
	salesEvery = time.Second
	queueEvery = time.Second
	inboxEvery = 30 * time.Second
	indexEvery = 5 * time.Second
	// exchangeEvery bounds how soon a change here begins its way into the inventory system.
	exchangeEvery = time.Second
	// readEvery is how often connections are looked for that are due: a webhook brings them forward.
	readEvery = 5 * time.Second
	// wholeEvery is how often workspaces are looked for whose demand or queue is computed as a whole:
	// a new one has its first queue after twice as long, and changed rules show after once.
	wholeEvery = 15 * time.Second
	// silenceEvery is the interval of the thorough search for alerts. It is also the time after
	// a start in which no source counts as silent, because none could reach the service while
	// it was down.
	silenceEvery = 5 * time.Minute
)

// chore is work that is done again and again in the background.
type chore struct {
	name  string
	every time.Duration
	do    func(context.Context) error
}

// atNow turns a function that needs the time into a chore.
func atNow(do func(context.Context, time.Time) error) func(context.Context) error {
	return func(ctx context.Context) error { return do(ctx, time.Now()) }
}

// ownChores are those of every instance: about what it holds in memory or in files, and those that
// share their work between instances themselves.
func (a *App) ownChores() []chore {
	return []chore{
		{"ask who leads", leadEvery, a.askWhoLeads},
		{"make partitions", time.Minute, func(ctx context.Context) error { return event.MakeDays(ctx, a.Cells) }},
		{"load spooled dead letters", loadEvery, a.Records.LoadSpooled},
		{"flush figures", flushEvery, a.Meter.Flush},
		{"flush unknown fields", flushEvery, a.Fields.Flush},
		{"forget old visits", time.Hour, a.Meter.Tidy},
		{"keep sales", salesEvery, a.Sales.Keep},
		{"keep the queue", queueEvery, a.Procure.Keep},
		{"start comparisons of orders", exchangeEvery, a.Exchange.Dispatch},
		{"read inventory systems", min(a.cfg.PollEvery, readEvery), func(ctx context.Context) error {
			return a.Exchange.Read(ctx, a.cfg.PollEvery)
		}},
		{"seal the audit", a.cfg.SweepEvery, a.Audit.Seal},
		{"count jobs", a.cfg.SweepEvery, func(ctx context.Context) error {
			return a.Cells.CountJobs(ctx, slices.Sorted(maps.Keys(job.Queues())), a.metrics.Jobs)
		}},
		{"read figures", a.cfg.SweepEvery, a.readFigures},
		{"log refused calls", time.Minute, a.HTTP.LogRefused},
		{"look for trouble", troubleEvery, atNow(func(ctx context.Context, now time.Time) error {
			a.troubles.Look(ctx, now)
			return nil
		})},
	}
}

// leaderChores are those that one instance does for all. Each is safe to run twice at once, as
// happens for a moment when another instance takes over.
func (a *App) leaderChores() []chore {
	return []chore{
		{"link late records", linkEvery, a.Records.Sweep},
		{"pass through all that waits", passEvery, a.Records.Pass},
		{"drop old events", time.Hour, func(ctx context.Context) error {
			return event.DropOld(ctx, a.Cells, a.cfg.EventsKeptDays, a.log)
		}},
		{"delete what is no longer kept", time.Hour, a.Retention.Run},
		{"build and drop indexes on fields", indexEvery, a.Indexes.Keep},
		{"count states", a.cfg.SweepEvery, a.Records.CountStates},
		{"recount rows", time.Hour, a.Records.RecountRows},
		{"drop expired sessions and links", time.Hour, a.Accounts.Tidy},
		{"look for alerts", a.cfg.AlertsEvery, atNow(a.Alerts.Look)},
		{"look for alerts thoroughly", silenceEvery, atNow(a.Alerts.LookThoroughly)},
		{"mail alerts", a.cfg.AlertsEvery, atNow(a.Alerts.Mail)},
		{"mail inboxes", inboxEvery, atNow(a.Inbox.Mail)},
		{"drop old files", time.Hour, a.Uploads.Tidy},
		{"compute demand", wholeEvery, atNow(a.Forecasts.Daily)},
		{"compute the queue", wholeEvery, atNow(a.Procure.Daily)},
		{"start the agents of the day", time.Minute, a.Procure.StartDaily},
	}
}

// readFigures reads what only the database knows for the metrics. Each statement reads one place of an index or
// the catalog.
func (a *App) readFigures(ctx context.Context) error {
	days, err := a.Cells.DaysAhead(ctx)
	if err == nil {
		a.metrics.DaysAhead(days)
	}
	oldest, failed := a.Audit.Waiting(ctx, time.Now())
	if failed == nil {
		a.metrics.Unsealed(oldest)
	}
	return errors.Join(err, failed)
}

// askWhoLeads notes whether this instance does the leader's chores. If that cannot be found out, nothing
// changes: a chore that two instances do is better than one that nobody does.
func (a *App) askWhoLeads(ctx context.Context) error {
	leads, err := a.Cells.Leads(ctx)
	if err == nil {
		a.leads.Store(leads)
	}
	return err
}

// leaves are the chores by which something leaves for people or for other systems.
var leaves = []string{"start comparisons of orders", "read inventory systems", "mail alerts", "mail inboxes"}

// startChores runs the chores until ctx ends, but not those that send if the database holds what it sends.
func (a *App) startChores(ctx context.Context, running *sync.WaitGroup) {
	ctx = pg.InBackground(ctx)
	start := func(chores []chore, ours func() bool) {
		for _, c := range chores {
			if !a.holds || !slices.Contains(leaves, c.name) {
				running.Go(func() { a.repeat(ctx, c, ours) })
			}
		}
	}
	start(a.ownChores(), func() bool { return true })
	start(a.leaderChores(), a.leads.Load)
}

// repeat runs a chore whenever it is due and this instance has to do it.
func (a *App) repeat(ctx context.Context, c chore, ours func() bool) {
	ticker := time.NewTicker(c.every)
	defer ticker.Stop()
	a.done.note(c, time.Now())
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if !ours() {
				a.done.note(c, time.Now())
				continue
			}
			err := c.do(ctx)
			if ctx.Err() != nil {
				return
			}
			a.metrics.Chore(c.name, err)
			if err != nil {
				a.log.ErrorContext(ctx, "chore failed", "chore", c.name, "err", err)
				continue
			}
			a.done.note(c, time.Now())
		}
	}
}
