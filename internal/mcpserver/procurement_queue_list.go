package mcpserver

import (
	"context"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/procure"
)

type (
	procurementQueueListIn struct {
		Group    procure.Group `json:"group,omitzero" jsonschema:"Default: all."`
		Supplier string        `json:"supplier_id,omitzero" jsonschema:"none: without a supplier."`
		Text     string        `json:"text,omitzero" jsonschema:"In the name or the SKU."`
		Limit    int           `json:"limit,omitzero" jsonschema:"1 to 100. Default: 20."`
		Cursor   string        `json:"cursor,omitzero" jsonschema:"The next_cursor before."`
	}
	procurementQueueListOut struct {
		Notice     string      `json:"notice"`
		Items      []queueItem `json:"items"`
		Truncated  bool        `json:"truncated"`
		NextCursor string      `json:"next_cursor,omitempty"`
	}
	queueItem struct {
		Key               string     `json:"recommendation_key"`
		ProductID         string     `json:"product_id"`
		Article           string     `json:"article"`
		SKU               string     `json:"sku,omitempty"`
		SupplierID        string     `json:"supplier_id,omitempty"`
		Supplier          string     `json:"supplier,omitempty"`
		Group             string     `json:"group"`
		Action            string     `json:"action"`
		Urgency           string     `json:"urgency"`
		SuggestedQuantity float64    `json:"suggested_quantity"`
		OnOrder           float64    `json:"open_purchase_order_quantity"`
		OrderBy           string     `json:"order_by_date,omitempty"`
		PutOffUntil       string     `json:"put_off_until,omitempty"`
		Blocked           string     `json:"blocked_reason,omitempty"`
		FailedImports     int        `json:"data_gaps_failed_imports,omitzero"`
		UnmatchedLines    int        `json:"data_gaps_unmatched_lines,omitzero"`
		WaitingLines      int        `json:"data_gaps_waiting_lines,omitzero"`
		ImplausibleLines  int        `json:"data_gaps_implausible_lines,omitzero"`
		ImplausibleDates  int        `json:"data_gaps_implausible_dates,omitzero"`
		Lock              *queueLock `json:"lock,omitzero"`
		Reason            string     `json:"reason"`
		AsOf              string     `json:"as_of"`
	}
	queueLock struct {
		LineID   string `json:"line_id"`
		OrderNo  string `json:"order_no"`
		Status   string `json:"status"`
		Quantity string `json:"quantity"`
	}
)

const (
	defaultQueued = 20
	mostQueued    = 100
	// mostReason is how many bytes of a reason are shown; only names can make it longer.
	mostReason = 1000
)

func procurementQueueList(s *Server) tool {
	return define(about{
		name: "procurement_queue_list", title: "What to order", needs: auth.Read,
		description: "Lists what to order and why, the most urgent first. Agents cannot draft rows with a blocked_reason; lock is the line that answers a row.",
	}, func(ctx context.Context, by auth.Principal, in procurementQueueListIn) (out procurementQueueListOut, err error) {
		if in.Limit < 0 || in.Limit > mostQueued {
			return out, wrong("limit", "give a number between 1 and %d", mostQueued)
		}
		if in.Limit == 0 {
			in.Limit = defaultQueued
		}
		filter := procure.Filter{Group: in.Group, Supplier: given(in.Supplier), Search: in.Text, After: in.Cursor, Most: in.Limit}
		if in.Supplier == "none" {
			filter.Supplier = new("")
		}
		rows, next, err := s.Procure.List(ctx, by, filter)
		out = procurementQueueListOut{Notice: notice, Items: []queueItem{}, NextCursor: next}
		for _, row := range rows {
			out.Items = append(out.Items, toQueueItem(row))
		}
		var cut bool
		if out.Items, cut = fit(out.Items, mostRowBytes); cut {
			out.NextCursor = rows[len(out.Items)-1].Cursor()
		}
		out.Truncated = out.NextCursor != ""
		return out, err
	})
}

func toQueueItem(r procure.Recommendation) queueItem {
	item := queueItem{
		Key: r.Key, ProductID: *clipped(&r.Product), Article: *clipped(&r.Name), SKU: *clipped(&r.SKU),
		SupplierID: *clipped(&r.Supplier), Supplier: *clipped(&r.SupplierName), Group: string(r.Group), Action: string(r.Action),
		Urgency: string(r.Urgency), SuggestedQuantity: r.Suggested, OnOrder: r.OnOrder, OrderBy: dayText(r.OrderBy),
		PutOffUntil: dayText(r.PutOffUntil), Blocked: string(r.Blocked), FailedImports: r.Gaps.FailedImports,
		UnmatchedLines: r.Gaps.Unmatched, WaitingLines: r.Gaps.Waiting, ImplausibleLines: r.Gaps.Implausible,
		ImplausibleDates: r.Gaps.Dates, Reason: sentence(r.Reason), AsOf: r.AsOf.Format(time.DateOnly),
	}
	if r.Lock != nil {
		item.Lock = &queueLock{LineID: *clipped(&r.Lock.Line), OrderNo: *clipped(&r.Lock.OrderNo), Status: r.Lock.Status,
			Quantity: r.Lock.Quantity.String()}
	}
	return item
}

// sentence returns a reason as one text.
func sentence(parts []procure.Part) string {
	text, _ := clip(procure.Text(parts), mostReason)
	return text
}

func dayText(day *time.Time) string {
	if day == nil {
		return ""
	}
	return day.Format(time.DateOnly)
}
