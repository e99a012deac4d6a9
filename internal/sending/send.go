package sending

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/thread"
)

const (
	mostReceivers  = 10
	longestSubject = 200
	longestText    = 2000
)

// Letter is a mail that a person wants to send with an order.
type Letter struct {
	Key           uuid.UUID // chosen by the caller, once for each mail
	After         uuid.UUID // the last mail that the caller saw; nil: none
	Digest        string    // of the lines that the caller saw
	SeenChanges   string    // the draft's ChangesDigest: the caller saw what changed in the supplier's record
	To, Cc        []string
	Subject, Text string
	ByHand        bool // the caller sends it with their own program
}

// checked returns the letter with its texts trimmed and no receiver twice.
func (l Letter) checked() (Letter, error) {
	if l.Key == uuid.Nil {
		return l, fault.InField("key", "key", "give the mail a key of its own")
	}
	seen := map[string]bool{}
	var err error
	for field, addresses := range map[string]*[]string{"to": &l.To, "cc": &l.Cc} {
		kept := []string{}
		for _, address := range *addresses {
			if !mail.IsAddress(address) {
				err = fault.InField(field, "address", "%s is not a mail address; give addresses such as orders@example.com",
					fault.Shorten(address))
			}
			if same := strings.ToLower(address); !seen[field+same] {
				seen[field+same] = true
				kept = append(kept, address)
			}
		}
		*addresses = kept
	}
	l.Cc = slices.DeleteFunc(l.Cc, func(address string) bool { return seen["to"+strings.ToLower(address)] })
	l.Subject, l.Text = strings.TrimSpace(l.Subject), strings.TrimSpace(strings.ReplaceAll(l.Text, "\r\n", "\n"))
	switch {
	case err != nil:
		return l, err
	case len(l.To) == 0 && !l.ByHand:
		return l, fault.InField("to", "required", "say to which address the order goes")
	case len(l.To)+len(l.Cc) > mostReceivers:
		return l, fault.InField("to", "receivers", "a mail goes to at most %d addresses", mostReceivers)
	case !plain(l.Subject, longestSubject, false):
		return l, fault.InField("subject", "text", "give a subject of at most %d characters in one line", longestSubject)
	case !plain(l.Text, longestText, true):
		return l, fault.InField("text", "text", "give a text of at most %d characters", longestText)
	}
	return l, nil
}

// plain reports whether a text is not empty, not too long and without control characters.
func plain(text string, longest int, lines bool) bool {
	return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= longest &&
		!strings.ContainsFunc(text, func(r rune) bool {
			return unicode.IsControl(r) && (!lines || r != '\n' && r != '\t')
		})
}

// Send stores the mail with an order, and the job that sends it. A letter that is sent twice is stored
// once. It is refused if the order is not what the caller saw, if somebody sent it meanwhile, if a receiver is nobody
// whom an admin has allowed, or if too many were sent.
func (s *Service) Send(ctx context.Context, by auth.Principal, want purchase.Print, letter Letter, now time.Time) (
	sent Mail, err error) {
	if err := by.Require(auth.SendOrders); err != nil {
		return Mail{}, err
	}
	if letter, err = letter.checked(); err != nil {
		return Mail{}, err
	}
	if !letter.ByHand && !s.post.Configured() {
		return Mail{}, fault.New(fault.Conflict, "no_mail_server",
			"no mail server is configured; send the order with your own mail program")
	}
	sheet, err := s.orders.Sheet(ctx, by, want, now)
	if err != nil {
		return Mail{}, err
	}
	lines, err := sheet.Lines(ctx)
	if err != nil {
		return Mail{}, err
	}
	var pdf bytes.Buffer
	if err := sheet.WritePDF(ctx, &pdf); err != nil {
		return Mail{}, err
	}
	who, err := s.person(ctx, by)
	if err != nil {
		return Mail{}, err
	}
	cover := sheet.Cover()
	if cover.AnswerTo == "" {
		cover.AnswerTo = who.Email
	}
	ours, err := s.members(ctx, by, letter.addressees())
	if err != nil {
		return Mail{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		if err := sheet.Unchanged(ctx, tx); err != nil { // locks the order: two letters wait for each other
			return err
		}
		before, err := s.mails(ctx, q.New(tx), by, want.OrderNo, cover.Key)
		if err != nil {
			return err
		}
		if same := slices.IndexFunc(before, func(m Mail) bool { return m.key == letter.Key }); same >= 0 {
			sent = before[same]
			return nil
		}
		if err := refuse(letter, cover, lines, before); err != nil {
			return err
		}
		said, changes, err := supplierChanges(ctx, q.New(tx), by, cover)
		if err != nil {
			return err
		}
		if err := refuseUnseen(letter, changes); err != nil {
			return err
		}
		if err := s.admit(ctx, tx, by, cover, letter, ours, now); err != nil {
			return err
		}
		sent, err = s.store(ctx, tx, by, want.OrderNo, cover, said, letter, lines, pdf.Bytes())
		return err
	})
	return sent, err
}

