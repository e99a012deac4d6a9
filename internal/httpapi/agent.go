package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/procure"
)

type (
	runJSON struct {
		ID              uuid.UUID  `json:"id" format:"uuid"`
		Dry             bool       `json:"dry" doc:"It decides, but drafts nothing."`
		Day             *string    `json:"day,omitempty" format:"date" doc:"Of a daily run. Absent if somebody asked for it."`
		Status          string     `json:"status" enum:"queued,running,done,failed"`
		Message         string     `json:"message,omitempty" doc:"Why it failed."`
		StartedBy       *actorJSON `json:"started_by"`
		CreatedAt       time.Time  `json:"created_at"`
		DecidedAt       *time.Time `json:"decided_at,omitempty"`
		EndedAt         *time.Time `json:"ended_at,omitempty"`
		UndoneAt        *time.Time `json:"undone_at,omitempty"`
		UndoneBy        *actorJSON `json:"undone_by,omitempty"`
		QueueComputedAt string     `json:"queue_computed_at,omitempty" format:"date-time" doc:"Of the queue that it decided from. Absent before it has decided."`
		ConfigVersion   int64      `json:"config_version" doc:"Of the purchasing config that it read. 0: the defaults."`
		Revision        int64      `json:"playbook_revision" doc:"Of the playbook that the queue was computed from."`
		Chosen          int64      `json:"chosen" doc:"What it decided to draft."`
		Skipped         int64      `json:"skipped" doc:"What it left out."`
		Drafted         int64      `json:"drafted" doc:"Of the chosen: drafted, and not submitted."`
		Submitted       int64      `json:"submitted" doc:"Of the chosen: submitted for approval."`
		Refused         int64      `json:"refused" doc:"Of the chosen: refused by the rules of purchasing."`
		Undone          int64      `json:"undone" doc:"Cancelled when the run was undone."`
		Kept            int64      `json:"kept" doc:"Not cancelled when the run was undone, because somebody had touched it."`
	}
	runDecisionJSON struct {
		N         int64      `json:"n" doc:"The order in which it decided."`
		ProductID string     `json:"product_id"`
		Key       string     `json:"recommendation_key"`
		SKU       string     `json:"sku,omitempty"`
		Name      string     `json:"name"`
		Supplier  *namedJSON `json:"supplier,omitempty"`
		Quantity  string     `json:"quantity"`
		Cost      *string    `json:"cost,omitempty"`
		Currency  string     `json:"currency,omitempty"`
		Rule      string     `json:"rule" enum:"draft,locked,put_off,blocked,drafted,lines,currency,budget" doc:"Why it drafts the article, or leaves it out."`
		Sentence  string     `json:"sentence"`
		Outcome   string     `json:"outcome" enum:"none,drafted,submitted,refused,undone,kept"`
		Note      string     `json:"note,omitempty" doc:"Why it was refused, not submitted, or kept."`
		LineID    *string    `json:"line_id,omitempty"`
		OrderNo   string     `json:"order_no,omitempty"`
	}
	runDecisionsJSON struct {
		Items []runDecisionJSON `json:"items"`
		Next  string            `json:"next_cursor,omitempty" doc:"Absent on the last page."`
	}
	// OneRun names a run of the agent.
	OneRun struct {
		InWorkspace
		Run uuid.UUID `path:"run" format:"uuid"`
	}
)

