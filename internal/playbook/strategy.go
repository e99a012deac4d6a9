package playbook

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Scope says which articles a strategy is for.
type Scope string

// The scopes, from the one that yields to all others to the one that goes first.
const (
	OfWorkspace Scope = "workspace"
	OfFamily    Scope = "family"
	OfSupplier  Scope = "supplier"
	OfProduct   Scope = "product"
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{OfWorkspace, OfFamily, OfSupplier, OfProduct} }

// Strategy says how some articles are bought. Its parameters override the config for them; its text
// explains why.
type Strategy struct {
	Title          string `json:"title"`
	Scope          Scope  `json:"scope"`
	Target         string `json:"target,omitempty"` // the supplier's id, the family's name or the product's id
	Body           string `json:"body"`             // Markdown
	Parameters     Values `json:"parameters"`       // of keys for planning
	Status         Status `json:"status"`
	EffectiveFrom  string `json:"effective_from,omitempty"`  // a date; empty: at once
	EffectiveUntil string `json:"effective_until,omitempty"` // a date, the last; empty: for ever
}

// endedBefore reports whether the strategy's last day was before a day.
func (s Strategy) endedBefore(day time.Time) bool {
	return s.EffectiveUntil != "" && s.EffectiveUntil < day.Format(time.DateOnly)
}

func (s Strategy) about() about {
	return about{kind: kindStrategy, name: "strategy", title: strings.TrimSpace(s.Title), body: s.Body, status: s.Status}
}

func (s Strategy) checked(ctx context.Context, queries *q.Queries, by auth.Principal) (_ any, err error) {
	s.Title = strings.TrimSpace(s.Title)
	if s.Parameters, err = checkParameters(s.Parameters); err != nil {
		return nil, err
	}
	for field, date := range map[string]string{"effective_from": s.EffectiveFrom, "effective_until": s.EffectiveUntil} {
		if err := checkDate(field, date); err != nil {
			return nil, err
		}
	}
	if s.EffectiveUntil != "" && s.EffectiveUntil < s.EffectiveFrom {
		return nil, fault.InField("effective_until", "order", "effective_until is before effective_from")
	}
	return s, s.checkTarget(ctx, queries, by)
}

// checkTarget refuses a strategy that is for nothing.
func (s Strategy) checkTarget(ctx context.Context, queries *q.Queries, by auth.Principal) error {
	if err := checkText("target", s.Target, longestTarget); err != nil {
		return err
	}
	known := true
	var err error
	switch {
	case !slices.Contains(Scopes(), s.Scope):
		return fault.InField("scope", "unknown", "the scope is workspace, family, supplier or product")
	case (s.Scope == OfWorkspace) != (s.Target == ""):
		return fault.InField("target", "target",
			"give the id of the supplier or product, or the family's name; nothing for the workspace")
	case s.Scope == OfSupplier:
		known, err = queries.SupplierExists(ctx,
			q.SupplierExistsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: s.Target})
	case s.Scope == OfProduct:
		known, err = queries.ProductExists(ctx,
			q.ProductExistsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: s.Target})
	}
	if err == nil && !known {
		return fault.InField("target", "unknown_reference", "there is no %s with this id", s.Scope)
	}
	return err
}

// Strategies returns the newest version of every strategy, by title.
func (s *Service) Strategies(ctx context.Context, by auth.Principal) ([]Document[Strategy], error) {
	return list[Strategy](ctx, s, by)
}

// Strategy returns the newest version of a strategy.
func (s *Service) Strategy(ctx context.Context, by auth.Principal, id uuid.UUID) (found Document[Strategy], err error) {
	err = s.reading(ctx, by, func(queries *q.Queries) (err error) {
		found, err = one[Strategy](ctx, queries, by, id)
		return err
	})
	return found, err
}

// StrategyVersions returns versions of a strategy before another (0: all), the newest first, and
// whether there are more.
func (s *Service) StrategyVersions(ctx context.Context, by auth.Principal, id uuid.UUID, before int64) (
	versions []Document[Strategy], more bool, err error) {
	err = s.reading(ctx, by, func(queries *q.Queries) (err error) {
		versions, more, err = history[Strategy](ctx, queries, by, id, before)
		return err
	})
	return versions, more, err
}

// CreateStrategy stores a new strategy.
func (s *Service) CreateStrategy(ctx context.Context, by auth.Principal, strategy Strategy, note string) (
	Document[Strategy], error) {
	return put(ctx, s, by, change[Strategy]{content: strategy, note: note})
}

// ChangeStrategy adds a version of a strategy if the newest is still the one that the caller saw.
func (s *Service) ChangeStrategy(ctx context.Context, by auth.Principal, id uuid.UUID, version int64, strategy Strategy,
	note string) (Document[Strategy], error) {
	return put(ctx, s, by, change[Strategy]{id, version, strategy, note})
}
