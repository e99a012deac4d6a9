package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

type (
	reasonPartJSON struct {
		Text string `json:"text"`
		Of   string `json:"of,omitempty" enum:"demand,stock,open_orders,lead_time,arrival,target,rounding,accuracy,stockout" doc:"What the number is about. Absent for plain text."`
	}
	recommendationLockJSON struct {
		LineID   string          `json:"line_id"`
		OrderNo  string          `json:"order_no"`
		Status   purchase.Status `json:"status" enum:"draft,pending_approval"`
		Quantity string          `json:"quantity"`
	}
	dataGapsJSON struct {
		FailedImports  int `json:"failed_imports" doc:"Open failed imports that name the article."`
		UnmatchedLines int `json:"unmatched_lines" doc:"Order lines with its SKU or variant that match no article."`
		WaitingLines   int `json:"waiting_lines" doc:"Its order lines whose orders have not come for ten minutes, or were refused."`
		// Implausible lines are stored, and in no figure.
		ImplausibleLines int `json:"implausible_lines" doc:"Its order lines that are in no figure, because their date, quantity or amount is not plausible."`
		ImplausibleDates int `json:"implausible_dates" doc:"Its ordered lines with a date of order or arrival that is not plausible. Such a date counts as not given."`
	}
	recommendationJSON struct {
		Key               string                  `json:"recommendation_key" doc:"Names the need. It stays the same when the row is computed again."`
		ProductID         string                  `json:"product_id"`
		SKU               string                  `json:"sku,omitempty"`
		Name              string                  `json:"name"`
		Family            string                  `json:"family,omitempty"`
		Supplier          *namedJSON              `json:"supplier,omitempty"`
		Group             string                  `json:"group" enum:"order,expedite,upcoming,drafted,put_off,none"`
		Action            string                  `json:"action" enum:"order,expedite,upcoming,none"`
		Urgency           string                  `json:"urgency" enum:"critical,high,medium,low"`
		Blocked           string                  `json:"blocked_reason,omitempty" doc:"Why agents may not order it. People may, after confirming."`
		AsOf              string                  `json:"as_of" format:"date"`
		Available         *float64                `json:"available,omitempty" doc:"Absent if the stock is unknown."`
		OnOrder           float64                 `json:"open_purchase_order_quantity"`
		Drafted           float64                 `json:"draft_quantity"`
		Overdue           float64                 `json:"overdue_quantity"`
		NextArrival       *string                 `json:"next_arrival_date,omitempty" format:"date"`
		PerDay            float64                 `json:"demand_per_day"`
		DaysOfCover       *float64                `json:"days_of_cover,omitempty"`
		DaysOfCoverOpen   *float64                `json:"days_of_cover_incl_open,omitempty"`
		LeadDays          int                     `json:"lead_time_days"`
		LeadSource        string                  `json:"lead_time_source" enum:"product,article,supplier_learnt,supplier,default"`
		SafetyStock       float64                 `json:"safety_stock"`
		ReorderPoint      float64                 `json:"reorder_point"`
		TargetStock       float64                 `json:"target_stock"`
		Stockout          *string                 `json:"projected_stockout_date,omitempty" format:"date"`
		OrderBy           *string                 `json:"order_by_date,omitempty" format:"date"`
		EarliestArrival   *string                 `json:"earliest_arrival_date,omitempty" format:"date"`
		LateByDays        int                     `json:"late_by_days"`
		RawQuantity       float64                 `json:"raw_quantity"`
		SuggestedQuantity float64                 `json:"suggested_quantity"`
		OverbuyQuantity   float64                 `json:"overbuy_quantity"`
		Minimum           *string                 `json:"minimum,omitempty" doc:"The least that can be ordered."`
		Multiple          *string                 `json:"multiple,omitempty" doc:"Orders are multiples of it."`
		UnitPrice         *string                 `json:"unit_price,omitempty"`
		Currency          string                  `json:"currency,omitempty"`
		LineCost          *string                 `json:"line_cost,omitempty"`
		Lock              *recommendationLockJSON `json:"lock,omitempty" doc:"The line that answers the recommendation."`
		PutOffUntil       *string                 `json:"put_off_until,omitempty" format:"date"`
		Confidence        string                  `json:"confidence" enum:"high,medium,low"`
		Gaps              dataGapsJSON            `json:"data_gaps" doc:"What is missing in the figures."`
		Reason            []reasonPartJSON        `json:"reason" doc:"The arithmetic in one breath, in parts."`
		ComputedAt        time.Time               `json:"computed_at"`
	}
	recommendationsJSON struct {
		Items []recommendationJSON `json:"items"`
		Next  string               `json:"next_cursor,omitempty" doc:"Absent on the last page."`
	}
	supplierSumJSON struct {
		Supplier          *namedJSON `json:"supplier,omitempty" doc:"Absent for articles without one."`
		Currency          string     `json:"currency,omitempty" doc:"Absent for articles without a price."`
		Lines             int64      `json:"lines"`
		Critical          int64      `json:"critical"`
		Cost              string     `json:"cost"`
		LeftOut           int64      `json:"left_out" doc:"Lines that are in no cost, because theirs is not plausible."`
		MinOrderValue     *string    `json:"min_order_value,omitempty" doc:"The supplier's minimum, if it is in this currency."`
		FreeShippingValue *string    `json:"free_shipping_value,omitempty" doc:"From this value on the supplier ships free, if it is in this currency. It binds nobody."`
	}
	monthJSON struct {
		From       string  `json:"from" format:"date" doc:"The first day of the month."`
		Currency   string  `json:"currency,omitempty" doc:"The workspace's. Absent if it has none."`
		Budget     *string `json:"budget,omitempty" doc:"Absent if there is none."`
		Left       *string `json:"left,omitempty" doc:"What agents may still draft. Absent without a budget."`
		Ordered    string  `json:"ordered"`
		Drafted    string  `json:"drafted" doc:"Drafts, and lines that wait for approval."`
		NotCounted int64   `json:"not_counted" doc:"Lines in other currencies or without a price, which are not in these sums."`
		LeftOut    int64   `json:"left_out" doc:"Lines that are not in these sums, because their quantity or price is not plausible. They count against the budget."`
	}
	uncomputedJSON struct {
		ProductID string    `json:"product_id"`
		SKU       string    `json:"sku,omitempty"`
		Name      string    `json:"name"`
		Reason    string    `json:"reason" example:"the stock, 1e+308, is not plausible"`
		Since     time.Time `json:"since"`
	}
	queueSummaryJSON struct {
		AsOf       *string           `json:"as_of,omitempty" format:"date" doc:"Absent before the queue was first computed."`
		ComputedAt *time.Time        `json:"computed_at,omitempty" doc:"When all rows were computed."`
		Groups     map[string]int64  `json:"groups" doc:"Rows by group."`
		Suppliers  []supplierSumJSON `json:"suppliers" doc:"What to order by supplier and currency, the most urgent first."`
		Month      monthJSON         `json:"month" doc:"What is spent this month."`
		Stale      *staleJSON        `json:"stale,omitempty" doc:"Absent while the demand and the queue are computed from all that came."`
		Uncomputed []uncomputedJSON  `json:"not_computed" doc:"Articles that cannot be computed because of their data, and so are not suggested; at most 20."`
		More       bool              `json:"more_not_computed" doc:"There are others."`
	}
	pickJSON struct {
		Key       string  `json:"recommendation_key" maxLength:"60"`
		Quantity  *string `json:"quantity,omitempty" maxLength:"30" doc:"Absent: as suggested."`
		Supplier  *string `json:"supplier_id,omitempty" maxLength:"100" doc:"Absent: the article's. Another supplier's price is not known."`
		Price     *string `json:"price_per_unit,omitempty" maxLength:"30"`
		Currency  *string `json:"currency,omitempty" maxLength:"3"`
		ArrivesOn *string `json:"expected_arrival_date,omitempty" maxLength:"10" doc:"Absent: today and the lead time."`
		Note      *string `json:"note,omitempty" maxLength:"2000"`
		RestOn    *string `json:"rest_on,omitempty" format:"date" maxLength:"10" doc:"With a smaller quantity than suggested: the day on which the rest is suggested again, after the line is ordered. Absent: as short_order_cooldown_days of the playbook says."`
	}
)

