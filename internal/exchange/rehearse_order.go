package exchange

import (
	"context"
	"errors"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
)

// foresee says what would happen to an order.
func (r *rehearsal) foresee(ctx context.Context, number string, lines []line) (Foreseen, error) {
	one := Foreseen{Number: number, External: r.exchanged[number].external, Prospect: LeftAlone}
	for i := range lines {
		if lines[i].VariantThere == "" {
			lines[i].VariantThere = r.ids.there[Articles][lines[i].ProductID]
		}
		if one.Supplier == "" && lines[i].live() {
			one.Supplier = lines[i].SupplierName
		}
	}
	if r.exchanged[number].state == Paused {
		one.Message = "a person paused this order"
		return one, nil
	}
	compared := r.of(number)
	order, err := r.findThere(ctx, compared)
	if err != nil {
		return r.hold(ctx, one, err)
	}
	if order != nil {
		one.External = order.ID
		if one.Supplier == "" {
			one.Supplier = r.supplierName(order.Supplier)
		}
	}
	if err := compared.adopted(order, lines); err != nil {
		return r.hold(ctx, one, err)
	}
	if order == nil && !r.open.Settings.MayExport {
		one.Message = "it is only here, and this connection does not export"
		return one, nil
	}
	for _, l := range lines {
		if l.live() && l.VariantThere == "" && r.unasked[l.Sku] {
			return notLooked(one, "its articles could not be looked up within the budget"), nil
		}
	}
	if err := compared.fits(lines); err != nil {
		return r.hold(ctx, one, err)
	}
	c := comparison{order: order, lines: lines, pairs: compared.pair(order, lines)}
	c.planned = compared.plan(order, c.pairs)
	c.meaning = meanings{articles: articles{here: r.ids.here[Articles], there: r.ids.there[Articles], skus: map[string]string{}},
		suppliers: r.ids.here[Suppliers]}
	return r.tell(ctx, one, c)
}

var errNotFoundOut = errors.New("not looked up")

// findThere returns the order as the other system has it, or nil. Lists are hints, which is good enough here; what is not
// in them is looked up one by one, if the list was not read whole.
func (r *rehearsal) findThere(ctx context.Context, compared *run) (*inventory.Order, error) {
	if order := r.there[compared.external]; order != nil {
		return order, nil
	}
	taken := false
	for _, order := range r.byNumber[compared.number] {
		if order.Reference == compared.reference() {
			return order, nil
		}
		// A poll brings it by its id; then it is ours only if we have none with this number.
		if r.exchanged[compared.number].external == "" {
			taken = true
		}
	}
	switch {
	case taken:
		return r.byNumber[compared.number][0], nil
	case r.result.Whole:
		return nil, nil
	case r.lookUps >= mostLookUps || r.result.Trouble != "":
		return nil, errNotFoundOut
	}
	r.lookUps++
	return compared.find(ctx)
}

// hold says that an order would be held, or that it could not be looked at.
func (r *rehearsal) hold(ctx context.Context, one Foreseen, err error) (Foreseen, error) {
	if errors.Is(err, errNotFoundOut) {
		return notLooked(one, "not everything that it takes could be looked up there within the budget"), nil
	}
	var told *fault.Error
	if !errors.As(err, &told) {
		return one, err
	}
	switch told.Code {
	case inventory.CodeTaken, CodeSupplier, CodeArticle, CodeIncomplete, CodeMixed:
		one.Prospect, one.Code, one.Message = WouldBeHeld, told.Code, told.Message
		return one, nil
	}
	if err := r.trouble(ctx, err); err != nil {
		return one, err
	}
	return notLooked(one, told.Message), nil
}

func notLooked(one Foreseen, why string) Foreseen {
	one.Prospect, one.Message = NotLookedAt, why
	return one
}

