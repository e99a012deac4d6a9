package katana

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
)

const (
	orders = "/purchase_orders"
	rows   = "/purchase_order_rows"
)

// Changed implements inventory.System.
func (c *Client) Changed(ctx context.Context, from inventory.Cursor) (inventory.Changes, error) {
	page := max(from.Page, 1)
	query := url.Values{"include_deleted": {"true"}}
	if !from.Since.IsZero() {
		query.Set("updated_at_min", from.Since.UTC().Format(timeForm))
	}
	found, last, err := list[order](ctx, c, orders, query, page)
	if err != nil {
		return inventory.Changes{}, err
	}
	changes := inventory.Changes{}
	for _, o := range found {
		neutral, err := o.neutral()
		if err != nil {
			return inventory.Changes{}, err
		}
		changes.Orders = append(changes.Orders, neutral)
	}
	if !last {
		changes.Next = &inventory.Cursor{Since: from.Since, Page: page + 1}
	}
	return changes, nil
}

// Get implements inventory.System.
func (c *Client) Get(ctx context.Context, id string) (inventory.Order, error) {
	o, err := c.get(ctx, id)
	if err != nil {
		return inventory.Order{}, err
	}
	return o.neutral()
}

func (c *Client) get(ctx context.Context, number string) (o order, err error) {
	if _, err := toID("order", number); err != nil {
		return o, err
	}
	_, err = c.call(ctx, http.MethodGet, orders+"/"+number, nil, &o)
	return o, err
}

// Find implements inventory.System.
func (c *Client) Find(ctx context.Context, number, reference string) (inventory.Order, error) {
	found, err := all[order](ctx, c, orders, url.Values{"order_no": {number}})
	if err != nil {
		return inventory.Order{}, err
	}
	taken := false
	for _, o := range found {
		if o.Number != number || o.DeletedAt != nil {
			continue
		}
		if reference != "" && referenceIn(o.Info) == reference {
			return o.neutral()
		}
		taken = true
	}
	if taken {
		return inventory.Order{}, inventory.Taken(number)
	}
	return inventory.Order{}, inventory.NotFound("the inventory system has no order %s", number)
}

// newOrder and newRow have the documented fields and no others.
type newOrder struct {
	Number   string          `json:"order_no"`
	Supplier id              `json:"supplier_id"`
	Location id              `json:"location_id"`
	Currency string          `json:"currency,omitempty"`
	Status   inventory.State `json:"status"`
	Expected string          `json:"expected_arrival_date,omitempty"`
	Info     string          `json:"additional_info"`
	Rows     []newRow        `json:"purchase_order_rows"`
}

type newRow struct {
	Order    id     `json:"purchase_order_id,omitempty"` // of a row that is added to an order
	Quantity number `json:"quantity"`
	Variant  id     `json:"variant_id"`
	Price    number `json:"price_per_unit"`
	Arrival  string `json:"arrival_date,omitempty"`
	Group    id     `json:"group_id,omitempty"`
}

func toRow(r inventory.NewRow) (newRow, error) {
	variant, err := toID(string(inventory.FieldVariant), r.Variant)
	switch {
	case err != nil:
		return newRow{}, err
	case r.Price == nil:
		return newRow{}, missing(inventory.FieldPrice, "say what one of them costs")
	case !r.Quantity.IsPositive():
		return newRow{}, missing(inventory.FieldQuantity, "say how many are ordered")
	}
	return newRow{Quantity: number{r.Quantity}, Variant: variant, Price: row{}.purchasePrice(*r.Price),
		Arrival: written(r.Expected)}, nil
}

func missing(f inventory.Field, message string) error {
	return inventory.Refused(message, []fault.Field{{Field: string(f), Code: "required", Message: message}})
}

// Create implements inventory.System.
func (c *Client) Create(ctx context.Context, wanted inventory.NewOrder) (inventory.Order, error) {
	supplier, err := toID(string(inventory.FieldSupplier), wanted.Supplier)
	if err != nil {
		return inventory.Order{}, err
	}
	location, err := toID("location", wanted.Location)
	if err != nil {
		return inventory.Order{}, err
	}
	body := newOrder{Number: wanted.Number, Supplier: supplier, Location: location, Currency: wanted.Currency,
		Status: wanted.State, Info: withReference("", wanted.Reference)}
	var first *time.Time
	for _, r := range wanted.Rows {
		made, err := toRow(r)
		if err != nil {
			return inventory.Order{}, err
		}
		body.Rows = append(body.Rows, made)
		if r.Expected != nil && (first == nil || r.Expected.Before(*first)) {
			first = r.Expected
		}
	}
	body.Expected = written(first)
	var made order
	if _, err = c.call(ctx, http.MethodPost, orders, body, &made); err != nil {
		return inventory.Order{}, draftRefused(err, wanted.State)
	}
	return made.neutral()
}

