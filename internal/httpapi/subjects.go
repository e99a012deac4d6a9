package httpapi

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/subject"
)

// What the pages of articles, suppliers and customers share.
type (
	mentionJSON struct {
		ID      uuid.UUID `json:"id" format:"uuid"`
		Table   string    `json:"table"`
		Code    string    `json:"code"`
		Field   string    `json:"field,omitempty"`
		Key     string    `json:"key,omitempty" doc:"What identifies the record."`
		Message string    `json:"message"`
		At      time.Time `json:"at" doc:"When it was last sent."`
		Seen    int64     `json:"seen"`
	}
	recordMomentJSON struct {
		At      time.Time  `json:"at"`
		What    string     `json:"what" doc:"Such as purchase_order_line.approved, or ingest.products.received."`
		LineID  string     `json:"line_id,omitempty" doc:"The purchase order line. Absent for the record itself."`
		OrderNo string     `json:"order_no,omitempty"`
		Fields  []string   `json:"fields" doc:"The fields of the record that were written."`
		By      *actorJSON `json:"by,omitempty" doc:"Absent if it is no longer known."`
	}
	noteJSON struct {
		ID      string    `json:"id"`
		Title   string    `json:"title"`
		Summary string    `json:"summary" doc:"Its beginning; empty if there is none."`
		At      time.Time `json:"at"`
	}
)

func toMoments(moments []subject.Moment) []recordMomentJSON {
	out := make([]recordMomentJSON, 0, len(moments))
	for _, m := range moments {
		out = append(out, recordMomentJSON{
			At: m.At, What: m.What, LineID: m.LineID, OrderNo: m.OrderNo, Fields: append([]string{}, m.Fields...),
			By: toActor(m.By, m.ByName),
		})
	}
	return out
}

// toMentions returns nil for somebody who may not see failed imports.
func toMentions(mentions []subject.Mention) *[]mentionJSON {
	if mentions == nil {
		return nil
	}
	out := make([]mentionJSON, 0, len(mentions))
	for _, f := range mentions {
		out = append(out, mentionJSON{
			ID: f.ID, Table: f.Table, Code: f.Code, Field: f.Field, Key: f.Key, Message: f.Error, At: f.At, Seen: f.Seen,
		})
	}
	return &out
}

func toNotes(notes []subject.Note) []noteJSON {
	out := make([]noteJSON, 0, len(notes))
	for _, n := range notes {
		out = append(out, noteJSON{ID: n.ID, Title: n.Title, Summary: n.Summary, At: n.At})
	}
	return out
}

func toActor(by auth.Actor, name string) *actorJSON {
	if by.Type == "" {
		return nil
	}
	return &actorJSON{Type: string(by.Type), ID: by.ID, Name: name}
}

func toMoney(m *subject.Money) *moneyJSON {
	if m == nil {
		return nil
	}
	return &moneyJSON{Amount: m.Amount.String(), Currency: m.Currency}
}

// toMonies returns amounts by currency.
func toMonies(amounts []subject.Money) []moneyJSON {
	out := make([]moneyJSON, 0, len(amounts))
	for i := range amounts {
		out = append(out, *toMoney(&amounts[i]))
	}
	return out
}

func decimalText(d *decimal.Decimal) *string {
	if d == nil {
		return nil
	}
	said := d.String()
	return &said
}

func dateText(day *time.Time) *string {
	if day == nil {
		return nil
	}
	said := day.Format(time.DateOnly)
	return &said
}
