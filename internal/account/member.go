package account

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Member is a person as their company sees them: a user with a role.
type Member struct {
	ID          uuid.UUID
	Email, Name string
	Role        auth.Role
	Version     int64
	CreatedAt   time.Time
}

func unknownMember(id uuid.UUID) error {
	return fault.New(fault.NotFound, "unknown_member", "nobody in this company has the id %s", id)
}

// Members lists the company's members.
func (s *Service) Members(ctx context.Context, by auth.Principal, want page.Request) (
	members []Member, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListMembers(ctx,
			q.ListMembersParams{TenantID: by.Tenant, After: want.After, Most: want.Limit()})
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			members = append(members, toMember(q.GetMemberRow(row)))
		}
		return err
	})
	return members, more, err
}

// Member returns one member of the company.
func (s *Service) Member(ctx context.Context, by auth.Principal, id uuid.UUID) (Member, error) {
	if err := by.Require(auth.Read); err != nil {
		return Member{}, err
	}
	var row q.GetMemberRow
	err := s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		row, err = q.New(tx).GetMember(ctx, q.GetMemberParams{TenantID: by.Tenant, UserID: id})
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return Member{}, unknownMember(id)
	}
	return toMember(row), err
}

func toMember(row q.GetMemberRow) Member {
	return Member{ID: row.UserID, Email: row.Email, Name: row.Name, Role: auth.Role(row.Role), Version: row.Version,
		CreatedAt: row.CreatedAt}
}

// ChangeRole gives a member another role. It ends their sessions, so that no open screen
// offers what they may no longer do.
func (s *Service) ChangeRole(ctx context.Context, by auth.Principal, id uuid.UUID, role auth.Role, version int64) (
	Member, error) {
	if !knownRole(role) {
		return Member{}, unknownRole(role)
	}
	var changed Member
	err := s.changeMember(ctx, by, id, version, func(tx pgx.Tx, member Member) error {
		queries := q.New(tx)
		if member.Role == role {
			changed = member
			return nil
		}
		if member.Role == auth.CompanyAdmin {
			if err := requireOtherAdmin(ctx, queries, by.Tenant, id); err != nil {
				return err
			}
		}
		if err := queries.ChangeRole(ctx,
			q.ChangeRoleParams{TenantID: by.Tenant, UserID: id, Role: string(role)}); err != nil {
			return err
		}
		if err := queries.EndSessions(ctx, q.EndSessionsParams{UserID: id}); err != nil {
			return err
		}
		row, err := queries.GetMember(ctx, q.GetMemberParams{TenantID: by.Tenant, UserID: id})
		if err != nil {
			return err
		}
		changed = toMember(row)
		return audit.Record(ctx, tx, by, "member.role_changed", id.String(),
			member.data(audit.Data{"from": member.Role, "to": role}))
	})
	return changed, err
}

// RemoveMember ends a person's membership and sessions in the company, every link by which they
// could return, and the links that they have sent to others. The user account is kept, so that
// what they did keeps its author.
func (s *Service) RemoveMember(ctx context.Context, by auth.Principal, id uuid.UUID, version int64) error {
	return s.changeMember(ctx, by, id, version, func(tx pgx.Tx, member Member) error {
		queries := q.New(tx)
		if member.Role == auth.CompanyAdmin {
			if err := requireOtherAdmin(ctx, queries, by.Tenant, id); err != nil {
				return err
			}
		}
		if err := queries.DeleteMembership(ctx, q.DeleteMembershipParams{TenantID: by.Tenant, UserID: id}); err != nil {
			return err
		}
		if err := queries.DeleteInvitationsTo(ctx,
			q.DeleteInvitationsToParams{TenantID: by.Tenant, Email: member.Email}); err != nil {
			return err
		}
		if err := queries.DeleteResets(ctx, id); err != nil {
			return err
		}
		if err := queries.EndSessions(ctx, q.EndSessionsParams{UserID: id}); err != nil {
			return err
		}
		if _, err := queries.RevokeTokensOf(ctx, q.RevokeTokensOfParams{TenantID: by.Tenant, UserID: &id}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "member.removed", id.String(), member.data(audit.Data{"role": member.Role}))
	})
}

// data adds the member's address and name to audit data, since the audit log outlives
// the membership.
func (m Member) data(data audit.Data) audit.Data {
	data["email"], data["name"] = m.Email, m.Name
	return data
}

// changeMember runs change in a transaction that also reaches the member's sessions. The
// changes of one company's members run one at a time.
func (s *Service) changeMember(ctx context.Context, by auth.Principal, id uuid.UUID, version int64,
	change func(pgx.Tx, Member) error) error {
	if err := by.Require(auth.ManageMembers); err != nil {
		return err
	}
	return s.cells.InPerson(ctx, id, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if _, err := s.lockAsAdmin(ctx, queries, by); err != nil {
			return err
		}
		row, err := queries.GetMember(ctx, q.GetMemberParams{TenantID: by.Tenant, UserID: id})
		if missing(err) {
			return unknownMember(id)
		}
		if err != nil {
			return err
		}
		if row.Version != version {
			return stale("this member")
		}
		return change(tx, toMember(row))
	})
}

// lockAsAdmin locks the company, so that changes of its members run one at a time, and
// checks again that the caller is an admin: they may have lost the role since the request
// began.
func (s *Service) lockAsAdmin(ctx context.Context, queries *q.Queries, by auth.Principal) (company string, err error) {
	tenant, err := queries.LockTenant(ctx, by.Tenant)
	if missing(err) {
		return "", fault.New(fault.NotFound, "unknown_tenant", "no tenant %s; 'quayside tenant create' makes one", by.Tenant)
	}
	if err != nil || by.Person == uuid.Nil {
		return tenant.Name, err
	}
	member, err := queries.GetMember(ctx, q.GetMemberParams{TenantID: by.Tenant, UserID: by.Person})
	if missing(err) || err == nil && !auth.Role(member.Role).May(auth.ManageMembers) {
		return "", errNoPlace
	}
	return tenant.Name, err
}

// requireOtherAdmin refuses to leave a company without a Company-Admin.
func requireOtherAdmin(ctx context.Context, queries *q.Queries, tenant, id uuid.UUID) error {
	others, err := queries.CountOtherAdmins(ctx, q.CountOtherAdminsParams{TenantID: tenant, UserID: id})
	if err == nil && others == 0 {
		return fault.New(fault.Conflict, "last_admin", "this is the only Company-Admin; make somebody else one first")
	}
	return err
}

func knownRole(role auth.Role) bool { return slices.Contains(auth.Roles(), role) }

func unknownRole(role auth.Role) error {
	return fault.InField("role", "role", "there is no role %q; the roles are company_admin, approver, buyer and viewer",
		role)
}
