package mcpserver

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/procure"
)

// mostDecisions is how many decisions of a run are shown: those to draft come first.
const mostDecisions = 40

type (
	procurementRunIn struct {
		ID      uuid.UUID `json:"id,omitzero" jsonschema:"Shows this run instead of starting one."`
		Confirm bool      `json:"confirm,omitzero" jsonschema:"Drafts. Default: a dry run, which only decides."`
		Run     string    `json:"run_id,omitzero" jsonschema:"The run of this call."`
	}
	procurementRunOut struct {
		Notice    string          `json:"notice"`
		Run       string          `json:"run_id"`
		ID        uuid.UUID       `json:"id"`
		Status    string          `json:"status"`
		Message   string          `json:"message,omitzero"`
		Dry       bool            `json:"dry"`
		Drafted   int64           `json:"drafted"`
		Submitted int64           `json:"submitted"`
		Refused   int64           `json:"refused"`
		Skipped   int64           `json:"left_out"`
		Decisions []shownDecision `json:"decisions"`
		More      bool            `json:"more"`
	}
	shownDecision struct {
		Key      string `json:"recommendation_key"`
		Article  string `json:"article"`
		Sentence string `json:"sentence"`
		Outcome  string `json:"outcome"`
		Note     string `json:"note,omitzero"`
		Line     string `json:"line_id,omitzero"`
		OrderNo  string `json:"order_no,omitzero"`
	}
)

func procurementRun(s *Server) tool {
	return define(about{
		name: "procurement_run", title: "Run the procurement agent", needs: auth.DraftLines, changes: true,
		description: "Has the built-in agent decide about all that is to be ordered, and draft it if confirmed. It works in the background: ask again with the id.",
	}, func(ctx context.Context, by auth.Principal, in procurementRunIn) (out procurementRunOut, err error) {
		var run procure.Run
		if in.ID == uuid.Nil {
			run, err = s.Procure.StartRun(ctx, by, !in.Confirm)
		} else {
			run, err = s.Procure.Run(ctx, by, in.ID)
		}
		if err != nil {
			return out, err
		}
		decisions, more, err := s.Procure.Decisions(ctx, by, run.ID, procure.AllDecisions, 0, mostDecisions)
		out = procurementRunOut{notice, by.Run, run.ID, string(run.Status), run.Message, run.Dry, run.Drafted, run.Submitted, run.Refused,
			run.Skipped, []shownDecision{}, more}
		for _, d := range decisions {
			shown := shownDecision{Key: d.Key, Article: *clipped(&d.Name), Sentence: *clipped(&d.Sentence), Outcome: d.Outcome,
				Note: *clipped(&d.Note), OrderNo: d.OrderNo}
			if d.Line != nil {
				shown.Line = *d.Line
			}
			out.Decisions = append(out.Decisions, shown)
		}
		return out, err
	})
}
