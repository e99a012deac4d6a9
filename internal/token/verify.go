package token

import (
	"context"
	"regexp"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/time/rate"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/secret"
)

// The rate limits of a token: calls of tools per second and in a burst, and the same for
// requests, of which there are a few more because clients also list tools and connect. Each
// instance counts for itself.
const (
	Rate  = 5
	Burst = 60

	requestRate  = 20
	requestBurst = 200

	mostBuckets = 100_000
)

// TakeRequest counts one request with a token, before anything is looked up: unknown tokens are counted like
// known ones. If it is refused, the error says when the next one is allowed.
func (s *Service) TakeRequest(shown string) error {
	limiter, _ := s.requests.ComputeIfAbsent([32]byte(secret.Hash(shown)), func() (*rate.Limiter, bool) {
		return rate.NewLimiter(requestRate, requestBurst), false
	})
	return take(limiter)
}

// TakeCall does the same for a call of a tool.
func (s *Service) TakeCall(id uuid.UUID) error {
	limiter, _ := s.calls.ComputeIfAbsent(id, func() (*rate.Limiter, bool) { return rate.NewLimiter(Rate, Burst), false })
	return take(limiter)
}

func take(limiter *rate.Limiter) error {
	if limiter.Allow() {
		return nil
	}
	wait := time.Duration((1 - limiter.Tokens()) / float64(limiter.Limit()) * float64(time.Second))
	return fault.New(fault.RateLimited, "rate_limit", "too many calls with this token").After(wait)
}

// ErrDead is the answer to any unknown, malformed, expired or revoked token.
var ErrDead = fault.New(fault.Unauthenticated, "invalid_token", "invalid, expired or revoked token")

var secretPattern = regexp.MustCompile(`^qst_[0-9a-f]{48}$`)

// Verify returns the principal of a token. Nothing is cached, so that a revoked token is
// refused at once. The person's role is not set here: the caller reads it at the time of the
// call.
func (s *Service) Verify(ctx context.Context, shown string) (by auth.Principal, err error) {
	if !secretPattern.MatchString(shown) {
		return by, ErrDead
	}
	hash := secret.Hash(shown)
	var found q.FindKeyRow
	// Crosses tenants: the token's tenant is not known yet.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		found, err = q.New(tx).FindKey(ctx, hash)
		return err
	})
	if err != nil {
		return by, dead(err)
	}
	if found.Suspended {
		return by, auth.ErrSuspended
	}
	err = s.cells.InTenant(ctx, found.TenantID, func(tx pgx.Tx) error {
		queries := q.New(tx)
		row, err := queries.GetLiveToken(ctx, q.GetLiveTokenParams{TenantID: found.TenantID, TokenHash: hash})
		if err != nil {
			return err
		}
		if by, err = principal(found, row); err != nil || !row.Stale {
			return err
		}
		return queries.TouchToken(ctx, q.TouchTokenParams{TenantID: found.TenantID, ID: row.ID})
	})
	if err != nil {
		return auth.Principal{}, dead(err)
	}
	return by, nil
}

func principal(found q.FindKeyRow, row q.GetLiveTokenRow) (by auth.Principal, err error) {
	by = auth.Principal{Tenant: found.TenantID, Workspace: row.WorkspaceID, Token: row.ID, Scopes: scopes(row.Scopes)}
	if by.Zone, err = time.LoadLocation(found.TimeZone); err != nil {
		return by, err
	}
	if row.AgentID != nil {
		by.Role, by.Actor = auth.Agent, auth.Actor{Type: auth.ByAgent, ID: row.AgentID.String()}
		return by, nil
	}
	by.Person, by.Actor = *row.UserID, auth.Actor{Type: auth.ByPerson, ID: row.UserID.String()}
	return by, nil
}

func dead(err error) error {
	if fault.Is(err, fault.NotFound) {
		return ErrDead
	}
	return fault.New(fault.Unavailable, "token_unchecked", "temporarily unavailable").Because(err)
}
