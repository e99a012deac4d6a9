package purchase

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Order is the lines that share an order number.
type Order struct {
	ID          uuid.UUID // of its newest line: where a listing goes on
	OrderNo     string
	Lines       int64
	ByStatus    map[Status]int64
	Suppliers   []string // the first three
	SupplierNum int64
	NextArrival *time.Time // of what is still to come
	Totals      []Money    // what is cancelled left out
	Flags       int64      // lines that somebody should look at
	UpdatedAt   time.Time
}

// Money is an amount in one currency. Without a currency it is of lines that name none.
type Money struct {
	Currency string
	Amount   decimal.Decimal
}

// OrderFilter says which orders are meant. Zero values stand for any.
type OrderFilter struct {
	Status  Status
	Overdue bool   // something of it should have arrived before today
	Words   string // in its number, articles and suppliers
}

// Orders lists orders, the newest first.
func (s *Service) Orders(ctx context.Context, by auth.Principal, filter OrderFilter, want page.Request) (orders []Order, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	params := q.ListOrdersParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, Before: want.After.String(), Status: string(filter.Status),
		Words: strings.ReplaceAll(filter.Words, "\x00", ""), Most: want.Limit(),
	}
	if want.After == uuid.Nil {
		params.Before = uuid.Max.String()
	}
	if filter.Overdue {
		params.OverdueOn = today(by)
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		rows, err := queries.ListOrders(ctx, params)
		if err != nil {
			return err
		}
		rows, more = page.Cut(want, rows)
		numbers := []string{}
		for _, found := range rows {
			orders = append(orders, toOrder(found))
			numbers = append(numbers, found.OrderNo)
		}
		totals, err := queries.ListOrderTotals(ctx, q.ListOrderTotalsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNos: numbers})
		if err != nil {
			return err
		}
		flags, err := queries.CountOrderFlags(ctx, q.CountOrderFlagsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNos: numbers})
		for i := range orders {
			for _, total := range totals {
				if orders[i].OrderNo == total.OrderNo {
					orders[i].Totals = append(orders[i].Totals, Money{total.Currency, total.Total})
				}
			}
			for _, flag := range flags {
				if orders[i].OrderNo == flag.OrderNo {
					orders[i].Flags = flag.Lines
				}
			}
		}
		return err
	})
	return orders, more, err
}

func toOrder(found q.ListOrdersRow) Order {
	order := Order{
		OrderNo: found.OrderNo, Lines: found.Lines, Suppliers: found.Suppliers, SupplierNum: found.SupplierCount, UpdatedAt: found.UpdatedAt,
		ByStatus: map[Status]int64{
			Draft: found.Draft, PendingApproval: found.PendingApproval, Ordered: found.Ordered,
			PartiallyReceived: found.PartiallyReceived, Received: found.Received, Cancelled: found.Cancelled,
		},
	}
	order.ID, _ = uuid.Parse(found.LastID) // new_id and the app make nothing else
	if found.NextArrival.Valid {
		order.NextArrival = &found.NextArrival.Time
	}
	return order
}

// today is the workspace's.
func today(by auth.Principal) pgtype.Date {
	now := time.Now()
	if by.Zone != nil {
		now = now.In(by.Zone)
	}
	return pgtype.Date{Time: time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC), Valid: true}
}

// Counts are how many orders have lines in each status, and how many are late or near.
type Counts struct {
	Orders       int64
	ByStatus     map[Status]int64
	Overdue      int64
	ArrivingSoon int64 // within a week
}

// Counts counts orders.
func (s *Service) Counts(ctx context.Context, by auth.Principal) (counts Counts, err error) {
	if err := by.Require(auth.Read); err != nil {
		return Counts{}, err
	}
	now, soon := today(by), today(by)
	soon.Time = soon.Time.AddDate(0, 0, 7)
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		found, err := q.New(tx).CountOrders(ctx, q.CountOrdersParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Today: now, Soon: soon})
		counts = Counts{Orders: found.Orders, Overdue: found.Overdue, ArrivingSoon: found.ArrivingSoon, ByStatus: map[Status]int64{
			Draft: found.Draft, PendingApproval: found.PendingApproval, Ordered: found.Ordered,
			PartiallyReceived: found.PartiallyReceived, Received: found.Received, Cancelled: found.Cancelled,
		}}
		return err
	})
	return counts, err
}

// Lines returns the lines of an order.
func (s *Service) Lines(ctx context.Context, by auth.Principal, orderNo string) ([]Line, error) {
	return s.read(ctx, by, func(queries *q.Queries) ([]q.WorkspacePurchaseOrderLine, error) {
		found, err := queries.ListOrderLines(ctx, q.ListOrderLinesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNo: orderNo})
		if err == nil && len(found) == 0 {
			return nil, fault.New(fault.NotFound, "unknown_order", "there is no purchase order with this number")
		}
		return found, err
	})
}

