package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/purchase"
)

type (
	// LineFields are the fields that people set. Numbers and days are texts, so that nothing
	// is rounded.
	LineFields struct {
		OrderNo             *string `json:"order_no,omitempty" maxLength:"100" doc:"Absent in a new line means a new order."`
		SKU                 *string `json:"sku,omitempty" maxLength:"200"`
		ProductID           *string `json:"product_id,omitempty" maxLength:"100" doc:"Sets the SKU too."`
		SupplierID          *string `json:"supplier_id,omitempty" maxLength:"100"`
		QuantityOrdered     *string `json:"quantity_ordered,omitempty" maxLength:"30" example:"12"`
		PricePerUnit        *string `json:"price_per_unit,omitempty" maxLength:"30" example:"2.50"`
		Currency            *string `json:"currency,omitempty" maxLength:"3" example:"EUR"`
		ExpectedArrivalDate *string `json:"expected_arrival_date,omitempty" maxLength:"10" example:"2027-01-31"`
		Note                *string `json:"note,omitempty" maxLength:"2000" example:"Ask for the green ones"`
	}
	// NewLineFields are the fields of a new line.
	NewLineFields struct {
		LineFields
		RecommendationKey string `json:"recommendation_key,omitempty" maxLength:"60" doc:"The recommendation of the queue that the line answers. It holds it until it is received or cancelled: a second line is refused (409, recommendation_locked)."`
	}
	lineRefJSON struct {
		ID      string `json:"id"`
		Version int64  `json:"version" doc:"The version that you saw."`
	}
	linesJSON struct {
		Lines []lineRefJSON `json:"lines" minItems:"1" maxItems:"500" doc:"All of them are changed, or none."`
	}
	reasonedJSON struct {
		Lines  []lineRefJSON `json:"lines" minItems:"1" maxItems:"500" doc:"All of them are changed, or none."`
		Reason string        `json:"reason" minLength:"1" maxLength:"500" example:"No longer needed"`
	}
	arrivalJSON struct {
		ID       string `json:"id"`
		Version  int64  `json:"version" doc:"The version that you saw."`
		Quantity string `json:"quantity,omitempty" maxLength:"30" doc:"The quantity that arrived. Absent means all that is open." example:"3"`
	}
	rulesJSON struct {
		FourEyes           bool   `json:"four_eyes" doc:"Nobody approves a line that they made." example:"true"`
		AgentsSubmit       bool   `json:"agents_submit" doc:"Agents may ask for approval." example:"false"`
		OverReceiptPercent string `json:"over_receipt_percent" maxLength:"10" doc:"How much more than ordered may arrive without confirmation, in percent." example:"10"`
		ReapprovalPercent  string `json:"reapproval_percent" maxLength:"10" doc:"How much price and quantity may rise after approval, in percent." example:"5"`
	}
	limitJSON struct {
		Member   uuid.UUID `json:"member" format:"uuid"`
		Amount   string    `json:"amount"`
		Currency string    `json:"currency"`
	}
)

