package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/quayside/quayside/internal/article"
	"github.com/quayside/quayside/internal/auth"
)

type (
	moneyJSON struct {
		Amount   string `json:"amount" example:"12.50"`
		Currency string `json:"currency" doc:"Empty if none was sent."`
	}
	marginJSON struct {
		Amount   string  `json:"amount" example:"4.50"`
		Currency string  `json:"currency"`
		Percent  float64 `json:"percent" doc:"Of the price."`
	}
	namedJSON struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	actorJSON struct {
		Type string `json:"type" enum:"key,user,agent,sync,operator,system"`
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty" doc:"The label of the key or the agent, or the name of the sync or the person. Absent if it is no longer known, and where it was not looked up."`
	}
	articleStockJSON struct {
		Available     *string    `json:"available,omitempty" doc:"What was reported, or on hand less committed, and what was received since. Absent if no stock was ever reported."`
		Reported      *string    `json:"reported,omitempty" doc:"The available stock as it was reported."`
		OnHand        *string    `json:"on_hand,omitempty"`
		Committed     *string    `json:"committed,omitempty"`
		ReceivedSince string     `json:"received_since" doc:"What was received on purchase orders after the stock was counted."`
		CountedAt     *time.Time `json:"counted_at,omitempty" doc:"When the stock was counted: as its report says, else when the report came."`
		By            *actorJSON `json:"by,omitempty" doc:"Absent if it is no longer known."`
	}
	articleArrivalJSON struct {
		LineID   string  `json:"line_id"`
		OrderNo  string  `json:"order_no"`
		Quantity string  `json:"quantity" doc:"What is still expected of the line."`
		Expected *string `json:"expected,omitempty" format:"date"`
		Day      *string `json:"day,omitempty" format:"date" doc:"The day that projections use: the expected day; without one, the day of the order and the lead time; in a week if that has passed. Absent if it is overdue by more than 60 days."`
	}
	incomingJSON struct {
		Quantity string               `json:"quantity" doc:"What is still expected of ordered lines."`
		Drafted  string               `json:"drafted" doc:"On drafts and lines that wait for approval. It is no supply."`
		Overdue  string               `json:"overdue" doc:"The part of quantity whose expected day has passed."`
		Next     *string              `json:"next,omitempty" format:"date" doc:"The next expected day."`
		Arrivals []articleArrivalJSON `json:"arrivals"`
		LeftOut  int64                `json:"left_out" doc:"Lines that are in none of these, because their quantity is not plausible."`
		Undated  int64                `json:"implausible_dates" doc:"Ordered lines with a date of order or arrival that is not plausible. Such a date counts as not given."`
	}
	leadTimeJSON struct {
		Days   float64 `json:"days"`
		Source string  `json:"source" enum:"product,article,supplier_learnt,supplier,default" doc:"product: set on the product. article and supplier_learnt: the median of at least three deliveries of the last year. supplier: set on the supplier."`
	}
	forecastWeekJSON struct {
		Week  string  `json:"week" format:"date" doc:"Its first day."`
		Units float64 `json:"units"`
		Low   float64 `json:"low" doc:"The demand is between low and high in eight of ten cases."`
		High  float64 `json:"high"`
	}
	articleDemandJSON struct {
		AsOf       string             `json:"as_of" format:"date"`
		PerDay     float64            `json:"per_day" doc:"The mean of the next 30 days."`
		Class      string             `json:"class" enum:"smooth,erratic,intermittent,lumpy,new,dead"`
		Confidence string             `json:"confidence" enum:"high,medium,low"`
		TrendPct   *float64           `json:"trend_pct,omitempty"`
		Flags      []string           `json:"flags"`
		Weeks      []forecastWeekJSON `json:"weeks" doc:"From the running week on."`
	}
	punctualityJSON struct {
		Scope    string  `json:"scope" enum:"article,supplier" doc:"supplier: the latest 1,000 lines of all its articles."`
		Lines    int64   `json:"lines" doc:"Fully received in the last year, with an expected day."`
		OnTime   int64   `json:"on_time"`
		DaysLate float64 `json:"days_late" doc:"The mean of the late ones."`
		Leads    int64   `json:"leads" doc:"How many lines the lead time is known of."`
		LeadDays float64 `json:"lead_days" doc:"The median time from order to full receipt."`
	}
	stockDayJSON struct {
		Day  string  `json:"day" format:"date"`
		Left float64 `json:"left"`
	}
	articlePageJSON struct {
		ID           string             `json:"id"`
		SKU          string             `json:"sku,omitempty"`
		ExternalID   string             `json:"external_id,omitempty"`
		Name         string             `json:"name"`
		VariantName  string             `json:"variant_name,omitempty"`
		Family       string             `json:"family,omitempty"`
		Category     string             `json:"category,omitempty"`
		Status       string             `json:"status,omitempty" doc:"active, draft or archived."`
		ImageURL     string             `json:"image_url,omitempty"`
		Supplier     *namedJSON         `json:"supplier,omitempty"`
		Price        *moneyJSON         `json:"price,omitempty"`
		Cost         *moneyJSON         `json:"cost,omitempty"`
		Margin       *marginJSON        `json:"margin,omitempty" doc:"The price less the cost. Absent if one is unknown, or if their currencies differ."`
		ReorderPoint *string            `json:"reorder_point,omitempty" doc:"As set on the product."`
		Today        string             `json:"today" format:"date" doc:"The day in the workspace's time zone."`
		Stock        articleStockJSON   `json:"stock"`
		Incoming     incomingJSON       `json:"incoming"`
		LeadTime     leadTimeJSON       `json:"lead_time"`
		Settings     []ruleJSON         `json:"settings" doc:"The playbook's settings as they apply to the article, and where they come from."`
		Demand       *articleDemandJSON `json:"demand,omitempty" doc:"Absent before it was first computed."`
		Uncomputed   *uncomputedJSON    `json:"not_computed,omitempty" doc:"Why the article is neither forecast nor suggested: its data makes that impossible. Absent if it is computed."`
		DaysOfCover  *float64           `json:"days_of_cover,omitempty" doc:"What is available by the expected demand per day. Absent if one is unknown, or if no demand is expected."`
		RunsOutOn    *string            `json:"runs_out_on,omitempty" format:"date" doc:"The first day on which the projected stock is used up, arrivals included. Absent if that is unknown or not within 400 days."`
		Punctuality  []punctualityJSON  `json:"punctuality"`
		Projection   []stockDayJSON     `json:"projection" doc:"The projected stock at the end of each of the next 91 days. Empty if stock or demand is unknown."`
		StockWeeks   []stockDayJSON     `json:"stock_weeks" doc:"The stock at the end of past weeks, by their first day, as far as it was counted; at most 104."`
	}
	articleLineJSON struct {
		ID         string     `json:"id"`
		OrderNo    string     `json:"order_no"`
		Status     string     `json:"status" enum:"draft,pending_approval,ordered,partially_received,received,cancelled"`
		Supplier   string     `json:"supplier,omitempty"`
		Ordered    string     `json:"quantity_ordered"`
		Received   string     `json:"quantity_received"`
		Price      *moneyJSON `json:"price,omitempty" doc:"For one unit."`
		Expected   *string    `json:"expected_arrival_date,omitempty" format:"date"`
		OrderedAt  *time.Time `json:"ordered_at,omitempty"`
		ReceivedAt *time.Time `json:"received_at,omitempty"`
		CreatedAt  time.Time  `json:"created_at"`
	}
	articleReceiptJSON struct {
		ID       string     `json:"id"`
		LineID   string     `json:"line_id"`
		OrderNo  string     `json:"order_no"`
		Quantity string     `json:"quantity" doc:"Negative for a correction."`
		At       time.Time  `json:"at"`
		Note     string     `json:"note,omitempty"`
		By       *actorJSON `json:"by,omitempty" doc:"Absent if it is no longer known."`
	}
	costJSON struct {
		At       time.Time `json:"at"`
		Amount   string    `json:"amount" doc:"Empty if the cost was removed."`
		Currency string    `json:"currency" doc:"Empty if the record had none."`
	}
	buyerJSON struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Units  string `json:"units"`
		Net    string `json:"net"`
		Orders int64  `json:"orders"`
		Last   string `json:"last" format:"date" doc:"The day of the last order."`
	}
	buyersJSON struct {
		Units       string      `json:"units" doc:"Sold and not returned, to all customers."`
		Returned    string      `json:"returned"`
		Net         string      `json:"net" doc:"In the workspace's currency."`
		Currency    string      `json:"currency"`
		Orders      int64       `json:"orders"`
		Customers   int64       `json:"customers" doc:"Without orders that name no customer."`
		Unconverted int64       `json:"unconverted" doc:"Order lines without a rate, which are in no amount."`
		Top         []buyerJSON `json:"top" doc:"The largest by units."`
	}
	articleActivityJSON struct {
		Lines    []articleLineJSON    `json:"lines" doc:"Its purchase order lines, the latest first; at most 100."`
		Receipts []articleReceiptJSON `json:"receipts" doc:"The receipts of these lines, the latest first; at most 100."`
		Costs    []costJSON           `json:"costs" doc:"The costs that were reported, the latest first, as far back as events are kept."`
		Buyers   buyersJSON           `json:"buyers" doc:"Who bought it in the last 12 months, today not included."`
		Failures *[]mentionJSON       `json:"failures,omitempty" doc:"Open failed imports that have its SKU, external id or id as a value, among the latest 2,000; at most 20. Absent if you may not see failed imports."`
		Moments  []recordMomentJSON   `json:"moments" doc:"What people, agents and keys did with it and these lines, the latest first; at most 50."`
	}
	// OneArticle names an article.
	OneArticle struct {
		InWorkspace
		Article string `path:"article" doc:"The product's id in Quayside."`
	}
)

