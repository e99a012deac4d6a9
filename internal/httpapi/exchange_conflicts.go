package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/inventory"
)

type (
	orderExchangeJSON struct {
		Exchange  exchangeOrderJSON `json:"exchange"`
		Conflicts []conflictJSON    `json:"conflicts" doc:"Those that wait for a person."`
	}
	conflictJSON struct {
		ID           uuid.UUID         `json:"id" format:"uuid"`
		ConnectionID uuid.UUID         `json:"connection_id" format:"uuid"`
		Connection   string            `json:"connection" doc:"The connection's name."`
		OrderNo      string            `json:"order_no"`
		LineID       string            `json:"line_id"`
		SKU          string            `json:"sku,omitempty"`
		ProductName  string            `json:"product_name,omitempty"`
		Field        inventory.Field   `json:"field" enum:"status,variant,supplier,currency,quantity,price,expected_arrival,receipts"`
		Reason       inventory.Reason  `json:"reason"`
		ReasonText   string            `json:"reason_text"`
		Base         conflictValueJSON `json:"base" doc:"What both sides last had."`
		Ours         conflictValueJSON `json:"ours"`
		Theirs       conflictValueJSON `json:"theirs"`
		Currency     string            `json:"currency,omitempty" doc:"Of prices. Absent if the currency itself is in question."`
		Choices      []choiceJSON      `json:"choices" doc:"What can be carried out."`
		OpenedAt     time.Time         `json:"opened_at"`
	}
	conflictValueJSON struct {
		Value string `json:"value" doc:"Send it back with the decision. Empty: there is none. Suppliers and articles are ids of the other system."`
		Name  string `json:"name,omitempty" doc:"Of a supplier or an article."`
	}
	choiceJSON struct {
		Take inventory.Side `json:"take" enum:"ours,theirs"`
		Does string         `json:"does" doc:"What it does, in words."`
	}
	conflictListJSON struct {
		Items      []conflictJSON `json:"items"`
		NextCursor string         `json:"next_cursor,omitempty" doc:"Send it as cursor for the next page. Absent on the last page."`
		Open       int64          `json:"open" doc:"How many there are on all pages."`
	}
	decisionJSON struct {
		Conflict uuid.UUID      `json:"conflict" format:"uuid"`
		Take     inventory.Side `json:"take" enum:"ours,theirs"`
		Ours     string         `json:"ours" doc:"The value that you saw."`
		Theirs   string         `json:"theirs" doc:"The value that you saw."`
	}
)

// conflictOperations show conflicts to the people who decide them.
func (s *Server) conflictOperations(a *appAPI, tag string) {
	const order = "workspaces/{workspace}/purchase-orders/{order}/exchange"
	register(a, operation{
		id: "listConflicts", method: http.MethodGet, path: "workspaces/{workspace}/conflicts", tag: tag, needs: auth.Read,
		summary: "List the conflicts that wait for a person", about: "The oldest first.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
		Connection string `query:"connection" format:"uuid" doc:"Only those of this connection."`
		Order      string `query:"order_no" maxLength:"200" doc:"Only those of the order with this number."`
	}) (*body[conflictListJSON], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		questions, more, open, err := s.Exchange.Questions(ctx, by(ctx).Principal,
			exchange.Asked{Connection: parseID(in.Connection), Number: in.Order}, want)
		page := listed(toConflicts(questions), more, func(one conflictJSON) uuid.UUID { return one.ID }).Body
		return &body[conflictListJSON]{conflictListJSON{page.Items, page.NextCursor, open}}, err
	})
	register(a, operation{
		id: "getOrderExchange", method: http.MethodGet, path: order, tag: tag, needs: auth.Read,
		summary: "How an order stands with other systems",
		about:   "One item for each connection over which it is exchanged, with its conflicts.",
	}, func(ctx context.Context, in *OneOrder) (*body[list[orderExchangeJSON]], error) {
		all, err := s.Exchange.OfOrder(ctx, by(ctx).Principal, in.Order)
		return &body[list[orderExchangeJSON]]{toOrderExchanges(all)}, err
	})
	register(a, operation{
		id: "decideConflicts", method: http.MethodPost, path: order + "/decisions", tag: tag, needs: auth.ChangeLines,
		summary: "Decide conflicts of an order",
		about: "All or none. A decision holds for the values that you saw: if a conflict is gone, was decided or has other values " +
			"now, the answer is 412 and nothing is decided. The order is compared at once, and the answer says how it stands then.",
	}, func(ctx context.Context, in *struct {
		OneOrder
		Body struct {
			Decisions []decisionJSON `json:"decisions" minItems:"1" maxItems:"200"`
		}
	}) (*body[list[orderExchangeJSON]], error) {
		answers := make([]exchange.Answer, 0, len(in.Body.Decisions))
		for _, one := range in.Body.Decisions {
			answers = append(answers, exchange.Answer(one))
		}
		if err := s.Exchange.Decide(ctx, by(ctx).Principal, in.Order, answers); err != nil {
			return nil, err
		}
		all, err := s.Exchange.OfOrder(ctx, by(ctx).Principal, in.Order)
		return &body[list[orderExchangeJSON]]{toOrderExchanges(all)}, err
	})
}

func toOrderExchanges(all []exchange.Exchanged) list[orderExchangeJSON] {
	shown := list[orderExchangeJSON]{Items: []orderExchangeJSON{}}
	for _, one := range all {
		shown.Items = append(shown.Items, orderExchangeJSON{toExchangeOrderJSON(one), toConflicts(one.Conflicts)})
	}
	return shown
}

func toConflicts(questions []exchange.Question) []conflictJSON {
	shown := []conflictJSON{}
	for _, one := range questions {
		choices := []choiceJSON{}
		for _, take := range one.Choices {
			choices = append(choices, choiceJSON{take, one.Effect(take)})
		}
		shown = append(shown, conflictJSON{
			ID: one.ID, ConnectionID: one.Connection, Connection: one.System, OrderNo: one.Number, LineID: one.Line,
			SKU: one.SKU, ProductName: one.Product, Field: one.Field, Reason: one.Reason, ReasonText: one.Why(),
			Base: toConflictValue(one.Base), Ours: toConflictValue(one.Ours), Theirs: toConflictValue(one.Theirs),
			Currency: one.Currency, Choices: choices, OpenedAt: one.OpenedAt.UTC(),
		})
	}
	return shown
}

func toConflictValue(v exchange.Value) conflictValueJSON { return conflictValueJSON{v.Text, v.Name} }
