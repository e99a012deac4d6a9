package app

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/trouble"
)

const (
	troubleEvery = 30 * time.Second
	// choreSlack is how long a chore may not succeed, beside three times its interval.
	choreSlack = 15 * time.Minute
	// spoolWaits is how long dead letters may wait in the spool while PostgreSQL works.
	spoolWaits = 10 * time.Minute
	spoolFull  = 80 // percent
	// mailFailures is how many mails in a row have to fail, the last of them within mailFresh.
	mailFailures = 3
	mailFresh    = 30 * time.Minute
)

// watch returns what looks for faults of the service.
func (a *App) watch(post *mail.Sender) *trouble.Watch {
	host, err := os.Hostname()
	if err != nil {
		host = a.cfg.BaseURL
	}
	return trouble.New(post, a.cfg.OperatorEmail, host, a.log, a.metrics,
		trouble.Cause{Name: "database", Headline: "PostgreSQL cannot be used", After: time.Minute, Look: a.databaseTrouble},
		trouble.Cause{Name: "chores", Headline: "background work fails", Look: a.choreTrouble},
		trouble.Cause{Name: "spool", Headline: "records wait in the spool", Look: a.spoolTrouble},
		trouble.Cause{Name: "mail", Headline: "mails cannot be sent", After: 15 * time.Minute, Look: a.posted.trouble})
}

func (a *App) databaseTrouble(time.Time) string {
	if reason := a.Cells.Down(); reason != "" {
		return reason + ". Records are kept in files, and people are refused."
	}
	return ""
}

// choreTrouble names the chores that have not succeeded for long. While PostgreSQL is away they cannot.
func (a *App) choreTrouble(now time.Time) string {
	if a.Cells.Down() != "" {
		a.done.pause(now)
		return ""
	}
	if late := a.done.late(now); len(late) > 0 {
		return "These have not succeeded for long: " + strings.Join(late, ", ") + ". The log says why."
	}
	return ""
}

func (a *App) spoolTrouble(now time.Time) string {
	entries, bytes := a.Spool.Held()
	since := a.Spool.Since()
	switch {
	case a.cfg.SpoolDir == "":
		return ""
	case bytes >= a.cfg.SpoolMaxBytes/100*spoolFull:
		return fmt.Sprintf("%d records wait in the spool, which has room for only %d bytes more. When it is full, records are refused.",
			entries, max(a.cfg.SpoolMaxBytes-bytes, 0))
	case a.Cells.Down() == "" && !since.IsZero() && now.Sub(since) > spoolWaits:
		return fmt.Sprintf("%d records wait in the spool, although PostgreSQL works. The log says why they are not loaded.", entries)
	case a.Cells.Down() != "" && !a.Spool.Room():
		return "PostgreSQL is away, and the spool's disk takes nothing: records are refused."
	}
	return ""
}

// posted remembers the mails that failed since the last that was accepted.
type posted struct {
	mu       sync.Mutex
	failures int
	last     time.Time
}

func (p *posted) note(result mail.Result, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last = now; result != mail.Failed {
		p.failures = 0
		return
	}
	p.failures++
}

func (p *posted) trouble(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failures < mailFailures || now.Sub(p.last) > mailFresh {
		return ""
	}
	return "The mail server cannot be reached, or takes no mails. Invitations, alerts and orders wait or are lost."
}

// done remembers when each chore last succeeded, or since when this instance has to do it.
type done struct {
	mu     sync.Mutex
	chores map[string]*doneChore
}

type doneChore struct {
	every time.Duration
	since time.Time
}

// note notes that a chore succeeded, or that another instance does it.
func (d *done) note(c chore, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.chores == nil {
		d.chores = map[string]*doneChore{}
	}
	d.chores[c.name] = &doneChore{c.every, now}
}

// pause lets the time until now not count.
func (d *done) pause(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.chores {
		c.since = now
	}
}

// late returns the chores that have not succeeded for long, in the order of their names.
func (d *done) late(now time.Time) (names []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, c := range d.chores {
		if now.Sub(c.since) > 3*c.every+choreSlack {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
