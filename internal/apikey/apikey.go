// Package apikey issues, lists, rotates, revokes and verifies the keys that external
// systems write with. Issue and Rotate return the full key once; only its SHA-256 hash and
// its first characters are stored.
package apikey

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/secret"
)

const (
	// marker starts every key. Other vendors use it for publishable keys; ours
	// are secret.
	marker       = "pk_"
	prefixLength = 11
	// ordersScope is the table in which a key may be allowed to order what was drafted here.
	ordersScope = "purchase_order_lines"
)

// Service issues, lists, rotates, revokes and verifies keys.
type Service struct {
	cells     *pg.Cells
	callers   *otter.Cache[[32]byte, remembered]
	dead      *otter.Cache[[32]byte, struct{}]
	buckets   *otter.Cache[uuid.UUID, *rate.Limiter]
	strangers *otter.Cache[netip.Addr, *rate.Limiter] // unknown keys that an address may try
}

// New returns the service.
func New(cells *pg.Cells) *Service {
	return &Service{
		cells: cells,
		callers: otter.Must(&otter.Options[[32]byte, remembered]{
			MaximumSize: cachedKeys, ExpiryCalculator: otter.ExpiryWriting[[32]byte, remembered](cachedFor),
		}),
		dead: otter.Must(&otter.Options[[32]byte, struct{}]{
			MaximumSize: cachedKeys, ExpiryCalculator: otter.ExpiryWriting[[32]byte, struct{}](deadFor),
		}),
		strangers: otter.Must(&otter.Options[netip.Addr, *rate.Limiter]{
			MaximumSize: cachedKeys, ExpiryCalculator: otter.ExpiryAccessing[netip.Addr, *rate.Limiter](time.Minute),
		}),
		buckets: otter.Must(&otter.Options[uuid.UUID, *rate.Limiter]{
			MaximumSize: cachedKeys, ExpiryCalculator: otter.ExpiryAccessing[uuid.UUID, *rate.Limiter](time.Hour),
		}),
	}
}

// Key describes a key without its secret.
type Key struct {
	ID          uuid.UUID
	WorkspaceID uuid.UUID
	Prefix      string
	Label       string
	Scope       string // one slug, or auth.AllTables
	ExpiresAt   *time.Time
	RevokedAt   *time.Time
	CreatedAt   time.Time
	CreatedBy   *uuid.UUID // a person; nil: the operator of the service
	ReplacedBy  *uuid.UUID // the key that a rotation made

	OrderDraftedHere bool // whether it may order purchase order lines that were drafted here
}

// Status returns "live", "revoked" or "expired".
func (k Key) Status(now time.Time) string { return secret.Status(k.RevokedAt, k.ExpiresAt, now) }

// Use describes how a key was used, up to a few seconds ago.
type Use struct {
	LastAt   *time.Time
	LastFrom string // the caller's address
	Calls    int64  // in the last 24 hours
}

// Used is a key with its use.
type Used struct {
	Key
	Use
}

// Request describes a key to issue. A nil Workspace means the tenant's first.
type Request struct {
	Workspace uuid.UUID
	Label     string
	Scope     string
	ExpiresAt *time.Time

	OrderDraftedHere bool // only for a scope that covers purchase order lines
}

// Issue makes a key and returns its secret, which cannot be read again.
func (s *Service) Issue(ctx context.Context, by auth.Principal, want Request) (Key, string, error) {
	if err := by.Require(auth.ManageKeys); err != nil {
		return Key{}, "", err
	}
	key := Key{
		ID:    uuid.Must(uuid.NewV7()),
		Label: strings.TrimSpace(want.Label), Scope: want.Scope, ExpiresAt: want.ExpiresAt, CreatedBy: by.PersonID(),
		OrderDraftedHere: want.OrderDraftedHere,
	}
	if key.Label == "" || strings.ContainsRune(key.Label, 0) || utf8.RuneCountInString(key.Label) > 200 {
		return Key{}, "", fault.InField("label", "label",
			"a key needs a label of at most 200 characters, so that people know what it is for")
	}
	if key.ExpiresAt != nil && !key.ExpiresAt.After(time.Now()) {
		return Key{}, "", fault.InField("expires_at", "expires_at", "a key cannot expire in the past")
	}
	if key.OrderDraftedHere && key.Scope != auth.AllTables && key.Scope != ordersScope {
		return Key{}, "", fault.InField("order_drafted_here", "order_drafted_here",
			"only a key that writes %s can order what was drafted here", ordersScope)
	}
	var err error
	if key.WorkspaceID, err = s.workspace(ctx, by.Tenant, want.Workspace); err != nil {
		return Key{}, "", err
	}
	if err := s.checkScope(ctx, by.Tenant, key.Scope); err != nil {
		return Key{}, "", err
	}
	secret, err := s.mint(ctx, by.Tenant, &key, func(tx pgx.Tx, row q.InsertKeyParams) (err error) {
		if key.CreatedAt, err = q.New(tx).InsertKey(ctx, row); err != nil {
			return err
		}
		return record(ctx, tx, by, "key.issued", key, audit.Data{"expires_at": key.ExpiresAt})
	})
	return key, secret, err
}

