package procure

import (
	"context"
	"errors"
	"math"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// mostUndone is how many lines one call takes back.
const mostUndone = 500

const undoneReason = "The run of the procurement agent was undone."

// Undo cancels the lines of a run that are as the agent left them. Lines that somebody has changed or
// approved since are kept, and say why. The articles are suggested again at once: undoing a run is no
// decision about them. A run with very many lines is undone by several calls.
func (s *Service) Undo(ctx context.Context, by auth.Principal, id uuid.UUID) (Run, error) {
	if err := by.Require(auth.ChangeLines); err != nil {
		return Run{}, err
	}
	run := &running{job: AgentJob{by.Tenant, by.Workspace, id}, agent: auth.Procurement(by.Tenant, by.Workspace, id, by.Zone)}
	left, err := s.beginUndo(ctx, by, id)
	if err != nil {
		return Run{}, err
	}
	var products []string
	for i := range left[:min(mostUndone, len(left))] {
		if err := s.undoOne(ctx, by, run, &left[i]); err != nil {
			return Run{}, err
		}
		products = append(products, left[i].Product)
	}
	if len(products) > 0 {
		s.refresh(ctx, by, products)
	}
	return s.Run(ctx, by, id)
}

// beginUndo notes who undoes a run, unless it is still at work or has drafted nothing, and returns the
// decisions whose lines are left to undo.
func (s *Service) beginUndo(ctx context.Context, by auth.Principal, id uuid.UUID) (left []RunDecision, err error) {
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		run, err := queries.LockAgentRun(ctx, q.LockAgentRunParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return errNoRun
		case err != nil:
			return err
		case run.Status == string(RunQueued) || run.Status == string(RunRunning):
			return fault.New(fault.Conflict, "agent_at_work", "the run has not ended yet; undo it when it has")
		case run.Dry:
			return fault.New(fault.Conflict, "nothing_to_undo", "a dry run drafts nothing, so there is nothing to undo")
		}
		chosen, err := listDecisions(ctx, queries, by.Tenant, id, Chosen, 0, math.MaxInt32)
		for _, d := range chosen {
			if d.Outcome == OutcomeDrafted || d.Outcome == OutcomeSubmitted {
				left = append(left, d)
			}
		}
		switch {
		case err != nil || run.UndoneAt != nil:
			return err
		case len(left) == 0:
			return fault.New(fault.Conflict, "nothing_to_undo", "the run drafted nothing, so there is nothing to undo")
		}
		if err := queries.UndoAgentRun(ctx, q.UndoAgentRunParams{TenantID: by.Tenant, ID: id, UndoneBy: by.Actor.JSON()}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "agent_run.undone", id.String(), audit.Data{"lines": len(left)})
	})
	return left, err
}

// undoOne takes back one line. The person takes it out of approval, and the agent cancels its own
// draft, so that it does not count as turned down by a person. Each step is noted, so that another
// call can continue if the process dies in between.
func (s *Service) undoOne(ctx context.Context, by auth.Principal, run *running, d *RunDecision) error {
	err := s.sendBack(ctx, by, run, d)
	if err == nil {
		err = s.undoStep(ctx, by, d, purchase.Cancel, func(ref purchase.Ref) ([]purchase.Line, error) {
			return s.purchase.Cancel(ctx, run.agent, []purchase.Ref{ref}, undoneReason)
		})
	}
	refused := fault.Refusal(err)
	switch {
	case err == nil:
		d.Outcome, d.Note = OutcomeUndone, ""
	case refused == nil:
		return err
	case refused.Kind == fault.Stale:
		d.Outcome, d.Note = OutcomeKept, "Kept: somebody has changed the line since the agent wrote it."
	default:
		d.Outcome, d.Note = OutcomeKept, "Kept: "+refused.Message
	}
	return s.note(ctx, run, *d)
}

// sendBack takes a submitted line out of approval.
func (s *Service) sendBack(ctx context.Context, by auth.Principal, run *running, d *RunDecision) error {
	if d.Outcome != OutcomeSubmitted {
		return nil
	}
	err := s.undoStep(ctx, by, d, purchase.SendBack, func(ref purchase.Ref) ([]purchase.Line, error) {
		return s.purchase.SendBack(ctx, by, []purchase.Ref{ref}, undoneReason)
	})
	if err != nil {
		return err
	}
	d.Outcome = OutcomeDrafted
	return s.note(ctx, run, *d)
}

// undoStep takes one step with a line, unless an earlier call has taken it and died before it was noted: then the
// line is refused as changed, and its last change is this step.
func (s *Service) undoStep(ctx context.Context, by auth.Principal, d *RunDecision, action purchase.Action,
	take func(purchase.Ref) ([]purchase.Line, error)) error {
	lines, err := take(purchase.Ref{ID: *d.Line, Version: d.Version})
	if err == nil {
		d.Version = lines[0].Version
		return nil
	}
	if fault.Refusal(err) == nil {
		return err
	}
	taken, lost := s.purchase.LastStep(ctx, by, *d.Line, action, undoneReason)
	switch {
	case lost != nil:
		return lost
	case taken != d.Version+1:
		return err
	}
	d.Version = taken
	return nil
}
