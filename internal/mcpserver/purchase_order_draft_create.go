package mcpserver

import (
	"context"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

type (
	purchaseOrderDraftCreateIn struct {
		OrderNo string      `json:"order_no,omitzero" jsonschema:"The order that the lines belong to. Default: a new order for each supplier, with the next number of the company's series."`
		Lines   []draftLine `json:"lines" jsonschema:"The lines to draft, 1 to 50. All are drafted, or none."`
		Confirm bool        `json:"confirm_on_its_way,omitzero" jsonschema:"Confirms ordering more of articles that are already on their way. Without it, an article that has open lines is refused (already_on_its_way), and the refusal lists the lines."`
		Run     string      `json:"run_id,omitzero" jsonschema:"The run that this call belongs to. It is stored with the lines."`
	}
	draftLine struct {
		SKU                 string `json:"sku,omitzero" jsonschema:"The article's SKU."`
		ProductID           string `json:"product_id,omitzero" jsonschema:"The id of the article's product, instead of the SKU."`
		SupplierID          string `json:"supplier_id,omitzero" jsonschema:"The supplier's id. Required to submit."`
		QuantityOrdered     amount `json:"quantity_ordered" jsonschema:"The quantity to order."`
		PricePerUnit        amount `json:"price_per_unit,omitzero" jsonschema:"The price of one unit. Required to submit."`
		Currency            string `json:"currency,omitzero" jsonschema:"Three letters, such as EUR. Required to submit."`
		ExpectedArrivalDate string `json:"expected_arrival_date,omitzero" jsonschema:"YYYY-MM-DD."`
		Note                string `json:"note,omitzero" jsonschema:"A note for the people who approve."`
		RecommendationKey   string `json:"recommendation_key,omitzero" jsonschema:"The key of the recommendation that the line answers. A recommendation has at most one open line."`
	}
	purchaseOrderDraftCreateOut struct {
		Notice string      `json:"notice"`
		Run    string      `json:"run_id"` // as it is stored with an agent's lines and in the audit log
		Lines  []shortLine `json:"lines"`
	}
	shortLine struct {
		ID              string          `json:"id"`
		Version         int64           `json:"version"`
		Status          purchase.Status `json:"status"`
		OrderNo         string          `json:"order_no"`
		SKU             string          `json:"sku"`
		ProductName     string          `json:"product_name,omitempty"` // absent if no article, or more than one, has this SKU
		QuantityOrdered string          `json:"quantity_ordered"`
		PricePerUnit    *string         `json:"price_per_unit,omitzero"`
		Currency        *string         `json:"currency,omitzero"`
	}
)

// mostDrafts is how many lines one call may draft.
const mostDrafts = 50

func purchaseOrderDraftCreate(s *Server) tool {
	return define(about{
		name: "purchase_order_draft_create", title: "Draft purchase order lines", needs: auth.DraftLines, changes: true,
		description: "Drafts purchase order lines. A draft orders nothing: submit it with purchase_order_line_submit, by its id and version, for a person to approve. " +
			"Get the ids of suppliers and products from data_query.",
	}, func(ctx context.Context, by auth.Principal, in purchaseOrderDraftCreateIn) (out purchaseOrderDraftCreateOut,
		err error) {
		if len(in.Lines) == 0 || len(in.Lines) > mostDrafts {
			return out, wrong("lines", "draft between 1 and %d lines", mostDrafts)
		}
		wanted := make([]purchase.NewLine, 0, len(in.Lines))
		for _, line := range in.Lines {
			wanted = append(wanted, line.wanted(in.OrderNo))
		}
		draft := s.Purchase.Draft
		if in.Confirm {
			draft = s.Purchase.DraftConfirmed
		}
		lines, err := draft(ctx, by, wanted)
		return purchaseOrderDraftCreateOut{notice, by.Run, toShortLines(lines)}, err
	})
}

func (l draftLine) wanted(orderNo string) purchase.NewLine {
	return purchase.NewLine{RecommendationKey: l.RecommendationKey, Changes: purchase.Changes{
		OrderNo: given(orderNo), SKU: given(l.SKU), ProductID: given(l.ProductID), SupplierID: given(l.SupplierID),
		QuantityOrdered: given(string(l.QuantityOrdered)), PricePerUnit: given(string(l.PricePerUnit)),
		Currency:            given(l.Currency),
		ExpectedArrivalDate: given(l.ExpectedArrivalDate), Note: given(l.Note),
	}}
}

// given returns a text that was sent; an empty text means absent.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// shortName is how many bytes of a name are shown in a list of lines, so that the largest
// number of drafts fits into an answer.
const shortName = 40

func toShortLines(lines []purchase.Line) (shown []shortLine) {
	for _, l := range lines {
		line := shortLine{ID: l.ID, Version: l.Version, Status: l.Status, QuantityOrdered: l.QuantityOrdered.String(),
			PricePerUnit: text(l.Price), Currency: l.Currency}
		line.OrderNo, _ = clip(l.OrderNo, shortName)
		line.SKU, _ = clip(l.SKU, shortName)
		if l.ProductName != nil {
			line.ProductName, _ = clip(*l.ProductName, shortName)
		}
		shown = append(shown, line)
	}
	return shown
}
