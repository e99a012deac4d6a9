// Package account knows companies and people: tenants with their workspaces, users,
// what a user is in which tenant, sessions, and the links that invite somebody or let
// them choose a new password.
//
// Secrets (passwords, session tokens, links) exist in the answer that makes them and
// in the request that shows them. What is kept are hashes.
package account

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
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

// Service is everything about companies and people.
type Service struct {
	cells   *pg.Cells
	post    *mail.Sender
	log     *slog.Logger
	baseURL string         // where links lead
	hashing chan struct{}  // bounds the memory that passwords being hashed take
	errands sync.WaitGroup // what is done after an answer
}

// New returns the service. Close ends it.
func New(cells *pg.Cells, post *mail.Sender, log *slog.Logger, baseURL string) *Service {
	return &Service{cells: cells, post: post, log: log, baseURL: baseURL, hashing: make(chan struct{}, hashesAtOnce)}
}

// Close returns when what was begun in the background is done.
func (s *Service) Close() { s.errands.Wait() }

// Tidy deletes what no longer counts: old tries, and sessions, links and browsers that have
// expired.
func (s *Service) Tidy(ctx context.Context) error {
	err := s.cells.InControl(ctx, uuid.Nil, func(tx pgx.Tx) error { return q.New(tx).DropOldTries(ctx) })
	if err != nil {
		return err
	}
	// Crosses tenants: the chore looks after everybody. The role can delete nothing that has
	// not expired.
	return s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		queries := q.New(tx)
		for _, drop := range []func(context.Context) error{
			queries.DropExpiredSessions, queries.DropExpiredResets, queries.DropExpiredInvitations, queries.DropExpiredBrowsers,
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
}

// CreateTenant makes a company and its first workspace, both or neither.
func (s *Service) CreateTenant(ctx context.Context, name string) (Tenant, error) {
	tenant := Tenant{ID: newID(), Workspace: newID()}
	var err error
	if tenant.Name, err = named("a tenant", name); err != nil {
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
	// Crosses tenants: who there is is what is asked for.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListTenants(ctx)
		for _, row := range rows {
			tenants = append(tenants, Tenant{ID: row.ID, Workspace: row.WorkspaceID, Name: row.Name})
		}
		return err
	})
	return tenants, err
}

// missing says whether a query inside a transaction found nothing.
func missing(err error) bool { return fault.Is(pg.Translate(err), fault.NotFound) }

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

const longestName = 200

// named checks the name of something.
func named(what, name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > longestName || strings.ContainsRune(name, 0) {
		return "", fault.InField("name", "name", "%s needs a name of at most %d characters", what, longestName)
	}
	return name, nil
}

// emailPattern is stricter than the standard: what mail servers really take, in ASCII, so
// that no two addresses look alike.
var emailPattern = regexp.MustCompile(`^[a-z0-9.!#$%&'*+/=?^_{|}~-]+@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// emailed checks an address and brings it into the form that is compared. Whether it
// exists, only a mail could tell.
func emailed(address string) (string, error) {
	address = strings.ToLower(strings.TrimSpace(address))
	if !emailPattern.MatchString(address) || len(address) > 254 {
		return "", fault.InField("email", "email", "that is not an email address")
	}
	return address, nil
}

// stale is what a caller is told whose If-Match names another version.
func stale(what string) error {
	return fault.New(fault.Stale, "stale", "somebody changed %s since you opened it; load it again and repeat your change",
		what)
}

// Place is a company that a person belongs to, and what they are there.
type Place struct {
	Tenant     uuid.UUID
	Name       string
	Role       auth.Role
	Workspaces []Workspace
}

// Person is who has signed in.
type Person struct {
	ID          uuid.UUID
	Email, Name string
	AlertMails  bool // wants alerts by mail, where their role gets any
	Places      []Place
}

// Profile returns the person themself and where they belong.
func (s *Service) Profile(ctx context.Context, by auth.Principal) (Person, error) {
	var person Person
	err := s.cells.InPerson(ctx, by.Person, uuid.Nil, func(tx pgx.Tx) error {
		user, err := q.New(tx).GetUser(ctx, by.Person)
		person = Person{ID: user.ID, Email: user.Email, Name: user.Name, AlertMails: user.AlertMails}
		return err
	})
	if err != nil {
		return Person{}, err
	}
	var rows []q.ListPlacesRow
	// Crosses tenants: the person's companies are what is asked for.
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
			Locale: row.Locale,
		})
	}
	return person, err
}

// inCompanies runs fn in one transaction with the person's own rows and the companies that
// they belong to.
func (s *Service) inCompanies(ctx context.Context, person uuid.UUID,
	fn func(tx pgx.Tx, companies []uuid.UUID) error) error {
	var companies []uuid.UUID
	// Crosses tenants: the person's companies are what is asked for.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		companies, err = q.New(tx).ListCompaniesOf(ctx, person)
		return err
	})
	if err != nil {
		return err
	}
	return s.cells.InPersonAt(ctx, person, companies, func(tx pgx.Tx) error { return fn(tx, companies) })
}

// as is a person who acts in a company for themself.
func as(person, company uuid.UUID) auth.Principal {
	return auth.Principal{Tenant: company, Person: person, Actor: auth.Actor{Type: auth.ByPerson, ID: person.String()}}
}

// ProfileChange is what a person changes about themself. What is nil stays as it is.
type ProfileChange struct {
	Name       *string
	AlertMails *bool
}

// ChangeProfile changes what the person says of themself. Their companies read of a new
// name.
func (s *Service) ChangeProfile(ctx context.Context, by auth.Principal, change ProfileChange) error {
	if change.Name != nil {
		name, err := named("a person", *change.Name)
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
		err = queries.ChangeUser(ctx, q.ChangeUserParams{ID: by.Person, Name: change.Name, AlertMails: change.AlertMails})
		if err != nil || change.Name == nil || *change.Name == user.Name {
			return err
		}
		for _, company := range companies {
			data := audit.Data{"email": user.Email, "from": user.Name, "to": *change.Name}
			if err := audit.Record(ctx, tx, as(by.Person, company), "member.renamed", by.Person.String(), data); err != nil {
				return err
			}
		}
		return nil
	})
}

// lifetimes of what people are given.
const (
	sessionIdle    = 7 * 24 * time.Hour  // a session that is not used
	sessionLongest = 30 * 24 * time.Hour // a session that is used every day
	invitationLife = 7 * 24 * time.Hour
	resetMailLife  = time.Hour            // a link that was mailed
	resetLinkLife  = 24 * time.Hour       // a link that somebody hands over
	browserLife    = 180 * 24 * time.Hour // a browser that somebody has signed in with
)
