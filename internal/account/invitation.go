package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Invitation is a link that makes its receiver a member.
type Invitation struct {
	ID        uuid.UUID
	Email     string
	Role      auth.Role
	InvitedBy *uuid.UUID // nil: the operator of the service
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Invite makes an invitation and mails its link. If no mail server is configured, it
// returns the link for the admin to hand over. A mailed link is never returned, because
// it proves that its receiver owns the address. Inviting somebody again replaces the link.
func (s *Service) Invite(ctx context.Context, by auth.Principal, email string, role auth.Role) (
	invitation Invitation, link string, err error) {
	if err := by.Require(auth.ManageMembers); err != nil {
		return Invitation{}, "", err
	}
	email, err = normalizeEmail(email)
	if err != nil {
		return Invitation{}, "", err
	}
	if !knownRole(role) {
		return Invitation{}, "", unknownRole(role)
	}
	whose := by.Tenant.String()
	err = s.takeTries(ctx, []allowance{{invitesByTenant, whose}, {invitesInDay, whose}, {invitesByPerson, whose + " " + email}})
	if err != nil {
		return Invitation{}, "", err
	}
	token, hash := newToken()
	company := ""
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		queries := q.New(tx)
		if company, err = s.lockAsAdmin(ctx, queries, by); err != nil {
			return err
		}
		member, err := queries.IsMember(ctx, q.IsMemberParams{TenantID: by.Tenant, Email: email})
		if err != nil {
			return err
		}
		if member {
			return fault.New(fault.Conflict, "already_member", "%s belongs to this company already", email)
		}
		row, err := queries.PutInvitation(ctx, q.PutInvitationParams{
			TenantID: by.Tenant, ID: newID(), Email: email, Role: string(role), TokenHash: hash, InvitedBy: by.PersonID(),
			Lifetime: invitationLife,
		})
		if err != nil {
			return err
		}
		invitation = toInvitation(q.ListInvitationsRow(row))
		return audit.Record(ctx, tx, by, "invitation.made", row.ID.String(), audit.Data{"email": email, "role": role})
	})
	if err != nil {
		return Invitation{}, "", err
	}
	link = s.baseURL + "/invitation#" + token
	if !s.post.Configured() {
		return invitation, link, nil
	}
	// The mail is sent even if the caller hangs up.
	err = s.post.Send(context.WithoutCancel(ctx),
		mail.Message{To: []string{email}, Subject: "You are invited to " + company + " on Quayside", Text: fmt.Sprintf(
			"You are invited to work in %s on Quayside.\n\nAccept within seven days:\n%s\n", company, link)})
	if err != nil {
		return Invitation{}, "", fault.New(fault.Unavailable, "mail_failed",
			"the invitation could not be mailed; try again in a moment").Because(err)
	}
	return invitation, "", nil
}

// Invitations lists the company's open invitations.
func (s *Service) Invitations(ctx context.Context, by auth.Principal, want page.Request) (
	invitations []Invitation, more bool, err error) {
	if err := by.Require(auth.ManageMembers); err != nil {
		return nil, false, err
	}
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListInvitations(ctx,
			q.ListInvitationsParams{TenantID: by.Tenant, After: want.After, Most: want.Limit()})
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			invitations = append(invitations, toInvitation(row))
		}
		return err
	})
	return invitations, more, err
}

func toInvitation(row q.ListInvitationsRow) Invitation {
	return Invitation{ID: row.ID, Email: row.Email, Role: auth.Role(row.Role), InvitedBy: row.InvitedBy,
		CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt}
}

// Withdraw deletes an open invitation. Its link stops working.
func (s *Service) Withdraw(ctx context.Context, by auth.Principal, id uuid.UUID) error {
	if err := by.Require(auth.ManageMembers); err != nil {
		return err
	}
	return s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if _, err := s.lockAsAdmin(ctx, queries, by); err != nil {
			return err
		}
		email, err := queries.DeleteInvitation(ctx, q.DeleteInvitationParams{TenantID: by.Tenant, ID: id})
		if missing(err) {
			return fault.New(fault.NotFound, "unknown_invitation", "there is no open invitation with the id %s", id)
		}
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "invitation.withdrawn", id.String(), audit.Data{"email": email})
	})
}

// Invited describes an invitation to its receiver, before they accept.
type Invited struct {
	Company string
	Email   string
	Role    auth.Role
	Known   bool // an account exists: accepting needs its password, not a new one
}

// Invited returns the invitation that a link's token belongs to.
func (s *Service) Invited(ctx context.Context, token string) (Invited, error) {
	found, err := s.findInvitation(ctx, token)
	return Invited{found.TenantName, found.Email, auth.Role(found.Role), found.Known}, err
}

func (s *Service) findInvitation(ctx context.Context, token string) (found q.FindInvitationRow, err error) {
	hash, ok := tokenHash(token)
	if !ok {
		return found, errDeadLink
	}
	// Crosses tenants: the token alone tells the tenant.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		found, err = q.New(tx).FindInvitation(ctx, hash)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return found, errDeadLink
	}
	return found, err
}

