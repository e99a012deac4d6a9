package inventory

import (
	"net/http"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// This file is what somebody who works in the inventory system would do. Tests call the methods; people
// use the same through /control.

// All returns all orders, deleted ones included, oldest first.
func (s *Server) All() (all []Order) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all()
}

func (s *Server) all() []Order {
	all := []Order{}
	for _, o := range s.orders {
		all = append(all, o.shown())
	}
	return all
}

// Taken returns how many writes were carried out.
func (s *Server) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// line returns an order that is not deleted, and the open rows of one of its articles.
func (s *Server) line(number, sku string) (*Order, []*Row, error) {
	at := slices.IndexFunc(s.orders, func(o *Order) bool { return o.Number == number && o.DeletedAt == nil })
	variant := slices.IndexFunc(s.variants, func(v Variant) bool { return v.SKU == sku })
	if at < 0 || variant < 0 {
		return nil, nil, notFound()
	}
	o := s.orders[at]
	open := slices.DeleteFunc(o.live(),
		func(r *Row) bool { return r.Variant != s.variants[variant].ID || r.ReceivedAt != nil })
	if len(open) == 0 {
		return nil, nil, notFound()
	}
	return o, open, nil
}

// edit changes the open rows of an article.
func (s *Server) edit(number, sku string, change func(*Order, []*Row) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, open, err := s.line(number, sku)
	if err != nil {
		return err
	}
	if err := change(o, open); err != nil {
		return err
	}
	s.settle(o, "updated")
	return nil
}

// Receive books that a quantity of an article arrived.
func (s *Server) Receive(number, sku string, quantity decimal.Decimal, at time.Time) error {
	return s.edit(number, sku, func(o *Order, open []*Row) error {
		if o.Status == draft || quantity.GreaterThan(open[0].Quantity.Decimal) || !quantity.IsPositive() {
			return invalid(".quantity", "maximum", "should not be more than is open")
		}
		s.book(o, open[0], quantity, at)
		return nil
	})
}

// SetArrival moves the day on which an article is expected.
func (s *Server) SetArrival(number, sku string, day time.Time) error {
	return s.edit(number, sku, func(_ *Order, open []*Row) error {
		for _, row := range open {
			row.Arrival = &day
		}
		return nil
	})
}

// SetPrice changes the price of what is open of an article.
func (s *Server) SetPrice(number, sku string, price decimal.Decimal) error {
	return s.edit(number, sku, func(_ *Order, open []*Row) error {
		for _, row := range open {
			row.Price = Number{price}
		}
		return nil
	})
}

// SetQuantity changes what is open of an article.
func (s *Server) SetQuantity(number, sku string, quantity decimal.Decimal) error {
	return s.edit(number, sku, func(_ *Order, open []*Row) error {
		if !quantity.IsPositive() {
			return invalid(".quantity", "minimum", "should be > 0")
		}
		open[0].Quantity = Number{quantity}
		return nil
	})
}

// Drop deletes what is open of an article. The last row of an order stays.
func (s *Server) Drop(number, sku string) error {
	return s.edit(number, sku, func(o *Order, open []*Row) error {
		if len(open) == len(o.live()) {
			return invalid(".id", "minItems", "the last row is deleted with its order")
		}
		now := s.tick()
		for _, row := range open {
			row.DeletedAt, row.UpdatedAt = &now, now
		}
		return nil
	})
}

// SetUnit makes somebody order an article by the box: a row's quantity and price are then per box of so
// many.
func (s *Server) SetUnit(number, sku, unit string, rate, quantity, price decimal.Decimal) error {
	return s.edit(number, sku, func(_ *Order, open []*Row) error {
		open[0].Unit, open[0].Rate = &unit, &Number{rate}
		open[0].Quantity, open[0].Price = Number{quantity}, Number{price}
		return nil
	})
}

// SetStatus changes an order's status, such as ordering a draft.
func (s *Server) SetStatus(number, status string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.orders, func(o *Order) bool { return o.Number == number && o.DeletedAt == nil })
	if at < 0 {
		return notFound()
	}
	if err := s.changeStatus(s.orders[at], status); err != nil {
		return err
	}
	s.settle(s.orders[at], "updated")
	return nil
}

// Remove deletes an order.
func (s *Server) Remove(number string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.orders, func(o *Order) bool { return o.Number == number && o.DeletedAt == nil })
	if at < 0 {
		return notFound()
	}
	s.remove(s.orders[at])
	return nil
}

// errand is the body of a call to /control.
type errand struct {
	Number   string          `json:"order_no"`
	SKU      string          `json:"sku"`
	Quantity decimal.Decimal `json:"quantity"`
	Price    decimal.Decimal `json:"price"`
	Day      string          `json:"day"`
	Status   string          `json:"status"`
	Route    string          `json:"route"`
	Fault    Fault           `json:"fault"`
}

// control adds the routes for people.
func (s *Server) control() {
	s.routes.HandleFunc("GET /control/orders", s.answer(func(*http.Request, http.Header) (any, error) {
		return s.all(), nil
	}))
	for path, do := range map[string]func(errand) error{
		"receive":  func(e errand) error { return s.Receive(e.Number, e.SKU, e.Quantity, s.options.Now()) },
		"quantity": func(e errand) error { return s.SetQuantity(e.Number, e.SKU, e.Quantity) },
		"drop":     func(e errand) error { return s.Drop(e.Number, e.SKU) },
		"price":    func(e errand) error { return s.SetPrice(e.Number, e.SKU, e.Price) },
		"status":   func(e errand) error { return s.SetStatus(e.Number, e.Status) },
		"delete":   func(e errand) error { return s.Remove(e.Number) },
		"arrival": func(e errand) error {
			day, err := time.Parse("2006-01-02", e.Day)
			if err != nil {
				return invalid(".day", "format", "should be a day such as 2026-12-31")
			}
			return s.SetArrival(e.Number, e.SKU, day)
		},
		"fault": func(e errand) error {
			if !slices.Contains([]Fault{CutBefore, CutAfter, Broken, BrokenAfter, Slow}, e.Fault) {
				return invalid(".fault", "enum", "should be cut_before, cut_after, broken, broken_after or slow")
			}
			s.Fail(e.Route, e.Fault)
			return nil
		},
	} {
		s.routes.HandleFunc("POST /control/"+path, func(w http.ResponseWriter, r *http.Request) {
			var e errand
			err := read(r, &e)
			if err == nil {
				err = do(e)
			}
			s.answer(func(*http.Request, http.Header) (any, error) { return nil, err })(w, r)
		})
	}
}
