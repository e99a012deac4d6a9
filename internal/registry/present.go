package registry

import (
	"slices"

	"github.com/google/uuid"
)

// DefaultView is how a table is shown unless somebody chooses otherwise: the columns, how many
// of them stay in sight, and the order. An index always has this order: ids grow with the
// creation time.
type DefaultView struct {
	Columns  []string
	Frozen   int // this many of the first columns identify the record
	SortBy   string
	SortDesc bool

	// Label and Code are columns; the first that has a value names the record where others
	// refer to it.
	Label, Code []string
}

// builtInViews holds the views of the built-in tables, by slug.
var builtInViews = map[string]DefaultView{
	"orders": {
		Columns: []string{"order_number", "customer_id", "status", "total", "currency", "ordered_at", "financial_status",
			"fulfillment_status", "channel", "country", "updated_at"},
		Frozen: 1, Label: []string{"order_number", "external_id"},
	},
	"order_line_items": {
		Columns: []string{"name", "sku", "order_id", "product_id", "quantity", "returned_quantity", "unit_price",
			"discount_amount", "currency", "updated_at"},
		Frozen: 2, Label: []string{"name"}, Code: []string{"sku", "external_id"},
	},
	"customers": {
		Columns: []string{"name", "email", "company", "city", "country", "phone", "accepts_marketing", "tags", "updated_at"},
		Frozen:  1, Label: []string{"name", "company", "email", "external_id"},
	},
	"products": {
		Columns: []string{"name", "sku", "variant_name", "stock_available", "stock_on_hand", "supplier_id", "price",
			"currency", "unit_cost", "family", "status", "lead_time_days", "updated_at"},
		Frozen: 2, Label: []string{"name"}, Code: []string{"sku", "external_id"},
	},
	"suppliers": {
		Columns: []string{"name", "external_id", "email", "contact_name", "phone", "currency", "lead_time_days",
			"min_order_value", "country", "active", "updated_at"},
		Frozen: 1, Label: []string{"name"}, Code: []string{"external_id"},
	},
	"purchase_order_lines": {
		Columns: []string{"product_name", "sku", "order_no", "supplier_id", "status", "quantity_ordered", "quantity_received",
			"expected_arrival_date", "price_per_unit", "currency", "ordered_at", "updated_at"},
		Frozen: 2, Label: []string{"product_name", "sku"}, Code: []string{"order_no"},
	},
	"meeting_notes": {
		Columns: []string{"title", "started_at", "customer_id", "supplier_id", "summary", "action_items", "attendees",
			"duration_minutes", "source", "updated_at"},
		Frozen: 1, Label: []string{"title"},
	},
}

// shownAtFirst is how many columns of a company's own table are shown by default.
const shownAtFirst = 10

// DefaultView returns the table's default view. For a company's own table it shows the first
// text column and the key, then the next columns.
func (t *Table) DefaultView() DefaultView {
	view, known := builtInViews[t.Slug]
	if !known || t.Owner != uuid.Nil {
		view = t.derivedView()
	} else {
		view.Columns = t.withCustom(view.Columns)
	}
	view.SortBy, view.SortDesc = "id", true
	return view
}

// customAtFirst is how many of the columns that a company has added to a built-in table are shown by default.
const customAtFirst = 6

// withCustom returns the shown columns with the first added ones, before the last one, which is updated_at.
func (t *Table) withCustom(shown []string) []string {
	var added []string
	for i := range t.Columns {
		if t.Columns[i].Custom && len(added) < customAtFirst {
			added = append(added, t.Columns[i].Name)
		}
	}
	last := len(shown) - 1
	return slices.Concat(shown[:last], added, shown[last:])
}

func (t *Table) derivedView() DefaultView {
	view := DefaultView{Code: []string{t.ConflictColumn}}
	named := func(c Column) bool {
		return c.Type == Text && c.Reference == nil && c.Choices == nil && c.Name != t.ConflictColumn
	}
	if i := slices.IndexFunc(t.Columns, named); i >= 0 {
		view.Label = []string{t.Columns[i].Name}
		view.Columns = append(view.Columns, t.Columns[i].Name)
	}
	view.Label = append(view.Label, t.ConflictColumn)
	view.Columns = append(view.Columns, t.ConflictColumn)
	view.Frozen = len(view.Columns)
	for i := range t.Columns {
		if name := t.Columns[i].Name; len(view.Columns) < shownAtFirst && !slices.Contains(view.Columns, name) {
			view.Columns = append(view.Columns, name)
		}
	}
	view.Columns = append(view.Columns, "updated_at")
	return view
}
