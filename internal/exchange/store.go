package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// comparison is one look at both sides of an order.
type comparison struct {
	order   *inventory.Order
	lines   []line
	open    []q.ListOpenConflictsRow
	pairs   []inventory.Pair // those of the lines, then those that exist only there
	planned inventory.Planned
	meaning meanings
}

// write stores what a comparison found: what it writes here, what both sides agree on then, the questions, and
// where the order is. All or nothing, and nothing if a line is not as it was read.
func (r *run) write(ctx context.Context, c comparison) error {
	err := r.s.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.NameExchange(ctx, r.id.String()); err != nil {
			return err
		}
		ids, err := r.writeLines(ctx, tx, c)
		if err != nil {
			return err
		}
		if err := r.keepBases(ctx, queries, c, ids); err != nil {
			return err
		}
		if err := r.keepConflicts(ctx, queries, c, ids); err != nil {
			return err
		}
		held, err := queries.KeepExchange(ctx, q.KeepExchangeParams{TenantID: r.by.Tenant, ConnectionID: r.id,
			OrderNo: r.number, Claim: &r.claim, ExternalID: r.external, Notices: c.notices(), ChangedThere: c.changedThere()})
		if err == nil && held == 0 {
			return errBusy
		}
		return err
	})
	if err == nil {
		for i, result := range c.planned.Lines {
			r.here = append(r.here, describe(c.sku(i), result.Here, "cancelled")...)
		}
	}
	return err
}

// writeLines writes into the lines here, and returns the ids of the pairs' lines.
func (r *run) writeLines(ctx context.Context, tx pgx.Tx, c comparison) (ids []string, err error) {
	ids = make([]string, len(c.pairs))
	seen := []purchase.Ref{}
	for i, l := range c.lines {
		ids[i] = l.ID
		if !l.moved {
			seen = append(seen, purchase.Ref{ID: l.ID, Version: l.Version})
		}
	}
	taken, places := r.taken(c)
	made, err := purchase.Take(ctx, tx, r.by, r.number, seen, taken)
	for i, id := range made {
		ids[places[i]] = id
	}
	return ids, err
}

// taken translates what is written here. places are the pairs that it is about.
func (r *run) taken(c comparison) (taken []purchase.Taken, places []int) {
	for i, pair := range c.pairs {
		w := c.planned.Lines[i].Here
		one := purchase.Taken{}
		if i < len(c.lines) {
			if c.lines[i].moved && !w.Empty() { // a person took it back into this order: as a line of its own
				w = inventory.Merge(inventory.Base{}, nil, pair.Theirs).Here
			} else {
				one.ID = c.lines[i].ID
			}
		}
		known := i < len(c.lines) && (c.lines[i].moved || !r.places(c, i))
		if w.Empty() && (known || i >= len(c.lines)) {
			continue
		}
		if pair.Theirs != nil && c.order != nil {
			one.External = purchase.External{System: r.system.Name(), Order: c.order.ID, Line: pair.Theirs.Key.Root}
		}
		for _, receipt := range w.Receipts {
			one.Bookings = append(one.Bookings, purchase.Booking{Quantity: receipt.Quantity, At: receipt.At})
		}
		c.fill(&one, w)
		taken, places = append(taken, one), append(places, i)
	}
	return taken, places
}

// places reports whether it is to be written where a line is there. While people draft a line and get it approved,
// it is not: a line that changes under their hands must be looked at again.
func (r *run) places(c comparison, i int) bool {
	l, theirs := c.lines[i], c.pairs[i].Theirs
	if theirs == nil || c.order == nil || l.Status == string(purchase.Draft) || l.Status == string(purchase.PendingApproval) {
		return false
	}
	return l.ExternalSystem != r.system.Name() || l.ExternalPoID != c.order.ID || l.ExternalLineID != theirs.Key.Root
}

// fill sets the fields that are written here.
func (c comparison) fill(one *purchase.Taken, w inventory.Write) {
	has := func(f inventory.Field) bool { return w.Create || w.Has(f) }
	l := w.Line
	if has(inventory.FieldStatus) {
		one.Status = &l.Status
	}
	if has(inventory.FieldVariant) {
		product := c.meaning.here[l.Variant]
		sku := c.meaning.skus[product]
		one.Product, one.SKU = &product, &sku
	}
	if has(inventory.FieldSupplier) {
		supplier := c.meaning.suppliers[l.Supplier]
		one.Supplier = &supplier
	}
	if has(inventory.FieldCurrency) && l.Currency != "" {
		one.Currency = &l.Currency
	}
	if has(inventory.FieldQuantity) {
		one.Quantity = &l.Quantity
	}
	if has(inventory.FieldPrice) {
		one.Price = l.Price
	}
	if has(inventory.FieldExpected) {
		one.Expected = l.Expected
	}
}

