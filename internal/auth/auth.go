// Package auth says who is calling and what they may do.
//
// A Principal is made at an edge (from a key, a session, the command line) and
// handed to domain functions, which ask it with Require. The permission table is
// the only place where roles and permissions meet.
package auth

import (
	"slices"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
)

// Role is what a person is in a tenant.
type Role string

// The roles. Customers do not write policies, so there is no policy engine.
const (
	CompanyAdmin Role = "company_admin" // everything; the only one who sees and makes keys
	Approver     Role = "approver"      // approves within a limit
	Buyer        Role = "buyer"         // drafts, edits, submits, receives
	Viewer       Role = "viewer"        // reads
)

// Permission names one thing that a principal may do.
type Permission string

// The permissions.
const (
	ManageKeys Permission = "manage_keys"
)

var allowed = map[Permission][]Role{
	ManageKeys: {CompanyAdmin},
}

// ActorType says what kind of caller acts.
type ActorType string

// The kinds of callers.
const (
	ByOperator ActorType = "operator" // whoever runs the service, at its command line
	ByKey      ActorType = "key"      // an external system with an API key
)

// Actor is who did it, as events and audit rows name them.
type Actor struct {
	Type ActorType `json:"type"`
	ID   string    `json:"id,omitempty"`
}

// Principal is the caller of a domain function: a tenant, an actor, and what
// that actor is in the tenant.
type Principal struct {
	Tenant    uuid.UUID
	Workspace uuid.UUID
	Actor     Actor
	Role      Role
}

// Operator is the principal of the command line: whoever holds the database's
// address may do everything, one tenant at a time.
func Operator(tenant uuid.UUID) Principal {
	return Principal{Tenant: tenant, Actor: Actor{Type: ByOperator}, Role: CompanyAdmin}
}

// Require refuses a principal whose role does not hold the permission.
func (p Principal) Require(permission Permission) error {
	if slices.Contains(allowed[permission], p.Role) {
		return nil
	}
	return fault.New(fault.Forbidden, "forbidden", "your role may not do this (%s)", permission)
}
