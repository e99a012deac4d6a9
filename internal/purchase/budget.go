package purchase

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/currency"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/playbook"
)

// Month is what a workspace spends in a calendar month, in its currency.
type Month struct {
	From      time.Time        // its first moment, in the workspace's zone
	Currency  string           // the workspace's; empty: it has none
	Budget    *decimal.Decimal // nil: none
	Ordered   decimal.Decimal  // in this month
	Drafted   decimal.Decimal  // drafts, and lines that wait for approval
	Elsewhere int64            // lines in other currencies, or without a price, which are not counted
	// LeftOut is the part of Ordered and Drafted that cannot be true. It counts against the budget, which is to stop
	// such lines, but nobody is shown it.
	LeftOut LeftOut
}

// LeftOut is a part of a month.
type LeftOut struct {
	Lines            int64
	Ordered, Drafted decimal.Decimal
}

// Left returns what may still be drafted within the budget. It is never negative. Without a budget
// limited is false.
func (m Month) Left() (left decimal.Decimal, limited bool) {
	if m.Budget == nil {
		return decimal.Zero, false
	}
	return decimal.Max(decimal.Zero, m.Budget.Sub(m.Ordered).Sub(m.Drafted)), true
}

// ThisMonth reads what is spent in the month of now.
func ThisMonth(ctx context.Context, queries *q.Queries, tenant, workspace uuid.UUID, now time.Time) (Month, error) {
	settings, err := playbook.Current(ctx, queries, tenant, workspace)
	if err != nil {
		return Month{}, err
	}
	return spent(ctx, queries, tenant, workspace, settings.Config.MonthlyBudget, now)
}

func spent(ctx context.Context, queries *q.Queries, tenant, workspace uuid.UUID, budget *decimal.Decimal, now time.Time) (
	m Month, err error) {
	m.From = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
	m.Budget = budget
	m.Currency, err = queries.GetBaseCurrency(ctx, q.GetBaseCurrencyParams{TenantID: tenant, WorkspaceID: workspace})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return m, err
	}
	spent, err := queries.GetMonthSpent(ctx, q.GetMonthSpentParams{TenantID: tenant, WorkspaceID: workspace,
		BaseCurrency: m.Currency, Since: m.From, Until: m.From.AddDate(0, 1, 0)})
	m.Ordered, m.Drafted, m.Elsewhere = spent.Ordered, spent.Drafted, spent.Elsewhere
	m.LeftOut = LeftOut{spent.LeftOut, spent.OrderedLeftOut, spent.DraftedLeftOut}
	return m, err
}

// BudgetLeft is what agents may still draft in a month. Nil means that there is no budget.
type BudgetLeft struct {
	Left     decimal.Decimal `json:"left"`
	Currency string          `json:"currency"`
}

// LeftThisMonth reads what agents may still draft in the month of now.
func LeftThisMonth(ctx context.Context, queries *q.Queries, tenant, workspace uuid.UUID, now time.Time) (*BudgetLeft, error) {
	settings, err := playbook.Current(ctx, queries, tenant, workspace)
	if err != nil || settings.Config.MonthlyBudget == nil {
		return nil, err
	}
	month, err := spent(ctx, queries, tenant, workspace, settings.Config.MonthlyBudget, now)
	left, _ := month.Left()
	return &BudgetLeft{left, month.Currency}, err
}

// LeftAsJSON is LeftThisMonth for a statement that knows the rule of Covers, too.
func LeftAsJSON(ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID, now time.Time) ([]byte, error) {
	left, err := LeftThisMonth(ctx, q.New(tx), tenant, workspace, now)
	if err != nil {
		return nil, err
	}
	return json.Marshal(left)
}

// Counts reports whether an amount is in the budget's currency. Without a currency it is in the
// workspace's, which is the same.
func (b *BudgetLeft) Counts(amount *decimal.Decimal, in string) bool {
	return amount != nil && (in == "" || in == b.Currency)
}

// Covers reports whether an agent may draft a line of this cost, and no other. procurement_queue.sql
// has the same rule.
func (b *BudgetLeft) Covers(cost *decimal.Decimal, in string) bool {
	return b == nil || b.Counts(cost, in) && !cost.GreaterThan(b.Left)
}

// keepBudget refuses what an agent has drafted beyond the month's budget. Agents of a workspace take
// turns here, so that two cannot spend the same money. People are not bound.
func (c *change) keepBudget(ctx context.Context, rows []row) error {
	if c.by.Actor.Type != auth.ByAgent {
		return nil
	}
	if err := c.queries.LockBudget(ctx, c.by.Workspace); err != nil {
		return err
	}
	month, err := ThisMonth(ctx, c.queries, c.by.Tenant, c.by.Workspace, nowOf(c.by))
	if err != nil || month.Budget == nil {
		return err
	}
	cost := decimal.Zero
	for _, r := range rows {
		if !r.priced() {
			return fault.New(fault.Conflict, "over_budget",
				"there is a budget for the month, so agents may only draft lines with a price; a person can draft this one")
		}
		if !(&BudgetLeft{Currency: month.Currency}).Counts(r.PricePerUnit, deref(r.Currency)) {
			return fault.New(fault.Conflict, "over_budget",
				"the month's budget is in %s, so agents may only draft lines with a price in it; a person can draft this one",
				or(month.Currency, "the workspace's currency"))
		}
		cost = cost.Add(r.PricePerUnit.Mul(r.QuantityOrdered))
	}
	// What people have overspent is not these lines' doing.
	if over := decimal.Min(month.Ordered.Add(month.Drafted).Sub(*month.Budget), cost); over.IsPositive() {
		return fault.New(fault.Conflict, "over_budget",
			"this is %s more than the month's budget of %s leaves; a person can draft it", currency.Show(over, month.Currency),
			currency.Show(*month.Budget, month.Currency))
	}
	return nil
}
