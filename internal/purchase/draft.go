package purchase

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// NewLine is a line to be drafted. Without an order number it gets a new order.
type NewLine struct {
	Changes
	RecommendationKey string     // of the recommendation in the queue that the line answers
	RestOn            *time.Time // when the rest of the recommendation is to be ordered; nil: nobody said
	Counted           *Counted   // what the recommendation counted; nil: there is none
}

// Draft creates all lines or none. Lines without an order number share a new order for each
// supplier. An article that already has open lines, which no recommendation counted, is refused;
// DraftConfirmed allows it. A recommendation has at most one open line; a second draft for it is
// refused, and the refusal names the first line.
func (s *Service) Draft(ctx context.Context, by auth.Principal, wanted []NewLine) ([]Line, error) {
	return s.draft(ctx, by, wanted, false)
}

// DraftConfirmed is Draft for a caller who confirms that more is wanted of articles that
// already have open lines.
func (s *Service) DraftConfirmed(ctx context.Context, by auth.Principal, wanted []NewLine) ([]Line, error) {
	return s.draft(ctx, by, wanted, true)
}

func (s *Service) draft(ctx context.Context, by auth.Principal, wanted []NewLine, confirmed bool) (
	lines []Line, err error) {
	if err := may(by, Create, None); err != nil {
		return nil, err
	}
	if len(wanted) == 0 || len(wanted) > mostLines {
		return nil, fault.InField("lines", "lines", "draft between 1 and %d lines", mostLines)
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		c := &change{by: by, action: Create, queries: q.New(tx), tx: tx}
		rows, err := c.draftAll(ctx, wanted, confirmed)
		if err != nil {
			return err
		}
		lines, err = show(ctx, c.queries, by, c.rules, rows)
		return err
	})
	if fault.HasCode(err, "recommendation_locked") || fault.HasCode(err, "already_on_its_way") {
		return nil, s.holder(ctx, by, wanted, err)
	}
	return lines, err
}

func (c *change) draftAll(ctx context.Context, wanted []NewLine, confirmed bool) (rows []row, err error) {
	if c.rules, err = readRules(ctx, c.queries, c.by); err != nil {
		return nil, err
	}
	for _, one := range wanted {
		r, err := c.prepare(ctx, one)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	if err := c.refuseDuplicates(ctx, rows, wanted, confirmed); err != nil {
		return nil, err
	}
	made := map[string]string{} // order numbers by supplier
	for i := range rows {
		if rows[i].OrderNo == "" {
			if rows[i].OrderNo, err = c.orderFor(ctx, rows[i], made); err != nil {
				return nil, err
			}
		}
		if err := c.insert(ctx, &rows[i], wanted[i].RestOn); err != nil {
			return nil, err
		}
	}
	if err := c.keepBudget(ctx, rows); err != nil {
		return nil, err
	}
	return rows, c.countNew(ctx, len(rows))
}

// countNew adds lines to the number of rows that the table's card shows: what external systems send is
// counted on its way in.
func (c *change) countNew(ctx context.Context, lines int) error {
	return c.queries.AddSourceRows(ctx, q.AddSourceRowsParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, Slug: slug,
		Rows: int64(lines)})
}

// prepare checks a new line without storing it. An order number that was left out is still
// empty.
func (c *change) prepare(ctx context.Context, wanted NewLine) (r row, err error) {
	r.Status = string(Draft)
	if err := c.originate(&r); err != nil {
		return r, err
	}
	if wanted.OrderNo != nil && *wanted.OrderNo == "" {
		wanted.OrderNo = nil
	}
	if err := c.apply(ctx, &r, wanted.Changes); err != nil {
		return r, err
	}
	if err := c.judge(row{}, &r); err != nil {
		return r, err
	}
	switch {
	case r.Sku == "":
		return r, fault.InField("sku", "required", "say which article: by its SKU, or by its product")
	case !r.QuantityOrdered.IsPositive():
		return r, fault.InField("quantity_ordered", "required", "say how many are to be ordered")
	}
	r.RecommendationKey, err = c.answer(ctx, r, wanted.RecommendationKey)
	return r, err
}

// insert stores a new line. The rest of what it answers is to be ordered on a day, if one is given.
func (c *change) insert(ctx context.Context, r *row, restOn *time.Time) (err error) {
	id := uuid.Must(uuid.NewV7()).String()
	r.WorkspacePurchaseOrderLine, err = c.queries.InsertLine(ctx, q.InsertLineParams{
		TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, ID: id, ExternalID: id, OrderNo: r.OrderNo, Sku: r.Sku,
		QuantityOrdered: r.QuantityOrdered, ExpectedArrivalDate: r.ExpectedArrivalDate, PricePerUnit: r.PricePerUnit,
		Currency: r.Currency,
		Note:     r.Note, SupplierID: r.SupplierID, ProductID: r.ProductID, RecommendationKey: r.RecommendationKey,
		CreatedByType: r.CreatedByType, CreatedByUserID: r.CreatedByUserID, CreatedByAgentID: r.CreatedByAgentID,
		CreatedByRunID: r.CreatedByRunID,
	})
	if err != nil {
		return err
	}
	if err := c.oneSupplier(ctx, row{}, *r); err != nil {
		return err
	}
	if err := c.keepApproval(ctx, *r); err != nil {
		return err
	}
	if err := c.keepSuggestion(ctx, *r, restOn); err != nil {
		return err
	}
	return c.record(ctx, row{}, *r)
}

// Answered returns the refusal of a recommendation that is not the present one of its article. It
// names the line that holds it, if that is still open.
func (s *Service) Answered(ctx context.Context, by auth.Principal, key string) error {
	return s.holder(ctx, by, []NewLine{{RecommendationKey: key}}, errAnswered)
}

// holder returns a refusal that names the line which already answers the recommendation;
// confirming does not help then. If there is no such line, it returns the refusal unchanged, unless that
// speaks of a line.
func (s *Service) holder(ctx context.Context, by auth.Principal, wanted []NewLine, refusal error) error {
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		for _, one := range wanted {
			key := NormalKey(one.RecommendationKey)
			if key == "" {
				continue
			}
			held, err := q.New(tx).LockHolder(ctx, q.LockHolderParams{TenantID: by.Tenant, RecommendationKey: &key})
			switch {
			case err == nil && held.WorkspaceID != by.Workspace:
				return fault.New(fault.Conflict, "recommendation_locked",
					"this is on its way already, in another workspace of the company")
			case err == nil:
				return fault.New(fault.Conflict, "recommendation_locked", "this is on its way already: line %s of order %s is %s",
					held.ID, held.OrderNo, words(held.Status))
			case !missing(err):
				return err
			}
		}
		if fault.HasCode(refusal, "recommendation_locked") {
			return errFreed
		}
		return refusal
	})
	return err
}
