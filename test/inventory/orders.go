package inventory

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

type newOrder struct {
	Number     string     `json:"order_no"`
	EntityType string     `json:"entity_type"`
	Supplier   int64      `json:"supplier_id"`
	Currency   string     `json:"currency"`
	Status     string     `json:"status"`
	Expected   *time.Time `json:"expected_arrival_date"`
	CreatedOn  *time.Time `json:"order_created_date"`
	Location   int64      `json:"location_id"`
	Info       *string    `json:"additional_info"`
	Rows       []newRow   `json:"purchase_order_rows"`
}

type newRow struct {
	Quantity *decimal.Decimal `json:"quantity"`
	Variant  int64            `json:"variant_id"`
	TaxRate  int64            `json:"tax_rate_id"`
	Price    *decimal.Decimal `json:"price_per_unit"`
	Unit     *string          `json:"purchase_uom"`
	Rate     *decimal.Decimal `json:"purchase_uom_conversion_rate"`
	Arrival  *time.Time       `json:"arrival_date"`
}

// check refuses a row that lacks something.
func (s *Server) check(path string, row newRow) error {
	switch {
	case row.Quantity == nil || !row.Quantity.IsPositive():
		return invalid(path+".quantity", "minimum", "should be > 0")
	case row.Price == nil || row.Price.IsNegative():
		return invalid(path+".price_per_unit", "required", "should be >= 0")
	case !slices.ContainsFunc(s.variants, func(v Variant) bool { return v.ID == row.Variant }):
		return invalid(path+".variant_id", "reference", "variant does not exist")
	case row.Unit != nil && len(*row.Unit) > 7:
		return invalid(path+".purchase_uom", "maxLength", "should NOT be longer than 7 characters")
	case row.Rate != nil && !row.Rate.IsPositive():
		return invalid(path+".purchase_uom_conversion_rate", "minimum", "should be > 0")
	}
	return nil
}

// add adds a row that was checked.
func (s *Server) add(o *Order, from newRow, group int64) *Row {
	now := s.tick()
	row := &Row{ID: s.id(), Quantity: Number{*from.Quantity}, Variant: from.Variant, Price: Number{*from.Price},
		Unit: from.Unit, Arrival: from.Arrival, Order: o.ID, Group: group, LandedCost: "0.0000000000",
		CreatedAt: now, UpdatedAt: now}
	if from.Rate != nil {
		row.Rate = &Number{*from.Rate}
	}
	if row.Arrival == nil {
		row.Arrival = o.Expected
	}
	if group == 0 {
		row.Group = s.id()
	}
	o.Rows = append(o.Rows, row)
	return row
}

func (s *Server) createOrder(r *http.Request, _ http.Header) (any, error) {
	var body newOrder
	if err := read(r, &body); err != nil {
		return nil, err
	}
	if body.Status == "" {
		body.Status = notReceived
	}
	at := slices.IndexFunc(s.suppliers, func(x Supplier) bool { return x.ID == body.Supplier })
	switch {
	case len(body.Number) == 0:
		return nil, invalid(".order_no", "required", "should have required property 'order_no'")
	case at < 0:
		return nil, invalid(".supplier_id", "reference", "supplier does not exist")
	case !slices.ContainsFunc(s.locations, func(x Location) bool { return x.ID == body.Location }):
		return nil, invalid(".location_id", "reference", "location does not exist")
	case body.Status == draft && s.options.RefuseDraft, body.Status != draft && body.Status != notReceived:
		return nil, invalid(".status", "enum", "should be equal to one of the allowed values")
	case len(body.Rows) == 0:
		return nil, invalid(".purchase_order_rows", "minItems", "should NOT have fewer than 1 items")
	}
	for i, row := range body.Rows {
		if err := s.check(".purchase_order_rows["+strconv.Itoa(i)+"]", row); err != nil {
			return nil, err
		}
	}
	o := &Order{ID: s.id(), Status: body.Status, Number: body.Number, EntityType: "regular", DefaultGroup: s.id(),
		Supplier: body.Supplier, Currency: body.Currency, Expected: body.Expected, Info: body.Info,
		Location: body.Location, CreatedAt: s.tick()}
	if o.Currency == "" {
		o.Currency = s.suppliers[at].Currency
	}
	for _, row := range body.Rows {
		s.add(o, row, 0)
	}
	s.orders = append(s.orders, o)
	s.settle(o, "created")
	return o.shown(), nil
}