const procurementTag = "Procurement"

// procurementOperations are about the queue of what to order.
func (s *Server) procurementOperations(a *appAPI) {
	const path = "workspaces/{workspace}/procurement/"
	register(a, operation{
		id: "listRecommendations", method: http.MethodGet, path: path + "queue", tag: procurementTag, needs: auth.Read,
		summary: "What to order, and why", about: "The most urgent first, then by the margin at risk. Articles that ask for nothing are not listed.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Group    string `query:"group" enum:"order,expedite,upcoming,drafted,put_off" doc:"Default: all."`
		Supplier string `query:"supplier" maxLength:"100" doc:"A supplier's id, or none for articles without one."`
		Text     string `query:"text" maxLength:"200" doc:"Text in the name or the SKU."`
		Cursor   string `query:"cursor" maxLength:"200" doc:"next_cursor of the page before."`
		Limit    int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	}) (*body[recommendationsJSON], error) {
		filter := procure.Filter{Group: procure.Group(in.Group), Search: in.Text, After: in.Cursor, Most: in.Limit}
		if in.Supplier != "" {
			filter.Supplier = new(in.Supplier)
			if in.Supplier == "none" {
				filter.Supplier = new("")
			}
		}
		rows, next, err := s.Procure.List(ctx, by(ctx).Principal, filter)
		page := recommendationsJSON{Items: []recommendationJSON{}, Next: next}
		for _, row := range rows {
			page.Items = append(page.Items, toRecommendation(row))
		}
		return &body[recommendationsJSON]{page}, err
	})
	register(a, operation{
		id: "summarizeQueue", method: http.MethodGet, path: path + "summary", tag: procurementTag, needs: auth.Read,
		summary: "How much there is to order, by group and supplier",
	}, func(ctx context.Context, _ *InWorkspace) (*body[queueSummaryJSON], error) {
		sum, err := s.Procure.Summarize(ctx, by(ctx).Principal)
		return &body[queueSummaryJSON]{toQueueSummary(sum)}, err
	})
	register(a, operation{
		id: "draftRecommendations", method: http.MethodPost, path: path + "drafts", tag: procurementTag,
		needs: auth.DraftLines, status: http.StatusCreated,
		summary: "Make drafts from recommendations",
		about:   "All lines are drafted, or none, with one new order for each supplier. A recommendation has at most one open line: a second draft is refused (409, recommendation_locked), and the refusal names the line that holds it. What agents may not order, and articles that were drafted apart from the queue, need a confirmation (409, recommendation_blocked or already_drafted). So does what came onto its way since the row was computed, and more than is suggested beside what is on its way (409, already_on_its_way, with those lines in details).",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Lines   []pickJSON `json:"lines" minItems:"1" maxItems:"200"`
			Confirm bool       `json:"confirm,omitempty" doc:"Confirms lines that need a look."`
		}
	}) (*body[list[lineJSON]], error) {
		var picks []procure.Pick
		for _, line := range in.Body.Lines {
			pick, err := line.pick()
			if err != nil {
				return nil, err
			}
			picks = append(picks, pick)
		}
		lines, err := s.Procure.Draft(ctx, by(ctx).Principal, picks, in.Body.Confirm)
		return toLines(lines, false), err
	})
	s.decisionOperations(a)
	s.explanationOperations(a)
	s.orderGridOperations(a)
	s.agentOperations(a)
	s.reviewOperation(a)
	s.trackRecordOperations(a)
}

