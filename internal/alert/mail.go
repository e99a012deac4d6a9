package alert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/q"
)

// pauses are the times between tries to send a mail. After the last, the mail is given up.
var pauses = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}

// Mail sends the mails that are due. Several alerts of a workspace go into one mail.
func (s *Service) Mail(ctx context.Context, now time.Time) error {
	if !s.post.Configured() {
		return nil
	}
	var due []q.FindDueMailsRow
	// Crosses tenants: the job serves all of them. It reads whose mails are due, and then
	// acts as each.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		due, err = q.New(tx).FindDueMails(ctx, q.FindDueMailsParams{Now: now, Most: atOnce})
		return err
	})
	for _, at := range due {
		err = errors.Join(err, s.mailWorkspace(ctx, at.TenantID, at.WorkspaceID, now))
	}
	return err
}

// letter is an alert that is being mailed.
type letter struct {
	Alert
	tries int64
	left  []uuid.UUID // receivers that earlier tries did not reach; nil: this is the first try
	lost  []uuid.UUID // receivers that this try did not reach
}

// mailWorkspace sends the due mails of one workspace. Only the instance that claims an alert
// mails it: a crash loses the mail instead of sending it twice.
func (s *Service) mailWorkspace(ctx context.Context, tenant, workspace uuid.UUID, now time.Time) error {
	var (
		place     q.GetPlaceRow
		receivers []q.ListAlertReceiversRow
	)
	err := s.cells.InControl(ctx, tenant, func(tx pgx.Tx) (err error) {
		if place, err = q.New(tx).GetPlace(ctx, q.GetPlaceParams{TenantID: tenant, WorkspaceID: workspace}); err != nil {
			return err
		}
		receivers, err = q.New(tx).ListAlertReceivers(ctx,
			q.ListAlertReceiversParams{TenantID: tenant, Roles: receivingRoles()})
		return err
	})
	if err != nil {
		return err
	}
	letters, err := s.claim(ctx, tenant, workspace, now)
	if err != nil {
		return err
	}
	for _, receiver := range receivers {
		s.mailPerson(ctx, place, workspace, receiver, letters)
	}
	return s.putBack(context.WithoutCancel(ctx), tenant, letters, now)
}

// receivingRoles returns the roles that may retry failed imports.
func receivingRoles() (roles []string) {
	for _, role := range auth.Roles() {
		if role.May(auth.RetryFailures) {
			roles = append(roles, string(role))
		}
	}
	return roles
}

// claim takes the workspace's due alerts for this instance.
func (s *Service) claim(ctx context.Context, tenant, workspace uuid.UUID, now time.Time) (
	letters []*letter, err error) {
	var rows []q.ClaimMailsRow
	err = s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		rows, err = q.New(tx).ClaimMails(ctx, q.ClaimMailsParams{TenantID: tenant, WorkspaceID: workspace, Now: now})
		return err
	})
	for _, row := range rows {
		title, err := s.title(ctx, tenant, row.Slug)
		if err != nil {
			title = row.Slug // the mail is claimed, so it is sent with the slug
		}
		letters = append(letters, &letter{tries: row.MailTries, left: row.MailLeft, Alert: Alert{
			ID: row.ID, Rule: Rule(row.Rule), Slug: row.Slug, Title: title, Code: row.Code, Field: row.Field, Since: row.Since,
			RaisedAt: row.RaisedAt,
			failed:   row.Failed, total: row.Total, usualGap: seconds(row.UsualGap), message: row.Message,
		}})
	}
	slices.SortFunc(letters, func(a, b *letter) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	return letters, err
}

// mailPerson sends one person the alerts that have not reached them. It logs an error and
// leaves the alerts to the next try.
func (s *Service) mailPerson(ctx context.Context, place q.GetPlaceRow, workspace uuid.UUID, to q.ListAlertReceiversRow,
	letters []*letter) {
	var wanted []*letter
	for _, l := range letters {
		if l.left == nil || slices.Contains(l.left, to.ID) {
			wanted = append(wanted, l)
		}
	}
	if len(wanted) == 0 {
		return
	}
	err := s.post.Send(ctx, s.compose(place, workspace, to.Email, wanted))
	s.metrics.AlertMail(err == nil)
	if err == nil {
		return
	}
	s.log.ErrorContext(ctx, "an alert was not mailed", "person", to.ID, "alerts", len(wanted), "try", wanted[0].tries,
		"err", err)
	for _, l := range wanted {
		l.lost = append(l.lost, to.ID)
	}
}

// putBack schedules another try for the alerts that did not reach everybody.
func (s *Service) putBack(ctx context.Context, tenant uuid.UUID, letters []*letter, now time.Time) error {
	lost := slices.DeleteFunc(slices.Clone(letters),
		func(l *letter) bool { return len(l.lost) == 0 || int(l.tries) > len(pauses) })
	if len(lost) == 0 {
		return nil
	}
	return s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		for _, l := range lost {
			next := now.Add(pauses[l.tries-1])
			if err := q.New(tx).PutMailBack(ctx,
				q.PutMailBackParams{TenantID: tenant, ID: l.ID, MailLeft: l.lost, MailNextAt: &next}); err != nil {
				return err
			}
		}
		return nil
	})
}

// compose writes one person's mail about alerts of one workspace.
func (s *Service) compose(place q.GetPlaceRow, workspace uuid.UUID, to string, letters []*letter) mail.Message {
	zone, err := time.LoadLocation(place.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	message := mail.Message{To: []string{to}, Subject: "Quayside: " + letters[0].Summary()}
	if len(letters) > 1 {
		message.Subject = fmt.Sprintf("Quayside: %d alerts in %s", len(letters), place.Workspace)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "In the workspace %s of %s:\n", place.Workspace, place.Company)
	for _, l := range letters {
		fmt.Fprintf(&text, "\n%s.\n", l.Summary())
		for _, line := range l.details(zone) {
			fmt.Fprintf(&text, "%s\n", line)
		}
		fmt.Fprintf(&text, "Look at it: %s%s\n", s.baseURL, l.path(workspace))
	}
	fmt.Fprintf(&text, "\nYou get this because you are a Company-Admin or a buyer of %s.\n", place.Company)
	fmt.Fprintf(&text, "Switch alerts by mail off here: %s/w/%s/you\n", s.baseURL, workspace)
	message.Text = text.String()
	return message
}

// details returns the lines of a mail that say why, how many and since when.
func (a Alert) details(zone *time.Location) []string {
	since := a.Since.In(zone).Format("2 January 2006, 15:04 MST")
	why := "Why: " + a.Reason()
	switch a.Rule {
	case NewFailures:
		return []string{why, fmt.Sprintf("How many: %d so far", a.failed), "Since: " + since}
	case SilentSource:
		return []string{why, "The last record came: " + since}
	case FailureRate, NotComputed:
	}
	return []string{why, "Since: " + since}
}
