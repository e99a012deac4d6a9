package purchase

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Waiting is an order that waits for the caller: for their approval, or because somebody sent it back
// to them.
type Waiting struct {
	OrderNo string
	Lines   int64
	At      time.Time  // when the newest of the lines came
	Since   time.Time  // when the oldest of them was submitted; only of approvals
	By      auth.Actor // who submitted or sent back the newest
	Reason  string     // why it was sent back
}

// ToApprove returns the orders that wait for approval and that the caller could approve as they are: where
// Hindrance is empty. The newest orders are searched. It is the one answer to what waits for somebody's
// approval, and cheap enough to be polled: the lines of an order are read as one, and what four eyes and
// limits depend on is read once for all orders.
func ToApprove(ctx context.Context, queries *q.Queries, by auth.Principal) ([]Waiting, error) {
	if !by.Role.May(auth.ApproveLines) {
		return nil, nil
	}
	found, err := queries.ListPendingHands(ctx,
		q.ListPendingHandsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Most: mostSearched})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	rules, err := readRules(ctx, queries, by)
	if err != nil {
		return nil, err
	}
	c := &change{by: by, action: Approve, queries: queries, rules: rules}
	if err := c.readFor(ctx, found); err != nil {
		return nil, err
	}
	waiting := []Waiting{}
	for len(found) > 0 {
		end := slices.IndexFunc(found, func(one q.ListPendingHandsRow) bool { return one.OrderNo != found[0].OrderNo })
		if end < 0 {
			end = len(found)
		}
		order, may, err := c.toApprove(ctx, found[:end])
		if err != nil {
			return nil, err
		}
		if may {
			waiting = append(waiting, order)
		}
		found = found[end:]
	}
	return waiting, nil
}

// readFor reads what is needed to judge all of these lines.
func (c *change) readFor(ctx context.Context, pending []q.ListPendingHandsRow) error {
	runs, orderNos := []uuid.UUID{}, []string{}
	for _, one := range pending {
		if run, err := uuid.Parse(deref(one.CreatedByRunID)); err == nil {
			runs = append(runs, run)
		}
		orderNos = append(orderNos, one.OrderNo)
	}
	if err := c.readStarters(ctx, runs); err != nil {
		return err
	}
	return c.readTotals(ctx, orderNos)
}

// toApprove judges the lines of one order.
func (c *change) toApprove(ctx context.Context, lines []q.ListPendingHandsRow) (order Waiting, may bool, err error) {
	order.OrderNo = lines[0].OrderNo
	for _, one := range lines {
		_, _, err := c.mayApprove(ctx, row{
			q.WorkspacePurchaseOrderLine{OrderNo: one.OrderNo, CreatedByUserID: one.CreatedByUserID,
				CreatedByAgentID: one.CreatedByAgentID, CreatedByRunID: one.CreatedByRunID, PricePerUnit: &one.Cheapest},
			approval{q.WorkspaceLineApproval{MoneyBy: one.MoneyBy, ImportedBy: one.ImportedBy, SubmittedBy: one.SubmittedBy}},
		})
		if fault.Is(err, fault.Forbidden) || fault.Is(err, fault.NotFound) { // nobody approves a line of an unknown run
			return order, false, nil
		}
		if err != nil {
			return order, false, err
		}
		order.Lines += one.Lines
		if order.Since.IsZero() || one.Since.Before(order.Since) {
			order.Since = one.Since
		}
		if one.At.After(order.At) {
			order.At, order.By = one.At, auth.Actor{}
			if one.SubmittedBy != nil { // not if an external system submitted it
				if err := json.Unmarshal(one.SubmittedBy, &order.By); err != nil {
					return order, false, err
				}
			}
		}
	}
	return order, true, nil
}

// SentBack returns the orders with draft lines that somebody else sent back to the caller. The newest
// lines that were sent back are searched.
func SentBack(ctx context.Context, queries *q.Queries, by auth.Principal) (waiting []Waiting, err error) {
	if !by.Role.May(auth.DraftLines) {
		return nil, nil
	}
	found, err := queries.ListSentBack(ctx, q.ListSentBackParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
		Person: by.Person, Actor: by.Actor.ID, Most: mostSearched})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b q.ListSentBackRow) int { return strings.Compare(a.OrderNo, b.OrderNo) })
	for _, line := range found { // of each order the latest first
		if last := len(waiting) - 1; last >= 0 && waiting[last].OrderNo == line.OrderNo {
			waiting[last].Lines++
			continue
		}
		one := Waiting{OrderNo: line.OrderNo, Lines: 1, At: line.At, Reason: line.Reason}
		if err := json.Unmarshal(line.Actor, &one.By); err != nil {
			return nil, err
		}
		waiting = append(waiting, one)
	}
	return waiting, nil
}
