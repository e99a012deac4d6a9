package mcpserver

import (
	"context"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/procure"
)

type (
	procurementRecommendationExplainIn struct {
		ProductID string   `json:"product_id,omitzero" jsonschema:"This or a recommendation_key."`
		Key       string   `json:"recommendation_key,omitzero" jsonschema:"From procurement_queue_list."`
		LeadDays  *int     `json:"lead_time_days,omitzero" jsonschema:"What if it took so long?"`
		Service   *float64 `json:"service_level,omitzero" jsonschema:"0.5 to 0.999."`
		CoverDays *int     `json:"cover_days,omitzero" jsonschema:"What if orders lasted so long?"`
		DemandPct *float64 `json:"demand_pct,omitzero" jsonschema:"What if so much more sold?"`
	}
	procurementRecommendationExplainOut struct {
		Notice string        `json:"notice"`
		Row    queueItem     `json:"recommendation"` // as it is stored
		Is     outcome       `json:"is"`             // from what is stored now
		WhatIf *outcome      `json:"what_if,omitzero"`
		Lead   leadTime      `json:"lead_time"`
		Rules  []appliedRule `json:"rules"`
		Supply []supplyLine  `json:"supply"`
		More   bool          `json:"truncated"`
	}
	outcome struct {
		Action          string  `json:"action"`
		Urgency         string  `json:"urgency"`
		PerDay          float64 `json:"demand_per_day"`
		SafetyStock     float64 `json:"safety_stock"`
		ReorderPoint    float64 `json:"reorder_point"`
		Target          float64 `json:"target_stock"`
		Raw             float64 `json:"raw_quantity"`
		Suggested       float64 `json:"suggested_quantity"`
		Stockout        string  `json:"projected_stockout_date,omitempty"`
		OrderBy         string  `json:"order_by_date,omitempty"`
		EarliestArrival string  `json:"earliest_arrival_date,omitempty"`
		Reason          string  `json:"reason"`
	}
	leadTime struct {
		Days       int    `json:"days"`
		Source     string `json:"source"`
		Deliveries int    `json:"learnt_from_deliveries,omitzero"`
	}
	appliedRule struct {
		Key     string `json:"key"`
		Value   string `json:"value"`
		Source  string `json:"source"`
		Title   string `json:"title,omitempty"`
		Scope   string `json:"scope,omitempty"`
		Version int64  `json:"version,omitzero"`
	}
	supplyLine struct {
		LineID   string  `json:"line_id"`
		OrderNo  string  `json:"order_no"`
		Quantity float64 `json:"quantity"`
		Ordered  string  `json:"ordered_on,omitempty"`
		Expected string  `json:"expected_on,omitempty"`
	}
)

func procurementRecommendationExplain(s *Server) tool {
	return define(about{
		name: "procurement_recommendation_explain", title: "Why to order", needs: auth.Read,
		description: "Shows how a suggestion comes about: the arithmetic, the rules and what is on order. With assumptions, also what it would be then.",
	}, func(ctx context.Context, by auth.Principal, in procurementRecommendationExplainIn) (
		out procurementRecommendationExplainOut, err error) {
		explain, of := s.Procure.Explain, in.ProductID
		switch {
		case (in.ProductID == "") == (in.Key == ""):
			return out, wrong("recommendation_key", "give either this or product_id")
		case in.Key != "":
			explain, of = s.Procure.ExplainKey, in.Key
		}
		what := procure.WhatIf{LeadDays: in.LeadDays, CoverDays: in.CoverDays, Service: in.Service, DemandPct: in.DemandPct}
		e, err := explain(ctx, by, of, what)
		if err != nil {
			return out, err
		}
		out = toExplained(e)
		if what != (procure.WhatIf{}) {
			out.WhatIf = new(toOutcome(e.WhatIf))
		}
		return out, nil
	})
}

func toExplained(e procure.Explanation) procurementRecommendationExplainOut {
	out := procurementRecommendationExplainOut{
		Notice: notice, Row: toQueueItem(e.Recommendation), Is: toOutcome(e.Is),
		Lead:  leadTime{e.Lead.Days, string(e.Lead.Source), e.Lead.Deliveries},
		Rules: []appliedRule{}, Supply: []supplyLine{},
	}
	for _, rule := range e.Rules() {
		out.Rules = append(out.Rules, appliedRule{Key: rule.Key, Value: rule.Value, Source: string(rule.Origin.Source),
			Title: *clipped(&rule.Origin.Title), Scope: string(rule.Origin.Scope), Version: rule.Origin.Version})
	}
	for _, line := range e.Supply {
		out.Supply = append(out.Supply, supplyLine{LineID: *clipped(&line.Line), OrderNo: *clipped(&line.OrderNo),
			Quantity: line.Quantity, Ordered: dayText(procure.Date(line.Ordered)), Expected: dayText(procure.Date(line.Expected))})
	}
	out.Supply, out.More = fit(out.Supply, mostText)
	return out
}

func toOutcome(o procure.Outcome) outcome {
	return outcome{
		Action: string(o.Action), Urgency: string(o.Urgency), PerDay: o.PerDay, SafetyStock: o.SafetyStock,
		ReorderPoint: o.ReorderPoint, Target: o.TargetStock, Raw: o.Raw, Suggested: o.Suggested,
		Stockout: dayText(procure.Date(o.StockoutDate)), OrderBy: dayText(procure.Date(o.OrderBy)),
		EarliestArrival: dayText(procure.Date(o.EarliestArrival)), Reason: sentence(o.Reason),
	}
}