// decisionOperations put recommendations off.
func (s *Server) decisionOperations(a *appAPI) {
	const path = "workspaces/{workspace}/procurement/queue/"
	register(a, operation{
		id: "dismissRecommendation", method: http.MethodPost, path: path + "dismiss", tag: procurementTag,
		needs: auth.DraftLines, status: http.StatusNoContent,
		summary: "Turn a recommendation down, with a reason",
		about:   "The article is not suggested again for as many days as rejection_cooldown_days of the playbook says, unless the need grows by half or becomes critical.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Key    string `json:"recommendation_key" maxLength:"60"`
			Reason string `json:"reason" minLength:"1" maxLength:"500" example:"Replaced by the new model"`
		}
	}) (*nothing, error) {
		return nil, s.Procure.Dismiss(ctx, by(ctx).Principal, in.Body.Key, in.Body.Reason)
	})
	register(a, operation{
		id: "snoozeRecommendation", method: http.MethodPost, path: path + "snooze", tag: procurementTag,
		needs: auth.DraftLines, status: http.StatusNoContent,
		summary: "Put a recommendation off until a day",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Key    string `json:"recommendation_key" maxLength:"60"`
			Until  string `json:"until" format:"date" maxLength:"10"`
			Reason string `json:"reason,omitempty" maxLength:"500"`
		}
	}) (*nothing, error) {
		until, err := dateIn("until", in.Body.Until)
		if err != nil {
			return nil, err
		}
		return nil, s.Procure.Snooze(ctx, by(ctx).Principal, in.Body.Key, until, in.Body.Reason)
	})
	register(a, operation{
		id: "restoreRecommendation", method: http.MethodPost, path: path + "restore", tag: procurementTag,
		needs: auth.DraftLines, status: http.StatusNoContent,
		summary: "Take back that a recommendation was put off",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Key string `json:"recommendation_key" maxLength:"60"`
		}
	}) (*nothing, error) {
		return nil, s.Procure.Restore(ctx, by(ctx).Principal, in.Body.Key)
	})
}

func (p pickJSON) pick() (procure.Pick, error) {
	pick := procure.Pick{Key: p.Key, Quantity: p.Quantity, Supplier: p.Supplier, Note: p.Note, Price: p.Price, Currency: p.Currency,
		ArrivesOn: p.ArrivesOn}
	if p.RestOn == nil {
		return pick, nil
	}
	day, err := dateIn("rest_on", *p.RestOn)
	pick.RestOn = &day
	return pick, err
}