// articleOperations show single articles.
func (s *Server) articleOperations(a *appAPI) {
	const tag, path = "Articles", "workspaces/{workspace}/articles/{article}"
	register(a, operation{
		id: "getArticle", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "One article",
		about:   "Its stock and who reported it, what is on its way, its expected demand, when it runs out, and how its supplier delivers.",
	}, func(ctx context.Context, in *OneArticle) (*body[articlePageJSON], error) {
		found, err := s.Articles.Get(ctx, by(ctx).Principal, in.Article)
		return &body[articlePageJSON]{toArticle(found)}, err
	})
	register(a, operation{
		id: "getArticleActivity", method: http.MethodGet, path: path + "/activity", tag: tag, needs: auth.Read,
		summary: "What happened to an article",
		about:   "Its purchase order lines, receipts and costs, its buyers, failed imports that mention it, and who did what.",
	}, func(ctx context.Context, in *OneArticle) (*body[articleActivityJSON], error) {
		found, err := s.Articles.Activity(ctx, by(ctx).Principal, in.Article)
		return &body[articleActivityJSON]{toArticleActivity(found)}, err
	})
}

func toArticle(o article.Overview) articlePageJSON {
	out := articlePageJSON{
		ID: o.ID, SKU: o.SKU, ExternalID: o.ExternalID, Name: o.Name, VariantName: o.Variant, Family: o.Family,
		Category: o.Category, Status: o.Status, ImageURL: o.ImageURL, Price: toMoney(o.Price), Cost: toMoney(o.Cost),
		ReorderPoint: decimalText(o.Reorder), Today: o.Today.Format(time.DateOnly), Stock: toArticleStock(o.Stock),
		Incoming: toIncoming(o.Incoming), LeadTime: leadTimeJSON(o.LeadTime), Settings: toSettings(o.Settings), Demand: toArticleDemand(o.Demand), Uncomputed: toUncomputed(o.Uncomputed),
		DaysOfCover: o.DaysOfCover, RunsOutOn: dateText(o.RunsOut), Projection: toStockDays(o.Projection),
		StockWeeks: toStockDays(o.StockWeeks), Punctuality: make([]punctualityJSON, 0, len(o.Punctuality)),
	}
	if o.Supplier != nil {
		out.Supplier = &namedJSON{ID: o.Supplier.ID, Name: o.Supplier.Name}
	}
	if o.Margin != nil {
		out.Margin = &marginJSON{Amount: o.Margin.Amount.String(), Currency: o.Margin.Currency, Percent: o.Margin.Percent}
	}
	for _, p := range o.Punctuality {
		out.Punctuality = append(out.Punctuality, punctualityJSON(p))
	}
	return out
}

