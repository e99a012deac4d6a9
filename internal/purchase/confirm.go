package purchase

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Confirmed is what a supplier says of a line. An empty text means: as ordered.
type Confirmed struct {
	Ref
	Quantity, Price, Expected string
}

// Terms are what an order and its supplier may disagree about. Numbers and days are in the forms of the API.
type Terms struct {
	Quantity string `json:"quantity"`
	Price    string `json:"price,omitempty"`
	Expected string `json:"expected,omitempty"`
}

// Deviation is a line that a supplier confirmed otherwise than it was ordered.
type Deviation struct {
	ID        string `json:"id"`
	SKU       string `json:"sku"`
	Currency  string `json:"currency,omitempty"`
	Ordered   Terms  `json:"ordered"`
	Confirmed Terms  `json:"confirmed"`
	// Kept are the terms in which the line stays as it was ordered, because the change is not allowed or
	// needs an approval: quantity, price.
	Kept []string `json:"kept,omitempty"`
	Why  string   `json:"why,omitempty"`
}

// Confirmation is what a supplier said of an order.
type Confirmation struct {
	Reference   string      `json:"reference,omitempty"`
	Lines       int         `json:"lines"`
	Differences []Deviation `json:"differences"`
}

const longestReference = 100

// Confirm keeps what a supplier confirmed. The confirmed day becomes the expected one. Prices and
// quantities are changed as an edit would change them, except that no line leaves its status: what would
// need an approval again, or is not allowed, is shown as a difference and the line stays as it is.
func (s *Service) Confirm(ctx context.Context, by auth.Principal, orderNo, reference string, lines []Confirmed) (
	told Confirmation, err error) {
	if told.Reference, err = text("reference", strings.TrimSpace(reference), longestReference, false); err != nil {
		return told, err
	}
	told.Lines, told.Differences = len(lines), []Deviation{}
	said, refs := map[string]Confirmed{}, []Ref{}
	for _, line := range lines {
		said[line.ID] = line
		refs = append(refs, line.Ref)
	}
	_, err = s.changeThen(ctx, by, Edit, refs, "", func(_ context.Context, c *change, r *row) error {
		if r.OrderNo != orderNo || Status(r.Status) != Ordered && Status(r.Status) != PartiallyReceived {
			return fault.New(fault.Conflict, "line_status", "only ordered lines of this order can be confirmed")
		}
		found, err := c.confirm(r, said[r.ID])
		if err == nil && found.Ordered != found.Confirmed {
			told.Differences = append(told.Differences, found)
		}
		return err
	}, func(ctx context.Context, c *change) error { return c.keepConfirmation(ctx, orderNo, told) })
	return told, err
}

// confirm takes over what the table allows, and returns how the supplier differs.
func (c *change) confirm(r *row, said Confirmed) (found Deviation, err error) {
	before := *r
	found = Deviation{ID: r.ID, SKU: r.Sku, Currency: deref(r.Currency), Ordered: termsOf(before)}
	found.Confirmed = found.Ordered
	if said.Expected != "" {
		if err := putArrival(r, said.Expected); err != nil {
			return found, err
		}
		found.Confirmed.Expected = termsOf(*r).Expected
	}
	for _, term := range []struct {
		name, value string
		ordered     *decimal.Decimal
		confirmed   *string
		put         func(*row, decimal.Decimal) error
	}{
		{"quantity", said.Quantity, &r.QuantityOrdered, &found.Confirmed.Quantity, orderQuantity},
		{"price", said.Price, r.PricePerUnit, &found.Confirmed.Price, func(r *row, price decimal.Decimal) error {
			r.PricePerUnit = &price
			return nil
		}},
	} {
		if term.value == "" {
			continue
		}
		value, err := number(term.name, term.value)
		if err != nil {
			return found, err
		}
		if term.ordered != nil && value.Equal(*term.ordered) {
			continue
		}
		*term.confirmed = value.String()
		tried := *r
		why := ""
		if err := term.put(&tried, value); err != nil {
			why = fault.Refusal(err).Message
		} else if err := c.judge(before, &tried); err != nil {
			why = fault.Refusal(err).Message
		} else if tried.Status != before.Status {
			why = "the rise needs an approval"
		}
		if why != "" {
			found.Kept, found.Why = append(found.Kept, term.name), why
			continue
		}
		*r = tried
	}
	return found, c.judge(before, r)
}

func termsOf(r row) Terms {
	printed := toPrinted(r.WorkspacePurchaseOrderLine, "")
	return Terms{Quantity: printed.Quantity, Price: printed.Price, Expected: printed.Expected}
}

// keepConfirmation writes the entry of the order's log and the audit row.
func (c *change) keepConfirmation(ctx context.Context, orderNo string, told Confirmation) error {
	data, err := json.Marshal(told)
	if err != nil {
		return err
	}
	id := uuid.Must(uuid.NewV7())
	_, err = c.queries.InsertOrderEntry(ctx, q.InsertOrderEntryParams{TenantID: c.by.Tenant, ID: id, WorkspaceID: c.by.Workspace,
		OrderNo: orderNo, Kind: "confirmation", Actor: c.by.Actor.JSON(), Text: "", Mentions: []uuid.UUID{}, Data: data})
	if err != nil {
		return err
	}
	return audit.Record(ctx, c.tx, c.by, "purchase_order.confirmed", orderNo, audit.Data{"entry": id,
		"reference": told.Reference, "lines": told.Lines, "differences": len(told.Differences)})
}