// Accept makes the holder of the link a member and signs them in. A new user chooses a
// name and a password; an existing user proves their password.
func (s *Service) Accept(ctx context.Context, token, name, password string, on Device) (Entrance, error) {
	found, err := s.findInvitation(ctx, token)
	if err != nil {
		return Entrance{}, err
	}
	join := s.joinNew
	if found.Known {
		join = s.joinKnown
	}
	hash, _ := tokenHash(token) // findInvitation has checked the token
	person, proved, err := join(ctx,
		newcomer{email: found.Email, name: name, password: password, on: on, tenant: found.TenantID,
			role: func(queries *q.Queries) (auth.Role, error) {
				role, err := queries.UseInvitation(ctx, q.UseInvitationParams{TenantID: found.TenantID, TokenHash: hash})
				if missing(err) {
					return "", errDeadLink // withdrawn, replaced or used in the meantime
				}
				return auth.Role(role), err
			}})
	if err != nil {
		return Entrance{}, err
	}
	return s.startSession(ctx, person, "invitation", proved, on)
}

// newcomer is somebody who is about to become a member.
type newcomer struct {
	email, name, password string
	on                    Device
	tenant                uuid.UUID
	by                    auth.Principal                      // who adds them; zero if they accept an invitation
	role                  func(*q.Queries) (auth.Role, error) // their role; called while the company is locked
}

// joinKnown makes an existing user a member, after checking their password.
func (s *Service) joinKnown(ctx context.Context, who newcomer) (person uuid.UUID, proved string, err error) {
	user, err := s.authenticate(ctx, who.email, who.password, who.on)
	if err != nil {
		return uuid.Nil, "", err
	}
	who.name = user.Name
	return user.ID, user.Hash, s.join(ctx, user.ID, who, func(queries *q.Queries) error {
		return holdPassword(ctx, queries, user.ID, user.Hash)
	})
}

// joinNew creates a user with their password and makes them a member, all or nothing.
func (s *Service) joinNew(ctx context.Context, who newcomer) (person uuid.UUID, proved string, err error) {
	name, err := checkName("a person", who.name)
	if err != nil {
		return uuid.Nil, "", err
	}
	if err := checkPassword("password", who.email, who.password); err != nil {
		return uuid.Nil, "", err
	}
	hash, err := s.hash(ctx, who.password)
	if err != nil {
		return uuid.Nil, "", err
	}
	id := newID()
	return id, hash, s.join(ctx, id, who, func(queries *q.Queries) error {
		if err := queries.InsertUser(ctx, q.InsertUserParams{ID: id, Email: who.email, Name: name}); err != nil {
			return err
		}
		return queries.SetPassword(ctx, q.SetPasswordParams{UserID: id, Hash: hash})
	})
}

// join makes a person a member, in one transaction with before. It deletes the person's
// reset links: an admin of another company who made one must not get into this company.
func (s *Service) join(ctx context.Context, person uuid.UUID, who newcomer, before func(*q.Queries) error) error {
	return s.cells.InPerson(ctx, person, who.tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if _, err := s.lockAsAdmin(ctx, queries, auth.Operator(who.tenant)); err != nil {
			return err
		}
		role, err := who.role(queries)
		if err != nil {
			return err
		}
		if err := before(queries); err != nil {
			return err
		}
		added, err := queries.InsertMembership(ctx,
			q.InsertMembershipParams{TenantID: who.tenant, UserID: person, Role: string(role)})
		if err != nil {
			return err
		}
		if added == 0 {
			return fault.New(fault.Conflict, "already_member", "%s belongs to this company already", who.email)
		}
		if err := queries.DeleteInvitationsTo(ctx,
			q.DeleteInvitationsToParams{TenantID: who.tenant, Email: who.email}); err != nil {
			return err
		}
		if err := queries.DeleteResets(ctx, person); err != nil {
			return err
		}
		by, action := who.by, audit.Action("member.added")
		if by.Tenant == uuid.Nil {
			by, action = asPerson(person, who.tenant), "invitation.accepted"
		}
		return audit.Record(ctx, tx, by, action, person.String(),
			audit.Data{"email": who.email, "name": who.name, "role": role})
	})
}

// CreateUser makes somebody a member without an invitation, for the operator of the
// service. An existing user keeps their password; made reports whether the user is new.
func (s *Service) CreateUser(ctx context.Context, by auth.Principal, email, name, password string, role auth.Role) (
	member Member, made bool, err error) {
	if err := by.Require(auth.ManageMembers); err != nil {
		return Member{}, false, err
	}
	email, err = normalizeEmail(email)
	if err != nil {
		return Member{}, false, err
	}
	if !knownRole(role) {
		return Member{}, false, unknownRole(role)
	}
	if name == "" {
		name = email
	}
	user, err := s.findUser(ctx, email)
	if err != nil {
		return Member{}, false, err
	}
	who := newcomer{email: email, name: name, password: password, tenant: by.Tenant, by: by,
		role: func(*q.Queries) (auth.Role, error) { return role, nil }}
	id := user.ID
	if made = id == uuid.Nil; made {
		id, _, err = s.joinNew(ctx, who)
	} else {
		who.name = user.Name
		err = s.join(ctx, id, who, func(*q.Queries) error { return nil })
	}
	if err != nil {
		return Member{}, false, err
	}
	member, err = s.Member(ctx, by, id)
	return member, made, err
}
