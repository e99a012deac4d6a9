package today

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	// comparedWeeks is how many weeks before yesterday are usual, and fewestDays how many of them
	// must have been after the first sale.
	comparedWeeks = 8
	fewestDays    = 4
)

// Yesterday compares what was sold yesterday with the same weekday of the weeks before.
type Yesterday struct {
	Day         time.Time
	Currency    string // the workspace's
	Sold        Sold
	Usual       Sold // the mean
	Days        int  // of the mean
	Unconverted int64
	LeftOut     int64 // lines of all these days that are in no figure, because they cannot be true
}

// Sold is what was sold on a day.
type Sold struct {
	Orders, Net decimal.Decimal
}

// Change returns by how many percent s is more than usual, or nil if usual is nothing.
func (s Sold) Change(usual Sold) (orders, net *decimal.Decimal) {
	return change(s.Orders, usual.Orders), change(s.Net, usual.Net)
}

func change(sold, usual decimal.Decimal) *decimal.Decimal {
	if !usual.IsPositive() {
		return nil
	}
	percent := sold.Sub(usual).Mul(decimal.NewFromInt(100)).DivRound(usual, 0)
	return &percent
}

// yesterday returns nil while there is too little to compare with.
func yesterday(ctx context.Context, queries *q.Queries, by auth.Principal, now time.Time) (*Yesterday, error) {
	day := time.Date(now.Year(), now.Month(), now.Day()-1, 0, 0, 0, 0, time.UTC)
	start, err := queries.GetSalesStart(ctx,
		q.GetSalesStartParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Day: date(day)})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	of := q.SumSalesOfDaysParams{TenantID: by.Tenant, WorkspaceID: by.Workspace}
	for week := range comparedWeeks + 1 {
		before := day.AddDate(0, 0, -7*week)
		if before.Before(start.FirstDay.Time) {
			break
		}
		of.Days = append(of.Days, date(before))
		of.Weeks = append(of.Weeks, date(start.Week.Time.AddDate(0, 0, -7*week)))
	}
	if len(of.Days) <= fewestDays {
		return nil, nil
	}
	sold, err := queries.SumSalesOfDays(ctx, of)
	if err != nil {
		return nil, err
	}
	y := &Yesterday{Day: day, Currency: start.BaseCurrency, Days: len(of.Days) - 1}
	for i, row := range sold {
		orders := decimal.NewFromInt(row.Orders)
		if i == 0 {
			y.Sold = Sold{orders, row.Net}
			continue
		}
		y.Usual = Sold{y.Usual.Orders.Add(orders), y.Usual.Net.Add(row.Net)}
	}
	days := decimal.NewFromInt(int64(y.Days))
	y.Usual = Sold{y.Usual.Orders.DivRound(days, 1), y.Usual.Net.DivRound(days, 2)}
	y.LeftOut, err = queries.CountLeftOutOfDays(ctx,
		q.CountLeftOutOfDaysParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Days: of.Days})
	if err != nil {
		return nil, err
	}
	y.Unconverted, err = queries.CountUnconvertedLines(ctx, q.CountUnconvertedLinesParams{TenantID: by.Tenant,
		WorkspaceID: by.Workspace, Week: start.Week, Day: date(day)})
	return y, err
}

func date(day time.Time) pgtype.Date { return pgtype.Date{Time: day, Valid: true} }
