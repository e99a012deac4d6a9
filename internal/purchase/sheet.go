package purchase

import (
	"context"
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
	want     Print
	share    share
	parties  parties
	head     document.PurchaseOrder
	codes    map[string]string // the supplier's codes by line, once they have been read for Lines
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
	parties, err := s.parties(ctx, by, chosen)
	if err != nil {
		return nil, err
	}
	return &Sheet{Supplier: chosen.label(), service: s, by: by, orderNo: want.OrderNo, want: want,
		share: chosen, parties: parties,
		head: parties.head(by, want.OrderNo, chosen, now)}, nil
}

// Missing returns what the document leaves out, because nobody has said it.
func (sh *Sheet) Missing() []Missing { return sh.parties.missing(sh.share) }

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
		codes := sh.codes
		if codes == nil {
			if codes, err = sh.service.supplierSKUs(ctx, sh.by, lines); err != nil {
				return err
			}
		}
		for _, line := range lines {
			if Status(line.Status) == Cancelled || !sh.share.has(line) {
				continue
			}
			printed, versions = printed+1, versions+line.Version
			if err := paper.Line(onPaper(sh.head.Words, line, codes[line.ID], totals)); err != nil {
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
		sums = append(sums, sh.head.Words.Amount(total, currency))
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

// supplierSKUs returns what the supplier calls the articles of lines, by line. An article that now comes from
// another supplier has none: its code is the other's.
func (s *Service) supplierSKUs(ctx context.Context, by auth.Principal, lines []q.WorkspacePurchaseOrderLine) (
	codes map[string]string, err error) {
	var ids []string
	for _, line := range lines {
		if line.ProductID != nil {
			ids = append(ids, *line.ProductID)
		}
	}
	articles := map[string]q.ListSupplierSKUsRow{}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		found, err := q.New(tx).ListSupplierSKUs(ctx,
			q.ListSupplierSKUsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Ids: ids})
		for _, one := range found {
			articles[one.ID] = one
		}
		return err
	})
	codes = map[string]string{}
	for _, line := range lines {
		article, known := articles[deref(line.ProductID)]
		if known && article.SupplierID == deref(line.SupplierID) {
			codes[line.ID] = article.SupplierSku
		}
	}
	return codes, err
}

// onPaper returns a line as it is printed, and adds its amount to the totals.
func onPaper(words document.Words, l q.WorkspacePurchaseOrderLine, supplierSKU string,
	totals map[string]decimal.Decimal) document.OrderLine {
	one := document.OrderLine{SKU: l.Sku, SupplierSKU: supplierSKU, Name: or(deref(l.ProductName), words.UnknownArticle),
		Quantity: words.Number(l.QuantityOrdered), Note: deref(l.Note)}
	if l.ExpectedArrivalDate.Valid {
		one.Expected = words.ShortDay(l.ExpectedArrivalDate.Time)
	}
	if l.PricePerUnit != nil {
		currency := deref(l.Currency)
		total := l.PricePerUnit.Mul(l.QuantityOrdered)
		totals[currency] = totals[currency].Add(total)
		one.Price, one.Total = words.Amount(*l.PricePerUnit, currency), words.Amount(total, currency)
	}
	return one
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
