package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/fault"
)

type (
	exchangeJSON struct {
		ConnectionState string           `json:"connection_state" enum:"draft,active,paused"`
		Orders          map[string]int64 `json:"orders" doc:"How many orders there are in each state: waiting, synced, conflict, held, failed, paused."`
		Conflicts       int64            `json:"conflicts" doc:"How many conflicts wait for a person."`
		FirstDue        *time.Time       `json:"first_due,omitempty" doc:"When the first waiting order is compared. In the past: it is about to be."`
		LastSynced      *time.Time       `json:"last_synced,omitempty"`
		PolledAt        *time.Time       `json:"polled_at,omitempty" doc:"When the other system was last asked for changes."`
		PollMessage     string           `json:"poll_message,omitempty" doc:"Why the last poll failed, in words."`
		ReconciledAt    *time.Time       `json:"reconciled_at,omitempty" doc:"When all orders were last compared."`
		Reconcile       map[string]any   `json:"reconcile,omitempty" doc:"What the last comparison of all orders found."`
		CallsPerMinute  int64            `json:"calls_per_minute" doc:"The connection's budget."`
	}
	exchangeOrderJSON struct {
		OrderNo      string       `json:"order_no"`
		ConnectionID uuid.UUID    `json:"connection_id" format:"uuid"`
		Connection   string       `json:"connection" doc:"The connection's name."`
		System       string       `json:"system" enum:"katana"`
		Active       bool         `json:"active" doc:"The connection is in use."`
		ExternalID   string       `json:"external_id,omitempty" doc:"The order's id there. Absent if it is not known to be there."`
		State        string       `json:"state" enum:"waiting,synced,conflict,held,failed,paused" doc:"held: something is missing that only a person can give, such as a supplier's id there. failed: refused there, or tried too often."`
		Code         string       `json:"code,omitempty" doc:"Of the last error, or of what is missing."`
		Message      string       `json:"message,omitempty" doc:"The same in words. Absent if all is well."`
		Notices      []noticeJSON `json:"notices" doc:"What a person should know."`
		SyncedAt     *time.Time   `json:"synced_at,omitempty"`
		ChangedThere *time.Time   `json:"changed_there,omitempty" doc:"When the order was last changed there, by the other system's clock."`
		DueAt        *time.Time   `json:"due_at,omitempty" doc:"When it is compared next. Only if it waits."`
		Failures     int64        `json:"failures" doc:"In a row."`
		PausedBy     *actorJSON   `json:"paused_by,omitempty"`
	}
	noticeJSON struct {
		Code string `json:"code"`
		Text string `json:"text"`
	}
	exchangeAttemptJSON struct {
		ID      uuid.UUID `json:"id" format:"uuid"`
		At      time.Time `json:"at"`
		TookMS  int64     `json:"took_ms"`
		Version int64     `json:"version" doc:"Of the order here."`
		Outcome string    `json:"outcome" enum:"synced,conflict,held,failed,later"`
		Code    string    `json:"code,omitempty"`
		Message string    `json:"message,omitempty"`
		Here    []string  `json:"here" doc:"What was written here."`
		There   []string  `json:"there" doc:"What was written there."`
	}
	// OneExchange names an order of a connection.
	OneExchange struct {
		OneConnection
		Order string `path:"order" doc:"The order's number."`
	}
)

// exchangeOperations are about orders that are exchanged with other systems.
func (s *Server) exchangeOperations(a *appAPI) {
	const tag, this = "Exchange", "workspaces/{workspace}/connections/{connection}"
	const needs = auth.ManageConnections
	register(a, operation{
		id: "getExchange", method: http.MethodGet, path: this + "/exchange", tag: tag, needs: needs,
		summary: "How the exchange of orders stands",
	}, func(ctx context.Context, in *OneConnection) (*body[exchangeJSON], error) {
		progress, err := s.Exchange.Progress(ctx, by(ctx).Principal, in.Connection)
		return &body[exchangeJSON]{toExchangeJSON(progress)}, err
	})
	register(a, operation{
		id: "listExchangeOrders", method: http.MethodGet, path: this + "/orders", tag: tag, needs: needs,
		summary: "List the orders of a connection", about: "In the order of their numbers, the highest first.",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Paged
		State string `query:"state" enum:"waiting,synced,conflict,held,failed,paused" doc:"Only orders in this state."`
		Order string `query:"order_no" maxLength:"200" doc:"Only the order with this number."`
	}) (*body[list[exchangeOrderJSON]], error) {
		before, err := base64.RawURLEncoding.DecodeString(in.Cursor)
		if err != nil {
			return nil, fault.New(fault.BadRequest, "cursor", "this cursor was not made here; begin with the first page")
		}
		orders, more, err := s.Exchange.Orders(ctx, by(ctx).Principal, in.Connection,
			exchange.OrderFilter{State: exchange.State(in.State), Number: in.Order, Before: string(before)}, in.Limit)
		if err != nil {
			return nil, err
		}
		page := list[exchangeOrderJSON]{Items: []exchangeOrderJSON{}}
		for _, one := range orders {
			page.Items = append(page.Items, toExchangeOrderJSON(one))
		}
		if more {
			page.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(orders[len(orders)-1].Number))
		}
		return &body[list[exchangeOrderJSON]]{page}, nil
	})
	s.exchangeOrderOperations(a, tag, this+"/orders/{order}")
	s.conflictOperations(a, tag)
	register(a, operation{
		id: "retryExchangeOrders", method: http.MethodPost, path: this + "/retry", tag: tag, needs: needs,
		summary: "Retry orders", about: "Compares all orders at once that failed or are held.",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Body struct {
			States []exchange.State `json:"states" enum:"failed,held" minItems:"1" maxItems:"2" example:"[\"failed\"]"`
		}
	}) (*body[retriedJSON], error) {
		retried, err := s.Exchange.RetryOrders(ctx, by(ctx).Principal, in.Connection, in.Body.States)
		return &body[retriedJSON]{retriedJSON{retried}}, err
	})
}

