// Package token issues, lists, revokes and verifies the tokens with which assistants and
// agents call. A token belongs to a person, and then allows a part of what that person may do
// at the time of the call, or to an agent. The full token exists only in the answer of Issue;
// the database keeps its SHA-256 hash and its first characters.
package token

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/secret"
)

const (
	marker       = "qst_"
	prefixLength = 12
)

// Service issues, lists, revokes and verifies tokens.
type Service struct {
	cells    *pg.Cells
	calls    *otter.Cache[uuid.UUID, *rate.Limiter] // by token
	requests *otter.Cache[[32]byte, *rate.Limiter]  // by the hash of what was shown
}

// New returns the service.
func New(cells *pg.Cells) *Service {
	return &Service{
		cells: cells,
		calls: otter.Must(&otter.Options[uuid.UUID, *rate.Limiter]{
			MaximumSize: mostBuckets, ExpiryCalculator: otter.ExpiryAccessing[uuid.UUID, *rate.Limiter](time.Hour),
		}),
		requests: otter.Must(&otter.Options[[32]byte, *rate.Limiter]{
			MaximumSize: mostBuckets, ExpiryCalculator: otter.ExpiryAccessing[[32]byte, *rate.Limiter](time.Hour),
		}),
	}
}

// Token is what can be shown of a token after it was issued.
type Token struct {
	ID        uuid.UUID
	Workspace uuid.UUID
	Prefix    string
	Label     string
	Person    *uuid.UUID // its owner, or nil
	Agent     *uuid.UUID // the agent, or nil
	Scopes    []auth.Scope
	CreatedAt time.Time
	ExpiresAt *time.Time
	RevokedAt *time.Time
	UsedAt    *time.Time // exact to a minute
}

// Status returns in one word whether the token works.
func (t Token) Status(now time.Time) string { return secret.Status(t.RevokedAt, t.ExpiresAt, now) }

// Request describes a new token.
type Request struct {
	Label     string // for an agent: its name
	Agent     bool   // for an agent instead of the caller
	Scopes    []auth.Scope
	ExpiresAt *time.Time
}

// Issue creates a token and returns its secret, which cannot be read again. Everybody creates
// tokens for themselves; only those who manage tokens create them for agents.
func (s *Service) Issue(ctx context.Context, by auth.Principal, want Request) (Token, string, error) {
	needs := auth.Read
	if want.Agent || by.Person == uuid.Nil {
		needs = auth.ManageTokens
	}
	if err := by.Require(needs); err != nil {
		return Token{}, "", err
	}
	token := Token{
		ID: uuid.Must(uuid.NewV7()), Workspace: by.Workspace, Label: strings.TrimSpace(want.Label), ExpiresAt: want.ExpiresAt,
		Person: by.PersonID(),
	}
	if want.Agent {
		// The agent's id is derived from its name: with a new token it still owns its
		// drafts.
		agent := uuid.NewSHA1(by.Workspace, []byte(token.Label))
		token.Person, token.Agent = nil, &agent
	}
	if err := want.check(by, &token); err != nil {
		return Token{}, "", err
	}
	shown := secret.New(marker)
	token.Prefix = shown[:prefixLength]
	return token, shown, s.store(ctx, by, &token, secret.Hash(shown))
}

func (want Request) check(by auth.Principal, token *Token) error {
	switch {
	case token.Person == nil && token.Agent == nil:
		return fault.InField("agent", "owner", "a token belongs to a person or to an agent")
	case token.Label == "" || strings.ContainsRune(token.Label, 0) || utf8.RuneCountInString(token.Label) > 200:
		return fault.InField("label", "label",
			"a token needs a label of at most 200 characters, so that people know who uses it")
	case token.ExpiresAt != nil && !token.ExpiresAt.After(time.Now()):
		return fault.InField("expires_at", "expires_at", "a token cannot expire in the past")
	case len(want.Scopes) == 0:
		return fault.InField("scopes", "scopes", "choose what the token may do: read, write, failed_imports, admin")
	}
	role := by.Role
	if want.Agent {
		role = auth.Agent
	}
	for _, scope := range want.Scopes {
		switch {
		case !slices.Contains(auth.Scopes(), scope):
			return fault.InField("scopes", "scopes", "there is no scope %q; there are read, write, failed_imports and admin", scope)
		case !role.Fills(scope):
			return fault.InField("scopes", "scopes", "your role allows nothing of the scope %s", scope)
		}
	}
	for _, scope := range auth.Scopes() { // in a fixed order, without duplicates
		if slices.Contains(want.Scopes, scope) {
			token.Scopes = append(token.Scopes, scope)
		}
	}
	return nil
}

