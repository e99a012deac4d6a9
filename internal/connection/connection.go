// Package connection keeps the connections to external systems that the service calls: where a system is,
// the token that it takes, what may be done with it, and whether it is in use.
//
// A token goes in and never comes out, except in calls to the connection's own address: another address
// needs the token again. A connection is active only after a test with its present address and token.
package connection

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/vault"
)

// System names a kind of external system.
type System string

// Katana is an inventory system.
const Katana System = "katana"

// State says whether a connection is in use.
type State string

// The states.
const (
	Draft  State = "draft"  // it was never in use
	Active State = "active" // it is in use
	Paused State = "paused" // somebody, or its own sync, has stopped it
)

// Connection is a connection without its token.
type Connection struct {
	ID            uuid.UUID
	System        System
	Settings      Settings
	State         State
	PausedBecause string
	TokenEnding   string // the token's last characters; empty if it is short
	TokenSetAt    *time.Time
	HookSetAt     *time.Time // when the secret of its webhooks was entered; nil: there is none
	Test          *Test      // of the present address and token; nil: there was none
	Version       int64
	CreatedAt     time.Time
	CreatedBy     auth.Actor
	UpdatedAt     time.Time
	UpdatedBy     auth.Actor
	credentials   int64
}

// Settings are what people choose.
type Settings struct {
	Name           string
	Address        string
	MayExport      bool   // orders of ours may be written there
	MayLoad        bool   // its orders may be read into ours
	Location       string // its id of the place that goods arrive at; empty: not chosen yet
	CallsPerMinute int64
}

// Test is the result of a test.
type Test struct {
	At      time.Time
	Failure string // in words; empty: it passed
}

// Prober tests a connection. Each system has one.
type Prober interface {
	// Probe calls the system in a way that changes nothing there, and returns an error in words if it does
	// not answer as that system does, or does not take the token.
	Probe(ctx context.Context, client *outbound.Client, address string, token vault.Secret) error
}

// Service keeps connections.
type Service struct {
	cells   *pg.Cells
	vault   *vault.Vault
	outside *outbound.Transport
	probers map[System]Prober
	log     *slog.Logger
}

// New returns the service. It knows the systems that have a prober.
func New(cells *pg.Cells, secrets *vault.Vault, outside *outbound.Transport, probers map[System]Prober,
	log *slog.Logger) *Service {
	return &Service{cells: cells, vault: secrets, outside: outside, probers: probers, log: log}
}

// List returns the workspace's connections.
func (s *Service) List(ctx context.Context, by auth.Principal) (connections []Connection, err error) {
	if err := by.Require(auth.ManageConnections); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		connections, err = read(ctx, tx, by, nil)
		return err
	})
	return connections, err
}

// Get returns one connection.
func (s *Service) Get(ctx context.Context, by auth.Principal, id uuid.UUID) (found Connection, err error) {
	if err := by.Require(auth.ManageConnections); err != nil {
		return Connection{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		found, err = one(ctx, tx, by, id)
		return err
	})
	return found, err
}

// one reads one connection of the principal's workspace.
func one(ctx context.Context, tx pgx.Tx, by auth.Principal, id uuid.UUID) (Connection, error) {
	found, err := read(ctx, tx, by, &id)
	if err == nil && len(found) == 0 {
		return Connection{}, fault.New(fault.NotFound, "unknown_connection", "no connection has the id %s", id)
	}
	if err != nil {
		return Connection{}, err
	}
	return found[0], nil
}

// read returns the connections of the principal's workspace, or the one with the id.
func read(ctx context.Context, tx pgx.Tx, by auth.Principal, id *uuid.UUID) (found []Connection, err error) {
	rows, err := q.New(tx).ListConnections(ctx,
		q.ListConnectionsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
	for _, row := range rows {
		c := Connection{
			ID: row.ID, System: System(row.System), State: State(row.State), PausedBecause: row.PausedBecause,
			Settings: Settings{Name: row.Name, Address: row.Address, MayExport: row.MayExport, MayLoad: row.MayLoad,
				Location: row.Location, CallsPerMinute: row.CallsPerMinute},
			TokenSetAt: row.TokenSetAt, HookSetAt: row.HookSetAt, Version: row.Version, CreatedAt: row.CreatedAt,
			UpdatedAt: row.UpdatedAt, credentials: row.Credentials,
		}
		if row.TokenEnding != nil {
			c.TokenEnding = *row.TokenEnding
		}
		if row.TestedAt != nil && row.Tested == row.Credentials {
			c.Test = &Test{*row.TestedAt, row.TestFailure}
		}
		if err := errors.Join(json.Unmarshal(row.CreatedBy, &c.CreatedBy),
			json.Unmarshal(row.UpdatedBy, &c.UpdatedBy)); err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	return found, err
}

// secretName says where a connection's token is.
func secretName(tenant, id uuid.UUID) vault.Name {
	return vault.Name{Tenant: tenant, Owner: id, Purpose: "token"}
}

// Create makes a connection, as a draft.
func (s *Service) Create(ctx context.Context, by auth.Principal, system System, settings Settings, token string) (
	made Connection, err error) {
	if err := by.Require(auth.ManageConnections); err != nil {
		return Connection{}, err
	}
	if s.probers[system] == nil {
		return Connection{}, fault.InField("system", "unknown_system", "there is no system %q to connect",
			fault.Shorten(string(system)))
	}
	if err := s.vault.Ready(); err != nil {
		return Connection{}, err
	}
	if settings, err = s.check(ctx, settings, s.networks(by.Tenant)); err != nil {
		return Connection{}, err
	}
	secret, err := readToken(token)
	if err != nil {
		return Connection{}, err
	}
	id := uuid.Must(uuid.NewV7())
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		err := queries.InsertConnection(ctx, q.InsertConnectionParams{
			TenantID: by.Tenant, ID: id, WorkspaceID: by.Workspace, System: string(system), Name: settings.Name,
			Address: settings.Address, MayExport: settings.MayExport, MayLoad: settings.MayLoad, Location: settings.Location,
			CallsPerMinute: settings.CallsPerMinute, Actor: by.Actor.JSON(),
		})
		if err != nil {
			return err
		}
		if err := queries.InsertPace(ctx, q.InsertPaceParams{TenantID: by.Tenant, ConnectionID: id}); err != nil {
			return err
		}
		if err := s.vault.Put(ctx, tx, secretName(by.Tenant, id), secret); err != nil {
			return err
		}
		data := settings.data()
		data["system"] = system
		if err := audit.Record(ctx, tx, by, "connection.created", id.String(), data); err != nil {
			return err
		}
		made, err = one(ctx, tx, by, id)
		return err
	})
	return made, err
}

// data returns the settings for the audit.
func (s Settings) data() audit.Data {
	return audit.Data{"name": s.Name, "address": s.Address, "may_export": s.MayExport, "may_load": s.MayLoad,
		"location": s.Location, "calls_per_minute": s.CallsPerMinute}
}
