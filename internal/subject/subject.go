// Package subject reads what the pages about one record share, be it an article, a supplier or a
// customer: what people, agents and keys did with it, failed imports that name it, and meeting notes
// about it.
//
// It only reads. Every read is bounded by a number of rows, runs under the caller's row security, and
// sees one snapshot.
package subject

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// readTimeout limits one statement.
const readTimeout = 10 * time.Second

// Reading is one read of one record.
type Reading struct {
	By      auth.Principal
	Tx      pgx.Tx
	Queries *q.Queries
	Today   time.Time // midnight, UTC, of the day in the workspace
}

// Read runs fn in a read-only transaction, for somebody who may read.
func Read(ctx context.Context, cells *pg.Cells, by auth.Principal, now time.Time, fn func(Reading) error) error {
	if err := by.Require(auth.Read); err != nil {
		return err
	}
	return cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		return fn(Reading{By: by, Tx: tx, Queries: q.New(tx), Today: DayOf(now.In(by.Zone))})
	})
}

// Missing replaces the error of a record that was not found by the given one.
func Missing(err error, unknown *fault.Error) error {
	if fault.Is(pg.Translate(err), fault.NotFound) {
		return unknown
	}
	return err
}

// Money is an amount. Its currency is empty if none was sent.
type Money struct {
	Amount   decimal.Decimal
	Currency string
}

// MoneyOf returns a stored amount. Nil: there is none.
func MoneyOf(amount *decimal.Decimal, currency *string) *Money {
	if amount == nil {
		return nil
	}
	return &Money{*amount, Text(currency)}
}

// Text returns a stored text, which is empty if there is none.
func Text(t *string) string {
	if t == nil {
		return ""
	}
	return *t
}

// Date returns a stored day. Nil: there is none.
func Date(d pgtype.Date) *time.Time {
	if !d.Valid {
		return nil
	}
	return &d.Time
}

// DayOf returns the date of t in its own time zone, as midnight in UTC.
func DayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// After returns the id after which a page begins; empty: from the start.
func After(want page.Request) string {
	if want.After == uuid.Nil {
		return ""
	}
	return want.After.String()
}