// lineOperations change purchase order lines.
func (s *Server) lineOperations(a *appAPI) {
	const path = "workspaces/{workspace}/purchase-order-lines"
	register(a, operation{
		id: "draftLines", method: http.MethodPost, path: path, tag: purchaseTag, needs: auth.DraftLines,
		status:  http.StatusCreated,
		summary: "Draft lines",
		about:   "All lines are drafted, or none. Lines without an order number get one new order for each supplier. An article that has open lines in this workspace, or that appears twice in the call, is refused (409, already_on_its_way), with those lines in details, unless the call confirms it.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Lines   []NewLineFields `json:"lines" minItems:"1" maxItems:"500" example:"[{\"sku\": \"TEA-100\", \"quantity_ordered\": \"12\"}]"`
			Confirm bool            `json:"confirm_on_its_way,omitempty" doc:"Confirms ordering more of articles that are already on their way."`
		}
	}) (*body[list[lineJSON]], error) {
		var wanted []purchase.NewLine
		for _, line := range in.Body.Lines {
			wanted = append(wanted, purchase.NewLine{Changes: purchase.Changes(line.LineFields), RecommendationKey: line.RecommendationKey})
		}
		draft := s.Purchase.Draft
		if in.Body.Confirm {
			draft = s.Purchase.DraftConfirmed
		}
		lines, err := draft(ctx, by(ctx).Principal, wanted)
		return toLines(lines, false), err
	})
	register(a, operation{
		id: "editLine", method: http.MethodPatch, path: path + "/{line}", tag: purchaseTag, needs: auth.DraftLines,
		summary: "Change fields of a line",
		about:   "Absent fields keep their value; an empty text clears it. A change of the amount may send the line back for approval.",
	}, func(ctx context.Context, in *struct {
		OneLine
		Conditional
		Body LineFields
	}) (*versioned[lineJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		lines, err := s.Purchase.Edit(ctx, by(ctx).Principal, purchase.Ref{ID: in.Line, Version: version},
			purchase.Changes(in.Body))
		if err != nil {
			return nil, err
		}
		return &versioned[lineJSON]{etag(lines[0].Version), toLineJSON(lines[0])}, nil
	})
	register(a, operation{
		id: "seeLineFlags", method: http.MethodPost, path: path + "/{line}/seen", tag: purchaseTag, needs: auth.DraftLines,
		status:  http.StatusNoContent,
		summary: "Mark flags of a line as seen",
	}, func(ctx context.Context, in *struct {
		OneLine
		Flags []string `query:"flag,explode" maxItems:"100" doc:"The ids of the flags. Without any, all of the line's, also those that nobody has read yet."`
	}) (*nothing, error) {
		return nil, s.Purchase.SeeFlags(ctx, by(ctx).Principal, in.Line, in.Flags...)
	})
	s.lineDays(a)
	s.lineActions(a)
	s.receiptOperations(a)
}

// lineDays set when lines are expected.
func (s *Server) lineDays(a *appAPI) {
	const path = "workspaces/{workspace}/purchase-order-lines"
	register(a, operation{
		id: "rescheduleLines", method: http.MethodPost, path: path + "/dates", tag: purchaseTag, needs: auth.DraftLines,
		summary: "Set the expected day of lines",
		about:   "For lines that are still to come. A new day never needs a new approval.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Lines  []lineRefJSON `json:"lines" minItems:"1" maxItems:"500" doc:"All of them are changed, or none."`
			Day    string        `json:"expected_arrival_date" maxLength:"10" example:"2027-01-31" doc:"Empty clears it."`
			Reason string        `json:"reason,omitempty" maxLength:"500" example:"Ms Berg on the phone" doc:"Such as who named the day."`
		}
	}) (*body[list[lineJSON]], error) {
		lines, err := s.Purchase.Reschedule(ctx, by(ctx).Principal, toRefs(in.Body.Lines), in.Body.Day, in.Body.Reason)
		return toLines(lines, false), err
	})
	register(a, operation{
		id: "splitLine", method: http.MethodPost, path: path + "/{line}/split", tag: purchaseTag, needs: auth.DraftLines,
		summary: "Split a line by date",
		about:   "Moves a part of what is still to come to a second line of the same order, with its own day. Quantity, cost and approval are the same in sum. The approval is divided in proportion, and an ordered line that exceeds its share waits for approval again. Returns the line, then its part. A repeated call returns them again, unless one of them was changed.",
	}, func(ctx context.Context, in *struct {
		OneLine
		Conditional
		Body struct {
			Quantity string `json:"quantity" maxLength:"30" example:"1" doc:"Less than what is still to come."`
			Day      string `json:"expected_arrival_date" maxLength:"10" example:"2027-02-14" doc:"Of the part. Empty if none is known."`
		}
	}) (*body[list[lineJSON]], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		lines, err := s.Purchase.Split(ctx, by(ctx).Principal, purchase.Ref{ID: in.Line, Version: version}, in.Body.Quantity,
			in.Body.Day)
		return toLines(lines, false), err
	})
}

// lineActions change the status of lines; docs/purchasing.md has the table.
func (s *Server) lineActions(a *appAPI) {
	const path = "workspaces/{workspace}/purchase-order-lines/"
	for _, action := range []struct {
		id, path, summary string
		needs             auth.Permission
		do                func(context.Context, auth.Principal, []purchase.Ref) ([]purchase.Line, error)
	}{
		{"submitLines", "submit", "Ask for approval of lines", auth.SubmitLines, s.Purchase.Submit},
		{"approveLines", "approve", "Approve and order lines", auth.ApproveLines, s.Purchase.Approve},
		{"reopenLines", "reopen", "Reopen cancelled lines as drafts", auth.ReopenLines, s.Purchase.Reopen},
	} {
		register(a, operation{id: action.id, method: http.MethodPost, path: path + action.path, tag: purchaseTag,
			needs: action.needs, summary: action.summary},
			func(ctx context.Context, in *struct {
				InWorkspace
				Body linesJSON
			}) (*body[list[lineJSON]], error) {
				lines, err := action.do(ctx, by(ctx).Principal, toRefs(in.Body.Lines))
				return toLines(lines, false), err
			})
	}
	for _, action := range []struct {
		id, path, summary string
		needs             auth.Permission
		do                func(context.Context, auth.Principal, []purchase.Ref, string) ([]purchase.Line, error)
	}{
		{"sendBackLines", "send-back", "Take lines out of approval, with a reason", auth.SendBackLines, s.Purchase.SendBack},
		{"closeLinesShort", "close-short", "End lines of which the rest will not come, with a reason", auth.ReceiveLines,
			s.Purchase.CloseShort},
	} {
		register(a, operation{id: action.id, method: http.MethodPost, path: path + action.path, tag: purchaseTag,
			needs: action.needs, summary: action.summary},
			func(ctx context.Context, in *struct {
				InWorkspace
				Body reasonedJSON
			}) (*body[list[lineJSON]], error) {
				lines, err := action.do(ctx, by(ctx).Principal, toRefs(in.Body.Lines), in.Body.Reason)
				return toLines(lines, false), err
			})
	}
	register(a, operation{id: "cancelLines", method: http.MethodPost, path: path + "cancel", tag: purchaseTag,
		needs: auth.CancelDrafts, summary: "Cancel lines, with a reason"},
		func(ctx context.Context, in *struct {
			InWorkspace
			Body struct {
				Lines     []lineRefJSON `json:"lines" minItems:"1" maxItems:"500" doc:"All of them are changed, or none."`
				Reason    string        `json:"reason" minLength:"1" maxLength:"500" example:"No longer needed"`
				TakenBack bool          `json:"taken_back,omitempty" doc:"Drafts are taken back while somebody still works on the order: the queue does not put their articles off."`
			}
		}) (*body[list[lineJSON]], error) {
			cancel := s.Purchase.Cancel
			if in.Body.TakenBack {
				cancel = s.Purchase.TakeBack
			}
			lines, err := cancel(ctx, by(ctx).Principal, toRefs(in.Body.Lines), in.Body.Reason)
			return toLines(lines, false), err
		})
}

// receiptOperations book receipts.
func (s *Server) receiptOperations(a *appAPI) {
	const path = "workspaces/{workspace}/purchase-order-lines/"
	register(a, operation{
		id: "receiveLines", method: http.MethodPost, path: path + "receive", tag: purchaseTag, needs: auth.ReceiveLines,
		summary: "Book receipts",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Lines []arrivalJSON `json:"lines" minItems:"1" maxItems:"500" doc:"All of them are booked, or none."`
			At    time.Time     `json:"at,omitzero" doc:"When it arrived. Absent means now."`
			Note  string        `json:"note,omitempty" maxLength:"500"`
			Over  bool          `json:"over,omitempty" doc:"Confirms that far more arrived than was ordered."`
		}
	}) (*body[list[lineJSON]], error) {
		delivery := purchase.Delivery{At: in.Body.At, Note: in.Body.Note, Over: in.Body.Over}
		for _, line := range in.Body.Lines {
			delivery.Arrivals = append(delivery.Arrivals,
				purchase.Arrival{Ref: purchase.Ref{ID: line.ID, Version: line.Version}, Quantity: line.Quantity})
		}
		lines, err := s.Purchase.Receive(ctx, by(ctx).Principal, delivery)
		return toLines(lines, false), err
	})
	register(a, operation{
		id: "correctReceipt", method: http.MethodPost, path: path + "{line}/correct", tag: purchaseTag,
		needs:   auth.CorrectOwn,
		summary: "Correct the receipts of a line, with a reason",
	}, func(ctx context.Context, in *struct {
		OneLine
		Conditional
		Body struct {
			QuantityReceived string `json:"quantity_received" maxLength:"30" example:"1" doc:"The corrected total quantity received."`
			Reason           string `json:"reason" minLength:"1" maxLength:"500" example:"Miscounted"`
		}
	}) (*versioned[lineJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		lines, err := s.Purchase.Correct(ctx, by(ctx).Principal, purchase.Ref{ID: in.Line, Version: version},
			in.Body.QuantityReceived, in.Body.Reason)
		if err != nil {
			return nil, err
		}
		return &versioned[lineJSON]{etag(lines[0].Version), toLineJSON(lines[0])}, nil
	})
}

// purchasingOperations are about a workspace's rules and limits.
func (s *Server) purchasingOperations(a *appAPI) {
	const path = "workspaces/{workspace}/purchasing-rules"
	register(a, operation{id: "getPurchasingRules", method: http.MethodGet, path: path, tag: purchaseTag, needs: auth.Read,
		summary: "Get the purchasing rules"},
		func(ctx context.Context, _ *InWorkspace) (*versioned[rulesJSON], error) {
			rules, err := s.Purchase.Rules(ctx, by(ctx).Principal)
			return toRules(rules), err
		})
	register(a, operation{id: "setPurchasingRules", method: http.MethodPut, path: path, tag: purchaseTag,
		needs: auth.ManagePurchasing, summary: "Change the purchasing rules"},
		func(ctx context.Context, in *struct {
			InWorkspace
			Conditional
			Body rulesJSON
		}) (*versioned[rulesJSON], error) {
			version, err := in.version()
			if err != nil {
				return nil, err
			}
			over, err := percent("over_receipt_percent", in.Body.OverReceiptPercent)
			if err != nil {
				return nil, err
			}
			raise, err := percent("reapproval_percent", in.Body.ReapprovalPercent)
			if err != nil {
				return nil, err
			}
			rules, err := s.Purchase.SetRules(ctx, by(ctx).Principal, purchase.Rules{
				FourEyes: in.Body.FourEyes, AgentsSubmit: in.Body.AgentsSubmit, OverReceipt: over, Reapproval: raise,
				Version: version,
			})
			return toRules(rules), err
		})
	register(a, operation{id: "listApprovalLimits", method: http.MethodGet, path: "workspaces/{workspace}/approval-limits",
		tag: purchaseTag, needs: auth.Read, summary: "List approval limits"},
		func(ctx context.Context, _ *InWorkspace) (*body[list[limitJSON]], error) {
			limits, err := s.Purchase.Limits(ctx, by(ctx).Principal)
			var items []limitJSON
			for _, limit := range limits {
				items = append(items, limitJSON{limit.Person, limit.Amount.String(), limit.Currency})
			}
			return listed(items, false, func(limitJSON) uuid.UUID { return uuid.Nil }), err
		})
	register(a, operation{
		id: "setApprovalLimit", method: http.MethodPut, path: "workspaces/{workspace}/approval-limits/{approver}",
		tag: purchaseTag, needs: auth.ManagePurchasing, status: http.StatusNoContent,
		summary: "Set a person's approval limit",
		about:   "The limit applies to a whole order. An empty amount removes the limit.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Approver uuid.UUID `path:"approver" format:"uuid" doc:"The member's id."`
		Body     struct {
			Amount   string `json:"amount" maxLength:"30" example:"5000"`
			Currency string `json:"currency" maxLength:"3" example:"EUR"`
		}
	}) (*nothing, error) {
		return nil, s.Purchase.SetLimit(ctx, by(ctx).Principal, in.Approver, in.Body.Amount, in.Body.Currency)
	})
}

func toRules(rules purchase.Rules) *versioned[rulesJSON] {
	return &versioned[rulesJSON]{etag(rules.Version),
		rulesJSON{rules.FourEyes, rules.AgentsSubmit, rules.OverReceipt.String(), rules.Reapproval.String()}}
}

func percent(field, text string) (decimal.Decimal, error) {
	number, err := decimal.NewFromString(text)
	if err != nil || len(text) > 10 {
		return number, fault.InField(field, "number", "give a percentage such as 10 or 2.5")
	}
	return number, nil
}

func toRefs(lines []lineRefJSON) (refs []purchase.Ref) {
	for _, line := range lines {
		refs = append(refs, purchase.Ref(line))
	}
	return refs
}
