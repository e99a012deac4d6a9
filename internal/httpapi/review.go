package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/procure"
)

type (
	lastPriceJSON struct {
		Price     string     `json:"price_per_unit"`
		OrderNo   string     `json:"order_no"`
		OrderedAt *time.Time `json:"ordered_at,omitempty"`
	}
	reviewedLineJSON struct {
		ID          string         `json:"id"`
		Available   *float64       `json:"available,omitempty" doc:"Absent if the stock is unknown."`
		OnOrder     float64        `json:"on_order" doc:"Of the article, on ordered lines. Lines that wait for approval are not in it."`
		PerDay      float64        `json:"demand_per_day"`
		CoverBefore *float64       `json:"cover_days,omitempty" doc:"For how many days stock and ordered lines last. Absent if that is not known."`
		CoverAfter  *float64       `json:"cover_days_with_line,omitempty" doc:"The same with this line."`
		Stockout    *string        `json:"projected_stockout_date,omitempty" format:"date" doc:"Without this line. Absent if the stock lasts."`
		Suggested   *float64       `json:"suggested_quantity,omitempty" doc:"When the line was drafted, if it was drafted for a suggestion, else today."`
		Reason      string         `json:"reason,omitempty" doc:"Why the line was suggested. Absent if it was not drafted for a suggestion."`
		Last        *lastPriceJSON `json:"last_price,omitempty" doc:"When the article was last ordered in the same currency."`
	}
	reviewJSON struct {
		Hindrance string             `json:"hindrance,omitempty" doc:"Why the caller cannot approve the order: they had a part in it, or it exceeds their limit. Absent if nothing hinders them."`
		Month     monthJSON          `json:"month" doc:"What is spent this month, with these lines among the drafted."`
		Lines     []reviewedLineJSON `json:"lines" doc:"The lines that wait for approval, the first 500."`
	}
)

// reviewOperation shows approvers what speaks for an order, and against it.
func (s *Server) reviewOperation(a *appAPI) {
	register(a, operation{
		id: "reviewPurchaseOrder", method: http.MethodGet, path: "workspaces/{workspace}/purchase-orders/{order}/review",
		tag: purchaseTag, needs: auth.Read,
		summary: "Get what an approver wants to know of an order",
		about:   "Stock, demand, suggestions and earlier prices of the lines that wait for approval, and the month's budget.",
	}, func(ctx context.Context, in *OneOrder) (*body[reviewJSON], error) {
		review, err := s.Procure.Review(ctx, by(ctx).Principal, in.Order)
		if err != nil {
			return nil, err
		}
		out := reviewJSON{Hindrance: review.Hindrance, Month: toMonth(review.Month), Lines: []reviewedLineJSON{}}
		for _, line := range review.Lines {
			out.Lines = append(out.Lines, toReviewedLine(line))
		}
		return &body[reviewJSON]{out}, nil
	})
}

func toReviewedLine(l procure.ReviewedLine) reviewedLineJSON {
	out := reviewedLineJSON{ID: l.ID, Available: l.Available, OnOrder: l.OnOrder, PerDay: l.PerDay, CoverBefore: l.CoverBefore,
		CoverAfter: l.CoverAfter, Stockout: dayText(l.Stockout), Suggested: l.Suggested, Reason: l.Reason}
	if l.Last != nil {
		out.Last = &lastPriceJSON{l.Last.Price.String(), l.Last.OrderNo, l.Last.At}
	}
	return out
}
