package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/quayside/quayside/internal/auth"
)

type salesStateJSON struct {
	ReadTo      *time.Time `json:"read_to,omitempty" doc:"Whatever was stored before is in the figures. Absent before they were first computed."`
	Computing   bool       `json:"computing" doc:"True while all figures are computed again, after the workspace's settings changed for example. Some may be missing or old."`
	DemandAsOf  string     `json:"demand_as_of,omitempty" format:"date" doc:"The day as of which demand and seasons were computed. Absent if they never were."`
	DemandAt    *time.Time `json:"demand_at,omitempty" doc:"When the demand of all articles was last computed. Articles with new sales are computed in between."`
	Unmatched   int64      `json:"unmatched_lines" doc:"Order lines that match no article. They are in totals only; unmatched_lines lists them."`
	Unconverted int64      `json:"unconverted_lines" doc:"Order lines in another currency without a rate. They are in no amount."`
	LeftOut     int64      `json:"left_out_lines" maximum:"10000" doc:"Order lines that are in no figure, because their date, quantity or amount is not plausible. The count stops at 10,000."`
	Currencies  []string   `json:"unconverted_currencies" doc:"The currencies of the newest of these lines."`
}

// figureOperations are about figures that are computed from sales.
func (s *Server) figureOperations(a *appAPI) {
	register(a, operation{
		id: "getFigures", method: http.MethodGet, path: "workspaces/{workspace}/figures", tag: "Tables", needs: auth.Read,
		summary: "How current computed figures are, and what is missing in them",
		about:   "Concerns all computed views.",
	}, func(ctx context.Context, _ *InWorkspace) (*body[salesStateJSON], error) {
		state, err := s.Sales.State(ctx, by(ctx).Principal)
		out := salesStateJSON{Computing: state.Computing, DemandAsOf: state.DemandAsOf, DemandAt: utc(state.DemandAt),
			Unmatched: state.Unmatched, Unconverted: state.Unconverted, LeftOut: state.LeftOut, Currencies: append([]string{}, state.Currencies...)}
		if !state.ReadTo.IsZero() {
			out.ReadTo = utc(&state.ReadTo)
		}
		return &body[salesStateJSON]{out}, err
	})
}
