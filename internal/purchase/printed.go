package purchase

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/document"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Cover is what a letter with a printed order says, and to whom it goes. Texts may be empty.
type Cover struct {
	Key, SupplierID, Supplier string // Key is the id, or else the name
	Person, Email             string // of the supplier
	Company, Contact          string // whom the supplier may ask
	AnswerTo                  string
	Words                     document.Words
	Lines, Unapproved         int64
	// Outside counts lines that other systems ordered here, in an order that also has lines which were drafted here: nobody
	// here has approved them.
	Outside int64
}

// Cover returns what a letter with the order says.
func (sh *Sheet) Cover() Cover {
	p := sh.parties
	return Cover{Key: or(sh.share.ID, sh.share.Name), SupplierID: sh.share.ID, Supplier: sh.share.label(),
		Person: p.supplier.Person, Email: p.supplier.Email, Company: p.us.Company, Contact: p.us.OrderContact,
		AnswerTo: p.us.OrderEmail, Words: sh.head.Words, Lines: sh.share.Lines, Unapproved: sh.share.unapproved, Outside: sh.share.outsiders()}
}

// PrintedLine is what an order on paper says of a line. Numbers and days are in the forms of the API.
type PrintedLine struct {
	ID          string `json:"id"`
	SKU         string `json:"sku"`
	SupplierSKU string `json:"supplier_sku,omitempty"`
	Name        string `json:"name,omitempty"`
	Quantity    string `json:"quantity"`
	Price       string `json:"price,omitempty"`
	Currency    string `json:"currency,omitempty"`
	Expected    string `json:"expected,omitempty"`
	Note        string `json:"note,omitempty"`
}

// mostPrinted is how many lines a letter's order may have. A longer one is downloaded.
const mostPrinted = 5000

// Lines returns what the document says of each line, in the sequence of their ids. A document that is written afterwards has the
// same codes of the supplier, whatever becomes of the articles meanwhile.
func (sh *Sheet) Lines(ctx context.Context) (lines []PrintedLine, err error) {
	if sh.share.Lines > mostPrinted {
		return nil, fault.New(fault.Conflict, "too_many_lines",
			"an order of more than %d lines is not mailed; download it and hand it over in another way", mostPrinted)
	}
	var versions int64
	all := map[string]string{}
	for after := ""; ; {
		found, err := sh.service.linesAfter(ctx, sh.by, sh.orderNo, after, linesPerRead)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			break
		}
		codes, err := sh.service.supplierSKUs(ctx, sh.by, found)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, codes)
		for _, line := range found {
			if Status(line.Status) != Cancelled && sh.share.has(line) {
				lines = append(lines, toPrinted(line, codes[line.ID]))
				versions += line.Version
			}
		}
		after = found[len(found)-1].ID
	}
	if int64(len(lines)) != sh.share.Lines || versions != sh.share.versions {
		return nil, errOrderChanged
	}
	sh.codes = all
	return lines, nil
}

var errOrderChanged = fault.New(fault.Conflict, "order_changed", "the order was changed meanwhile; look at it again")

func toPrinted(l q.WorkspacePurchaseOrderLine, supplierSKU string) PrintedLine {
	one := PrintedLine{ID: l.ID, SKU: l.Sku, SupplierSKU: supplierSKU, Name: deref(l.ProductName),
		Quantity: l.QuantityOrdered.String(), Currency: deref(l.Currency), Note: deref(l.Note)}
	if l.PricePerUnit != nil {
		one.Price = l.PricePerUnit.String()
	}
	if l.ExpectedArrivalDate.Valid {
		one.Expected = l.ExpectedArrivalDate.Time.Format(dateForm)
	}
	return one
}

// Digest names the content of printed lines. Two orders with the same digest say the same.
func Digest(lines []PrintedLine) string {
	text, _ := json.Marshal(lines) // texts
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Unchanged locks the order until the transaction ends, and refuses if it, or its supplier's record, is no longer the one that was
// printed.
func (sh *Sheet) Unchanged(ctx context.Context, tx pgx.Tx) error {
	queries := q.New(tx)
	err := queries.LockOrders(ctx,
		q.LockOrdersParams{TenantID: sh.by.Tenant, WorkspaceID: sh.by.Workspace, OrderNos: []string{sh.orderNo}})
	if err != nil {
		return err
	}
	found, err := queries.ListOrderSuppliers(ctx, q.ListOrderSuppliersParams{
		TenantID: sh.by.Tenant, WorkspaceID: sh.by.Workspace, OrderNo: sh.orderNo, Now: sh.head.MadeAt,
	})
	if err != nil {
		return err
	}
	now, err := choose(toShares(found), sh.want)
	if err == nil && (now.Lines != sh.share.Lines || now.versions != sh.share.versions) {
		return errOrderChanged
	}
	if err != nil || sh.share.ID == "" {
		return err
	}
	supplier, err := queries.GetOrderParty(ctx,
		q.GetOrderPartyParams{TenantID: sh.by.Tenant, WorkspaceID: sh.by.Workspace, ID: sh.share.ID})
	if err != nil && !missing(err) {
		return err
	}
	if !reflect.DeepEqual(supplier, sh.parties.supplier) {
		return errOrderChanged
	}
	return nil
}
