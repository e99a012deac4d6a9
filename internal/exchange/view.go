package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Progress is how the exchange over a connection stands.
type Progress struct {
	Connection     connection.State
	Orders         map[State]int64
	Conflicts      int64      // that wait for a person
	FirstDue       *time.Time // when the first waiting order is compared; nil: none waits
	LastSynced     *time.Time
	PolledAt       *time.Time // when the other system was last asked for changes
	PollMessage    string     // why the last poll failed; empty: it did not
	ReconciledAt   *time.Time // when everything was last compared
	Reconcile      json.RawMessage
	CallsPerMinute int64
}

// Progress returns how the exchange over a connection stands.
func (s *Service) Progress(ctx context.Context, by auth.Principal, id uuid.UUID) (p Progress, err error) {
	over, err := s.connections.Get(ctx, by, id)
	if err != nil {
		return Progress{}, err
	}
	p = Progress{Connection: over.State, Orders: map[State]int64{}, CallsPerMinute: over.Settings.CallsPerMinute}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		sums, err := queries.SumExchange(ctx, q.SumExchangeParams{TenantID: by.Tenant, ConnectionID: id})
		if err != nil {
			return err
		}
		for _, sum := range sums {
			p.Orders[State(sum.State)] = sum.Orders
			if State(sum.State) == Waiting {
				p.FirstDue = &sum.FirstDue
			}
			if sum.LastSynced.Unix() > 0 && (p.LastSynced == nil || sum.LastSynced.After(*p.LastSynced)) {
				p.LastSynced = &sum.LastSynced
			}
		}
		p.Conflicts, err = queries.CountExchangeConflicts(ctx,
			q.CountExchangeConflictsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ConnectionID: &id})
		if err != nil {
			return err
		}
		read, err := queries.GetExchangeCursor(ctx, q.GetExchangeCursorParams{TenantID: by.Tenant, ConnectionID: id})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // it was never polled
		}
		p.PolledAt, p.PollMessage = read.PolledAt, read.Message
		p.ReconciledAt, p.Reconcile = read.ReconciledAt, read.Reconcile
		return err
	})
	return p, err
}

// OrderFilter selects a connection's orders. Zero values match all.
type OrderFilter struct {
	State  State
	Number string
	Before string // the number at which the last page ended
}

// Orders returns the orders of a connection, the highest number first.
func (s *Service) Orders(ctx context.Context, by auth.Principal, id uuid.UUID, filter OrderFilter, most int) (
	orders []Exchanged, more bool, err error) {
	over, err := s.connections.Get(ctx, by, id)
	if err != nil {
		return nil, false, err
	}
	want := page.Request{Most: most}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListExchangeOrders(ctx, q.ListExchangeOrdersParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, ConnectionID: id, State: string(filter.State),
			OrderNo: filter.Number, Before: filter.Before, Most: want.Limit(),
		})
		if err != nil {
			return err
		}
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			order, err := viewed(row)
			if err != nil {
				return err
			}
			orders = append(orders, exchangedOver(over, order))
		}
		return nil
	})
	return orders, more, err
}

func exchangedOver(over connection.Connection, order Order) Exchanged {
	return Exchanged{Order: order, Name: over.Settings.Name, System: over.System, Active: over.State == connection.Active}
}

// viewed returns an order as it is stored.
func viewed(row q.ListExchangeOrdersRow) (Order, error) {
	order := Order{
		Number: row.OrderNo, Connection: row.ConnectionID, State: State(row.State), Code: row.Code, Message: row.Message,
		SyncedAt: row.SyncedAt, ChangedThere: row.ChangedThere, DueAt: row.DueAt, Failures: row.Failures,
	}
	if row.ExternalID != nil {
		order.External = *row.ExternalID
	}
	for _, notice := range row.Notices {
		order.Notices = append(order.Notices, inventory.Notice(notice))
	}
	if row.PausedBy != nil {
		order.PausedBy = &auth.Actor{}
		return order, json.Unmarshal(row.PausedBy, order.PausedBy)
	}
	return order, nil
}

// Attempt is a comparison that did something or failed.
type Attempt struct {
	ID      uuid.UUID
	Version int64 // of the order here
	Outcome string
	Code    string
	Message string // in words; empty: all went well
	Here    []string
	There   []string
	At      time.Time
	Took    time.Duration
}

// Attempts returns the comparisons of an order, the newest first.
func (s *Service) Attempts(ctx context.Context, by auth.Principal, id uuid.UUID, number string, want page.Request) (
	attempts []Attempt, more bool, err error) {
	found, _, err := s.Orders(ctx, by, id, OrderFilter{Number: number}, 1)
	if err != nil {
		return nil, false, err
	}
	if len(found) == 0 {
		return nil, false, notExchanged(number)
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListExchangeAttempts(ctx, q.ListExchangeAttemptsParams{
			TenantID: by.Tenant, ConnectionID: id, OrderNo: number, Before: want.Before(), Most: want.Limit(),
		})
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			attempts = append(attempts, Attempt(row))
		}
		return err
	})
	return attempts, more, err
}

func notExchanged(number string) error {
	return fault.New(fault.NotFound, "unknown_exchange", "the order %s is not exchanged over this connection",
		fault.Shorten(number))
}

// Exchanged is one order as one connection has it.
type Exchanged struct {
	Order
	Name      string // of the connection
	System    connection.System
	Active    bool       // the connection is in use
	Conflicts []Question // only from OfOrder
}

// OfOrder returns how a purchase order stands with each connection over which it is exchanged.
func (s *Service) OfOrder(ctx context.Context, by auth.Principal, number string) (all []Exchanged, err error) {
	if _, err := s.lines.Order(ctx, by, number); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListOrderExchanges(ctx,
			q.ListOrderExchangesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNo: number})
		if err != nil || len(rows) == 0 {
			return err
		}
		questions, err := readQuestions(ctx, tx, by, q.ListExchangeConflictsParams{OrderNo: number, Most: mostOfOrder})
		if err != nil {
			return err
		}
		for _, row := range rows {
			order, err := viewed(q.ListExchangeOrdersRow{
				OrderNo: row.OrderNo, ConnectionID: row.ConnectionID, ExternalID: row.ExternalID, State: row.State,
				Code: row.Code, Message: row.Message, Notices: row.Notices, SyncedAt: row.SyncedAt,
				ChangedThere: row.ChangedThere, DueAt: row.DueAt, Failures: row.Failures, PausedBy: row.PausedBy,
			})
			if err != nil {
				return err
			}
			one := Exchanged{Order: order, Name: row.Name, System: connection.System(row.System),
				Active: connection.State(row.ConnectionState) == connection.Active}
			for _, question := range questions {
				if question.Connection == row.ConnectionID {
					one.Conflicts = append(one.Conflicts, question)
				}
			}
			all = append(all, one)
		}
		return nil
	})
	return all, err
}
