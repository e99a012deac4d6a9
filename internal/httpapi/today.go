package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/freshness"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/today"
)

type (
	partJSON struct {
		Orders int64 `json:"orders"`
		Lines  int64 `json:"lines"`
	}
	amountJSON struct {
		Currency string `json:"currency,omitempty" doc:"Absent if none was named."`
		Amount   string `json:"amount" example:"12.50"`
	}
	// staleJSON says that something is not computed any more.
	staleJSON struct {
		Part  freshness.Part `json:"part" enum:"product_demand,procurement_queue" doc:"What was not computed. Without a current demand, the queue is not current either."`
		Since time.Time      `json:"since" doc:"What was stored later is not in it."`
	}
	approvalsJSON struct {
		Orders  int64        `json:"orders"`
		Lines   int64        `json:"lines"`
		Since   *time.Time   `json:"since,omitempty" doc:"When the oldest was submitted. Absent if nothing waits."`
		Totals  []amountJSON `json:"totals"`
		LeftOut int64        `json:"left_out" doc:"Lines that are in no amount, because their quantity or price is not plausible."`
	}
	topArticleJSON struct {
		ProductID         string  `json:"product_id"`
		SKU               string  `json:"sku,omitempty"`
		Name              string  `json:"name"`
		Urgency           string  `json:"urgency" enum:"critical,high,medium,low"`
		Stockout          *string `json:"projected_stockout_date,omitempty" format:"date"`
		SuggestedQuantity float64 `json:"suggested_quantity"`
	}
	suggestedJSON struct {
		Articles int64            `json:"articles"`
		Critical int64            `json:"critical"`
		Cost     []amountJSON     `json:"cost" doc:"Articles without a price cost nothing here."`
		LeftOut  int64            `json:"left_out" doc:"Articles that are in no amount, because their cost is not plausible."`
		Top      []topArticleJSON `json:"top" doc:"The five most urgent."`
	}
	deliveryJSON struct {
		Orders  int64        `json:"orders"`
		Lines   int64        `json:"lines"`
		Open    []amountJSON `json:"open" doc:"The value of what is still to come. Lines without a price have none."`
		LeftOut int64        `json:"left_out" doc:"Lines that are in no amount, because their quantity or price is not plausible."`
	}
	deliveriesJSON struct {
		Late    deliveryJSON `json:"late" doc:"Expected before today."`
		Today   deliveryJSON `json:"today"`
		Soon    deliveryJSON `json:"soon" doc:"Expected in the seven days after today."`
		Later   deliveryJSON `json:"later" doc:"Expected after that."`
		Undated deliveryJSON `json:"undated" doc:"Without an expected day."`
	}
	dataHealthJSON struct {
		Refused    int64        `json:"refused" doc:"Open failed imports."`
		RefusedCut bool         `json:"refused_cut" doc:"There are more."`
		Orders     int64        `json:"orders" doc:"Refused orders of which nothing is stored and whose total can be read."`
		Worth      []amountJSON `json:"worth" doc:"Their totals, by currency."`
		LeftOut    int64        `json:"left_out" doc:"Of these orders, those that are in no total, because theirs is not plausible."`
		OrdersCut  bool         `json:"orders_cut" doc:"There may be more."`
		StockAt    *time.Time   `json:"stock_at,omitempty" doc:"When the last record of an article came, if that is longer ago than stock_stale_hours of the playbook."`
	}
	yesterdayJSON struct {
		Day          string  `json:"day" format:"date"`
		Currency     string  `json:"currency,omitempty" doc:"The workspace's."`
		Orders       string  `json:"orders"`
		Net          string  `json:"net"`
		UsualOrders  string  `json:"usual_orders" doc:"The mean of the same weekday of the weeks before."`
		UsualNet     string  `json:"usual_net"`
		OrdersChange *string `json:"orders_change,omitempty" doc:"The difference in percent. Absent if nothing is usual."`
		NetChange    *string `json:"net_change,omitempty"`
		Weekdays     int     `json:"weekdays" doc:"How many days the mean is of."`
		LeftOut      int64   `json:"left_out" doc:"Lines of these days that are in no figure, because their quantity or amount is not plausible."`
		Unconverted  int64   `json:"unconverted_lines" doc:"Lines of the day that are in no amount, as their currency has no rate."`
	}
	agentWorkJSON struct {
		Since     time.Time `json:"since" doc:"The first moment of yesterday."`
		Runs      int64     `json:"runs"`
		Drafted   int64     `json:"drafted" doc:"Lines."`
		Submitted int64     `json:"submitted"`
		Refused   int64     `json:"refused"`
		Cut       bool      `json:"cut" doc:"There were more runs."`
	}
	todayJSON struct {
		Flows      bool            `json:"flows" doc:"At least one table has rows."`
		Approvals  *approvalsJSON  `json:"approvals,omitempty" doc:"What waits for your approval. Absent if you may not approve."`
		SentBack   *partJSON       `json:"sent_back,omitempty" doc:"Lines that were sent back to you. Absent if you may not draft."`
		Mine       *partJSON       `json:"mine,omitempty" doc:"Your drafts. Absent if you may not draft."`
		ToOrder    *suggestedJSON  `json:"to_order,omitempty" doc:"Absent before the queue was first computed."`
		Stale      *staleJSON      `json:"stale,omitempty" doc:"Absent while the demand and the queue are computed from all that came."`
		Deliveries deliveriesJSON  `json:"deliveries"`
		Data       *dataHealthJSON `json:"data,omitempty" doc:"Absent if you may not see failed imports."`
		Yesterday  *yesterdayJSON  `json:"yesterday,omitempty" doc:"Absent with fewer than four weekdays to compare with."`
		Agents     agentWorkJSON   `json:"agents"`
	}
)

