package purchase

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Submit asks for the approval of draft lines, and seals their amounts.
func (s *Service) Submit(ctx context.Context, by auth.Principal, refs []Ref) ([]Line, error) {
	return s.change(ctx, by, Submit, refs, "", func(_ context.Context, c *change, r *row) error {
		if by.Role == auth.Agent && !c.rules.AgentsSubmit {
			return fault.New(fault.Forbidden, "agents_submit",
				"agents may not submit in this workspace; a buyer can, or an admin can change the purchasing rules")
		}
		if err := r.ownDraft(by); err != nil {
			return err
		}
		if err := complete(*r); err != nil {
			return err
		}
		if by.Role == auth.Agent && !r.priced() {
			return fault.InField("price_per_unit", "required", "say what one of them costs, or let a person submit what costs nothing")
		}
		now := time.Now()
		r.Status = string(PendingApproval)
		r.approval.MoneyHash, r.approval.SubmittedBy, r.approval.SubmittedAt = r.moneyHash(), by.Actor.JSON(), &now
		return nil
	})
}

// complete refuses a line whose cost an approver could not know.
func complete(r row) error {
	switch {
	case !r.QuantityOrdered.IsPositive():
		return fault.InField("quantity_ordered", "required", "say how many are to be ordered")
	case r.SupplierID == nil && r.SupplierName == nil:
		return fault.InField("supplier_id", "required", "say from whom it is to be ordered")
	case r.PricePerUnit == nil:
		return fault.InField("price_per_unit", "required", "say what one of them costs")
	case r.Currency == nil:
		return fault.InField("currency", "required", "say in which currency the price is")
	}
	return nil
}

// priced reports whether the line has a price. A price of 0 is good for a sample, and none for whoever is bound by an
// amount: a catalogue without prices says 0, too.
func (r row) priced() bool { return r.PricePerUnit != nil && r.PricePerUnit.IsPositive() }

// Approve orders lines that are pending approval.
func (s *Service) Approve(ctx context.Context, by auth.Principal, refs []Ref) ([]Line, error) {
	return s.change(ctx, by, Approve, refs, "", func(ctx context.Context, c *change, r *row) error {
		if r.changed() {
			return fault.New(fault.Conflict, "changed",
				"an external system changed the line after it was submitted; "+
					"send it back, so that it is submitted as it is now")
		}
		if err := complete(*r); err != nil { // an external system may have submitted it
			return err
		}
		eyes, spent, err := c.mayApprove(ctx, *r)
		if err != nil {
			return err
		}
		now := time.Now()
		r.Status, r.ApprovedBy, r.ApprovedAt = string(Ordered), &by.Person, &now
		if r.OrderedAt == nil {
			r.OrderedAt = &now
		}
		r.approval.seal(*r)
		r.approval.ApprovedTotal, r.approval.ApproverLimit = &spent.total, spent.limit
		r.approval.MoneyHash, r.approval.SelfApproved, r.approval.OrderedVersion = r.moneyHash(), eyes != "", nil
		return nil
	})
}

// involvement says how the caller had a part in the line, or is empty. They made, imported or
// submitted it, last changed its amount, made a token of the agent that did, or started its run.
func (c *change) involvement(ctx context.Context, r row) (how string, err error) {
	if r.CreatedByUserID != nil && *r.CreatedByUserID == c.by.Person {
		return "you made this line", nil
	}
	agents := []uuid.UUID{}
	if r.CreatedByAgentID != nil {
		agents = append(agents, *r.CreatedByAgentID)
	}
	for _, eyes := range []struct {
		stored []byte
		how    string
	}{
		{r.approval.ImportedBy, "you imported this line"},
		{r.approval.MoneyBy, "you changed the amount of this line last"},
		{r.approval.SubmittedBy, "you submitted this line"},
	} {
		var actor auth.Actor
		if json.Unmarshal(eyes.stored, &actor) != nil {
			continue
		}
		if actor == c.by.Actor {
			return eyes.how, nil
		}
		if agent, err := uuid.Parse(actor.ID); actor.Type == auth.ByAgent && err == nil {
			agents = append(agents, agent)
		}
	}
	if len(agents) == 0 {
		return "", nil
	}
	starter, err := c.starter(ctx, r)
	switch {
	case err != nil:
		return "", err
	case starter == c.by.Actor:
		return "you started the run of the agent that wrote this line", nil
	}
	if agent, err := uuid.Parse(starter.ID); starter.Type == auth.ByAgent && err == nil {
		agents = append(agents, agent)
	}
	if c.agents == nil {
		made, err := c.queries.ListAgentsMadeBy(ctx,
			q.ListAgentsMadeByParams{TenantID: c.by.Tenant, Person: c.by.Person.String()})
		if err != nil {
			return "", err
		}
		c.agents = append([]uuid.UUID{}, made...)
	}
	if slices.ContainsFunc(agents, func(agent uuid.UUID) bool { return slices.Contains(c.agents, agent) }) {
		how = "you made the token of the agent that wrote this line"
	}
	return how, nil
}

