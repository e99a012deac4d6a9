package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
)

type (
	connectionJSON struct {
		ID             uuid.UUID           `json:"id" format:"uuid"`
		System         string              `json:"system" enum:"katana"`
		Name           string              `json:"name" example:"Katana"`
		Address        string              `json:"address" example:"https://api.katanamrp.com/v1"`
		MayExport      bool                `json:"may_export" doc:"Orders of this workspace may be written there."`
		MayLoad        bool                `json:"may_load" doc:"Orders of that system may be read into this workspace."`
		Location       string              `json:"location" doc:"The other system's id of the place that goods arrive at. Empty if none was chosen."`
		CallsPerMinute int64               `json:"calls_per_minute"`
		State          string              `json:"state" enum:"draft,active,paused"`
		PausedBecause  string              `json:"paused_because,omitempty"`
		TokenEnding    string              `json:"token_ending" doc:"The token's last four characters. Empty if it is short. The token itself is never returned."`
		TokenSetAt     *time.Time          `json:"token_set_at,omitempty"`
		HookSetAt      *time.Time          `json:"hook_set_at,omitempty" doc:"When the secret of its webhooks was set. Absent if there is none. The secret itself is never returned."`
		Test           *connectionTestJSON `json:"test,omitempty" doc:"The last test of the present address and token. Absent if there was none."`
		Version        int64               `json:"version" doc:"The ETag is this number in quotes."`
		CreatedAt      time.Time           `json:"created_at"`
		CreatedBy      actorJSON           `json:"created_by"`
		UpdatedAt      time.Time           `json:"updated_at"`
		UpdatedBy      actorJSON           `json:"updated_by"`
	}
	connectionTestJSON struct {
		At      time.Time `json:"at"`
		Passed  bool      `json:"passed"`
		Failure string    `json:"failure,omitempty" doc:"Why it failed, in words."`
	}
	// OneConnection names a connection.
	OneConnection struct {
		InWorkspace
		Connection uuid.UUID `path:"connection" format:"uuid"`
	}
)

// connectionOperations are about connections to other systems.
func (s *Server) connectionOperations(a *appAPI) {
	const tag, path = "Connections", "workspaces/{workspace}/connections"
	const this = path + "/{connection}"
	const needs = auth.ManageConnections
	register(a, operation{
		id: "listConnections", method: http.MethodGet, path: path, tag: tag, needs: needs,
		summary: "Connections to other systems", about: "Returns all of them; there is at most one for each system.",
	}, func(ctx context.Context, _ *InWorkspace) (*body[list[connectionJSON]], error) {
		connections, err := s.Connections.List(ctx, by(ctx).Principal)
		var items []connectionJSON
		for _, one := range connections {
			items = append(items, toConnectionJSON(one))
		}
		return listed(items, false, func(one connectionJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "createConnection", method: http.MethodPost, path: path, tag: tag, needs: needs, status: http.StatusCreated,
		summary: "Connect another system",
		about:   "Makes a draft, which calls nobody. Test it, then resume it. The operator must have set QUAYSIDE_SECRET_KEYS.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			System         string `json:"system" enum:"katana" example:"katana"`
			Name           string `json:"name" example:"Katana" doc:"At most 100 characters."`
			Address        string `json:"address" example:"https://api.katanamrp.com/v1"`
			Token          string `json:"token" example:"9b2e4c6a-8d1f-4b7e" doc:"The token that the other system takes. It is stored encrypted and never returned."`
			MayExport      bool   `json:"may_export,omitempty" example:"true"`
			MayLoad        bool   `json:"may_load,omitempty" example:"true"`
			Location       string `json:"location,omitempty" example:"1" doc:"Needed before orders are exported."`
			CallsPerMinute int64  `json:"calls_per_minute,omitempty" example:"60" doc:"At most 6000. Absent means 60."`
		}
	}) (*versioned[connectionJSON], error) {
		made, err := s.Connections.Create(ctx, by(ctx).Principal, connection.System(in.Body.System), connection.Settings{
			Name: in.Body.Name, Address: in.Body.Address, MayExport: in.Body.MayExport, MayLoad: in.Body.MayLoad,
			Location: in.Body.Location, CallsPerMinute: in.Body.CallsPerMinute,
		}, in.Body.Token)
		return toVersionedConnection(made), err
	})
	register(a, operation{
		id: "getConnection", method: http.MethodGet, path: this, tag: tag, needs: needs, summary: "One connection",
	}, func(ctx context.Context, in *OneConnection) (*versioned[connectionJSON], error) {
		found, err := s.Connections.Get(ctx, by(ctx).Principal, in.Connection)
		return toVersionedConnection(found), err
	})
	s.connectionChangeOperations(a, tag, this)
	s.connectionStateOperations(a, tag, this)
}

