package procure

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// Review is what an approver wants to know of an order before they decide.
type Review struct {
	Hindrance string // why the caller could not approve it as it is; empty: nothing known
	Month     purchase.Month
	Lines     []ReviewedLine // those that wait for approval
}

// ReviewedLine is what speaks for a line, and against it.
type ReviewedLine struct {
	ID                      string
	Available               *float64 // nil: unknown
	OnOrder, PerDay         float64  // without this line, which is not ordered yet
	CoverBefore, CoverAfter *float64 // days; with what is on order, and with this line too; nil: not known
	Stockout                *time.Time
	Suggested               *float64 // when the line was drafted for it, else today; nil: the article is not known
	Reason                  string   // of the suggestion that it was drafted for; empty: it was not
	Last                    *LastPrice
}

// LastPrice is what an article cost when it was last ordered.
type LastPrice struct {
	Price   decimal.Decimal
	OrderNo string
	At      *time.Time
}

// MostReviewed is how many lines a review has: as many as one call can approve.
const MostReviewed = 500

// Review looks at the lines of an order that wait for approval.
func (s *Service) Review(ctx context.Context, by auth.Principal, orderNo string) (review Review, err error) {
	if err := by.Require(auth.Read); err != nil {
		return review, err
	}
	if _, err := s.purchase.Order(ctx, by, orderNo); err != nil {
		return review, err
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if review.Hindrance, err = purchase.Hindrance(ctx, queries, by, orderNo); err != nil {
			return err
		}
		review.Month, err = purchase.ThisMonth(ctx, queries, by.Tenant, by.Workspace, time.Now().In(by.Zone))
		if err != nil {
			return err
		}
		rows, err := queries.ReviewLines(ctx, q.ReviewLinesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			OrderNo: orderNo, Most: MostReviewed})
		for _, r := range rows {
			review.Lines = append(review.Lines, newReviewedLine(r))
		}
		return err
	})
	return review, err
}

func newReviewedLine(r q.ReviewLinesRow) ReviewedLine {
	l := ReviewedLine{ID: r.ID, Available: r.Available, OnOrder: r.OnOrder, PerDay: r.DemandPerDay,
		CoverBefore: r.DaysOfCoverInclOpen, Stockout: at(r.ProjectedStockoutDate),
		Suggested: cmp.Or(r.DraftedFor, r.SuggestedQuantity), Reason: r.Reason}
	if r.DaysOfCoverInclOpen != nil && r.Available != nil && r.DemandPerDay > 0 {
		l.CoverAfter = new(coverWith(*r.DaysOfCoverInclOpen, *r.Available+r.OnOrder, r.DemandPerDay, r.QuantityOrdered.InexactFloat64()))
	}
	if r.LastPrice != nil {
		l.Last = &LastPrice{Price: *r.LastPrice, OrderNo: r.LastOrderNo, At: r.LastOrderedAt}
	}
	return l
}

// coverWith returns for how many days the stock lasts with another quantity. Cover is never negative, but
// the stock is where more is promised than there is: that part of the quantity is gone at once.
func coverWith(cover, stock, perDay, quantity float64) float64 {
	if cover > 0 {
		return cover + quantity/perDay
	}
	return max(0, stock+quantity) / perDay
}
