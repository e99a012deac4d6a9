package apikey

import (
	"context"
	"errors"
	"math"
	"net/netip"
	"regexp"
	"time"
	_ "time/tzdata" // workspaces have zones, slim images do not

	"github.com/jackc/pgx/v5"
	"golang.org/x/time/rate"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/secret"
)

// The rate of a key that has none of its own.
const (
	DefaultRate  = 200 // requests per second
	DefaultBurst = 400
)

const (
	cachedKeys = 100_000
	cachedFor  = 5 * time.Minute // a change of a workspace's zone takes effect after this
	deadFor    = time.Minute     // a key that a restored backup brings back works after this
)

// How many unknown keys are looked up for one address: per second, and in a burst.
const (
	strangerRate  = 20
	strangerBurst = 100
)

// Caller is the principal of a key, and how fast it may call.
type Caller struct {
	auth.Principal
	Rate, Burst int

	hash [32]byte
}

var secretPattern = regexp.MustCompile(`^pk_[0-9a-f]{48}$`)

// Verify returns the caller that a key belongs to. The answer may come from a cache and be
// outdated: callers must check the key again inside their transaction, and call Forget if
// it is dead. If the key cannot be checked, the error is Unavailable.
//
// A dead key is remembered, so that a caller who goes on using it costs nothing. That delays no new key:
// nobody can have tried it before it was made, because it is random. Whoever tries many unknown keys is
// slowed down by their address; keys that are known from an earlier call still pass.
func (s *Service) Verify(ctx context.Context, shown string, from netip.Addr) (Caller, error) {
	if !secretPattern.MatchString(shown) {
		return Caller{}, auth.ErrDeadKey
	}
	hash := [32]byte(secret.Hash(shown))
	if _, dead := s.dead.GetIfPresent(hash); dead {
		return Caller{}, auth.ErrDeadKey
	}
	known, ok := s.callers.GetIfPresent(hash)
	if !ok {
		var err error
		if known, err = s.meet(ctx, hash, from); err != nil {
			return Caller{}, err
		}
	}
	if known.expired(time.Now()) {
		s.callers.Invalidate(hash)
		return Caller{}, auth.ErrDeadKey
	}
	return known.Caller, nil
}

// meet looks up a key that is not in the cache, unless too many from its address were unknown.
func (s *Service) meet(ctx context.Context, hash [32]byte, from netip.Addr) (remembered, error) {
	strangers, _ := s.strangers.ComputeIfAbsent(from, func() (*rate.Limiter, bool) {
		return rate.NewLimiter(strangerRate, strangerBurst), false
	})
	if strangers.Tokens() < 1 {
		return remembered{}, fault.New(fault.RateLimited, "unknown_keys",
			"too many calls with unknown keys come from your address").After(time.Second)
	}
	known, err := s.lookUp(ctx, hash)
	switch {
	case err == nil:
		s.callers.Set(hash, known)
	case errors.Is(err, auth.ErrDeadKey):
		strangers.Allow()
		s.dead.Set(hash, struct{}{})
	}
	return known, err
}

// Forget removes a caller whose key is dead from the cache.
func (s *Service) Forget(caller Caller) { s.callers.Invalidate(caller.hash) }

// remembered is a caller in the cache.
type remembered struct {
	Caller
	expiresAt *time.Time
}

func (r remembered) expired(now time.Time) bool {
	return r.expiresAt != nil && !now.Before(*r.expiresAt)
}

func (s *Service) lookUp(ctx context.Context, hash [32]byte) (remembered, error) {
	var found q.FindKeyRow
	// Crosses tenants: the key alone tells the tenant.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		found, err = q.New(tx).FindKey(ctx, hash[:])
		return err
	})
	if err != nil {
		return remembered{}, uncheckable(err)
	}
	if found.Suspended {
		return remembered{}, auth.ErrSuspended
	}
	tenant := found.TenantID
	zone, err := time.LoadLocation(found.TimeZone)
	if err != nil {
		return remembered{}, uncheckable(err)
	}
	var key q.GetKeyByHashRow
	err = s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		key, err = q.New(tx).GetKeyByHash(ctx, q.GetKeyByHashParams{TenantID: tenant, KeyHash: hash[:]})
		return err
	})
	if err != nil {
		return remembered{}, uncheckable(err)
	}
	if key.RevokedAt != nil {
		return remembered{}, auth.ErrDeadKey
	}
	caller := Caller{
		Principal: auth.Principal{
			Tenant: tenant, Workspace: key.WorkspaceID, Zone: zone, Key: key.ID, Scope: key.Scope,
			Actor: auth.Actor{Type: auth.ByKey, ID: key.ID.String()},
		},
		Rate: DefaultRate, Burst: DefaultBurst, hash: hash,
	}
	if key.RatePerSecond != nil {
		caller.Rate = int(*key.RatePerSecond)
	}
	if key.RateBurst != nil {
		caller.Burst = int(*key.RateBurst)
	}
	return remembered{caller, key.ExpiresAt}, nil
}

// uncheckable maps a lookup's error: auth.ErrDeadKey for an unknown key, else Unavailable.
func uncheckable(err error) error {
	if fault.Is(err, fault.NotFound) {
		return auth.ErrDeadKey
	}
	return fault.New(fault.Unavailable, "key_unchecked", "temporarily unavailable").Because(err)
}

// Allowance is the rate limit's answer to one call.
type Allowance struct {
	OK        bool
	Rate      int           // tokens per second
	Remaining int           // calls that would pass right now
	Full      time.Duration // until the bucket is full again
	Wait      time.Duration // until the next call passes
}

// Take takes one call from the key's token bucket. Each instance has its own buckets.
func (s *Service) Take(caller Caller) Allowance {
	bucket, _ := s.buckets.ComputeIfAbsent(caller.Key, func() (*rate.Limiter, bool) {
		return rate.NewLimiter(rate.Limit(caller.Rate), caller.Burst), false
	})
	if bucket.Limit() != rate.Limit(caller.Rate) || bucket.Burst() != caller.Burst {
		bucket.SetLimit(rate.Limit(caller.Rate))
		bucket.SetBurst(caller.Burst)
	}
	ok := bucket.Allow()
	tokens := bucket.Tokens()
	perToken := float64(time.Second) / float64(caller.Rate)
	return Allowance{
		OK: ok, Rate: caller.Rate,
		Remaining: int(math.Max(0, math.Floor(tokens))),
		Full:      time.Duration((float64(caller.Burst) - tokens) * perToken),
		Wait:      time.Duration(math.Max(0, 1-tokens) * perToken),
	}
}
