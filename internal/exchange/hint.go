package exchange

import (
	"context"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/vault"
)

const (
	// echoFor is how long after a comparison a webhook is most likely about what that wrote itself.
	echoFor = 30 * time.Second
	// hintPause is the least time between polls that webhooks bring forward.
	hintPause = 10 * time.Second
	// What one sender may send. Katana sends a webhook for every change, which exports make many of.
	hintsPerSecond = 20
	hintsAtOnce    = 200
	mostSenders    = 10_000
)

// Message is a webhook as it came.
type Message struct {
	Body   []byte
	Header func(name string) string
}

// ReadHint checks a webhook's signature and returns the id there of the order that it is about. It is empty if it is about
// something else. A signature that does not fit is Unauthenticated. Each system has one.
type ReadHint func(message Message, secret vault.Secret) (order string, err error)

// Hints takes the webhooks of inventory systems. A webhook is a hint and nothing more: its only effect is that an order is
// compared, or the next poll comes sooner.
type Hints struct {
	cells       *pg.Cells
	connections *connection.Service
	read        map[connection.System]ReadHint
	buckets     *otter.Cache[netip.Prefix, *rate.Limiter]
}

// NewHints returns the service.
func NewHints(cells *pg.Cells, connections *connection.Service, read map[connection.System]ReadHint) *Hints {
	return &Hints{cells, connections, read, otter.Must(&otter.Options[netip.Prefix, *rate.Limiter]{
		MaximumSize: mostSenders, ExpiryCalculator: otter.ExpiryAccessing[netip.Prefix, *rate.Limiter](time.Hour),
	})}
}

// admit takes one webhook from the sender's token bucket. Each instance has its own buckets. A client chooses the last 64 bits
// of its IPv6 address, so those do not count.
func (h *Hints) admit(from netip.Addr) error {
	network, err := from.Unmap().WithZone("").Prefix(min(64, from.Unmap().BitLen()))
	if err != nil {
		return err
	}
	bucket, _ := h.buckets.ComputeIfAbsent(network, func() (*rate.Limiter, bool) {
		return rate.NewLimiter(hintsPerSecond, hintsAtOnce), false
	})
	if !bucket.Allow() {
		return fault.New(fault.RateLimited, "rate", "too many webhooks; what they say is found by the next poll").After(time.Second)
	}
	return nil
}

// errSignature is the one answer to whoever cannot sign, so that nobody learns which connections there are.
var errSignature = fault.New(fault.Unauthenticated, "signature", "the signature does not fit")

// Take takes a webhook. It does not say whether the connection is unknown or the signature wrong.
func (h *Hints) Take(ctx context.Context, from netip.Addr, id uuid.UUID, message Message) error {
	if err := h.admit(from); err != nil {
		return err
	}
	hook, err := h.connections.OpenHook(ctx, id)
	if fault.Is(err, fault.NotFound) {
		// The signature is computed all the same, so that the answer takes as long.
		for _, read := range h.read {
			_, _ = read(message, vault.NewSecret(uuid.NewString()))
		}
		return errSignature
	}
	if err != nil {
		return err
	}
	order, err := h.read[hook.System](message, hook.Secret)
	if fault.Is(err, fault.Unauthenticated) {
		return errSignature
	}
	if err != nil || order == "" || !hook.Listens {
		return err
	}
	return h.cells.InTenant(ctx, hook.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		known, err := queries.AskByHint(ctx,
			q.AskByHintParams{TenantID: hook.Tenant, ConnectionID: id, ExternalID: order, Echo: echoFor})
		if err != nil || known {
			return err
		}
		return queries.PollSooner(ctx, q.PollSoonerParams{TenantID: hook.Tenant, ConnectionID: id, Pause: hintPause})
	})
}
