package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/procure"
)

type (
	emptyDaysJSON struct {
		TooLate  int `json:"too_late" doc:"Before an order of the day of the suggestion could have come."`
		Waiting  int `json:"waiting" doc:"After that, and before what was ordered could have come. All later ones if nothing was ordered."`
		Supplier int `json:"supplier" doc:"After that, and before it came."`
		TooFew   int `json:"too_few" doc:"After it came."`
	}
	overbuyJSON struct {
		Currency string `json:"currency"`
		Value    string `json:"value"`
		Beyond   string `json:"beyond" doc:"The part of it that was ordered beyond the suggestions."`
		LeftOut  int64  `json:"left_out" doc:"Suggestions that are in neither, because their amount is not plausible."`
	}
	trackRecordFiguresJSON struct {
		Suggested   int64         `json:"suggested" doc:"The sum of the seven decisions."`
		AsSuggested int64         `json:"as_suggested" doc:"Ordered as suggested."`
		Less        int64         `json:"less" doc:"Ordered, but fewer than suggested."`
		More        int64         `json:"more" doc:"Ordered, and more than suggested."`
		TurnedDown  int64         `json:"turned_down" doc:"Dismissed, or a person cancelled the draft."`
		PutOff      int64         `json:"put_off" doc:"Snoozed, and not decided since."`
		Undecided   int64         `json:"undecided"`
		TakenBack   int64         `json:"taken_back" doc:"Drafted or ordered and cancelled again without a decision against it, by undoing an agent's run for example. What happened is judged under the article's next suggestion."`
		MedianDays  *float64      `json:"median_days_to_decide,omitempty" doc:"Absent if nothing was decided."`
		Judged      int64         `json:"judged" doc:"Suggestions of which days have passed, and whose stock is known."`
		NotKnown    int64         `json:"not_known" doc:"Suggestions of which days have passed, but whose stock was never counted."`
		Prevented   int64         `json:"prevented" doc:"Suggestions whose order prevented a stock-out."`
		RanOut      int64         `json:"ran_out" doc:"Suggestions with empty days."`
		EmptyDays   emptyDaysJSON `json:"empty_days" doc:"Days without stock; each is in exactly one of the four."`
		Overbought  int64         `json:"overbought" doc:"Suggestions whose order was not used up when it should have been."`
		Overbuy     []overbuyJSON `json:"overbuy" doc:"What was left of these orders, by currency. Lines without a price are in none."`
	}
	trackRecordGroupJSON struct {
		Group    string                 `json:"group" doc:"Of a buyer: as the filter buyer of the suggestions takes it. Of a supplier: its id, or none. Of a month: such as 2027-01."`
		Buyer    *actorJSON             `json:"buyer,omitempty" doc:"Who drafted the orders, or decided not to. Absent in other groupings, and for what nobody decided."`
		Supplier *namedJSON             `json:"supplier,omitempty"`
		Figures  trackRecordFiguresJSON `json:"figures"`
	}
	trackRecordJSON struct {
		From   string                 `json:"from" format:"date"`
		To     string                 `json:"to" format:"date"`
		By     string                 `json:"by" enum:"buyer,supplier,month"`
		AsOf   *string                `json:"as_of,omitempty" format:"date" doc:"All days before it are judged. Absent before the queue was first computed."`
		Total  trackRecordFiguresJSON `json:"total"`
		Groups []trackRecordGroupJSON `json:"groups" doc:"Months from the newest on, others by how much was suggested."`
	}
	suggestionJSON struct {
		Key          string        `json:"recommendation_key"`
		ProductID    string        `json:"product_id"`
		SKU          string        `json:"sku,omitempty"`
		Name         string        `json:"name"`
		Supplier     *namedJSON    `json:"supplier,omitempty" doc:"Of the order, once there is one."`
		FirstOn      string        `json:"first_on" format:"date" doc:"The day of the suggestion."`
		Until        string        `json:"until" format:"date" doc:"The day up to which the order was to last."`
		Urgency      string        `json:"urgency" enum:"critical,high,medium,low"`
		Suggested    float64       `json:"suggested_quantity"`
		Decision     string        `json:"decision" enum:"as_suggested,less,more,turned_down,put_off,undecided,taken_back"`
		DecidedOn    *string       `json:"decided_on,omitempty" format:"date"`
		DecidedBy    *actorJSON    `json:"decided_by,omitempty"`
		OrderNo      string        `json:"order_no,omitempty"`
		Ordered      *float64      `json:"ordered_quantity,omitempty"`
		Known        *bool         `json:"known,omitempty" doc:"Whether the stock was known. Absent if no day has passed yet."`
		PreventedOn  *string       `json:"prevented_on,omitempty" format:"date"`
		EmptyFrom    *string       `json:"empty_from,omitempty" format:"date"`
		EmptyDays    emptyDaysJSON `json:"empty_days"`
		Overbuy      *float64      `json:"overbuy_quantity,omitempty" doc:"Absent until the order was to be used up, or if the stock is not known."`
		OverbuyValue *string       `json:"overbuy_value,omitempty"`
		Currency     string        `json:"currency,omitempty" doc:"Of overbuy_value."`
		Final        bool          `json:"final" doc:"The verdict does not change any more."`
		Story        string        `json:"story" doc:"All of it in one sentence."`
	}
	suggestionsJSON struct {
		Items []suggestionJSON `json:"items"`
		Next  string           `json:"next_cursor,omitempty" doc:"Absent on the last page."`
	}
	// InSpan names the days on which suggestions were first made.
	InSpan struct {
		From string `query:"from" format:"date" maxLength:"10" doc:"The first day. Default: the first one of the last 12 months."`
		To   string `query:"to" format:"date" maxLength:"10" doc:"The last day. Default: today."`
	}
)

