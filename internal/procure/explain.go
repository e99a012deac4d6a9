package procure

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/playbook"
)

// projectedDays is how many days of projected stock are returned.
const projectedDays = 91

// WhatIf are assumptions to try. Nil fields are as they are.
type WhatIf struct {
	LeadDays, CoverDays *int
	Service             *float64 // between 0.5 and 0.999
	DemandPct           *float64 // by how much demand is higher, in percent
}

// Explanation is how the suggestion for an article comes about.
type Explanation struct {
	Recommendation Recommendation
	Origins        playbook.Origins // of the rules
	Config         playbook.Config
	Lead           Lead
	Supply         []Supply
	ForecastError  *float64
	EmptyDays      int
	Class          demand.Class
	Is, WhatIf     Outcome
}

// Outcome is a plan with the stock that it projects, for each of the next days from AsOf on.
type Outcome struct {
	Plan
	Projection []float64
	Reason     []Part
}

// Explain computes an article's suggestion from what is stored now, and what it would be if
// something were different. Nothing is written.
func (s *Service) Explain(ctx context.Context, by auth.Principal, product string, what WhatIf) (Explanation, error) {
	return s.explain(ctx, by, what, func(*q.Queries) (string, error) { return product, nil })
}

// ExplainKey explains the recommendation that a key names, or that follows it if it was answered.
func (s *Service) ExplainKey(ctx context.Context, by auth.Principal, key string, what WhatIf) (Explanation, error) {
	return s.explain(ctx, by, what, func(queries *q.Queries) (string, error) { return findProduct(ctx, queries, by, key) })
}

func (s *Service) explain(ctx context.Context, by auth.Principal, what WhatIf, find func(*q.Queries) (string, error)) (
	e Explanation, err error) {
	if err := by.Require(auth.Read); err != nil {
		return e, err
	}
	if err := what.check(); err != nil {
		return e, err
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		product, err := find(q.New(tx))
		if err != nil {
			return err
		}
		k, c, err := one(ctx, tx, place{by.Tenant, by.Workspace}, product)
		if err != nil {
			return err
		}
		_, e.Origins = c.book.For(k.ID, text(k.SupplierID), text(k.Family))
		e.Config, e.Lead, e.Supply, e.ForecastError, e.EmptyDays = k.config, k.Lead, k.Supply, k.WAPE, k.EmptyDays
		e.Class = k.Demand.Class
		rows, err := list(ctx, c.queries, by,
			q.ListQueueParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Products: []string{product}, Most: 1})
		if err != nil || len(rows) == 0 {
			return errors.Join(err, errUnknown)
		}
		e.Recommendation = rows[0]
		e.Is = k.outcome()
		c.suppose(&k, what)
		e.WhatIf = k.outcome()
		return nil
	})
	return e, err
}

// errUnknown refuses an article without a row.
var errUnknown = fault.New(fault.NotFound, "unknown_article",
	"there is no such article in the queue: it is archived, not tracked or not to be reordered, or nothing is computed yet")

// one reads one article as of the queue's day.
func one(ctx context.Context, tx pgx.Tx, at place, product string) (k known, c *computation, err error) {
	c, err = begin(ctx, tx, at)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !c.settings.AsOf.Valid {
		return k, c, errUnknown
	}
	if err != nil {
		return k, c, err
	}
	c.asOf = dayOf(c.settings.AsOf)
	if err := c.prepare(ctx, tx); err != nil {
		return k, c, err
	}
	articles, err := c.read(ctx, []string{product})
	switch {
	case pg.BadData(err):
		return k, c, errUncomputed(unreadable)
	case err != nil:
		return k, c, err
	case len(articles) == 0:
		return k, c, errUnknown
	}
	if _, reason := c.rowOf(&articles[0]); reason != "" {
		return k, c, errUncomputed(reason)
	}
	return articles[0], c, nil
}

// outcome computes the plan of what is known.
func (k *known) outcome() Outcome {
	p := k.Plan()
	return Outcome{Plan: p, Projection: k.Projection(projectedDays), Reason: k.Reason(p, text(k.SupplierName))}
}

// check refuses assumptions outside the bounds of the config.
func (w WhatIf) check() error {
	switch {
	case w.LeadDays != nil && (*w.LeadDays < 0 || *w.LeadDays > longestLead):
		return fault.InField("lead_time_days", "range", "give a lead time between 0 and %d days", longestLead)
	case w.CoverDays != nil && (*w.CoverDays < 0 || *w.CoverDays > longestLead):
		return fault.InField("cover_days", "range", "give a cover between 0 and %d days", longestLead)
	case w.Service != nil && (*w.Service < 0.5 || *w.Service > 0.999 || math.IsNaN(*w.Service)):
		return fault.InField("service_level", "range", "give a chance between 0.5 and 0.999")
	case w.DemandPct != nil && (*w.DemandPct < -100 || *w.DemandPct > 1000 || math.IsNaN(*w.DemandPct)):
		return fault.InField("demand_pct", "range", "give a change between -100 and 1000 percent")
	}
	return nil
}

// suppose changes what is known to what is assumed. Other demand has noise in proportion.
func (c *computation) suppose(k *known, what WhatIf) {
	if what.LeadDays != nil {
		k.Lead = toldLead(float64(*what.LeadDays), LeadOfProduct)
	}
	if what.CoverDays != nil {
		k.Own.CoverDays = what.CoverDays
	}
	if what.Service != nil {
		k.Rule.Service = *what.Service
		k.Z = zAt(c.classes[k.Demand.Class], *what.Service)
		k.Own.SafetyStock, k.Own.ReorderPoint = nil, nil // the article's own would hide the effect
	}
	if what.DemandPct != nil {
		factor := 1 + *what.DemandPct/100
		k.Demand.Velocity *= factor
		k.Demand.SigmaDay2 *= factor * factor
	}
}

// Rules returns the settings that the suggestion depends on, with their origins.
func (e Explanation) Rules() []playbook.Setting { return playbook.Planning(e.Config, e.Origins) }

// Date returns a day of the plan.
func Date(d *demand.Day) *time.Time {
	if d == nil {
		return nil
	}
	return new(dateOf(*d))
}
