package purchase_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

// This file checks that a line's history justifies its state. It reads the events, the audit,
// the flags, the receipts and the approval from the database, not the callers' results.

// entry is one version of a line: who made it, and what the audit or a flag says of it.
type entry struct {
	Version          int64
	Type, By         string
	Action           string // of the audit; empty: an external system
	From, To         purchase.Status
	Amount           bool            // article, supplier, quantity, price or currency changed
	Receipts         bool            // quantity_received changed
	FlagFrom, FlagTo purchase.Status // set if only an external system could have made the change
}

const historyOfLine = `SELECT e.version, e.actor ->> 'type', coalesce(e.actor ->> 'id', ''), coalesce(a.action, ''), coalesce(a.data ->> 'from', ''), coalesce(a.data ->> 'to', ''),
	coalesce(a.data -> 'after' ?| ARRAY['sku', 'product_id', 'supplier_id', 'quantity_ordered', 'price_per_unit', 'currency'], false),
	coalesce(a.data -> 'after' ? 'quantity_received', false), coalesce(f.from_status, ''), coalesce(f.to_status, '')
	FROM workspace.events e
	LEFT JOIN workspace.audit a ON a.tenant_id = e.tenant_id AND a.subject = e.subject AND a.data ->> 'version' = e.version::text
	LEFT JOIN workspace.line_flags f ON f.tenant_id = e.tenant_id AND f.line_id = e.subject AND f.version = e.version AND f.claimed IS NULL
	WHERE e.tenant_id = $1 AND e.subject = $2 AND e.data ->> 'result' <> 'unchanged' ORDER BY e.version`

// standing is a line with its approval and the sum of its receipts.
type standing struct {
	Status             purchase.Status
	Version            int64
	Quantity, Received decimal.Decimal
	Price              *decimal.Decimal
	SKU, OrderNo       string
	Product, Supplier  *string
	Currency           *string
	ApprovedBy         *uuid.UUID
	Receipts           decimal.Decimal
	Booked             decimal.Decimal // by people, who take nothing back in these races
	ApprovedQuantity   *decimal.Decimal
	ApprovedPrice      *decimal.Decimal
	ApprovedSKU        *string
	ApprovedProduct    *string
	ApprovedSupplier   *string
	ApprovedCurrency   *string
	ApprovedOrder      *string
	ApprovedTotal      *decimal.Decimal
	ApproverLimit      *decimal.Decimal
	SelfApproved       bool
}

const standingOfLine = `SELECT l.status, l.version, l.quantity_ordered, l.quantity_received, l.price_per_unit, l.sku, l.order_no, l.product_id, l.supplier_id, l.currency, l.approved_by,
	(SELECT coalesce(sum(r.quantity), 0) FROM workspace.receipts r WHERE r.tenant_id = l.tenant_id AND r.line_id = l.id),
	(SELECT coalesce(sum(r.quantity), 0) FROM workspace.receipts r WHERE r.tenant_id = l.tenant_id AND r.line_id = l.id AND r.actor ->> 'type' = 'user'),
	a.approved_quantity, a.approved_price, a.approved_sku, a.approved_product_id, a.approved_supplier_id, a.approved_currency, a.approved_order_no,
	a.approved_total, a.approver_limit, a.self_approved
	FROM workspace.purchase_order_lines l JOIN workspace.line_approvals a ON a.tenant_id = l.tenant_id AND a.line_id = l.id
	WHERE l.tenant_id = $1 AND l.id = $2`

func isOrdered(status purchase.Status) bool {
	return status == purchase.Ordered || status == purchase.PartiallyReceived || status == purchase.Received
}

// justified checks a line after a race against its history. begun is the line at the start of
// the race.
func (c *crowd) justified(t *testing.T, begun purchase.Line) {
	t.Helper()
	rows, err := c.admin.Query(t.Context(), historyOfLine, c.tenant.ID, begun.ID)
	require.NoError(t, err)
	history, err := pgx.CollectRows(rows, pgx.RowToStructByPos[entry])
	require.NoError(t, err)
	rows, err = c.admin.Query(t.Context(), standingOfLine, c.tenant.ID, begun.ID)
	require.NoError(t, err)
	now, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[standing])
	require.NoError(t, err)

	require.True(t, now.Receipts.Equal(now.Received), "the receipts come to %s, received are %s", now.Receipts,
		now.Received)
	require.True(t, now.Received.GreaterThanOrEqual(now.Booked), "%s are received, and people booked %s", now.Received, now.Booked)
	require.Len(t, history, int(now.Version), "every version is one change: %+v", history)
	status, ordering := purchase.None, -1
	again, wasOrdered := false, false // whether it was ordered again after it was cancelled as an order
	for i, one := range history {
		require.EqualValues(t, i+1, one.Version, "versions are counted one by one")
		next := one.To
		switch {
		case one.Action != "":
			require.Equal(t, isOrdered(status), isOrdered(one.From), "version %d began where the one before ended: %+v",
				one.Version, history)
			if one.Receipts {
				require.Contains(t, []string{"purchase_order_line.received", "purchase_order_line.corrected"}, one.Action,
					"receipts are booked: %+v", one)
			}
			if !isOrdered(one.From) && isOrdered(one.To) {
				require.Equal(t, "purchase_order_line.approved", one.Action, "somebody ordered without an approval: %+v", one)
			}
		case one.FlagTo != purchase.None:
			require.Equal(t, string(auth.ByKey), one.Type, "only external systems jump: %+v", one)
			next = one.FlagTo
		default:
			require.Equal(t, string(auth.ByKey), one.Type, "nobody else is without an audit row: %+v", one)
			next = status // a status that an external system may set
		}
		if isOrdered(next) && !isOrdered(status) {
			ordering, again = i, status == purchase.Cancelled && wasOrdered
		}
		if next != purchase.Cancelled {
			wasOrdered = isOrdered(next)
		}
		status = next
	}
	if now.Status == purchase.Draft || now.Status == purchase.PendingApproval {
		require.Nil(t, now.ApprovedBy, "an approval outlived the order: %+v", history)
		require.Nil(t, now.ApprovedTotal)
	}
	if !isOrdered(now.Status) {
		return
	}
	require.True(t, isOrdered(status), "it is %s, and nobody put it there: %+v", now.Status, history)
	if history[ordering].Type != string(auth.ByKey) {
		c.approvedWell(t, begun, now, history, ordering)
		return
	}
	if !again {
		require.Equal(t, c.trusted.Actor.ID, history[ordering].By, "a system ordered it that may not: %+v", history)
	}
}

