package httpapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/sending"
)

type (
	// OrderPart is an order, or a supplier's part of it.
	OrderPart struct {
		OneOrder
		Supplier        string `query:"supplier" maxLength:"1000" doc:"The supplier's id, or the name for lines that have only a name. Needed if the order goes to several."`
		WithoutSupplier bool   `query:"without_supplier" doc:"The lines without a supplier."`
	}
	orderMailJSON struct {
		ID      uuid.UUID     `json:"id" format:"uuid"`
		At      time.Time     `json:"at"`
		ByType  string        `json:"by_type" doc:"user or agent."`
		ByID    string        `json:"by_id,omitempty"`
		To      []string      `json:"to"`
		Cc      []string      `json:"cc"`
		Subject string        `json:"subject"`
		State   sending.State `json:"state" enum:"queued,sending,sent,failed,unknown,by_hand" doc:"unknown: the mail server may have accepted it. by_hand: somebody sends it with their own program."`
		Reason  string        `json:"reason,omitempty" doc:"Why it failed, or why the last try did."`
		Lines   int64         `json:"lines"`
	}
	missingJSON struct {
		Code  string `json:"code" example:"supplier_address"`
		Words string `json:"words" example:"This supplier has no address."`
	}
	supplierChangeJSON struct {
		Field  string     `json:"field" enum:"email,address,payment_terms_days"`
		Was    string     `json:"was" doc:"At the last order; empty: none."`
		Is     string     `json:"is"`
		ByType string     `json:"by_type,omitempty" doc:"user, agent, key, sync or operator. Absent: nobody knows any more."`
		ByID   string     `json:"by_id,omitempty"`
		At     *time.Time `json:"at,omitempty"`
	}
	orderReceiverJSON struct {
		Address string    `json:"address" example:"sales@harbour.example"`
		At      time.Time `json:"at"`
		ByType  string    `json:"by_type" doc:"Who allowed it: user or operator."`
		ByID    string    `json:"by_id,omitempty"`
	}
	orderReceiversJSON struct {
		Receivers []orderReceiverJSON `json:"receivers"`
	}
	orderDraftJSON struct {
		SupplierID string         `json:"supplier_id,omitempty"`
		Supplier   string         `json:"supplier,omitempty"`
		To         []string       `json:"to" doc:"The supplier's address, if it has one."`
		Subject    string         `json:"subject"`
		Text       string         `json:"text"`
		Language   string         `json:"language" enum:"en,de,fr,es,it,nl"`
		Missing    []missingJSON  `json:"missing" doc:"What the document leaves out. It prevents nothing."`
		CanMail    bool           `json:"can_mail" doc:"Whether a mail server is configured."`
		Lines      int64          `json:"lines"`
		Unapproved int64          `json:"unapproved_lines" doc:"An order is sent only if all of its lines are approved."`
		Outside    int64          `json:"outside_lines" doc:"Lines that other systems ordered, in an order that also has lines drafted here: nobody here approved them."`
		Digest     string         `json:"digest" doc:"Names what the lines say. A mail repeats it."`
		Last       *orderMailJSON `json:"last,omitempty" doc:"The last mail with this order to this supplier."`
		Changed    int            `json:"changed_lines" doc:"Lines that were added, removed or changed since the last mail that did not fail."`

		SupplierChanges []supplierChangeJSON `json:"supplier_changes" doc:"What was changed in the supplier's record since the last order to that supplier, of any number. Before the first one, it is compared with the last order to another supplier of the same name."`
		ChangesDigest   string               `json:"changes_digest,omitempty" doc:"Names supplier_changes. A mail repeats it, and so says that its sender has seen them."`
		Receivers       []orderReceiverJSON  `json:"receivers" doc:"Addresses that an admin has allowed for this supplier, beside the supplier's own."`
	}
)

type (
	confirmedLineJSON struct {
		ID       string `json:"id"`
		Version  int64  `json:"version" doc:"The version that you saw."`
		Quantity string `json:"quantity,omitempty" maxLength:"30" doc:"Absent: as ordered. 0 means that the supplier does not deliver it." example:"12"`
		Price    string `json:"price,omitempty" maxLength:"30" doc:"Absent: as ordered." example:"2.70"`
		Expected string `json:"expected,omitempty" maxLength:"10" doc:"Absent: as ordered." example:"2027-01-31"`
	}
	termsJSON struct {
		Quantity string `json:"quantity"`
		Price    string `json:"price,omitempty"`
		Expected string `json:"expected,omitempty"`
	}
	deviationJSON struct {
		ID        string    `json:"id"`
		SKU       string    `json:"sku"`
		Currency  string    `json:"currency,omitempty"`
		Ordered   termsJSON `json:"ordered"`
		Confirmed termsJSON `json:"confirmed"`
		Kept      []string  `json:"kept,omitempty" doc:"Terms in which the line stays as ordered: quantity, price."`
		Why       string    `json:"why,omitempty"`
	}
	confirmationJSON struct {
		Reference   string          `json:"reference,omitempty"`
		Lines       int             `json:"lines"`
		Differences []deviationJSON `json:"differences"`
	}
)

