package httpapi

import (
	"time"

	"github.com/quayside/quayside/internal/exchange"
)

type (
	rehearsalJSON struct {
		At      time.Time      `json:"at"`
		Orders  []foreseenJSON `json:"orders"`
		Open    int64          `json:"open" doc:"Open orders here, in all."`
		Looked  int            `json:"looked" doc:"Of these, looked at."`
		There   int            `json:"there" doc:"Orders of the other system that were read."`
		Whole   bool           `json:"whole" doc:"These are all of its orders."`
		Trouble string         `json:"trouble,omitempty" doc:"Why it ended early, in words."`
	}
	foreseenJSON struct {
		OrderNo   string                 `json:"order_no"`
		External  string                 `json:"external_id,omitempty" doc:"The order's id there. Absent if it is not there."`
		Supplier  string                 `json:"supplier,omitempty"`
		Prospect  string                 `json:"prospect" enum:"created_there,created_here,changed_there,changed_here,changed_both,left_alone,held,conflict,not_looked_at"`
		Code      string                 `json:"code,omitempty" doc:"Of what holds it, such as supplier_unmapped."`
		Message   string                 `json:"message,omitempty" doc:"Why it is held, left alone or was not looked at, in words."`
		Here      []effectJSON           `json:"here" doc:"What would be written here."`
		There     []effectJSON           `json:"there" doc:"What would be written there."`
		Conflicts []foreseenConflictJSON `json:"conflicts" doc:"What a person would be asked."`
		Notices   []string               `json:"notices"`
	}
	effectJSON struct {
		SKU   string `json:"sku,omitempty" doc:"Absent if it is about the whole order."`
		What  string `json:"what" enum:"create,delete,change,receive,place"`
		Field string `json:"field,omitempty" enum:"status,variant,supplier,currency,quantity,price,expected_arrival,receipts"`
		From  string `json:"from,omitempty"`
		To    string `json:"to,omitempty"`
	}
	foreseenConflictJSON struct {
		SKU    string `json:"sku"`
		Field  string `json:"field" enum:"status,variant,supplier,currency,quantity,price,expected_arrival,receipts"`
		Reason string `json:"reason" doc:"Such as both_changed."`
		Ours   string `json:"ours"`
		Theirs string `json:"theirs"`
	}
)

func toRehearsalJSON(r exchange.Rehearsal) rehearsalJSON {
	shown := rehearsalJSON{At: r.At.UTC(), Orders: []foreseenJSON{}, Open: r.Open, Looked: r.Looked, There: r.There,
		Whole: r.Whole, Trouble: r.Trouble}
	for _, one := range r.Orders {
		order := foreseenJSON{OrderNo: one.Number, External: one.External, Supplier: one.Supplier, Prospect: string(one.Prospect),
			Code: one.Code, Message: one.Message, Here: toEffectsJSON(one.Here), There: toEffectsJSON(one.There),
			Conflicts: []foreseenConflictJSON{}, Notices: []string{}}
		for _, c := range one.Conflicts {
			order.Conflicts = append(order.Conflicts, foreseenConflictJSON{SKU: c.SKU, Field: string(c.Field),
				Reason: string(c.Reason), Ours: c.Ours, Theirs: c.Theirs})
		}
		for _, notice := range one.Notices {
			order.Notices = append(order.Notices, string(notice))
		}
		shown.Orders = append(shown.Orders, order)
	}
	return shown
}

func toEffectsJSON(effects []exchange.Effect) []effectJSON {
	shown := []effectJSON{}
	for _, e := range effects {
		shown = append(shown, effectJSON{SKU: e.SKU, What: e.What, Field: string(e.Field), From: e.From, To: e.To})
	}
	return shown
}
