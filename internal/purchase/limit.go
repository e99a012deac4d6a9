package purchase

import (
	"context"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/currency"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// spending is the total of an order in one currency, and the approver's limit; nil means no
// limit.
type spending struct {
	total decimal.Decimal
	limit *decimal.Decimal
}

// withinLimit refuses an approval beyond what the approver may spend on one order. All lines
// that are pending approval or ordered count, so that splitting an order does not help. The totals
// of an order are read once per call: its row is locked, and approving its lines does not change them.
func (c *change) withinLimit(ctx context.Context, orderNo, in string) (spending, error) {
	may, err := c.allowance(ctx)
	if err != nil {
		return spending{}, err
	}
	if _, known := c.totals[orderNo]; !known {
		if err := c.readTotals(ctx, []string{orderNo}); err != nil {
			return spending{}, err
		}
	}
	var spent spending
	for _, total := range c.totals[orderNo] {
		if total.Currency == in {
			spent.total = total.Total
		}
		switch {
		case !may.limited:
		case total.Currency != may.Currency:
			return spending{}, fault.New(fault.Forbidden, "approval_limit",
				"your limit is %s, and the order %s has lines in %s; somebody without a limit must approve it",
				currency.Show(may.Amount, may.Currency), orderNo, or(total.Currency, "no currency"))
		case total.Total.GreaterThan(may.Amount):
			return spending{}, fault.New(fault.Forbidden, "approval_limit",
				"the order %s comes to %s and your limit is %s; somebody with a higher limit must approve it", orderNo,
				currency.Show(total.Total, total.Currency), currency.Show(may.Amount, may.Currency))
		}
	}
	if may.limited {
		spent.limit = &may.Amount
	}
	return spent, nil
}

// readTotals reads the totals of orders that count against a limit.
func (c *change) readTotals(ctx context.Context, orderNos []string) error {
	found, err := c.queries.BoundTotals(ctx,
		q.BoundTotalsParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, OrderNos: orderNos})
	if c.totals == nil {
		c.totals = map[string][]q.BoundTotalsRow{}
	}
	for _, orderNo := range orderNos {
		c.totals[orderNo] = nil
	}
	for _, total := range found {
		c.totals[total.OrderNo] = append(c.totals[total.OrderNo], total)
	}
	return err
}

// allowance is the most that the caller may approve, if there is a limit.
type allowance struct {
	q.GetApprovalLimitRow
	limited bool
}

func (c *change) allowance(ctx context.Context) (allowance, error) {
	if c.allowed != nil {
		return *c.allowed, nil
	}
	limit, err := c.queries.GetApprovalLimit(ctx,
		q.GetApprovalLimitParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, UserID: c.by.Person})
	if err != nil && !missing(err) {
		return allowance{}, err
	}
	c.allowed = &allowance{limit, err == nil}
	return *c.allowed, nil
}
