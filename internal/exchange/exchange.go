// Package exchange keeps purchase orders the same here and in an inventory system that a connection leads to.
//
// There is one way to do so: Sync compares one order on both sides with what both last agreed on, writes here,
// then writes there (see package inventory for the rules). Whatever asks for a comparison only says which order:
// a change here (a trigger keeps the order's version in exchange_orders.wanted), a poll, a webhook, a reconcile, a
// person's decision. So lost, doubled and late messages change nothing, and one order is never compared twice at
// the same time.
package exchange

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/vault"
)

// Dial returns the inventory system behind a connection.
type Dial func(address string, token vault.Secret, client *outbound.Client) inventory.System

// DefaultLease is the lease of a Config without one.
const DefaultLease = 2 * time.Minute

// Config holds the service's settings. The zero value has the defaults.
type Config struct {
	// Lease is how long an order stays claimed by an instance that died while it compared it. A comparison is stopped
	// well before its lease ends.
	Lease time.Duration
}

// Service exchanges orders.
type Service struct {
	cells       *pg.Cells
	lines       *purchase.Service
	connections *connection.Service
	dial        map[connection.System]Dial
	log         *slog.Logger
	lease       time.Duration
}

// New returns the service.
func New(cells *pg.Cells, lines *purchase.Service, connections *connection.Service, dial map[connection.System]Dial,
	log *slog.Logger, cfg Config) *Service {
	return &Service{cells: cells, lines: lines, connections: connections, dial: dial, log: log,
		lease: cmp.Or(cfg.Lease, DefaultLease)}
}

// State says how an order stands with the inventory system.
type State string

// The states.
const (
	Waiting  State = "waiting"  // to be compared
	Synced   State = "synced"   // both sides are equal, or what differs waits for an approval here
	Conflict State = "conflict" // a person must decide; nothing is written there until then
	Held     State = "held"     // something is missing that only a person can give, such as a supplier's id there
	Failed   State = "failed"   // refused there, or tried too often; a person retries it
	Paused   State = "paused"   // a person stopped it
)

// Order is an order that is exchanged.
type Order struct {
	Number       string
	Connection   uuid.UUID
	External     string // its id there; empty: it is not known to be there
	State        State
	Code         string // of the last error, or of what is missing
	Message      string // in words; empty: all is well
	Notices      []inventory.Notice
	SyncedAt     *time.Time
	ChangedThere *time.Time
	DueAt        time.Time // of the next comparison, while it waits
	Failures     int64     // in a row
	PausedBy     *auth.Actor
}
