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
	if err := s.beginUndo(ctx, by, id); err != nil {
		return Run{}, err
	}
	decisions, err := s.chosen(ctx, run)
	if err != nil {
		return Run{}, err
	}
	var products []string
	for i := range decisions {
		d := &decisions[i]
		if d.Outcome != OutcomeDrafted && d.Outcome != OutcomeSubmitted || len(products) == mostUndone {
			continue
		}
		if err := s.undoOne(ctx, by, run, d); err != nil {
			return Run{}, err
		}
		products = append(products, d.Product)
	}
	if len(products) > 0 {
		s.refresh(ctx, by, products)
	}
	return s.Run(ctx, by, id)
}

// beginUndo notes who undoes a run, unless it is still at work or has drafted nothing.
func (s *Service) beginUndo(ctx context.Context, by auth.Principal, id uuid.UUID) error {
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
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
		left, err := listDecisions(ctx, queries, by.Tenant, id, Chosen, 0, math.MaxInt32)
		if err != nil || run.UndoneAt != nil {
			return err
		}
		lines := 0
		for _, d := range left {
			if d.Outcome == OutcomeDrafted || d.Outcome == OutcomeSubmitted {
				lines++
			}
		}
		if lines == 0 {
			return fault.New(fault.Conflict, "nothing_to_undo", "the run drafted nothing, so there is nothing to undo")
		}
		if err := queries.UndoAgentRun(ctx, q.UndoAgentRunParams{TenantID: by.Tenant, ID: id, UndoneBy: by.Actor.JSON()}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "agent_run.undone", id.String(), audit.Data{"lines": lines})
	})
}

// undoOne takes back one line. The person takes it out of approval, and the agent cancels its own
// draft, so that it does not count as turned down by a person.
func (s *Service) undoOne(ctx context.Context, by auth.Principal, run *running, d *RunDecision) error {
	ref := []purchase.Ref{{ID: *d.Line, Version: d.Version}}
	var err error
	if d.Outcome == OutcomeSubmitted {
		var lines []purchase.Line
		if lines, err = s.purchase.SendBack(ctx, by, ref, undoneReason); err == nil {
			ref[0].Version = lines[0].Version
		}
	}
	if err == nil {
		_, err = s.purchase.Cancel(ctx, run.agent, ref, undoneReason)
	}
	refusal := refusalOf(err)
	switch {
	case err == nil:
		d.Outcome, d.Note = OutcomeUndone, ""
	case fault.Is(err, fault.Stale):
		d.Outcome, d.Note = OutcomeKept, "Kept: somebody has changed the line since the agent wrote it."
	case refusal != "":
		d.Outcome, d.Note = OutcomeKept, "Kept: "+refusal
	default:
		return err
	}
	return s.note(ctx, run, *d)
}
