// Package sending brings purchase orders to suppliers by mail, and keeps what each supplier got.
//
// A request stores the mail, with its document, and the job that sends it, in one transaction. A mail is
// sent at most once: one instance claims it before it speaks to the mail server, and a mail that was
// claimed is never sent again by itself. If nobody can know whether the server accepted it, its state is
// Unknown, and a person decides whether to send the order again. Only refusals that are certain and
// temporary are tried again.
package sending

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// State is what is known of a mail.
type State string

// The states.
const (
	Queued  State = "queued"  // it will be sent, or tried again
	Sending State = "sending" // an instance speaks to the mail server
	Sent    State = "sent"    // the mail server has accepted it
	Failed  State = "failed"  // the mail server has not accepted it
	Unknown State = "unknown" // the mail server may have accepted it
	ByHand  State = "by_hand" // somebody sends it with their own program
)

// Mail is an order that was sent to a supplier.
type Mail struct {
	ID      uuid.UUID
	By      auth.Actor
	At      time.Time
	To, Cc  []string
	Subject string
	State   State
	Reason  string // of a failure
	Lines   int64
	key     uuid.UUID
	printed []purchase.PrintedLine
}

// Service sends orders.
type Service struct {
	cells  *pg.Cells
	orders *purchase.Service
	post   *mail.Sender
	limits Limits
	log    *slog.Logger
}

// New returns the service.
func New(cells *pg.Cells, orders *purchase.Service, post *mail.Sender, limits Limits, log *slog.Logger) *Service {
	return &Service{cells: cells, orders: orders, post: post, limits: limits.orDefault(), log: log}
}

// Draft is a mail as it would be sent, and what a person should know before they send it.
type Draft struct {
	purchase.Cover
	To            []string
	Subject, Text string
	Digest        string // of the lines; a Letter names it
	Missing       []purchase.Missing
	CanMail       bool       // there is a mail server
	Last          *Mail      // to this supplier
	Changed       int        // lines that changed since the last mail that did not fail
	Receivers     []Receiver // that an admin has allowed, beside the supplier's own address

	SupplierChanges []Change // in the supplier's record, since the last order to that supplier
	ChangesDigest   string   // of SupplierChanges; a Letter repeats it. Empty: there are none
}

// Draft writes the mail with an order to its supplier.
func (s *Service) Draft(ctx context.Context, by auth.Principal, want purchase.Print, now time.Time) (Draft, error) {
	sheet, err := s.orders.Sheet(ctx, by, want, now)
	if err != nil {
		return Draft{}, err
	}
	lines, err := sheet.Lines(ctx)
	if err != nil {
		return Draft{}, err
	}
	cover := sheet.Cover()
	draft := Draft{Cover: cover, To: []string{}, Digest: purchase.Digest(lines), Missing: sheet.Missing(),
		CanMail: s.post.Configured(), Subject: fmt.Sprintf(cover.Words.Order, want.OrderNo)}
	if mail.IsAddress(cover.Email) {
		draft.To = append(draft.To, cover.Email)
	} else {
		draft.Missing = append(draft.Missing, purchase.Missing{Code: "supplier_email", Words: "This supplier has no mail address."})
	}
	signed, err := s.signature(ctx, by, cover)
	if err != nil {
		return Draft{}, err
	}
	draft.Text = text(cover, want.OrderNo, signed)
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		if _, draft.SupplierChanges, err = supplierChanges(ctx, q.New(tx), by, cover); err != nil {
			return err
		}
		draft.ChangesDigest = digestOf(draft.SupplierChanges)
		mails, err := s.mails(ctx, q.New(tx), by, want.OrderNo, cover.Key)
		if err != nil {
			return err
		}
		draft.Receivers, err = receiversOf(ctx, tx, by, cover.Key)
		for i, one := range mails {
			if i == 0 {
				draft.Last = &mails[0]
			}
			if one.State != Failed {
				draft.Changed = changed(one.printed, lines)
				break
			}
		}
		return err
	})
	return draft, err
}

// signature returns with whose name the mail ends.
func (s *Service) signature(ctx context.Context, by auth.Principal, cover purchase.Cover) (string, error) {
	name := cover.Contact
	if name == "" {
		who, err := s.person(ctx, by)
		if err != nil {
			return "", err
		}
		name = who.Name
	}
	return strings.Trim(name+"\n"+cover.Company, "\n"), nil
}

// person returns the member who calls. Others, such as operators, have no name.
func (s *Service) person(ctx context.Context, by auth.Principal) (who q.GetMemberRow, err error) {
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		who, err = q.New(tx).GetMember(ctx, q.GetMemberParams{TenantID: by.Tenant, UserID: by.Person})
		return err
	})
	if fault.Is(err, fault.NotFound) {
		err = nil
	}
	return who, err
}

// text returns what the mail says.
func text(cover purchase.Cover, orderNo, signed string) string {
	hello := cover.Words.Hello
	if cover.Person != "" {
		hello = fmt.Sprintf(cover.Words.HelloTo, cover.Person)
	}
	words := []rune(strings.Join([]string{hello, fmt.Sprintf(cover.Words.Ordered, orderNo) + "\n" + cover.Words.Ask,
		cover.Words.Regards + "\n" + signed}, "\n\n"))
	return string(words[:min(len(words), longestText)])
}

// mostMails is how many mails of an order are looked at for the last one to a supplier.
const mostMails = 100

// mails returns the mails of an order to one supplier, the newest first.
func (s *Service) mails(ctx context.Context, queries *q.Queries, by auth.Principal, orderNo, supplier string) (
	mails []Mail, err error) {
	rows, err := queries.ListOrderMails(ctx, q.ListOrderMailsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
		OrderNo: orderNo, Most: mostMails})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.Supplier != supplier {
			continue
		}
		one := Mail{ID: row.ID, At: row.CreatedAt, To: row.Receivers, Cc: row.Copies, Subject: row.Subject,
			State: State(row.State), Reason: row.Reason, key: row.Key}
		if err := json.Unmarshal(row.Actor, &one.By); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(row.Lines, &one.printed); err != nil {
			return nil, err
		}
		one.Lines = int64(len(one.printed))
		mails = append(mails, one)
	}
	return mails, nil
}

// changed counts the lines that are new, gone or different.
func changed(before, now []purchase.PrintedLine) (count int) {
	was := map[string]purchase.PrintedLine{}
	for _, line := range before {
		was[line.ID] = line
	}
	for _, line := range now {
		if old, known := was[line.ID]; !known || old != line {
			count++
		}
		delete(was, line.ID)
	}
	return count + len(was)
}

// Document returns the file that a supplier got.
func (s *Service) Document(ctx context.Context, by auth.Principal, orderNo string, id uuid.UUID) (
	name string, pdf []byte, err error) {
	if err := by.Require(auth.Read); err != nil {
		return "", nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		found, err := q.New(tx).GetOrderMailDocument(ctx, q.GetOrderMailDocumentParams{TenantID: by.Tenant,
			WorkspaceID: by.Workspace, OrderNo: orderNo, ID: id})
		name, pdf = found.FileName, found.Document
		return err
	})
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "unknown_mail", "this order was not sent with a mail of this id")
	}
	return name, pdf, err
}