// connectionChangeOperations change connections and their tokens.
func (s *Server) connectionChangeOperations(a *appAPI, tag, this string) {
	const needs = auth.ManageConnections
	register(a, operation{
		id: "changeConnection", method: http.MethodPatch, path: this, tag: tag, needs: needs,
		summary: "Change a connection",
		about: "Absent fields keep their value. An address of another host needs the token again (token_again). A new address " +
			"or token pauses the connection until it was tested.",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Conditional
		Body struct {
			Name           *string `json:"name,omitempty" example:"Katana"`
			Address        *string `json:"address,omitempty" example:"https://api.katanamrp.com/v1"`
			Token          *string `json:"token,omitempty" example:"9b2e4c6a-8d1f-4b7e"`
			MayExport      *bool   `json:"may_export,omitempty" example:"true"`
			MayLoad        *bool   `json:"may_load,omitempty" example:"true"`
			Location       *string `json:"location,omitempty" example:"1"`
			CallsPerMinute *int64  `json:"calls_per_minute,omitempty" example:"60"`
		}
	}) (*versioned[connectionJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		changed, err := s.Connections.Change(ctx, by(ctx).Principal, in.Connection, version, connection.Changes(in.Body))
		return toVersionedConnection(changed), err
	})
	register(a, operation{
		id: "replaceConnectionToken", method: http.MethodPost, path: this + "/token", tag: tag, needs: needs,
		summary: "Replace a connection's token", about: "Pauses the connection until it was tested.",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Body struct {
			Token string `json:"token" example:"9b2e4c6a-8d1f-4b7e"`
		}
	}) (*versioned[connectionJSON], error) {
		changed, err := s.Connections.ReplaceToken(ctx, by(ctx).Principal, in.Connection, in.Body.Token)
		return toVersionedConnection(changed), err
	})
}

// connectionStateOperations take connections into use and out of it.
func (s *Server) connectionStateOperations(a *appAPI, tag, this string) {
	const needs = auth.ManageConnections
	register(a, operation{
		id: "testConnection", method: http.MethodPost, path: this + "/test", tag: tag, needs: needs,
		summary: "Test a connection",
		about:   "Calls the other system with the stored token and changes nothing there. The answer's test says what came of it.",
	}, func(ctx context.Context, in *OneConnection) (*versioned[connectionJSON], error) {
		tested, err := s.Connections.Test(ctx, by(ctx).Principal, in.Connection)
		return toVersionedConnection(tested), err
	})
	register(a, operation{
		id: "pauseConnection", method: http.MethodPost, path: this + "/pause", tag: tag, needs: needs,
		summary: "Pause a connection",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Body struct {
			Reason string `json:"reason" example:"Stock-taking until Monday" doc:"At most 500 characters."`
		}
	}) (*versioned[connectionJSON], error) {
		paused, err := s.Connections.Pause(ctx, by(ctx).Principal, in.Connection, in.Body.Reason)
		return toVersionedConnection(paused), err
	})
	register(a, operation{
		id: "resumeConnection", method: http.MethodPost, path: this + "/resume", tag: tag, needs: needs,
		summary: "Take a connection into use",
		about:   "For the first time or again. Its present address and token must have passed a test (connection_untested).",
	}, func(ctx context.Context, in *OneConnection) (*versioned[connectionJSON], error) {
		resumed, err := s.Connections.Resume(ctx, by(ctx).Principal, in.Connection)
		return toVersionedConnection(resumed), err
	})
	register(a, operation{
		id: "deleteConnection", method: http.MethodDelete, path: this, tag: tag, needs: needs,
		status: http.StatusNoContent, summary: "Delete a connection", about: "Its token is deleted. What it did stays.",
	}, func(ctx context.Context, in *OneConnection) (*nothing, error) {
		return nil, s.Connections.Delete(ctx, by(ctx).Principal, in.Connection)
	})
}

func toVersionedConnection(c connection.Connection) *versioned[connectionJSON] {
	return &versioned[connectionJSON]{etag(c.Version), toConnectionJSON(c)}
}

func toConnectionJSON(c connection.Connection) connectionJSON {
	shown := connectionJSON{
		ID: c.ID, System: string(c.System), Name: c.Settings.Name, Address: c.Settings.Address,
		MayExport: c.Settings.MayExport, MayLoad: c.Settings.MayLoad, Location: c.Settings.Location,
		CallsPerMinute: c.Settings.CallsPerMinute, State: string(c.State), PausedBecause: c.PausedBecause,
		TokenEnding: c.TokenEnding, TokenSetAt: utc(c.TokenSetAt), HookSetAt: utc(c.HookSetAt), Version: c.Version,
		CreatedAt: c.CreatedAt.UTC(), CreatedBy: actorJSON{Type: string(c.CreatedBy.Type), ID: c.CreatedBy.ID},
		UpdatedAt: c.UpdatedAt.UTC(), UpdatedBy: actorJSON{Type: string(c.UpdatedBy.Type), ID: c.UpdatedBy.ID},
	}
	if c.Test != nil {
		shown.Test = &connectionTestJSON{c.Test.At.UTC(), c.Test.Failure == "", c.Test.Failure}
	}
	return shown
}
