package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

const purchaseTag = "Purchase orders"

type (
	totalJSON struct {
		Currency string `json:"currency" doc:"Empty for lines without a currency."`
		Amount   string `json:"amount" example:"12.50" doc:"The amount of all lines except cancelled ones."`
		Ordered  string `json:"ordered" example:"10.00" doc:"The amount ordered, without drafts and lines that wait for approval."`
		Received string `json:"received" example:"6.00" doc:"The amount received, including over-receipts."`
		GivenUp  string `json:"given_up" example:"1.00" doc:"The amount given up when lines were closed short."`
		Expected string `json:"expected" example:"3.00" doc:"What is still expected."`
	}
	orderJSON struct {
		ID            uuid.UUID                 `json:"id" format:"uuid" doc:"The id of its newest line."`
		OrderNo       string                    `json:"order_no"`
		Version       int64                     `json:"version" doc:"Raised by every write to its lines."`
		Lines         int64                     `json:"lines"`
		ByStatus      map[purchase.Status]int64 `json:"by_status" doc:"The number of lines by status."`
		ClosedShort   int64                     `json:"closed_short" doc:"How many of the received lines were closed short."`
		Suppliers     []string                  `json:"suppliers" doc:"The first three."`
		SupplierCount int64                     `json:"supplier_count"`
		NextArrival   *string                   `json:"next_arrival,omitempty" format:"date" doc:"The next expected day."`
		Totals        []totalJSON               `json:"totals" doc:"By currency."`
		LeftOut       int64                     `json:"left_out" doc:"Lines that are in no total, because their quantity or price is not plausible."`
		Flags         int64                     `json:"flags" doc:"How many lines need attention: lines with an unknown article, and changes by external systems that people may not make."`
		UpdatedAt     time.Time                 `json:"updated_at"`
	}
	orderCountsJSON struct {
		Orders       int64                     `json:"orders"`
		ByStatus     map[purchase.Status]int64 `json:"by_status" doc:"Orders that have lines in this status."`
		ClosedShort  int64                     `json:"closed_short" doc:"Orders with a line that was closed short."`
		Overdue      int64                     `json:"overdue"`
		ArrivingSoon int64                     `json:"arriving_soon" doc:"Orders whose next arrival is within a week."`
		ToApprove    int64                     `json:"to_approve" doc:"Orders that wait for approval, and that you may approve."`
		Mine         int64                     `json:"mine" doc:"Orders with a draft line that you made."`
		SentBack     int64                     `json:"sent_back" doc:"Orders with a draft line that was sent back to you."`
		Undated      int64                     `json:"undated" doc:"Orders with an ordered line that has no expected day."`
	}
	// orderLinesJSON is a page of an order's lines, with the order as a whole.
	orderLinesJSON struct {
		Order      orderJSON  `json:"order"`
		Items      []lineJSON `json:"items"`
		NextCursor string     `json:"next_cursor,omitempty" doc:"Send it as cursor for the next page. Absent on the last page."`
	}
	flagJSON struct {
		ID      string            `json:"id,omitempty" doc:"To mark it as seen. Absent if it goes when its reason does."`
		Kind    purchase.FlagKind `json:"kind" enum:"status_jump,over_received,changed,unresolved,closed_short,below_receipts,above_approval"`
		From    purchase.Status   `json:"from,omitempty"`
		To      purchase.Status   `json:"to,omitempty"`
		Claimed string            `json:"claimed,omitempty" doc:"The quantity received that an external system said, of below_receipts." example:"3"`
		At      *time.Time        `json:"at,omitempty"`
	}
	lineJSON struct {
		ID                  string            `json:"id"`
		ExternalID          string            `json:"external_id"`
		OrderNo             string            `json:"order_no"`
		SKU                 string            `json:"sku"`
		Status              purchase.Status   `json:"status" enum:"draft,pending_approval,ordered,partially_received,received,cancelled"`
		QuantityOrdered     string            `json:"quantity_ordered"`
		QuantityReceived    string            `json:"quantity_received"`
		QuantityOpen        string            `json:"quantity_open" doc:"What is still expected."`
		ClosedShort         bool              `json:"closed_short,omitempty" doc:"The line is received, but less arrived than was ordered; the rest was given up."`
		PricePerUnit        *string           `json:"price_per_unit,omitempty"`
		Currency            *string           `json:"currency,omitempty"`
		ExpectedArrivalDate *string           `json:"expected_arrival_date,omitempty" format:"date"`
		Note                *string           `json:"note,omitempty"`
		SupplierID          *string           `json:"supplier_id,omitempty"`
		SupplierName        *string           `json:"supplier_name,omitempty"`
		ProductID           *string           `json:"product_id,omitempty"`
		ProductName         *string           `json:"product_name,omitempty"`
		RecommendationKey   *string           `json:"recommendation_key,omitempty"`
		CreatedByType       string            `json:"created_by_type,omitempty" doc:"user or agent. Absent if an external system created it."`
		CreatedByID         *uuid.UUID        `json:"created_by_id,omitempty" format:"uuid"`
		CreatedByRun        *string           `json:"created_by_run,omitempty"`
		ApprovedBy          *uuid.UUID        `json:"approved_by,omitempty" format:"uuid"`
		ApprovedAt          *time.Time        `json:"approved_at,omitempty"`
		SelfApproved        bool              `json:"self_approved,omitempty"`
		OrderedOutside      *outsideJSON      `json:"ordered_outside,omitempty" doc:"An external system ordered it, and nobody here approved it."`
		OrderedAt           *time.Time        `json:"ordered_at,omitempty"`
		ReceivedAt          *time.Time        `json:"received_at,omitempty"`
		Version             int64             `json:"version" doc:"Send it when you change the line."`
		CreatedAt           time.Time         `json:"created_at"`
		UpdatedAt           time.Time         `json:"updated_at"`
		Flags               []flagJSON        `json:"flags" doc:"Why the line needs attention."`
		Actions             []purchase.Action `json:"actions" doc:"The actions that you may try."`
	}
	outsideJSON struct {
		ByType string `json:"by_type,omitempty" doc:"key or sync. Absent if it is no longer known."`
		ByID   string `json:"by_id,omitempty"`
	}
	momentJSON struct {
		At        time.Time `json:"at"`
		ByType    string    `json:"by_type" doc:"user, agent, key, sync or system."`
		ByID      string    `json:"by_id,omitempty"`
		What      string    `json:"what" doc:"Such as purchase_order_line.approved, or ingest.purchase_order_lines.received."`
		RequestID string    `json:"request_id"`
		Data      any       `json:"data" doc:"What changed, and why."`
	}
	receiptJSON struct {
		ID         string    `json:"id"`
		Quantity   string    `json:"quantity" doc:"Negative for a correction."`
		ReceivedAt time.Time `json:"received_at"`
		ByType     string    `json:"by_type"`
		ByID       string    `json:"by_id,omitempty"`
		Note       string    `json:"note,omitempty"`
		CreatedAt  time.Time `json:"created_at"`
	}
	timelineJSON struct {
		Moments  []momentJSON  `json:"moments" doc:"The latest first."`
		Receipts []receiptJSON `json:"receipts" doc:"In order."`
	}
	// OneOrder names an order.
	OneOrder struct {
		InWorkspace
		Order string `path:"order" doc:"The order's number."`
	}
	// OneLine names a line.
	OneLine struct {
		InWorkspace
		Line string `path:"line" doc:"The line's id."`
	}
)