// refuse refuses a letter whose writer did not see the order, or the last mail, as it is.
func refuse(letter Letter, cover purchase.Cover, lines []purchase.PrintedLine, before []Mail) error {
	last := uuid.Nil
	if len(before) > 0 {
		last = before[0].ID
	}
	switch {
	case cover.Unapproved > 0:
		return fault.New(fault.Conflict, "not_approved", "%d of %d lines are not approved; suppliers get approved lines only",
			cover.Unapproved, cover.Lines)
	case letter.Digest != purchase.Digest(lines):
		return fault.New(fault.Conflict, "order_changed", "the order was changed since you saw it; look at it again")
	case letter.After != last:
		return fault.New(fault.Conflict, "already_sent", "somebody sent this order since you looked; look again, then decide")
	}
	return nil
}

// store writes the entry, the mail, its job and the audit row.
func (s *Service) store(ctx context.Context, tx pgx.Tx, by auth.Principal, orderNo string, cover purchase.Cover,
	said particulars, letter Letter, lines []purchase.PrintedLine, pdf []byte) (Mail, error) {
	queries := q.New(tx)
	content, err := json.Marshal(lines)
	if err != nil {
		return Mail{}, err
	}
	record, err := json.Marshal(said)
	if err != nil {
		return Mail{}, err
	}
	sent := Mail{ID: uuid.Must(uuid.NewV7()), By: by.Actor, To: letter.To, Cc: letter.Cc, Subject: letter.Subject, State: Queued,
		Lines: cover.Lines}
	if letter.ByHand {
		sent.State = ByHand
	}
	data, err := json.Marshal(map[string]any{"supplier": cover.Supplier, "lines": cover.Lines})
	if err != nil {
		return Mail{}, err
	}
	sent.At, err = queries.InsertOrderEntry(ctx, q.InsertOrderEntryParams{
		TenantID: by.Tenant, ID: sent.ID, WorkspaceID: by.Workspace, OrderNo: orderNo, Kind: string(thread.Sent),
		Actor: by.Actor.JSON(), Text: letter.Text, Mentions: []uuid.UUID{}, Data: data,
	})
	if err != nil {
		return Mail{}, err
	}
	err = queries.InsertOrderMail(ctx, q.InsertOrderMailParams{
		TenantID: by.Tenant, ID: sent.ID, WorkspaceID: by.Workspace, OrderNo: orderNo, Key: letter.Key, Supplier: cover.Key,
		Receivers: sent.To, Copies: sent.Cc, ReplyTo: cover.AnswerTo, Subject: sent.Subject, Document: pdf,
		FileName: fileName(orderNo), Lines: content, State: string(sent.State),
		Particulars: record,
	})
	if err != nil {
		return Mail{}, err
	}
	if !letter.ByHand {
		if err := pg.Enqueue(ctx, tx, Job{Tenant: by.Tenant, Mail: sent.ID}); err != nil {
			return Mail{}, err
		}
	}
	return sent, audit.Record(ctx, tx, by, "purchase_order.sent", orderNo, audit.Data{"entry": sent.ID, "to": sent.To,
		"cc": sent.Cc, "lines": cover.Lines, "supplier": cover.Supplier, "by_hand": letter.ByHand, "seen_changes": letter.SeenChanges != ""})
}

// fileName turns an order's number into a file name that every system accepts.
func fileName(order string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, order) + ".pdf"
}
