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

// Above is an ordered line of which more is ordered than its approval tolerates. People cannot make one; it was written by an
// external system, or by a version that did not compare a line that was split, or the tolerance was lowered since.
type Above struct {
	Tenant            uuid.UUID
	OrderNo, SKU      string
	Approved, Ordered decimal.Decimal
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
			for _, line := range raised {
				if _, known := rules[line.WorkspaceID]; !known {
					by := auth.Principal{Tenant: line.TenantID, Workspace: line.WorkspaceID}
					if rules[line.WorkspaceID], err = readRules(ctx, queries, by); err != nil {
						return err
					}
				}
				if risen(*line.ApprovedQuantity, line.QuantityOrdered, rules[line.WorkspaceID].Reapproval) {
					above = append(above, Above{Tenant: line.TenantID, OrderNo: line.OrderNo, SKU: line.Sku,
						Approved: *line.ApprovedQuantity, Ordered: line.QuantityOrdered})
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
