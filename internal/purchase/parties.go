package purchase

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/document"
	"github.com/quayside/quayside/internal/pg/q"
)

// Missing is something that an order on paper leaves out, because nobody has said it.
type Missing struct {
	Code  string
	Words string
}

// parties are the two sides of an order.
type parties struct {
	us       q.GetLetterheadRow
	known    bool // whether the supplier has a record
	supplier q.GetOrderPartyRow
}

// parties reads who orders, and from whom.
func (s *Service) parties(ctx context.Context, by auth.Principal, of share) (both parties, err error) {
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		both.us, err = q.New(tx).GetLetterhead(ctx,
			q.GetLetterheadParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		return err
	})
	if err != nil || of.ID == "" {
		return both, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		both.supplier, err = q.New(tx).GetOrderParty(ctx,
			q.GetOrderPartyParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: of.ID})
		return err
	})
	both.known = err == nil
	if missing(err) {
		err = nil // the supplier was deleted; the lines still have its name
	}
	return both, err
}

// words returns the supplier's language, or else the workspace's.
func (p parties) words() document.Words { return document.In(or(p.supplier.Language, p.us.Locale)) }

// head returns the head of the order on paper.
func (p parties) head(by auth.Principal, orderNo string, of share, now time.Time) document.PurchaseOrder {
	words := p.words()
	head := document.PurchaseOrder{
		Words: words, Number: orderNo, Day: words.Day(inZone(by, of.firstOrdered)), DeliverTo: p.us.DeliveryAddress,
		Buyer: document.Party{Name: p.us.Company, Address: p.us.Address, Contact: p.us.OrderContact, Email: p.us.OrderEmail,
			Number: p.us.VatID},
		Supplier: document.Party{Name: of.label(), Address: p.supplier.Address, Contact: p.supplier.Person,
			Email: p.supplier.Email, Number: p.supplier.ExternalID},
		MadeAt: now,
	}
	if days := p.supplier.PaymentTermsDays; days != nil {
		head.Payment = fmt.Sprintf(words.Within, words.Number(*days))
	}
	if of.unapproved > 0 {
		head.Warning = fmt.Sprintf(words.Unapproved, of.unapproved, of.Lines)
	}
	return head
}

// missing returns what the paper leaves out, in the words of the person who could say it.
func (p parties) missing(of share) (left []Missing) {
	say := func(unsaid bool, code, words string) {
		if unsaid {
			left = append(left, Missing{code, words})
		}
	}
	say(p.us.Address == "", "our_address", "The workspace has no address.")
	say(p.us.DeliveryAddress == "", "delivery_address", "The workspace has no delivery address.")
	say(p.us.OrderContact == "", "our_contact", "The workspace names nobody whom suppliers can ask.")
	switch {
	case of.none():
		say(true, "supplier", "The lines have no supplier.")
	case !p.known:
		say(true, "supplier", "The supplier is known by its name only.")
	default:
		say(p.supplier.Address == "", "supplier_address", "This supplier has no address.")
		say(p.supplier.Language == "", "supplier_language", "This supplier has no language, so the workspace's is used.")
		say(p.supplier.PaymentTermsDays == nil, "payment_terms", "This supplier has no payment terms.")
	}
	return left
}

// inZone returns a time in the workspace's zone.
func inZone(by auth.Principal, at time.Time) time.Time {
	if by.Zone == nil {
		return at
	}
	return at.In(by.Zone)
}
