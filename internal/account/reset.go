package account

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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
	if err := s.takeSignIn(ctx, user.Email, on.Address); err != nil {
		return err
	}
	same, err := s.matches(ctx, present, user.Hash)
	if err != nil {
		return err
	}
	if !same {
		return fault.InField("current_password", "wrong_password", "that is not your present password")
	}
	if err := s.forgive(ctx, user.Email, on.Address); err != nil {
		return err
	}
	return s.setPassword(ctx, by.Person, user.Email, wanted, by.Session, nil)
}

// setPassword stores a new password and ends every session but one, and every link
// that could set another. Before says what else must hold in the same transaction.
func (s *Service) setPassword(ctx context.Context, person uuid.UUID, email, wanted string, keep uuid.UUID, before func(*q.Queries) error) error {
	if err := chosen(email, wanted); err != nil {
		return err
	}
	hash, err := s.hash(ctx, wanted)
	if err != nil {
		return err
	}
	return s.cells.InPerson(ctx, person, uuid.Nil, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if before != nil {
			if err := before(queries); err != nil {
				return err
			}
		}
		return errors.Join(
			queries.SetPassword(ctx, q.SetPasswordParams{UserID: person, Hash: hash}),
			queries.DeleteResets(ctx, person),
			queries.EndSessions(ctx, q.EndSessionsParams{UserID: person, ExceptID: keep}),
		)
	})
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
		link, err := s.resetLink(ctx, user.ID, resetMailLife)
		if err != nil {
			return err
		}
		return s.post.Send(ctx, mail.Message{To: email, Subject: "Choose a new Quayside password", Text: "Somebody, hopefully you, asked for a new password for " + email + ".\n\n" +
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

// ResetLink makes a link with which a member chooses a new password, for a company
// that sends no mail. Whoever holds the link holds the account, so it is refused for
// people who belong to another company too: that company has not agreed.
func (s *Service) ResetLink(ctx context.Context, by auth.Principal, member uuid.UUID) (link string, expires time.Time, err error) {
	if err := by.Require(auth.ManageMembers); err != nil {
		return "", time.Time{}, err
	}
	if _, err := s.Member(ctx, by, member); err != nil {
		return "", time.Time{}, err
	}
	var elsewhere int64
	// Crosses tenants: whether another company depends on this account.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		elsewhere, err = q.New(tx).CountOtherMemberships(ctx, q.CountOtherMembershipsParams{UserID: member, TenantID: by.Tenant})
		return err
	})
	if err != nil {
		return "", time.Time{}, err
	}
	if elsewhere > 0 {
		return "", time.Time{}, fault.New(fault.Conflict, "member_elsewhere", "this person belongs to another company too, so only a mail to them, or whoever runs this service, can reset their password")
	}
	link, err = s.resetLink(ctx, member, resetLinkLife)
	return link, time.Now().Add(resetLinkLife), err
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
	return s.resetLink(ctx, user.ID, resetLinkLife)
}

// resetLink makes a link. The token stands behind the #, which browsers keep to
// themselves: it reaches no log on the way.
func (s *Service) resetLink(ctx context.Context, person uuid.UUID, life time.Duration) (string, error) {
	token, hash := newToken()
	err := s.cells.InPerson(ctx, person, uuid.Nil, func(tx pgx.Tx) error {
		return q.New(tx).InsertReset(ctx, q.InsertResetParams{ID: newID(), UserID: person, TokenHash: hash, Lifetime: life})
	})
	return s.baseURL + "/reset-password#" + token, err
}

// Reset sets a new password with the token of a link, once. Every session ends.
func (s *Service) Reset(ctx context.Context, token, wanted string) error {
	hash, ok := tokenHash(token)
	if !ok {
		return errLink
	}
	var reset q.FindResetRow
	// Crosses tenants: whose link this is is what is being looked for.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		reset, err = q.New(tx).FindReset(ctx, hash)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return errLink
	}
	if err != nil {
		return err
	}
	err = s.setPassword(ctx, reset.UserID, reset.Email, wanted, uuid.Nil, func(queries *q.Queries) error {
		used, err := queries.DeleteReset(ctx, q.DeleteResetParams{UserID: reset.UserID, ID: reset.ID})
		if err == nil && used == 0 {
			return errLink // somebody was faster
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.cells.InControl(ctx, uuid.Nil, func(tx pgx.Tx) error {
		return q.New(tx).ForgetTries(ctx, triesByAccount.subject(reset.Email))
	})
}
