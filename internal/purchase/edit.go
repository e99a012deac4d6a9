package purchase

import (
	"context"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/currency"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Changes are the fields to change. A nil field stays as it is; an empty text clears a value.
type Changes struct {
	OrderNo             *string
	SKU                 *string
	ProductID           *string
	SupplierID          *string
	QuantityOrdered     *string
	PricePerUnit        *string
	Currency            *string
	ExpectedArrivalDate *string // YYYY-MM-DD
	Note                *string
}

// Edit changes fields of a line. The table decides whether the line must be approved again: an
// amount that nobody approved never stays approved.
func (s *Service) Edit(ctx context.Context, by auth.Principal, ref Ref, changes Changes) ([]Line, error) {
	return s.change(ctx, by, Edit, []Ref{ref}, "", func(ctx context.Context, c *change, r *row) error {
		before := *r
		if err := c.apply(ctx, r, changes); err != nil {
			return err
		}
		return c.judge(before, r)
	})
}

// Reschedule sets the expected day of lines that are still to come; an empty day clears it. The
// reason, such as who named the day, may be empty. A day is no part of what an approval covers.
func (s *Service) Reschedule(ctx context.Context, by auth.Principal, refs []Ref, day, reason string) ([]Line, error) {
	reason, err := text("reason", strings.TrimSpace(reason), longestReason, false)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, by, Edit, refs, reason, func(_ context.Context, c *change, r *row) error {
		before := *r
		if err := putArrival(r, strings.TrimSpace(day)); err != nil {
			return err
		}
		return c.judge(before, r)
	})
}

// ownDraft restricts agents to drafts that they made themselves.
func (r row) ownDraft(by auth.Principal) error {
	if by.Role == auth.Agent &&
		(r.Status != string(Draft) || r.CreatedByAgentID == nil || r.CreatedByAgentID.String() != by.Actor.ID) {
		return fault.New(fault.Forbidden, "not_yours",
			"an agent may only change, submit and cancel drafts that it made itself")
	}
	return nil
}

// updateApproval decides whether an edit takes a line back to draft or to approval.
func (c *change) updateApproval(before row, r *row) error {
	if string(before.moneyHash()) != string(r.moneyHash()) {
		r.approval.MoneyBy = c.by.Actor.JSON()
	}
	return c.rules.follow(before, r, c.by.Actor, time.Now())
}

// follow decides what other values mean for the status and the approval of a line, or refuses them. A line in the status
// that it has got already is passed in r. by has changed the values.
func (r Rules) follow(before row, line *row, by auth.Actor, now time.Time) error {
	switch Status(line.Status) {
	case None, Draft:
	case PendingApproval:
		if string(before.moneyHash()) != string(line.moneyHash()) && before.Status == line.Status {
			line.toDraft()
		}
	case Ordered, PartiallyReceived:
		return r.followOrder(before, line, by, now)
	case Received, Cancelled:
		if only := onlyNote(before, *line); !only {
			return fault.New(fault.Conflict, "line_status", "a line that is %s can no longer be changed, except its note",
				words(line.Status))
		}
	}
	return nil
}

// followOrder compares an order with what was approved, not with the previous value, whenever its deal changes or it becomes
// an order again: what was stored of a line that was cancelled or had arrived was not judged then. A line that an external
// system ordered is compared with its state before people first changed it.
func (r Rules) followOrder(before row, line *row, by auth.Actor, now time.Time) error {
	moved := before.OrderNo != line.OrderNo || before.Status != line.Status
	if !moved && string(before.moneyHash()) == string(line.moneyHash()) {
		return nil
	}
	if line.approval.ApprovedQuantity == nil {
		line.approval.seal(before)
	}
	if err := r.judgeOrder(line, by, now); err != nil {
		return err
	}
	line.approval.MoneyHash = line.moneyHash()
	return nil
}

// judgeOrder sends an ordered line back for approval if it exceeds what was approved, or refuses it.
func (r Rules) judgeOrder(line *row, by auth.Actor, now time.Time) error {
	status, err := standing(Status(line.Status), line.deal(), line.approval.deal(), r.Reapproval)
	if err != nil || string(status) == line.Status {
		return err
	}
	line.Status = string(status)
	line.clearApproval()
	line.approval.SubmittedBy, line.approval.SubmittedAt = by.JSON(), &now
	line.approval.MoneyHash = line.moneyHash()
	return nil
}

