package purchase

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

// Day is what purchasing asks of the caller today. Every part counts what a list of orders or of
// arrivals shows.
type Day struct {
	Pending  *Pending // what waits for the caller's approval; nil: the caller may not approve
	SentBack *Part    // to the caller; nil: the caller may not draft
	Mine     *Part    // the caller's drafts; nil: the caller may not draft
	Deliveries
}

// Part is how many lines are meant, and in how many orders. What is to arrive stops at MostCounted
// lines; what is the caller's, or waits for them, at mostSearched.
type Part struct {
	Orders, Lines int64
	Open          []Amount // what is still to come, of lines with a price; only of what is to arrive
	LeftOut       int64    // lines that are in no amount, because their quantity or price cannot be true

	orderNos []string
	waiting  []Waiting
}

// Pending is what waits for the caller's approval.
type Pending struct {
	Part
	Since  time.Time // when the oldest was submitted; zero: nothing waits
	Totals []Amount
}

// Amount is money in one currency. Currency is empty if none was named.
type Amount struct {
	Currency string
	Amount   decimal.Decimal
}

const (
	// mostSearched is how many orders with drafts are searched for the caller's, the newest first, how
	// many that wait for approval for those that the caller may approve, and how many lines that were
	// sent back for those to the caller.
	mostSearched = 2000
)

// Day returns what is to be done today, in the workspace's time zone.
func (s *Service) Day(ctx context.Context, by auth.Principal) (d Day, err error) {
	if err := by.Require(auth.Read); err != nil {
		return d, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if by.Require(auth.ApproveLines) == nil {
			if d.Pending, err = pending(ctx, queries, by); err != nil {
				return err
			}
		}
		if by.Require(auth.DraftLines) == nil {
			d.SentBack, d.Mine = &Part{}, &Part{}
			if *d.SentBack, err = partOf(ctx, queries, by, sentBack); err != nil {
				return err
			}
			if *d.Mine, err = partOf(ctx, queries, by, mine); err != nil {
				return err
			}
		}
		d.Deliveries, err = deliveries(ctx, queries, by)
		return err
	})
	return d, err
}

func pending(ctx context.Context, queries *q.Queries, by auth.Principal) (*Pending, error) {
	part, err := partOf(ctx, queries, by, toApprove)
	p := &Pending{Part: part}
	for _, one := range part.waiting {
		if p.Since.IsZero() || one.Since.Before(p.Since) {
			p.Since = one.Since
		}
	}
	if err != nil || part.Lines == 0 {
		return p, err
	}
	sums, err := queries.SumPending(ctx,
		q.SumPendingParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNos: part.orderNos})
	for _, sum := range sums {
		p.Totals = append(p.Totals, Amount{sum.Currency, sum.Amount})
		p.LeftOut += sum.LeftOut
	}
	return p, err
}

// partOf finds the lines of a filter that no counter of the orders answers, and their orders.
func partOf(ctx context.Context, queries *q.Queries, by auth.Principal, which string) (part Part, err error) {
	switch which {
	case toApprove:
		part.waiting, err = ToApprove(ctx, queries, by)
		return part.ofWaiting(), err
	case sentBack:
		part.waiting, err = SentBack(ctx, queries, by)
		return part.ofWaiting(), err
	}
	var ofLines []string
	switch which {
	case mine:
		ofLines, err = queries.ListOwnDrafts(ctx, q.ListOwnDraftsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			Person: by.Person, Most: mostSearched})
	case undated:
		ofLines, err = queries.ListUndated(ctx,
			q.ListUndatedParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Most: MostCounted})
	}
	part.Lines = int64(len(ofLines))
	slices.Sort(ofLines)
	part.orderNos = slices.Compact(ofLines)
	part.Orders = int64(len(part.orderNos))
	return part, err
}

func (p Part) ofWaiting() Part {
	p.orderNos = []string{}
	for _, one := range p.waiting {
		p.Lines += one.Lines
		p.orderNos = append(p.orderNos, one.OrderNo)
	}
	p.Orders = int64(len(p.waiting))
	return p
}
