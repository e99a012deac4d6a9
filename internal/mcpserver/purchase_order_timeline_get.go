package mcpserver

import (
	"context"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/purchase"
)

type (
	purchaseOrderTimelineGetIn struct {
		OrderNo string `json:"order_no" jsonschema:"The order's number."`
	}
	purchaseOrderTimelineGetOut struct {
		Notice  string        `json:"notice"`
		Moments []orderMoment `json:"moments" jsonschema:"The latest first."`
		More    bool          `json:"truncated"`
		AsOf    time.Time     `json:"as_of"`
	}
	orderMoment struct {
		At    time.Time      `json:"at"`
		What  string         `json:"what" jsonschema:"Done to lines; or comment, call or reminder."`
		By    auth.ActorType `json:"by"`
		Lines int64          `json:"lines,omitzero"`
		SKU   string         `json:"sku,omitempty"`
		Text  string         `json:"text,omitempty"`
	}
)

func purchaseOrderTimelineGet(s *Server) tool {
	return define(about{
		name: "purchase_order_timeline_get", title: "Show an order's timeline", needs: auth.Read,
		description: "Shows what happened to a purchase order and was said about it.",
	}, func(ctx context.Context, by auth.Principal, in purchaseOrderTimelineGetIn) (out purchaseOrderTimelineGetOut,
		err error) {
		moments, more, err := s.Purchase.OrderTimeline(ctx, by, in.OrderNo, page.Request{Most: mostMoments})
		out = purchaseOrderTimelineGetOut{Notice: notice, AsOf: time.Now().UTC()}
		for _, moment := range moments {
			out.Moments = append(out.Moments, toOrderMoment(moment))
		}
		out.Moments, out.More = fit(out.Moments, mostRowBytes)
		out.More = out.More || more
		return out, err
	})
}

func toOrderMoment(m purchase.OrderMoment) orderMoment {
	moment := orderMoment{At: m.At.UTC(), What: m.What, By: m.By.Type, Lines: m.Lines, SKU: *clipped(&m.SKU)}
	moment.Text, _ = clip(m.Text, mostText/2)
	return moment
}
