package purchase

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/telemetry"
)

// Ref names a line and the version of it that the caller has seen.
type Ref struct {
	ID      string
	Version int64
}

// mostLines is how many lines one call may change: enough for an order, too few for a table.
const mostLines = 500

// change is one action on some lines, in one transaction.
type change struct {
	by      auth.Principal
	action  Action
	reason  string
	queries *q.Queries
	tx      pgx.Tx
	rules   Rules

	// Read once.
	allowed  *allowance
	totals   map[string][]q.BoundTotalsRow // by order
	agents   []uuid.UUID                   // of which the caller made a token; nil: not read
	starters map[uuid.UUID]auth.Actor      // of runs

	quiet     bool // lines that stay as they are are not written
	takenBack bool // the cancelling decides nothing about the article
	part      *row // that was split off
}

// change takes an action on all lines or on none. Each line is locked, must have the version
// that the caller saw, and a status in which the caller may take the action; do makes the
// change in memory. Lines are locked in the order of their ids, so that two calls cannot
// deadlock.
func (s *Service) change(ctx context.Context, by auth.Principal, action Action, refs []Ref, reason string,
	do func(context.Context, *change, *row) error) (lines []Line, err error) {
	return s.changeThen(ctx, by, action, refs, reason, do, nil)
}

// changeThen is change with a last step in the same transaction. A line that do leaves as it is is not
// written then: the last step says what was done.
func (s *Service) changeThen(ctx context.Context, by auth.Principal, action Action, refs []Ref, reason string,
	do func(context.Context, *change, *row) error, then func(context.Context, *change) error) (lines []Line, err error) {
	if len(refs) == 0 || len(refs) > mostLines {
		return nil, fault.InField("lines", "lines", "name between 1 and %d lines", mostLines)
	}
	seen, ids := map[string]int64{}, []string{}
	for _, ref := range refs {
		if version, twice := seen[ref.ID]; twice && version != ref.Version {
			return nil, fault.InField("lines", "lines", "a line is named twice, in different versions")
		}
		seen[ref.ID] = ref.Version
		ids = append(ids, ref.ID)
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		c := &change{by: by, action: action, reason: reason, queries: q.New(tx), tx: tx, quiet: then != nil}
		rows, err := c.lock(ctx, ids)
		if err != nil {
			return err
		}
		if len(rows) < len(seen) {
			return fault.New(fault.NotFound, "unknown_line", "there is no such purchase order line")
		}
		if err := c.lockOrders(ctx, rows); err != nil {
			return err
		}
		for i := range rows {
			if err := c.one(ctx, &rows[i], seen[rows[i].ID], do); err != nil {
				return nameLine(err, rows, i)
			}
		}
		if c.part != nil {
			rows = append(rows, *c.part)
		}
		if then != nil {
			if err := then(ctx, c); err != nil {
				return err
			}
		}
		lines, err = show(ctx, c.queries, by, c.rules, rows)
		return err
	})
	return lines, err
}

// lockOrders locks the rows that hold the lines' order totals, in the order of their numbers.
// An approval reads the totals; and a change of several orders would otherwise lock them
// through the triggers in the order of the lines, and two such calls could deadlock.
func (c *change) lockOrders(ctx context.Context, rows []row) error {
	orders := map[string]bool{}
	for _, r := range rows {
		orders[r.OrderNo] = true
	}
	if len(orders) < 2 && c.action != Approve {
		return nil
	}
	return c.queries.LockOrders(ctx,
		q.LockOrdersParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, OrderNos: slices.Collect(maps.Keys(orders))})
}

// nameLine adds to a refusal which of several lines it is about.
func nameLine(err error, rows []row, at int) error {
	var refusal *fault.Error
	if len(rows) == 1 || !errors.As(err, &refusal) {
		return err
	}
	named := *refusal
	named.Message = fmt.Sprintf("%s (%s): %s", rows[at].Sku, rows[at].OrderNo, refusal.Message)
	return &named
}

// begin reads the rules, and tells the database triggers that this transaction enforces them.
func (c *change) begin(ctx context.Context) (err error) {
	if err := c.queries.KeepPurchaseRules(ctx); err != nil {
		return err
	}
	c.rules, err = readRules(ctx, c.queries, c.by)
	return err
}