// approvedWell checks that the approver of a line had the right to approve what they saw, and
// that the approval still covers the line.
func (c *crowd) approvedWell(t *testing.T, begun purchase.Line, now standing, history []entry, at int) {
	t.Helper()
	approval := history[at]
	require.NotNil(t, now.ApprovedBy, "ordered by an approval that is gone: %+v", history)
	require.Equal(t, approval.By, now.ApprovedBy.String())
	require.False(t, now.SelfApproved)
	for _, eyes := range c.eyesOn(history[:at]) {
		require.NotEqual(t, approval.By, eyes, "they had made, imported, priced or submitted it: %+v", history)
	}
	if approval.Version > begun.Version {
		c.approvedAsSeen(t, now, approval)
	}
	require.NotNil(t, now.ApprovedTotal)
	require.Equal(t, approval.By == c.people[theLimited].Actor.ID, now.ApproverLimit != nil)
	if now.ApproverLimit != nil {
		require.True(t, now.ApprovedTotal.LessThanOrEqual(*now.ApproverLimit), "%s is beyond the limit", now.ApprovedTotal)
	}
	if !slices.ContainsFunc(history[at+1:], func(one entry) bool { return one.Type == string(auth.ByKey) }) {
		require.True(t, within(*now.ApprovedQuantity, now.Quantity) && within(*now.ApprovedPrice, *now.Price),
			"people raised it beyond the approval: %+v", now)
		require.Equal(t, []any{now.ApprovedSKU, now.ApprovedProduct, now.ApprovedSupplier, now.ApprovedCurrency,
			now.ApprovedOrder},
			[]any{&now.SKU, now.Product, now.Supplier, now.Currency, &now.OrderNo})
	}
}

// eyesOn returns who had a part in a line, by its history: its maker, who last changed its
// amount, who submitted it, and the importer if the retrier changed the amount of the
// importer's record.
func (c *crowd) eyesOn(history []entry) []string {
	var priced, submitted, imported string
	for _, one := range history {
		if one.Amount && one.Type != string(auth.ByKey) {
			priced = one.By
		}
		if one.Amount && one.By == c.people[theRetrier].Actor.ID {
			imported = c.people[theImporter].Actor.ID
		}
		switch {
		case one.Action == "purchase_order_line.submitted", one.Action == "purchase_order_line.edited" &&
			isOrdered(one.From) && one.To == purchase.PendingApproval:
			submitted = one.By
		case one.FlagTo == purchase.PendingApproval: // an external system asked for approval
			submitted = ""
		}
	}
	return []string{history[0].By, priced, submitted, imported}
}

// approvedAsSeen compares the stored approval with what the approver saw.
func (c *crowd) approvedAsSeen(t *testing.T, now standing, approval entry) {
	t.Helper()
	seen, known := c.results[approval.Version]
	require.True(t, known, "nobody was told of version %d", approval.Version)
	require.Equal(t, seen.Version+1, approval.Version, "something came between look and approval")
	require.Contains(t, []string{theAdmin, theApprover, theLimited, theImporter}, c.nameOf(approval.By))
	require.Equal(t, []any{&seen.SKU, seen.ProductID, seen.SupplierID, seen.Currency, &seen.OrderNo},
		[]any{now.ApprovedSKU, now.ApprovedProduct, now.ApprovedSupplier, now.ApprovedCurrency, now.ApprovedOrder})
	require.True(t, now.ApprovedQuantity.Equal(seen.QuantityOrdered) && now.ApprovedPrice.Equal(*seen.Price),
		"seen %s at %s, kept %s at %s", seen.QuantityOrdered, seen.Price, now.ApprovedQuantity, now.ApprovedPrice)
	require.True(t, now.ApprovedTotal.Equal(seen.QuantityOrdered.Mul(*seen.Price)), "its order has no other line")
}

func (c *crowd) nameOf(id string) string {
	for name, by := range c.people {
		if by.Actor.ID == id {
			return name
		}
	}
	return ""
}
