package purchase

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
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
func ThisMonth(ctx context.Context, queries *q.Queries, tenant, workspace uuid.UUID, now time.Time) (m Month, err error) {
	settings, err := playbook.Current(ctx, queries, tenant, workspace)
	if err != nil {
		return m, err
	}
	m.From = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
	m.Budget = settings.Config.MonthlyBudget
	m.Currency, err = queries.GetBaseCurrency(ctx, q.GetBaseCurrencyParams{TenantID: tenant, WorkspaceID: workspace})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return m, err
	}
	spent, err := queries.GetMonthSpent(ctx, q.GetMonthSpentParams{TenantID: tenant, WorkspaceID: workspace,
		BaseCurrency: m.Currency, Since: m.From, Until: m.From.AddDate(0, 1, 0)})
	m.Ordered, m.Drafted, m.Elsewhere = spent.Ordered, spent.Drafted, spent.Elsewhere
	return m, err
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
	for _, r := range rows {
		if r.PricePerUnit == nil || deref(r.Currency) != "" && deref(r.Currency) != month.Currency {
			return fault.New(fault.Conflict, "over_budget",
				"the month's budget is in %s, so agents may only draft lines with a price in it; a person can draft this one",
				or(month.Currency, "the workspace's currency"))
		}
	}
	if over := month.Ordered.Add(month.Drafted).Sub(*month.Budget); over.IsPositive() {
		return fault.New(fault.Conflict, "over_budget",
			"this is %s %s more than the month's budget of %s leaves; a person can draft it", over, month.Currency, month.Budget)
	}
	return nil
}