// lock locks and reads the lines with their approvals.
func (c *change) lock(ctx context.Context, ids []string) (rows []row, err error) {
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	locked, err := c.queries.LockLines(ctx,
		q.LockLinesParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, Ids: ids})
	if err != nil {
		return nil, err
	}
	return withApprovals(ctx, c.queries, c.by, locked)
}

// one changes one line.
func (c *change) one(ctx context.Context, r *row, version int64, do func(context.Context, *change, *row) error) error {
	if r.Version != version {
		return fault.New(fault.Stale, "stale",
			"the line was changed since you saw it: it is at version %d, you saw %d; look again, then decide", r.Version,
			version)
	}
	if err := may(c.by, c.action, Status(r.Status)); err != nil {
		return err
	}
	before := *r
	if err := do(ctx, c, r); err != nil {
		return err
	}
	if was, _ := differences(before, *r); c.quiet && len(was) == 0 {
		return nil
	}
	return c.write(ctx, before, r)
}

// write stores a changed line with the event and the audit row that say so.
func (c *change) write(ctx context.Context, before row, r *row) error {
	if err := bounded(before, *r); err != nil {
		return err
	}
	if err := c.update(ctx, r); err != nil {
		return err
	}
	if err := checkTransition(c.action, Status(before.Status), Status(r.Status)); err != nil {
		return err
	}
	if err := c.oneSupplier(ctx, before, *r); err != nil {
		return err
	}
	if c.action == Edit {
		if err := c.keepBudget(ctx, []row{*r}); err != nil {
			return err
		}
	}
	if err := c.keepApproval(ctx, *r); err != nil {
		return err
	}
	if err := c.suppress(ctx, before, *r); err != nil {
		return err
	}
	return c.record(ctx, before, *r)
}

// store stores a line that is changed by no transition, with the event and the audit row that say so.
func (c *change) store(ctx context.Context, before row, r *row) error {
	if err := c.update(ctx, r); err != nil {
		return err
	}
	if err := c.keepApproval(ctx, *r); err != nil {
		return err
	}
	return c.record(ctx, before, *r)
}

// update stores the columns of a line.
func (c *change) update(ctx context.Context, r *row) error {
	stored, err := c.queries.UpdateLine(ctx, q.UpdateLineParams{
		OrderNo: r.OrderNo, Sku: r.Sku, Status: r.Status, QuantityOrdered: r.QuantityOrdered,
		QuantityReceived:    r.QuantityReceived,
		ExpectedArrivalDate: r.ExpectedArrivalDate, PricePerUnit: r.PricePerUnit, Currency: r.Currency, Note: r.Note,
		SupplierID: r.SupplierID, ProductID: r.ProductID, OrderedAt: r.OrderedAt, ReceivedAt: r.ReceivedAt,
		RecommendationKey: r.RecommendationKey, ApprovedBy: r.ApprovedBy, ApprovedAt: r.ApprovedAt, TenantID: c.by.Tenant,
		ID: r.ID,
	})
	if err != nil {
		return err
	}
	r.WorkspacePurchaseOrderLine = stored
	return nil
}

func (c *change) keepApproval(ctx context.Context, r row) error {
	a := r.approval
	return c.queries.PutApproval(ctx, q.PutApprovalParams{
		TenantID: c.by.Tenant, LineID: r.ID, WorkspaceID: c.by.Workspace, MoneyBy: a.MoneyBy, ImportedBy: a.ImportedBy,
		MoneyHash:   a.MoneyHash,
		SubmittedBy: a.SubmittedBy, SubmittedAt: a.SubmittedAt, SelfApproved: a.SelfApproved,
		ApprovedQuantity: a.ApprovedQuantity, ApprovedPrice: a.ApprovedPrice, ApprovedSku: a.ApprovedSku,
		ApprovedProductID:  a.ApprovedProductID,
		ApprovedSupplierID: a.ApprovedSupplierID, ApprovedCurrency: a.ApprovedCurrency, ApprovedOrderNo: a.ApprovedOrderNo,
		ApprovedTotal: a.ApprovedTotal, ApproverLimit: a.ApproverLimit, OrderedVersion: a.OrderedVersion,
	})
}

