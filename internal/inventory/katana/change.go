package katana

import (
	"context"
	"net/http"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/inventory"
)

// orderPatch is a change of an order. Katana wipes additional_info if it is left out, so it is always
// sent. The order's arrival date is never sent: it would overwrite those of all rows.
type orderPatch struct {
	Status   inventory.State `json:"status,omitempty"`
	Supplier id              `json:"supplier_id,omitempty"`
	Currency string          `json:"currency,omitempty"`
	Info     string          `json:"additional_info"`
}

// rowPatch is a change of a row.
type rowPatch struct {
	Quantity *number `json:"quantity,omitempty"`
	Price    *number `json:"price_per_unit,omitempty"`
	Arrival  string  `json:"arrival_date,omitempty"`
	Variant  id      `json:"variant_id,omitempty"`
}

func (p rowPatch) empty() bool {
	return p.Quantity == nil && p.Price == nil && p.Arrival == "" && p.Variant == 0
}

// Change implements inventory.System. Rows come before the order's own fields, which may fix them, and
// rows that are added come before those that are taken away: an order whose last open row is gone is
// received, and takes no more.
func (c *Client) Change(ctx context.Context, change inventory.Change) (inventory.Order, error) {
	current, err := c.get(ctx, change.Order)
	if err != nil {
		return inventory.Order{}, err
	}
	neutral, err := current.neutral()
	if err != nil {
		return inventory.Order{}, err
	}
	lines := inventory.Fold(neutral)
	for _, r := range change.Add {
		added, err := toRow(r)
		if err != nil {
			return inventory.Order{}, err
		}
		added.Order = current.ID
		if _, err := c.call(ctx, http.MethodPost, rows, added, nil); err != nil {
			return inventory.Order{}, err
		}
	}
	for _, closing := range []bool{false, true} {
		for _, l := range change.Lines {
			line := inventory.Find(lines, l.Key)
			if line == nil {
				return inventory.Order{}, inventory.NotFound("order %s has no such row", change.Order)
			}
			if closes := l.Delete || l.Quantity != nil && !l.Quantity.GreaterThan(line.Received); closes != closing {
				continue
			}
			if err := c.changeLine(ctx, current, *line, l); err != nil {
				return inventory.Order{}, err
			}
		}
	}
	if err := c.changeOrder(ctx, current, change); err != nil {
		return inventory.Order{}, err
	}
	return c.Get(ctx, change.Order)
}

// changeOrder changes the order's own fields.
func (c *Client) changeOrder(ctx context.Context, current order, change inventory.Change) error {
	patch := orderPatch{Status: change.State, Currency: change.Currency,
		Info: withReference(current.Info, change.Reference)}
	if change.Supplier != "" {
		supplier, err := toID(string(inventory.FieldSupplier), change.Supplier)
		if err != nil {
			return err
		}
		patch.Supplier = supplier
	}
	if patch == (orderPatch{Info: current.Info}) {
		return nil
	}
	_, err := c.call(ctx, http.MethodPatch, orders+"/"+change.Order, patch, nil)
	return err
}

// changeLine changes the open rows of a line. The quantity is that of the whole line: the first open row
// takes up the difference, other open rows are deleted, and if none is open, one is added.
func (c *Client) changeLine(ctx context.Context, current order, line inventory.Remote, l inventory.LineChange) error {
	if l.Delete {
		for _, r := range line.Rows {
			if _, err := c.call(ctx, http.MethodDelete, rows+"/"+r.ID, nil, nil); err != nil {
				return err
			}
		}
		return nil
	}
	open := line.Open()
	if l.Quantity != nil {
		rest := l.Quantity.Sub(line.Received)
		if !rest.IsPositive() || len(open) == 0 {
			return c.resize(ctx, current, line, l, rest)
		}
		// The rows after the first give way, so that the first is the rest.
		for _, r := range open[1:] {
			if _, err := c.call(ctx, http.MethodDelete, rows+"/"+r.ID, nil, nil); err != nil {
				return err
			}
		}
		open = open[:1]
		if rest.Equal(open[0].Quantity) {
			l.Quantity = nil
		} else {
			l.Quantity = &rest
		}
	}
	for _, r := range open {
		patch, err := toPatch(current.row(r.ID), l)
		if err != nil {
			return err
		}
		if patch.empty() {
			continue
		}
		if _, err := c.call(ctx, http.MethodPatch, rows+"/"+r.ID, patch, nil); err != nil {
			return err
		}
	}
	return nil
}

// resize closes a line of which nothing more is to come, or orders more of one that has arrived.
func (c *Client) resize(ctx context.Context, current order, line inventory.Remote, l inventory.LineChange,
	rest decimal.Decimal) error {
	if !rest.IsPositive() {
		for _, r := range line.Open() {
			if _, err := c.call(ctx, http.MethodDelete, rows+"/"+r.ID, nil, nil); err != nil {
				return err
			}
		}
		return nil
	}
	price, expected := line.Price, line.Expected
	if l.Price != nil {
		price = l.Price
	}
	if l.Expected != nil {
		expected = l.Expected
	}
	added, err := toRow(inventory.NewRow{Variant: line.Variant, Quantity: rest, Price: price, Expected: expected})
	if err != nil {
		return err
	}
	added.Order, added.Group = current.ID, current.row(line.Key.Root).Group
	_, err = c.call(ctx, http.MethodPost, rows, added, nil)
	return err
}

func toPatch(current row, l inventory.LineChange) (patch rowPatch, err error) {
	if l.Quantity != nil {
		units, err := current.purchaseUnits(*l.Quantity)
		if err != nil {
			return patch, err
		}
		patch.Quantity = &units
	}
	if l.Price != nil {
		price := current.purchasePrice(*l.Price)
		patch.Price = &price
	}
	if l.Variant != "" {
		if patch.Variant, err = toID(string(inventory.FieldVariant), l.Variant); err != nil {
			return patch, err
		}
	}
	patch.Arrival = written(l.Expected)
	return patch, nil
}
