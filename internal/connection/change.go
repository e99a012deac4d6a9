package connection

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/vault"
)

// DefaultCalls is the budget of a new connection, in calls a minute.
const DefaultCalls = 60

const (
	mostCalls  = 6000 // Katana allows 60; an inventory system of one's own, or a raised limit, may take more
	mostName   = 100
	mostReason = 500
	mostToken  = 4000
)

// networks returns what the company's connections may reach, as it is when a call is made.
func (s *Service) networks(tenant uuid.UUID) outbound.Networks {
	return func(ctx context.Context) (list []netip.Prefix, err error) {
		err = s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
			list, err = q.New(tx).GetOutboundAllow(ctx, tenant)
			return err
		})
		return list, err
	}
}

// known returns what was read before as if it were read now.
func known(list []netip.Prefix) outbound.Networks {
	return func(context.Context) ([]netip.Prefix, error) { return list, nil }
}

// check returns settings in their normal form.
func (s *Service) check(ctx context.Context, settings Settings, networks outbound.Networks) (Settings, error) {
	settings.Name, settings.Location = strings.TrimSpace(settings.Name), strings.TrimSpace(settings.Location)
	if settings.CallsPerMinute == 0 {
		settings.CallsPerMinute = DefaultCalls
	}
	switch {
	case settings.Name == "" || utf8.RuneCountInString(settings.Name) > mostName:
		return settings, fault.InField("name", "name", "a connection needs a name of at most %d characters", mostName)
	case utf8.RuneCountInString(settings.Location) > mostName:
		return settings, fault.InField("location", "location", "a location's id has at most %d characters", mostName)
	case settings.CallsPerMinute < 1 || settings.CallsPerMinute > mostCalls:
		return settings, fault.InField("calls_per_minute", "calls_per_minute", "choose between 1 and %d calls a minute",
			mostCalls)
	}
	var err error
	settings.Address, err = s.outside.Address(ctx, settings.Address, networks)
	return settings, err
}

// tokenForm is what fits into a header.
var tokenForm = regexp.MustCompile(`^[!-~]+$`)

// readToken checks a token. The error does not quote it.
func readToken(text string) (vault.Secret, error) {
	text = strings.TrimSpace(text)
	if len(text) > mostToken || !tokenForm.MatchString(text) {
		return vault.Secret{}, fault.InField("token", "token",
			"enter the token as the other system shows it: letters, digits and signs without spaces")
	}
	return vault.NewSecret(text), nil
}

// Changes are the settings to change. Absent ones stay as they are.
type Changes struct {
	Name           *string
	Address        *string
	Token          *string // required with the address of another host
	MayExport      *bool
	MayLoad        *bool
	Location       *string
	CallsPerMinute *int64
}

// over returns the settings with the changes.
func (c Changes) over(settings Settings) Settings {
	replace(&settings.Name, c.Name)
	replace(&settings.Address, c.Address)
	replace(&settings.MayExport, c.MayExport)
	replace(&settings.MayLoad, c.MayLoad)
	replace(&settings.Location, c.Location)
	replace(&settings.CallsPerMinute, c.CallsPerMinute)
	return settings
}

func replace[T any](value, by *T) {
	if by != nil {
		*value = *by
	}
}

// Change changes settings, if the version is the one that the caller saw. A new address or token pauses
// an active connection, because neither was tested.
func (s *Service) Change(ctx context.Context, by auth.Principal, id uuid.UUID, version int64, changes Changes) (
	Connection, error) {
	if err := by.Require(auth.ManageConnections); err != nil {
		return Connection{}, err
	}
	// Read before the transaction: it is in the control database.
	reach, err := s.networks(by.Tenant)(ctx)
	if err != nil {
		return Connection{}, err
	}
	return s.change(ctx, by, id, "connection.changed", func(tx pgx.Tx, c *Connection) (audit.Data, error) {
		if c.Version != version {
			return nil, fault.New(fault.Stale, "stale", "somebody changed the connection meanwhile; load it again").At(c.Version)
		}
		before := c.Settings
		var err error
		if c.Settings, err = s.check(ctx, changes.over(before), known(reach)); err != nil {
			return nil, err
		}
		if changes.Token == nil && host(before.Address) != host(c.Settings.Address) {
			return nil, fault.InField("token", "token_again",
				"enter the token again: the stored one is sent to no other address than that for which it was entered")
		}
		if c.State == Active {
			if err := c.usable(); err != nil {
				return nil, err
			}
		}
		if changes.Token != nil {
			if err := s.putToken(ctx, tx, by, c, *changes.Token); err != nil {
				return nil, err
			}
		} else if before.Address != c.Settings.Address {
			c.renew()
		}
		return audit.Data{"name": c.Settings.Name, "from": before.data(), "to": c.Settings.data(),
			"token": changes.Token != nil}, nil
	})
}

// ReplaceToken stores another token. It pauses an active connection until it was tested.
func (s *Service) ReplaceToken(ctx context.Context, by auth.Principal, id uuid.UUID, token string) (Connection, error) {
	return s.change(ctx, by, id, "connection.token_replaced", func(tx pgx.Tx, c *Connection) (audit.Data, error) {
		return audit.Data{"name": c.Settings.Name}, s.putToken(ctx, tx, by, c, token)
	})
}

