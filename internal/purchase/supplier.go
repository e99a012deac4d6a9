package purchase

import (
	"context"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// supplierRef is the supplier of a line: by id, or by name alone.
type supplierRef struct{ id, name string }

// supplierRef cuts the name to the length that an order's sums store.
func (r row) supplierRef() supplierRef {
	name := []rune(deref(r.SupplierName))
	return supplierRef{deref(r.SupplierID), string(name[:min(len(name), 120)])}
}

func (s supplierRef) known() bool { return s.id != "" || s.name != "" }

// differs reports whether these are known to be two suppliers. An id without its name may be the
// supplier of a name without its id.
func (s supplierRef) differs(t supplierRef) bool {
	if s.id != "" && t.id != "" {
		return s.id != t.id
	}
	return s.name != "" && t.name != "" && s.name != t.name
}

// oneSupplier refuses a line whose supplier is not the one of its order: an order goes to one
// supplier, who must not see another's prices. Orders in which external systems mixed
// suppliers stay as they are; a line may join them from any supplier that they have.
func (c *change) oneSupplier(ctx context.Context, before, after row) error {
	joins := before.ID == "" || before.OrderNo != after.OrderNo
	wanted := after.supplierRef()
	if !wanted.known() || after.Status == string(Cancelled) || !joins && !before.supplierRef().differs(wanted) {
		return nil
	}
	found, err := c.queries.SupplierSums(ctx,
		q.SupplierSumsParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, OrderNo: after.OrderNo})
	if err != nil {
		return err
	}
	var same, others []string
	for _, one := range found {
		there := supplierRef{one.SupplierID, one.SupplierName}
		switch {
		case there.differs(wanted):
			others = append(others, or(there.name, there.id))
		case one.Lines > 1 || there != wanted: // the line itself does not count
			same = append(same, there.name)
		}
	}
	if len(others) == 0 || joins && len(same) > 0 {
		return nil
	}
	return fault.New(fault.Conflict, "other_supplier",
		"the order %s is from %s; what comes from %s needs an order of its own", after.OrderNo, others[0],
		or(wanted.name, wanted.id))
}

// orderFor returns the new order for a line that names none: one for each supplier.
func (c *change) orderFor(ctx context.Context, r row, made map[string]string) (string, error) {
	supplier, err := c.queries.SupplierNameOf(ctx, q.SupplierNameOfParams{
		TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, Sku: r.Sku, ProductID: deref(r.ProductID),
		SupplierID: deref(r.SupplierID),
	})
	if err != nil {
		return "", err
	}
	if order, known := made[supplier]; known {
		return order, nil
	}
	order, err := c.newOrder(ctx)
	made[supplier] = order
	return order, err
}
