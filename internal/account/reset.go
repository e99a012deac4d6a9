package account

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/q"
)

var errDeadLink = fault.New(fault.NotFound, "dead_link", "this link is not valid any more; ask for a new one")

// backgroundTimeout bounds the background work of one request.
const backgroundTimeout = 30 * time.Second

// ChangePassword sets a new password and ends all other sessions. It needs the present
// password, so that nobody can take over the account at an unlocked screen.
func (s *Service) ChangePassword(ctx context.Context, by auth.Principal, present, wanted string, on Device) error {
	var user q.GetPasswordRow
	err := s.cells.InPerson(ctx, by.Person, uuid.Nil, func(tx pgx.Tx) (err error) {
		user, err = q.New(tx).GetPassword(ctx, by.Person)
		return err
	})
	if err != nil {
		return err
	}
	allowances := []allowance{{triesInSession, by.Person.String()}}
	if err := s.takeTries(ctx, allowances); err != nil {
		return err
	}
	same, err := s.matches(ctx, present, user.Hash)
	if err != nil {
		return err
	}
	if !same {
		return fault.InField("current_password", "wrong_password", "that is not your present password")
	}
	if err := s.forgive(ctx, allowances); err != nil {
		return err
	}
	if err := checkPassword("new_password", user.Email, wanted); err != nil {
		return err
	}
	_, err = s.setPassword(ctx, newPassword{
		person: by.Person, how: "password", wanted: wanted, keepSession: by.Session, on: on,
		before: func(queries *q.Queries) error { return holdPassword(ctx, queries, by.Person, user.Hash) },
	})
	return err
}

// newPassword describes a change of a password.
type newPassword struct {
	person      uuid.UUID
	how, wanted string
	keepSession uuid.UUID // the one session that does not end
	endTokens   bool      // revoke the person's tokens
	on          Device    // the person's other browsers are forgotten
	remember    bool      // remember this browser
	before      func(*q.Queries) error
}

// setPassword stores a new password. It ends every session but one, deletes all reset
// links, forgets the person's other browsers and, if endTokens is set, revokes their
// tokens in all companies. The change is recorded in the audit log of each company.
// Before runs first, in the same transaction, which also sees the members of the person's
// companies; its error stops the change.
func (s *Service) setPassword(ctx context.Context, change newPassword) (in Entrance, err error) {
	hash, err := s.hash(ctx, change.wanted)
	if err != nil {
		return Entrance{}, err
	}
	person := change.person
	err = s.inCompanies(ctx, person, func(tx pgx.Tx, companies []uuid.UUID) error {
		queries := q.New(tx)
		if err := change.before(queries); err != nil {
			return err
		}
		if err := queries.SetPassword(ctx, q.SetPasswordParams{UserID: person, Hash: hash}); err != nil {
			return err
		}
		if err := queries.DeleteResets(ctx, person); err != nil {
			return err
		}
		if err := queries.EndSessions(ctx, q.EndSessionsParams{UserID: person, ExceptID: change.keepSession}); err != nil {
			return err
		}
		present, _ := tokenHash(change.on.Browser)
		if err := queries.ForgetBrowsers(ctx, q.ForgetBrowsersParams{UserID: person, ExceptHash: present}); err != nil {
			return err
		}
		if change.remember {
			if in.Browser, in.BrowserExpires, err = rememberBrowser(ctx, queries, person, change.on); err != nil {
				return err
			}
		}
		for _, company := range companies {
			if err := change.record(ctx, tx, company); err != nil {
				return err
			}
		}
		return nil
	})
	return in, err
}

// record revokes the person's tokens in a company, if endTokens is set, and records the
// change in the company's audit log.
func (c newPassword) record(ctx context.Context, tx pgx.Tx, company uuid.UUID) (err error) {
	data := audit.Data{"how": c.how}
	if c.endTokens {
		data["tokens_ended"], err = q.New(tx).RevokeTokensOf(ctx,
			q.RevokeTokensOfParams{TenantID: company, UserID: &c.person})
		if err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, asPerson(c.person, company), "member.password_changed", c.person.String(), data)
}

