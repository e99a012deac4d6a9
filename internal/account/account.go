// Package account manages companies and people: tenants with their workspaces, users,
// memberships and their roles, sessions, and the links that invite somebody or let them
// choose a new password.
//
// Secrets (passwords, session tokens, links) are stored as hashes only.
package account

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// firstWorkspace is the name of the workspace that every tenant starts with.
const firstWorkspace = "Main"

// Service manages companies and people.
type Service struct {
	cells      *pg.Cells
	post       *mail.Sender
	log        *slog.Logger
	baseURL    string         // where links lead
	hashing    chan struct{}  // a semaphore: bounds the memory of concurrent password hashes
	background sync.WaitGroup // background work that outlives its request
}

// New returns the service. Close ends it.
func New(cells *pg.Cells, post *mail.Sender, log *slog.Logger, baseURL string) *Service {
	return &Service{cells: cells, post: post, log: log, baseURL: baseURL, hashing: make(chan struct{}, hashesAtOnce)}
}

// Close waits until the background work is done.
func (s *Service) Close() { s.background.Wait() }

// Tidy deletes old throttle counts, and expired links and browsers. Expired sessions go by a rule of retention.
func (s *Service) Tidy(ctx context.Context) error {
	err := s.cells.InControl(ctx, uuid.Nil, func(tx pgx.Tx) error { return q.New(tx).DropOldTries(ctx) })
	if err != nil {
		return err
	}
	// Crosses tenants: the job serves all of them. The database role can delete only expired
	// rows.
	return s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		queries := q.New(tx)
		for _, drop := range []func(context.Context) error{
			queries.DropExpiredResets, queries.DropExpiredInvitations, queries.DropExpiredBrowsers,
		} {
			if err := drop(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Tenant is a company, with the workspace it started with.
type Tenant struct {
	ID        uuid.UUID
	Workspace uuid.UUID
	Name      string
	Life
	Reach Reach
}

// CreateTenant makes a company and its first workspace, both or neither.
func (s *Service) CreateTenant(ctx context.Context, name string) (Tenant, error) {
	tenant := Tenant{ID: newID(), Workspace: newID()}
	var err error
	if tenant.Name, err = checkName("a tenant", name); err != nil {
		return Tenant{}, err
	}
	err = s.cells.InControl(ctx, tenant.ID, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.InsertTenant(ctx, q.InsertTenantParams{ID: tenant.ID, Name: tenant.Name}); err != nil {
			return err
		}
		err := queries.InsertWorkspace(ctx,
			q.InsertWorkspaceParams{TenantID: tenant.ID, ID: tenant.Workspace, Name: firstWorkspace})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, auth.Operator(tenant.ID), "company.created", tenant.ID.String(),
			audit.Data{"name": tenant.Name})
	})
	return tenant, err
}

// Tenants lists every company, the oldest first, for whoever runs the service.
func (s *Service) Tenants(ctx context.Context) (tenants []Tenant, err error) {
	// Crosses tenants: it lists them.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListTenants(ctx)
		for _, row := range rows {
			tenants = append(tenants, Tenant{ID: row.ID, Workspace: row.WorkspaceID, Name: row.Name,
				Life:  Life{SuspendedAt: row.SuspendedAt, Because: row.SuspendedBecause, DeleteAfter: row.DeleteAfter},
				Reach: toReach(row.OutboundAllow)})
		}
		return err
	})
	return tenants, err
}

// missing reports whether a query inside a transaction found no row.
func missing(err error) bool { return fault.Is(pg.Translate(err), fault.NotFound) }

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

const longestName = 200

// checkName trims and checks the name of what, such as "a workspace".
func checkName(what, name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > longestName || strings.ContainsFunc(name, unicode.IsControl) {
		return "", fault.InField("name", "name", "%s needs a name of at most %d characters, on one line", what, longestName)
	}
	return name, nil
}

