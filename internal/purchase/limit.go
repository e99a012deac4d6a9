package purchase

import (
	"context"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/currency"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

type orderCurrency struct{ orderNo, currency string }

// spending is the total of an order in one currency, and the approver's limit; nil means no
// limit.
type spending struct {
	total decimal.Decimal
	limit *decimal.Decimal
}

// withinLimit refuses an approval beyond what the approver may spend on one order. All lines
// that are pending approval or ordered count, so that splitting an order does not help. An
// order is checked once per call: its row is locked, and approving its lines does not change
// the total.
func (c *change) withinLimit(ctx context.Context, orderNo, in string) (spending, error) {
	of := orderCurrency{orderNo, in}
	if known, judged := c.within[of]; judged {
		return known, nil
	}
	limit, limited, err := c.limit(ctx)
	if err != nil {
		return spending{}, err
	}
	totals, err := c.queries.BoundTotals(ctx,
		q.BoundTotalsParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, OrderNo: orderNo})
	if err != nil {
		return spending{}, err
	}
	var spent spending
	for _, total := range totals {
		if total.Currency == in {
			spent.total = total.Total
		}
		switch {
		case !limited:
		case total.Currency != limit.Currency:
			return spending{}, fault.New(fault.Forbidden, "approval_limit",
				"your limit is %s, and the order %s has lines in %s; somebody without a limit must approve it",
				currency.Show(limit.Amount, limit.Currency), orderNo, or(total.Currency, "no currency"))
		case total.Total.GreaterThan(limit.Amount):
			return spending{}, fault.New(fault.Forbidden, "approval_limit",
				"the order %s comes to %s and your limit is %s; somebody with a higher limit must approve it", orderNo,
				currency.Show(total.Total, total.Currency), currency.Show(limit.Amount, limit.Currency))
		}
	}
	if limited {
		spent.limit = &limit.Amount
	}
	if c.within == nil {
		c.within = map[orderCurrency]spending{}
	}
	c.within[of] = spent
	return spent, nil
}

// limit returns the caller's approval limit, if there is one.
func (c *change) limit(ctx context.Context) (limit q.GetApprovalLimitRow, limited bool, err error) {
	limit, err = c.queries.GetApprovalLimit(ctx,
		q.GetApprovalLimitParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, UserID: c.by.Person})
	if missing(err) {
		return limit, false, nil
	}
	return limit, err == nil, err
}
