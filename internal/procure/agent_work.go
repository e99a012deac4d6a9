package procure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

const (
	// queuePause is how long a run waits before it looks again whether the queue is computed.
	queuePause = 2 * time.Second
	// runPatience is how long a run may wait for the queue, or meet internal errors.
	runPatience = 15 * time.Minute
	// mostCandidates is how many rows of the queue a run decides about: the most urgent.
	mostCandidates = 5000
)

// A new line has version 1, and submitting it raises that by one. The agent notes these versions, so
// that a line that anybody else has touched is not taken for its own.
const (
	draftedVersion   = 1
	submittedVersion = 2
)

// running is a run that is worked on.
type running struct {
	job    AgentJob
	dry    bool
	inputs Inputs
	agent  auth.Principal
	turn   job.Turn
}

// WorkOn works on a run for one job.Turn. If there is more to do, it should be called again
// after the pause. A process may die at any point, and two may work on a run at once: decisions are
// stored before anything is drafted, and a recommendation has at most one line.
func (s *Service) WorkOn(ctx context.Context, of AgentJob) (more bool, pause time.Duration, err error) {
	run, more, err := s.beginRun(ctx, of)
	if err == nil && run == nil {
		return more, queuePause, nil
	}
	if err == nil {
		more, err = s.carryOut(ctx, run)
	}
	if err != nil && ctx.Err() == nil {
		err = s.giveUp(ctx, of, err)
	}
	return more, 0, err
}

// carryOut does what a run has decided, and ends the run. It reports whether its time ended first.
func (s *Service) carryOut(ctx context.Context, run *running) (more bool, err error) {
	if !run.dry {
		if more, err = s.draftRun(ctx, run); err != nil || more {
			return more, err
		}
		if run.inputs.CanSubmit {
			if more, err = s.submitRun(ctx, run); err != nil || more {
				return more, err
			}
		}
	}
	return false, s.endRun(ctx, run.job, run.agent, RunDone, "")
}

// beginRun returns a run that has decided; it decides if the queue is computed. Without an error, nil
// means that the run has ended, or, with more, that the queue is not computed yet.
func (s *Service) beginRun(ctx context.Context, of AgentJob) (run *running, more bool, err error) {
	err = s.cells.InTenant(ctx, of.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		stored, err := queries.LockAgentRun(ctx, q.LockAgentRunParams{TenantID: of.Tenant, WorkspaceID: of.Workspace, ID: of.Run})
		if errors.Is(err, pgx.ErrNoRows) || err == nil && stored.Status != string(RunQueued) && stored.Status != string(RunRunning) {
			return nil
		}
		if err != nil {
			return err
		}
		found := &running{job: of, dry: stored.Dry, turn: job.BeginTurn()}
		if stored.Inputs == nil {
			if found.inputs, err = s.decide(ctx, tx, of); err != nil {
				return err
			}
		} else if err := json.Unmarshal(stored.Inputs, &found.inputs); err != nil {
			return err
		}
		zone, err := time.LoadLocation(found.inputs.Zone)
		found.agent = auth.Procurement(of.Tenant, of.Workspace, of.Run, zone)
		run = found
		return err
	})
	if errors.Is(err, errNotComputed) {
		return nil, true, s.unlessLate(ctx, of)
	}
	return run, false, err
}

// errNotComputed says that the queue does not follow from today's demand and rules yet.
var errNotComputed = errors.New("the queue is not computed")

// unlessLate ends a run that has waited for the queue for too long.
func (s *Service) unlessLate(ctx context.Context, of AgentJob) error {
	err := s.giveUp(ctx, of, errNotComputed)
	if errors.Is(err, errNotComputed) {
		return nil // it waits on
	}
	return err
}

// giveUp ends a run with an error if it has met errors for too long. Otherwise it returns the error.
func (s *Service) giveUp(ctx context.Context, of AgentJob, cause error) error {
	if time.Since(time.Unix(of.Run.Time().UnixTime())) < runPatience {
		return cause
	}
	s.log.ErrorContext(ctx, "a run of the agent was given up", "run", of.Run, "err", cause)
	message := "an internal error; the log of the service says more"
	if errors.Is(cause, errNotComputed) {
		message = fmt.Sprintf("the queue was not computed within %d minutes", int(runPatience.Minutes()))
	}
	return s.endRun(ctx, of, auth.Procurement(of.Tenant, of.Workspace, of.Run, time.UTC), RunFailed, message)
}

// draftRun drafts what was decided and is not drafted yet. The lines of a supplier share an order.
func (s *Service) draftRun(ctx context.Context, run *running) (more bool, err error) {
	decisions, err := s.chosen(ctx, run)
	if err != nil {
		return false, err
	}
	orders := map[string]string{} // by supplier
	for _, d := range decisions {
		if d.OrderNo != "" {
			orders[d.Supplier] = d.OrderNo
		}
	}
	for i := range decisions {
		d := &decisions[i]
		if d.Outcome != OutcomeNone {
			continue
		}
		if run.turn.Over(ctx) {
			return true, nil
		}
		if err := s.draftOne(ctx, run, d, orders[d.Supplier]); err != nil {
			return false, err
		}
		if d.OrderNo != "" {
			orders[d.Supplier] = d.OrderNo
		}
	}
	return false, nil
}

