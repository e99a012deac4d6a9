package purchase

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// NewLine is a line to be drafted. An order number left out makes a new order.
type NewLine struct {
	Changes
	RecommendationKey string // of the queue's recommendation that it answers
}

// Draft makes lines, all or none. Those without an order number share a new one for each
// supplier. For one
// recommendation there is never more than one open line: who comes second is told which
// line holds it.
func (s *Service) Draft(ctx context.Context, by auth.Principal, wanted []NewLine) (lines []Line, err error) {
	if err := may(by, Create, None); err != nil {
		return nil, err
	}
	if len(wanted) == 0 || len(wanted) > mostLines {
		return nil, fault.InField("lines", "lines", "draft between 1 and %d lines", mostLines)
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		c := &change{by: by, action: Create, queries: q.New(tx), tx: tx}
		rows, err := c.draftAll(ctx, wanted)
		if err != nil {
			return err
		}
		lines, err = show(ctx, c.queries, by, c.rules, rows)
		return err
	})
	if fault.HasCode(err, "recommendation_locked") {
		return nil, s.holder(ctx, by, wanted, err)
	}
	return lines, err
}

func (c *change) draftAll(ctx context.Context, wanted []NewLine) (rows []row, err error) {
	if c.rules, err = readRules(ctx, c.queries, c.by); err != nil {
		return nil, err
	}
	made := map[string]string{} // by supplier
	for _, one := range wanted {
		if one.OrderNo == nil || *one.OrderNo == "" {
			order, err := c.orderFor(ctx, one, made)
			if err != nil {
				return nil, err
			}
			one.OrderNo = &order
		}
		r, err := c.draft(ctx, one)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// draft makes one line.
func (c *change) draft(ctx context.Context, wanted NewLine) (r row, err error) {
	r.Status = string(Draft)
	if err := c.originate(&r); err != nil {
		return r, err
	}
	if err := c.apply(ctx, &r, wanted.Changes); err != nil {
		return r, err
	}
	if err := c.settle(row{}, &r); err != nil {
		return r, err
	}
	switch {
	case r.Sku == "":
		return r, fault.InField("sku", "required", "say which article: by its SKU, or by its product")
	case !r.QuantityOrdered.IsPositive():
		return r, fault.InField("quantity_ordered", "required", "say how many are to be ordered")
	}
	id := uuid.Must(uuid.NewV7()).String()
	params := q.InsertLineParams{
		TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, ID: id, ExternalID: id, OrderNo: r.OrderNo, Sku: r.Sku,
		QuantityOrdered: r.QuantityOrdered, ExpectedArrivalDate: r.ExpectedArrivalDate, PricePerUnit: r.PricePerUnit, Currency: r.Currency,
		Note: r.Note, SupplierID: r.SupplierID, ProductID: r.ProductID,
	}
	if params.RecommendationKey, err = c.answer(ctx, r, wanted.RecommendationKey); err != nil {
		return r, err
	}
	params.CreatedByType, params.CreatedByUserID = r.CreatedByType, r.CreatedByUserID
	params.CreatedByAgentID, params.CreatedByRunID = r.CreatedByAgentID, r.CreatedByRunID
	if r.WorkspacePurchaseOrderLine, err = c.queries.InsertLine(ctx, params); err != nil {
		return r, err
	}
	if err := c.oneSupplier(ctx, row{}, r); err != nil {
		return r, err
	}
	if err := c.keepApproval(ctx, r); err != nil {
		return r, err
	}
	return r, c.record(ctx, row{}, r)
}

// holder names the line that answers a recommendation already.
func (s *Service) holder(ctx context.Context, by auth.Principal, wanted []NewLine, locked error) error {
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		for _, one := range wanted {
			key := normalKey(one.RecommendationKey)
			if key == "" {
				continue
			}
			held, err := q.New(tx).LockHolder(ctx, q.LockHolderParams{TenantID: by.Tenant, RecommendationKey: &key})
			switch {
			case err == nil && held.WorkspaceID != by.Workspace:
				return fault.New(fault.Conflict, "recommendation_locked", "this is on its way already, in another workspace of the company")
			case err == nil:
				return fault.New(fault.Conflict, "recommendation_locked", "this is on its way already: line %s of order %s is %s", held.ID, held.OrderNo, words(held.Status))
			case !missing(err):
				return err
			}
		}
		return locked
	})
	return err
}