func equal(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

func onlyNote(before, after row) bool {
	was, _ := differences(before, after)
	delete(was, "note")
	return len(was) == 0
}

// apply puts checked values into the row.
func (c *change) apply(ctx context.Context, r *row, changes Changes) error {
	for _, set := range []struct {
		given *string
		put   func(string) error
	}{
		{changes.OrderNo, func(v string) (err error) { r.OrderNo, err = text("order_no", v, 100, true); return err }},
		{changes.SKU, func(v string) error { return putSKU(r, v) }},
		{changes.ProductID, func(v string) error { return c.article(ctx, r, v) }},
		{changes.SupplierID, func(v string) error { return c.supplier(ctx, r, v) }},
		{changes.QuantityOrdered, func(v string) error { return putQuantity(r, v) }},
		{changes.PricePerUnit, func(v string) (err error) {
			r.PricePerUnit,
				err = optional("price_per_unit", v)
			return err
		}},
		{changes.Currency, func(v string) error { return putCurrency(r, v) }},
		{changes.ExpectedArrivalDate, func(v string) error { return putArrival(r, v) }},
		{changes.Note, func(v string) error { return putNote(r, v) }},
	} {
		if set.given == nil {
			continue
		}
		if err := set.put(strings.TrimSpace(*set.given)); err != nil {
			return err
		}
	}
	return nil
}

// putSKU sets another SKU and clears the product, which belonged to the old SKU; the new SKU
// finds its own.
func putSKU(r *row, v string) error {
	sku, err := text("sku", v, 200, true)
	if sku != r.Sku {
		r.Sku, r.ProductID = sku, nil
	}
	return err
}

// article sets a product of this workspace, and its SKU with it.
func (c *change) article(ctx context.Context, r *row, id string) error {
	r.ProductID = nil
	if id == "" {
		return nil
	}
	found, err := c.queries.FindArticle(ctx,
		q.FindArticleParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, ID: id})
	if missing(err) {
		return fault.InField("product_id", "unknown_reference", "there is no product with this id here")
	}
	if err != nil {
		return err
	}
	r.ProductID = &found.ID
	if found.Sku != nil {
		r.Sku = *found.Sku
	}
	return nil
}

func (c *change) supplier(ctx context.Context, r *row, id string) error {
	r.SupplierID = nil
	if id == "" {
		return nil
	}
	_, err := c.queries.FindSupplier(ctx, q.FindSupplierParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, ID: id})
	if missing(err) {
		return fault.InField("supplier_id", "unknown_reference", "there is no supplier with this id here")
	}
	r.SupplierID = &id
	return err
}

func putQuantity(r *row, v string) error {
	quantity, err := number("quantity_ordered", v)
	if err != nil {
		return err
	}
	return orderQuantity(r, quantity)
}

func orderQuantity(r *row, quantity decimal.Decimal) error {
	switch {
	case !quantity.IsPositive():
		return fault.InField("quantity_ordered", "quantity", "order more than zero, or cancel the line")
	case r.QuantityReceived.IsPositive() && quantity.LessThanOrEqual(r.QuantityReceived) &&
		r.Status == string(PartiallyReceived):
		return fault.InField("quantity_ordered", "quantity",
			"%s have arrived already; to expect no more, close the line short", r.QuantityReceived)
	}
	r.QuantityOrdered = quantity
	return nil
}

func putCurrency(r *row, v string) error {
	r.Currency = nil
	if v == "" {
		return nil
	}
	code, err := currencyCode(v)
	r.Currency = &code
	return err
}

func putArrival(r *row, v string) error {
	if v == "" {
		r.ExpectedArrivalDate = date(nil)
		return nil
	}
	day, err := time.Parse(dateForm, v)
	if err != nil || day.Year() < 2000 || day.Year() > 2200 {
		return fault.InField("expected_arrival_date", "date", "give the day as YYYY-MM-DD")
	}
	r.ExpectedArrivalDate = date(&day)
	return nil
}

func putNote(r *row, v string) error {
	r.Note = nil
	if v == "" {
		return nil
	}
	note, err := text("note", v, 2000, false)
	r.Note = &note
	return err
}

const dateForm = "2006-01-02"

// numberForm limits the digits of a typed number: no real quantity or price needs more.
var numberForm = regexp.MustCompile(`^\d{1,30}(\.\d{1,6})?$`)

func number(field, v string) (decimal.Decimal, error) {
	if !numberForm.MatchString(v) {
		return decimal.Zero, fault.InField(field, "number",
			"give a number such as 12 or 12.5, with at most 6 digits after the point")
	}
	n := decimal.RequireFromString(v)
	return n, withinBound(field, n)
}

func optional(field, v string) (*decimal.Decimal, error) {
	if v == "" {
		return nil, nil
	}
	n, err := number(field, v)
	return &n, err
}

func text(field, v string, longest int, required bool) (string, error) {
	if required && v == "" || !utf8.ValidString(v) || strings.ContainsRune(v, 0) || utf8.RuneCountInString(v) > longest {
		return "", fault.InField(field, "text", "give a text of at most %d characters", longest)
	}
	return v, nil
}

func currencyCode(text string) (string, error) {
	code, known := currency.Code(text)
	if !known {
		return "", fault.InField("currency", "currency", "there is no currency %s; give its three letters, such as EUR",
			fault.Shorten(text))
	}
	return code, nil
}
