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

// Invitation is a link that makes whoever follows it a member.
type Invitation struct {
	ID        uuid.UUID
	Email     string
	Role      auth.Role
	InvitedBy *uuid.UUID // nil: whoever runs the service
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Invite makes an invitation and mails its link, or, where no mail is sent, returns the
// link for the admin to hand over. Where mail is sent the link is never shown: it proves
// that its receiver has the address. Inviting somebody again replaces the link.
func (s *Service) Invite(ctx context.Context, by auth.Principal, email string, role auth.Role) (
	invitation Invitation, link string, err error) {
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
	if err := s.take(ctx, invitesByTenant, by.Tenant.String()); err != nil {
		return Invitation{}, "", err
	}
	if err := s.take(ctx, invitesByPerson, by.Tenant.String()+" "+email); err != nil {
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
		invitation = Invitation{row.ID, row.Email, auth.Role(row.Role), row.InvitedBy, row.CreatedAt, row.ExpiresAt}
		return audit.Record(ctx, tx, by, "invitation.made", row.ID.String(), audit.Data{"email": email, "role": role})
	})
	if err != nil {
		return Invitation{}, "", err
	}
	link = s.baseURL + "/invitation#" + token
	if !s.post.Configured() {
		return invitation, link, nil
	}
	// The caller may hang up; the mail is sent all the same.
	err = s.post.Send(context.WithoutCancel(ctx),
		mail.Message{To: email, Subject: "You are invited to " + company + " on Quayside", Text: fmt.Sprintf(
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
			invitations = append(invitations,
				Invitation{row.ID, row.Email, auth.Role(row.Role), row.InvitedBy, row.CreatedAt, row.ExpiresAt})
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
func (s *Service) Accept(ctx context.Context, token, name, password string, on Device) (Entrance, error) {
	found, err := s.findInvitation(ctx, token)
	if err != nil {
		return Entrance{}, err
	}
	join := s.joinNew
	if found.Known {
		join = s.joinKnown
	}
	hash, _ := tokenHash(token) // it was found by it
	person, proved, err := join(ctx,
		newcomer{email: found.Email, name: name, password: password, on: on, tenant: found.TenantID,
			role: func(queries *q.Queries) (auth.Role, error) {
				role, err := queries.UseInvitation(ctx, q.UseInvitationParams{TenantID: found.TenantID, TokenHash: hash})
				if missing(err) {
					return "", errLink // withdrawn, replaced, or somebody was faster
				}
				return auth.Role(role), err
			}})
	if err != nil {
		return Entrance{}, err
	}
	return s.startSession(ctx, person, "invitation", proved, on)
}

// newcomer is somebody on their way into a company.
type newcomer struct {
	email, name, password string
	on                    Device
	tenant                uuid.UUID
	by                    auth.Principal                      // who brings them in; nobody: they come by themselves
	role                  func(*q.Queries) (auth.Role, error) // what they become, asked when the company is locked
}

// joinKnown makes somebody a member who has an account and shows its password.
func (s *Service) joinKnown(ctx context.Context, who newcomer) (person uuid.UUID, proved string, err error) {
	user, err := s.prove(ctx, who.email, who.password, who.on)
	if err != nil {
		return uuid.Nil, "", err
	}
	who.name = user.Name
	return user.ID, user.Hash, s.join(ctx, user.ID, who, func(queries *q.Queries) error {
		return holdPassword(ctx, queries, user.ID, user.Hash)
	})
}

// joinNew makes somebody a member who chooses a name and a password: a person, their
// password and their membership, all or none.
func (s *Service) joinNew(ctx context.Context, who newcomer) (person uuid.UUID, proved string, err error) {
	name, err := named("a person", who.name)
	if err != nil {
		return uuid.Nil, "", err
	}
	if err := chosen("password", who.email, who.password); err != nil {
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

// join makes a person a member, in one transaction with what comes before. Password
// links that an admin of another company has handed out end: that admin must not get
// into this one.
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
			by, action = as(person, who.tenant), "invitation.accepted"
		}
		return audit.Record(ctx, tx, by, action, person.String(),
			audit.Data{"email": who.email, "name": who.name, "role": role})
	})
}

// CreateUser makes somebody a member without an invitation, for whoever runs the
// service. Who has an account keeps their password; made says which it was.
func (s *Service) CreateUser(ctx context.Context, by auth.Principal, email, name, password string, role auth.Role) (
	member Member, made bool, err error) {
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
