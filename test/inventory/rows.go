package inventory

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

func (s *Server) listRows(r *http.Request, header http.Header) (any, error) {
	found := []Row{}
	for _, o := range s.orders {
		for _, row := range o.Rows {
			gone := o.DeletedAt != nil || row.DeletedAt != nil
			if (!gone || r.URL.Query().Get("include_deleted") == "true") &&
				fits(r.URL.Query().Get("purchase_order_id"), strconv.FormatInt(o.ID, 10)) &&
				fits(r.URL.Query().Get("variant_id"), strconv.FormatInt(row.Variant, 10)) &&
				fits(r.URL.Query().Get("group_id"), strconv.FormatInt(row.Group, 10)) {
				found = append(found, *row)
			}
		}
	}
	return page(r, header, found), nil
}

func (s *Server) rowOf(r *http.Request) (*Order, *Row, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, nil, notFound()
	}
	return s.findRow(id)
}

func (s *Server) getRow(r *http.Request, _ http.Header) (any, error) {
	_, row, err := s.rowOf(r)
	if err != nil {
		return nil, err
	}
	return *row, nil
}

func (s *Server) createRow(r *http.Request, _ http.Header) (any, error) {
	var body struct {
		newRow
		Order int64 `json:"purchase_order_id"`
		Group int64 `json:"group_id"`
	}
	if err := read(r, &body); err != nil {
		return nil, err
	}
	o, err := s.find(strconv.FormatInt(body.Order, 10))
	switch {
	case err != nil:
		return nil, invalid(".purchase_order_id", "reference", "purchase order does not exist")
	case o.Status == received:
		return nil, invalid(".purchase_order_id", "status", "rows cannot be added when status is RECEIVED")
	}
	if err := s.check("", body.newRow); err != nil {
		return nil, err
	}
	row := s.add(o, body.newRow, body.Group)
	s.settle(o, "updated")
	return *row, nil
}

// changeRow changes a row. Nothing but its receiving date can be changed once it has arrived.
func (s *Server) changeRow(r *http.Request, _ http.Header) (any, error) {
	o, row, err := s.rowOf(r)
	if err != nil {
		return nil, err
	}
	var body struct {
		newRow
		Group      int64      `json:"group_id"`
		ReceivedAt *time.Time `json:"received_date"`
	}
	if err := read(r, &body); err != nil {
		return nil, err
	}
	if row.ReceivedAt == nil && body.ReceivedAt != nil {
		return nil, invalid(".received_date", "status", "updatable only when received_date is not null")
	}
	given := body.newRow
	if row.ReceivedAt != nil && given != (newRow{}) {
		return nil, invalid(".quantity", "status", "updatable only when received_date is null")
	}
	if err := s.check("", filled(given, *row)); err != nil {
		return nil, err
	}
	row.apply(given)
	if body.ReceivedAt != nil {
		row.ReceivedAt = body.ReceivedAt
	}
	if body.Group != 0 {
		row.Group = body.Group
	}
	row.UpdatedAt = s.tick()
	s.settle(o, "updated")
	return *row, nil
}

// filled returns what a row would be, to check it.
func filled(given newRow, row Row) newRow {
	if given.Quantity == nil {
		given.Quantity = &row.Quantity.Decimal
	}
	if given.Price == nil {
		given.Price = &row.Price.Decimal
	}
	if given.Variant == 0 {
		given.Variant = row.Variant
	}
	return given
}

func (row *Row) apply(given newRow) {
	if given.Quantity != nil {
		row.Quantity = Number{*given.Quantity}
	}
	if given.Price != nil {
		row.Price = Number{*given.Price}
	}
	if given.Variant != 0 {
		row.Variant = given.Variant
	}
	if given.Arrival != nil {
		row.Arrival = given.Arrival
	}
	if given.Unit != nil {
		row.Unit = given.Unit
	}
	if given.Rate != nil {
		row.Rate = &Number{*given.Rate}
	}
}

// deleteRow deletes a row that has not arrived. An order keeps at least one.
func (s *Server) deleteRow(r *http.Request, _ http.Header) (any, error) {
	o, row, err := s.rowOf(r)
	switch {
	case err != nil:
		return nil, err
	case row.ReceivedAt != nil:
		return nil, invalid(".id", "status", "deletable only when received_date is null")
	case len(o.live()) == 1:
		return nil, invalid(".id", "minItems", "the last row is deleted with its order")
	}
	now := s.tick()
	row.DeletedAt, row.UpdatedAt = &now, now
	s.settle(o, "updated")
	return nil, nil
}

type arrival struct {
	Row      int64            `json:"purchase_order_row_id"`
	Quantity *decimal.Decimal `json:"quantity"`
	At       *time.Time       `json:"received_date"`
}

// receive books one arrival or a list of them, all or none.
func (s *Server) receive(r *http.Request, _ http.Header) (any, error) {
	text, err := io.ReadAll(io.LimitReader(r.Body, bodyLimit))
	if err != nil {
		return nil, err
	}
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] != '[' {
		text = append(append([]byte{'['}, text...), ']')
	}
	var body []arrival
	r.Body = io.NopCloser(bytes.NewReader(text))
	if err := read(r, &body); err != nil {
		return nil, err
	}
	wanted := map[int64]decimal.Decimal{}
	for i, a := range body {
		path := "[" + strconv.Itoa(i) + "]"
		o, row, err := s.findRow(a.Row)
		switch {
		case err != nil || row.ReceivedAt != nil:
			return nil, invalid(path+".purchase_order_row_id", "reference", "no open row has this id")
		case o.Status == draft:
			return nil, invalid(path+".purchase_order_row_id", "status", "a draft cannot be received")
		case a.Quantity == nil || !a.Quantity.IsPositive():
			return nil, invalid(path+".quantity", "minimum", "should be > 0")
		}
		if wanted[a.Row] = wanted[a.Row].Add(*a.Quantity); wanted[a.Row].GreaterThan(row.Quantity.Decimal) {
			return nil, invalid(path+".quantity", "maximum", "should not be more than is open")
		}
	}
	for _, a := range body {
		o, row, err := s.findRow(a.Row)
		if err != nil {
			return nil, err
		}
		at := s.tick()
		if a.At != nil {
			at = *a.At
		}
		s.book(o, row, *a.Quantity, at)
		action := "partially_received"
		s.settle(o, action)
		if o.Status == received {
			s.tell(o, "received")
		}
	}
	return nil, nil
}