// mint makes a key's secret and stores the key, in the directory and, by insert, in its
// tenant, together with whatever else insert writes.
func (s *Service) mint(ctx context.Context, tenant uuid.UUID, key *Key, insert func(pgx.Tx, q.InsertKeyParams) error) (
	shown string, err error) {
	shown = secret.New(marker)
	key.Prefix = shown[:prefixLength]
	hash := secret.Hash(shown)
	// The directory first: an entry without its key is harmless, while a key without its
	// entry would be listed and never work.
	err = s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
		return q.New(tx).InsertKeyDirectory(ctx,
			q.InsertKeyDirectoryParams{KeyHash: hash, KeyID: key.ID, TenantID: tenant, WorkspaceID: key.WorkspaceID})
	})
	if err != nil {
		return "", err
	}
	err = s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		return insert(tx, q.InsertKeyParams{
			TenantID: tenant, ID: key.ID, WorkspaceID: key.WorkspaceID, KeyHash: hash, Prefix: key.Prefix,
			Label: key.Label, Scope: key.Scope, ExpiresAt: key.ExpiresAt, CreatedBy: key.CreatedBy,
			OrderDraftedHere: key.OrderDraftedHere,
		})
	})
	if err != nil {
		return "", err
	}
	return shown, nil
}

// List returns the keys of the principal's workspace, or of the whole tenant when it
// is in none, oldest first, revoked ones included.
func (s *Service) List(ctx context.Context, by auth.Principal, want page.Request) (keys []Used, more bool, err error) {
	if err := by.Require(auth.ManageKeys); err != nil {
		return nil, false, err
	}
	if _, err := s.workspace(ctx, by.Tenant, by.Workspace); err != nil {
		return nil, false, err // an unknown tenant is an error, not an empty list
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListKeys(ctx,
			q.ListKeysParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, After: want.After, Most: want.Limit()})
		if err != nil {
			return err
		}
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			keys = append(keys, Used{Key: Key(row)})
		}
		return addUse(ctx, q.New(tx), by.Tenant, keys)
	})
	return keys, more, err
}

// Get returns one key of the principal's workspace.
func (s *Service) Get(ctx context.Context, by auth.Principal, id uuid.UUID) (Used, error) {
	if err := by.Require(auth.ManageKeys); err != nil {
		return Used{}, err
	}
	found := make([]Used, 1)
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		row, err := q.New(tx).GetKey(ctx, q.GetKeyParams{TenantID: by.Tenant, ID: id, WorkspaceID: by.Workspace})
		if err != nil {
			return err
		}
		found[0].Key = Key(row)
		return addUse(ctx, q.New(tx), by.Tenant, found)
	})
	if fault.Is(err, fault.NotFound) {
		return Used{}, unknownKey(id)
	}
	return found[0], err
}

// addUse sets the keys' use.
func addUse(ctx context.Context, queries *q.Queries, tenant uuid.UUID, keys []Used) error {
	at := map[uuid.UUID]int{}
	var ids []uuid.UUID
	for i, key := range keys {
		at[key.ID] = i
		ids = append(ids, key.ID)
	}
	rows, err := queries.ListKeyFigures(ctx,
		q.ListKeyFiguresParams{TenantID: tenant, KeyIds: ids, Since: time.Now().Add(-24 * time.Hour)})
	for _, row := range rows {
		keys[at[row.KeyID]].Use = Use{LastAt: &row.LastUsedAt, LastFrom: row.LastUsedFrom, Calls: row.Calls}
	}
	return err
}

// How long a rotated key may live on.
const (
	NoOverlap   time.Duration = 0
	OverlapHour               = time.Hour
	OverlapDay                = 24 * time.Hour
	OverlapWeek               = 7 * 24 * time.Hour
)

var overlaps = []time.Duration{NoOverlap, OverlapHour, OverlapDay, OverlapWeek}

var errEnded = fault.New(fault.Conflict, "key_ended", "this key has ended or was rotated already; create a new one")

