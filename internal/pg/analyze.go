package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Analyze tells PostgreSQL's planner, as the owner, how large the tables of records have become.
// The server does the same by itself, but only minutes after they have grown.
func Analyze(ctx context.Context, ownerURL string) error {
	db, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return explain(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(ctx)) }()
	_, err = db.Exec(ctx, `ANALYZE workspace.suppliers, workspace.products, workspace.customers, workspace.orders,
		workspace.order_line_items, workspace.purchase_orders, workspace.purchase_order_sums,
		workspace.purchase_order_lines, workspace.line_approvals, workspace.receipts, workspace.stock_history,
		workspace.search_tokens`)
	return err
}
