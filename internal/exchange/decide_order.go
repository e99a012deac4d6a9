package exchange

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// PauseOrder stops the exchange of one order until somebody resumes it.
func (s *Service) PauseOrder(ctx context.Context, by auth.Principal, id uuid.UUID, number string) (Exchanged, error) {
	return s.move(ctx, by, id, number, "exchange_order.paused", func(queries *q.Queries, state State) error {
		if state == Paused {
			return fault.New(fault.Conflict, "exchange_paused", "the exchange of this order is paused already")
		}
		return queries.PauseExchangeOrder(ctx, q.PauseExchangeOrderParams{
			TenantID: by.Tenant, ConnectionID: id, OrderNo: number, Actor: by.Actor.JSON()})
	})
}

// ResumeOrder takes up the exchange of an order that was paused, at once.
func (s *Service) ResumeOrder(ctx context.Context, by auth.Principal, id uuid.UUID, number string) (Exchanged, error) {
	return s.move(ctx, by, id, number, "exchange_order.resumed", func(queries *q.Queries, state State) error {
		if state != Paused {
			return fault.New(fault.Conflict, "exchange_running", "the exchange of this order is not paused")
		}
		return queries.AskExchangeOrder(ctx, asked(by, id, number))
	})
}

// RetryOrder compares an order at once, whatever came of the last comparison.
func (s *Service) RetryOrder(ctx context.Context, by auth.Principal, id uuid.UUID, number string) (Exchanged, error) {
	return s.move(ctx, by, id, number, "exchange_order.retried", func(queries *q.Queries, state State) error {
		if state == Paused {
			return fault.New(fault.Conflict, "exchange_paused", "the exchange of this order is paused; resume it")
		}
		return queries.AskExchangeOrder(ctx, asked(by, id, number))
	})
}

func asked(by auth.Principal, id uuid.UUID, number string) q.AskExchangeOrderParams {
	return q.AskExchangeOrderParams{TenantID: by.Tenant, ConnectionID: id, OrderNo: number}
}

// move locks an order's exchange, changes it and records that.
func (s *Service) move(ctx context.Context, by auth.Principal, id uuid.UUID, number string, action audit.Action,
	do func(*q.Queries, State) error) (moved Exchanged, err error) {
	over, err := s.connections.Get(ctx, by, id)
	if err != nil {
		return Exchanged{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		state, err := lockOrder(ctx, tx, by, id, number)
		if err != nil {
			return err
		}
		if err := do(queries, state); err != nil {
			return err
		}
		rows, err := queries.ListExchangeOrders(ctx, q.ListExchangeOrdersParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, ConnectionID: id, OrderNo: number, Most: 1})
		if err != nil {
			return err
		}
		order, err := viewed(rows[0])
		if err != nil {
			return err
		}
		moved = exchangedOver(over, order)
		return audit.Record(ctx, tx, by, action, number, audit.Data{"order_no": number, "name": over.Settings.Name})
	})
	return moved, err
}

// RetryOrders compares all orders at once that failed or are held, and returns how many.
func (s *Service) RetryOrders(ctx context.Context, by auth.Principal, id uuid.UUID, states []State) (retried int64, err error) {
	over, err := s.connections.Get(ctx, by, id)
	if err != nil {
		return 0, err
	}
	names := []string{}
	for _, state := range states {
		if !slices.Contains([]State{Failed, Held}, state) {
			return 0, fault.InField("states", "states", "orders that failed or are held can be retried together")
		}
		names = append(names, string(state))
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		retried, err = q.New(tx).AskExchangeOrders(ctx, q.AskExchangeOrdersParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, ConnectionID: id, States: names})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "exchange_orders.retried", id.String(),
			audit.Data{"name": over.Settings.Name, "states": names, "orders": retried})
	})
	return retried, err
}
