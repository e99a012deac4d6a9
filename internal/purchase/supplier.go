package purchase

import (
	"context"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// from is whom a line is ordered from: a supplier by id, or one that is known by name alone.
type from struct{ id, name string }

// from cuts the name as an order's sums have it.
func (r row) from() from {
	name := []rune(deref(r.SupplierName))
	return from{deref(r.SupplierID), string(name[:min(len(name), 120)])}
}

func (f from) known() bool { return f.id != "" || f.name != "" }

// other says whether these are two suppliers, as far as that is known.
func (f from) other(g from) bool {
	if f.id != "" && g.id != "" {
		return f.id != g.id
	}
	return f.known() && g.known() && f.name != g.name
}

// oneSupplier refuses a line from another supplier than the order that it is made in, moved
// to or changed in: an order goes to one supplier, who must not read another's prices. What
// external systems mix stays as it is; a line may join it from any supplier that is in it.
func (c *change) oneSupplier(ctx context.Context, before, after row) error {
	joins := before.ID == "" || before.OrderNo != after.OrderNo
	if !after.from().known() || after.Status == string(Cancelled) || !joins && !before.from().other(after.from()) {
		return nil
	}
	found, err := c.queries.SupplierSums(ctx,
		q.SupplierSumsParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, OrderNo: after.OrderNo})
	if err != nil {
		return err
	}
	var same, others []string
	for _, one := range found {
		there := from{one.SupplierID, one.SupplierName}
		switch {
		case there.other(after.from()):
			others = append(others, or(there.name, there.id))
		case one.Lines > 1 || there != after.from(): // a line of its own is no company
			same = append(same, there.name)
		}
	}
	if len(others) == 0 || joins && len(same) > 0 {
		return nil
	}
	return fault.New(fault.Conflict, "other_supplier",
		"the order %s is from %s; what comes from %s needs an order of its own", after.OrderNo, others[0],
		or(after.from().name, after.from().id))
}

// orderFor is the new order of a line that names none: one for each supplier.
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
