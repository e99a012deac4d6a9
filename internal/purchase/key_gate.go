package purchase

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

// Guards are the columns of a line by which it is guarded against external systems, when one of them is set: somebody here made
// the line, or booked a receipt of it. KeyGate judges what external systems say of such a line. They write all others freely.
var Guards = []string{"created_by_type", "received_here"}

// Judged are the columns that KeyGate has rules for.
var Judged = []string{"status", "quantity_received", "sku", "product_id", "supplier_id", "quantity_ordered", "price_per_unit",
	"currency", "order_no"}

// KeyGate judges what an external system says of a guarded line, in the transaction that writes it, under the line's lock.
// It refuses nothing. What the record may not change keeps the value that it has or gets the one that follows, and the sender is
// told the field.
func KeyGate(ctx context.Context, tx pgx.Tx, claim Claim) (Ruling, error) {
	c := &change{by: claim.By, action: Edit, queries: q.New(tx), tx: tx}
	before, err := c.lockByKey(ctx, claim.Key)
	if err != nil || before.ID == "" || before.WorkspaceID != c.by.Workspace {
		return Ruling{Version: before.Version}, err // the writer refuses another workspace's
	}
	if c.rules, err = readRules(ctx, c.queries, c.by); err != nil {
		return Ruling{}, err
	}
	mayOrder, err := c.queries.MayOrderDrafted(ctx, q.MayOrderDraftedParams{TenantID: c.by.Tenant, KeyID: claim.Source})
	if err != nil {
		return Ruling{}, err
	}
	said := told{row: before, ordersDrafted: mayOrder, by: claim.sender(), at: time.Now()}
	_, said.status = claim.Values["status"]
	if err := c.applyClaim(ctx, &said.row, claim.Values); err != nil {
		return Ruling{}, err
	}
	after := c.rules.heed(before, said)
	if after.moved && !after.jumped { // so the triggers do not flag it as a move of the system
		if err := c.queries.KeepPurchaseRules(ctx); err != nil {
			return Ruling{}, err
		}
	}
	ruling := Ruling{Version: before.Version, Values: ruled(before, after.row, claim.Values), Dropped: after.overruled(said)}
	if !after.QuantityReceived.Equal(said.QuantityReceived) {
		received := after.QuantityReceived.String()
		ruling.Values["quantity_received"] = &received
	}
	ruling.Done = func(ctx context.Context, changed bool) error {
		return c.recordHeeded(ctx, claim.Key, before, said.row, after, changed)
	}
	return ruling, nil
}

// sender returns the external system whose record it is, also if a person sends it again.
func (c Claim) sender() auth.Actor {
	if c.Source == uuid.Nil {
		return c.By.Actor
	}
	return auth.Actor{Type: auth.ByKey, ID: c.Source.String()}
}

// overruled returns the fields of a record that are stored with another value.
func (h heeded) overruled(said told) (names []string) {
	if said.status && said.Status != h.Status {
		names = append(names, "status")
	}
	if !said.QuantityReceived.Equal(h.QuantityReceived) {
		names = append(names, "quantity_received")
	}
	return names
}

// recordHeeded keeps what an external system said of receipts that people booked, and what its record means for the approval
// of the line. The record's event says the rest.
func (c *change) recordHeeded(ctx context.Context, key string, before, said row, after heeded, changed bool) error {
	if !said.QuantityReceived.Equal(after.QuantityReceived) {
		err := c.queries.FlagClaim(ctx,
			q.FlagClaimParams{TenantID: c.by.Tenant, LineID: before.ID, Claimed: said.QuantityReceived})
		if err != nil {
			return err
		}
	}
	if changed && after.above {
		return c.queries.FlagAbove(ctx, q.FlagAboveParams{TenantID: c.by.Tenant, LineID: before.ID})
	}
	if !changed || !after.sealed {
		return nil
	}
	stored, err := c.queries.LockLineByKey(ctx, q.LockLineByKeyParams{TenantID: c.by.Tenant, ExternalID: key})
	if err != nil {
		return err
	}
	after.WorkspacePurchaseOrderLine = stored
	if err := c.keepApproval(ctx, after.row); err != nil || !after.moved {
		return err
	}
	_, err = c.audit(ctx, before, after.row)
	return err
}
