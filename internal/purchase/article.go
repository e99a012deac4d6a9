package purchase

import (
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// ArticleKey is what lines and recommendations name an article by.
type ArticleKey struct{ ID, Identity, SKU string }

// errBothAnswered keeps two lines that were drafted for two recommendations from answering one.
var errBothAnswered = fault.New(fault.Conflict, "both_recommended",
	"both articles have an open line that was drafted for a recommendation; cancel one of the two, or wait until one has arrived")

// MoveArticle makes the lines of an article lines of another, in the caller's transaction: the two turned out to be one.
// What was approved stays approved, because nothing else is bought; snapshots stay; a recommendation that an open line holds
// becomes one of the other article. It returns how many lines were moved. Their SKU and both articles are locked.
func MoveArticle(ctx context.Context, tx pgx.Tx, by auth.Principal, from, to ArticleKey) (moved int, err error) {
	c := &change{by: by, action: Edit, reason: "its article was merged", queries: q.New(tx), tx: tx}
	was, is := RecommendationsOf(by.Tenant, from.Identity), RecommendationsOf(by.Tenant, to.Identity)
	ids, err := c.queries.ListLinesOf(ctx, q.ListLinesOfParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, ProductID: from.ID, FromKey: was, UntilKey: was + ":"})
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	rows, err := c.lock(ctx, ids)
	if err != nil {
		return 0, err
	}
	if err := c.lockOrders(ctx, rows); err != nil {
		return 0, err
	}
	answers, err := c.answers(ctx, is)
	if err != nil {
		return 0, err
	}
	next := newest(answers) + 1
	for i := range rows {
		r := &rows[i]
		before := *r
		if r.ProductID != nil && *r.ProductID == from.ID {
			r.nameArticle(from.ID, to.ID)
		}
		if r.RecommendationKey != nil && RecommendationsLike(*r.RecommendationKey) == was {
			r.RecommendationKey = nil // of a closed line, so that it takes no need back when it is opened again
			if r.holds() {
				if slices.ContainsFunc(answers, func(a answer) bool { return a.holds }) {
					return 0, errBothAnswered
				}
				r.RecommendationKey = new(is + strconv.Itoa(next))
				next++
				err := c.queries.MoveSuggestion(ctx, q.MoveSuggestionParams{
					TenantID: by.Tenant, Was: *before.RecommendationKey, Becomes: *r.RecommendationKey, ProductID: to.ID})
				if err != nil {
					return 0, err
				}
			}
		}
		if err := c.store(ctx, before, r); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// nameArticle makes a line and its approval name another article, which is the same one.
func (r *row) nameArticle(from, to string) {
	changed := r.changed()
	r.ProductID = &to
	if approved := r.approval.ApprovedProductID; approved != nil && *approved == from {
		r.approval.ApprovedProductID = &to
	}
	if r.approval.MoneyHash != nil && !changed {
		r.approval.MoneyHash = r.moneyHash()
	}
}

// holds reports whether the line keeps others from answering its recommendation, if it has one.
func (r *row) holds() bool { return r.Status != string(Received) && r.Status != string(Cancelled) }
