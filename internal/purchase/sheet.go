package purchase

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/document"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Sheet is an order as a file for its supplier. What is cancelled is not on it, and what
// nobody approved is said to be so.
func (s *Service) Sheet(ctx context.Context, by auth.Principal, orderNo string, now time.Time) ([]byte, error) {
	lines, _, err := s.Lines(ctx, by, orderNo, page.All)
	if err != nil {
		return nil, err
	}
	lines = slices.DeleteFunc(lines, func(l Line) bool { return l.Status == Cancelled })
	if len(lines) == 0 {
		return nil, fault.New(fault.Conflict, "nothing_ordered", "every line of this order is cancelled, so there is nothing to print")
	}
	paper := document.PurchaseOrder{Number: orderNo, Day: orderDay(by, lines, now).Format("2 January 2006"), Warning: unapproved(lines), MadeAt: now}
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		head, err := q.New(tx).GetLetterhead(ctx, q.GetLetterheadParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		paper.Company, paper.Workspace = head.Company, head.Workspace
		return err
	})
	if err != nil {
		return nil, err
	}
	totals := map[string]decimal.Decimal{}
	for _, l := range lines {
		one := document.OrderLine{SKU: l.SKU, Name: or(deref(l.ProductName), "Article not known yet"), Supplier: deref(l.SupplierName), Quantity: l.Ordered.String(), Note: deref(l.Note)}
		if l.ExpectedArrival != nil {
			one.Expected = l.ExpectedArrival.Format(time.DateOnly)
		}
		if l.Price != nil {
			currency := deref(l.Currency)
			total := l.Price.Mul(l.Ordered)
			totals[currency] = totals[currency].Add(total)
			one.Price, one.Total = amount(*l.Price, currency), amount(total, currency)
		}
		if one.Supplier != "" && !slices.Contains(paper.Suppliers, one.Supplier) {
			paper.Suppliers = append(paper.Suppliers, one.Supplier)
		}
		paper.Lines = append(paper.Lines, one)
	}
	for currency, total := range totals {
		paper.Totals = append(paper.Totals, amount(total, currency))
	}
	slices.Sort(paper.Totals)
	return paper.PDF(false)
}

// orderDay is the day on which the first line was ordered, in the workspace's zone; of an
// order that nobody approved, today.
func orderDay(by auth.Principal, lines []Line, now time.Time) time.Time {
	day := now
	for _, l := range lines {
		if l.OrderedAt != nil && l.OrderedAt.Before(day) {
			day = *l.OrderedAt
		}
	}
	if by.Zone != nil {
		day = day.In(by.Zone)
	}
	return day
}

func unapproved(lines []Line) string {
	waiting := 0
	for _, l := range lines {
		if l.Status == Draft || l.Status == PendingApproval {
			waiting++
		}
	}
	if waiting == 0 {
		return ""
	}
	return fmt.Sprintf("Not an order yet: %d of %d lines are not approved.", waiting, len(lines))
}

// amount has at least cents, and whatever else a price was given with.
func amount(number decimal.Decimal, currency string) string {
	text := number.StringFixed(max(2, -number.Exponent()))
	if rounded := number.Round(2); rounded.Equal(number) {
		text = rounded.StringFixed(2)
	}
	if currency == "" {
		return text
	}
	return text + " " + currency
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
