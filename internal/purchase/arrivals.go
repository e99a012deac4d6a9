package purchase

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Deliveries is what is to arrive, by the day on which it is expected.
type Deliveries struct {
	Late    Part // before today
	Today   Part
	Soon    Part // in the seven days after today
	Later   Part
	Undated Part // on no given day
}

// soonDays is how many days after today are soon.
const soonDays = 7

// lastDay is after every expected day.
var lastDay = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Deliveries counts and sums up what is to arrive, in the workspace's time zone.
func (s *Service) Deliveries(ctx context.Context, by auth.Principal) (d Deliveries, err error) {
	if err := by.Require(auth.Read); err != nil {
		return d, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		d, err = deliveries(ctx, q.New(tx), by)
		return err
	})
	return d, err
}

func deliveries(ctx context.Context, queries *q.Queries, by auth.Principal) (d Deliveries, err error) {
	now := today(by).Time
	for _, span := range []struct {
		part         *Part
		since, until time.Time
	}{
		{&d.Late, time.Time{}, now.AddDate(0, 0, -1)},
		{&d.Today, now, now},
		{&d.Soon, now.AddDate(0, 0, 1), now.AddDate(0, 0, soonDays)},
		{&d.Later, now.AddDate(0, 0, soonDays+1), lastDay},
	} {
		sums, err := queries.SumExpected(ctx, q.SumExpectedParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			Since: date(&span.since), Until: date(&span.until), Most: MostCounted})
		if err != nil {
			return d, err
		}
		for _, sum := range sums {
			span.part.addOpen(sum)
		}
	}
	sums, err := queries.SumUndated(ctx,
		q.SumUndatedParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Most: MostCounted})
	for _, sum := range sums {
		d.Undated.addOpen(q.SumExpectedRow(sum))
	}
	return d, err
}

func (p *Part) addOpen(sum q.SumExpectedRow) {
	p.Orders, p.Lines = sum.Orders, sum.Lines
	p.Open = append(p.Open, Amount{sum.Currency, sum.Open})
	p.LeftOut += sum.LeftOut
}

// Arrivals returns a page of the lines expected between two days, both included, by day. A
// zero day is no bound.
func (s *Service) Arrivals(ctx context.Context, by auth.Principal, since, until time.Time, want page.Request) (
	lines []Line, more bool, err error) {
	if until.IsZero() {
		until = lastDay
	}
	params := q.ListArrivalsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Since: date(&since),
		Until: date(&until), Most: want.Limit()}
	lines, err = s.read(ctx, by, func(queries *q.Queries) ([]q.WorkspacePurchaseOrderLine, error) {
		if want.After != uuid.Nil {
			last, err := lastLine(ctx, queries, by, want)
			if err != nil {
				return nil, err
			}
			if !last.ExpectedArrivalDate.Valid {
				return nil, errNotExpected
			}
			params.Since, params.AfterOrder, params.AfterID = last.ExpectedArrivalDate, last.OrderNo, last.ID
		}
		found, err := queries.ListArrivals(ctx, params)
		found, more = page.Cut(want, found)
		return found, err
	})
	return lines, more, err
}

// Undated returns a page of the lines that are still to come on no given day, by order.
func (s *Service) Undated(ctx context.Context, by auth.Principal, want page.Request) (
	lines []Line, more bool, err error) {
	params := q.ListUndatedLinesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Most: want.Limit()}
	lines, err = s.read(ctx, by, func(queries *q.Queries) ([]q.WorkspacePurchaseOrderLine, error) {
		if want.After != uuid.Nil {
			last, err := lastLine(ctx, queries, by, want)
			if err != nil {
				return nil, err
			}
			params.AfterOrder, params.AfterID = last.OrderNo, last.ID
		}
		found, err := queries.ListUndatedLines(ctx, params)
		found, more = page.Cut(want, found)
		return found, err
	})
	return lines, more, err
}

var errNotExpected = fault.InField("cursor", "cursor",
	"the line at which the last page ended is no longer expected; begin again")

// lastLine returns the line at which the last page ended.
func lastLine(ctx context.Context, queries *q.Queries, by auth.Principal, want page.Request) (
	line q.WorkspacePurchaseOrderLine, err error) {
	found, err := queries.ListLines(ctx,
		q.ListLinesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Ids: []string{after(want)}})
	if err != nil {
		return line, err
	}
	if len(found) == 0 {
		return line, errNotExpected
	}
	return found[0], nil
}

// mostScanned is how many lines one code finds. More orders of one article are never open in practice.
const mostScanned = 50

// Scanned returns the lines that are still to come of the article with this barcode, SKU or supplier's
// SKU, the earliest first.
func (s *Service) Scanned(ctx context.Context, by auth.Principal, code string) ([]Line, error) {
	return s.read(ctx, by, func(queries *q.Queries) ([]q.WorkspacePurchaseOrderLine, error) {
		return queries.FindExpectedByCode(ctx, q.FindExpectedByCodeParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			Code: searched(code), Most: mostScanned})
	})
}

// Contact is how to reach a supplier. Texts are empty if they are not known.
type Contact struct {
	ID, Name, Person, Email, Phone string
}

// Contacts returns how to reach the suppliers of lines.
func (s *Service) Contacts(ctx context.Context, by auth.Principal, lines []Line) (contacts []Contact, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	ids := []string{}
	for _, line := range lines {
		if line.SupplierID != nil {
			ids = append(ids, *line.SupplierID)
		}
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		found, err := q.New(tx).ListContacts(ctx,
			q.ListContactsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Ids: ids})
		for _, one := range found {
			contacts = append(contacts, Contact(one))
		}
		return err
	})
	return contacts, err
}
