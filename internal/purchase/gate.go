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

// Claim is a record of a line that somebody wants to store: a person or an agent, from a file, a
// corrected failed import or an edit in a table, or an external system.
type Claim struct {
	By     auth.Principal
	Key    string             // the line's external_id
	Values map[string]*string // by column, in the form that PostgreSQL reads; nil is null
	Sender *auth.Actor        // the first sender, when the caller only resends the record
	Source uuid.UUID          // the key of the external system whose record it is
}

// Ruling says how a claim that is not refused is to be stored.
type Ruling struct {
	Version int64              // of the line that was judged; 0 if there was none
	Values  map[string]*string // columns to store in addition to the claimed values, or in their place
	Dropped []string           // claimed fields of which another value is stored
	// Done records what was decided, in the transaction that has stored the claim. changed: the line has changed.
	Done func(ctx context.Context, changed bool) error
}

// Gate judges a claim of a person or an agent in the transaction that writes it, under the line's lock. A record may
// draft a line, or change what the table lets this caller change, with the same consequences
// as an edit. A record that claims more is refused as a whole.
func Gate(ctx context.Context, tx pgx.Tx, claim Claim) (Ruling, error) {
	c := &change{by: claim.By, action: Edit, queries: q.New(tx), tx: tx}
	if err := c.begin(ctx); err != nil {
		return Ruling{}, err
	}
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
	err = errors.Join(err, c.applyClaim(ctx, &after, claim.Values))
	if _, claimed := claim.Values["quantity_ordered"]; claimed && err == nil {
		err = after.claimedQuantity(before)
	}
	if err == nil {
		err = c.judge(before, &after)
	}
	if claim.Sender != nil && string(before.moneyHash()) != string(after.moneyHash()) {
		after.approval.ImportedBy = claim.Sender.JSON()
	}
	if err != nil {
		return Ruling{}, asInvalid(err)
	}
	return Ruling{Version: before.Version, Values: ruled(before, after, claim.Values),
		Done: func(ctx context.Context, changed bool) error {
			if !changed {
				return nil
			}
			return c.recordClaim(ctx, claim.Key, before, after)
		}}, nil
}

// asInvalid turns a refusal into the kind that a record's sender is told: the record is
// invalid, whatever the reason.
func asInvalid(err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Kind != fault.Conflict && refusal.Kind != fault.Forbidden {
		return err
	}
	return fault.New(fault.Invalid, refusal.Code, "%s", refusal.Message)
}

// lockByKey locks and reads a line with its approval. A line that does not exist has no id.
func (c *change) lockByKey(ctx context.Context, key string) (row, error) {
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

// judge decides whether the caller may give a line these values, and what follows for its
// approval. All writes of people and agents pass it. Values never change the status as an
// action does: each action has its own method.
func (c *change) judge(before row, r *row) error {
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
			"a new line is a draft, and becomes %s only through purchasing; leave the status out", words(r.Status))
	case r.Status != stands:
		return fault.InField("status", "status_claimed",
			"the line is %s, and becomes %s only through purchasing; leave the status out", words(stands),
			words(r.Status))
	case !r.QuantityReceived.Equal(before.QuantityReceived):
		return fault.InField("quantity_received", "receipt_claimed",
			"%s are received; receipts are booked and corrected in purchasing", before.QuantityReceived)
	case !sameTime(r.OrderedAt, before.OrderedAt):
		return fault.InField("ordered_at", "time_claimed", "the approval sets ordered_at; leave it out")
	case !sameTime(r.ReceivedAt, before.ReceivedAt):
		return fault.InField("received_at", "time_claimed", "the receipts set received_at; leave it out")
	}
	r.leaveNeed(before)
	return c.updateApproval(before, r)
}

func sameTime(a, b *time.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}

// recordClaim records the change of a line that was stored as ruled.
func (c *change) recordClaim(ctx context.Context, key string, before, ruled row) error {
	after, err := c.queries.LockLineByKey(ctx, q.LockLineByKeyParams{TenantID: c.by.Tenant, ExternalID: key})
	if err != nil {
		return err
	}
	if err := checkTransition(c.action, Status(before.Status), Status(after.Status)); err != nil {
		return asInvalid(err)
	}
	ruled.WorkspacePurchaseOrderLine = after
	if err := c.oneSupplier(ctx, before, ruled); err != nil {
		return asInvalid(err)
	}
	if err := c.keepBudget(ctx, []row{ruled}); err != nil {
		return asInvalid(err)
	}
	if err := c.keepApproval(ctx, ruled); err != nil {
		return err
	}
	_, err = c.audit(ctx, before, ruled)
	return err
}

// originate sets who made a new line. A sync brings lines that were made elsewhere: they have no maker here.
func (c *change) originate(r *row) error {
	r.approval.MoneyBy = c.by.Actor.JSON()
	if c.by.Role == auth.Sync {
		return nil
	}
	who := "user"
	if c.by.Role == auth.Agent {
		agent, err := uuid.Parse(c.by.Actor.ID)
		if err != nil {
			return err
		}
		who, r.CreatedByAgentID, r.CreatedByRunID = "agent", &agent, &c.by.Run
	}
	r.CreatedByType, r.CreatedByUserID = &who, c.by.PersonID()
	return nil
}

// ruled returns the columns to store in addition to the claimed ones.
func ruled(before, after row, values map[string]*string) map[string]*string {
	extra := map[string]*string{}
	if status, claimed := values["status"]; claimed && *status != after.Status || !claimed && before.ID != "" &&
		before.Status != after.Status {
		extra["status"] = &after.Status
	}
	if before.ApprovedBy != nil && after.ApprovedBy == nil {
		extra["approved_by"], extra["approved_at"] = nil, nil
	}
	if before.RecommendationKey != nil && after.RecommendationKey == nil {
		extra["recommendation_key"] = nil
	}
	if before.ID == "" {
		extra["created_by_type"], extra["created_by_run_id"] = after.CreatedByType, after.CreatedByRunID
		extra["created_by_user_id"], extra["created_by_agent_id"] = idText(after.CreatedByUserID),
			idText(after.CreatedByAgentID)
	}
	if _, claimed := values["product_id"]; !claimed && before.ProductID != nil && after.ProductID == nil {
		extra["product_id"] = nil // the product belonged to the old SKU
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
