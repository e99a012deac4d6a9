package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

type (
	contactJSON struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Person string `json:"contact_name,omitempty"`
		Email  string `json:"email,omitempty"`
		Phone  string `json:"phone,omitempty"`
	}
	// arrivalsJSON is a page of lines, with what is needed to ask their suppliers.
	arrivalsJSON struct {
		Items      []lineJSON       `json:"items"`
		NextCursor string           `json:"next_cursor,omitempty" doc:"Send it as cursor for the next page. Absent on the last page."`
		Suppliers  []contactJSON    `json:"suppliers" doc:"The suppliers of the lines, with how to reach them."`
		Said       []orderEntryJSON `json:"said" doc:"The newest entry in the log of each order that has one."`
	}
)

// arrivalOperations show what is to arrive.
func (s *Server) arrivalOperations(a *appAPI) {
	const path = "workspaces/{workspace}/arrivals"
	register(a, operation{
		id: "listArrivals", method: http.MethodGet, path: path, tag: purchaseTag,
		needs:   auth.Read,
		summary: "List lines that are expected between two days",
		about:   "Ordered lines that are not fully received, by expected day, in pages.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
		Since   time.Time `query:"since" timeFormat:"2006-01-02" example:"2026-01-01" doc:"Absent includes overdue lines."`
		Until   time.Time `query:"until" timeFormat:"2006-01-02" example:"2026-01-31" doc:"Absent means no end."`
		Undated bool      `query:"undated" doc:"Only lines without an expected day, whatever the days."`
	}) (*body[arrivalsJSON], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		var lines []purchase.Line
		var more bool
		if in.Undated {
			lines, more, err = s.Purchase.Undated(ctx, by(ctx).Principal, want)
		} else {
			lines, more, err = s.Purchase.Arrivals(ctx, by(ctx).Principal, in.Since, in.Until, want)
		}
		if err != nil {
			return nil, err
		}
		return s.toArrivals(ctx, lines, more)
	})
	register(a, operation{
		id: "findArrivals", method: http.MethodGet, path: path + "/by-code", tag: purchaseTag,
		needs:   auth.Read,
		summary: "Find lines that are still to come by a scanned code",
		about:   "The code is the article's barcode, SKU or supplier's SKU, as a whole. The earliest line comes first; at most 50.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Code string `query:"code" required:"true" minLength:"1" maxLength:"200" example:"4006381333931"`
	}) (*body[list[lineJSON]], error) {
		lines, err := s.Purchase.Scanned(ctx, by(ctx).Principal, in.Code)
		return toLines(lines, false), err
	})
	register(a, operation{
		id: "summarizeArrivals", method: http.MethodGet, path: path + "/summary", tag: purchaseTag, needs: auth.Read,
		summary: "Count what is to arrive",
		about: fmt.Sprintf("By expected day: how many orders and lines, and the value of what is still to come. "+
			"Of each part at most %d lines are read.", purchase.MostCounted),
	}, func(ctx context.Context, _ *InWorkspace) (*body[deliveriesJSON], error) {
		found, err := s.Purchase.Deliveries(ctx, by(ctx).Principal)
		return &body[deliveriesJSON]{toDeliveries(found)}, err
	})
}

func (s *Server) toArrivals(ctx context.Context, lines []purchase.Line, more bool) (*body[arrivalsJSON], error) {
	contacts, err := s.Purchase.Contacts(ctx, by(ctx).Principal, lines)
	if err != nil {
		return nil, err
	}
	var orders []string
	for _, line := range lines {
		orders = append(orders, line.OrderNo)
	}
	said, err := s.Threads.Latest(ctx, by(ctx).Principal, orders)
	found := toLines(lines, more).Body
	out := arrivalsJSON{found.Items, found.NextCursor, []contactJSON{}, []orderEntryJSON{}}
	for _, contact := range contacts {
		out.Suppliers = append(out.Suppliers, contactJSON(contact))
	}
	for _, entry := range said {
		out.Said = append(out.Said, toOrderEntry(entry))
	}
	return &body[arrivalsJSON]{out}, err
}
