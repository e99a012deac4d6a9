package purchase

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/pg/q"
)

// applyClaim puts a claim's values into the row, as they are. Ingest has already checked their form, and
// refuses a reference that is not found.
func (c *change) applyClaim(ctx context.Context, r *row, values map[string]*string) error {
	if sku := values["sku"]; sku != nil && *sku != r.Sku {
		r.Sku, r.ProductID = *sku, nil
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var err error
		switch v := values[name]; name {
		case "supplier_id", "product_id":
			err = c.refer(ctx, r, name, v)
		case "quantity_ordered", "quantity_received", "price_per_unit":
			err = claimNumber(r, name, v)
		case "expected_arrival_date", "ordered_at", "received_at", "location_id":
			err = claimParsed(r, name, v)
		default:
			claimText(r, name, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refer looks up the row that a claim refers to, by its id or its external id.
func (c *change) refer(ctx context.Context, r *row, name string, v *string) error {
	var id *string
	if v != nil {
		var found string
		var err error
		if name == "supplier_id" {
			found, err = c.queries.LookUpSupplier(ctx,
				q.LookUpSupplierParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, Reference: *v})
		} else {
			found, err = c.queries.LookUpProduct(ctx,
				q.LookUpProductParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, Reference: *v})
		}
		if err != nil && !missing(err) {
			return err
		}
		if err == nil {
			id = &found
		}
	}
	if name == "supplier_id" {
		r.SupplierID = id
	} else {
		r.ProductID = id
	}
	return nil
}

func claimNumber(r *row, name string, v *string) error {
	if v == nil {
		r.PricePerUnit = nil // the other numbers are never null
		return nil
	}
	n, err := decimal.NewFromString(*v)
	switch {
	case err != nil:
		return err
	case name == "price_per_unit":
		r.PricePerUnit = &n
	case name == "quantity_received":
		r.QuantityReceived = n
	default:
		r.QuantityOrdered = n
	}
	return nil
}

// claimedQuantity refuses a quantity that people may not order. Records may repeat the one that the line has.
func (r row) claimedQuantity(before row) error {
	if before.ID != "" && r.QuantityOrdered.Equal(before.QuantityOrdered) {
		return nil
	}
	return orderQuantity(&before, r.QuantityOrdered)
}

func claimParsed(r *row, name string, v *string) error {
	if name == "location_id" {
		r.LocationID = nil
		if v == nil {
			return nil
		}
		id, err := uuid.Parse(*v)
		r.LocationID = &id
		return err
	}
	form := time.RFC3339Nano
	if name == "expected_arrival_date" {
		form = dateForm
	}
	var at *time.Time
	if v != nil {
		parsed, err := time.Parse(form, *v)
		if err != nil {
			return err
		}
		at = &parsed
	}
	switch name {
	case "expected_arrival_date":
		r.ExpectedArrivalDate = date(at)
	case "ordered_at":
		r.OrderedAt = at
	default:
		r.ReceivedAt = at
	}
	return nil
}

func claimText(r *row, name string, v *string) {
	switch name {
	case "currency":
		r.Currency = v
	case "note":
		r.Note = v
	case "external_system":
		r.ExternalSystem = v
	case "external_po_id":
		r.ExternalPoID = v
	case "external_line_id":
		r.ExternalLineID = v
	case "order_no":
		r.OrderNo = deref(v)
	case "status":
		r.Status = deref(v)
	}
}