// Rotate makes a key with the rights of the old one, which keeps working for the overlap,
// so that callers can switch without a gap.
func (s *Service) Rotate(ctx context.Context, by auth.Principal, id uuid.UUID, overlap time.Duration) (
	Key, string, error) {
	old, err := s.Get(ctx, by, id)
	if err != nil {
		return Key{}, "", err
	}
	if old.Status(time.Now()) != "live" || old.ReplacedBy != nil {
		return Key{}, "", errEnded
	}
	if !slices.Contains(overlaps, overlap) {
		return Key{}, "", fault.InField("overlap", "overlap",
			"the old key may live on for no time, an hour, a day or seven days")
	}
	key := Key{
		ID: uuid.Must(uuid.NewV7()), WorkspaceID: old.WorkspaceID, Label: old.Label, Scope: old.Scope,
		ExpiresAt: old.ExpiresAt, CreatedBy: by.PersonID(),
		OrderDraftedHere: old.OrderDraftedHere,
	}
	secret, err := s.mint(ctx, by.Tenant, &key, func(tx pgx.Tx, row q.InsertKeyParams) error {
		queries := q.New(tx)
		present, err := queries.LockKey(ctx, q.LockKeyParams{TenantID: by.Tenant, ID: id})
		if err != nil {
			return err
		}
		if !present.Live || present.ReplacedBy != nil {
			return errEnded
		}
		row.RatePerSecond, row.RateBurst = present.RatePerSecond, present.RateBurst
		if key.CreatedAt, err = queries.InsertKey(ctx, row); err != nil {
			return err
		}
		err = queries.ReplaceKey(ctx, q.ReplaceKeyParams{TenantID: by.Tenant, ID: id, ReplacedBy: &key.ID, Overlap: overlap})
		if err != nil {
			return err
		}
		// The rules for the old key apply to the new one too.
		err = queries.RaiseRuledTables(ctx, q.RaiseRuledTablesParams{TenantID: by.Tenant, WorkspaceID: old.WorkspaceID})
		if err != nil {
			return err
		}
		return record(ctx, tx, by, "key.rotated", old.Key,
			audit.Data{"replaced_by": key.ID, "overlap_hours": overlap.Hours()})
	})
	return key, secret, err
}

// Revoke ends a key. Once it has returned, no call with that key succeeds.
// Revoking again changes nothing.
func (s *Service) Revoke(ctx context.Context, by auth.Principal, id uuid.UUID) (Key, error) {
	if err := by.Require(auth.ManageKeys); err != nil {
		return Key{}, err
	}
	var key Key
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		revoked, err := queries.RevokeKey(ctx, q.RevokeKeyParams{TenantID: by.Tenant, ID: id, WorkspaceID: by.Workspace})
		if err != nil {
			return err
		}
		row, err := queries.GetKey(ctx, q.GetKeyParams{TenantID: by.Tenant, ID: id, WorkspaceID: by.Workspace})
		if key = Key(row); err != nil || revoked == 0 {
			return err
		}
		return record(ctx, tx, by, "key.revoked", key, audit.Data{})
	})
	if fault.Is(err, fault.NotFound) {
		return Key{}, unknownKey(id)
	}
	return key, err
}

// record writes an action on a key to the audit log.
func record(ctx context.Context, tx pgx.Tx, by auth.Principal, action audit.Action, key Key, data audit.Data) error {
	by.Workspace = key.WorkspaceID
	data["label"], data["scope"], data["prefix"] = key.Label, key.Scope, key.Prefix
	data["order_drafted_here"] = key.OrderDraftedHere
	return audit.Record(ctx, tx, by, action, key.ID.String(), data)
}

// Tenant returns the tenant of a key's id, for operators who know only the id.
func (s *Service) Tenant(ctx context.Context, id uuid.UUID) (uuid.UUID, error) {
	var tenant uuid.UUID
	// Crosses tenants: the id alone tells the tenant.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		tenant, err = q.New(tx).TenantOfKeyID(ctx, id)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return uuid.Nil, unknownKey(id)
	}
	return tenant, err
}

// workspace checks that a workspace belongs to the tenant; uuid.Nil means the tenant's first.
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
		return uuid.Nil, fault.New(fault.NotFound, "unknown_tenant", "no tenant %s; 'quayside tenant create' makes one",
			tenant)
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

// checkScope refuses a scope that names no table: the key would never work.
func (s *Service) checkScope(ctx context.Context, tenant uuid.UUID, scope string) error {
	if scope == auth.AllTables {
		return nil
	}
	unknown := fault.InField("scope", "unknown_scope",
		"there is no ingest table %q; a scope is the slug of one table, such as orders, or '*' for all of them", scope)
	if strings.ContainsRune(scope, 0) {
		return unknown
	}
	var found bool
	err := s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		found, err = q.New(tx).TableExists(ctx, q.TableExistsParams{TenantID: tenant, Slug: scope})
		return err
	})
	if err == nil && !found {
		return unknown
	}
	return err
}

func unknownKey(id uuid.UUID) error {
	return fault.New(fault.NotFound, "unknown_key", "no key has the id %s", id)
}
