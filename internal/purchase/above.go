package purchase

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

// Above is an ordered line that is above the approval that it got here. People cannot make one; it was written by an
// external system, or by a version that did not compare a line that was split, or the tolerance was lowered since.
type Above struct {
	Tenant            uuid.UUID
	OrderNo, SKU      string
	Approved, Ordered decimal.Decimal
	Columns           []string // what needs a new approval
}

// ListAbove lists the ordered lines of companies that are above their approvals, by company and order. It is for whoever runs
// the service.
func (s *Service) ListAbove(ctx context.Context, tenants []uuid.UUID) (above []Above, err error) {
	for some := range slices.Chunk(tenants, mostTenants) {
		err := s.cells.InTenants(ctx, some, func(tx pgx.Tx) error {
			queries := q.New(tx)
			raised, err := queries.ListRaisedLines(ctx, some)
			if err != nil {
				return err
			}
			rules := map[uuid.UUID]Rules{} // by workspace
			for _, found := range raised {
				line := row{found.WorkspacePurchaseOrderLine, approval{found.WorkspaceLineApproval}}
				if _, known := rules[line.WorkspaceID]; !known {
					by := auth.Principal{Tenant: line.TenantID, Workspace: line.WorkspaceID}
					if rules[line.WorkspaceID], err = readRules(ctx, queries, by); err != nil {
						return err
					}
				}
				if columns := line.deal().excess(line.approval.deal(), rules[line.WorkspaceID].Reapproval); columns != nil {
					above = append(above, Above{Tenant: line.TenantID, OrderNo: line.OrderNo, SKU: line.Sku,
						Approved: *line.approval.ApprovedQuantity, Ordered: line.QuantityOrdered, Columns: columns})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return above, nil
}

// mostTenants is how many companies one transaction reads.
const mostTenants = 100
