// Package auth says who is calling and what they may do.
//
// A Principal is made at an edge (from a key, a session, the command line) and
// handed to domain functions, which ask it with Require. The permission table is
// the only place where roles and permissions meet.
package auth

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
)

// Role is what a person is in a tenant.
type Role string

// The roles. Customers do not write policies, so there is no policy engine.
const (
	CompanyAdmin Role = "company_admin" // does everything; the only role that sees and makes keys
	Approver     Role = "approver"      // approves within a limit
	Buyer        Role = "buyer"         // drafts, edits, submits, receives
	Viewer       Role = "viewer"        // reads
	Agent        Role = "agent"         // a program: reads, drafts, and submits where a workspace permits it
	Sync         Role = "sync"          // a connection to an external system: reads, and writes lines as that system says
)

// Permission names one thing that a principal may do.
type Permission string

// The permissions.
const (
	Read              Permission = "read"               // the company's workspaces, people and data
	ReadFailures      Permission = "read_failures"      // failed imports with their payloads
	ManageTokens      Permission = "manage_tokens"      // make tokens for agents; see and end everybody's
	ManageKeys        Permission = "manage_keys"        // see, make, rotate and end API keys
	SendTestRecords   Permission = "send_test_records"  // try a record without storing it
	ImportRecords     Permission = "import_records"     // store the records of a file
	RetryFailures     Permission = "retry_failures"     // send failed imports again, edited or not; close them
	EditRecords       Permission = "edit_records"       // make records, and change values in place
	ShareViews        Permission = "share_views"        // save views of tables and lists for everybody
	ManageMembers     Permission = "manage_members"     // invite people, change their roles
	ManageWorkspaces  Permission = "manage_workspaces"  // make and change workspaces
	DraftLines        Permission = "draft_lines"        // make and change draft purchase order lines
	ChangeLines       Permission = "change_lines"       // change lines after the draft; cancel lines that wait for approval
	SubmitLines       Permission = "submit_lines"       // ask for approval
	ApproveLines      Permission = "approve_lines"      // order, within a limit
	SendBackLines     Permission = "send_back_lines"    // take a line out of approval
	CancelDrafts      Permission = "cancel_drafts"      // cancel drafts
	CancelOrders      Permission = "cancel_orders"      // cancel ordered lines
	ReceiveLines      Permission = "receive_lines"      // book receipts; close lines whose rest will not arrive
	CorrectOwn        Permission = "correct_own"        // take back what one has booked oneself, within a day
	CorrectReceipts   Permission = "correct_receipts"   // take any receipt back
	ReopenLines       Permission = "reopen_lines"       // bring a cancelled line back
	DiscussOrders     Permission = "discuss_orders"     // comment on orders; keep calls and reminders
	SendOrders        Permission = "send_orders"        // send orders to suppliers
	AllowReceivers    Permission = "allow_receivers"    // let orders go to other addresses than the supplier's own
	ManagePurchasing  Permission = "manage_purchasing"  // the playbook, rules and approval limits
	ProposeDocuments  Permission = "propose_documents"  // store drafts of strategies and SOPs, which people activate
	PlanPurchasing    Permission = "plan_purchasing"    // change the config's figures for planning, and nothing else of it
	ManageConnections Permission = "manage_connections" // connections to other systems, and their tokens
	DefineTables      Permission = "define_tables"      // make, change and retire the company's own tables and columns
	ReadAudit         Permission = "read_audit"         // see who did what
)