func toArticleStock(s article.Stock) articleStockJSON {
	out := articleStockJSON{
		Available: decimalText(s.Available), Reported: decimalText(s.Reported), OnHand: decimalText(s.OnHand),
		Committed: decimalText(s.Committed), ReceivedSince: s.ReceivedSince.String(), CountedAt: s.CountedAt,
	}
	if s.By != nil {
		out.By = toActor(*s.By, s.ByName)
	}
	return out
}

func toIncoming(in article.Incoming) incomingJSON {
	out := incomingJSON{
		Quantity: in.Quantity.String(), Drafted: in.Drafted.String(), Overdue: in.Overdue.String(), Next: dateText(in.Next),
		Arrivals: make([]articleArrivalJSON, 0, len(in.Arrivals)), LeftOut: in.LeftOut, Undated: in.Undated,
	}
	for _, a := range in.Arrivals {
		out.Arrivals = append(out.Arrivals, articleArrivalJSON{
			LineID: a.LineID, OrderNo: a.OrderNo, Quantity: a.Quantity.String(), Expected: dateText(a.Expected), Day: dateText(a.Day),
		})
	}
	return out
}

func toArticleDemand(d *article.Demand) *articleDemandJSON {
	if d == nil {
		return nil
	}
	out := &articleDemandJSON{
		AsOf: d.AsOf.Format(time.DateOnly), PerDay: d.PerDay, Class: string(d.Class), Confidence: string(d.Confidence),
		TrendPct: d.Trend, Flags: append([]string{}, d.Flags...),
	}
	for _, w := range d.Weeks {
		out.Weeks = append(out.Weeks,
			forecastWeekJSON{Week: w.Week.Format(time.DateOnly), Units: w.Units, Low: w.Low, High: w.High})
	}
	return out
}