// trackRecordOperations show the track record of the queue.
func (s *Server) trackRecordOperations(a *appAPI) {
	const path = "workspaces/{workspace}/procurement/record"
	register(a, operation{
		id: "getTrackRecord", method: http.MethodGet, path: path, tag: procurementTag, needs: auth.Read,
		summary: "What was suggested, decided, and what happened",
		about:   "The figures of the suggestions of a time, in all and by buyer, supplier or month. They are counted once a day.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		InSpan
		By string `query:"by" enum:"buyer,supplier,month" default:"month"`
	}) (*body[trackRecordJSON], error) {
		span, err := in.span()
		if err != nil {
			return nil, err
		}
		record, err := s.Procure.TrackRecord(ctx, by(ctx).Principal, procure.RecordBy(in.By), span)
		if err != nil {
			return nil, err
		}
		buyers := make([]auth.Actor, len(record.Groups))
		for i, group := range record.Groups {
			buyers[i] = group.Buyer
		}
		names, err := s.Query.Names(ctx, by(ctx).Tenant, buyers)
		return &body[trackRecordJSON]{toRecord(record, procure.RecordBy(in.By), names)}, err
	})
	register(a, operation{
		id: "listSuggestions", method: http.MethodGet, path: path + "/suggestions", tag: procurementTag, needs: auth.Read,
		summary: "The cases of the track record", about: "The newest first. Each says in one sentence what became of it.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		InSpan
		Buyer    string `query:"buyer" maxLength:"60" doc:"A group of the track record by buyer, or nobody."`
		Supplier string `query:"supplier" maxLength:"100" doc:"A supplier's id, or none."`
		Outcome  string `query:"outcome" enum:"prevented,empty,overbuy,not_known,as_suggested,less,more,turned_down,put_off,undecided,taken_back" doc:"Default: all."`
		Cursor   string `query:"cursor" maxLength:"200" doc:"next_cursor of the page before."`
		Limit    int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	}) (*body[suggestionsJSON], error) {
		span, err := in.span()
		if err != nil {
			return nil, err
		}
		cases, next, err := s.Procure.Cases(ctx, by(ctx).Principal, procure.CaseFilter{Span: span, Buyer: in.Buyer,
			Supplier: in.Supplier, Outcome: in.Outcome, After: in.Cursor, Most: in.Limit})
		if err != nil {
			return nil, err
		}
		deciders := make([]auth.Actor, len(cases))
		for i, one := range cases {
			deciders[i] = one.By
		}
		names, err := s.Query.Names(ctx, by(ctx).Tenant, deciders)
		page := suggestionsJSON{Items: []suggestionJSON{}, Next: next}
		for _, one := range cases {
			page.Items = append(page.Items, toSuggestion(one, names[one.By]))
		}
		return &body[suggestionsJSON]{page}, err
	})
}

