package mcpserver

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

type (
	purchaseOrderLineGetIn struct {
		ID string `json:"id" jsonschema:"The line's id, from data_query on purchase_order_lines."`
	}
	purchaseOrderLineGetOut struct {
		Notice   string        `json:"notice"`
		Line     orderLine     `json:"line"`
		Receipts []lineReceipt `json:"receipts" jsonschema:"The receipts, the oldest first. A correction is negative."`
		History  []lineMoment  `json:"history" jsonschema:"What happened to the line, the latest first."`
		More     bool          `json:"truncated" jsonschema:"The line has more receipts or history than are returned."`
		AsOf     time.Time     `json:"as_of"`
	}
	orderLine struct {
		ID                  string              `json:"id"`
		Version             int64               `json:"version" jsonschema:"Send it when you submit the line."`
		OrderNo             string              `json:"order_no"`
		SKU                 string              `json:"sku"`
		Status              purchase.Status     `json:"status"`
		QuantityOrdered     string              `json:"quantity_ordered"`
		QuantityReceived    string              `json:"quantity_received"`
		QuantityOpen        string              `json:"quantity_open" jsonschema:"The quantity that is still expected."`
		ClosedShort         bool                `json:"closed_short,omitzero" jsonschema:"The line is received, but less arrived than was ordered; the rest was given up."`
		PricePerUnit        *string             `json:"price_per_unit,omitzero"`
		Currency            *string             `json:"currency,omitzero"`
		ExpectedArrivalDate string              `json:"expected_arrival_date,omitempty"`
		ProductName         *string             `json:"product_name,omitzero"`
		SupplierID          *string             `json:"supplier_id,omitzero"`
		SupplierName        *string             `json:"supplier_name,omitzero"`
		RecommendationKey   *string             `json:"recommendation_key,omitzero"`
		Note                string              `json:"note,omitempty"`
		CreatedByType       string              `json:"created_by_type,omitempty" jsonschema:"user or agent. Absent if an external system created it."`
		CreatedByRun        *string             `json:"created_by_run,omitzero"`
		ApprovedAt          *time.Time          `json:"approved_at,omitzero"`
		Flags               []purchase.FlagKind `json:"flags,omitempty" jsonschema:"Why the line needs attention."`
		Actions             []purchase.Action   `json:"actions" jsonschema:"What this token may do with the line. Only submit has a tool."`
	}
	lineReceipt struct {
		Quantity   string    `json:"quantity"`
		ReceivedAt time.Time `json:"received_at"`
		Note       string    `json:"note,omitempty"`
	}
	lineMoment struct {
		At   time.Time      `json:"at"`
		What string         `json:"what"`
		By   auth.ActorType `json:"by"`
	}
)

const mostMoments = 50

func purchaseOrderLineGet(s *Server) tool {
	return define(about{
		name: "purchase_order_line_get", title: "Show a purchase order line", needs: auth.Read,
		description: "Shows one purchase order line with its receipts and its history.",
	}, func(ctx context.Context, by auth.Principal, in purchaseOrderLineGetIn) (out purchaseOrderLineGetOut, err error) {
		line, err := s.Purchase.Line(ctx, by, in.ID)
		if err != nil {
			return out, err
		}
		moments, receipts, err := s.Purchase.Timeline(ctx, by, in.ID)
		out = purchaseOrderLineGetOut{Notice: notice, Line: toOrderLine(line), AsOf: time.Now().UTC()}
		for _, receipt := range receipts {
			note, _ := clip(receipt.Note, mostText/20)
			out.Receipts = append(out.Receipts, lineReceipt{receipt.Quantity.String(), receipt.ReceivedAt.UTC(), note})
		}
		out.Receipts, out.More = fit(out.Receipts, mostRowBytes/3)
		for _, moment := range moments[:min(len(moments), mostMoments)] {
			out.History = append(out.History, lineMoment{moment.At.UTC(), moment.What, moment.By.Type})
		}
		out.More = out.More || len(moments) > mostMoments
		return out, err
	})
}

func toOrderLine(l purchase.Line) orderLine {
	line := orderLine{
		ID: *clipped(&l.ID), Version: l.Version, OrderNo: *clipped(&l.OrderNo), SKU: *clipped(&l.SKU), Status: l.Status,
		QuantityOrdered: l.QuantityOrdered.String(), QuantityReceived: l.QuantityReceived.String(),
		QuantityOpen: l.Open().String(), ClosedShort: l.ClosedShort(), PricePerUnit: text(l.Price),
		Currency:    clipped(l.Currency),
		ProductName: clipped(l.ProductName), SupplierID: clipped(l.SupplierID), SupplierName: clipped(l.SupplierName),
		RecommendationKey: clipped(l.RecommendationKey),
		CreatedByType:     l.CreatedBy.Type, CreatedByRun: clipped(l.CreatedBy.Run), ApprovedAt: l.ApprovedAt,
		Actions: []purchase.Action{},
	}
	if l.Note != nil {
		line.Note, _ = clip(*l.Note, mostText/4)
	}
	if l.ExpectedArrival != nil {
		line.ExpectedArrivalDate = l.ExpectedArrival.Format(time.DateOnly)
	}
	for _, flag := range l.Flags {
		line.Flags = append(line.Flags, flag.Kind)
	}
	line.Actions = append(line.Actions, l.Actions...)
	return line
}

func text(number *decimal.Decimal) *string {
	if number == nil {
		return nil
	}
	printed := number.String()
	return &printed
}
