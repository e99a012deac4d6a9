package mcpserver

import (
	"context"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/procure"
)

type (
	procurementDraftCreateIn struct {
		Key      string `json:"recommendation_key" jsonschema:"From procurement_queue_list."`
		Quantity amount `json:"quantity,omitzero" jsonschema:"Default: as suggested."`
		Note     string `json:"note,omitzero" jsonschema:"For the people who approve."`
		Run      string `json:"run_id,omitzero" jsonschema:"The run of this call."`
	}
	procurementDraftCreateOut struct {
		Notice string    `json:"notice"`
		Run    string    `json:"run_id"`
		Line   shortLine `json:"line"`
	}
)

func procurementDraftCreate(s *Server) tool {
	return define(about{
		name: "procurement_draft_create", title: "Draft a recommendation", needs: auth.DraftLines, changes: true,
		description: "Drafts the line of a recommendation, which has at most one: a second call is refused and told which line it is. Submit it with purchase_order_line_submit.",
	}, func(ctx context.Context, by auth.Principal, in procurementDraftCreateIn) (out procurementDraftCreateOut, err error) {
		lines, err := s.Procure.Draft(ctx, by,
			[]procure.Pick{{Key: in.Key, Quantity: given(string(in.Quantity)), Note: given(in.Note)}}, false)
		if err != nil {
			return out, err
		}
		return procurementDraftCreateOut{notice, by.Run, toShortLines(lines)[0]}, nil
	})
}