// RequestReset mails a reset link to the address, if a user has it. The caller cannot
// learn whether one has, not even from the response time: the lookup runs in the
// background. If no mail server is configured, mailed is false; a Company-Admin can make
// a link with ResetLink.
func (s *Service) RequestReset(ctx context.Context, email string, from netip.Addr) (mailed bool, err error) {
	email, err = normalizeEmail(email)
	if err != nil {
		return false, err
	}
	if err := s.takeTry(ctx, resetsByAddress, network(from)); err != nil {
		return false, err
	}
	if err := s.takeTry(ctx, resetsByAccount, email); err != nil {
		return false, err
	}
	if !s.post.Configured() {
		return false, nil
	}
	s.inBackground(ctx, "mail a reset link", func(ctx context.Context) error {
		user, err := s.findUser(ctx, email)
		if err != nil || user.ID == uuid.Nil {
			return err
		}
		link, reset := s.newReset(user.ID, resetMailLife)
		err = s.cells.InPerson(ctx, user.ID, uuid.Nil, func(tx pgx.Tx) error { return q.New(tx).InsertReset(ctx, reset) })
		if err != nil {
			return err
		}
		return s.post.Send(ctx, mail.Message{To: []string{email}, Subject: "Choose a new Quayside password",
			Text: "Somebody, hopefully you, asked for a new password for " + email + ".\n\n" +
				"Choose one here within an hour:\n" + link + "\n\nIf it was not you, ignore this mail: nothing has changed."})
	})
	return true, nil
}

// inBackground runs do in the background, after the response. It logs an error.
func (s *Service) inBackground(ctx context.Context, what string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backgroundTimeout)
	s.background.Go(func() {
		defer cancel()
		if err := do(ctx); err != nil {
			s.log.ErrorContext(ctx, "background work failed", "work", what, "err", err)
		}
	})
}

// ResetLink makes a link with which a member chooses a new password, if no mail server is
// configured. The link gives access to the account in all companies, so ResetLink refuses
// members who belong to another company too. Joining another company deletes the link.
func (s *Service) ResetLink(ctx context.Context, by auth.Principal, member uuid.UUID) (
	link string, expires time.Time, err error) {
	if err := by.Require(auth.ManageMembers); err != nil {
		return "", time.Time{}, err
	}
	if s.post.Configured() {
		return "", time.Time{}, fault.New(fault.Conflict, "mail_configured",
			"this service sends mail: the person can ask for a link at the sign-in page")
	}
	who, err := s.Member(ctx, by, member)
	if err != nil {
		return "", time.Time{}, err
	}
	// The link is stored before the count: joining another company afterwards deletes it,
	// and a membership from before is counted.
	link, reset := s.newReset(member, resetLinkLife)
	reset.MadeBy, reset.TenantID = &by.Person, &by.Tenant
	err = s.cells.InPerson(ctx, member, uuid.Nil, func(tx pgx.Tx) error { return q.New(tx).InsertReset(ctx, reset) })
	if err != nil {
		return "", time.Time{}, err
	}
	var elsewhere int64
	// Crosses tenants: it counts the member's other companies.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		elsewhere, err = q.New(tx).CountOtherMemberships(ctx,
			q.CountOtherMembershipsParams{UserID: member, TenantID: by.Tenant})
		return err
	})
	if err == nil && elsewhere == 0 {
		// A separate transaction is safe: nobody has the link yet.
		err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
			return audit.Record(ctx, tx, by, "member.password_link_made", member.String(), who.data(audit.Data{}))
		})
		if err != nil {
			return "", time.Time{}, err
		}
		return link, time.Now().Add(resetLinkLife), nil
	}
	undone := s.cells.InPerson(ctx, member, uuid.Nil, func(tx pgx.Tx) error {
		_, err := q.New(tx).DeleteReset(ctx, q.DeleteResetParams{UserID: member, ID: reset.ID})
		return err
	})
	if err == nil && undone == nil {
		err = fault.New(fault.Conflict, "member_elsewhere",
			"this person belongs to another company too, so only whoever runs this service can reset their password")
	}
	return "", time.Time{}, errors.Join(err, undone)
}

