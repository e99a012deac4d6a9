package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
)

type (
	memberJSON struct {
		ID        uuid.UUID `json:"id" format:"uuid"`
		Email     string    `json:"email"`
		Name      string    `json:"name"`
		Role      auth.Role `json:"role" enum:"company_admin,approver,buyer,viewer"`
		Version   int64     `json:"version" doc:"The ETag is this number in quotes."`
		CreatedAt time.Time `json:"created_at"`
	}
	invitationJSON struct {
		ID        uuid.UUID  `json:"id" format:"uuid"`
		Email     string     `json:"email"`
		Role      auth.Role  `json:"role" enum:"company_admin,approver,buyer,viewer"`
		InvitedBy *uuid.UUID `json:"invited_by,omitempty" format:"uuid" doc:"The member who invited the person. Absent if an operator did."`
		CreatedAt time.Time  `json:"created_at"`
		ExpiresAt time.Time  `json:"expires_at"`
	}
	linkJSON struct {
		Link      string    `json:"link" doc:"This link is a secret. Give it only to the person whom it is for."`
		ExpiresAt time.Time `json:"expires_at"`
	}
	// OneMember names a member.
	OneMember struct {
		InTenant
		Member uuid.UUID `path:"member" format:"uuid"`
	}
	invitedJSON struct {
		Company    string    `json:"company"`
		Email      string    `json:"email"`
		Role       auth.Role `json:"role" enum:"company_admin,approver,buyer,viewer"`
		HasAccount bool      `json:"has_account" doc:"The email address has an account. Enter its password instead of choosing one."`
	}
	madeInvitation struct {
		Invitation invitationJSON `json:"invitation"`
		Link       string         `json:"link,omitempty" doc:"Present if this service sends no mail. This link is a secret. Give it only to the person whom it is for."`
	}
)

