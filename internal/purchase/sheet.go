package purchase

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/document"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Print selects the part of an order to print.
type Print struct {
	OrderNo         string
	Supplier        string // by id, or by name; empty: the only one
	WithoutSupplier bool   // the lines that name no supplier
}

// Sheet is a printed order for one supplier. Cancelled lines are left out, and unapproved
// lines are marked.
type Sheet struct {
	Supplier string // name; empty if none of the lines has one
	service  *Service
	by       auth.Principal
	orderNo  string
	share    share
	head     document.PurchaseOrder
}

// Sheet prepares an order for printing. A supplier must not see another supplier's prices, so
// an order with several suppliers is printed for one of them at a time.
func (s *Service) Sheet(ctx context.Context, by auth.Principal, want Print, now time.Time) (*Sheet, error) {
	shares, err := s.shares(ctx, by, want.OrderNo, now)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(shares, want)
	if err != nil {
		return nil, err
	}
	head := document.PurchaseOrder{Number: want.OrderNo, Day: orderDay(by, chosen), Supplier: chosen.label(),
		Warning: unapproved(chosen), MadeAt: now}
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		letter, err := q.New(tx).GetLetterhead(ctx, q.GetLetterheadParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		head.Company, head.Workspace = letter.Company, letter.Workspace
		return err
	})
	return &Sheet{Supplier: chosen.label(), service: s, by: by, orderNo: want.OrderNo, share: chosen, head: head}, err
}

// WritePDF writes the document while it reads the lines, a page at a time. It holds no
// connection between two pages, so that a slow reader blocks none. If the order changes
// meanwhile, it fails rather than print a mixture of old and new.
func (sh *Sheet) WritePDF(ctx context.Context, w io.Writer) error {
	lines, err := sh.service.linesAfter(ctx, sh.by, sh.orderNo, "", linesPerRead)
	if err != nil {
		return err
	}
	paper := sh.head.Begin(w)
	totals := map[string]decimal.Decimal{}
	var printed, versions int64
	for len(lines) > 0 {
		for _, line := range lines {
			if Status(line.Status) == Cancelled || !sh.share.has(line) {
				continue
			}
			printed, versions = printed+1, versions+line.Version
			if err := paper.Line(onPaper(line, totals)); err != nil {
				return err
			}
		}
		if lines, err = sh.service.linesAfter(ctx, sh.by, sh.orderNo, lines[len(lines)-1].ID, linesPerRead); err != nil {
			return err
		}
	}
	if printed != sh.share.Lines || versions != sh.share.versions {
		return fault.New(fault.Conflict, "order_changed", "the order was changed while it was printed; print it again")
	}
	var sums []string
	for currency, total := range totals {
		sums = append(sums, amount(total, currency))
	}
	slices.Sort(sums)
	return paper.Close(sums)
}

const linesPerRead = 500

// linesAfter reads a page of an order's lines, in the order of their ids.
func (s *Service) linesAfter(ctx context.Context, by auth.Principal, orderNo, after string, most int32) (
	lines []q.WorkspacePurchaseOrderLine, err error) {
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		lines, err = q.New(tx).ListOrderLines(ctx, q.ListOrderLinesParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNo: orderNo, After: after, Most: most,
		})
		return err
	})
	return lines, err
}

// onPaper returns a line as it is printed, and adds its amount to the totals.
func onPaper(l q.WorkspacePurchaseOrderLine, totals map[string]decimal.Decimal) document.OrderLine {
	one := document.OrderLine{SKU: l.Sku, Name: or(deref(l.ProductName), "Article not known yet"),
		Quantity: l.QuantityOrdered.String(), Note: deref(l.Note)}
	if l.ExpectedArrivalDate.Valid {
		one.Expected = l.ExpectedArrivalDate.Time.Format(time.DateOnly)
	}
	if l.PricePerUnit != nil {
		currency := deref(l.Currency)
		total := l.PricePerUnit.Mul(l.QuantityOrdered)
		totals[currency] = totals[currency].Add(total)
		one.Price, one.Total = amount(*l.PricePerUnit, currency), amount(total, currency)
	}
	return one
}

// orderDay returns the day on which the first line was ordered, in the workspace's time zone,
// or today if nobody approved the order.
func orderDay(by auth.Principal, of share) string {
	day := of.firstOrdered
	if by.Zone != nil {
		day = day.In(by.Zone)
	}
	return day.Format("2 January 2006")
}

func unapproved(of share) string {
	if of.unapproved == 0 {
		return ""
	}
	return fmt.Sprintf("Not an order yet: %d of %d lines are not approved.", of.unapproved, of.Lines)
}

// amount formats a number with at least two decimals, and more if the price has more.
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