// todayOperations show the first page of a workspace.
func (s *Server) todayOperations(a *appAPI) {
	register(a, operation{
		id: "getToday", method: http.MethodGet, path: "workspaces/{workspace}/today", tag: "Today", needs: auth.Read,
		summary: "What there is to do today",
		about:   "The counts are those of the lists. Parts that your role may not see are absent.",
	}, func(ctx context.Context, _ *InWorkspace) (*body[todayJSON], error) {
		day, err := s.Today.Read(ctx, by(ctx).Principal)
		return &body[todayJSON]{toTodayJSON(day)}, err
	})
}

func toTodayJSON(t today.Today) todayJSON {
	out := todayJSON{
		Flows: t.Flows, Stale: toStale(t.Lag), SentBack: toPart(t.Lines.SentBack), Mine: toPart(t.Lines.Mine),
		Deliveries: toDeliveries(t.Lines.Deliveries),
		Agents: agentWorkJSON{t.Agents.Since.UTC(), t.Agents.Runs, t.Agents.Drafted, t.Agents.Submitted, t.Agents.Refused,
			t.Agents.Cut},
	}
	if p := t.Lines.Pending; p != nil {
		out.Approvals = &approvalsJSON{Orders: p.Orders, Lines: p.Lines, Totals: toAmounts(p.Totals), LeftOut: p.LeftOut}
		if p.Lines > 0 {
			out.Approvals.Since = utc(&p.Since)
		}
	}
	if order := t.ToOrder; order != nil {
		out.ToOrder = &suggestedJSON{Articles: order.Articles, Critical: order.Critical, Cost: toAmounts(order.Cost),
			LeftOut: order.LeftOut, Top: []topArticleJSON{}}
		for _, r := range order.Top {
			out.ToOrder.Top = append(out.ToOrder.Top, topArticleJSON{r.Product, r.SKU, r.Name, string(r.Urgency),
				dateText(r.Stockout), r.Suggested})
		}
	}
	if d := t.Data; d != nil {
		out.Data = &dataHealthJSON{d.Refused, d.RefusedCut, d.Orders, toAmounts(d.Worth), d.LeftOut, d.OrdersCut, utc(d.StockAt)}
	}
	if y := t.Yesterday; y != nil {
		orders, net := y.Sold.Change(y.Usual)
		out.Yesterday = &yesterdayJSON{
			Day: y.Day.Format(time.DateOnly), Currency: y.Currency, Orders: y.Sold.Orders.String(), Net: y.Sold.Net.String(),
			UsualOrders: y.Usual.Orders.String(), UsualNet: y.Usual.Net.String(), OrdersChange: decimalText(orders),
			NetChange: decimalText(net), Weekdays: y.Days, Unconverted: y.Unconverted, LeftOut: y.LeftOut,
		}
	}
	return out
}

func toStale(lag *freshness.Lag) *staleJSON {
	if lag == nil {
		return nil
	}
	return &staleJSON{lag.Part, lag.Since.UTC()}
}

func toPart(p *purchase.Part) *partJSON {
	if p == nil {
		return nil
	}
	return &partJSON{p.Orders, p.Lines}
}

func toDeliveries(d purchase.Deliveries) deliveriesJSON {
	part := func(p purchase.Part) deliveryJSON {
		return deliveryJSON{p.Orders, p.Lines, toAmounts(p.Open), p.LeftOut}
	}
	return deliveriesJSON{part(d.Late), part(d.Today), part(d.Soon), part(d.Later), part(d.Undated)}
}

func toAmounts(sums []purchase.Amount) []amountJSON {
	out := []amountJSON{}
	for _, sum := range sums {
		out = append(out, amountJSON{sum.Currency, sum.Amount.String()})
	}
	return out
}
