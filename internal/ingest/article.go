package ingest

import (
	"cmp"
	"fmt"

	"github.com/quayside/quayside/internal/registry"
)

// This file builds the expressions that warn of records of built-in tables. They read what the statement looks up anyway.
// They look up more only for a record that may deserve a warning: a line that names no article by product_id, a product_id
// whose article has another SKU, a new product.

// skuField is the column of an article's code, in every built-in table that has one.
const skuField = "sku"

// comparesSKU reports whether a record names an article twice: by this reference and by its SKU, which the table's snapshot
// does not compare.
func (b *builder) comparesSKU(column *registry.Column) bool {
	if b.table.Snapshot != nil || column.Reference.Slug != productsSlug || inDocument(b.table, column) {
		return false
	}
	for _, other := range b.columns {
		if other.Name == skuField && !inDocument(b.table, other) {
			return true
		}
	}
	return false
}

const productsSlug = "products"

// warn adds the warnings of the table. The values are the expressions of the sent columns, by their names.
func (b *builder) warn(values map[string]string) {
	switch b.table.Slug {
	case productsSlug:
		b.warnOfTwin(values)
	case "order_line_items":
		b.warnOfItem(values)
	case "purchase_order_lines":
		if values[skuField] != "" || values["product_id"] != "" {
			b.warned = append(b.warned, "n.sku_warning")
		}
		b.warnOfStatus(values)
	}
}

// warnings returns the expression for the codes of a record's warnings, separated by spaces.
func (b *builder) warnings() string {
	if len(b.warned) == 0 {
		return "''::text"
	}
	return "concat_ws(' '" + prefixed(b.warned) + ")"
}

// warnOfTwin warns if a product that is new, or gets another SKU, has the SKU of a product and one of the two has no
// external_id. Only one row without an external_id can have a SKU; it is found by its key, however many rows have that SKU.
func (b *builder) warnOfTwin(values map[string]string) {
	sku := values[skuField]
	if sku == "" {
		return
	}
	twin := fmt.Sprintf("o.sku = %s AND o.external_id IS NOT NULL", sku)
	if values["external_id"] != "" {
		twin = fmt.Sprintf("o.identity_key = %s AND o.external_id IS NULL", sku)
	}
	b.warned = append(b.warned, fmt.Sprintf(`CASE WHEN s.sku IS DISTINCT FROM %s THEN (
            SELECT %s FROM workspace.products o WHERE o.tenant_id = i.tenant_id AND o.workspace_id = i.workspace_id AND %s LIMIT 1) END`,
		sku, literal(WarnTwin), twin))
}

// warnOfItem warns of the SKU of an order line. Lines are matched with articles by product_id, else by
// variant_external_id, else by the SKU if exactly one article that is not archived has it (see RefreshLines).
func (b *builder) warnOfItem(values map[string]string) {
	sku := values[skuField]
	if sku == "" {
		return
	}
	// Not EXISTS: its plan may read the whole table.
	const article = "SELECT true FROM workspace.products o WHERE o.tenant_id = i.tenant_id AND o.workspace_id = i.workspace_id AND "
	matched := fmt.Sprintf(`CASE (SELECT count(*) FROM (%so.sku = %s AND o.status IS DISTINCT FROM 'archived' LIMIT 2) o)
                WHEN 0 THEN %s WHEN 2 THEN %s END`, article, sku, literal(WarnUnknownSKU), literal(WarnAmbiguousSKU))
	matched = fmt.Sprintf(`CASE WHEN %[2]s IS NOT NULL AND (%[1]so.identity_key = %[2]s AND o.external_id IS NOT NULL LIMIT 1)
                THEN NULL ELSE %[3]s END`,
		article, cmp.Or(values["variant_external_id"], "s.variant_external_id"), matched)
	named := "s.product_id"
	differs := "NULL" // a stored article is not compared with a SKU that comes later
	if id := values["product_id"]; id != "" {
		named = id
		differs = fmt.Sprintf(`CASE WHEN %[1]s.sku = %[2]s THEN NULL WHEN (%[3]so.sku = %[2]s LIMIT 1) THEN %[4]s ELSE %[5]s END`,
			id[:len(id)-len(".id")], sku, article, literal(WarnMismatch), literal(WarnUnknownSKU))
	}
	b.warned = append(b.warned, fmt.Sprintf(`CASE WHEN %s IS NULL THEN NULL WHEN %s IS NOT NULL THEN %s ELSE %s END`,
		sku, named, differs, matched))
}

// warnOfStatus warns of a purchase order line that is sent as received although nothing has arrived.
func (b *builder) warnOfStatus(values map[string]string) {
	status, received := values["status"], values["quantity_received"]
	if status == "" {
		return
	}
	if received == "" {
		received = "coalesce(s.quantity_received, 0)"
	}
	b.warned = append(b.warned, fmt.Sprintf("CASE WHEN %s = 'received' AND %s = 0 THEN %s END", status, received,
		literal(WarnNotReceived)))
}
