package procure

import (
	"context"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// readKeys finds the key of each article's present recommendation, and the line that answers it.
func (c *computation) readKeys(ctx context.Context, articles []known) error {
	of := q.ReadQueueKeysParams{TenantID: c.at.tenant}
	for i := range articles {
		of.Prefixes = append(of.Prefixes, purchase.RecommendationsOf(c.at.tenant, articles[i].Identity))
	}
	rows, err := c.queries.ReadQueueKeys(ctx, of)
	answered := map[string]q.ReadQueueKeysRow{}
	for _, r := range rows {
		answered[r.Prefix] = r
	}
	for i := range articles {
		k, by := &articles[i], answered[of.Prefixes[i]]
		n := by.Newest + 1
		if by.Open > 0 {
			n, k.lockedBy = by.Open, by.LineID
		}
		k.key = purchase.RecommendationKey(c.at.tenant, k.Identity, purchase.Everywhere, int(n))
	}
	return err
}

// readSuppressions reads the decisions not to order articles for now.
func (c *computation) readSuppressions(ctx context.Context, articles []known) error {
	of := q.ReadSuppressionsParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, Since: date(c.asOf - suppressedDays),
		Today: date(c.asOf)}
	position := map[string]*known{}
	for i := range articles {
		of.Products = append(of.Products, articles[i].ID)
		position[articles[i].ID] = &articles[i]
	}
	rows, err := c.queries.ReadSuppressions(ctx, of)
	for i := range rows {
		position[rows[i].ProductID].suppression = &rows[i]
	}
	return err
}

// The kinds of decisions not to order.
const (
	Dismissed = "dismissed" // in the queue
	Snoozed   = "snoozed"   // in the queue, until a day
	Rejected  = "rejected"  // a line that was not ordered yet was cancelled
	Short     = "short"     // less than suggested was ordered, the rest perhaps on a day
)

// grown is by how much a need must have grown since it was turned down to be shown again.
const grown = 1.5

// suppressedUntil returns the day on which the article is suggested again, or nil if it is now. A
// need that has grown by half, or that has become critical, is not held back.
func (k *known) suppressedUntil(p Plan) *demand.Day {
	s := k.suppression
	if s == nil || p.Raw >= grown*s.RawQuantity && p.Raw > 0 || p.Urgency == UrgencyCritical && !s.Critical {
		return nil
	}
	until := dayOf(s.Since)
	switch s.Kind {
	case Snoozed:
		until = dayOf(s.Until)
	case Short:
		if s.Until.Valid {
			until = dayOf(s.Until)
			break
		}
		until += demand.Day(k.config.ShortOrderCooldownDays)
	default:
		until += demand.Day(k.config.RejectionCooldownDays)
	}
	if until <= k.AsOf {
		return nil
	}
	return &until
}