var allowed = map[Permission][]Role{
	Read:              {CompanyAdmin, Approver, Buyer, Viewer, Agent, Sync},
	ReadFailures:      {CompanyAdmin, Approver, Buyer, Viewer, Agent},
	ManageTokens:      {CompanyAdmin},
	ManageKeys:        {CompanyAdmin},
	SendTestRecords:   {CompanyAdmin, Buyer, Agent},
	ImportRecords:     {CompanyAdmin, Buyer},
	RetryFailures:     {CompanyAdmin, Buyer, Agent},
	EditRecords:       {CompanyAdmin, Buyer},
	ShareViews:        {CompanyAdmin, Buyer},
	ManageMembers:     {CompanyAdmin},
	ManageWorkspaces:  {CompanyAdmin},
	DraftLines:        {CompanyAdmin, Buyer, Agent, Sync},
	ChangeLines:       {CompanyAdmin, Buyer, Sync},
	SubmitLines:       {CompanyAdmin, Buyer, Agent},
	ApproveLines:      {CompanyAdmin, Approver},
	SendBackLines:     {CompanyAdmin, Approver, Buyer},
	CancelDrafts:      {CompanyAdmin, Buyer, Agent},
	CancelOrders:      {CompanyAdmin, Sync},
	ReceiveLines:      {CompanyAdmin, Buyer, Sync},
	CorrectOwn:        {CompanyAdmin, Buyer, Sync},
	CorrectReceipts:   {CompanyAdmin, Sync},
	ReopenLines:       {CompanyAdmin},
	DiscussOrders:     {CompanyAdmin, Approver, Buyer, Agent},
	SendOrders:        {CompanyAdmin, Approver, Buyer},
	AllowReceivers:    {CompanyAdmin},
	ManagePurchasing:  {CompanyAdmin},
	ProposeDocuments:  {CompanyAdmin, Agent},
	PlanPurchasing:    {CompanyAdmin},
	ManageConnections: {CompanyAdmin},
	DefineTables:      {CompanyAdmin},
	ReadAudit:         {CompanyAdmin},
}

// Scope is a group of permissions that a token passes on from its owner.
type Scope string

// The scopes of tokens.
const (
	ScopeRead     Scope = "read"           // tables, views, purchase orders and the playbook
	ScopeWrite    Scope = "write"          // draft and submit purchase order lines; propose rules and plan
	ScopeFailures Scope = "failed_imports" // see failed imports and send them again
	ScopeAdmin    Scope = "admin"          // make and change tables and columns
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeWrite, ScopeFailures, ScopeAdmin} }

// Fills reports whether the role holds any permission of the scope.
func (r Role) Fills(scope Scope) bool {
	for permission, opens := range scopeOf {
		if opens == scope && r.May(permission) {
			return true
		}
	}
	return false
}

// scopeOf maps a permission to the scope that a token needs for it. No token has the
// permissions that are not listed: approving, receiving and managing are left to people.
var scopeOf = map[Permission]Scope{
	Read:             ScopeRead,
	ReadFailures:     ScopeFailures,
	SendTestRecords:  ScopeFailures,
	RetryFailures:    ScopeFailures,
	DraftLines:       ScopeWrite,
	SubmitLines:      ScopeWrite,
	DiscussOrders:    ScopeWrite,
	ProposeDocuments: ScopeWrite,
	PlanPurchasing:   ScopeWrite,
	DefineTables:     ScopeAdmin,
}

// Roles returns the roles of people, from the one with the most permissions to the one with the fewest.
func Roles() []Role { return []Role{CompanyAdmin, Approver, Buyer, Viewer} }

// May reports whether the role holds the permission.
func (r Role) May(permission Permission) bool { return slices.Contains(allowed[permission], r) }

// Permissions returns the role's permissions, in a fixed order.
func (r Role) Permissions() []Permission {
	permissions := []Permission{}
	for _, permission := range slices.Sorted(maps.Keys(allowed)) {
		if r.May(permission) {
			permissions = append(permissions, permission)
		}
	}
	return permissions
}

// ActorType says what kind of caller acts.
type ActorType string

// The kinds of callers.
const (
	ByOperator ActorType = "operator" // whoever runs the service, at its command line
	ByPerson   ActorType = "user"     // a person who signed in
	ByKey      ActorType = "key"      // an external system with an API key
	ByAgent    ActorType = "agent"    // a procurement agent
	BySync     ActorType = "sync"     // a connection to an external system; the id is the connection's
	BySystem   ActorType = "system"   // the service itself, in the background
)