// putToken stores a token.
func (s *Service) putToken(ctx context.Context, tx pgx.Tx, by auth.Principal, c *Connection, token string) error {
	secret, err := readToken(token)
	if err != nil {
		return err
	}
	c.renew()
	return s.vault.Put(ctx, tx, secretName(by.Tenant, c.ID), secret)
}

// renew notes that the address or the token has changed.
func (c *Connection) renew() {
	c.credentials++
	if c.State == Active {
		c.State, c.PausedBecause = Paused, "the address or the token was changed; test the connection, then resume it"
	}
}

// host returns whom an address reaches. A token goes to no other.
func host(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.ToLower(parsed.Scheme + "://" + parsed.Host)
}

// usable refuses settings with which nothing could be done.
func (c *Connection) usable() error {
	switch {
	case !c.Settings.MayExport && !c.Settings.MayLoad:
		return fault.InField("may_export", "nothing_allowed", "allow exporting, loading or both")
	case c.Settings.MayExport && c.Settings.Location == "":
		return fault.InField("location", "location_missing", "choose the location that exported orders arrive at")
	}
	return nil
}

// Pause stops a connection. People with the permission may do so, and its own sync.
func (s *Service) Pause(ctx context.Context, by auth.Principal, id uuid.UUID, reason string) (Connection, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" || utf8.RuneCountInString(reason) > mostReason {
		return Connection{}, fault.InField("reason", "reason", "say why, in at most %d characters", mostReason)
	}
	return s.change(ctx, by, id, "connection.paused", func(_ pgx.Tx, c *Connection) (audit.Data, error) {
		if c.State == Paused {
			return nil, fault.New(fault.Conflict, "connection_paused", "the connection is paused already")
		}
		c.State, c.PausedBecause = Paused, reason
		return audit.Data{"name": c.Settings.Name, "reason": reason}, nil
	})
}

// Resume takes a connection into use, for the first time or again.
func (s *Service) Resume(ctx context.Context, by auth.Principal, id uuid.UUID) (Connection, error) {
	return s.change(ctx, by, id, "connection.resumed", func(_ pgx.Tx, c *Connection) (audit.Data, error) {
		switch {
		case c.State == Active:
			return nil, fault.New(fault.Conflict, "connection_active", "the connection is in use already")
		case c.Test == nil || c.Test.Failure != "":
			return nil, fault.New(fault.Conflict, "connection_untested",
				"test the connection first: its last test failed, or its address or token has changed since")
		}
		c.State, c.PausedBecause = Active, ""
		return audit.Data{"name": c.Settings.Name}, c.usable()
	})
}

// change locks a connection, lets do change it, and stores and records the result.
func (s *Service) change(ctx context.Context, by auth.Principal, id uuid.UUID, action audit.Action,
	do func(pgx.Tx, *Connection) (audit.Data, error)) (changed Connection, err error) {
	itself := action == "connection.paused" && by.Actor == auth.Actor{Type: auth.BySync, ID: id.String()}
	if err := by.Require(auth.ManageConnections); err != nil && !itself {
		return Connection{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		c, err := lock(ctx, tx, by, id)
		if err != nil {
			return err
		}
		data, err := do(tx, &c)
		if err != nil {
			return err
		}
		err = q.New(tx).UpdateConnection(ctx, q.UpdateConnectionParams{
			TenantID: by.Tenant, ID: id, Name: c.Settings.Name, Address: c.Settings.Address, MayExport: c.Settings.MayExport,
			MayLoad: c.Settings.MayLoad, Location: c.Settings.Location, CallsPerMinute: c.Settings.CallsPerMinute,
			State: string(c.State), PausedBecause: c.PausedBecause, Credentials: c.credentials, Actor: by.Actor.JSON(),
		})
		if err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, by, action, id.String(), data); err != nil {
			return err
		}
		changed, err = one(ctx, tx, by, id)
		return err
	})
	return changed, err
}

// lock locks and reads a connection.
func lock(ctx context.Context, tx pgx.Tx, by auth.Principal, id uuid.UUID) (Connection, error) {
	_, err := q.New(tx).LockConnection(ctx,
		q.LockConnectionParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Connection{}, err
	}
	return one(ctx, tx, by, id)
}

// Delete ends a connection and deletes its token. Its name stays, for what it did.
func (s *Service) Delete(ctx context.Context, by auth.Principal, id uuid.UUID) error {
	if err := by.Require(auth.ManageConnections); err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		c, err := lock(ctx, tx, by, id)
		if err != nil {
			return err
		}
		if err := s.vault.Drop(ctx, tx, by.Tenant, id); err != nil {
			return err
		}
		err = q.New(tx).DeleteConnection(ctx,
			q.DeleteConnectionParams{TenantID: by.Tenant, ID: id, Actor: by.Actor.JSON()})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "connection.deleted", id.String(), c.Settings.data())
	})
}
