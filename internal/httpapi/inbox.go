package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/inbox"
)

type (
	inboxItemJSON struct {
		ID        uuid.UUID   `json:"id" format:"uuid" doc:"Another one after the item got news."`
		Kind      inbox.Kind  `json:"kind" enum:"approval,sent_back,mention,alert"`
		Subject   string      `json:"subject" doc:"The number of the order, or the id of the alert."`
		ByType    string      `json:"by_type,omitempty" doc:"Who submitted, sent back or mentions you: user, agent or system. Absent for an external system."`
		ByID      string      `json:"by_id,omitempty"`
		Text      string      `json:"text,omitempty" doc:"The reason of sending back, or the comment."`
		Lines     int64       `json:"lines" doc:"How many lines wait, or were sent back."`
		At        time.Time   `json:"at" doc:"When the newest of it came."`
		Seen      bool        `json:"seen" doc:"Whether you have seen it as it is now."`
		Suppliers []string    `json:"suppliers" doc:"The first three of the order."`
		Totals    []moneyJSON `json:"totals" doc:"What the order comes to, by currency. The currency is empty for lines without one."`
		LeftOut   int64       `json:"left_out" doc:"Lines that are in no total, because their quantity or price is not plausible."`
		Alert     *alertJSON  `json:"alert,omitempty"`
	}
	inboxCountJSON struct {
		Unseen       int64 `json:"unseen" doc:"Items that you have not seen as they are now."`
		Approvals    int64 `json:"approvals" doc:"Orders that wait for your approval, seen or not: the number of Today."`
		UnreadAlerts int64 `json:"unread_alerts" doc:"Unread alerts, also those that are resolved since less than a week."`
	}
)

// inboxOperations show people what asks for their attention.
func (s *Server) inboxOperations(a *appAPI) {
	const tag, path = "Inbox", "workspaces/{workspace}/inbox"
	register(a, operation{
		id: "listInbox", method: http.MethodGet, path: path, tag: tag, needs: auth.Read, summary: "My inbox, the newest first",
		about: "Orders that wait for your approval, orders that were sent back to you, mentions of the last 30 days, and " +
			"open alerts. An item goes when it is no longer so.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
		Kind inbox.Kind `query:"kind" enum:"approval,sent_back,mention,alert" doc:"Only items of this kind."`
	}) (*body[list[inboxItemJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		found, more, err := s.Inbox.List(ctx, by(ctx).Principal, in.Kind, want)
		var items []inboxItemJSON
		for _, one := range found {
			items = append(items, toInboxItem(one))
		}
		return listed(items, more, func(one inboxItemJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "countInbox", method: http.MethodGet, path: path + "/count", tag: tag, needs: auth.Read, summary: "Count my inbox",
	}, func(ctx context.Context, _ *InWorkspace) (*body[inboxCountJSON], error) {
		count, err := s.Inbox.Count(ctx, by(ctx).Principal)
		return &body[inboxCountJSON]{inboxCountJSON(count)}, err
	})
	register(a, operation{
		id: "markInbox", method: http.MethodPost, path: path + "/mark", tag: tag, needs: auth.Read,
		status:  http.StatusNoContent,
		summary: "Mark items of my inbox as seen or done",
		about: "Items that are done go, until they get news. Those that wait for approval, and alerts, stay for as long as " +
			"they are so, and are only marked as seen.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Items []struct {
				Kind    inbox.Kind `json:"kind" enum:"approval,sent_back,mention,alert" example:"mention"`
				Subject string     `json:"subject" minLength:"1" maxLength:"200" example:"PO-3101"`
				At      time.Time  `json:"at" doc:"Of the item as you saw it: what came later is still new."`
			} `json:"items,omitempty" maxItems:"200" doc:"These items."`
			UpTo *time.Time `json:"up_to,omitempty" doc:"All items that came up to this moment. Send that of the newest one that you saw."`
			Kind inbox.Kind `json:"kind,omitempty" enum:"approval,sent_back,mention,alert" example:"mention" doc:"With up_to: only items of this kind."`
			Done bool       `json:"done,omitempty"`
		}
	}) (*nothing, error) {
		if in.Body.UpTo != nil {
			if err := s.Inbox.MarkAll(ctx, by(ctx).Principal, in.Body.Kind, *in.Body.UpTo, in.Body.Done); err != nil {
				return nil, err
			}
		}
		sights := []inbox.Sight{}
		for _, item := range in.Body.Items {
			sights = append(sights, inbox.Sight(item))
		}
		return nil, s.Inbox.Mark(ctx, by(ctx).Principal, sights, in.Body.Done)
	})
}

func toInboxItem(i inbox.Item) inboxItemJSON {
	out := inboxItemJSON{ID: i.ID, Kind: i.Kind, Subject: i.Subject, ByType: string(i.By.Type), ByID: i.By.ID, Text: i.Text,
		Lines: i.Lines, At: i.At.UTC(), Seen: i.Seen, Suppliers: []string{}, Totals: []moneyJSON{}}
	if i.Order != nil {
		out.Suppliers, out.LeftOut = append(out.Suppliers, i.Order.Suppliers...), i.Order.LeftOut
		for _, total := range i.Order.Totals {
			out.Totals = append(out.Totals, moneyJSON{Amount: total.Amount.String(), Currency: total.Currency})
		}
	}
	if i.Alert != nil {
		shown := toAlertJSON(*i.Alert)
		out.Alert = &shown
	}
	return out
}
