package katana

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
)

// number is a decimal that is written as a JSON number. It reads numbers and strings, both of which
// Katana sends, and refuses those that would be expensive to compute with.
type number struct{ decimal.Decimal }

var errNumber = errors.New("not a number of at most 38 digits")

func (n *number) UnmarshalJSON(text []byte) (err error) {
	if len(text) > 64 {
		return errNumber
	}
	if n.Decimal, err = decimal.NewFromString(strings.Trim(string(text), `"`)); err != nil {
		return errNumber
	}
	if n.Exponent() > 30 || n.Exponent() < -30 || n.NumDigits() > 38 {
		return errNumber
	}
	return nil
}

func (n number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// id is a number there and text here.
type id int64

func (i id) String() string { return strconv.FormatInt(int64(i), 10) }

func toID(field, text string) (id, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return 0, inventory.Refused(field+" has no id there", []fault.Field{{Field: field, Code: "id",
			Message: strconv.Quote(fault.Shorten(text)) + " is not an id of Katana"}})
	}
	return id(n), nil
}

// order is a purchase order as Katana sends it. Unknown fields are ignored.
type order struct {
	ID        id              `json:"id"`
	Status    inventory.State `json:"status"`
	Number    string          `json:"order_no"`
	Supplier  id              `json:"supplier_id"`
	Currency  string          `json:"currency"`
	Location  id              `json:"location_id"`
	Info      string          `json:"additional_info"`
	Expected  *time.Time      `json:"expected_arrival_date"`
	UpdatedAt time.Time       `json:"updated_at"`
	DeletedAt *time.Time      `json:"deleted_at"`
	Rows      []row           `json:"purchase_order_rows"`
}

type row struct {
	ID        id         `json:"id"`
	Quantity  number     `json:"quantity"`
	Variant   id         `json:"variant_id"`
	Price     *number    `json:"price_per_unit"`
	Rate      *number    `json:"purchase_uom_conversion_rate"`
	Arrival   *time.Time `json:"arrival_date"`
	Received  *time.Time `json:"received_date"`
	Group     id         `json:"group_id"`
	UpdatedAt time.Time  `json:"updated_at"`
	DeletedAt *time.Time `json:"deleted_at"`
}

// neutral returns the order in our words and units.
func (o order) neutral() (inventory.Order, error) {
	if !slices.Contains(
		[]inventory.State{inventory.Draft, inventory.NotReceived, inventory.PartiallyReceived, inventory.Received}, o.Status) {
		return inventory.Order{}, inventory.BadAnswer("order %s has the unknown status %q", o.ID,
			fault.Shorten(string(o.Status)))
	}
	result := inventory.Order{
		ID: o.ID.String(), Number: o.Number, Reference: referenceIn(o.Info), State: o.Status,
		Supplier: o.Supplier.String(), Location: o.Location.String(), Currency: o.Currency, UpdatedAt: o.UpdatedAt,
		Deleted: o.DeletedAt != nil,
	}
	for _, r := range o.Rows {
		if r.UpdatedAt.After(result.UpdatedAt) {
			result.UpdatedAt = r.UpdatedAt
		}
		neutral := inventory.Row{
			ID: r.ID.String(), Variant: r.Variant.String(), Group: r.Group.String(), Quantity: r.Quantity.Mul(r.rate()),
			Expected: date(r.Arrival), Received: r.Received, Deleted: r.DeletedAt != nil,
		}
		if neutral.Expected == nil {
			neutral.Expected = date(o.Expected)
		}
		if r.Price != nil {
			price := r.Price.DivRound(r.rate(), readPlaces)
			neutral.Price = &price
		}
		result.Rows = append(result.Rows, neutral)
	}
	return result, nil
}

// A price that does not divide evenly is rounded when it is read, and rounded to fewer places when it is
// written, so that it is the same again for every conversion rate below a million.
const (
	readPlaces  = 16
	writePlaces = 10
)

// rate is how many units of ours are in one purchase unit.
func (r row) rate() decimal.Decimal {
	if r.Rate == nil || !r.Rate.IsPositive() {
		return decimal.NewFromInt(1)
	}
	return r.Rate.Decimal
}

// purchaseUnits converts a quantity. It refuses one that cannot be written exactly.
func (r row) purchaseUnits(quantity decimal.Decimal) (number, error) {
	units := quantity.DivRound(r.rate(), writePlaces)
	if !units.Mul(r.rate()).Equal(quantity) {
		return number{}, inventory.Refused("the quantity does not fit the purchase unit", []fault.Field{{
			Field: string(inventory.FieldQuantity), Code: "purchase_unit",
			Message: quantity.String() + " cannot be divided into purchase units of " + r.rate().String()}})
	}
	return number{units}, nil
}

// purchasePrice converts a price.
func (r row) purchasePrice(price decimal.Decimal) number {
	return number{price.Mul(r.rate()).Round(writePlaces)}
}

// date returns the day of a moment.
func date(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	day := at.UTC().Truncate(24 * time.Hour)
	return &day
}

const timeForm = "2006-01-02T15:04:05.000Z"

func written(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(timeForm)
}

// Our reference is a line of its own in additional_info, below what people wrote there.
const marker = "Quayside reference: "

var marked = regexp.MustCompile(`(?m)^` + marker + `(\S+)\s*$`)

func referenceIn(info string) string {
	if found := marked.FindStringSubmatch(info); found != nil {
		return found[1]
	}
	return ""
}

// withReference returns the text with our reference in it, and everything else unchanged.
func withReference(info, reference string) string {
	switch {
	case reference == "" || referenceIn(info) == reference:
		return info
	case referenceIn(info) != "":
		return marked.ReplaceAllLiteralString(info, marker+reference)
	case strings.TrimSpace(info) == "":
		return marker + reference
	}
	return strings.TrimRight(info, "\n") + "\n" + marker + reference
}

// failure is the body of an error.
type failure struct {
	Message string `json:"message"`
	Details []struct {
		Path    string          `json:"path"`
		Code    string          `json:"code"`
		Message string          `json:"message"`
		Info    json.RawMessage `json:"info"`
	} `json:"details"`
}

// mostDetails bounds what is kept of a refusal.
const mostDetails = 50

func (f failure) fields() (fields []fault.Field) {
	for _, d := range f.Details[:min(len(f.Details), mostDetails)] {
		fields = append(fields, fault.Field{Field: fault.Shorten(strings.TrimLeft(d.Path, "./")),
			Code: fault.Shorten(d.Code), Message: fault.Shorten(d.Message)})
	}
	return fields
}
