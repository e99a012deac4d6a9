package exchange

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// kept is what is stored about a line: what both sides agreed on, and where it is there.
type kept struct {
	inventory.Base
	Key inventory.Key
}

// line is a line of the order with everything that is known about it.
type line struct {
	q.ListExchangeLinesRow
	kept
	moved     bool // to another order here: this one has it no longer
	decisions []inventory.Decision
}

// live reports whether the line is one of the order's that the other side is to have.
func (l line) live() bool { return !l.moved && l.Status != string(purchase.Cancelled) }

// read reads the order's lines and the questions about them.
func (r *run) read(ctx context.Context) (lines []line, open []q.ListOpenConflictsRow, err error) {
	err = r.s.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		rows, err := queries.ListExchangeLines(ctx, q.ListExchangeLinesParams{TenantID: r.by.Tenant,
			WorkspaceID: r.by.Workspace, OrderNo: r.number, ConnectionID: r.id})
		if err != nil {
			return err
		}
		open, err = queries.ListOpenConflicts(ctx,
			q.ListOpenConflictsParams{TenantID: r.by.Tenant, ConnectionID: r.id, OrderNo: r.number})
		if err != nil {
			return err
		}
		lines = make([]line, len(rows))
		for i, row := range rows {
			lines[i] = line{ListExchangeLinesRow: row, moved: row.OrderNo != r.number}
			if row.Base != nil {
				if err := json.Unmarshal(row.Base, &lines[i].kept); err != nil {
					return err
				}
			}
			for _, asked := range open {
				if asked.LineID == row.ID && asked.Take != "" {
					lines[i].decisions = append(lines[i].decisions, inventory.Decision{Field: inventory.Field(asked.Field),
						Take: inventory.Side(asked.Take), Ours: asked.Ours, Theirs: asked.Theirs})
				}
			}
		}
		return nil
	})
	return lines, open, err
}

// pair puts the lines of both sides together. Lines there that none of ours is come last, without one of ours.
func (r *run) pair(order *inventory.Order, lines []line) []inventory.Pair {
	remote, keys := []inventory.Remote{}, make([]inventory.Key, len(lines))
	if order != nil {
		remote = inventory.Fold(*order)
	}
	for i, l := range lines {
		keys[i] = r.key(order, l)
	}
	matched, rest := inventory.Match(remote, keys)
	pairs := make([]inventory.Pair, 0, len(lines)+len(rest))
	for i, l := range lines {
		pairs = append(pairs, inventory.Pair{Base: l.kept.Base, Ours: l.ours(matched[i]), Theirs: matched[i],
			Decisions: l.decisions})
	}
	for i := range rest {
		pairs = append(pairs, inventory.Pair{Theirs: &rest[i]})
	}
	return pairs
}

// key says where a line is there. One that was never sent and is not to be sent has no place there: it must not be
// taken for another line of the same article.
func (r *run) key(order *inventory.Order, l line) inventory.Key {
	switch {
	case l.Key.Root != "":
		return l.Key
	case order != nil && l.ExternalLineID != "" && l.ExternalSystem == r.system.Name() && l.ExternalPoID == order.ID:
		return inventory.Key{Root: l.ExternalLineID, Variant: l.VariantThere}
	case !l.live() && len(l.Sent.Values) == 0:
		return inventory.Key{}
	}
	return inventory.Key{Variant: l.VariantThere}
}

// ours returns the line as both sides can know it. One that was moved to another order is cancelled in this one.
func (l line) ours(theirs *inventory.Remote) *inventory.Line {
	ours := &inventory.Line{Status: purchase.Status(l.Status), Variant: l.VariantThere, Supplier: l.SupplierThere,
		Quantity: l.QuantityOrdered, Price: l.PricePerUnit, Received: l.QuantityReceived, ReceivedAt: l.lastReceipt(theirs)}
	if l.Currency != nil {
		ours.Currency = *l.Currency
	}
	if l.ExpectedArrivalDate.Valid {
		ours.Expected = &l.ExpectedArrivalDate.Time
	}
	if l.moved {
		ours.Status, ours.Received = purchase.Cancelled, decimal.Zero
	}
	return ours
}

