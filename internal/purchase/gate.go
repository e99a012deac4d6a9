package purchase

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Claim is a record of a line that a person or an agent wants to be stored as it is: from a
// file, or a failed import that they corrected, or an edit in a table.
type Claim struct {
	By     auth.Principal
	Key    string             // the line's external_id
	Values map[string]*string // by column, in the form that PostgreSQL reads; nil is null
	Sender *auth.Actor        // who sent the record first, when the caller only sends it again
}

// Ruling is what becomes of a claim that is not refused.
type Ruling struct {
	Version int64                       // of the line that was judged; 0: there was none
	Values  map[string]*string          // what the line is to hold besides what was claimed, or instead of it
	Done    func(context.Context) error // keeps account of the change, in its transaction
}

// Gate judges a claim in the transaction that writes it, under the line's lock. A record
// may draft a line, or change what the table lets this caller change, with the same
// consequences; one that claims more is refused as a whole.
func Gate(ctx context.Context, tx pgx.Tx, claim Claim) (Ruling, error) {
	c := &change{by: claim.By, action: Edit, queries: q.New(tx), tx: tx}
	before, err := c.lockByKey(ctx, claim.Key)
	switch {
	case err != nil:
		return Ruling{}, err
	case before.ID != "" && before.WorkspaceID != c.by.Workspace:
		return Ruling{Version: before.Version}, nil // the writer refuses it
	case before.ID == "":
		c.action = Create
	}
	after := before
	if c.action == Create {
		after.Status = string(Draft)
		err = c.originate(&after)
	}
	err = errors.Join(err, c.claimed(ctx, &after, claim.Values))
	if err == nil {
		err = c.settle(before, &after)
	}
	if claim.Sender != nil && string(before.moneyHash()) != string(after.moneyHash()) {
		after.approval.ImportedBy = claim.Sender.JSON()
	}
	if err != nil {
		return Ruling{}, asInvalid(err)
	}
	return Ruling{Version: before.Version, Values: ruled(before, after, claim.Values),
		Done: func(ctx context.Context) error {
			return c.settled(ctx, claim.Key, before, after)
		}}, nil
}

// asInvalid is a refusal as a record's sender is told: the record is wrong, whatever it is
// that stands in its way.
func asInvalid(err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Kind != fault.Conflict && refusal.Kind != fault.Forbidden {
		return err
	}
	return fault.New(fault.Invalid, refusal.Code, "%s", refusal.Message)
}

// lockByKey reads a line and what the app keeps of it. A line that is not there has no id.
func (c *change) lockByKey(ctx context.Context, key string) (row, error) {
	if err := c.begin(ctx); err != nil {
		return row{}, err
	}
	line, err := c.queries.LockLineByKey(ctx, q.LockLineByKeyParams{TenantID: c.by.Tenant, ExternalID: key})
	if missing(err) {
		return row{}, nil
	}
	if err != nil {
		return row{}, err
	}
	rows, err := withApprovals(ctx, c.queries, c.by, []q.WorkspacePurchaseOrderLine{line})
	if err != nil {
		return row{}, err
	}
	return rows[0], nil
}

// settle is the one judge of what people and agents make of a line's values, whichever way
// they come: may the caller, and what follows for the line's way to approval. Steps have
// their own actions; values never take one.
func (c *change) settle(before row, r *row) error {
	if err := may(c.by, c.action, Status(before.Status)); err != nil {
		return err
	}
	if c.action == Edit {
		if err := before.ownDraft(c.by); err != nil {
			return err
		}
	}
	stands := or(before.Status, string(Draft))
	switch {
	case r.Status != stands && c.action == Create:
		return fault.InField("status", "status_claimed",
			"a new line is a draft, and becomes %s only by the steps of purchasing; leave the status out", words(r.Status))
	case r.Status != stands:
		return fault.InField("status", "status_claimed",
			"the line is %s, and becomes %s only by the steps of purchasing; leave the status out", words(stands),
			words(r.Status))
	case !r.QuantityReceived.Equal(before.QuantityReceived):
		return fault.InField("quantity_received", "receipt_claimed",
			"%s are received; receipts are booked and corrected in purchasing", before.QuantityReceived)
	case !sameTime(r.OrderedAt, before.OrderedAt):
		return fault.InField("ordered_at", "time_claimed", "when it was ordered is kept by the approval")
	case !sameTime(r.ReceivedAt, before.ReceivedAt):
		return fault.InField("received_at", "time_claimed", "when it was received is kept by the receipts")
	}
	return c.follow(before, r)
}

func sameTime(a, b *time.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}

// settled keeps account of a line that was written as it was ruled.
func (c *change) settled(ctx context.Context, key string, before, ruled row) error {
	after, err := c.queries.LockLineByKey(ctx, q.LockLineByKeyParams{TenantID: c.by.Tenant, ExternalID: key})
	if err != nil {
		return err
	}
	if err := leads(c.action, Status(before.Status), Status(after.Status)); err != nil {
		return asInvalid(err)
	}
	ruled.WorkspacePurchaseOrderLine = after
	if err := c.oneSupplier(ctx, before, ruled); err != nil {
		return asInvalid(err)
	}
	if err := c.keepApproval(ctx, ruled); err != nil {
		return err
	}
	_, err = c.audit(ctx, before, ruled)
	return err
}

// originate says in a new line who made it.
func (c *change) originate(r *row) error {
	who := "user"
	if c.by.Role == auth.Agent {
		agent, err := uuid.Parse(c.by.Actor.ID)
		if err != nil {
			return err
		}
		who, r.CreatedByAgentID, r.CreatedByRunID = "agent", &agent, &c.by.Run
	}
	r.CreatedByType, r.CreatedByUserID = &who, c.by.PersonID()
	r.approval.MoneyBy = c.by.Actor.JSON()
	return nil
}

// ruled are the columns that a claim is to be written with besides its own.
func ruled(before, after row, values map[string]*string) map[string]*string {
	extra := map[string]*string{}
	if status, claimed := values["status"]; claimed && *status != after.Status || !claimed && before.ID != "" &&
		before.Status != after.Status {
		extra["status"] = &after.Status
	}
	if before.ApprovedBy != nil && after.ApprovedBy == nil {
		extra["approved_by"], extra["approved_at"] = nil, nil
	}
	if before.ID == "" {
		extra["created_by_type"], extra["created_by_run_id"] = after.CreatedByType, after.CreatedByRunID
		extra["created_by_user_id"], extra["created_by_agent_id"] = idText(after.CreatedByUserID),
			idText(after.CreatedByAgentID)
	}
	if _, claimed := values["product_id"]; !claimed && before.ProductID != nil && after.ProductID == nil {
		extra["product_id"] = nil // it was the product of another SKU
	}
	for name, reference := range map[string]*string{"supplier_id": after.SupplierID, "product_id": after.ProductID} {
		if values[name] != nil && reference != nil {
			extra[name] = reference
		}
	}
	return extra
}

func idText(id *uuid.UUID) *string {
	if id == nil {
		return nil
	}
	text := id.String()
	return &text
}
