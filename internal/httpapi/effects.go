package httpapi

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
)

type (
	effectGroupJSON struct {
		Group  string `json:"group" enum:"order,expedite,upcoming,drafted,put_off"`
		Before int    `json:"before"`
		After  int    `json:"after"`
	}
	effectCostJSON struct {
		Currency string `json:"currency"`
		Before   string `json:"before"`
		After    string `json:"after"`
	}
	effectSuggestionJSON struct {
		Group    string  `json:"group" enum:"order,expedite,upcoming,drafted,put_off,none"`
		Action   string  `json:"action" enum:"order,expedite,upcoming,none"`
		Urgency  string  `json:"urgency" enum:"critical,high,medium,low"`
		Quantity float64 `json:"suggested_quantity"`
		Cost     *string `json:"line_cost,omitempty" doc:"Absent for an article without a price."`
	}
	effectArticleJSON struct {
		ProductID string               `json:"product_id"`
		SKU       string               `json:"sku,omitempty"`
		Name      string               `json:"name"`
		Currency  string               `json:"currency,omitempty"`
		Before    effectSuggestionJSON `json:"before"`
		After     effectSuggestionJSON `json:"after"`
	}
	playbookEffectJSON struct {
		AsOf           *string             `json:"as_of,omitempty" format:"date" doc:"The day of the queue. Absent before the queue was first computed: then there is no effect to tell."`
		Articles       int                 `json:"articles" doc:"The articles that were computed, and that all figures are about. Less than articles_total if there were too many to compute within 20 seconds."`
		ArticlesTotal  int                 `json:"articles_total" doc:"The articles to which other values would apply. The rows of all others stay as they are."`
		Groups         []effectGroupJSON   `json:"groups" doc:"How many of these articles each group of the queue has."`
		Costs          []effectCostJSON    `json:"costs" doc:"What these articles cost that are to be ordered, by currency."`
		BecomeCritical int                 `json:"become_critical" doc:"Articles that ask for action and become critical."`
		StopCritical   int                 `json:"stop_critical" doc:"Articles that ask for action and are critical now, and would not be."`
		Changed        int                 `json:"changed" doc:"Articles whose group, urgency or suggested quantity would be another."`
		Largest        []effectArticleJSON `json:"largest" doc:"Up to 20 of the changed articles, with the largest change of cost first. Amounts are not converted."`
	}
)

const (
	effectSummary = "Preview the effect of "
	effectAbout   = "Computes the procurement queue with the playbook as it is and as it would be, as if the change were in force on the queue's day: a draft counts as active, and a later first day as this day. Nothing is stored. What saving would refuse is refused."
)

// effectOperations say what changes of the playbook would do to the queue.
func (s *Server) effectOperations(a *appAPI) {
	const path = "workspaces/{workspace}/playbook/"
	effect := func(ctx context.Context, p playbook.Trial) (*body[playbookEffectJSON], error) {
		e, err := s.Procure.Preview(ctx, by(ctx).Principal, p)
		return &body[playbookEffectJSON]{toEffect(e)}, err
	}
	register(a, operation{id: "previewPlaybookConfig", method: http.MethodPost, path: path + "config/preview",
		tag: playbookTag, needs: auth.ManagePurchasing, summary: effectSummary + "a change of the purchasing config",
		about: effectAbout},
		func(ctx context.Context, in *struct {
			InWorkspace
			Conditional
			Body struct{ ConfigFields }
		}) (*body[playbookEffectJSON], error) {
			version, err := in.version()
			if err != nil {
				return nil, err
			}
			return effect(ctx, playbook.Trial{Config: new(in.Body.change(version))})
		})
	register(a, operation{id: "previewStrategy", method: http.MethodPost, path: path + "strategies/preview",
		tag: playbookTag, needs: auth.ManagePurchasing, summary: effectSummary + "a new strategy", about: effectAbout},
		func(ctx context.Context, in *struct {
			InWorkspace
			Body struct {
				StrategyFields
				VersionNote
			}
		}) (*body[playbookEffectJSON], error) {
			return effect(ctx, playbook.Trial{Strategy: &playbook.StrategyChange{
				Strategy: in.Body.strategy(), Note: in.Body.Note,
			}})
		})
	register(a, operation{id: "previewStrategyChange", method: http.MethodPost, path: path + "strategies/{strategy}/preview",
		tag: playbookTag, needs: auth.ManagePurchasing, summary: effectSummary + "a change of a strategy", about: effectAbout},
		func(ctx context.Context, in *struct {
			OneStrategy
			Conditional
			Body struct {
				StrategyFields
				VersionNote
			}
		}) (*body[playbookEffectJSON], error) {
			version, err := in.version()
			if err != nil {
				return nil, err
			}
			return effect(ctx, playbook.Trial{Strategy: &playbook.StrategyChange{
				ID: in.Strategy, Version: version, Strategy: in.Body.strategy(), Note: in.Body.Note,
			}})
		})
}

func toEffect(e procure.Effect) playbookEffectJSON {
	out := playbookEffectJSON{
		AsOf: dateText(e.AsOf), Articles: e.Articles, ArticlesTotal: e.Total, Groups: []effectGroupJSON{},
		Costs: []effectCostJSON{}, BecomeCritical: e.BecomeCritical, StopCritical: e.StopCritical, Changed: e.Changed,
		Largest: []effectArticleJSON{},
	}
	for _, group := range procure.Groups() {
		lines := e.Groups[group]
		out.Groups = append(out.Groups, effectGroupJSON{string(group), lines.Before, lines.After})
	}
	for _, cost := range e.Costs {
		out.Costs = append(out.Costs, effectCostJSON{cost.Currency, cost.Before.String(), cost.After.String()})
	}
	for _, one := range e.Largest {
		out.Largest = append(out.Largest, effectArticleJSON{
			ProductID: one.Product, SKU: one.SKU, Name: one.Name, Currency: one.Currency,
			Before: toEffectSuggestion(one.Before), After: toEffectSuggestion(one.After),
		})
	}
	return out
}

func toEffectSuggestion(s procure.Suggestion) effectSuggestionJSON {
	return effectSuggestionJSON{
		Group: string(s.Group), Action: string(s.Action), Urgency: string(s.Urgency), Quantity: s.Quantity,
		Cost: decimalText(s.Cost),
	}
}