// tell puts a plan into effects.
func (r *rehearsal) tell(ctx context.Context, one Foreseen, c comparison) (Foreseen, error) {
	for i, result := range c.planned.Lines {
		if err := r.meant(ctx, result.Here); err != nil {
			return r.hold(ctx, Foreseen{Number: one.Number, External: one.External, Supplier: one.Supplier}, err)
		}
		sku := r.skuOf(c, i)
		one.Here = append(one.Here, r.effects(sku, result.Here, c.pairs[i].Ours)...)
		if theirs := c.pairs[i].Theirs; theirs != nil {
			one.There = append(one.There, r.effects(sku, result.There, &theirs.Line)...)
		} else {
			one.There = append(one.There, r.effects(sku, result.There, nil)...)
		}
		for _, conflict := range result.Conflicts {
			conflict.Base, conflict.Ours = r.named(conflict.Field, conflict.Base), r.named(conflict.Field, conflict.Ours)
			conflict.Theirs = r.named(conflict.Field, conflict.Theirs)
			one.Conflicts = append(one.Conflicts, ForeseenConflict{sku, conflict})
		}
		one.Notices = append(one.Notices, result.Notices...)
	}
	switch {
	case c.planned.DeleteOrder:
		one.There = append(one.There, Effect{What: "delete"})
	case c.planned.State == inventory.NotReceived && c.order != nil:
		one.There = append(one.There, Effect{What: "place"})
	}
	if err := c.sendable(); err != nil && len(one.Conflicts) == 0 {
		return r.hold(ctx, one, err)
	}
	one.Prospect = prospect(one, c)
	if one.Prospect == LeftAlone {
		one.Message = leftAlone(c)
	}
	return one, nil
}

// prospect sums an order's effects up.
func prospect(one Foreseen, c comparison) Prospect {
	switch here, there := len(one.Here) > 0, len(one.There) > 0; {
	case len(one.Conflicts) > 0:
		return WouldConflict
	case c.order == nil && there:
		return CreatedThere
	case len(c.lines) == 0 && here:
		return CreatedHere
	case here && there:
		return ChangedBoth
	case there:
		return ChangedThere
	case here:
		return ChangedHere
	}
	return LeftAlone
}

// leftAlone says why nothing would be done.
func leftAlone(c comparison) string {
	switch {
	case c.planned.Stale:
		return "the list shows an older version than the one that was compared last"
	case len(c.notices()) > 0:
		return "what differs waits for an approval here"
	case c.order == nil:
		return "nothing of it is to be there"
	}
	return "both sides are the same"
}

// effects are what a write does to a line that has these values now.
func (r *rehearsal) effects(sku string, w inventory.Write, now *inventory.Line) (effects []Effect) {
	switch {
	case w.Create:
		effects = append(effects, Effect{SKU: sku, What: "create", To: w.Line.Value(inventory.FieldQuantity)})
	case w.Delete:
		effects = append(effects, Effect{SKU: sku, What: "delete"})
	default:
		for _, f := range w.Fields {
			effect := Effect{SKU: sku, What: "change", Field: f, To: r.named(f, w.Line.Value(f))}
			if now != nil {
				effect.From = r.named(f, now.Value(f))
			}
			effects = append(effects, effect)
		}
	}
	total := decimal.Zero
	for _, receipt := range w.Receipts {
		total = total.Add(receipt.Quantity)
	}
	if len(w.Receipts) > 0 {
		effects = append(effects, Effect{SKU: sku, What: "receive", To: total.String()})
	}
	return effects
}

// named returns a value as people know it: ids there are names.
func (r *rehearsal) named(f inventory.Field, value string) string {
	switch {
	case f == inventory.FieldSupplier && value != "":
		return r.supplierName(value)
	case f == inventory.FieldVariant && r.ids.skus[value] != "":
		return r.ids.skus[value]
	}
	return value
}

// skuOf names a line.
func (r *rehearsal) skuOf(c comparison, i int) string {
	if i < len(c.lines) {
		return c.lines[i].Sku
	}
	return r.named(inventory.FieldVariant, c.pairs[i].Theirs.Variant)
}
