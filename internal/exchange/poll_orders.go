package exchange

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
)

// CodeNumberUsed is the code of an order that was made there with the number of an order here.
const CodeNumberUsed = "exchange_number_used"

// exchanged are the orders here that orders there are, or have the number of.
type exchanged struct {
	byID, byNumber map[string]*q.FindExchangedRow
}

// find returns what is known here about orders there.
func (r *reading) find(ctx context.Context, queries *q.Queries, orders []inventory.Order) (exchanged, error) {
	known := exchanged{map[string]*q.FindExchangedRow{}, map[string]*q.FindExchangedRow{}}
	rows, err := queries.FindExchanged(ctx, q.FindExchangedParams{TenantID: r.by.Tenant, ConnectionID: r.id,
		Ids:     each(orders, func(o inventory.Order) string { return o.ID }),
		Numbers: each(orders, func(o inventory.Order) string { return o.Number })})
	for i, row := range rows {
		known.byNumber[row.OrderNo] = &rows[i]
		if row.ExternalID != nil {
			known.byID[*row.ExternalID] = &rows[i]
		}
	}
	return known, err
}

func each[T any](items []T, of func(T) string) []string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = of(item)
	}
	return texts
}

// meet asks for a comparison of each listed order that is not the version that was merged last.
func (r *reading) meet(ctx context.Context, orders []inventory.Order) error {
	if len(orders) == 0 {
		return nil
	}
	var known exchanged
	var used []string
	err := r.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) (err error) {
		queries := q.New(tx)
		if known, err = r.find(ctx, queries, orders); err != nil {
			return err
		}
		used, err = queries.FindOrderNumbers(ctx, q.FindOrderNumbersParams{TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace,
			Numbers: each(orders, func(o inventory.Order) string { return o.Number })})
		return err
	})
	if err != nil {
		return err
	}
	for _, order := range orders {
		if ask := r.question(order, known, used); ask != nil {
			if err := r.ask(ctx, *ask); err != nil {
				return err
			}
		}
	}
	return nil
}

// question returns what to ask for because of an order there, or nil.
func (r *reading) question(order inventory.Order, known exchanged, used []string) *q.AskForOrderParams {
	row, linked := known.byID[order.ID]
	if !linked {
		row = known.byNumber[order.Number]
	}
	ask := &q.AskForOrderParams{OrderNo: order.Number, State: string(Waiting), SeenThere: &order.UpdatedAt}
	switch {
	case row == nil && (order.Deleted || order.Number == ""):
		return nil // it came and went without us, or has no number that it could have here
	case row == nil && slices.Contains(used, order.Number):
		// It stays without its id there: then nobody takes it for the order here.
		ask.State, ask.Code = string(Held), CodeNumberUsed
		ask.Message = "the inventory system has an order " + order.Number + " of its own; give one of the two another number"
		return ask
	case row == nil:
		ask.ExternalID = &order.ID
		return ask
	case !linked && (order.Deleted || row.ExternalID != nil):
		return nil // another order has the number
	case row.ChangedThere != nil && row.ChangedThere.Equal(order.UpdatedAt):
		return nil // it was merged, or is our own echo
	case row.SeenThere != nil && !order.UpdatedAt.After(*row.SeenThere):
		return nil // it was asked for
	}
	ask.OrderNo = row.OrderNo
	return ask
}

// ask asks for a comparison, in a transaction of its own: with one lock at a time, it cannot get into a deadlock
// with somebody who changes orders.
func (r *reading) ask(ctx context.Context, ask q.AskForOrderParams) error {
	ask.TenantID, ask.ConnectionID, ask.WorkspaceID = r.by.Tenant, r.id, r.by.Workspace
	return r.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error { return q.New(tx).AskForOrder(ctx, ask) })
}
