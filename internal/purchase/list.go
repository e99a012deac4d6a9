package purchase

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Lines returns a page of an order's lines, the oldest first.
func (s *Service) Lines(ctx context.Context, by auth.Principal, orderNo string, want page.Request) (
	lines []Line, more bool, err error) {
	lines, err = s.read(ctx, by, func(queries *q.Queries) ([]q.WorkspacePurchaseOrderLine, error) {
		found, err := queries.ListOrderLines(ctx, q.ListOrderLinesParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNo: orderNo, After: after(want), Most: want.Limit(),
		})
		if err == nil && len(found) == 0 && want.After == uuid.Nil {
			return nil, fault.New(fault.NotFound, "unknown_order", "there is no purchase order with this number")
		}
		found, more = page.Cut(want, found)
		return found, err
	})
	return lines, more, err
}

// after returns the id after which a page begins, as line ids are stored.
func after(want page.Request) string {
	if want.After == uuid.Nil {
		return ""
	}
	return want.After.String()
}

// Line returns one line.
func (s *Service) Line(ctx context.Context, by auth.Principal, id string) (Line, error) {
	lines, err := s.read(ctx, by, func(queries *q.Queries) ([]q.WorkspacePurchaseOrderLine, error) {
		found, err := queries.ListLines(ctx,
			q.ListLinesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Ids: []string{id}})
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

// read returns lines as callers see them.
func (s *Service) read(ctx context.Context, by auth.Principal,
	find func(*q.Queries) ([]q.WorkspacePurchaseOrderLine, error)) (lines []Line, err error) {
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

// withApprovals adds its approval to each line.
func withApprovals(ctx context.Context, queries *q.Queries, by auth.Principal, lines []q.WorkspacePurchaseOrderLine) (
	rows []row, err error) {
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

// show turns rows into lines as the caller sees them.
func show(ctx context.Context, queries *q.Queries, by auth.Principal, rules Rules, rows []row) (
	lines []Line, err error) {
	ids, outside := []string{}, []string{}
	for _, r := range rows {
		ids = append(ids, r.ID)
		if r.approval.OrderedVersion != nil {
			outside = append(outside, r.ID)
		}
	}
	jumps, err := queries.ListUnseenFlags(ctx, q.ListUnseenFlagsParams{TenantID: by.Tenant, Ids: ids})
	if err != nil {
		return nil, err
	}
	systems, err := orderedOutside(ctx, queries, by, outside)
	actions := map[Status][]Action{}
	for _, r := range rows {
		line := r.line(rules, jumps)
		if _, known := actions[line.Status]; !known {
			actions[line.Status] = allowedActions(by, line.Status)
		}
		line.OrderedOutside, line.Actions = systems[r.ID], actions[line.Status]
		lines = append(lines, line)
	}
	return lines, err
}

// orderedOutside returns the external systems that ordered lines, by line.
func orderedOutside(ctx context.Context, queries *q.Queries, by auth.Principal, ids []string) (
	systems map[string]*auth.Actor, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := queries.ListOrderedOutside(ctx, q.ListOrderedOutsideParams{TenantID: by.Tenant, Ids: ids})
	systems = map[string]*auth.Actor{}
	for _, one := range found {
		systems[one.LineID] = &auth.Actor{}
		if err := json.Unmarshal(one.Actor, systems[one.LineID]); err != nil {
			return nil, err
		}
	}
	return systems, err
}

// Moment is one entry of a line's timeline.
type Moment struct {
	At        time.Time
	By        auth.Actor
	RequestID string
	What      string // purchase_order_line.approved, or ingest.purchase_order_lines.received
	Data      json.RawMessage
}

// OrderMoment is one entry of an order's timeline: one action on some of its lines, or an entry of
// its log, whose kind is What.
type OrderMoment struct {
	Moment
	ID       uuid.UUID
	Lines    int64  // 0: an entry of the log
	SKU      string // of the first line; Data is its data
	Text     string
	Mentions []uuid.UUID
}

// Receipt is a delivery or, if negative, the correction of one.
type Receipt struct {
	ID         string
	Quantity   decimal.Decimal
	ReceivedAt time.Time
	By         auth.Actor
	Note       string
	CreatedAt  time.Time
}

const (
	mostMoments = 500
	// mostExternal is for how many lines of an order its timeline has the writes of external systems.
	mostExternal = 500
)

// Timeline returns what happened to a line, the latest first, and its receipts, the oldest
// first.
func (s *Service) Timeline(ctx context.Context, by auth.Principal, id string) (
	moments []Moment, receipts []Receipt, err error) {
	if _, err := s.Line(ctx, by, id); err != nil {
		return nil, nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		history, err := queries.ListLineHistory(ctx,
			q.ListLineHistoryParams{TenantID: by.Tenant, LineID: id, Most: mostMoments})
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

// OrderTimeline returns a page of what happened to an order and was said about it, the latest first.
func (s *Service) OrderTimeline(ctx context.Context, by auth.Principal, orderNo string, want page.Request) (
	moments []OrderMoment, more bool, err error) {
	if _, err := s.Order(ctx, by, orderNo); err != nil {
		return nil, false, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		history, err := q.New(tx).ListOrderHistory(ctx, q.ListOrderHistoryParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNo: orderNo, Before: want.Before(), Most: want.Limit(),
			MostExternal: mostExternal,
		})
		if err != nil {
			return err
		}
		history, more = page.Cut(want, history)
		for _, h := range history {
			moment := OrderMoment{Moment: Moment{At: h.At, RequestID: h.RequestID, What: h.Action, Data: h.Data},
				ID: h.ID, Lines: h.Lines, SKU: h.Sku, Text: h.Text, Mentions: h.Mentions}
			if err := json.Unmarshal(h.Actor, &moment.By); err != nil {
				return err
			}
			moments = append(moments, moment)
		}
		return nil
	})
	return moments, more, err
}

// LastStep returns the version that an action with a reason gave a line, or 0 if that is not its last change.
func (s *Service) LastStep(ctx context.Context, by auth.Principal, id string, action Action, reason string) (version int64, err error) {
	line, err := s.Line(ctx, by, id)
	if err != nil {
		return 0, err
	}
	moments, _, err := s.Timeline(ctx, by, id)
	for _, moment := range moments {
		var said struct {
			Version int64
			Reason  string
		}
		if err := json.Unmarshal(moment.Data, &said); err != nil {
			return 0, err
		}
		if moment.What == (&change{action: action}).kind() && said.Version == line.Version && said.Reason == reason {
			return line.Version, nil
		}
	}
	return 0, err
}

// SeeFlags records that somebody has looked at these flags of a line, or at all of them.
func (s *Service) SeeFlags(ctx context.Context, by auth.Principal, id string, flags ...string) error {
	if err := by.Require(auth.DraftLines); err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		// The line's lock keeps it from moving to another order meanwhile.
		lines, err := queries.LockLines(ctx,
			q.LockLinesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Ids: []string{id}})
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			return fault.New(fault.NotFound, "unknown_line", "there is no such purchase order line")
		}
		seen, err := queries.SeeFlags(ctx, q.SeeFlagsParams{TenantID: by.Tenant, LineID: id, Ids: append([]string{}, flags...),
			Actor: by.Actor.JSON()})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "purchase_order_line.flags_seen", id, audit.Data{"flags": seen})
	})
}
