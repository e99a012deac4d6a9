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

var errLink = fault.New(fault.NotFound, "dead_link", "this link is not valid any more; ask for a new one")

// errandTime bounds what is done after an answer.
const errandTime = 30 * time.Second

// ChangePassword needs the present password: who finds an unlocked screen must not
// take the account. All other sessions end.
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
	if err := s.takeAll(ctx, allowances); err != nil {
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
	if err := chosen("new_password", user.Email, wanted); err != nil {
		return err
	}
	_, err = s.setPassword(ctx, newPassword{
		person: by.Person, how: "password", wanted: wanted, keepSession: by.Session, on: on,
		before: func(queries *q.Queries) error { return holdPassword(ctx, queries, by.Person, user.Hash) },
	})
	return err
}

// newPassword is a password on its way to be stored.
type newPassword struct {
	person      uuid.UUID
	how, wanted string
	keepSession uuid.UUID // the session that goes on
	endTokens   bool      // and the person's tokens end
	on          Device    // what is known of other browsers is forgotten
	remember    bool      // this one is known afterwards, if it was not
	before      func(*q.Queries) error
}

// setPassword stores a new password and ends every session but one, every link that could
// set another, what is known of other browsers and, if so wanted, the person's tokens in
// all companies. Before says what must hold in the same transaction, which sees the members
// of the person's companies too. They all read of it, and how it came.
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
			if err := change.tell(ctx, tx, company); err != nil {
				return err
			}
		}
		return nil
	})
	return in, err
}

// tell ends the person's tokens in a company, if so wanted, and has the company read of
// the change.
func (c newPassword) tell(ctx context.Context, tx pgx.Tx, company uuid.UUID) (err error) {
	data := audit.Data{"how": c.how}
	if c.endTokens {
		data["tokens_ended"], err = q.New(tx).RevokeTokensOf(ctx,
			q.RevokeTokensOfParams{TenantID: company, UserID: &c.person})
		if err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, as(c.person, company), "member.password_changed", c.person.String(), data)
}

// RequestReset mails a link to whoever has the address, if anybody has. The caller
// learns nothing, not even from the time it takes: what differs is done afterwards.
// Without mail it does nothing, and says so; a Company-Admin can make a link.
func (s *Service) RequestReset(ctx context.Context, email string, from netip.Addr) (mailed bool, err error) {
	email, err = emailed(email)
	if err != nil {
		return false, err
	}
	if err := s.take(ctx, resetsByAddress, network(from)); err != nil {
		return false, err
	}
	if err := s.take(ctx, resetsByAccount, email); err != nil {
		return false, err
	}
	if !s.post.Configured() {
		return false, nil
	}
	s.errand(ctx, "mail a reset link", func(ctx context.Context) error {
		user, err := s.findUser(ctx, email)
		if err != nil || user.ID == uuid.Nil {
			return err
		}
		link, reset := s.newReset(user.ID, resetMailLife)
		err = s.cells.InPerson(ctx, user.ID, uuid.Nil, func(tx pgx.Tx) error { return q.New(tx).InsertReset(ctx, reset) })
		if err != nil {
			return err
		}
		return s.post.Send(ctx, mail.Message{To: email, Subject: "Choose a new Quayside password",
			Text: "Somebody, hopefully you, asked for a new password for " + email + ".\n\n" +
				"Choose one here within an hour:\n" + link + "\n\nIf it was not you, ignore this mail: nothing has changed."})
	})
	return true, nil
}

// errand does something after the answer. Its failure is for the log.
func (s *Service) errand(ctx context.Context, what string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), errandTime)
	s.errands.Go(func() {
		defer cancel()
		if err := do(ctx); err != nil {
			s.log.ErrorContext(ctx, "errand failed", "errand", what, "err", err)
		}
	})
}

// ResetLink makes a link with which a member chooses a new password, where no mail is
// sent. Whoever holds the link holds the account, so it is refused for people who belong
// to another company too: that company has not agreed. Joining one ends the link.
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
	// The link first: who joins another company after this has ended it, and who joined
	// before is counted.
	link, reset := s.newReset(member, resetLinkLife)
	reset.MadeBy, reset.TenantID = &by.Person, &by.Tenant
	err = s.cells.InPerson(ctx, member, uuid.Nil, func(tx pgx.Tx) error { return q.New(tx).InsertReset(ctx, reset) })
	if err != nil {
		return "", time.Time{}, err
	}
	var elsewhere int64
	// Crosses tenants: whether another company depends on this account.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		elsewhere, err = q.New(tx).CountOtherMemberships(ctx,
			q.CountOtherMembershipsParams{UserID: member, TenantID: by.Tenant})
		return err
	})
	if err == nil && elsewhere == 0 {
		// Not in the transaction that made it: until here nobody has the link.
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

// OperatorResetLink is ResetLink for whoever runs the service.
func (s *Service) OperatorResetLink(ctx context.Context, email string) (link string, err error) {
	email, err = emailed(email)
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

// newReset makes a link, for somebody to hand over or for a mail, and the row that it
// needs. The token stands behind the #, which browsers keep to themselves: it reaches no
// log on the way.
func (s *Service) newReset(person uuid.UUID, life time.Duration) (link string, row q.InsertResetParams) {
	token, hash := newToken()
	return s.baseURL + "/reset-password#" + token,
		q.InsertResetParams{ID: newID(), UserID: person, TokenHash: hash, Lifetime: life}
}

// Reset sets a new password with the token of a link, once. Every session ends, and, unless
// they shall be kept, so do the person's tokens: whoever took the account may have made some.
// The browser is known afterwards, so that its sign-in is not held up by others' tries; the
// answer has no session.
func (s *Service) Reset(ctx context.Context, token, wanted string, endTokens bool, on Device) (Entrance, error) {
	hash, ok := tokenHash(token)
	if !ok {
		return Entrance{}, errLink
	}
	var reset q.FindResetRow
	// Crosses tenants: whose link this is is what is being looked for.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		reset, err = q.New(tx).FindReset(ctx, hash)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return Entrance{}, errLink
	}
	if err != nil {
		return Entrance{}, err
	}
	if err := chosen("password", reset.Email, wanted); err != nil {
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

// useReset uses a link up, if it still holds.
func useReset(ctx context.Context, queries *q.Queries, reset q.FindResetRow) error {
	if reset.MadeBy != nil {
		holds, err := queries.ResetHolds(ctx,
			q.ResetHoldsParams{TenantID: *reset.TenantID, MadeBy: *reset.MadeBy, UserID: reset.UserID})
		if err != nil {
			return err
		}
		if !holds {
			return errLink
		}
	}
	used, err := queries.DeleteReset(ctx, q.DeleteResetParams{UserID: reset.UserID, ID: reset.ID})
	if err == nil && used == 0 {
		return errLink // somebody was faster, or the person has joined another company
	}
	return err
}
