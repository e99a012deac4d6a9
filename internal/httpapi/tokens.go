package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/token"
)

type (
	tokenJSON struct {
		ID         uuid.UUID    `json:"id" format:"uuid"`
		Prefix     string       `json:"prefix" doc:"The token's first characters." example:"qst_1f0c9a2e"`
		Label      string       `json:"label" doc:"For an agent: its name."`
		UserID     *uuid.UUID   `json:"user_id,omitempty" format:"uuid" doc:"The member for whom the token acts."`
		AgentID    *uuid.UUID   `json:"agent_id,omitempty" format:"uuid" doc:"The agent that the token belongs to."`
		Scopes     []auth.Scope `json:"scopes" enum:"read,write,failed_imports,admin"`
		Status     string       `json:"status" enum:"live,expired,revoked"`
		CreatedAt  time.Time    `json:"created_at"`
		ExpiresAt  *time.Time   `json:"expires_at,omitempty"`
		RevokedAt  *time.Time   `json:"revoked_at,omitempty"`
		LastUsedAt *time.Time   `json:"last_used_at,omitempty" doc:"Accurate to a minute."`
	}
	secretTokenJSON struct {
		Token  tokenJSON `json:"token"`
		Secret string    `json:"secret" doc:"The token itself. This is the only time it is shown." example:"qst_1f0c9a2e5b7d8f6a1f0c9a2e5b7d8f6a1f0c9a2e5b7d8f6a"`
	}
	agentJSON struct {
		ID   uuid.UUID `json:"id" format:"uuid"`
		Name string    `json:"name"`
	}
	// OneToken names a token.
	OneToken struct {
		InWorkspace
		Token uuid.UUID `path:"token" format:"uuid"`
	}
)

// tokenOperations are about the tokens with which assistants and agents call /mcp.
func (s *Server) tokenOperations(a *appAPI) {
	const tag, path = "Tokens", "workspaces/{workspace}/tokens"
	register(a, operation{
		id: "listTokens", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "List tokens of assistants and agents",
		about:   "Includes tokens that have ended. Company-Admins see all tokens, others only their own.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
	}) (*body[list[tokenJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		tokens, more, err := s.Tokens.List(ctx, by(ctx).Principal, want)
		var items []tokenJSON
		for _, one := range tokens {
			items = append(items, toTokenJSON(one))
		}
		return listed(items, more, func(one tokenJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "listAgents", method: http.MethodGet, path: "workspaces/{workspace}/agents", tag: tag, needs: auth.Read,
		summary: "List agents",
		about:   "The names of all agents that work in the workspace or did: the procurement agent, and those that have tokens or had.",
	}, func(ctx context.Context, _ *InWorkspace) (*body[list[agentJSON]], error) {
		agents, err := s.Tokens.Agents(ctx, by(ctx).Principal)
		var items []agentJSON
		for _, one := range agents {
			items = append(items, agentJSON(one))
		}
		return listed(items, false, func(one agentJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "createToken", method: http.MethodPost, path: path, tag: tag, needs: auth.Read, status: http.StatusCreated,
		summary: "Create a token",
		about:   "You can create tokens for yourself, within your role. For an agent you need manage_tokens. An agent is identified by its name: with a new token it still owns the drafts that it made.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Label     string       `json:"label" minLength:"1" maxLength:"200" doc:"For an agent: its name." example:"My assistant"`
			Agent     bool         `json:"agent,omitempty" doc:"True creates a token for an agent, false for yourself." example:"false"`
			Scopes    []auth.Scope `json:"scopes" minItems:"1" maxItems:"4" enum:"read,write,failed_imports,admin" example:"[\"read\"]"`
			ExpiresAt *time.Time   `json:"expires_at,omitempty" doc:"Absent means that it is valid until it is revoked."`
		}
	}) (*body[secretTokenJSON], error) {
		made, secret, err := s.Tokens.Issue(ctx, by(ctx).Principal, token.Request{
			Label: in.Body.Label, Agent: in.Body.Agent, Scopes: in.Body.Scopes, ExpiresAt: in.Body.ExpiresAt,
		})
		return &body[secretTokenJSON]{secretTokenJSON{toTokenJSON(made), secret}}, err
	})
	register(a, operation{
		id: "revokeToken", method: http.MethodPost, path: path + "/{token}/revoke", tag: tag, needs: auth.Read,
		summary: "End a token",
		about:   "The token's next call is refused. You can revoke your own tokens, or with manage_tokens any token. Revoking again changes nothing.",
	}, func(ctx context.Context, in *OneToken) (*body[tokenJSON], error) {
		ended, err := s.Tokens.Revoke(ctx, by(ctx).Principal, in.Token)
		return &body[tokenJSON]{toTokenJSON(ended)}, err
	})
}

func toTokenJSON(t token.Token) tokenJSON {
	return tokenJSON{
		ID: t.ID, Prefix: t.Prefix, Label: t.Label, UserID: t.Person, AgentID: t.Agent,
		Scopes: append([]auth.Scope{}, t.Scopes...),
		Status: t.Status(time.Now()), CreatedAt: t.CreatedAt.UTC(), ExpiresAt: utc(t.ExpiresAt), RevokedAt: utc(t.RevokedAt),
		LastUsedAt: utc(t.UsedAt),
	}
}