// memberOperations are about the members of a company.
func (s *Server) memberOperations(a *appAPI) {
	const tag = "Members"
	register(a, operation{
		id: "listMembers", method: http.MethodGet, path: "tenants/{tenant}/members", tag: tag, needs: auth.Read,
		summary: "List the company's members",
	}, func(ctx context.Context, in *struct {
		InTenant
		Paged
	}) (*body[list[memberJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		members, more, err := s.Accounts.Members(ctx, by(ctx).Principal, want)
		var items []memberJSON
		for _, member := range members {
			items = append(items, toMemberJSON(member))
		}
		return listed(items, more, func(one memberJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "getMember", method: http.MethodGet, path: "tenants/{tenant}/members/{member}", tag: tag, needs: auth.Read,
		summary: "One member",
	}, func(ctx context.Context, in *OneMember) (*versioned[memberJSON], error) {
		member, err := s.Accounts.Member(ctx, by(ctx).Principal, in.Member)
		return &versioned[memberJSON]{etag(member.Version), toMemberJSON(member)}, err
	})
	register(a, operation{
		id: "changeMember", method: http.MethodPatch, path: "tenants/{tenant}/members/{member}", tag: tag,
		needs:   auth.ManageMembers,
		summary: "Change a member's role", about: "The member's sessions end.",
	}, func(ctx context.Context, in *struct {
		OneMember
		Conditional
		Body struct {
			Role auth.Role `json:"role" enum:"company_admin,approver,buyer,viewer" example:"buyer"`
		}
	}) (*versioned[memberJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		member, err := s.Accounts.ChangeRole(ctx, by(ctx).Principal, in.Member, in.Body.Role, version)
		return &versioned[memberJSON]{etag(member.Version), toMemberJSON(member)}, err
	})
	register(a, operation{
		id: "removeMember", method: http.MethodDelete, path: "tenants/{tenant}/members/{member}", tag: tag,
		needs:   auth.ManageMembers,
		summary: "Remove a member",
		about:   "The member's sessions end. Their name stays in the audit log and in the history of records.",
		status:  http.StatusNoContent,
	}, func(ctx context.Context, in *struct {
		OneMember
		Conditional
	}) (*nothing, error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		return nil, s.Accounts.RemoveMember(ctx, by(ctx).Principal, in.Member, version)
	})
	register(a, operation{
		id: "makePasswordLink", method: http.MethodPost, path: "tenants/{tenant}/members/{member}/password-link", tag: tag,
		needs:   auth.ManageMembers,
		summary: "Create a password link for a member",
		about:   "Only if this service sends no mail. Refused for people who also belong to another company.",
	}, func(ctx context.Context, in *OneMember) (*body[linkJSON], error) {
		link, expires, err := s.Accounts.ResetLink(ctx, by(ctx).Principal, in.Member)
		return &body[linkJSON]{linkJSON{link, expires.UTC().Truncate(time.Second)}}, err
	})
	s.invitationOperations(a)
}

func (s *Server) invitationOperations(a *appAPI) {
	const tag = "Invitations"
	register(a, operation{
		id: "listInvitations", method: http.MethodGet, path: "tenants/{tenant}/invitations", tag: tag,
		needs: auth.ManageMembers, summary: "Open invitations",
	}, func(ctx context.Context, in *struct {
		InTenant
		Paged
	}) (*body[list[invitationJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		invitations, more, err := s.Accounts.Invitations(ctx, by(ctx).Principal, want)
		var items []invitationJSON
		for _, invitation := range invitations {
			items = append(items, toInvitationJSON(invitation))
		}
		return listed(items, more, func(one invitationJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "invite", method: http.MethodPost, path: "tenants/{tenant}/invitations", tag: tag, needs: auth.ManageMembers,
		status:  http.StatusCreated,
		summary: "Invite somebody",
		about:   "Mails a link, or returns it if this service sends no mail. Inviting the same person again replaces the link.",
	}, func(ctx context.Context, in *struct {
		InTenant
		Body struct {
			Email string    `json:"email" maxLength:"254" example:"grace@example.com"`
			Role  auth.Role `json:"role" enum:"company_admin,approver,buyer,viewer" example:"buyer"`
		}
	}) (*body[madeInvitation], error) {
		invitation, link, err := s.Accounts.Invite(ctx, by(ctx).Principal, in.Body.Email, in.Body.Role)
		return &body[madeInvitation]{madeInvitation{toInvitationJSON(invitation), link}}, err
	})
	register(a, operation{
		id: "withdrawInvitation", method: http.MethodDelete, path: "tenants/{tenant}/invitations/{invitation}", tag: tag,
		needs:   auth.ManageMembers,
		summary: "Withdraw an invitation", status: http.StatusNoContent,
	}, func(ctx context.Context, in *struct {
		InTenant
		Invitation uuid.UUID `path:"invitation" format:"uuid"`
	}) (*nothing, error) {
		return nil, s.Accounts.Withdraw(ctx, by(ctx).Principal, in.Invitation)
	})
	register(a, operation{
		id: "readInvitation", method: http.MethodPost, path: "invitations/read", tag: tag, needs: anybody,
		summary: "Read an invitation", about: "This is a POST, so that the token does not appear in addresses and logs.",
	}, func(ctx context.Context, in *body[LinkToken]) (*body[invitedJSON], error) {
		invited, err := s.Accounts.Invited(ctx, in.Body.Token)
		return &body[invitedJSON]{invitedJSON{invited.Company, invited.Email, invited.Role, invited.Known}}, err
	})
	register(a, operation{
		id: "acceptInvitation", method: http.MethodPost, path: "invitations/accept", tag: tag, needs: anybody,
		summary: "Accept an invitation and sign in",
		about:   "A new person chooses a name and a password. A person with an account enters its password.",
	}, func(ctx context.Context, in *struct {
		Body struct {
			LinkToken
			Name     string `json:"name,omitempty" maxLength:"200" example:"Grace Hopper" doc:"Required for a new account."`
			Password string `json:"password" maxLength:"1000" example:"a few other words"`
		}
	}) (*signedInOutput, error) {
		entrance, err := s.Accounts.Accept(ctx, in.Body.Token, in.Body.Name, in.Body.Password, by(ctx).Device)
		return s.enter(ctx, entrance, err)
	})
}

func toMemberJSON(m account.Member) memberJSON {
	return memberJSON{
		ID: m.ID, Email: m.Email, Name: m.Name, Role: m.Role, Version: m.Version,
		CreatedAt: m.CreatedAt.UTC(),
	}
}

func toInvitationJSON(i account.Invitation) invitationJSON {
	return invitationJSON{
		ID: i.ID, Email: i.Email, Role: i.Role, InvitedBy: i.InvitedBy, CreatedAt: i.CreatedAt.UTC(),
		ExpiresAt: i.ExpiresAt.UTC(),
	}
}
