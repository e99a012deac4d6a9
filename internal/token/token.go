// Package token issues, lists, ends and verifies the tokens with which assistants and
// agents call. A token is a person's, and then opens a part of what that person may do at
// the moment of the call, or an agent's. The full token exists once, in the answer of
// Issue; what is kept is its SHA-256 hash and its first characters.
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

// Service issues, lists, ends and verifies tokens.
type Service struct {
	cells   *pg.Cells
	buckets *otter.Cache[uuid.UUID, bucket]
}

// New returns the service.
func New(cells *pg.Cells) *Service {
	return &Service{cells: cells, buckets: otter.Must(&otter.Options[uuid.UUID, bucket]{
		MaximumSize: mostBuckets, ExpiryCalculator: otter.ExpiryAccessing[uuid.UUID, bucket](time.Hour),
	})}
}

// Token is what may be told about a token after it was issued.
type Token struct {
	ID        uuid.UUID
	Workspace uuid.UUID
	Prefix    string
	Label     string
	Person    *uuid.UUID // whose it is, or
	Agent     *uuid.UUID // which agent
	Scopes    []auth.Scope
	CreatedAt time.Time
	ExpiresAt *time.Time
	RevokedAt *time.Time
	UsedAt    *time.Time // within a minute
}

// Status says in one word whether the token works.
func (t Token) Status(now time.Time) string { return secret.Status(t.RevokedAt, t.ExpiresAt, now) }

// Request says what token is wanted.
type Request struct {
	Label     string // of an agent: its name
	Agent     bool   // for an agent; otherwise for the caller
	Scopes    []auth.Scope
	ExpiresAt *time.Time
}

// Issue makes a token and returns its secret, which nobody can read again. Everybody makes
// tokens for themselves; those of agents are made by who manages tokens.
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
		// An agent is its name: with a new token it still owns the drafts that it made.
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
		return fault.InField("scopes", "scopes", "say what the token opens: read, write, failed_imports")
	}
	role := by.Role
	if want.Agent {
		role = auth.Agent
	}
	for _, scope := range want.Scopes {
		switch {
		case !slices.Contains(auth.Scopes(), scope):
			return fault.InField("scopes", "scopes", "there is no scope %q; there are read, write and failed_imports", scope)
		case !role.Fills(scope):
			return fault.InField("scopes", "scopes", "your role may do nothing that the scope %s opens", scope)
		}
	}
	for _, scope := range auth.Scopes() { // in a fixed order, each once
		if slices.Contains(want.Scopes, scope) {
			token.Scopes = append(token.Scopes, scope)
		}
	}
	return nil
}

// store keeps both halves. The directory first: an entry without its token opens nothing,
// while a token without its entry would be listed and never work.
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

// mine is whose tokens the caller may see and end: everybody's, or their own.
func mine(by auth.Principal) uuid.UUID {
	if by.Require(auth.ManageTokens) == nil {
		return uuid.Nil
	}
	return by.Person
}

// List returns the tokens of the caller's workspace, or of all when they are in none:
// everybody's or only their own, oldest first, ended ones included.
func (s *Service) List(ctx context.Context, by auth.Principal, want page.Request) (
	tokens []Token, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListTokens(ctx, q.ListTokensParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, After: want.After, UserID: mine(by), Most: want.Limit(),
		})
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			tokens = append(tokens, toToken(row))
		}
		return err
	})
	return tokens, more, err
}

// Revoke ends a token: its next call is refused. Ending it again changes nothing.
func (s *Service) Revoke(ctx context.Context, by auth.Principal, id uuid.UUID) (token Token, err error) {
	if err := by.Require(auth.Read); err != nil {
		return Token{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		row, err := queries.GetToken(ctx,
			q.GetTokenParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id, UserID: mine(by)})
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

// data is what the audit tells of a token.
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