func (p OrderPart) print() purchase.Print {
	return purchase.Print{OrderNo: p.Order, Supplier: p.Supplier, WithoutSupplier: p.WithoutSupplier}
}

// confirmOperations keep what suppliers confirm.
func (s *Server) confirmOperations(a *appAPI) {
	register(a, operation{
		id: "confirmOrder", method: http.MethodPost, path: "workspaces/{workspace}/purchase-orders/{order}/confirmations",
		tag: purchaseTag, needs: auth.ChangeLines, status: http.StatusCreated,
		summary: "Keep what a supplier confirmed of an order",
		about: "All lines or none. The confirmed day becomes the expected one. Quantity and price are changed as an edit would; " +
			"where that is refused or would need an approval, the line stays as it is and the difference is shown (kept). Ordered lines only.",
	}, func(ctx context.Context, in *struct {
		OneOrder
		Body struct {
			Reference string              `json:"reference,omitempty" maxLength:"100" doc:"The supplier's own number of the order." example:"AB-4711"`
			Lines     []confirmedLineJSON `json:"lines" minItems:"1" maxItems:"500"`
		}
	}) (*body[confirmationJSON], error) {
		var lines []purchase.Confirmed
		for _, line := range in.Body.Lines {
			lines = append(lines, purchase.Confirmed{Ref: purchase.Ref{ID: line.ID, Version: line.Version},
				Quantity: line.Quantity, Price: line.Price, Expected: line.Expected})
		}
		told, err := s.Purchase.Confirm(ctx, by(ctx).Principal, in.Order, in.Body.Reference, lines)
		out := confirmationJSON{Reference: told.Reference, Lines: told.Lines, Differences: []deviationJSON{}}
		for _, one := range told.Differences {
			out.Differences = append(out.Differences, deviationJSON{ID: one.ID, SKU: one.SKU, Currency: one.Currency,
				Ordered: termsJSON(one.Ordered), Confirmed: termsJSON(one.Confirmed), Kept: one.Kept, Why: one.Why})
		}
		return &body[confirmationJSON]{out}, err
	})
}

// sendingOperations bring orders to suppliers.
func (s *Server) sendingOperations(a *appAPI) {
	const path = "workspaces/{workspace}/purchase-orders/{order}/mails"
	register(a, operation{
		id: "draftOrderMail", method: http.MethodGet, path: path + "/draft", tag: purchaseTag, needs: auth.Read,
		summary: "The mail with an order to its supplier, as it would be sent",
		about:   "In the supplier's language, with what the document leaves out and what was sent before.",
	}, func(ctx context.Context, in *OrderPart) (*body[orderDraftJSON], error) {
		draft, err := s.Sending.Draft(ctx, by(ctx).Principal, in.print(), time.Now())
		return &body[orderDraftJSON]{toOrderDraft(draft)}, err
	})
	register(a, operation{
		id: "sendOrder", method: http.MethodPost, path: path, tag: purchaseTag, needs: auth.SendOrders,
		status: http.StatusCreated, summary: "Send an order to its supplier",
		about: "Stores the mail with the order as a PDF; it is sent in the background, at most once, and the timeline says how it went. " +
			"A request that is repeated with the same key returns the same mail. It is refused (409) if lines are not approved (not_approved), " +
			"if the order was changed (order_changed) or sent by somebody (already_sent) since the draft was read, " +
			"if the supplier's address or payment terms were changed since the last order and changes_seen does not say that you know (supplier_changed), " +
			"or without a mail server (no_mail_server), unless it is sent by hand. It goes to the supplier's own address, to those that an admin " +
			"has allowed for the supplier, and to members of the company; anything else is refused (403 receiver_not_allowed), unless an admin " +
			"sends it, which allows the address. Too many mails, or too many new receivers, get 429 (mail_limit).",
	}, func(ctx context.Context, in *struct {
		OrderPart
		Body struct {
			Key     uuid.UUID  `json:"key" format:"uuid" doc:"Chosen by the caller, once for each mail." example:"0b1d7a3e-2f63-4f0e-9d0a-0d6f1f5c2a11"`
			After   *uuid.UUID `json:"after,omitempty" format:"uuid" doc:"The id of the last mail that you saw. Absent: there was none."`
			Digest  string     `json:"digest" maxLength:"64" doc:"Of the draft that you saw."`
			Changes string     `json:"changes_seen,omitempty" maxLength:"64" doc:"The changes_digest of the draft that you saw, if it had one."`
			To      []string   `json:"to" maxItems:"10" example:"[\"orders@harbour.example\"]" doc:"To and cc have at most 10 addresses together."`
			Cc      []string   `json:"cc,omitempty" maxItems:"10"`
			Subject string     `json:"subject" minLength:"1" maxLength:"200" example:"Purchase order PO-3131"`
			Text    string     `json:"text" minLength:"1" maxLength:"2000" example:"Please find attached our purchase order."`
			ByHand  bool       `json:"by_hand,omitempty" doc:"You send it with your own mail program; only the entry is kept."`
		}
	}) (*body[orderMailJSON], error) {
		letter := sending.Letter{Key: in.Body.Key, Digest: in.Body.Digest, SeenChanges: in.Body.Changes, To: in.Body.To, Cc: in.Body.Cc,
			Subject: in.Body.Subject, Text: in.Body.Text, ByHand: in.Body.ByHand}
		if in.Body.After != nil {
			letter.After = *in.Body.After
		}
		sent, err := s.Sending.Send(ctx, by(ctx).Principal, in.print(), letter, time.Now())
		return &body[orderMailJSON]{toOrderMail(sent)}, err
	})
	s.receiverOperations(a)
	const id, file = "getSentOrderPdf", path + "/{mail}/pdf"
	register(a, operation{
		id: id, method: http.MethodGet, path: file, tag: purchaseTag, needs: auth.Read,
		summary: "The PDF that a supplier got", about: "As it was sent, whatever has changed since.",
	}, func(ctx context.Context, in *struct {
		OneOrder
		Mail uuid.UUID `path:"mail" format:"uuid" doc:"The id of the mail, which is that of its entry in the timeline."`
	}) (*huma.StreamResponse, error) {
		name, pdf, err := s.Sending.Document(ctx, by(ctx).Principal, in.Order, in.Mail)
		if err != nil {
			return nil, err
		}
		return s.file(ctx, id, name, "application/pdf", func(w io.Writer) error {
			_, err := w.Write(pdf)
			return err
		}), nil
	})
	a.answersFile(file, "application/pdf")
}

