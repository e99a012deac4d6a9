package mcpserver

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/thread"
)

type (
	purchaseOrderCommentCreateIn struct {
		OrderNo string `json:"order_no" jsonschema:"The order's number."`
		Text    string `json:"text" jsonschema:"At most 2,000 characters. It stays."`
		Run     string `json:"run_id,omitzero" jsonschema:"The run that this call belongs to."`
	}
	purchaseOrderCommentCreateOut struct {
		Notice string    `json:"notice"`
		ID     uuid.UUID `json:"id"`
		At     time.Time `json:"at"`
	}
)

func purchaseOrderCommentCreate(s *Server) tool {
	return define(about{
		name: "purchase_order_comment_create", title: "Comment on an order", needs: auth.DiscussOrders, changes: true,
		description: "Adds a comment to a purchase order's timeline, for the people who work on it. No supplier sees it. Read purchase_order_timeline_get first.",
	}, func(ctx context.Context, by auth.Principal, in purchaseOrderCommentCreateIn) (out purchaseOrderCommentCreateOut,
		err error) {
		entry, err := s.Threads.Add(ctx, by, in.OrderNo, thread.Entry{Kind: thread.Comment, Text: in.Text})
		return purchaseOrderCommentCreateOut{notice, entry.ID, entry.At.UTC()}, err
	})
}