// agentOperations start the procurement agent, and show what it did.
func (s *Server) agentOperations(a *appAPI) {
	const path = "workspaces/{workspace}/procurement/runs"
	register(a, operation{
		id: "startAgentRun", method: http.MethodPost, path: path, tag: procurementTag, needs: auth.DraftLines,
		status: http.StatusCreated, summary: "Start the procurement agent",
		about: "It decides about everything in the queue that is to be ordered, drafts what nothing speaks against, and submits it if the playbook allows that. It never approves. A workspace has one run at a time (409, agent_at_work).",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Dry bool `json:"dry,omitempty" doc:"Only decide, and draft nothing."`
		}
	}) (*body[runJSON], error) {
		run, err := s.Procure.StartRun(ctx, by(ctx).Principal, in.Body.Dry)
		return s.oneRun(ctx, run, err)
	})
	register(a, operation{
		id: "listAgentRuns", method: http.MethodGet, path: path, tag: procurementTag, needs: auth.Read,
		summary: "Runs of the procurement agent, the newest first",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
	}) (*body[list[runJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		runs, more, err := s.Procure.Runs(ctx, by(ctx).Principal, want)
		if err != nil {
			return nil, err
		}
		items, err := s.toRuns(ctx, runs)
		return listed(items, more, func(one runJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "getAgentRun", method: http.MethodGet, path: path + "/{run}", tag: procurementTag, needs: auth.Read,
		summary: "Get a run of the procurement agent",
	}, func(ctx context.Context, in *OneRun) (*body[runJSON], error) {
		run, err := s.Procure.Run(ctx, by(ctx).Principal, in.Run)
		return s.oneRun(ctx, run, err)
	})
	s.agentDecisionOperations(a, path+"/{run}")
}

// agentDecisionOperations show what a run decided, and take it back.
func (s *Server) agentDecisionOperations(a *appAPI, path string) {
	register(a, operation{
		id: "listAgentDecisions", method: http.MethodGet, path: path + "/decisions", tag: procurementTag, needs: auth.Read,
		summary: "What the procurement agent decided in a run, and why",
		about:   "In the order in which it decided: the most urgent first.",
	}, func(ctx context.Context, in *struct {
		OneRun
		Which  string `query:"which" enum:"chosen,skipped" doc:"Default: all."`
		Cursor string `query:"cursor" maxLength:"20" doc:"next_cursor of the page before."`
		Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	}) (*body[runDecisionsJSON], error) {
		after, err := strconv.ParseInt("0"+in.Cursor, 10, 64)
		if err != nil {
			return nil, fault.InField("cursor", "cursor", "this cursor is not one that the list has returned")
		}
		decisions, more, err := s.Procure.Decisions(ctx, by(ctx).Principal, in.Run, procure.Which(in.Which), after, in.Limit)
		page := runDecisionsJSON{Items: []runDecisionJSON{}}
		for _, d := range decisions {
			page.Items = append(page.Items, toRunDecision(d))
		}
		if more {
			page.Next = strconv.FormatInt(decisions[len(decisions)-1].N, 10)
		}
		return &body[runDecisionsJSON]{page}, err
	})
	register(a, operation{
		id: "undoAgentRun", method: http.MethodPost, path: path + "/undo", tag: procurementTag, needs: auth.ChangeLines,
		summary: "Undo a run of the procurement agent",
		about:   "Cancels the lines that are as the agent left them, and keeps those that somebody has changed or approved since. The articles are suggested again at once. One call cancels at most 500 lines; if more are left, call it again.",
	}, func(ctx context.Context, in *OneRun) (*body[runJSON], error) {
		run, err := s.Procure.Undo(ctx, by(ctx).Principal, in.Run)
		return s.oneRun(ctx, run, err)
	})
}

func (s *Server) oneRun(ctx context.Context, run procure.Run, err error) (*body[runJSON], error) {
	if err != nil {
		return nil, err
	}
	runs, err := s.toRuns(ctx, []procure.Run{run})
	if err != nil {
		return nil, err
	}
	return &body[runJSON]{runs[0]}, nil
}

// toRuns returns runs with the names of those who started and undid them.
func (s *Server) toRuns(ctx context.Context, runs []procure.Run) ([]runJSON, error) {
	var actors []auth.Actor
	for _, run := range runs {
		actors = append(actors, run.StartedBy)
		if run.UndoneBy != nil {
			actors = append(actors, *run.UndoneBy)
		}
	}
	names, err := s.Query.Names(ctx, by(ctx).Tenant, actors)
	var out []runJSON
	for _, r := range runs {
		one := runJSON{
			ID: r.ID, Dry: r.Dry, Day: dateText(r.Day), Status: string(r.Status), Message: r.Message,
			StartedBy: toActor(r.StartedBy, names[r.StartedBy]), CreatedAt: r.CreatedAt.UTC(), DecidedAt: utc(r.DecidedAt),
			EndedAt: utc(r.EndedAt), UndoneAt: utc(r.UndoneAt), QueueComputedAt: r.QueueComputedAt, ConfigVersion: r.ConfigVersion,
			Revision: r.PlaybookRevision, Chosen: r.Chosen, Skipped: r.Skipped, Drafted: r.Drafted, Submitted: r.Submitted,
			Refused: r.Refused, Undone: r.Undone, Kept: r.Kept,
		}
		if r.UndoneBy != nil {
			one.UndoneBy = toActor(*r.UndoneBy, names[*r.UndoneBy])
		}
		out = append(out, one)
	}
	return out, err
}

func toRunDecision(d procure.RunDecision) runDecisionJSON {
	out := runDecisionJSON{N: d.N, ProductID: d.Product, Key: d.Key, SKU: d.SKU, Name: d.Name, Quantity: d.Quantity.String(),
		Cost: decimalText(d.Cost), Currency: d.Currency, Rule: string(d.Rule), Sentence: d.Sentence, Outcome: d.Outcome, Note: d.Note,
		LineID: d.Line, OrderNo: d.OrderNo}
	if d.Supplier != "" {
		out.Supplier = &namedJSON{ID: d.Supplier, Name: d.SupplierName}
	}
	return out
}