type retriedJSON struct {
	Orders int64 `json:"orders"`
}

// exchangeOrderOperations are about one order of a connection.
func (s *Server) exchangeOrderOperations(a *appAPI, tag, this string) {
	register(a, operation{
		id: "listExchangeAttempts", method: http.MethodGet, path: this + "/attempts", tag: tag, needs: auth.ManageConnections,
		summary: "List the comparisons of an order",
		about:   "Those that did something or failed, the newest first.",
	}, func(ctx context.Context, in *struct {
		OneExchange
		Paged
	}) (*body[list[exchangeAttemptJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		attempts, more, err := s.Exchange.Attempts(ctx, by(ctx).Principal, in.Connection, in.Order, want)
		var items []exchangeAttemptJSON
		for _, one := range attempts {
			items = append(items, toExchangeAttemptJSON(one))
		}
		return listed(items, more, func(one exchangeAttemptJSON) uuid.UUID { return one.ID }), err
	})
	move := func(verb, summary, about string,
		do func(context.Context, auth.Principal, uuid.UUID, string) (exchange.Exchanged, error)) {
		register(a, operation{
			id: verb + "ExchangeOrder", method: http.MethodPost, path: this + "/" + verb, tag: tag,
			needs: auth.ManageConnections, summary: summary, about: about,
		}, func(ctx context.Context, in *OneExchange) (*body[exchangeOrderJSON], error) {
			order, err := do(ctx, by(ctx).Principal, in.Connection, in.Order)
			return &body[exchangeOrderJSON]{toExchangeOrderJSON(order)}, err
		})
	}
	move("pause", "Pause the exchange of an order", "Until somebody resumes it.", s.Exchange.PauseOrder)
	move("resume", "Resume the exchange of an order", "It is compared at once.", s.Exchange.ResumeOrder)
	move("retry", "Compare an order at once", "Whatever came of the last comparison.", s.Exchange.RetryOrder)
}

func toExchangeJSON(p exchange.Progress) exchangeJSON {
	shown := exchangeJSON{
		ConnectionState: string(p.Connection), Orders: map[string]int64{}, Conflicts: p.Conflicts, FirstDue: utc(p.FirstDue),
		LastSynced: utc(p.LastSynced), PolledAt: utc(p.PolledAt), PollMessage: p.PollMessage,
		ReconciledAt: utc(p.ReconciledAt), CallsPerMinute: p.CallsPerMinute,
	}
	for state, orders := range p.Orders {
		shown.Orders[string(state)] = orders
	}
	_ = json.Unmarshal(p.Reconcile, &shown.Reconcile) // an object that the service stored, or none
	return shown
}

func toExchangeOrderJSON(o exchange.Exchanged) exchangeOrderJSON {
	shown := exchangeOrderJSON{
		OrderNo: o.Number, ConnectionID: o.Connection, Connection: o.Name, System: string(o.System),
		Active: o.Active, ExternalID: o.External, State: string(o.State), Code: o.Code,
		Message: o.Message, Notices: []noticeJSON{}, SyncedAt: utc(o.SyncedAt), ChangedThere: utc(o.ChangedThere),
		Failures: o.Failures,
	}
	for _, notice := range o.Notices {
		shown.Notices = append(shown.Notices, noticeJSON{string(notice), exchange.NoticeWords(notice, o.Name)})
	}
	if o.State == exchange.Waiting {
		shown.DueAt = utc(&o.DueAt)
	}
	if o.PausedBy != nil {
		shown.PausedBy = &actorJSON{Type: string(o.PausedBy.Type), ID: o.PausedBy.ID}
	}
	return shown
}

func toExchangeAttemptJSON(a exchange.Attempt) exchangeAttemptJSON {
	return exchangeAttemptJSON{ID: a.ID, At: a.At.UTC(), TookMS: a.Took.Milliseconds(), Version: a.Version, Outcome: a.Outcome,
		Code: a.Code, Message: a.Message, Here: append([]string{}, a.Here...), There: append([]string{}, a.There...)}
}
