package sending

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/q"
)

// Job sends one mail.
type Job struct {
	Tenant uuid.UUID `json:"tenant"`
	Mail   uuid.UUID `json:"mail"`
}

// Kind names the job.
func (Job) Kind() string { return "order_mail" }

// InsertOpts says how it is enqueued.
func (Job) InsertOpts() river.InsertOpts { return job.In(job.Mails) }

// pauses are the times between tries that a later one may mend. After the last, the mail has failed.
var pauses = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute}

// silence is after how long a claimed mail is given up. A job is ended before that.
const silence = 75 * time.Second

const noteTimeout = 10 * time.Second

// Deliver sends a queued mail. It returns after which pause to try again, or 0.
func (s *Service) Deliver(ctx context.Context, task Job) (pause time.Duration, err error) {
	var claimed q.ClaimOrderMailRow
	err = s.cells.InTenant(ctx, task.Tenant, func(tx pgx.Tx) error {
		claimed, err = q.New(tx).ClaimOrderMail(ctx, q.ClaimOrderMailParams{TenantID: task.Tenant, ID: task.Mail})
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) || fault.Is(err, fault.NotFound) {
		return s.giveUp(ctx, task)
	}
	if err != nil {
		return 0, err
	}
	failed := s.post.Send(ctx, mail.Message{
		To: claimed.Receivers, Cc: claimed.Copies, ReplyTo: claimed.ReplyTo, Subject: claimed.Subject, Text: claimed.Text,
		Attached: &mail.Attachment{Name: claimed.FileName, Type: "application/pdf", Content: claimed.Document},
	})
	state, reason, pause := judge(failed, claimed.Tries)
	if failed != nil { // without the cause, which may quote addresses
		s.log.WarnContext(ctx, "an order was not mailed", "mail", task.Mail, "try", claimed.Tries, "state", state)
	}
	// What the mail server said is noted even if this process is about to stop.
	note, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	return pause, s.cells.InTenant(note, task.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).EndOrderMail(note,
			q.EndOrderMailParams{TenantID: task.Tenant, ID: task.Mail, State: string(state), Reason: reason})
	})
}

// judge returns what a try means for the mail.
func judge(err error, tries int64) (state State, reason string, pause time.Duration) {
	if err == nil {
		return Sent, "", 0
	}
	if errors.Is(err, mail.ErrNoServer) {
		return Failed, "No mail server is configured any more.", 0
	}
	var failure *mail.SendError
	if !errors.As(err, &failure) {
		return Failed, "The mail could not be written.", 0
	}
	reason = "The mail server cannot be reached."
	if failure.Reply != "" {
		reason = "The mail server refused it: " + failure.Reply
	}
	switch {
	case failure.Perhaps:
		return Unknown, "The connection broke before the mail server answered.", 0
	case failure.Temporary && int(tries) <= len(pauses):
		return Queued, reason, pauses[tries-1]
	}
	return Failed, reason, 0
}

// giveUp looks at a mail that cannot be claimed. If an instance claimed it and was not heard of since,
// nobody knows whether it was sent.
func (s *Service) giveUp(ctx context.Context, task Job) (pause time.Duration, err error) {
	err = s.cells.InTenant(ctx, task.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		given, err := queries.GiveOrderMailUp(ctx, q.GiveOrderMailUpParams{TenantID: task.Tenant, ID: task.Mail,
			SilentSince: time.Now().Add(-silence), Reason: "The service stopped while it sent the mail."})
		if err != nil || given > 0 {
			return err
		}
		state, err := queries.GetOrderMailState(ctx,
			q.GetOrderMailStateParams{TenantID: task.Tenant, ID: task.Mail})
		if err == nil && State(state) == Sending {
			pause = silence
		}
		if fault.Is(err, fault.NotFound) {
			err = nil // the company was removed
		}
		return err
	})
	return pause, err
}