// draftOne drafts a line, unless an earlier call did, and notes what came of it.
func (s *Service) draftOne(ctx context.Context, run *running, d *RunDecision, orderNo string) error {
	if adopted, err := s.adopt(ctx, run, d); err != nil || adopted {
		return err
	}
	c := run.inputs.Candidates[d.N-1]
	pick := Pick{Key: c.Key, Quantity: new(c.Quantity.String()), Supplier: &c.Supplier, Currency: &c.Currency, Note: &d.Sentence}
	if c.Price != nil {
		pick.Price = new(c.Price.String())
	}
	if c.ArrivesOn != "" {
		pick.ArrivesOn = &c.ArrivesOn
	}
	if orderNo != "" {
		pick.OrderNo = &orderNo
	}
	lines, err := s.Draft(ctx, run.agent, []Pick{pick}, false)
	if refused := fault.Refusal(err); refused != nil {
		if adopted, err := s.adopt(ctx, run, d); err != nil || adopted { // by another process meanwhile
			return err
		}
		d.Outcome, d.Note = OutcomeRefused, refused.Message
		return s.note(ctx, run, *d)
	}
	if err != nil {
		return err
	}
	d.Outcome, d.Line, d.OrderNo, d.Version = OutcomeDrafted, &lines[0].ID, lines[0].OrderNo, lines[0].Version
	return s.note(ctx, run, *d)
}

// adopt finds and notes a line that the run wrote although it was not noted.
func (s *Service) adopt(ctx context.Context, run *running, d *RunDecision) (adopted bool, err error) {
	err = s.cells.InTenant(ctx, run.job.Tenant, func(tx pgx.Tx) error {
		line, err := q.New(tx).FindRunLine(ctx, q.FindRunLineParams{TenantID: run.job.Tenant, WorkspaceID: run.job.Workspace,
			RecommendationKey: d.Key, AgentID: auth.ProcurementAgent, Agent: run.agent.Actor.ID,
			RunID: run.agent.Run})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		adopted = true
		d.Outcome, d.Line, d.OrderNo, d.Version = OutcomeDrafted, &line.ID, line.OrderNo, draftedVersion
		if line.Submitted {
			d.Outcome, d.Version = OutcomeSubmitted, submittedVersion
		}
		return noteIn(ctx, tx, run.job, *d)
	})
	return adopted, err
}

// submitRun submits what the run has drafted. What is refused stays a draft, and its note says why.
func (s *Service) submitRun(ctx context.Context, run *running) (more bool, err error) {
	decisions, err := s.chosen(ctx, run)
	if err != nil {
		return false, err
	}
	for i := range decisions {
		d := &decisions[i]
		if d.Outcome != OutcomeDrafted || d.Note != "" {
			continue
		}
		if run.turn.Over(ctx) {
			return true, nil
		}
		if err := s.submitOne(ctx, run, d); err != nil {
			return false, err
		}
	}
	return false, nil
}

// submitOne submits a line, and notes what came of it.
func (s *Service) submitOne(ctx context.Context, run *running, d *RunDecision) error {
	lines, err := s.purchase.Submit(ctx, run.agent, []purchase.Ref{{ID: *d.Line, Version: d.Version}})
	refused := fault.Refusal(err)
	switch {
	case err == nil:
		d.Outcome, d.Version = OutcomeSubmitted, lines[0].Version
	case refused == nil:
		return err
	default:
		if _, err := s.adopt(ctx, run, d); err != nil || d.Outcome == OutcomeSubmitted { // by an earlier call
			return err
		}
		d.Note = "Not submitted: " + refused.Message
	}
	return s.note(ctx, run, *d)
}

// chosen returns the run's decisions to draft.
func (s *Service) chosen(ctx context.Context, run *running) (decisions []RunDecision, err error) {
	err = s.cells.InTenant(ctx, run.job.Tenant, func(tx pgx.Tx) error {
		decisions, err = listDecisions(ctx, q.New(tx), run.job.Tenant, run.job.Run, Chosen, 0, math.MaxInt32)
		return err
	})
	return decisions, err
}

// note stores what came of a decision.
func (s *Service) note(ctx context.Context, run *running, d RunDecision) error {
	return s.cells.InTenant(ctx, run.job.Tenant, func(tx pgx.Tx) error { return noteIn(ctx, tx, run.job, d) })
}

func noteIn(ctx context.Context, tx pgx.Tx, of AgentJob, d RunDecision) error {
	return q.New(tx).NoteAgentDecision(ctx, q.NoteAgentDecisionParams{TenantID: of.Tenant, RunID: of.Run, N: d.N, Outcome: d.Outcome,
		Note: d.Note, LineID: d.Line, LineVersion: &d.Version, OrderNo: d.OrderNo})
}

// endRun ends a run. One that has ended stays as it is.
func (s *Service) endRun(ctx context.Context, of AgentJob, agent auth.Principal, status RunStatus, message string) error {
	return s.cells.InTenant(ctx, of.Tenant, func(tx pgx.Tx) error {
		ended, err := q.New(tx).EndAgentRun(ctx, q.EndAgentRunParams{TenantID: of.Tenant, WorkspaceID: of.Workspace, ID: of.Run,
			Status: string(status), Message: message})
		if err != nil || ended == 0 {
			return err
		}
		data := audit.Data{"status": status}
		if message != "" {
			data["message"] = message
		}
		return audit.Record(ctx, tx, agent, "agent_run.ended", of.Run.String(), data)
	})
}
