// Package vault keeps secrets that the service must read back, such as the token of another system.
//
// Secrets are encrypted with AES-256-GCM. The keys come from the environment and are never stored. A
// sealed secret is bound to its tenant, its owner and its purpose: a row that was moved to another one
// cannot be opened. What needs no more than a comparison, such as an API key, is hashed instead: see
// package secret.
package vault

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Vault stores secrets.
type Vault struct {
	cells *pg.Cells
	keys  Keys
}

// New returns the vault.
func New(cells *pg.Cells, keys Keys) *Vault { return &Vault{cells, keys} }

// Ready returns an error that says what to do if there is no key.
func (v *Vault) Ready() error {
	if v.keys.newest == "" {
		return ErrNoKeys
	}
	return nil
}

// Put stores a secret, in place of an older one, in the caller's transaction.
func (v *Vault) Put(ctx context.Context, tx pgx.Tx, name Name, secret Secret) error {
	key, sealed, err := v.keys.seal(name, secret)
	if err != nil {
		return err
	}
	return q.New(tx).PutSecret(ctx, q.PutSecretParams{TenantID: name.Tenant, OwnerID: name.Owner, Purpose: name.Purpose,
		KeyID: key, Sealed: sealed, Ending: secret.ending()})
}

// Get reads a secret.
func (v *Vault) Get(ctx context.Context, tx pgx.Tx, name Name) (Secret, error) {
	row, err := q.New(tx).GetSecret(ctx,
		q.GetSecretParams{TenantID: name.Tenant, OwnerID: name.Owner, Purpose: name.Purpose})
	if err != nil {
		return Secret{}, err
	}
	return v.keys.open(name, row.KeyID, row.Sealed)
}

// Drop deletes all secrets of an owner.
func (v *Vault) Drop(ctx context.Context, tx pgx.Tx, tenant, owner uuid.UUID) error {
	return q.New(tx).DropSecrets(ctx, q.DropSecretsParams{TenantID: tenant, OwnerID: owner})
}

// Need says how many secrets need a key.
type Need struct {
	Key     string
	Secrets int64
	Newest  bool  // the key that seals now
	Err     error // why its secrets cannot be opened
}

// Needs returns the keys that stored secrets need. One secret of each is opened.
func (v *Vault) Needs(ctx context.Context) ([]Need, error) {
	var rows []q.ListSecretKeysRow
	// Crosses tenants: an operator asks for the keys of the whole installation. It reads no secret.
	err := v.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		rows, err = q.New(tx).ListSecretKeys(ctx)
		return err
	})
	needs := make([]Need, len(rows))
	for i, row := range rows {
		needs[i] = Need{Key: row.KeyID, Secrets: row.Secrets, Newest: row.KeyID == v.keys.newest,
			Err: v.cells.InTenant(ctx, row.TenantID, func(tx pgx.Tx) error {
				_, err := v.Get(ctx, tx, Name{row.TenantID, row.OwnerID, row.Purpose})
				return err
			})}
	}
	return needs, err
}

// slice is how many secrets are listed at once.
const slice = 100

// Rotation says what a rotation did.
type Rotation struct {
	Key    string `json:"key"`    // the newest
	Sealed int64  `json:"sealed"` // secrets that it has sealed again
	Failed int64  `json:"failed"` // secrets that could not be opened
}

// Rotate seals every secret again with the newest key, so that older ones can be removed. It may run
// while the service does, and be repeated. A secret that cannot be opened stays as it is; the error is
// the first one.
func (v *Vault) Rotate(ctx context.Context) (done Rotation, err error) {
	if err := v.Ready(); err != nil {
		return done, err
	}
	done.Key = v.keys.newest
	after := Name{}
	for {
		var rows []q.ListOldSecretsRow
		// Crosses tenants: the keys belong to the whole installation. It reads no secret.
		listed := v.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
			rows, err = q.New(tx).ListOldSecrets(ctx, q.ListOldSecretsParams{Newest: v.keys.newest,
				AfterTenant: after.Tenant, AfterOwner: after.Owner, AfterPurpose: after.Purpose, Most: slice})
			return err
		})
		if listed != nil {
			return done, listed
		}
		for _, row := range rows {
			after = Name{row.TenantID, row.OwnerID, row.Purpose}
			switch failed := v.reseal(ctx, after); {
			case failed == nil:
				done.Sealed++
			case fault.Is(failed, fault.NotFound): // deleted meanwhile
			default:
				done.Failed++
				if err == nil {
					err = failed
				}
			}
		}
		if len(rows) < slice {
			return done, err
		}
	}
}

// reseal seals one secret again with the newest key.
func (v *Vault) reseal(ctx context.Context, name Name) error {
	return v.cells.InTenant(ctx, name.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		row, err := queries.LockSecret(ctx,
			q.LockSecretParams{TenantID: name.Tenant, OwnerID: name.Owner, Purpose: name.Purpose})
		if err != nil {
			return err
		}
		secret, err := v.keys.open(name, row.KeyID, row.Sealed)
		if err != nil {
			return err
		}
		key, sealed, err := v.keys.seal(name, secret)
		if err != nil {
			return err
		}
		return queries.ResealSecret(ctx, q.ResealSecretParams{TenantID: name.Tenant, OwnerID: name.Owner,
			Purpose: name.Purpose, KeyID: key, Sealed: sealed})
	})
}