// orderOperations show purchase orders.
func (s *Server) orderOperations(a *appAPI) {
	register(a, operation{
		id: "listPurchaseOrders", method: http.MethodGet, path: "workspaces/{workspace}/purchase-orders", tag: purchaseTag,
		needs:   auth.Read,
		summary: "Purchase orders",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
		Status   string `query:"status" enum:"draft,pending_approval,ordered,partially_received,received,cancelled" doc:"Only orders with lines in this status."`
		Overdue  bool   `query:"overdue" doc:"Only orders with an overdue line."`
		Short    bool   `query:"closed_short" doc:"Only orders with a line that was closed short."`
		ToMe     bool   `query:"to_approve" doc:"Only orders that wait for approval, and that you may approve: four eyes and your limit allow it."`
		Mine     bool   `query:"mine" doc:"Only orders with a draft line that you made."`
		SentBack bool   `query:"sent_back" doc:"Only orders with a draft line that you made or submitted, and that somebody else sent back."`
		Undated  bool   `query:"undated" doc:"Only orders with an ordered line that has no expected day."`
		Open     bool   `query:"open" doc:"Only orders with a line that is drafted, waits for approval or is still expected."`
		Supplier string `query:"supplier" maxLength:"100" doc:"Only orders with lines of this supplier, by its id."`
		Text     string `query:"text" maxLength:"200" doc:"Text in the number, articles and suppliers."`
		Sort     string `query:"sort" enum:"newest,number,supplier,arrival" default:"newest" doc:"The newest first, or ascending by number, supplier or next arrival."`
	}) (*body[list[orderJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		filter := purchase.OrderFilter{Status: purchase.Status(in.Status), Overdue: in.Overdue, ClosedShort: in.Short,
			ToApprove: in.ToMe, Mine: in.Mine, SentBack: in.SentBack, Undated: in.Undated, Open: in.Open, Supplier: in.Supplier, Words: in.Text}
		orders, more, err := s.Purchase.Orders(ctx, by(ctx).Principal, filter, purchase.OrderSort(in.Sort), want)
		var items []orderJSON
		for _, order := range orders {
			items = append(items, toOrderJSON(order))
		}
		return listed(items, more, func(one orderJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "countPurchaseOrders", method: http.MethodGet, path: "workspaces/{workspace}/purchase-order-counts",
		tag: purchaseTag, needs: auth.Read,
		summary: "Count purchase orders by status",
		about:   fmt.Sprintf("Counts stop at %d, which means that many or more.", purchase.MostCounted),
	}, func(ctx context.Context, _ *InWorkspace) (*body[orderCountsJSON], error) {
		counts, err := s.Purchase.Counts(ctx, by(ctx).Principal)
		return &body[orderCountsJSON]{orderCountsJSON(counts)}, err
	})
	register(a, operation{
		id: "getPurchaseOrder", method: http.MethodGet, path: "workspaces/{workspace}/purchase-orders/{order}",
		tag: purchaseTag, needs: auth.Read,
		summary: "Get an order and its lines", about: "The lines come in pages, in the order in which they were created.",
	}, func(ctx context.Context, in *struct {
		OneOrder
		Paged
	}) (*body[orderLinesJSON], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		order, err := s.Purchase.Order(ctx, by(ctx).Principal, in.Order)
		if err != nil {
			return nil, err
		}
		lines, more, err := s.Purchase.Lines(ctx, by(ctx).Principal, in.Order, want)
		found := toLines(lines, more).Body
		return &body[orderLinesJSON]{orderLinesJSON{toOrderJSON(order), found.Items, found.NextCursor}}, err
	})
}

// lineViewOperations show lines of any order.
func (s *Server) lineViewOperations(a *appAPI) {
	register(a, operation{
		id: "getPurchaseOrderLine", method: http.MethodGet, path: "workspaces/{workspace}/purchase-order-lines/{line}",
		tag: purchaseTag, needs: auth.Read,
		summary: "One line",
	}, func(ctx context.Context, in *OneLine) (*versioned[lineJSON], error) {
		line, err := s.Purchase.Line(ctx, by(ctx).Principal, in.Line)
		return &versioned[lineJSON]{etag(line.Version), toLineJSON(line)}, err
	})
	register(a, operation{
		id: "getLineTimeline", method: http.MethodGet, path: "workspaces/{workspace}/purchase-order-lines/{line}/timeline",
		tag: purchaseTag, needs: auth.Read,
		summary: "Get the history and the receipts of a line",
		about:   "Writes by external systems are kept as long as events are; actions of people and agents are kept for ever.",
	}, func(ctx context.Context, in *OneLine) (*body[timelineJSON], error) {
		moments, receipts, err := s.Purchase.Timeline(ctx, by(ctx).Principal, in.Line)
		return &body[timelineJSON]{toTimelineJSON(moments, receipts)}, err
	})
}

func toOrderJSON(order purchase.Order) orderJSON {
	out := orderJSON{
		ID: order.ID, OrderNo: order.OrderNo, Version: order.Version, ClosedShort: order.ClosedShort, Lines: order.Lines,
		ByStatus: order.ByStatus, Suppliers: append([]string{}, order.Suppliers...),
		SupplierCount: order.SupplierNum, NextArrival: dayText(order.NextArrival), Totals: []totalJSON{}, LeftOut: order.LeftOut, Flags: order.Flags,
		UpdatedAt: order.UpdatedAt.UTC(),
	}
	for _, total := range order.Totals {
		out.Totals = append(out.Totals, totalJSON{
			Currency: total.Currency, Amount: total.Amount.String(), Ordered: total.Ordered.String(),
			Received: total.Received.String(), GivenUp: total.GivenUp.String(),
			Expected: total.Expected.String(),
		})
	}
	return out
}

func toLines(lines []purchase.Line, more bool) *body[list[lineJSON]] {
	var items []lineJSON
	for _, line := range lines {
		items = append(items, toLineJSON(line))
	}
	return listed(items, more, func(one lineJSON) uuid.UUID {
		id, _ := uuid.Parse(one.ID) // line ids are always UUIDs
		return id
	})
}

func toLineJSON(l purchase.Line) lineJSON {
	out := lineJSON{
		ID: l.ID, ExternalID: l.ExternalID, OrderNo: l.OrderNo, SKU: l.SKU, Status: l.Status,
		QuantityOrdered: l.QuantityOrdered.String(), QuantityReceived: l.QuantityReceived.String(),
		QuantityOpen: l.Open().String(), ClosedShort: l.ClosedShort(),
		Currency: l.Currency, ExpectedArrivalDate: dayText(l.ExpectedArrival), Note: l.Note, SupplierID: l.SupplierID,
		SupplierName: l.SupplierName,
		ProductID:    l.ProductID, ProductName: l.ProductName, RecommendationKey: l.RecommendationKey,
		CreatedByType: l.CreatedBy.Type,
		CreatedByID:   l.CreatedBy.User, CreatedByRun: l.CreatedBy.Run, ApprovedBy: l.ApprovedBy,
		ApprovedAt:   utc(l.ApprovedAt),
		SelfApproved: l.SelfApproved,
		OrderedAt:    utc(l.OrderedAt), ReceivedAt: utc(l.ReceivedAt), Version: l.Version, CreatedAt: l.CreatedAt.UTC(),
		UpdatedAt: l.UpdatedAt.UTC(),
		Flags:     []flagJSON{}, Actions: l.Actions,
	}
	if l.CreatedBy.Agent != nil {
		out.CreatedByID = l.CreatedBy.Agent
	}
	if l.Price != nil {
		price := l.Price.String()
		out.PricePerUnit = &price
	}
	if l.OrderedOutside != nil {
		out.OrderedOutside = &outsideJSON{string(l.OrderedOutside.Type), l.OrderedOutside.ID}
	}
	for _, flag := range l.Flags {
		shown := flagJSON{ID: flag.ID, Kind: flag.Kind, From: flag.From, To: flag.To, At: utc(flag.At)}
		if flag.Claimed != nil {
			shown.Claimed = flag.Claimed.String()
		}
		out.Flags = append(out.Flags, shown)
	}
	return out
}

func toTimelineJSON(moments []purchase.Moment, receipts []purchase.Receipt) timelineJSON {
	out := timelineJSON{Moments: []momentJSON{}, Receipts: []receiptJSON{}}
	for _, m := range moments {
		out.Moments = append(out.Moments, momentJSON{
			At: m.At.UTC(), ByType: string(m.By.Type), ByID: m.By.ID, What: m.What, RequestID: m.RequestID,
			Data: m.Data,
		})
	}
	for _, r := range receipts {
		out.Receipts = append(out.Receipts,
			receiptJSON{
				ID: r.ID, Quantity: r.Quantity.String(), ReceivedAt: r.ReceivedAt.UTC(),
				ByType: string(r.By.Type), ByID: r.By.ID, Note: r.Note, CreatedAt: r.CreatedAt.UTC(),
			})
	}
	return out
}

func dayText(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := t.Format(time.DateOnly)
	return &text
}
