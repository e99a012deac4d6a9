// Package apikey issues, lists, revokes and verifies the keys that external systems
// write with. The full key exists once, in the answer of Issue; what is kept is its
// SHA-256 hash and its first characters.
package apikey

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	// marker starts every key. Other vendors use it for publishable keys; ours
	// are secret.
	marker       = "pk_"
	secretBytes  = 24
	prefixLength = 11
)

// Service issues, lists, revokes and verifies keys.
type Service struct {
	cells   *pg.Cells
	callers *otter.Cache[[32]byte, remembered]
	buckets *otter.Cache[uuid.UUID, *rate.Limiter]
}

// New returns the service.
func New(cells *pg.Cells) *Service {
	return &Service{
		cells: cells,
		callers: otter.Must(&otter.Options[[32]byte, remembered]{
			MaximumSize: cachedKeys, ExpiryCalculator: otter.ExpiryWriting[[32]byte, remembered](cachedFor),
		}),
		buckets: otter.Must(&otter.Options[uuid.UUID, *rate.Limiter]{
			MaximumSize: cachedKeys, ExpiryCalculator: otter.ExpiryAccessing[uuid.UUID, *rate.Limiter](time.Hour),
		}),
	}
}

// Key is what may be told about a key after it was issued.
type Key struct {
	ID          uuid.UUID
	WorkspaceID uuid.UUID
	Prefix      string
	Label       string
	Scope       string // one slug, or auth.AllTables
	ExpiresAt   *time.Time
	RevokedAt   *time.Time
	CreatedAt   time.Time
}

// Request says what key is wanted. A nil Workspace means the tenant's first.
type Request struct {
	Workspace uuid.UUID
	Label     string
	Scope     string
	ExpiresAt *time.Time
}

// Issue makes a key and returns its secret, which nobody can read again.
func (s *Service) Issue(ctx context.Context, by auth.Principal, want Request) (Key, string, error) {
	if err := by.Require(auth.ManageKeys); err != nil {
		return Key{}, "", err
	}
	key := Key{
		ID:    uuid.Must(uuid.NewV7()),
		Label: strings.TrimSpace(want.Label), Scope: want.Scope, ExpiresAt: want.ExpiresAt,
	}
	if key.Label == "" || utf8.RuneCountInString(key.Label) > 200 {
		return Key{}, "", fault.New(fault.Invalid, "label", "a key needs a label of at most 200 characters, so that people know what it is for")
	}
	var err error
	if key.WorkspaceID, err = s.workspace(ctx, by.Tenant, want.Workspace); err != nil {
		return Key{}, "", err
	}
	if err := s.checkScope(ctx, by.Tenant, key.Scope); err != nil {
		return Key{}, "", err
	}
	secret := newSecret()
	key.Prefix = secret[:prefixLength]
	hash := Hash(secret)
	// The directory first: an entry without its key opens nothing, while a key
	// without its entry would be listed and never work.
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).InsertKeyDirectory(ctx, q.InsertKeyDirectoryParams{KeyHash: hash, KeyID: key.ID, TenantID: by.Tenant, WorkspaceID: key.WorkspaceID})
	})
	if err != nil {
		return Key{}, "", err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		key.CreatedAt, err = q.New(tx).InsertKey(ctx, q.InsertKeyParams{
			TenantID: by.Tenant, ID: key.ID, WorkspaceID: key.WorkspaceID, KeyHash: hash,
			Prefix: key.Prefix, Label: key.Label, Scope: key.Scope, ExpiresAt: key.ExpiresAt,
		})
		return err
	})
	return key, secret, err
}

// List returns the tenant's keys, oldest first, revoked ones included.
func (s *Service) List(ctx context.Context, by auth.Principal) ([]Key, error) {
	if err := by.Require(auth.ManageKeys); err != nil {
		return nil, err
	}
	if _, err := s.workspace(ctx, by.Tenant, uuid.Nil); err != nil {
		return nil, err // an unknown tenant is not one without keys
	}
	var keys []Key
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListKeys(ctx, by.Tenant)
		for _, row := range rows {
			keys = append(keys, Key(row))
		}
		return err
	})
	return keys, err
}

// Revoke ends a key. Once it has returned, no call with that key succeeds.
// Revoking again changes nothing.
func (s *Service) Revoke(ctx context.Context, by auth.Principal, id uuid.UUID) (Key, error) {
	if err := by.Require(auth.ManageKeys); err != nil {
		return Key{}, err
	}
	var key Key
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		row, err := q.New(tx).RevokeKey(ctx, q.RevokeKeyParams{TenantID: by.Tenant, ID: id})
		key = Key(row)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return Key{}, unknownKey(id)
	}
	return key, err
}

// Tenant finds whose key an id names, for operators who type the id alone.
func (s *Service) Tenant(ctx context.Context, id uuid.UUID) (uuid.UUID, error) {
	var tenant uuid.UUID
	// Crosses tenants: the tenant is what is being looked for.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		tenant, err = q.New(tx).TenantOfKeyID(ctx, id)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return uuid.Nil, unknownKey(id)
	}
	return tenant, err
}

// workspace checks that a workspace is the tenant's, or finds the tenant's first.
func (s *Service) workspace(ctx context.Context, tenant, wanted uuid.UUID) (uuid.UUID, error) {
	var workspaces []q.ListWorkspacesRow
	err := s.cells.InControl(ctx, tenant, func(tx pgx.Tx) (err error) {
		workspaces, err = q.New(tx).ListWorkspaces(ctx, tenant)
		return err
	})
	if err != nil {
		return uuid.Nil, err
	}
	if len(workspaces) == 0 {
		return uuid.Nil, fault.New(fault.NotFound, "unknown_tenant", "no tenant %s; 'quayside tenant create' makes one", tenant)
	}
	if wanted == uuid.Nil {
		return workspaces[0].ID, nil
	}
	for _, workspace := range workspaces {
		if workspace.ID == wanted {
			return wanted, nil
		}
	}
	return uuid.Nil, fault.New(fault.NotFound, "unknown_workspace", "the tenant has no workspace %s", wanted)
}

// checkScope refuses a scope that names no table: a typing error would make a
// key that never works.
func (s *Service) checkScope(ctx context.Context, tenant uuid.UUID, scope string) error {
	if scope == auth.AllTables {
		return nil
	}
	var found bool
	err := s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		found, err = q.New(tx).TableExists(ctx, q.TableExistsParams{TenantID: tenant, Slug: scope})
		return err
	})
	if err == nil && !found {
		return fault.New(fault.Invalid, "unknown_scope", "there is no ingest table %q; a scope is the slug of one table, such as orders, or '*' for all of them", scope)
	}
	return err
}

// newSecret makes a key: 192 random bits in lower-case hex.
func newSecret() string {
	random := make([]byte, secretBytes)
	_, _ = rand.Read(random) // never fails: crypto/rand aborts the program instead
	return marker + hex.EncodeToString(random)
}

// Hash is what is stored of a key, and what it is looked up by.
func Hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

func unknownKey(id uuid.UUID) error {
	return fault.New(fault.NotFound, "unknown_key", "no key has the id %s", id)
}