// keepBases stores what both sides agree on, line by line.
func (r *run) keepBases(ctx context.Context, queries *q.Queries, c comparison, ids []string) error {
	for i := range c.planned.Lines {
		was := line{}
		if i < len(c.lines) {
			was = c.lines[i]
		}
		now, gone := c.kept(i, was)
		if was.moved && (gone || ids[i] != was.ID) { // it is there no longer, or became a line of its own
			if err := r.forget(ctx, queries, was.ID); err != nil {
				return err
			}
			was = line{}
		}
		if ids[i] == "" || gone && was.ListExchangeLinesRow.Base == nil {
			continue
		}
		text, err := json.Marshal(now)
		if err != nil {
			return err
		}
		if unchanged(was.ListExchangeLinesRow.Base, text) {
			continue
		}
		err = queries.PutExchangeLine(ctx, q.PutExchangeLineParams{TenantID: r.by.Tenant, ConnectionID: r.id,
			OrderNo: r.number, LineID: ids[i], Base: text})
		if err != nil {
			return err
		}
	}
	return nil
}

// kept returns what is stored about a pair, and whether the line is neither here nor there.
func (c comparison) kept(i int, was line) (now kept, gone bool) {
	result, theirs := c.planned.Lines[i], c.pairs[i].Theirs
	now = kept{Base: result.Base, Key: was.Key}
	switch {
	case theirs != nil:
		now.Key = theirs.Key
	case result.There.Create: // it gets a row of its own
		now.Key = inventory.Key{}
	}
	return now, theirs == nil && was.ID != "" && !was.live() && len(result.Conflicts) == 0
}

// forget drops what was agreed about a line that is no longer part of the order on either side.
func (r *run) forget(ctx context.Context, queries *q.Queries, line string) error {
	return queries.DropExchangeLine(ctx, q.DropExchangeLineParams{TenantID: r.by.Tenant, ConnectionID: r.id,
		OrderNo: r.number, LineID: line})
}

// unchanged compares what is stored, whose form is PostgreSQL's, with what would be.
func unchanged(stored, now []byte) bool {
	var old kept
	if stored == nil || json.Unmarshal(stored, &old) != nil {
		return false
	}
	text, err := json.Marshal(old)
	return err == nil && bytes.Equal(text, now)
}

// keepConflicts stores questions, and closes those that are no questions any more. One that a person has decided
// stays until it would not be asked again.
func (r *run) keepConflicts(ctx context.Context, queries *q.Queries, c comparison, ids []string) error {
	over, standing := []uuid.UUID{}, map[string]bool{}
	for _, asked := range c.open {
		i := slices.Index(ids, asked.LineID)
		if i >= 0 && (asks(c.planned.Lines[i].Conflicts, asked) || asked.Take != "" &&
			asks(c.pairs[i].Without(inventory.Field(asked.Field)), asked)) {
			standing[asked.LineID+asked.Field] = true
			continue
		}
		over = append(over, asked.ID)
	}
	if len(over) > 0 {
		if err := queries.CloseConflicts(ctx, q.CloseConflictsParams{TenantID: r.by.Tenant, Ids: over}); err != nil {
			return err
		}
	}
	for i, result := range c.planned.Lines {
		for _, conflict := range result.Conflicts {
			if standing[ids[i]+string(conflict.Field)] {
				continue
			}
			choices := []string{}
			for _, side := range conflict.Choices {
				choices = append(choices, string(side))
			}
			err := queries.InsertConflict(ctx, q.InsertConflictParams{TenantID: r.by.Tenant, ID: uuid.Must(uuid.NewV7()),
				ConnectionID: r.id, WorkspaceID: r.by.Workspace, OrderNo: r.number, LineID: ids[i],
				Field: string(conflict.Field), Reason: string(conflict.Reason), Base: conflict.Base, Ours: conflict.Ours,
				Theirs: conflict.Theirs, Choices: choices})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// asks reports whether a question that is stored is among those that a comparison found.
func asks(found []inventory.Conflict, asked q.ListOpenConflictsRow) bool {
	return slices.ContainsFunc(found, func(c inventory.Conflict) bool {
		return string(c.Field) == asked.Field && string(c.Reason) == asked.Reason && c.Ours == asked.Ours &&
			c.Theirs == asked.Theirs && len(c.Choices) == len(asked.Choices)
	})
}

// questions counts what a person must decide.
func (c comparison) questions() (count int) {
	for _, result := range c.planned.Lines {
		count += len(result.Conflicts)
	}
	return count
}

// notices are what a person should know, each once.
func (c comparison) notices() []string {
	notices := []string{}
	for _, result := range c.planned.Lines {
		for _, notice := range result.Notices {
			notices = with(notices, string(notice))
		}
	}
	return notices
}

func (c comparison) changedThere() *time.Time {
	if c.order == nil {
		return nil
	}
	return &c.order.UpdatedAt
}

// sku names a line.
func (c comparison) sku(i int) string {
	if i < len(c.lines) {
		return c.lines[i].Sku
	}
	return c.meaning.skus[c.meaning.here[c.pairs[i].Theirs.Variant]]
}

// describe says what is written about a line, such as "TEA: price, receipts".
func describe(sku string, w inventory.Write, deleted string) []string {
	what := []string{}
	switch {
	case w.Empty():
		return nil
	case w.Create:
		what = append(what, "created")
	case w.Delete:
		what = append(what, deleted)
	default:
		for _, f := range w.Fields {
			what = append(what, strings.ReplaceAll(string(f), "_", " "))
		}
	}
	if len(w.Receipts) > 0 {
		what = with(what, "receipts")
	}
	return []string{sku + ": " + strings.Join(what, ", ")}
}

func keys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
