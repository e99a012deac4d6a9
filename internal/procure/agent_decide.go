package procure

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/currency"
	"github.com/quayside/quayside/internal/purchase"
)

// Inputs is all that the agent decides from. The same inputs give the same decisions, so a run that
// keeps them can be checked at any time.
type Inputs struct {
	Day              string               `json:"day"` // of the queue
	Zone             string               `json:"zone"`
	QueueComputedAt  time.Time            `json:"queue_computed_at"`
	PlaybookRevision int64                `json:"playbook_revision"`
	ConfigVersion    int64                `json:"config_version"`
	CanSubmit        bool                 `json:"can_submit"`
	MostLines        int                  `json:"most_lines"`
	Budget           *purchase.BudgetLeft `json:"budget,omitempty"` // nil: no limit
	Candidates       []Candidate          `json:"candidates"`       // as the queue lists them
}

// Candidate is a row of the queue that asks for an order.
type Candidate struct {
	Key          string           `json:"key"`
	Product      string           `json:"product"`
	SKU          string           `json:"sku"`
	Name         string           `json:"name"`
	Supplier     string           `json:"supplier"`
	SupplierName string           `json:"supplier_name"`
	Urgency      Urgency          `json:"urgency"`
	Blocked      Blocked          `json:"blocked,omitempty"`
	Quantity     decimal.Decimal  `json:"quantity"`
	Drafted      float64          `json:"drafted,omitempty"`       // apart from the queue
	LockedBy     string           `json:"locked_by,omitempty"`     // an order number
	PutOffUntil  string           `json:"put_off_until,omitempty"` // a date
	Cost         *decimal.Decimal `json:"cost,omitempty"`
	Price        *decimal.Decimal `json:"price,omitempty"`
	Currency     string           `json:"currency,omitempty"`
	ArrivesOn    string           `json:"arrives_on,omitempty"`
	LateBy       int              `json:"late_by,omitempty"` // days
}

// AgentRule is what decided about a candidate.
type AgentRule string

// The rules, in the order in which they are tried.
const (
	RuleLocked   AgentRule = "locked"   // a line answers it already
	RulePutOff   AgentRule = "put_off"  // a person decided not to order for now
	RuleBlocked  AgentRule = "blocked"  // only people may order it
	RuleDrafted  AgentRule = "drafted"  // a person has a draft of the article
	RuleLines    AgentRule = "lines"    // the run has as many lines as it may
	RuleCurrency AgentRule = "currency" // there is a budget, in another currency
	RuleBudget   AgentRule = "budget"   // it costs more than is left
	RuleDraft    AgentRule = "draft"    // none of these: it is drafted
)

// Decision is what the agent decided about a candidate, and why, in a sentence.
type Decision struct {
	Candidate
	Rule     AgentRule
	Sentence string
}

// Decide decides about every candidate, in their order. What does not fit into the budget is left
// out, and a later, cheaper candidate may still fit.
func (in Inputs) Decide() []Decision {
	decisions := make([]Decision, 0, len(in.Candidates))
	lines, left := 0, decimal.Zero
	if in.Budget != nil {
		left = in.Budget.Left
	}
	for _, c := range in.Candidates {
		d := Decision{Candidate: c}
		d.Rule, d.Sentence = in.judge(c, lines, left)
		if d.Rule == RuleDraft {
			lines++
			if c.Cost != nil {
				left = left.Sub(*c.Cost)
			}
		}
		decisions = append(decisions, d)
	}
	return decisions
}

// judge decides about a candidate, after lines were drafted and what is left of the budget.
func (in Inputs) judge(c Candidate, lines int, left decimal.Decimal) (AgentRule, string) {
	switch {
	case c.LockedBy != "":
		return RuleLocked, fmt.Sprintf("Left out: order %s already answers it.", c.LockedBy)
	case c.PutOffUntil != "":
		return RulePutOff, fmt.Sprintf("Left out: put off until %s.", c.PutOffUntil)
	case c.Blocked == OverBudget && in.Budget != nil: // on its own, so whatever was drafted before it
		return in.overBudget(c, left)
	case c.Blocked != "":
		return RuleBlocked, fmt.Sprintf("Left to people: %s.", blockedWords[c.Blocked])
	case c.Drafted > 0:
		return RuleDrafted, fmt.Sprintf("Left to people: %s are drafted already, apart from the queue.", showQuantity(c.Drafted))
	case lines >= in.MostLines:
		return RuleLines, fmt.Sprintf("Left for the next run: a run drafts at most %s.", showCount(in.MostLines, "line"))
	case in.Budget != nil && (!in.Budget.Counts(c.Cost, c.Currency) || c.Cost.GreaterThan(left)):
		return in.overBudget(c, left)
	}
	return RuleDraft, c.whyDraft()
}

// overBudget says why the budget does not cover a candidate.
func (in Inputs) overBudget(c Candidate, left decimal.Decimal) (AgentRule, string) {
	if !in.Budget.Counts(c.Cost, c.Currency) {
		return RuleCurrency, fmt.Sprintf("Left to people: its price is not in %s, the currency of the budget.", in.Budget.Currency)
	}
	return RuleBudget, fmt.Sprintf("Left out: it costs %s, and %s of the month's budget are left.",
		currency.Show(*c.Cost, in.Budget.Currency), currency.Show(left, in.Budget.Currency))
}

// whyDraft says why a candidate is ordered.
func (c Candidate) whyDraft() string {
	text := fmt.Sprintf("Orders %s from %s", c.Quantity, c.SupplierName)
	if c.Cost != nil {
		text += " for " + currency.Show(*c.Cost, c.Currency)
	}
	text += fmt.Sprintf(": its need is %s", c.Urgency)
	if c.LateBy > 0 {
		text += fmt.Sprintf(", and a new order lands %s after the stock is gone", showCount(c.LateBy, "day"))
	}
	return text + "."
}

// blockedWords say why only people may order something.
var blockedWords = map[Blocked]string{
	NoStock:          "nobody has reported its stock",
	NoSupplier:       "it has no supplier",
	NoPrice:          "it has no price",
	InactiveSupplier: "its supplier is not active",
	NewProduct:       "it is new, and has sold too little to judge",
	Dead:             "it has not sold for long",
	LastsYears:       "what is suggested would last for more than two years",
	AmbiguousSKU:     "another article has its SKU",
	StaleStock:       "its stock was reported too long ago",
	OverBudget:       "it exceeds the budget",
	Suppressed:       "a person turned it down",
}
