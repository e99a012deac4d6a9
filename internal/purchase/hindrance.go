package purchase

import (
	"context"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Hindrance says why the caller could not approve an order as it is, as far as that depends on the
// caller: four eyes, and their limit. It is empty if nothing hinders them, or if they approve nothing
// anyway. An approval asks again.
func Hindrance(ctx context.Context, queries *q.Queries, by auth.Principal, orderNo string) (string, error) {
	if !by.Role.May(auth.ApproveLines) {
		return "", nil
	}
	rules, err := readRules(ctx, queries, by)
	if err != nil {
		return "", err
	}
	pending, err := queries.ListPendingLines(ctx, q.ListPendingLinesParams{TenantID: by.Tenant,
		WorkspaceID: by.Workspace, OrderNo: orderNo, Most: mostLines})
	if err != nil {
		return "", err
	}
	rows, err := withApprovals(ctx, queries, by, pending)
	if err != nil {
		return "", err
	}
	c := &change{by: by, action: Approve, queries: queries, rules: rules}
	for _, r := range rows {
		_, _, err := c.mayApprove(ctx, r)
		if fault.Is(err, fault.Forbidden) {
			return fault.Refusal(err).Message, nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", nil
}

// mayApprove refuses an approver who had a part in the line, or whose limit the order exceeds or cannot be compared with.
func (c *change) mayApprove(ctx context.Context, r row) (eyes string, spent spending, err error) {
	if eyes, err = c.involvement(ctx, r); err != nil {
		return eyes, spent, err
	}
	if eyes != "" && c.rules.FourEyes {
		return eyes, spent, fault.New(fault.Forbidden, "four_eyes", "%s; somebody else must approve it", eyes)
	}
	spent, err = c.withinLimit(ctx, r.OrderNo, deref(r.Currency))
	if err == nil && spent.limit != nil && !r.priced() {
		err = fault.New(fault.Forbidden, "approval_limit",
			"a line of the order %s costs nothing, so it cannot be compared with your limit; give it a price, or somebody "+
				"without a limit must approve it", r.OrderNo)
	}
	return eyes, spent, err
}
