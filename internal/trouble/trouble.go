// Package trouble tells the operator about faults of the service itself, by a metric and by mail. It needs no
// database, which may be what is away. Tenants are never told: see package alert for what concerns them.
package trouble

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/telemetry"
)

// mailPause is the least time between two mails that the same trouble has begun.
const mailPause = time.Hour

// Cause is what is wrong.
type Cause struct {
	Name     string        // in the metric
	Headline string        // in the mail's subject
	After    time.Duration // how long it has to last before anybody is told
	// Look returns what is wrong in a sentence without secrets, or nothing if all is well.
	Look func(now time.Time) string
}

// Watch looks for troubles.
type Watch struct {
	post     *mail.Sender
	to, host string
	log      *slog.Logger

	mu     sync.Mutex // guards the states
	causes []Cause
	states []state
}

// New returns a watch that mails to one address, or to nobody if it is empty. host names the instance in mails,
// since each instance sends its own.
func New(post *mail.Sender, to, host string, log *slog.Logger, metrics *telemetry.Metrics, causes ...Cause) *Watch {
	w := &Watch{post: post, to: to, host: host, log: log, causes: causes, states: make([]state, len(causes))}
	for i, cause := range causes {
		metrics.LabelledGauge("quayside_trouble", "1 while something is wrong that the operator has to look at.",
			map[string]string{"cause": cause.Name}, func() float64 {
				w.mu.Lock()
				defer w.mu.Unlock()
				if w.states[i].lasts {
					return 1
				}
				return 0
			})
	}
	return w
}

// state is what is known about a cause.
type state struct {
	since  time.Time // when it began; zero: all is well
	text   string
	lasts  bool      // it has lasted long enough to be told
	told   bool      // the operator has a mail that it began
	tried  bool      // or would have one, if it could have been sent
	mailed time.Time // when the last mail that it began was sent
}

// letter is a mail that is due.
type letter string

const (
	nothing letter = ""
	begun   letter = "begun"
	over    letter = "over"
)

// look notes what is wrong now, and returns the mail that is due.
func (s *state) look(text string, after time.Duration, now time.Time) letter {
	if text == "" {
		s.lasts = false
		if s.told || s.tried {
			return over
		}
		s.since = time.Time{}
		return nothing
	}
	if s.since.IsZero() {
		s.since = now
	}
	s.text, s.lasts = text, now.Sub(s.since) >= after
	if s.lasts && !s.told && (s.mailed.IsZero() || now.Sub(s.mailed) >= mailPause) {
		return begun
	}
	return nothing
}

// sent notes that a mail was sent, or could not be sent: then it stays due.
func (s *state) sent(what letter, taken bool, now time.Time) {
	switch {
	case what == begun && taken:
		s.told, s.mailed = true, now
	case what == begun:
		s.tried = true
	case what == over && taken:
		s.told, s.tried, s.since = false, false, time.Time{}
	}
}

// Look looks for all troubles and sends the mails that are due. A mail that cannot be sent is logged once, and tried
// again by the next call.
func (w *Watch) Look(ctx context.Context, now time.Time) {
	for i, cause := range w.causes {
		text := cause.Look(now)
		w.mu.Lock()
		due := w.states[i].look(text, cause.After, now)
		about := w.states[i]
		w.mu.Unlock()
		if due == nothing {
			continue
		}
		err := w.tell(ctx, cause, due, about, now)
		if err != nil && !about.tried {
			w.log.ErrorContext(ctx, "the operator was not mailed", "cause", cause.Name, "err", err)
		}
		w.mu.Lock()
		w.states[i].sent(due, err == nil, now)
		w.mu.Unlock()
	}
}

// tell writes to the log and, if there is somebody to mail to, sends a mail.
func (w *Watch) tell(ctx context.Context, cause Cause, due letter, about state, now time.Time) error {
	message := mail.Message{To: []string{w.to}, Subject: "Quayside on " + w.host + ": " + cause.Headline}
	since := about.since.UTC().Format("2 January 2006, 15:04 MST")
	if due == over {
		message.Subject = "Quayside on " + w.host + ": over: " + cause.Headline
		message.Text = fmt.Sprintf("It is over since %s. It began on %s:\n\n%s\n",
			now.UTC().Format("2 January 2006, 15:04 MST"), since, about.text)
	} else {
		message.Text = fmt.Sprintf("%s\n\nSince: %s\n\nYou get one more mail when it is over. The log and docs/metrics.md say more.\n",
			about.text, since)
	}
	if !about.tried || due == over {
		w.log.WarnContext(ctx, "trouble", "cause", cause.Name, "state", string(due), "what", about.text, "since", about.since)
	}
	if w.to == "" || !w.post.Configured() {
		return nil
	}
	return w.post.Send(ctx, message)
}