func toStockDays(days []article.StockDay) []stockDayJSON {
	out := make([]stockDayJSON, 0, len(days))
	for _, day := range days {
		out = append(out, stockDayJSON{Day: day.Day.Format(time.DateOnly), Left: day.Left})
	}
	return out
}

func toArticleActivity(a article.Activity) articleActivityJSON {
	out := articleActivityJSON{
		Lines: make([]articleLineJSON, 0, len(a.Lines)), Receipts: make([]articleReceiptJSON, 0, len(a.Receipts)),
		Costs: make([]costJSON, 0, len(a.Costs)), Buyers: toBuyers(a.Buyers),
		Moments: toMoments(a.Moments), Failures: toMentions(a.Failures),
	}
	for _, l := range a.Lines {
		out.Lines = append(out.Lines, articleLineJSON{
			ID: l.ID, OrderNo: l.OrderNo, Status: l.Status, Supplier: l.Supplier, Ordered: l.Ordered.String(),
			Received: l.Received.String(), Price: toMoney(l.Price), Expected: dateText(l.Expected), OrderedAt: l.OrderedAt,
			ReceivedAt: l.ReceivedAt, CreatedAt: l.CreatedAt,
		})
	}
	for _, r := range a.Receipts {
		out.Receipts = append(out.Receipts, articleReceiptJSON{
			ID: r.ID, LineID: r.LineID, OrderNo: r.OrderNo, Quantity: r.Quantity.String(), At: r.At, Note: r.Note,
			By: toActor(r.By, r.ByName),
		})
	}
	for _, c := range a.Costs {
		out.Costs = append(out.Costs, costJSON(c))
	}
	return out
}

func toBuyers(b article.Buyers) buyersJSON {
	out := buyersJSON{
		Units: b.Units.String(), Returned: b.Returned.String(), Net: b.Net.String(), Currency: b.Currency, Orders: b.Orders,
		Customers: b.Customers, Unconverted: b.Unconverted, Top: make([]buyerJSON, 0, len(b.Top)),
	}
	for _, one := range b.Top {
		out.Top = append(out.Top, buyerJSON{
			ID: one.ID, Name: one.Name, Units: one.Units.String(), Net: one.Net.String(), Orders: one.Orders,
			Last: one.Last.Format(time.DateOnly),
		})
	}
	return out
}
