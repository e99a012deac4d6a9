package connection

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/vault"
)

// leastHookSecret is how short the secret of webhooks may be. Guesses are not limited by anything but its length.
const leastHookSecret = 16

// hookName says where the secret is with which the other system signs its webhooks.
func hookName(tenant, id uuid.UUID) vault.Name {
	return vault.Name{Tenant: tenant, Owner: id, Purpose: "hook"}
}

// SetHookSecret stores the secret with which the other system signs its webhooks, in place of an older one. It is
// never returned.
func (s *Service) SetHookSecret(ctx context.Context, by auth.Principal, id uuid.UUID, secret string) (Connection, error) {
	secret = strings.TrimSpace(secret)
	return s.change(ctx, by, id, "connection.hook_set", func(tx pgx.Tx, c *Connection) (audit.Data, error) {
		if len(secret) < leastHookSecret || len(secret) > mostToken || !tokenForm.MatchString(secret) {
			return nil, fault.InField("secret", "secret", "enter the secret as the other system shows it: at least %d letters, "+
				"digits and signs without spaces", leastHookSecret)
		}
		return audit.Data{"name": c.Settings.Name},
			s.vault.Put(ctx, tx, hookName(by.Tenant, id), vault.NewSecret(secret))
	})
}

// Hook is a connection as its webhooks see it.
type Hook struct {
	Tenant, Workspace uuid.UUID
	System            System
	Listens           bool // it is in use and may load
	Suspended         bool // its company is
	Secret            vault.Secret
}

// OpenHook returns a connection by its id alone: a webhook names nobody's tenant. It is NotFound if there is no such
// connection, or none with a secret for webhooks. Whoever calls has yet to check the signature.
func (s *Service) OpenHook(ctx context.Context, id uuid.UUID) (hook Hook, err error) {
	var place q.FindConnectionRow
	// Crosses tenants: it finds whose connection this is, and then acts as that tenant.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		place, err = q.New(tx).FindConnection(ctx, id)
		return err
	})
	if err != nil {
		return Hook{}, err
	}
	by := auth.Principal{Tenant: place.TenantID, Workspace: place.WorkspaceID}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		c, err := one(ctx, tx, by, id)
		if err != nil {
			return err
		}
		hook = Hook{Tenant: by.Tenant, Workspace: by.Workspace, System: c.System,
			Listens: c.State == Active && c.Settings.MayLoad, Suspended: place.Suspended}
		hook.Secret, err = s.vault.Get(ctx, tx, hookName(by.Tenant, id))
		return err
	})
	return hook, err
}