// lastReceipt returns when the latest receipt here arrived, moved by milliseconds until no other receipt has
// the same: what we tell there is recognised by its moment when it comes back.
func (l line) lastReceipt(theirs *inventory.Remote) time.Time {
	at, told := l.LastReceipt.Truncate(time.Millisecond), l.QuantityReceived
	known := slices.Clone(l.Receipts)
	for _, receipt := range l.Receipts {
		told = told.Sub(receipt.Quantity)
	}
	for _, sent := range l.Sent.Receipts {
		if !sent.Quantity.Equal(told) { // the same again is a repetition
			known = append(known, sent)
		}
	}
	if theirs != nil {
		for _, receipt := range theirs.Receipts {
			if !slices.ContainsFunc(l.Sent.Receipts, func(s inventory.Receipt) bool { return same(s, receipt) }) {
				known = append(known, receipt)
			}
		}
	}
	for slices.ContainsFunc(known, func(r inventory.Receipt) bool { return same(r, inventory.Receipt{At: at}) }) {
		at = at.Add(time.Millisecond)
	}
	return at
}

func same(a, b inventory.Receipt) bool { return a.At.UnixMilli() == b.At.UnixMilli() }

// find reads the order as it is there, or nil. An order that another one's number belongs to is Taken.
func (r *run) find(ctx context.Context) (*inventory.Order, error) {
	order, err := inventory.Order{}, error(inventory.NotFound("not known there"))
	if r.external != "" {
		order, err = r.system.Get(ctx, r.external)
	}
	if fault.HasCode(err, inventory.CodeNotFound) || err == nil && order.Deleted {
		r.external = ""
		order, err = r.system.Find(ctx, r.number, r.reference())
	}
	switch {
	case fault.HasCode(err, inventory.CodeNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	r.external = order.ID
	return &order, nil
}

// adopted refuses an order there that has the number of ours by chance: it does not carry our reference, and none
// of our lines came from it.
func (r *run) adopted(order *inventory.Order, lines []line) error {
	if order == nil || order.Reference == r.reference() {
		return nil
	}
	known := func(l line) bool {
		return l.Key.Root != "" || l.ExternalSystem == r.system.Name() && l.ExternalPoID == order.ID
	}
	if len(lines) == 0 || slices.ContainsFunc(lines, known) {
		return nil
	}
	r.external = "" // looked for by its number the next time
	return inventory.Taken(r.number)
}

// reference is what an order there carries to be known as ours. It stays the same if the connection is made anew.
func (r *run) reference() string { return uuid.NewSHA1(r.by.Workspace, []byte(r.number)).String() }

// plan compares all lines. What the connection may not write is left alone, and nobody is asked about it.
func (r *run) plan(order *inventory.Order, pairs []inventory.Pair) inventory.Planned {
	may := r.open.Settings
	planned := inventory.Plan(order, pairs)
	if may.MayExport && may.MayLoad || planned.Stale {
		return planned
	}
	side := inventory.Ours
	if may.MayExport {
		side = inventory.Theirs
	}
	for range pairs { // an answer may lead to another question
		if !planned.Paused || !answer(pairs, planned, side, may.MayExport) {
			break
		}
		planned = inventory.Plan(order, pairs)
	}
	for i := range planned.Lines {
		if may.MayExport {
			keepHere(&planned.Lines[i], pairs[i].Base)
		} else {
			keepThere(&planned.Lines[i], pairs[i].Base)
		}
		planned.Lines[i].Conflicts = nil
	}
	if planned.Paused = false; !may.MayExport {
		planned.State, planned.DeleteOrder = inventory.Gone, false
	}
	return planned
}

// answer decides conflicts for the side that may not be overwritten. It reports whether it decided any.
func answer(pairs []inventory.Pair, planned inventory.Planned, side inventory.Side, other bool) (some bool) {
	for i, result := range planned.Lines {
		for _, c := range result.Conflicts {
			take := side
			if !slices.Contains(c.Choices, side) {
				if !other {
					continue
				}
				take = c.Choices[0]
			}
			pairs[i].Decisions = append(pairs[i].Decisions,
				inventory.Decision{Field: c.Field, Take: take, Ours: c.Ours, Theirs: c.Theirs})
			some = true
		}
	}
	return some
}

// keepHere withholds what would be written here. What both sides agreed on stays what it was, so that it is not
// taken for a change of ours the next time.
func keepHere(result *inventory.Result, base inventory.Base) {
	if result.Here.Empty() {
		return
	}
	for _, f := range append(result.Here.Fields, inventory.FieldStatus, inventory.FieldQuantity) {
		if value, agreed := base.Values[f]; agreed {
			result.Base.Values[f] = value
		} else {
			delete(result.Base.Values, f)
		}
	}
	if len(result.Here.Receipts) > 0 {
		result.Base.Receipts = base.Receipts
	}
	result.Here, result.Notices = inventory.Write{}, nil
}

// keepThere withholds what would be written there.
func keepThere(result *inventory.Result, base inventory.Base) {
	if result.There.Create {
		result.Base.Values, result.Base.Receipts = base.Values, base.Receipts
	}
	result.There, result.Base.Sent = inventory.Write{}, base.Sent
}