// Line returns one line.
func (s *Service) Line(ctx context.Context, by auth.Principal, id string) (Line, error) {
	lines, err := s.read(ctx, by, func(queries *q.Queries) ([]q.WorkspacePurchaseOrderLine, error) {
		found, err := queries.ListLines(ctx, q.ListLinesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Ids: []string{id}})
		if err == nil && len(found) == 0 {
			return nil, fault.New(fault.NotFound, "unknown_line", "there is no such purchase order line")
		}
		return found, err
	})
	if err != nil {
		return Line{}, err
	}
	return lines[0], nil
}

const mostArrivals = 2000

// Arrivals returns what should arrive between two days, both included, by day. A zero day
// sets no bound.
func (s *Service) Arrivals(ctx context.Context, by auth.Principal, since, until time.Time) ([]Line, error) {
	if until.IsZero() {
		until = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return s.read(ctx, by, func(queries *q.Queries) ([]q.WorkspacePurchaseOrderLine, error) {
		return queries.ListArrivals(ctx, q.ListArrivalsParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, Since: date(&since), Until: date(&until), Most: mostArrivals,
		})
	})
}

// read returns lines as callers see them.
func (s *Service) read(ctx context.Context, by auth.Principal, find func(*q.Queries) ([]q.WorkspacePurchaseOrderLine, error)) (lines []Line, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		found, err := find(queries)
		if err != nil {
			return err
		}
		rules, err := readRules(ctx, queries, by)
		if err != nil {
			return err
		}
		rows, err := withApprovals(ctx, queries, by, found)
		if err != nil {
			return err
		}
		lines, err = show(ctx, queries, by, rules, rows)
		return err
	})
	return lines, err
}

// withApprovals puts beside each line what the app keeps of it.
func withApprovals(ctx context.Context, queries *q.Queries, by auth.Principal, lines []q.WorkspacePurchaseOrderLine) (rows []row, err error) {
	kept, err := queries.ListApprovals(ctx, q.ListApprovalsParams{TenantID: by.Tenant, Ids: idsOf(lines)})
	if err != nil {
		return nil, err
	}
	byLine := map[string]q.WorkspaceLineApproval{}
	for _, one := range kept {
		byLine[one.LineID] = one
	}
	for _, line := range lines {
		rows = append(rows, row{line, approval{byLine[line.ID]}})
	}
	return rows, nil
}

func idsOf(lines []q.WorkspacePurchaseOrderLine) []string {
	ids := []string{}
	for _, line := range lines {
		ids = append(ids, line.ID)
	}
	return ids
}

// show makes of rows what the caller sees.
func show(ctx context.Context, queries *q.Queries, by auth.Principal, rules Rules, rows []row) (lines []Line, err error) {
	ids := []string{}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	jumps, err := queries.ListUnseenFlags(ctx, q.ListUnseenFlagsParams{TenantID: by.Tenant, Ids: ids})
	for _, r := range rows {
		lines = append(lines, r.line(by, rules, jumps))
	}
	return lines, err
}

// Moment is one thing that happened to a line.
type Moment struct {
	At        time.Time
	By        auth.Actor
	RequestID string
	What      string // purchase_order_line.approved, or ingest.purchase_order_lines.received
	Data      json.RawMessage
}

// Receipt is one delivery, or, when negative, its correction.
type Receipt struct {
	ID         string
	Quantity   decimal.Decimal
	ReceivedAt time.Time
	By         auth.Actor
	Note       string
	CreatedAt  time.Time
}

const mostMoments = 500

// Timeline is what happened to a line, the latest first, and what arrived, in order.
func (s *Service) Timeline(ctx context.Context, by auth.Principal, id string) (moments []Moment, receipts []Receipt, err error) {
	if _, err := s.Line(ctx, by, id); err != nil {
		return nil, nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		history, err := queries.ListLineHistory(ctx, q.ListLineHistoryParams{TenantID: by.Tenant, LineID: id, Most: mostMoments})
		if err != nil {
			return err
		}
		for _, h := range history {
			moment := Moment{At: h.At, RequestID: h.RequestID, What: h.Action, Data: h.Data}
			if err := json.Unmarshal(h.Actor, &moment.By); err != nil {
				return err
			}
			moments = append(moments, moment)
		}
		came, err := queries.ListReceipts(ctx, q.ListReceiptsParams{TenantID: by.Tenant, LineID: id})
		for _, r := range came {
			receipt := Receipt{ID: r.ID, Quantity: r.Quantity, ReceivedAt: r.ReceivedAt, CreatedAt: r.CreatedAt}
			if r.Note != nil {
				receipt.Note = *r.Note
			}
			if err := json.Unmarshal(r.Actor, &receipt.By); err != nil {
				return err
			}
			receipts = append(receipts, receipt)
		}
		return err
	})
	return moments, receipts, err
}

// SeeFlags notes that somebody has looked at what an external system did to a line.
func (s *Service) SeeFlags(ctx context.Context, by auth.Principal, id string) error {
	if err := by.Require(auth.DraftLines); err != nil {
		return err
	}
	if _, err := s.Line(ctx, by, id); err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		seen, err := q.New(tx).SeeFlags(ctx, q.SeeFlagsParams{TenantID: by.Tenant, LineID: id, Actor: by.Actor.JSON()})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "purchase_order_line.flags_seen", id, audit.Data{"flags": seen})
	})
}
