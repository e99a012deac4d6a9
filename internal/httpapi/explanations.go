package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
)

type (
	outcomeJSON struct {
		Action            string           `json:"action" enum:"order,expedite,upcoming,none"`
		Urgency           string           `json:"urgency" enum:"critical,high,medium,low"`
		PerDay            float64          `json:"demand_per_day"`
		SafetyStock       float64          `json:"safety_stock"`
		ReorderPoint      float64          `json:"reorder_point"`
		TargetStock       float64          `json:"target_stock"`
		RawQuantity       float64          `json:"raw_quantity"`
		SuggestedQuantity float64          `json:"suggested_quantity"`
		Stockout          *string          `json:"projected_stockout_date,omitempty" format:"date"`
		OrderBy           *string          `json:"order_by_date,omitempty" format:"date"`
		EarliestArrival   *string          `json:"earliest_arrival_date,omitempty" format:"date"`
		Projection        []stockDayJSON   `json:"projection" doc:"The projected stock at the end of each of the next 91 days. Empty if the stock is unknown."`
		Reason            []reasonPartJSON `json:"reason"`
	}
	supplyJSON struct {
		LineID   string  `json:"line_id"`
		OrderNo  string  `json:"order_no"`
		Quantity float64 `json:"quantity"`
		Ordered  *string `json:"ordered_on,omitempty" format:"date"`
		Expected *string `json:"expected_on,omitempty" format:"date"`
	}
	ruleJSON struct {
		Key     string `json:"key"`
		Value   string `json:"value"`
		Source  string `json:"source" enum:"default,config,strategy"`
		Title   string `json:"title,omitempty" doc:"Of the strategy."`
		Scope   string `json:"scope,omitempty" doc:"Of the strategy."`
		Version int64  `json:"version,omitempty" doc:"Of the config or the strategy."`
	}
	explanationJSON struct {
		Recommendation recommendationJSON `json:"recommendation" doc:"The row as it is stored."`
		LeadDays       int                `json:"lead_time_days"`
		LeadSource     string             `json:"lead_time_source" enum:"product,article,supplier_learnt,supplier,default"`
		Deliveries     int                `json:"deliveries" doc:"That the lead time was learnt from."`
		Rules          []ruleJSON         `json:"rules" doc:"The settings that apply, and where they come from."`
		Supply         []supplyJSON       `json:"supply" doc:"Open lines that were ordered."`
		Is             outcomeJSON        `json:"is" doc:"From what is stored now."`
		WhatIf         outcomeJSON        `json:"what_if" doc:"With the assumptions of the call; without any, the same as is."`
	}
)

// explanationOperations say how suggestions come about.
func (s *Server) explanationOperations(a *appAPI) {
	register(a, operation{
		id: "explainRecommendation", method: http.MethodPost, path: "workspaces/{workspace}/procurement/explain", tag: procurementTag,
		needs:   auth.Read,
		summary: "How a suggestion comes about, and what it would be if something were different",
		about:   "Nothing is stored. Assumptions that are absent are as they are.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			ProductID string   `json:"product_id" maxLength:"100"`
			LeadDays  *int     `json:"lead_time_days,omitempty"`
			Service   *float64 `json:"service_level,omitempty" doc:"The chance of not running out before the next delivery, between 0.5 and 0.999."`
			CoverDays *int     `json:"cover_days,omitempty"`
			DemandPct *float64 `json:"demand_pct,omitempty" doc:"By how much more sells, in percent."`
		}
	}) (*body[explanationJSON], error) {
		e, err := s.Procure.Explain(ctx, by(ctx).Principal, in.Body.ProductID, procure.WhatIf{LeadDays: in.Body.LeadDays,
			CoverDays: in.Body.CoverDays, Service: in.Body.Service, DemandPct: in.Body.DemandPct})
		if err != nil {
			return nil, err
		}
		return &body[explanationJSON]{toExplanation(e)}, nil
	})
}

func toExplanation(e procure.Explanation) explanationJSON {
	out := explanationJSON{
		Recommendation: toRecommendation(e.Recommendation), LeadDays: e.Lead.Days, LeadSource: string(e.Lead.Source),
		Deliveries: e.Lead.Deliveries, Supply: []supplyJSON{},
		Is: toOutcome(e.Recommendation.AsOf, e.Is), WhatIf: toOutcome(e.Recommendation.AsOf, e.WhatIf),
	}
	out.Rules = toSettings(e.Rules())
	for _, line := range e.Supply {
		out.Supply = append(out.Supply, supplyJSON{LineID: line.Line, OrderNo: line.OrderNo, Quantity: line.Quantity,
			Ordered: planDay(line.Ordered), Expected: planDay(line.Expected)})
	}
	return out
}

func toSettings(settings []playbook.Setting) []ruleJSON {
	rules := []ruleJSON{}
	for _, one := range settings {
		rules = append(rules, ruleJSON{Key: one.Key, Value: one.Value, Source: string(one.Origin.Source),
			Title: one.Origin.Title, Scope: string(one.Origin.Scope), Version: one.Origin.Version})
	}
	return rules
}

func toOutcome(asOf time.Time, o procure.Outcome) outcomeJSON {
	out := outcomeJSON{
		Action: string(o.Action), Urgency: string(o.Urgency), PerDay: o.PerDay, SafetyStock: o.SafetyStock,
		ReorderPoint: o.ReorderPoint, TargetStock: o.TargetStock, RawQuantity: o.Raw, SuggestedQuantity: o.Suggested,
		Stockout: planDay(o.StockoutDate), OrderBy: planDay(o.OrderBy), EarliestArrival: planDay(o.EarliestArrival),
		Projection: []stockDayJSON{}, Reason: toReason(o.Reason),
	}
	for i, left := range o.Projection {
		out.Projection = append(out.Projection, stockDayJSON{Day: asOf.AddDate(0, 0, i).Format(time.DateOnly), Left: left})
	}
	return out
}

func planDay(day *demand.Day) *string { return dateText(procure.Date(day)) }
