package procure

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/test/property"
)

func money(text string) *decimal.Decimal { return new(decimal.RequireFromString(text)) }

// candidate returns one that nothing speaks against.
func candidate(sku, cost string) Candidate {
	return Candidate{Key: "rq1:" + sku + ":1", Product: sku, SKU: sku, Name: "The " + sku, Supplier: "s1", SupplierName: "Harbour Teas",
		Urgency: UrgencyHigh, Quantity: decimal.NewFromInt(12), Cost: money(cost), Currency: "EUR"}
}

// with returns the candidate with a change.
func (c Candidate) with(change func(*Candidate)) Candidate {
	change(&c)
	return c
}

// TestDecide checks each rule, and the sentence that it says.
func TestDecide(t *testing.T) {
	t.Parallel()
	in := Inputs{MostLines: 2, Budget: &purchase.BudgetLeft{Left: *money("100"), Currency: "EUR"}, Candidates: []Candidate{
		candidate("locked", "1").with(func(c *Candidate) { c.LockedBy = "PO-7" }),
		candidate("put-off", "1").with(func(c *Candidate) { c.PutOffUntil, c.Blocked = "2026-12-01", Suppressed }),
		candidate("stale", "1").with(func(c *Candidate) { c.Blocked = StaleStock }),
		candidate("drafted", "1").with(func(c *Candidate) { c.Drafted = 5 }),
		candidate("dollars", "1").with(func(c *Candidate) { c.Currency = "USD" }),
		candidate("dear", "100.01").with(func(c *Candidate) { c.Blocked = OverBudget }),
		candidate("first", "60").with(func(c *Candidate) { c.LateBy = 3 }),
		candidate("too-much", "40.01"),
		candidate("second", "40"),
		candidate("third", "0"),
		candidate("dearest", "12000").with(func(c *Candidate) { c.Blocked = OverBudget }),
	}}
	want := []struct {
		rule     AgentRule
		sentence string
	}{
		{RuleLocked, "Left out: order PO-7 already answers it."},
		{RulePutOff, "Left out: put off until 2026-12-01."},
		{RuleBlocked, "Left to people: its stock was reported too long ago."},
		{RuleDrafted, "Left to people: 5 are drafted already, apart from the queue."},
		{RuleCurrency, "Left to people: its price is not in EUR, the currency of the budget."},
		{RuleBudget, "Left out: it costs EUR 100.01, and EUR 100.00 of the month's budget are left."},
		{RuleDraft, "Orders 12 from Harbour Teas for EUR 60.00: its need is high, and a new order lands 3 days after the stock is gone."},
		{RuleBudget, "Left out: it costs EUR 40.01, and EUR 40.00 of the month's budget are left."},
		{RuleDraft, "Orders 12 from Harbour Teas for EUR 40.00: its need is high."},
		{RuleLines, "Left for the next run: a run drafts at most 2 lines."},
		{RuleBudget, "Left out: it costs EUR 12,000.00, and EUR 0.00 of the month's budget are left."},
	}
	decisions := in.Decide()
	require.Len(t, decisions, len(want))
	for i, d := range decisions {
		require.Equal(t, want[i].rule, d.Rule, d.SKU)
		require.Equal(t, want[i].sentence, d.Sentence, d.SKU)
	}
}