// starter returns who started the procurement agent's run that wrote the line. Of other lines, it
// returns nobody.
func (c *change) starter(ctx context.Context, r row) (starter auth.Actor, err error) {
	if r.CreatedByAgentID == nil || *r.CreatedByAgentID != auth.ProcurementAgent {
		return starter, nil
	}
	run, err := uuid.Parse(deref(r.CreatedByRunID))
	if err != nil {
		return starter, err
	}
	if _, known := c.starters[run]; !known {
		if err := c.readStarters(ctx, []uuid.UUID{run}); err != nil {
			return starter, err
		}
	}
	starter, known := c.starters[run]
	if !known {
		return starter, fault.New(fault.NotFound, "unknown_run", "the run that wrote this line is not known")
	}
	return starter, nil
}

// readStarters reads who started runs.
func (c *change) readStarters(ctx context.Context, runs []uuid.UUID) error {
	found, err := c.queries.ListRunStarters(ctx, q.ListRunStartersParams{TenantID: c.by.Tenant, Ids: runs})
	if err != nil {
		return err
	}
	if c.starters == nil {
		c.starters = map[uuid.UUID]auth.Actor{}
	}
	for _, one := range found {
		var starter auth.Actor
		if err := json.Unmarshal(one.StartedBy, &starter); err != nil {
			return err
		}
		c.starters[one.ID] = starter
	}
	return nil
}

// SendBack returns lines from approval to draft.
func (s *Service) SendBack(ctx context.Context, by auth.Principal, refs []Ref, reason string) ([]Line, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, by, SendBack, refs, reason, func(_ context.Context, _ *change, r *row) error {
		r.toDraft()
		return nil
	})
}

// toDraft makes the line a draft that needs a new approval.
func (r *row) toDraft() {
	r.Status = string(Draft)
	r.clearApproval()
}

func (r *row) clearApproval() {
	r.ApprovedBy, r.ApprovedAt = nil, nil
	r.approval = approval{q.WorkspaceLineApproval{MoneyBy: r.approval.MoneyBy, ImportedBy: r.approval.ImportedBy}}
}

// Cancel cancels lines of which nothing has arrived, and frees their recommendations.
func (s *Service) Cancel(ctx context.Context, by auth.Principal, refs []Ref, reason string) ([]Line, error) {
	return s.cancel(ctx, by, refs, reason, false)
}

// TakeBack cancels drafts without a decision against their articles: the queue does not put them off.
func (s *Service) TakeBack(ctx context.Context, by auth.Principal, refs []Ref, reason string) ([]Line, error) {
	return s.cancel(ctx, by, refs, reason, true)
}

func (s *Service) cancel(ctx context.Context, by auth.Principal, refs []Ref, reason string, takenBack bool) ([]Line, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, by, Cancel, refs, reason, func(_ context.Context, c *change, r *row) error {
		c.takenBack = takenBack
		if err := r.ownDraft(by); err != nil {
			return err
		}
		if takenBack && r.Status != string(Draft) {
			return fault.New(fault.Conflict, "line_status", "a line that is %s cannot be taken back; cancel it", words(r.Status))
		}
		if r.QuantityReceived.IsPositive() {
			return fault.New(fault.Conflict, "close_short",
				"a part of it has arrived, so it cannot be cancelled; close it short instead")
		}
		r.Status = string(Cancelled)
		return nil
	})
}

// Reopen turns cancelled lines into drafts.
func (s *Service) Reopen(ctx context.Context, by auth.Principal, refs []Ref) ([]Line, error) {
	return s.change(ctx, by, Reopen, refs, "", func(ctx context.Context, c *change, r *row) error {
		if err := c.holdAgain(ctx, r); err != nil {
			return err
		}
		r.toDraft()
		r.OrderedAt = nil
		return nil
	})
}
