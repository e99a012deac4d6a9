package registry

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// purchased are the columns of a purchase order line that affect money, approval or receipts.
// External systems may write them; people change them through purchasing, which checks
// permissions and records the change.
var purchased = []string{
	"order_no", "sku", "product_id", "supplier_id", "status", "quantity_ordered", "quantity_received", "price_per_unit",
	"currency",
}

// Locked returns why people may not edit a column in place, or nothing if they may.
func (t *Table) Locked(column *Column) string {
	kept := t.Kept(column)
	switch {
	case t.Identifies(column), column.Name == t.ConflictColumn:
		return fmt.Sprintf("%s identifies the record and cannot be changed; send a new record instead", column.Name)
	case kept == "" && t.purchasing() && slices.Contains(purchased, column.Name):
		return fmt.Sprintf("%s of a purchase order line cannot be edited in the table; "+
			"submit, approve, receive or cancel the line in purchasing", column.Name)
	}
	return kept
}

// Kept returns why people may not fill in a column of a new record, or nothing if they may.
func (t *Table) Kept(column *Column) string {
	switch {
	case column.Kind == "trigger":
		return fmt.Sprintf("%s is filled in from other records and cannot be edited", column.Name)
	case column.Kind != "writable" || !column.Accepted && !t.ForPeople(column):
		return fmt.Sprintf("%s is kept by the service and cannot be edited", column.Name)
	}
	return ""
}

// ForPeople reports whether only people fill in the column: a company has said so of a column of its own.
func (t *Table) ForPeople(column *Column) bool {
	return (t.Owner != uuid.Nil || column.Custom) && column.Kind == "writable" && !column.Accepted
}

// Closed returns why people may not create records in the table, or nothing if they may.
func (t *Table) Closed() string {
	if t.purchasing() {
		return "purchase order lines cannot be created in the table; draft them in purchasing"
	}
	return ""
}

func (t *Table) purchasing() bool { return t.Owner == uuid.Nil && t.Slug == "purchase_order_lines" }
