package purchase

import (
	"context"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
)

// The sums that are stored beside an order have all of its lines, because approval limits ask them. What
// people are shown leaves out lines that cannot be true: one wrong price would hide all others. A sum that can
// be true is shown as it is stored; only of an order with another one the lines are added up.

// believed reports whether the amounts of a stored sum can be true.
func (s orderSum) believed() bool {
	return plausible.Amount(s.Total) && plausible.Amount(s.Ordered) && plausible.Amount(s.Received) &&
		plausible.Amount(s.GivenUp) && plausible.Amount(s.Expected)
}

// believedSums adds up the lines of orders that can be true, by order.
func believedSums(ctx context.Context, queries *q.Queries, by auth.Principal, orderNos []string) (map[string][]orderSum, error) {
	if len(orderNos) == 0 {
		return nil, nil
	}
	rows, err := queries.SumBelievedLines(ctx,
		q.SumBelievedLinesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNos: orderNos})
	sums := map[string][]orderSum{}
	for _, r := range rows {
		sums[r.OrderNo] = append(sums[r.OrderNo], orderSum{SupplierName: r.SupplierName, Currency: r.Currency, Total: r.Total,
			Ordered: r.Ordered, Received: r.Received, GivenUp: r.GivenUp, Expected: r.Expected, leftOut: r.LeftOut})
	}
	return sums, err
}

// SupplierSum is what an order has of one supplier in one currency, as people are shown it.
type SupplierSum struct {
	q.SumSupplierOrdersRow
	LeftOut int64 // lines that are in no amount
}

// SumsOfSupplier returns what orders have of a supplier, by order and currency, without lines that cannot be true.
func SumsOfSupplier(ctx context.Context, queries *q.Queries, by auth.Principal, supplier string, orderNos []string) (
	sums []SupplierSum, err error) {
	rows, err := queries.SumSupplierOrders(ctx, q.SumSupplierOrdersParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
		SupplierID: supplier, Orders: orderNos})
	if err != nil {
		return nil, err
	}
	doubtful := []string{}
	for _, row := range rows {
		if !plausible.Amount(row.Total) || !plausible.Amount(row.Received) {
			doubtful = append(doubtful, row.OrderNo)
		}
		sums = append(sums, SupplierSum{SumSupplierOrdersRow: row})
	}
	if len(doubtful) == 0 {
		return sums, nil
	}
	without, err := queries.SumBelievedLines(ctx,
		q.SumBelievedLinesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNos: doubtful})
	for i := range sums {
		s := &sums[i]
		if plausible.Amount(s.Total) && plausible.Amount(s.Received) {
			continue
		}
		s.Total, s.Received = decimal.Zero, decimal.Zero
		for _, r := range without {
			if r.OrderNo == s.OrderNo && r.Currency == s.Currency && r.SupplierID == supplier {
				s.Total, s.Received, s.LeftOut = s.Total.Add(r.Total), s.Received.Add(r.Received), s.LeftOut+r.LeftOut
			}
		}
	}
	return sums, err
}