// audit records the action, and returns the columns that it changed.
func (c *change) audit(ctx context.Context, before, after row) (is map[string]json.RawMessage, err error) {
	was, is := differences(before, after)
	data := audit.Data{"from": before.Status, "to": after.Status, "before": was, "after": is, "version": after.Version,
		"line": audited(after)}
	if c.reason != "" {
		data["reason"] = c.reason
	}
	if c.action == Approve && after.approval.SelfApproved {
		data["self_approved"] = true
	}
	if c.part != nil {
		part := columns(*c.part)
		data["split"] = map[string]json.RawMessage{"quantity": part["quantity_ordered"],
			"expected_arrival_date": part["expected_arrival_date"]}
	}
	return is, audit.Record(ctx, c.tx, c.by, audit.Action(c.kind()), after.ID, data)
}

// audited returns what an entry of the audit needs to be told without the line, which may change: what
// was bought, on which order, and for how much.
func audited(r row) map[string]json.RawMessage {
	line, all := map[string]json.RawMessage{}, columns(r)
	for _, name := range []string{"order_no", "sku", "quantity_ordered", "price_per_unit", "currency"} {
		line[name] = all[name]
	}
	return line
}

// kind names the action in the audit and in events.
func (c *change) kind() string { return "purchase_order_line." + pastTense[c.action] }

// record writes the audit row and the outbox event of the action.
func (c *change) record(ctx context.Context, before, after row) error {
	is, err := c.audit(ctx, before, after)
	if err != nil {
		return err
	}
	result := "updated"
	if before.ID == "" {
		result = "created"
	}
	told, err := json.Marshal(map[string]any{"result": result, "record": is})
	if err != nil {
		return err
	}
	return c.queries.InsertEvent(ctx, q.InsertEventParams{
		TenantID: c.by.Tenant, Subject: after.ID, ID: uuid.Must(uuid.NewV7()), WorkspaceID: c.by.Workspace, Kind: c.kind(),
		Slug:    slug,
		Version: after.Version, Actor: c.by.Actor.JSON(), RequestID: telemetry.RequestID(ctx), Data: told,
	})
}

// differences are the columns that a change touched, before and after.
func differences(before, after row) (was, is map[string]json.RawMessage) {
	was, is = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	old := columns(before)
	for name, value := range columns(after) {
		if !bytes.Equal(value, old[name]) {
			was[name], is[name] = old[name], value
		}
	}
	return was, is
}

// columns returns the columns of a line that people and agents can change, in JSON, with those that the company has added.
func columns(r row) map[string]json.RawMessage {
	values := map[string]any{
		"order_no": r.OrderNo, "sku": r.Sku, "status": r.Status, "quantity_ordered": r.QuantityOrdered,
		"quantity_received": r.QuantityReceived,
		"price_per_unit":    r.PricePerUnit, "currency": r.Currency, "note": r.Note, "supplier_id": r.SupplierID,
		"product_id": r.ProductID, "ordered_at": r.OrderedAt, "received_at": r.ReceivedAt,
		"recommendation_key": r.RecommendationKey,
		"approved_by":        r.ApprovedBy, "approved_at": r.ApprovedAt, "expected_arrival_date": nil,
		"location_id": r.LocationID, "external_system": r.ExternalSystem, "external_po_id": r.ExternalPoID,
		"external_line_id": r.ExternalLineID,
	}
	if r.ExpectedArrivalDate.Valid {
		values["expected_arrival_date"] = r.ExpectedArrivalDate.Time.Format(dateForm)
	}
	texts := map[string]json.RawMessage{}
	if len(r.Custom) > 0 {
		_ = json.Unmarshal(r.Custom, &texts) // an object; a line that does not exist yet has none
	}
	for name, value := range values {
		texts[name], _ = json.Marshal(value) // texts, numbers, times and ids
	}
	return texts
}

const longestReason = 500

// checkReason trims and checks the reason of an action that requires one.
func checkReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" || strings.ContainsRune(reason, 0) || utf8.RuneCountInString(reason) > longestReason {
		return "", fault.InField("reason", "reason", "give a reason of at most %d characters",
			longestReason)
	}
	return reason, nil
}

func missing(err error) bool { return errors.Is(err, pgx.ErrNoRows) || fault.Is(err, fault.NotFound) }
