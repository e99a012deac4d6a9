package purchase

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Split moves a part of what is still to come of a line to a second line of its order, which is expected
// on another day; an empty day means that none is known. What is on its way and what it costs are the same before
// and after. The approval is divided in proportion, and both lines are judged as if they were edited: one that exceeds
// its share waits for approval again. Split returns the line, then its part. A call that is repeated before anybody
// changes the two returns them again.
func (s *Service) Split(ctx context.Context, by auth.Principal, ref Ref, quantity, day string) ([]Line, error) {
	part, err := number("quantity", strings.TrimSpace(quantity))
	if err != nil {
		return nil, err
	}
	var wanted row
	if err := putArrival(&wanted, strings.TrimSpace(day)); err != nil {
		return nil, err
	}
	wanted.QuantityOrdered, wanted.ExternalID = part, partKey(ref)
	lines, err := s.change(ctx, by, Split, []Ref{ref}, "", func(ctx context.Context, c *change, r *row) error {
		if err := r.ownDraft(by); err != nil {
			return err
		}
		return c.split(ctx, r, wanted)
	})
	if fault.Is(err, fault.Stale) {
		return s.splitAlready(ctx, by, ref, wanted, err)
	}
	return lines, err
}

// partKey is the external id of the line that is split off a version of a line. A version is split at
// most once.
func partKey(of Ref) string { return fmt.Sprintf("split:%s:%d", of.ID, of.Version) }

// split takes the part from the line and from its approval, and stores it.
func (c *change) split(ctx context.Context, r *row, wanted row) error {
	open := r.QuantityOrdered.Sub(r.QuantityReceived)
	if off := wanted.QuantityOrdered; !off.IsPositive() || off.GreaterThanOrEqual(open) {
		return fault.InField("quantity", "quantity",
			"%s are still to come; split off more than zero and less than that, or give the line another day",
			decimal.Max(open, decimal.Zero))
	}
	part := *r
	part.QuantityOrdered, part.QuantityReceived = wanted.QuantityOrdered, decimal.Zero
	if part.Status == string(PartiallyReceived) {
		part.Status = string(Ordered)
	}
	if err := c.divideApproval(ctx, r, &part); err != nil {
		return err
	}
	key, err := c.partRecommendation(ctx, *r, Status(part.Status))
	if err != nil {
		return err
	}
	part.WorkspacePurchaseOrderLine, err = c.queries.InsertPart(ctx, q.InsertPartParams{
		TenantID: c.by.Tenant, OfID: r.ID, ID: uuid.Must(uuid.NewV7()).String(), ExternalID: wanted.ExternalID, Status: part.Status,
		QuantityOrdered: wanted.QuantityOrdered, ExpectedArrivalDate: wanted.ExpectedArrivalDate, RecommendationKey: key,
		ApprovedBy: part.ApprovedBy, ApprovedAt: part.ApprovedAt,
	})
	if err != nil {
		return err
	}
	if err := c.keepApproval(ctx, part); err != nil {
		return err
	}
	err = c.queries.DivideSuggestion(ctx, q.DivideSuggestionParams{TenantID: c.by.Tenant, LineID: r.ID, PartID: part.ID,
		Quantity: part.QuantityOrdered.InexactFloat64()})
	if err != nil {
		return err
	}
	c.part = &part
	if err := c.countNew(ctx, 1); err != nil {
		return err
	}
	return c.record(ctx, row{}, part)
}

// divideApproval divides what was approved and submitted, so that both lines together are covered as the
// one was, and judges both. If an external system has changed the amount since, it stays changed.
func (c *change) divideApproval(ctx context.Context, r, part *row) error {
	before, changed := *r, r.changed()
	r.QuantityOrdered = r.QuantityOrdered.Sub(part.QuantityOrdered)
	ordered := before.Status == string(Ordered) || before.Status == string(PartiallyReceived)
	if ordered && r.approval.ApprovedQuantity == nil {
		r.approval.seal(before)
		part.approval.seal(before)
	}
	if approved := r.approval.ApprovedQuantity; approved != nil {
		multiple, err := c.orderMultiple(ctx, *r)
		if err != nil {
			return err
		}
		rest, of := divide(*approved, before.QuantityOrdered, part.QuantityOrdered, multiple)
		r.approval.ApprovedQuantity, part.approval.ApprovedQuantity = &rest, &of
	}
	if r.approval.MoneyHash != nil && !changed {
		r.approval.MoneyHash, part.approval.MoneyHash = r.moneyHash(), part.moneyHash()
	}
	if r.approval.OrderedVersion != nil {
		part.approval.OrderedVersion = new(int64) // the event is the first line's
	}
	if !ordered {
		return nil
	}
	now := time.Now()
	if err := c.rules.judgeOrder(r, c.by.Actor, now); err != nil {
		return err
	}
	return c.rules.judgeOrder(part, c.by.Actor, now)
}

// orderMultiple returns what the line's article is ordered in whole numbers of; zero if that is not known.
func (c *change) orderMultiple(ctx context.Context, r row) (decimal.Decimal, error) {
	if r.ProductID == nil {
		return decimal.Zero, nil
	}
	multiple, err := c.queries.GetOrderMultiple(ctx,
		q.GetOrderMultipleParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, ID: *r.ProductID})
	if missing(err) || err == nil && multiple == nil {
		return decimal.Zero, nil
	}
	if err != nil {
		return decimal.Zero, err
	}
	return *multiple, nil
}

// partRecommendation returns the recommendation that a part answers. While the part is not ordered, it must keep others
// from drafting the need again, whatever becomes of the first line; so it holds the article's next number. An ordered
// part answers none: what is on its way is known.
func (c *change) partRecommendation(ctx context.Context, r row, part Status) (*string, error) {
	if r.RecommendationKey == nil || part != Draft && part != PendingApproval {
		return nil, nil
	}
	of := RecommendationsLike(*r.RecommendationKey)
	answers, err := c.answers(ctx, of)
	if err != nil {
		return nil, err
	}
	return new(of + strconv.Itoa(newest(answers)+1)), nil
}

// splitAlready returns the two lines if this very call has split them, and nobody changed the part since.
func (s *Service) splitAlready(ctx context.Context, by auth.Principal, ref Ref, wanted row, stale error) ([]Line, error) {
	return s.read(ctx, by, func(queries *q.Queries) ([]q.WorkspacePurchaseOrderLine, error) {
		part, err := queries.LockLineByKey(ctx, q.LockLineByKeyParams{TenantID: by.Tenant, ExternalID: wanted.ExternalID})
		if err != nil && !missing(err) {
			return nil, err
		}
		if err != nil || part.Version != 1 || !part.QuantityOrdered.Equal(wanted.QuantityOrdered) ||
			part.ExpectedArrivalDate != wanted.ExpectedArrivalDate {
			return nil, stale
		}
		lines, err := queries.ListLines(ctx,
			q.ListLinesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Ids: []string{ref.ID}})
		if len(lines) == 0 && err == nil {
			return nil, stale // it is another workspace's
		}
		return append(lines, part), err
	})
}
