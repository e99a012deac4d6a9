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
	// What one sender may send. All connections to one system have the same sender.
	sentPerSecond = 100
	sentAtOnce    = 1000
	// What one connection may send, after its signature was checked, so that it takes nothing from the others of its
	// sender for long. Katana sends a webhook for every change, which exports make many of.
	hintsPerSecond = 20
	hintsAtOnce    = 200
	mostBuckets    = 10_000
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
	senders     *buckets[netip.Prefix]
	signed      *buckets[uuid.UUID]
}

// NewHints returns the service.
func NewHints(cells *pg.Cells, connections *connection.Service, read map[connection.System]ReadHint) *Hints {
	return &Hints{cells: cells, connections: connections, read: read,
		senders: newBuckets[netip.Prefix](sentPerSecond, sentAtOnce), signed: newBuckets[uuid.UUID](hintsPerSecond, hintsAtOnce)}
}

// buckets are token buckets. Each instance has its own.
type buckets[K comparable] struct {
	cache     *otter.Cache[K, *rate.Limiter]
	perSecond rate.Limit
	atOnce    int
}

func newBuckets[K comparable](perSecond rate.Limit, atOnce int) *buckets[K] {
	return &buckets[K]{otter.Must(&otter.Options[K, *rate.Limiter]{
		MaximumSize: mostBuckets, ExpiryCalculator: otter.ExpiryAccessing[K, *rate.Limiter](time.Hour),
	}), perSecond, atOnce}
}

// admit takes one webhook from a bucket.
func (b *buckets[K]) admit(of K) error {
	bucket, _ := b.cache.ComputeIfAbsent(of, func() (*rate.Limiter, bool) { return rate.NewLimiter(b.perSecond, b.atOnce), false })
	if !bucket.Allow() {
		return fault.New(fault.RateLimited, "rate", "too many webhooks; what they say is found by the next poll").After(time.Second)
	}
	return nil
}

// network is the sender of a webhook. A client chooses the last 64 bits of its IPv6 address, so those do not count.
func network(from netip.Addr) (netip.Prefix, error) {
	return from.Unmap().WithZone("").Prefix(min(64, from.Unmap().BitLen()))
}

// ErrSuspended is the answer to the signed webhooks of a suspended company.
var ErrSuspended = fault.New(fault.Forbidden, "suspended", "the company is suspended")

// errSignature is the one answer to whoever cannot sign, so that nobody learns which connections there are.
var errSignature = fault.New(fault.Unauthenticated, "signature", "the signature does not fit")

// Take takes a webhook. It does not say whether the connection is unknown or the signature wrong. Only who can sign learns
// that the company is suspended (ErrSuspended), or that there are too many.
func (h *Hints) Take(ctx context.Context, from netip.Addr, id uuid.UUID, message Message) error {
	sender, err := network(from)
	if err != nil {
		return err
	}
	if err := h.senders.admit(sender); err != nil {
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
	// The signature fits from here on, though the message may not be understood.
	if hook.Suspended {
		return ErrSuspended
	}
	if limited := h.signed.admit(id); limited != nil {
		return limited
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