// draftRefused recognises that a deployment takes no drafts.
func draftRefused(err error, state inventory.State) error {
	refused := fault.Refusal(err)
	if state != inventory.Draft || refused == nil || refused.Code != inventory.CodeRefused {
		return err
	}
	for _, field := range refused.Fields {
		if field.Field == "status" {
			return inventory.DraftRefused(refused.Fields)
		}
	}
	return err
}

// Delete implements inventory.System.
func (c *Client) Delete(ctx context.Context, order string) error {
	if _, err := toID("order", order); err != nil {
		return err
	}
	_, err := c.call(ctx, http.MethodDelete, orders+"/"+order, nil, nil)
	return err
}

// arrival is a row of a receipt.
type arrival struct {
	Row      id     `json:"purchase_order_row_id"`
	Quantity number `json:"quantity"`
	At       string `json:"received_date"`
}

// Receive implements inventory.System. It fills the open rows of a line one after the other.
func (c *Client) Receive(ctx context.Context, order string, arrivals []inventory.Arrival) error {
	o, err := c.get(ctx, order)
	if err != nil {
		return err
	}
	neutral, err := o.neutral()
	if err != nil {
		return err
	}
	lines, body := inventory.Fold(neutral), []arrival{}
	for _, a := range arrivals {
		line := inventory.Find(lines, a.Key)
		if line == nil {
			return inventory.NotFound("order %s has no such row", order)
		}
		rest := a.Quantity
		for _, open := range line.Open() {
			part := decimal.Min(rest, open.Quantity)
			if !part.IsPositive() {
				continue
			}
			units, err := o.row(open.ID).purchaseUnits(part)
			if err != nil {
				return err
			}
			body = append(body, arrival{Row: o.row(open.ID).ID, Quantity: units, At: written(&a.At)})
			rest = rest.Sub(part)
		}
		if rest.IsPositive() {
			return inventory.Refused("more arrived than is open", []fault.Field{{Field: string(inventory.FieldReceipts),
				Code: "open", Message: rest.String() + " more than is open"}})
		}
	}
	_, err = c.call(ctx, http.MethodPost, "/purchase_order_receive", body, nil)
	return err
}

// row returns a row by its id.
func (o order) row(id string) row {
	if i := slices.IndexFunc(o.Rows, func(r row) bool { return r.ID.String() == id }); i >= 0 {
		return o.Rows[i]
	}
	return row{}
}

type supplier struct {
	ID       id     `json:"id"`
	Name     string `json:"name"`
	Currency string `json:"currency"`
}

// Suppliers implements inventory.System.
func (c *Client) Suppliers(ctx context.Context) (suppliers []inventory.Supplier, err error) {
	found, err := all[supplier](ctx, c, "/suppliers", url.Values{})
	for _, s := range found {
		suppliers = append(suppliers, inventory.Supplier{ID: s.ID.String(), Name: s.Name, Currency: s.Currency})
	}
	return suppliers, err
}

// skusPerCall keeps addresses short.
const skusPerCall = 50

// Variants implements inventory.System.
func (c *Client) Variants(ctx context.Context, skus []string) (variants []inventory.Variant, err error) {
	for some := range slices.Chunk(skus, skusPerCall) {
		found, err := all[struct {
			ID  id     `json:"id"`
			SKU string `json:"sku"`
		}](ctx, c, "/variants", url.Values{"sku": some})
		if err != nil {
			return nil, err
		}
		for _, v := range found {
			if slices.Contains(some, v.SKU) {
				variants = append(variants, inventory.Variant{ID: v.ID.String(), SKU: v.SKU})
			}
		}
	}
	return variants, nil
}

// Variant implements inventory.System.
func (c *Client) Variant(ctx context.Context, number string) (inventory.Variant, error) {
	if _, err := toID(string(inventory.FieldVariant), number); err != nil {
		return inventory.Variant{}, err
	}
	var found struct {
		ID  id     `json:"id"`
		SKU string `json:"sku"`
	}
	_, err := c.call(ctx, http.MethodGet, "/variants/"+number, nil, &found)
	return inventory.Variant{ID: found.ID.String(), SKU: found.SKU}, err
}

// Locations implements inventory.System.
func (c *Client) Locations(ctx context.Context) (locations []inventory.Location, err error) {
	found, err := all[struct {
		ID   id     `json:"id"`
		Name string `json:"name"`
	}](ctx, c, "/locations", url.Values{})
	for _, l := range found {
		locations = append(locations, inventory.Location{ID: l.ID.String(), Name: l.Name})
	}
	return locations, err
}