// store writes the directory entry first: an entry without its token allows nothing, while a
// token without its entry would be listed and never work.
func (s *Service) store(ctx context.Context, by auth.Principal, token *Token, hash []byte) error {
	err := s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).InsertKeyDirectory(ctx,
			q.InsertKeyDirectoryParams{KeyHash: hash, KeyID: token.ID, TenantID: by.Tenant, WorkspaceID: token.Workspace})
	})
	if err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		token.CreatedAt, err = q.New(tx).InsertToken(ctx, q.InsertTokenParams{
			TenantID: by.Tenant, ID: token.ID, WorkspaceID: token.Workspace, TokenHash: hash, Prefix: token.Prefix,
			Label:  token.Label,
			UserID: token.Person, AgentID: token.Agent, Scopes: texts(token.Scopes), CreatedBy: by.Actor.JSON(),
			ExpiresAt: token.ExpiresAt,
		})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "token.issued", token.ID.String(), token.data())
	})
}

// visibleOwner returns the person whose tokens the caller may see and revoke: uuid.Nil for
// everybody's, uuid.Max for nobody's.
func visibleOwner(by auth.Principal) uuid.UUID {
	switch {
	case by.Require(auth.ManageTokens) == nil:
		return uuid.Nil
	case by.Person == uuid.Nil: // an agent has no tokens to manage, not even its own
		return uuid.Max
	}
	return by.Person
}

// List returns tokens, oldest first and revoked ones included: those of the caller's
// workspace, or of all workspaces if the caller is in none; everybody's or only the caller's
// own.
func (s *Service) List(ctx context.Context, by auth.Principal, want page.Request) (
	tokens []Token, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListTokens(ctx, q.ListTokensParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, After: want.After, UserID: visibleOwner(by), Most: want.Limit(),
		})
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			tokens = append(tokens, toToken(row))
		}
		return err
	})
	return tokens, more, err
}

// Agent is somebody who is no person and has tokens, or had.
type Agent struct {
	ID   uuid.UUID
	Name string
}

// mostAgents is how many agents of a workspace are listed.
const mostAgents = 1000

// Agents returns the agents of the caller's workspace, so that everybody can tell who made a line: the
// one of the service first, then the others by name.
func (s *Service) Agents(ctx context.Context, by auth.Principal) ([]Agent, error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	agents := []Agent{{auth.ProcurementAgent, auth.ProcurementName}}
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListAgents(ctx, q.ListAgentsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Most: mostAgents})
		for _, row := range rows {
			agents = append(agents, Agent{row.ID, row.Label})
		}
		return err
	})
	return agents, err
}

// Revoke revokes a token: its next call is refused. Revoking it again changes nothing.
func (s *Service) Revoke(ctx context.Context, by auth.Principal, id uuid.UUID) (token Token, err error) {
	if err := by.Require(auth.Read); err != nil {
		return Token{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		row, err := queries.GetToken(ctx,
			q.GetTokenParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id, UserID: visibleOwner(by)})
		if err != nil {
			return err
		}
		token = toToken(q.ListTokensRow(row))
		if token.RevokedAt != nil {
			return nil
		}
		if token.RevokedAt, err = queries.RevokeToken(ctx, q.RevokeTokenParams{TenantID: by.Tenant, ID: id}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "token.revoked", id.String(), token.data())
	})
	if fault.Is(err, fault.NotFound) {
		return Token{}, fault.New(fault.NotFound, "unknown_token", "there is no such token, or it is not yours")
	}
	return token, err
}

// data returns the token for the audit.
func (t Token) data() audit.Data {
	data := audit.Data{"label": t.Label, "scopes": t.Scopes, "prefix": t.Prefix}
	if t.Agent != nil {
		data["agent"] = t.Agent
	} else {
		data["user"] = t.Person
	}
	if t.ExpiresAt != nil {
		data["expires_at"] = t.ExpiresAt
	}
	return data
}

func toToken(row q.ListTokensRow) Token {
	return Token{
		ID: row.ID, Workspace: row.WorkspaceID, Prefix: row.Prefix, Label: row.Label, Person: row.UserID, Agent: row.AgentID,
		Scopes:    scopes(row.Scopes),
		CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt, RevokedAt: row.RevokedAt, UsedAt: row.LastUsedAt,
	}
}

func scopes(names []string) (scopes []auth.Scope) {
	for _, name := range names {
		scopes = append(scopes, auth.Scope(name))
	}
	return scopes
}

func texts(scopes []auth.Scope) (names []string) {
	for _, scope := range scopes {
		names = append(names, string(scope))
	}
	return names
}
