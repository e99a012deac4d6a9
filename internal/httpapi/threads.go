package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/thread"
)

type (
	orderEntryJSON struct {
		ID       uuid.UUID   `json:"id" format:"uuid"`
		OrderNo  string      `json:"order_no"`
		Kind     thread.Kind `json:"kind" enum:"comment,call,reminder,sent,confirmation"`
		ByType   string      `json:"by_type" doc:"user or agent."`
		ByID     string      `json:"by_id,omitempty"`
		Text     string      `json:"text"`
		Mentions []uuid.UUID `json:"mentions" doc:"Members of the company."`
		At       time.Time   `json:"at"`
	}
	orderMomentJSON struct {
		ID        uuid.UUID   `json:"id" format:"uuid"`
		At        time.Time   `json:"at"`
		ByType    string      `json:"by_type" doc:"user, agent, key or system."`
		ByID      string      `json:"by_id,omitempty"`
		What      string      `json:"what" doc:"Such as purchase_order_line.approved or ingest.purchase_order_lines.received; or the kind of an entry of the log: comment, call, reminder, sent, confirmation."`
		RequestID string      `json:"request_id,omitempty"`
		Lines     int64       `json:"lines" doc:"How many lines it was done to. 0 for an entry of the log."`
		SKU       string      `json:"sku,omitempty" doc:"Of the first of the lines."`
		Data      any         `json:"data" doc:"What changed in the first of the lines, and why. Of an order that was sent: state, reason, to, cc, subject, supplier, lines. Of a confirmation: reference, lines, differences."`
		Text      string      `json:"text,omitempty" doc:"Of an entry of the log."`
		Mentions  []uuid.UUID `json:"mentions" doc:"Members that an entry of the log mentions."`
	}
)

// threadOperations keep and show what is said about orders.
func (s *Server) threadOperations(a *appAPI) {
	const path = "workspaces/{workspace}/purchase-orders/{order}/"
	register(a, operation{
		id: "addOrderEntry", method: http.MethodPost, path: path + "entries", tag: purchaseTag, needs: auth.DiscussOrders,
		status:  http.StatusCreated,
		summary: "Add an entry to an order's log",
		about:   "A comment, a call with the supplier, or a reminder to the supplier. Entries are never changed or deleted.",
	}, func(ctx context.Context, in *struct {
		OneOrder
		Body struct {
			Kind     thread.Kind `json:"kind" enum:"comment,call,reminder" example:"call"`
			Text     string      `json:"text" minLength:"1" maxLength:"2000" example:"Comes on Monday, says Ms Berg"`
			Mentions []uuid.UUID `json:"mentions,omitempty" maxItems:"20" doc:"Members of the company."`
		}
	}) (*body[orderEntryJSON], error) {
		entry, err := s.Threads.Add(ctx, by(ctx).Principal, in.Order,
			thread.Entry{Kind: in.Body.Kind, Text: in.Body.Text, Mentions: in.Body.Mentions})
		return &body[orderEntryJSON]{toOrderEntry(entry)}, err
	})
	register(a, operation{
		id: "listOrderEntries", method: http.MethodGet, path: path + "entries", tag: purchaseTag, needs: auth.Read,
		summary: "List the entries of an order's log", about: "The newest first.",
	}, func(ctx context.Context, in *struct {
		OneOrder
		Paged
	}) (*body[list[orderEntryJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		entries, more, err := s.Threads.List(ctx, by(ctx).Principal, in.Order, want)
		var items []orderEntryJSON
		for _, entry := range entries {
			items = append(items, toOrderEntry(entry))
		}
		return listed(items, more, func(one orderEntryJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "getOrderTimeline", method: http.MethodGet, path: path + "timeline", tag: purchaseTag, needs: auth.Read,
		summary: "List what happened to an order and what was said about it",
		about: "The latest first. One item stands for all lines of one action of one request. Writes by external systems " +
			"are kept as long as events are, and one item stands for those of an hour; in an order of more than 500 lines " +
			"they are shown for the 500 lines that changed last.",
	}, func(ctx context.Context, in *struct {
		OneOrder
		Paged
	}) (*body[list[orderMomentJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		moments, more, err := s.Purchase.OrderTimeline(ctx, by(ctx).Principal, in.Order, want)
		var items []orderMomentJSON
		for _, moment := range moments {
			items = append(items, toOrderMoment(moment))
		}
		return listed(items, more, func(one orderMomentJSON) uuid.UUID { return one.ID }), err
	})
}

func toOrderEntry(e thread.Entry) orderEntryJSON {
	return orderEntryJSON{ID: e.ID, OrderNo: e.OrderNo, Kind: e.Kind, ByType: string(e.By.Type), ByID: e.By.ID, Text: e.Text,
		Mentions: append([]uuid.UUID{}, e.Mentions...), At: e.At.UTC()}
}

func toOrderMoment(m purchase.OrderMoment) orderMomentJSON {
	return orderMomentJSON{ID: m.ID, At: m.At.UTC(), ByType: string(m.By.Type), ByID: m.By.ID, What: m.What,
		RequestID: m.RequestID, Lines: m.Lines, SKU: m.SKU, Data: m.Data, Text: m.Text,
		Mentions: append([]uuid.UUID{}, m.Mentions...)}
}
