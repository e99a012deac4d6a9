package inventory

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// The statuses.
const (
	draft             = "DRAFT"
	notReceived       = "NOT_RECEIVED"
	partiallyReceived = "PARTIALLY_RECEIVED"
	received          = "RECEIVED"
)

// Number is a decimal that is written as a JSON number.
type Number struct{ decimal.Decimal }

// MarshalJSON writes a number without quotes.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// Order is a purchase order.
type Order struct {
	ID           int64      `json:"id"`
	Status       string     `json:"status"`
	Number       string     `json:"order_no"`
	EntityType   string     `json:"entity_type"`
	DefaultGroup int64      `json:"default_group_id"`
	Supplier     int64      `json:"supplier_id"`
	Currency     string     `json:"currency"`
	Expected     *time.Time `json:"expected_arrival_date"`
	Info         *string    `json:"additional_info"`
	Location     int64      `json:"location_id"`
	Total        Number     `json:"total"`
	CreatedAt    time.Time  `json:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at"`
	DeletedAt    *time.Time `json:"deleted_at"`
	Rows         []*Row     `json:"purchase_order_rows"`
}

// Row is a row of an order.
type Row struct {
	ID         int64      `json:"id"`
	Quantity   Number     `json:"quantity"`
	Variant    int64      `json:"variant_id"`
	Price      Number     `json:"price_per_unit"`
	Unit       *string    `json:"purchase_uom"`
	Rate       *Number    `json:"purchase_uom_conversion_rate"`
	Arrival    *time.Time `json:"arrival_date"`
	ReceivedAt *time.Time `json:"received_date"`
	Order      int64      `json:"purchase_order_id"`
	Group      int64      `json:"group_id"`
	LandedCost string     `json:"landed_cost"`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
	DeletedAt  *time.Time `json:"deleted_at"`
}

// Supplier is a supplier that orders refer to.
type Supplier struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Currency string `json:"currency"`
}

// Variant is an article that rows refer to.
type Variant struct {
	ID   int64  `json:"id"`
	SKU  string `json:"sku"`
	Name string `json:"name"`
}

// Location is a warehouse that orders refer to.
type Location struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Stock is what a server begins with. Ids are given by the server.
type Stock struct {
	Suppliers []Supplier `json:"suppliers"`
	Variants  []Variant  `json:"variants"`
	Locations []Location `json:"locations"`
}

func (s *Server) fill(stock Stock) {
	for _, x := range stock.Suppliers {
		x.ID = s.id()
		s.suppliers = append(s.suppliers, x)
	}
	for _, x := range stock.Variants {
		x.ID = s.id()
		s.variants = append(s.variants, x)
	}
	for _, x := range stock.Locations {
		x.ID = s.id()
		s.locations = append(s.locations, x)
	}
}

func (s *Server) id() int64 {
	s.nextID++
	return s.nextID
}

// tick returns the time of a change. Two changes never have the same.
func (s *Server) tick() time.Time {
	now := s.options.Now().UTC().Truncate(time.Millisecond)
	if !now.After(s.clock) {
		now = s.clock.Add(time.Millisecond)
	}
	s.clock = now
	return now
}

// find returns an order that is not deleted.
func (s *Server) find(text string) (*Order, error) {
	for _, o := range s.orders {
		if strconv.FormatInt(o.ID, 10) == text && o.DeletedAt == nil {
			return o, nil
		}
	}
	return nil, notFound()
}

// findRow returns a row that is not deleted.
func (s *Server) findRow(id int64) (*Order, *Row, error) {
	for _, o := range s.orders {
		for _, row := range o.live() {
			if row.ID == id && o.DeletedAt == nil {
				return o, row, nil
			}
		}
	}
	return nil, nil, notFound()
}

// live returns the rows that are not deleted.
func (o *Order) live() []*Row {
	return slices.DeleteFunc(slices.Clone(o.Rows), func(r *Row) bool { return r.DeletedAt != nil })
}

// shown returns a copy of the order as it is answered, without deleted rows.
func (o *Order) shown() Order {
	shown := *o
	shown.Rows = []*Row{}
	for _, row := range o.live() {
		cell := *row
		shown.Rows = append(shown.Rows, &cell)
		shown.Total = Number{shown.Total.Add(row.Quantity.Mul(row.Price.Decimal))}
	}
	return shown
}

// settle computes the order's status from its rows, and notes the change.
func (s *Server) settle(o *Order, action string) {
	arrived, open := 0, 0
	for _, row := range o.live() {
		if row.ReceivedAt != nil {
			arrived++
		} else {
			open++
		}
	}
	switch {
	case arrived > 0 && open > 0:
		o.Status = partiallyReceived
	case arrived > 0:
		o.Status = received
	case o.Status != draft:
		o.Status = notReceived
	}
	o.UpdatedAt = s.tick()
	s.tell(o, action)
}

// book receives a quantity of a row. A part shrinks the row to the rest and becomes a new row of the same
// group.
func (s *Server) book(o *Order, row *Row, quantity decimal.Decimal, at time.Time) {
	now := s.tick()
	row.UpdatedAt = now
	if quantity.Equal(row.Quantity.Decimal) {
		row.ReceivedAt = &at
		return
	}
	part := *row
	part.ID, part.Quantity, part.ReceivedAt, part.CreatedAt = s.id(), Number{quantity}, &at, now
	row.Quantity = Number{row.Quantity.Sub(quantity)}
	o.Rows = append(o.Rows, &part)
}

func (s *Server) listSuppliers(r *http.Request, header http.Header) (any, error) {
	return page(r, header, s.suppliers), nil
}

func (s *Server) listLocations(r *http.Request, header http.Header) (any, error) {
	return page(r, header, s.locations), nil
}

func (s *Server) listVariants(r *http.Request, header http.Header) (any, error) {
	skus := r.URL.Query()["sku"]
	found := s.variants
	if len(skus) > 0 {
		found = slices.DeleteFunc(slices.Clone(found), func(v Variant) bool { return !slices.Contains(skus, v.SKU) })
	}
	return page(r, header, found), nil
}

func (s *Server) getVariant(r *http.Request, _ http.Header) (any, error) {
	at := slices.IndexFunc(s.variants, func(v Variant) bool { return strconv.FormatInt(v.ID, 10) == r.PathValue("id") })
	if at < 0 {
		return nil, notFound()
	}
	return s.variants[at], nil
}