func (in InSpan) span() (span procure.Span, err error) {
	for _, end := range []struct {
		field, text string
		to          **time.Time
	}{{"from", in.From, &span.From}, {"to", in.To, &span.To}} {
		if end.text == "" {
			continue
		}
		day, err := dateIn(end.field, end.text)
		if err != nil {
			return span, err
		}
		*end.to = &day
	}
	return span, nil
}

func toRecord(r procure.Record, grouped procure.RecordBy, names map[auth.Actor]string) trackRecordJSON {
	out := trackRecordJSON{From: r.From.Format(time.DateOnly), To: r.To.Format(time.DateOnly), By: string(grouped), AsOf: dateText(r.AsOf),
		Total: toRecordFigures(r.Total), Groups: []trackRecordGroupJSON{}}
	for _, group := range r.Groups {
		one := trackRecordGroupJSON{Group: group.Group, Buyer: toActor(group.Buyer, names[group.Buyer]), Figures: toRecordFigures(group)}
		if grouped == procure.BySupplier && group.Group != procure.None {
			one.Supplier = &namedJSON{ID: group.Group, Name: group.SupplierName}
		}
		out.Groups = append(out.Groups, one)
	}
	return out
}

func toRecordFigures(f procure.RecordFigures) trackRecordFiguresJSON {
	out := trackRecordFiguresJSON{
		Suggested: f.Suggested, AsSuggested: f.AsSuggested, Less: f.Less, More: f.More, TurnedDown: f.TurnedDown, PutOff: f.PutOff,
		Undecided: f.Undecided, TakenBack: f.TakenBack, MedianDays: f.MedianDays, Judged: f.Judged, NotKnown: f.NotKnown,
		Prevented: f.Prevented, RanOut: f.RanOut, EmptyDays: emptyDaysJSON(f.Empty), Overbought: f.Overbought, Overbuy: []overbuyJSON{},
	}
	for _, over := range f.Overbuy {
		out.Overbuy = append(out.Overbuy, overbuyJSON{Currency: over.Currency, Value: over.Value.String(), Beyond: over.Beyond.String(), LeftOut: over.LeftOut})
	}
	return out
}

func toSuggestion(s procure.Case, who string) suggestionJSON {
	out := suggestionJSON{
		Key: s.Key, ProductID: s.Product, SKU: s.SKU, Name: s.Name, FirstOn: s.FirstOn.Format(time.DateOnly),
		Until: s.Until.Format(time.DateOnly), Urgency: string(s.Urgency), Suggested: s.Suggested, Decision: string(s.Decision),
		DecidedOn: dateText(s.DecidedOn), DecidedBy: toActor(s.By, who), OrderNo: s.OrderNo, Ordered: s.Ordered, Known: s.Known,
		PreventedOn: dateText(s.PreventedOn), EmptyFrom: dateText(s.EmptyFrom), EmptyDays: emptyDaysJSON(s.Empty), Overbuy: s.Overbuy,
		OverbuyValue: decimalText(s.OverbuyValue), Currency: s.Currency, Final: s.Closed, Story: s.Story(who),
	}
	if s.Supplier != "" {
		out.Supplier = &namedJSON{ID: s.Supplier, Name: s.SupplierName}
	}
	return out
}