// Actor names who did something, in events and audit rows.
type Actor struct {
	Type ActorType `json:"type"`
	ID   string    `json:"id,omitempty"`
}

// JSON returns the actor as events store it.
func (a Actor) JSON() []byte {
	text, _ := json.Marshal(a) // two strings
	return text
}

// Principal is the caller of a domain function: a tenant, an actor, and the actor's role
// in the tenant. A person who has signed in but acts outside any company has neither
// tenant nor role.
type Principal struct {
	Tenant    uuid.UUID
	Workspace uuid.UUID
	Zone      *time.Location // the workspace's; decides what midnight is
	Actor     Actor
	Role      Role
	Person    uuid.UUID // the person who has signed in
	Session   uuid.UUID // the person's session
	Token     uuid.UUID // the token of an assistant or agent
	Scopes    []Scope   // the token's scopes
	Tool      string    // the tool that the assistant or agent calls
	Run       string    // the agent's run
	Key       uuid.UUID // the API key of an external system
	Scope     string    // the table that the key or sync may write, or AllTables
}

// AllTables is the scope of a Master Import Key: every ingest table, also those
// added after the key was issued.
const AllTables = "*"

// ErrSuspended is returned to everybody of a company that is suspended.
var ErrSuspended = fault.New(fault.Forbidden, "suspended", "your company is suspended; ask whoever runs this service")

// ErrDeadKey is returned for an unknown, malformed, expired or revoked key alike.
var ErrDeadKey = fault.New(fault.Unauthenticated, "invalid_key", "invalid or revoked api key")

// MayWrite reports whether the principal's key or sync covers the table.
func (p Principal) MayWrite(slug string) bool {
	return p.Scope == AllTables || p.Scope == slug && slug != ""
}

// Operator returns the principal of the command line, which has access to the database
// and may do everything in the tenant.
func Operator(tenant uuid.UUID) Principal {
	return Principal{Tenant: tenant, Actor: Actor{Type: ByOperator}, Role: CompanyAdmin}
}

// ProcurementAgent is the agent that is a part of the service, in every tenant.
var ProcurementAgent = uuid.MustParse("00000000-0000-4000-8000-0000000000a1")

// ProcurementName is what people call it.
const ProcurementName = "Procurement agent"

// Procurement returns the principal of the procurement agent in a run.
func Procurement(tenant, workspace, run uuid.UUID, zone *time.Location) Principal {
	return Principal{Tenant: tenant, Workspace: workspace, Zone: zone, Role: Agent, Run: run.String(),
		Actor: Actor{Type: ByAgent, ID: ProcurementAgent.String()}}
}

// syncedTable is the only table that a sync may write.
const syncedTable = "purchase_order_lines"

// Connection returns the principal under which a connection to an external system is synced.
func Connection(tenant, workspace, connection uuid.UUID, zone *time.Location) Principal {
	return Principal{Tenant: tenant, Workspace: workspace, Zone: zone, Role: Sync, Scope: syncedTable,
		Actor: Actor{Type: BySync, ID: connection.String()}}
}

// SyncName returns what people call the sync of a connection.
func SyncName(connection string) string { return connection + " sync" }

// PersonID returns the person who acts, or nil if the principal is not a person.
func (p Principal) PersonID() *uuid.UUID {
	if p.Person == uuid.Nil {
		return nil
	}
	return &p.Person
}

// Require returns an error unless the principal's role holds the permission and, if the
// principal has a token, the token's scopes include it.
func (p Principal) Require(permission Permission) error {
	if p.Token != uuid.Nil {
		scope, opens := scopeOf[permission]
		switch {
		case !opens:
			return fault.New(fault.Forbidden, "forbidden", "no token may do this (%s); a person can, in the app", permission)
		case !slices.Contains(p.Scopes, scope):
			return fault.New(fault.Forbidden, "missing_scope", "this token lacks the scope %s", scope)
		}
	}
	if p.Role.May(permission) {
		return nil
	}
	return fault.New(fault.Forbidden, "forbidden", "your role may not do this (%s)", permission)
}