// listOrders lists the newest orders first.
func (s *Server) listOrders(r *http.Request, header http.Header) (any, error) {
	query := r.URL.Query()
	since, err := time.Parse(time.RFC3339, query.Get("updated_at_min"))
	if err != nil && query.Get("updated_at_min") != "" {
		return nil, invalid(".updated_at_min", "format", "should be a date")
	}
	found := []Order{}
	for _, o := range slices.Backward(s.orders) {
		if (o.DeletedAt == nil || query.Get("include_deleted") == "true") &&
			fits(query.Get("order_no"), o.Number) && fits(query.Get("status"), o.Status) &&
			fits(query.Get("supplier_id"), strconv.FormatInt(o.Supplier, 10)) && !o.UpdatedAt.Before(since) {
			found = append(found, o.shown())
		}
	}
	return page(r, header, found), nil
}

func fits(filter, value string) bool { return filter == "" || filter == value }

func (s *Server) getOrder(r *http.Request, _ http.Header) (any, error) {
	o, err := s.find(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return o.shown(), nil
}

type orderPatch struct {
	Number    *string    `json:"order_no"`
	Supplier  *int64     `json:"supplier_id"`
	Currency  *string    `json:"currency"`
	Status    *string    `json:"status"`
	Expected  *time.Time `json:"expected_arrival_date"`
	CreatedOn *time.Time `json:"order_created_date"`
	Location  *int64     `json:"location_id"`
	Info      *string    `json:"additional_info"`
}

// changeOrder changes an order. Two traps: additional_info is wiped if it is left out, and the arrival
// date overwrites those of the rows.
func (s *Server) changeOrder(r *http.Request, _ http.Header) (any, error) {
	o, err := s.find(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	var body orderPatch
	if err := read(r, &body); err != nil {
		return nil, err
	}
	untouched := o.Status == draft || o.Status == notReceived
	for path, given := range map[string]bool{".supplier_id": body.Supplier != nil, ".currency": body.Currency != nil,
		".location_id": body.Location != nil} {
		if given && !untouched {
			return nil, invalid(path, "status", "updatable only when status is in DRAFT and NOT_RECEIVED")
		}
	}
	if body.Expected != nil && o.Status == received {
		return nil, invalid(".expected_arrival_date", "status", "not updatable when status is RECEIVED")
	}
	if body.Status != nil {
		if err := s.changeStatus(o, *body.Status); err != nil {
			return nil, err
		}
	}
	o.apply(body, s.tick())
	s.settle(o, "updated")
	return o.shown(), nil
}

func (o *Order) apply(body orderPatch, now time.Time) {
	o.Info = body.Info
	if body.Number != nil {
		o.Number = *body.Number
	}
	if body.Supplier != nil {
		o.Supplier = *body.Supplier
	}
	if body.Currency != nil {
		o.Currency = *body.Currency
	}
	if body.Location != nil {
		o.Location = *body.Location
	}
	if body.Expected != nil {
		o.Expected = body.Expected
		for _, row := range o.live() {
			if row.ReceivedAt == nil {
				row.Arrival, row.UpdatedAt = body.Expected, now
			}
		}
	}
}

// changeStatus orders a draft, sets an order back to a draft, receives all that is open, or takes all
// receipts back.
func (s *Server) changeStatus(o *Order, status string) error {
	switch {
	case status == o.Status:
	case status == draft && o.Status == notReceived && !s.options.RefuseDraft, status == notReceived && o.Status == draft:
		o.Status = status
	case status == notReceived:
		for _, row := range o.live() {
			row.ReceivedAt, row.UpdatedAt = nil, s.tick()
		}
	case status == received && o.Status != draft:
		for _, row := range o.live() {
			if row.ReceivedAt == nil {
				s.book(o, row, row.Quantity.Decimal, s.clock)
			}
		}
	default:
		return invalid(".status", "enum", "should be equal to one of the allowed values")
	}
	return nil
}

func (s *Server) deleteOrder(r *http.Request, _ http.Header) (any, error) {
	o, err := s.find(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	s.remove(o)
	return nil, nil
}

func (s *Server) remove(o *Order) {
	now := s.tick()
	o.DeletedAt = &now
	o.UpdatedAt = now
	s.tell(o, "deleted")
}