// emailPattern is stricter than the standard: it admits what mail servers accept in
// practice, in ASCII only, so that no two addresses look alike.
var emailPattern = regexp.MustCompile(`^[a-z0-9.!#$%&'*+/=?^_{|}~-]+@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// normalizeEmail checks the syntax of an address and returns it trimmed and in lower case, the
// form in which addresses are stored and compared.
func normalizeEmail(address string) (string, error) {
	address = strings.ToLower(strings.TrimSpace(address))
	if !emailPattern.MatchString(address) || len(address) > 254 {
		return "", fault.InField("email", "email", "that is not an email address")
	}
	return address, nil
}

// stale returns the error for an If-Match that names an outdated version.
func stale(what string) error {
	return fault.New(fault.Stale, "stale", "somebody changed %s since you opened it; load it again and repeat your change",
		what)
}

// Place is a company that a person belongs to, with their role there.
type Place struct {
	Tenant     uuid.UUID
	Name       string
	Role       auth.Role
	Workspaces []Workspace
}

// Person is a user as they see themself.
type Person struct {
	ID          uuid.UUID
	Email, Name string
	Mails       Mails
	Places      []Place
}

// Mails are the mails that a person wants. Not every role gets all of them.
type Mails struct {
	Alerts    bool
	Approvals bool // what waits for their approval
	Mentions  bool
	SentBack  bool
}

// Profile returns the person who has signed in, with their companies and workspaces.
func (s *Service) Profile(ctx context.Context, by auth.Principal) (Person, error) {
	var person Person
	err := s.cells.InPerson(ctx, by.Person, uuid.Nil, func(tx pgx.Tx) error {
		user, err := q.New(tx).GetUser(ctx, by.Person)
		person = Person{ID: user.ID, Email: user.Email, Name: user.Name,
			Mails: Mails{user.AlertMails, user.ApprovalMails, user.MentionMails, user.SentBackMails}}
		return err
	})
	if err != nil {
		return Person{}, err
	}
	var rows []q.ListPlacesRow
	// Crosses tenants: a person may belong to several.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		rows, err = q.New(tx).ListPlaces(ctx, by.Person)
		return err
	})
	for _, row := range rows {
		if last := len(person.Places) - 1; last < 0 || person.Places[last].Tenant != row.TenantID {
			person.Places = append(person.Places, Place{Tenant: row.TenantID, Name: row.TenantName, Role: auth.Role(row.Role)})
		}
		place := &person.Places[len(person.Places)-1]
		place.Workspaces = append(place.Workspaces, Workspace{
			ID: row.WorkspaceID, Name: row.WorkspaceName, TimeZone: row.TimeZone, BaseCurrency: row.BaseCurrency,
			Locale: row.Locale, WeekStart: row.WeekStart,
		})
	}
	return person, err
}

// inCompanies runs fn in one transaction that reaches the person's own rows and all
// companies that they belong to.
func (s *Service) inCompanies(ctx context.Context, person uuid.UUID,
	fn func(tx pgx.Tx, companies []uuid.UUID) error) error {
	var companies []uuid.UUID
	// Crosses tenants: a person may belong to several.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		companies, err = q.New(tx).ListCompaniesOf(ctx, person)
		return err
	})
	if err != nil {
		return err
	}
	return s.cells.InPersonAt(ctx, person, companies, func(tx pgx.Tx) error { return fn(tx, companies) })
}

// asPerson returns the principal of a person who acts in a company on their own account.
func asPerson(person, company uuid.UUID) auth.Principal {
	return auth.Principal{Tenant: company, Person: person, Actor: auth.Actor{Type: auth.ByPerson, ID: person.String()}}
}

// ProfileChange lists the new values of a profile. A nil field keeps its value.
type ProfileChange struct {
	Name                                                   *string
	AlertMails, ApprovalMails, MentionMails, SentBackMails *bool
}

// ChangeProfile changes the person's profile. A new name is recorded in the audit log of
// each of their companies.
func (s *Service) ChangeProfile(ctx context.Context, by auth.Principal, change ProfileChange) error {
	if change.Name != nil {
		name, err := checkName("a person", *change.Name)
		if err != nil {
			return err
		}
		change.Name = &name
	}
	return s.inCompanies(ctx, by.Person, func(tx pgx.Tx, companies []uuid.UUID) error {
		queries := q.New(tx)
		user, err := queries.GetUser(ctx, by.Person)
		if err != nil {
			return err
		}
		err = queries.ChangeUser(ctx, q.ChangeUserParams{ID: by.Person, Name: change.Name, AlertMails: change.AlertMails,
			ApprovalMails: change.ApprovalMails, MentionMails: change.MentionMails, SentBackMails: change.SentBackMails})
		if err != nil || change.Name == nil || *change.Name == user.Name {
			return err
		}
		for _, company := range companies {
			data := audit.Data{"email": user.Email, "from": user.Name, "to": *change.Name}
			if err := audit.Record(ctx, tx, asPerson(by.Person, company), "member.renamed", by.Person.String(),
				data); err != nil {
				return err
			}
		}
		return nil
	})
}

// Lifetimes of sessions, links and remembered browsers.
const (
	sessionIdle    = 7 * 24 * time.Hour  // a session that is not used
	sessionLongest = 30 * 24 * time.Hour // a session that is used every day
	invitationLife = 7 * 24 * time.Hour
	resetMailLife  = time.Hour            // a reset link sent by mail
	resetLinkLife  = 24 * time.Hour       // a reset link that an admin hands over
	browserLife    = 180 * 24 * time.Hour // after the last sign-in with it
)
