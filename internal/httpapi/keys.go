package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
)

type (
	keyJSON struct {
		ID           uuid.UUID  `json:"id" format:"uuid"`
		Prefix       string     `json:"prefix" doc:"The key's first characters." example:"pk_1f0c9a2e"`
		Label        string     `json:"label"`
		Scope        string     `json:"scope" doc:"The slug of one table, or '*' for every table."`
		Status       string     `json:"status" enum:"live,expired,revoked"`
		CreatedAt    time.Time  `json:"created_at"`
		CreatedBy    *uuid.UUID `json:"created_by,omitempty" format:"uuid" doc:"The member who created it. Absent if an operator did."`
		ExpiresAt    *time.Time `json:"expires_at,omitempty"`
		RevokedAt    *time.Time `json:"revoked_at,omitempty"`
		ReplacedBy   *uuid.UUID `json:"replaced_by,omitempty" format:"uuid" doc:"The key that a rotation created."`
		LastUsedAt   *time.Time `json:"last_used_at,omitempty"`
		LastUsedFrom string     `json:"last_used_from,omitempty" doc:"The caller's IP address."`
		Calls        int64      `json:"calls_24h"`

		OrderDraftedHere bool `json:"order_drafted_here" doc:"Whether it may order purchase order lines that were drafted here."`
	}
	secretKeyJSON struct {
		Key    keyJSON `json:"key"`
		Secret string  `json:"secret" doc:"The key itself. This is the only time it is shown." example:"pk_1f0c9a2e5b7d8f6a1f0c9a2e5b7d8f6a1f0c9a2e5b7d8f6a"`
	}
	// OneKey names a key.
	OneKey struct {
		InWorkspace
		Key uuid.UUID `path:"key" format:"uuid"`
	}
)

// overlaps are the times for which a rotated key still works, by their names in the API.
var overlaps = map[string]time.Duration{
	"none": apikey.NoOverlap, "1h": apikey.OverlapHour, "24h": apikey.OverlapDay, "7d": apikey.OverlapWeek,
}

// keyOperations are about the keys of a workspace.
func (s *Server) keyOperations(a *appAPI) {
	const tag = "API keys"
	register(a, operation{
		id: "listKeys", method: http.MethodGet, path: "workspaces/{workspace}/keys", tag: tag, needs: auth.ManageKeys,
		summary: "List the workspace's keys",
		about:   "Includes keys that have ended. The figures about their use are a few seconds old.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
	}) (*body[list[keyJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		keys, more, err := s.Keys.List(ctx, by(ctx).Principal, want)
		var items []keyJSON
		for _, key := range keys {
			items = append(items, toKeyJSON(key))
		}
		return listed(items, more, func(one keyJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "createKey", method: http.MethodPost, path: "workspaces/{workspace}/keys", tag: tag, needs: auth.ManageKeys,
		summary: "Create a key", status: http.StatusCreated,
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Label     string     `json:"label" minLength:"1" maxLength:"200" doc:"What the key is for." example:"Shop sync"`
			Scope     string     `json:"scope" doc:"The slug of one table, or '*' for every table, including future ones." example:"orders"`
			ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"Absent means that it is valid until it is revoked."`

			OrderDraftedHere bool `json:"order_drafted_here,omitempty" doc:"Whether it may order purchase order lines that were drafted here, without an approval. Only for a scope that covers them. It cannot be changed later; a rotated key keeps it." example:"false"`
		}
	}) (*body[secretKeyJSON], error) {
		key, secret, err := s.Keys.Issue(ctx, by(ctx).Principal, apikey.Request{
			Workspace: in.Workspace, Label: in.Body.Label, Scope: in.Body.Scope, ExpiresAt: in.Body.ExpiresAt,
			OrderDraftedHere: in.Body.OrderDraftedHere,
		})
		return &body[secretKeyJSON]{secretKeyJSON{toKeyJSON(apikey.Used{Key: key}), secret}}, err
	})
	register(a, operation{
		id: "getKey", method: http.MethodGet, path: "workspaces/{workspace}/keys/{key}", tag: tag, needs: auth.ManageKeys,
		summary: "One key",
	}, func(ctx context.Context, in *OneKey) (*body[keyJSON], error) {
		key, err := s.Keys.Get(ctx, by(ctx).Principal, in.Key)
		return &body[keyJSON]{toKeyJSON(key)}, err
	})
	register(a, operation{
		id: "rotateKey", method: http.MethodPost, path: "workspaces/{workspace}/keys/{key}/rotate", tag: tag,
		needs: auth.ManageKeys, status: http.StatusCreated,
		summary: "Replace a key", about: "Creates a key with the same scope. The old key stays valid for the overlap.",
	}, func(ctx context.Context, in *struct {
		OneKey
		Body struct {
			Overlap string `json:"overlap" enum:"none,1h,24h,7d" doc:"How long the old key still works." example:"24h"`
		}
	}) (*body[secretKeyJSON], error) {
		key, secret, err := s.Keys.Rotate(ctx, by(ctx).Principal, in.Key, overlaps[in.Body.Overlap])
		return &body[secretKeyJSON]{secretKeyJSON{toKeyJSON(apikey.Used{Key: key}), secret}}, err
	})
	register(a, operation{
		id: "revokeKey", method: http.MethodPost, path: "workspaces/{workspace}/keys/{key}/revoke", tag: tag,
		needs:   auth.ManageKeys,
		summary: "Revoke a key", about: "A call that starts after the answer gets 401. Revoking again changes nothing.",
	}, func(ctx context.Context, in *OneKey) (*body[keyJSON], error) {
		if _, err := s.Keys.Revoke(ctx, by(ctx).Principal, in.Key); err != nil {
			return nil, err
		}
		key, err := s.Keys.Get(ctx, by(ctx).Principal, in.Key)
		return &body[keyJSON]{toKeyJSON(key)}, err
	})
}

func toKeyJSON(key apikey.Used) keyJSON {
	return keyJSON{
		ID: key.ID, Prefix: key.Prefix, Label: key.Label, Scope: key.Scope, Status: key.Status(time.Now()),
		CreatedAt: key.CreatedAt.UTC(), CreatedBy: key.CreatedBy, ExpiresAt: utc(key.ExpiresAt),
		RevokedAt:  utc(key.RevokedAt),
		ReplacedBy: key.ReplacedBy, LastUsedAt: utc(key.LastAt), LastUsedFrom: key.LastFrom, Calls: key.Calls,
		OrderDraftedHere: key.OrderDraftedHere,
	}
}