// TestOverBudget checks when a row is over the budget, and which reasons come before that.
func TestOverBudget(t *testing.T) {
	t.Parallel()
	left := &purchase.BudgetLeft{Left: *money("100"), Currency: "EUR"}
	for _, c := range []struct {
		name string
		left *purchase.BudgetLeft
		row  Recommendation
		want Blocked
	}{
		{"just enough", left, Recommendation{Cost: money("100.00"), Currency: "EUR"}, ""},
		{"a cent too much", left, Recommendation{Cost: money("100.01"), Currency: "EUR"}, OverBudget},
		{"without a currency it is the workspace's", left, Recommendation{Cost: money("99")}, ""},
		{"in another currency", left, Recommendation{Cost: money("1"), Currency: "USD"}, OverBudget},
		{"without a price", left, Recommendation{}, OverBudget},
		{"free, and nothing left", &purchase.BudgetLeft{Currency: "EUR"}, Recommendation{Cost: money("0"), Currency: "EUR"}, ""},
		{"no budget", nil, Recommendation{Cost: money("1000000"), Currency: "USD"}, ""},
		{"no budget and no price", nil, Recommendation{Blocked: NoPrice}, NoPrice},
		{"another reason comes first", left, Recommendation{Blocked: StaleStock, Cost: money("101"), Currency: "EUR"}, StaleStock},
		{"put off comes last", left, Recommendation{Blocked: Suppressed, Cost: money("101"), Currency: "EUR"}, OverBudget},
		{"put off, and covered", left, Recommendation{Blocked: Suppressed, Cost: money("1"), Currency: "EUR"}, Suppressed},
		{"its line is spent already", left, Recommendation{Lock: &Lock{}, Cost: money("101"), Currency: "EUR"}, ""},
	} {
		require.Equal(t, c.want, c.row.blocked(c.left), c.name)
	}
}

// TestEveryBlockHasWords checks that no sentence ends in nothing.
func TestEveryBlockHasWords(t *testing.T) {
	t.Parallel()
	for _, blocked := range []Blocked{NoStock, NoSupplier, NoPrice, InactiveSupplier, NewProduct, Dead, LastsYears, AmbiguousSKU, StaleStock, OverBudget, Suppressed} {
		require.NotEmpty(t, blockedWords[blocked], blocked)
	}
}

// TestDecideKeepsItsLimits checks, for any candidates, that the agent stays within lines and budget,
// drafts only what it may, and decides the same from inputs that were stored and read again.
func TestDecideKeepsItsLimits(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		in := Inputs{MostLines: rapid.IntRange(0, 5).Draw(t, "lines")}
		if rapid.Bool().Draw(t, "limited") {
			in.Budget = &purchase.BudgetLeft{Left: decimal.New(rapid.Int64Range(0, 50_000).Draw(t, "budget"), -2), Currency: "EUR"}
		}
		for range rapid.IntRange(0, 12).Draw(t, "candidates") {
			c := candidate(rapid.StringMatching(`[A-Z]{3}`).Draw(t, "sku"), decimal.New(rapid.Int64Range(0, 30_000).Draw(t, "cost"), -2).String())
			c.Currency = rapid.SampledFrom([]string{"EUR", "EUR", "USD"}).Draw(t, "currency")
			c.Blocked = rapid.SampledFrom([]Blocked{"", "", "", NoPrice, StaleStock}).Draw(t, "blocked")
			if c.Blocked == NoPrice {
				c.Cost, c.Currency = nil, ""
			}
			c.LockedBy = rapid.SampledFrom([]string{"", "", "PO-1"}).Draw(t, "locked")
			c.Drafted = rapid.SampledFrom([]float64{0, 0, 2}).Draw(t, "drafted")
			in.Candidates = append(in.Candidates, c)
		}
		spent, lines := decimal.Zero, 0
		for _, d := range in.Decide() {
			require.NotEmpty(t, d.Sentence)
			if d.Rule != RuleDraft {
				continue
			}
			lines++
			require.Empty(t, d.Blocked)
			require.Empty(t, d.LockedBy)
			require.Zero(t, d.Drafted)
			spent = spent.Add(*d.Cost)
		}
		require.LessOrEqual(t, lines, in.MostLines)
		if in.Budget != nil {
			require.False(t, spent.GreaterThan(in.Budget.Left), "%s of %s", spent, in.Budget.Left)
		}
		text, err := json.Marshal(in)
		require.NoError(t, err)
		var again Inputs
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, rules(in.Decide()), rules(again.Decide()))
	})
}

func rules(decisions []Decision) (all []string) {
	for _, d := range decisions {
		all = append(all, string(d.Rule)+d.Key+d.Sentence)
	}
	return all
}