func dateIn(field, text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, fault.InField(field, "date", "%s must be a date such as 2027-01-31", field)
	}
	return day, nil
}

func toRecommendation(r procure.Recommendation) recommendationJSON {
	out := recommendationJSON{
		Key: r.Key, ProductID: r.Product, SKU: r.SKU, Name: r.Name, Family: r.Family, Group: string(r.Group), Action: string(r.Action),
		Urgency: string(r.Urgency), Blocked: string(r.Blocked), AsOf: r.AsOf.Format(time.DateOnly), Available: r.Available,
		OnOrder: r.OnOrder, Drafted: r.Drafted, Overdue: r.Overdue, NextArrival: dateText(r.NextArrival), PerDay: r.PerDay,
		DaysOfCover: r.DaysOfCover, DaysOfCoverOpen: r.DaysOfCoverInclOpen, LeadDays: r.LeadDays,
		LeadSource: string(r.LeadSource), SafetyStock: r.SafetyStock, ReorderPoint: r.ReorderPoint, TargetStock: r.Target,
		Stockout: dateText(r.Stockout), OrderBy: dateText(r.OrderBy), EarliestArrival: dateText(r.EarliestArrival),
		LateByDays: r.LateByDays, RawQuantity: r.Raw, SuggestedQuantity: r.Suggested, OverbuyQuantity: r.Overbuy,
		Minimum: decimalText(r.Minimum), Multiple: decimalText(r.Multiple), UnitPrice: decimalText(r.Price), Currency: r.Currency,
		LineCost: decimalText(r.Cost), PutOffUntil: dateText(r.PutOffUntil), Confidence: r.Confidence,
		Gaps: dataGapsJSON{FailedImports: r.Gaps.FailedImports, UnmatchedLines: r.Gaps.Unmatched, WaitingLines: r.Gaps.Waiting, ImplausibleLines: r.Gaps.Implausible,
			ImplausibleDates: r.Gaps.Dates},
		Reason: toReason(r.Reason), ComputedAt: r.ComputedAt,
	}
	if r.Supplier != "" {
		out.Supplier = &namedJSON{ID: r.Supplier, Name: r.SupplierName}
	}
	if r.Lock != nil {
		out.Lock = &recommendationLockJSON{LineID: r.Lock.Line, OrderNo: r.Lock.OrderNo, Status: purchase.Status(r.Lock.Status),
			Quantity: r.Lock.Quantity.String()}
	}
	return out
}

func toReason(parts []procure.Part) []reasonPartJSON {
	out := []reasonPartJSON{}
	for _, part := range parts {
		out = append(out, reasonPartJSON{Text: part.Text, Of: string(part.Of)})
	}
	return out
}

func toQueueSummary(sum procure.Summary) queueSummaryJSON {
	out := queueSummaryJSON{AsOf: dateText(sum.AsOf), ComputedAt: sum.ComputedAt, Groups: map[string]int64{},
		Suppliers: []supplierSumJSON{}, Month: toMonth(sum.Month), Stale: toStale(sum.Lag), Uncomputed: []uncomputedJSON{},
		More: sum.MoreUncomputed}
	for _, one := range sum.Uncomputed {
		out.Uncomputed = append(out.Uncomputed, *toUncomputed(&one))
	}
	for _, group := range procure.Groups() {
		out.Groups[string(group)] = sum.Groups[group]
	}
	for _, one := range sum.Suppliers {
		row := supplierSumJSON{Currency: one.Currency, Lines: one.Lines, Critical: one.Critical, Cost: one.Cost.String(),
			LeftOut: one.LeftOut, MinOrderValue: decimalText(one.MinOrderValue), FreeShippingValue: decimalText(one.FreeShippingValue)}
		if one.Supplier != "" {
			row.Supplier = &namedJSON{ID: one.Supplier, Name: one.Name}
		}
		out.Suppliers = append(out.Suppliers, row)
	}
	return out
}

func toUncomputed(u *procure.Uncomputed) *uncomputedJSON {
	if u == nil {
		return nil
	}
	return &uncomputedJSON{ProductID: u.Product, SKU: u.SKU, Name: u.Name, Reason: u.Reason, Since: u.Since.UTC()}
}

func toMonth(m purchase.Month) monthJSON {
	out := monthJSON{From: m.From.Format(time.DateOnly), Currency: m.Currency, Budget: decimalText(m.Budget),
		Ordered: m.Ordered.Sub(m.LeftOut.Ordered).String(), Drafted: m.Drafted.Sub(m.LeftOut.Drafted).String(),
		NotCounted: m.Elsewhere, LeftOut: m.LeftOut.Lines}
	if left, limited := m.Left(); limited {
		out.Left = decimalText(&left)
	}
	return out
}
