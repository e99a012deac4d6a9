package mcpserver

import (
	"context"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

type (
	purchaseOrderLineSubmitIn struct {
		Lines []lineRef `json:"lines" jsonschema:"The drafts to submit. All are submitted, or none."`
		Run   string    `json:"run_id,omitzero" jsonschema:"The run that this call belongs to, for the audit log."`
	}
	lineRef struct {
		ID      string `json:"id" jsonschema:"The line's id."`
		Version int64  `json:"version" jsonschema:"The version that you saw. If the line has changed since, nothing is done."`
	}
	purchaseOrderLineSubmitOut struct {
		Notice string      `json:"notice"`
		Lines  []shortLine `json:"lines"`
	}
)

func purchaseOrderLineSubmit(s *Server) tool {
	return define(about{
		name: "purchase_order_line_submit", title: "Submit purchase order lines", needs: auth.SubmitLines, changes: true,
		description: "Asks people to approve draft lines. An agent can submit only its own drafts, a person's token any. Quantity, supplier, price and currency must be set. Only people can approve.",
	}, func(ctx context.Context, by auth.Principal, in purchaseOrderLineSubmitIn) (out purchaseOrderLineSubmitOut,
		err error) {
		if len(in.Lines) == 0 || len(in.Lines) > mostDrafts {
			return out, wrong("lines", "submit between 1 and %d lines", mostDrafts)
		}
		refs := make([]purchase.Ref, 0, len(in.Lines))
		for _, line := range in.Lines {
			refs = append(refs, purchase.Ref(line))
		}
		lines, err := s.Purchase.Submit(ctx, by, refs)
		return purchaseOrderLineSubmitOut{notice, toShortLines(lines)}, err
	})
}
