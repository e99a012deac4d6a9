package registry

import (
	"slices"

	"github.com/google/uuid"
)

// DefaultView is how a table is shown where nobody chose: which columns, the first of them
// kept in sight, and in which order. The order is always one that an index has at any size:
// ids rise with the time at which records were made.
type DefaultView struct {
	Columns  []string
	Frozen   int // that many of the first columns say which record it is
	SortBy   string
	SortDesc bool

	// Label and Code are the columns whose first value names a record where others refer to it.
	Label, Code []string
}

// builtInViews are those of the built-in tables, by slug.
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

// shownAtFirst is how many columns of a company's own table are shown.
const shownAtFirst = 10

// DefaultView returns the table's: of one that a company added, its first text and its key,
// then what else comes first.
func (t *Table) DefaultView() DefaultView {
	view, known := builtInViews[t.Slug]
	if !known || t.Owner != uuid.Nil {
		view = t.derivedView()
	}
	view.SortBy, view.SortDesc = "id", true
	return view
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
