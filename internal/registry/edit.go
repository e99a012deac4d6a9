package registry

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// purchased are the columns of a purchase order line that money, approval and receipts
// hang on. External systems send them as they are; people change them by purchasing's
// own steps, which ask who may and keep account.
var purchased = []string{
	"order_no", "sku", "product_id", "supplier_id", "status", "quantity_ordered", "quantity_received", "price_per_unit",
	"currency",
}

// Locked says why people may not edit a column in place, or is empty.
func (t *Table) Locked(column *Column) string {
	kept := t.Kept(column)
	switch {
	case t.Identifies(column), column.Name == t.ConflictColumn:
		return fmt.Sprintf("%s identifies the record and cannot be changed; send a new record instead", column.Name)
	case kept == "" && t.purchasing() && slices.Contains(purchased, column.Name):
		return fmt.Sprintf("%s of a purchase order line cannot be edited in the table: it changes by submitting, approving, receiving or cancelling the line", column.Name)
	}
	return kept
}

// Kept says why people may not fill in a column of a record that they make, or is empty.
func (t *Table) Kept(column *Column) string {
	switch {
	case column.Kind == "trigger":
		return fmt.Sprintf("%s is filled in from other records and cannot be edited", column.Name)
	case column.Kind != "writable" || !column.Accepted:
		return fmt.Sprintf("%s is kept by the service and cannot be edited", column.Name)
	}
	return ""
}

// Closed says why people may not make records in the table, or is empty.
func (t *Table) Closed() string {
	if t.purchasing() {
		return "purchase order lines are not made in the table: draft them in purchasing, which gives them a number and asks who may"
	}
	return ""
}

func (t *Table) purchasing() bool { return t.Owner == uuid.Nil && t.Slug == "purchase_order_lines" }
