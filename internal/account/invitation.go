package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Invitation is a link that makes whoever follows it a member.
type Invitation struct {
	ID        uuid.UUID
	Email     string
	Role      auth.Role
	InvitedBy *uuid.UUID // nil: whoever runs the service
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Invite makes an invitation and mails its link. The link is returned where it was
// not mailed, for the admin to hand over. Inviting somebody again replaces the link.
func (s *Service) Invite(ctx context.Context, by auth.Principal, email string, role auth.Role) (invitation Invitation, link string, err error) {
	if err := by.Require(auth.ManageMembers); err != nil {
		return Invitation{}, "", err
	}
	email, err = emailed(email)
	if err != nil {
		return Invitation{}, "", err
	}
	if !known(role) {
		return Invitation{}, "", unknownRole(role)
	}
	token, hash := newToken()
	company := ""
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		tenant, err := queries.LockTenant(ctx, by.Tenant)
		if err != nil {
			return err
		}
		company = tenant.Name
		member, err := queries.IsMember(ctx, q.IsMemberParams{TenantID: by.Tenant, Email: email})
		if err != nil {
			return err
		}
		if member {
			return fault.New(fault.Conflict, "already_member", "%s belongs to this company already", email)
		}
		row, err := queries.PutInvitation(ctx, q.PutInvitationParams{
			TenantID: by.Tenant, ID: newID(), Email: email, Role: string(role), TokenHash: hash, InvitedBy: by.PersonID(), Lifetime: invitationLife,
		})
		invitation = Invitation{row.ID, row.Email, auth.Role(row.Role), row.InvitedBy, row.CreatedAt, row.ExpiresAt}
		return err
	})
	if err != nil {
		return Invitation{}, "", err
	}
	link = s.baseURL + "/invitation#" + token
	if s.post.Configured() {
		err := s.post.Send(ctx, mail.Message{To: email, Subject: "You are invited to " + company + " on Quayside", Text: fmt.Sprintf(
			"You are invited to work in %s on Quayside.\n\nAccept within seven days:\n%s\n", company, link)})
		if err == nil {
			return invitation, "", nil
		}
		s.log.ErrorContext(ctx, "invitation not mailed", "err", err)
	}
	return invitation, link, nil
}

// Invitations lists the company's open invitations.
func (s *Service) Invitations(ctx context.Context, by auth.Principal, want page.Request) (invitations []Invitation, more bool, err error) {
	if err := by.Require(auth.ManageMembers); err != nil {
		return nil, false, err
	}
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListInvitations(ctx, q.ListInvitationsParams{TenantID: by.Tenant, After: want.After, Most: want.Limit()})
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			invitations = append(invitations, Invitation{row.ID, row.Email, auth.Role(row.Role), row.InvitedBy, row.CreatedAt, row.ExpiresAt})
		}
		return err
	})
	return invitations, more, err
}

// Withdraw makes an invitation's link worthless.
func (s *Service) Withdraw(ctx context.Context, by auth.Principal, id uuid.UUID) error {
	if err := by.Require(auth.ManageMembers); err != nil {
		return err
	}
	return s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		withdrawn, err := q.New(tx).DeleteInvitation(ctx, q.DeleteInvitationParams{TenantID: by.Tenant, ID: id})
		if err == nil && withdrawn == 0 {
			return fault.New(fault.NotFound, "unknown_invitation", "there is no open invitation with the id %s", id)
		}
		return err
	})
}

// Invited is what somebody with a link is told before they accept.
type Invited struct {
	Company string
	Email   string
	Role    auth.Role
	Known   bool // an account exists: its password is asked for, not a new one
}

// Invited reads an invitation's link.
func (s *Service) Invited(ctx context.Context, token string) (Invited, error) {
	found, err := s.findInvitation(ctx, token)
	return Invited{found.TenantName, found.Email, auth.Role(found.Role), found.Known}, err
}

func (s *Service) findInvitation(ctx context.Context, token string) (found q.FindInvitationRow, err error) {
	hash, ok := tokenHash(token)
	if !ok {
		return found, errLink
	}
	// Crosses tenants: whose invitation this is is what is being looked for.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		found, err = q.New(tx).FindInvitation(ctx, hash)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return found, errLink
	}
	return found, err
}

// Accept makes whoever holds the link a member and signs them in. Who is new chooses
// a name and a password; who has an account shows its password.
func (s *Service) Accept(ctx context.Context, token, name, password string, on Device) (session string, expires time.Time, err error) {
	found, err := s.findInvitation(ctx, token)
	if err != nil {
		return "", time.Time{}, err
	}
	var user uuid.UUID
	if found.Known {
		user, err = s.prove(ctx, found.Email, password, on)
	} else {
		user, err = s.newUser(ctx, found.Email, name, password)
	}
	if err != nil {
		return "", time.Time{}, err
	}
	err = s.cells.InPerson(ctx, user, found.TenantID, func(tx pgx.Tx) error {
		queries := q.New(tx)
		used, err := queries.DeleteInvitation(ctx, q.DeleteInvitationParams{TenantID: found.TenantID, ID: found.ID})
		if err != nil {
			return err
		}
		if used == 0 {
			return errLink // withdrawn, or somebody was faster
		}
		_, err = queries.InsertMembership(ctx, q.InsertMembershipParams{TenantID: found.TenantID, UserID: user, Role: found.Role})
		return err
	})
	if err != nil {
		return "", time.Time{}, err
	}
	return s.StartSession(ctx, user, on)
}

// newUser makes a person.
func (s *Service) newUser(ctx context.Context, email, name, password string) (uuid.UUID, error) {
	name, err := named("a person", name)
	if err != nil {
		return uuid.Nil, err
	}
	if err := chosen(email, password); err != nil {
		return uuid.Nil, err
	}
	hash, err := s.hash(ctx, password)
	if err != nil {
		return uuid.Nil, err
	}
	id := newID()
	return id, s.cells.InPerson(ctx, id, uuid.Nil, func(tx pgx.Tx) error {
		queries := q.New(tx)
		return errors.Join(
			queries.InsertUser(ctx, q.InsertUserParams{ID: id, Email: email, Name: name}),
			queries.SetPassword(ctx, q.SetPasswordParams{UserID: id, Hash: hash}),
		)
	})
}

// CreateUser makes somebody a member without an invitation, for whoever runs the
// service. Who has an account keeps their password; made says which it was.
func (s *Service) CreateUser(ctx context.Context, by auth.Principal, email, name, password string, role auth.Role) (member Member, made bool, err error) {
	if err := by.Require(auth.ManageMembers); err != nil {
		return Member{}, false, err
	}
	email, err = emailed(email)
	if err != nil {
		return Member{}, false, err
	}
	if !known(role) {
		return Member{}, false, unknownRole(role)
	}
	if name == "" {
		name = email
	}
	user, err := s.findUser(ctx, email)
	if err != nil {
		return Member{}, false, err
	}
	id := user.ID
	if made = id == uuid.Nil; made {
		if id, err = s.newUser(ctx, email, name, password); err != nil {
			return Member{}, false, err
		}
	}
	err = s.cells.InPerson(ctx, id, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		added, err := queries.InsertMembership(ctx, q.InsertMembershipParams{TenantID: by.Tenant, UserID: id, Role: string(role)})
		if err != nil {
			return err
		}
		if added == 0 {
			return fault.New(fault.Conflict, "already_member", "%s belongs to this company already", email)
		}
		row, err := queries.GetMember(ctx, q.GetMemberParams{TenantID: by.Tenant, UserID: id})
		member = toMember(row)
		return err
	})
	return member, made, err
}