// OperatorResetLink is ResetLink for the operator of the service, without its restrictions.
func (s *Service) OperatorResetLink(ctx context.Context, email string) (link string, err error) {
	email, err = normalizeEmail(email)
	if err != nil {
		return "", err
	}
	user, err := s.findUser(ctx, email)
	if err == nil && user.ID == uuid.Nil {
		return "", fault.New(fault.NotFound, "unknown_user", "nobody has the address %s", email)
	}
	if err != nil {
		return "", err
	}
	link, reset := s.newReset(user.ID, resetLinkLife)
	return link, s.inCompanies(ctx, user.ID, func(tx pgx.Tx, companies []uuid.UUID) error {
		for _, company := range companies {
			err := audit.Record(ctx, tx, auth.Operator(company), "member.password_link_made", user.ID.String(),
				audit.Data{"email": email, "name": user.Name})
			if err != nil {
				return err
			}
		}
		return q.New(tx).InsertReset(ctx, reset)
	})
}

// newReset makes a reset link and the row to store. The token is in the fragment, which
// browsers do not send, so it reaches no server's log.
func (s *Service) newReset(person uuid.UUID, life time.Duration) (link string, row q.InsertResetParams) {
	token, hash := newToken()
	return s.baseURL + "/reset-password#" + token,
		q.InsertResetParams{ID: newID(), UserID: person, TokenHash: hash, Lifetime: life}
}

// Reset sets a new password with the token of a link, once. It ends every session and, if
// endTokens is set, revokes the person's tokens: an intruder may have made some. It
// remembers the browser, so that failed sign-ins elsewhere do not throttle the person's
// own. The Entrance has no session.
func (s *Service) Reset(ctx context.Context, token, wanted string, endTokens bool, on Device) (Entrance, error) {
	hash, ok := tokenHash(token)
	if !ok {
		return Entrance{}, errDeadLink
	}
	var reset q.FindResetRow
	// Crosses tenants: the token alone tells the person.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		reset, err = q.New(tx).FindReset(ctx, hash)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return Entrance{}, errDeadLink
	}
	if err != nil {
		return Entrance{}, err
	}
	if err := checkPassword("password", reset.Email, wanted); err != nil {
		return Entrance{}, err
	}
	in, err := s.setPassword(ctx, newPassword{
		person: reset.UserID, how: "link", wanted: wanted, endTokens: endTokens, on: on, remember: true,
		before: func(queries *q.Queries) error { return useReset(ctx, queries, reset) },
	})
	if err != nil {
		return Entrance{}, err
	}
	return in, s.cells.InControl(ctx, uuid.Nil, func(tx pgx.Tx) error {
		return q.New(tx).ForgetTries(ctx, triesByAccount.subject(reset.Email))
	})
}

// useReset deletes a reset link, or returns errDeadLink if the link is no longer valid.
func useReset(ctx context.Context, queries *q.Queries, reset q.FindResetRow) error {
	if reset.MadeBy != nil {
		holds, err := queries.ResetHolds(ctx,
			q.ResetHoldsParams{TenantID: *reset.TenantID, MadeBy: *reset.MadeBy, UserID: reset.UserID})
		if err != nil {
			return err
		}
		if !holds {
			return errDeadLink
		}
	}
	used, err := queries.DeleteReset(ctx, q.DeleteResetParams{UserID: reset.UserID, ID: reset.ID})
	if err == nil && used == 0 {
		return errDeadLink // used in the meantime, or the person has joined another company
	}
	return err
}
