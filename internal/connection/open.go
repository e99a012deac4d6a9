package connection

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/vault"
)

// Open is a connection that can be called.
type Open struct {
	Connection
	Token  vault.Secret
	Client *outbound.Client // keeps to the connection's budget
}

// Open returns an active connection for its sync, which is the caller.
func (s *Service) Open(ctx context.Context, by auth.Principal, id uuid.UUID) (Open, error) {
	if by.Actor != (auth.Actor{Type: auth.BySync, ID: id.String()}) {
		return Open{}, fault.New(fault.Forbidden, "forbidden", "only its own sync opens a connection")
	}
	opened, err := s.open(ctx, by, id)
	if err == nil && opened.State != Active {
		return Open{}, fault.New(fault.Conflict, "connection_inactive", "the connection %s is not in use",
			opened.Settings.Name)
	}
	return opened, err
}

// Peek returns a connection in any state, for calls that only read there on behalf of a person: finding out what is
// what, or what a sync would do.
func (s *Service) Peek(ctx context.Context, by auth.Principal, id uuid.UUID) (Open, error) {
	if err := by.Require(auth.ManageConnections); err != nil {
		return Open{}, err
	}
	return s.open(ctx, by, id)
}

// open returns a connection in any state.
func (s *Service) open(ctx context.Context, by auth.Principal, id uuid.UUID) (opened Open, err error) {
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		if opened.Connection, err = one(ctx, tx, by, id); err != nil {
			return err
		}
		opened.Token, err = s.vault.Get(ctx, tx, secretName(by.Tenant, id))
		return err
	})
	opened.Client = s.outside.Client(&pace{cells: s.cells, log: s.log, tenant: by.Tenant, id: id,
		budget: opened.Settings.CallsPerMinute}, s.networks(by.Tenant))
	return opened, err
}

// testPatience is how long a person waits for a test.
const testPatience = 30 * time.Second

// Test calls the other system with the stored token and keeps the result, which Connection.Test has. A
// system that cannot be reached or refuses the token is a result, not an error.
func (s *Service) Test(ctx context.Context, by auth.Principal, id uuid.UUID) (tested Connection, err error) {
	if err := by.Require(auth.ManageConnections); err != nil {
		return Connection{}, err
	}
	opened, err := s.open(ctx, by, id)
	if err != nil {
		return Connection{}, err
	}
	failure := ""
	prompt, cancel := context.WithTimeout(ctx, testPatience)
	defer cancel()
	err = s.probers[opened.System].Probe(prompt, opened.Client, opened.Settings.Address, opened.Token)
	if err != nil {
		var told *fault.Error
		if !errors.As(err, &told) || told.Kind == fault.Internal || ctx.Err() != nil {
			return Connection{}, err
		}
		failure = told.Message
		s.log.InfoContext(ctx, "test of a connection failed", "connection", id, "err", err)
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		err := q.New(tx).KeepTest(ctx,
			q.KeepTestParams{TenantID: by.Tenant, ID: id, Credentials: opened.credentials, Failure: failure})
		if err != nil {
			return err
		}
		err = audit.Record(ctx, tx, by, "connection.tested", id.String(),
			audit.Data{"name": opened.Settings.Name, "passed": failure == "", "failure": failure})
		if err != nil {
			return err
		}
		tested, err = one(ctx, tx, by, id)
		return err
	})
	return tested, err
}