// receiverOperations let admins say where else orders of a supplier may go.
func (s *Server) receiverOperations(a *appAPI) {
	const path = "workspaces/{workspace}/purchase-orders/{order}/receivers"
	register(a, operation{
		id: "allowOrderReceiver", method: http.MethodPost, path: path, tag: purchaseTag, needs: auth.AllowReceivers,
		status: http.StatusCreated, summary: "Let orders of a supplier go to another address",
		about: "The order names the supplier. The address stays allowed until it is removed. Answers with all of them.",
	}, func(ctx context.Context, in *struct {
		OrderPart
		Body struct {
			Address string `json:"address" maxLength:"254" example:"sales@harbour.example"`
		}
	}) (*body[orderReceiversJSON], error) {
		all, err := s.Sending.Allow(ctx, by(ctx).Principal, in.print(), in.Body.Address, time.Now())
		return &body[orderReceiversJSON]{orderReceiversJSON{toOrderReceivers(all)}}, err
	})
	register(a, operation{
		id: "removeOrderReceiver", method: http.MethodDelete, path: path, tag: purchaseTag, needs: auth.AllowReceivers,
		status: http.StatusNoContent, summary: "Take back that orders of a supplier may go to an address",
	}, func(ctx context.Context, in *struct {
		OrderPart
		Address string `query:"address" required:"true" maxLength:"254" example:"sales@harbour.example"`
	}) (*nothing, error) {
		return nil, s.Sending.Disallow(ctx, by(ctx).Principal, in.print(), in.Address, time.Now())
	})
}

func toOrderReceivers(all []sending.Receiver) []orderReceiverJSON {
	out := []orderReceiverJSON{}
	for _, one := range all {
		out = append(out, orderReceiverJSON{Address: one.Address, At: one.At.UTC(), ByType: string(one.By.Type), ByID: one.By.ID})
	}
	return out
}

func toOrderDraft(d sending.Draft) orderDraftJSON {
	out := orderDraftJSON{SupplierID: d.SupplierID, Supplier: d.Supplier, To: d.To, Subject: d.Subject, Text: d.Text,
		Language: d.Words.Language, Missing: []missingJSON{}, CanMail: d.CanMail, Lines: d.Lines, Unapproved: d.Unapproved, Outside: d.Outside,
		Digest: d.Digest, Changed: d.Changed, SupplierChanges: []supplierChangeJSON{}, ChangesDigest: d.ChangesDigest, Receivers: toOrderReceivers(d.Receivers)}
	for _, one := range d.SupplierChanges {
		change := supplierChangeJSON{Field: one.Field, Was: one.Was, Is: one.Is, ByType: string(one.By.Type), ByID: one.By.ID}
		if !one.At.IsZero() {
			change.At = new(one.At.UTC())
		}
		out.SupplierChanges = append(out.SupplierChanges, change)
	}
	for _, one := range d.Missing {
		out.Missing = append(out.Missing, missingJSON(one))
	}
	if d.Last != nil {
		out.Last = new(toOrderMail(*d.Last))
	}
	return out
}

func toOrderMail(m sending.Mail) orderMailJSON {
	return orderMailJSON{ID: m.ID, At: m.At.UTC(), ByType: string(m.By.Type), ByID: m.By.ID, To: append([]string{}, m.To...),
		Cc: append([]string{}, m.Cc...), Subject: m.Subject, State: m.State, Reason: m.Reason, Lines: m.Lines}
}
