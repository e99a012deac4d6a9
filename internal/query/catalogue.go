package query

import "github.com/quayside/quayside/internal/registry"

// computed is the catalogue of computed views, in the order in which they are listed. Each has
// its statement in views/<slug>.sql. No table of the registry may have the slug of a view.
var computed = []*Relation{
	newView(Relation{
		Slug: "weekly_sales", Title: "Weekly sales",
		Description: "Sales by week, of everything together or by article. Cancelled, draft, failed and test orders and gift cards are left out, and returns belong to the week of their order. The running week is not complete and ends the day before as_of.",
		Parameters: []Parameter{{Product,
			"An article's id for its weeks, or all for the weeks of every article in which it was sold. Default: the total of all articles."}},
		View: registry.DefaultView{
			Columns: []string{"week_label", "product_id", "units_net", "net_sales", "base_currency", "orders", "customers",
				"units_returned", "discounts", "avg_price", "in_stock_days", "is_complete"},
			Frozen: 1, SortBy: "week_start", SortDesc: true,
		},
		Fields: []Field{
			field("week_start", registry.Date, "The first day of the week."),
			field("week_label", registry.Text, "The ISO week, such as 2026-W46; the first day if weeks do not start on Monday."),
			optional("product_id", registry.Text, "The article. Empty: the total.").refers("products"),
			optional("family", registry.Text, "The article's family."),
			field("orders", registry.Number, "Orders."),
			field("customers", registry.Number, "Different customers, as far as orders name them."),
			field("units_gross", registry.Number, "Units ordered."),
			field("units_returned", registry.Number, "Units of these orders that came back or were taken off."),
			field("units_net", registry.Number, "Units ordered and kept."),
			field("gross_sales", registry.Number, "Sales before discounts."),
			field("discounts", registry.Number, "Discounts."),
			field("net_sales", registry.Number, "Sales after discounts and returns."),
			field("base_currency", registry.Text, "The currency of all amounts: the workspace's."),
			field("unconverted", registry.Number, "Lines in another currency without a rate. They are in no amount."),
			optional("avg_price", registry.Number, "Net sales per unit kept. Empty if there are none, or if lines are unconverted."),
			optional("in_stock_days", registry.Number, "Days on which the article could be sold, since its first sale. Unknown stock counts as in stock. Empty for the total."),
			field("days_elapsed", registry.Number, "Days of the week before as_of: 7 if the week is complete."),
			field("is_complete", registry.Boolean, "Whether the week is over."),
			optional("unmatched_lines", registry.Number, "Lines that match no article. They are in the total only. Empty for an article."),
		},
	}),
	newView(Relation{
		Slug: "family_trend", Title: "Family trends",
		Description: "The last four complete weeks of every family of articles against the four before. An article without a family counts by its category. Unassigned has the articles with neither, and the lines that match no article.",
		View: registry.DefaultView{
			Columns: []string{"family", "label", "growth_pct", "units_4w", "units_prev_4w", "yoy_pct", "sales_4w",
				"base_currency", "share_pct", "stockout_share", "warn", "top_movers", "active_products", "products"},
			Frozen: 1, SortBy: "sales_4w", SortDesc: true,
		},
		Fields: []Field{
			field("family", registry.Text, "The family, else the category, else Unassigned."),
			field("products", registry.Number, "Articles that are not archived."),
			field("active_products", registry.Number, "Articles sold in the last 4 weeks."),
			field("units_4w", registry.Number, "Units sold and kept in the last 4 complete weeks."),
			field("units_prev_4w", registry.Number, "Units sold and kept in the 4 weeks before."),
			optional("units_4w_ly", registry.Number, "Units of the same 4 weeks a year ago, 52 weeks before. Empty if sales are not known that far back."),
			field("sales_4w", registry.Number, "Net sales of the last 4 complete weeks."),
			field("sales_prev_4w", registry.Number, "Net sales of the 4 weeks before."),
			optional("growth_pct", registry.Number, "Change of units against the 4 weeks before, in percent."),
			optional("yoy_pct", registry.Number, "Change of units against a year ago, in percent."),
			optional("share_pct", registry.Number, "Share of all net sales of the last 4 weeks, in percent."),
			optional("z", registry.Number, "How far the numbers of order lines of the two spans are apart, in standard deviations. Chance alone rarely exceeds 1.64."),
			field("label", registry.Text, "rising or falling if the change is at least 10 % and more than chance; insufficient below 20 order lines; else steady.").
				oneOf("rising", "steady", "falling", "insufficient"),
			optional("stockout_share", registry.Number, "Share of days without stock in the last 4 weeks, over the articles that sold in the last 8."),
			field("warn", registry.Boolean, "True if the family falls with more than 20 % of days without stock: what is missing may be stock, not demand."),
			optional("top_movers", registry.Text, "The three articles whose units changed most."),
			field("as_of_week", registry.Date, "The first day of the last complete week."),
			field("base_currency", registry.Text, "The currency of all amounts: the workspace's."),
		},
	}),
	newView(Relation{
		Slug: "customer_reorder_due", Title: "Customers due to reorder",
		Description: "When each customer with an order is expected to order again, from the days between their orders and those of customers like them.",
		View: registry.DefaultView{
			Columns: []string{"name", "status", "days_overdue", "expected_next_date", "last_order_date", "cadence_days", "orders",
				"expected_value", "lifetime_value", "base_currency", "usual_products", "confidence", "reason"},
			Frozen: 1, SortBy: "expected_next_date",
		},
		Fields: []Field{
			field("customer_id", registry.Text, "The customer.").refers("customers"),
			optional("name", registry.Text, "The customer's name, company or e-mail address."),
			field("orders", registry.Number, "Orders until the day before as_of."),
			field("first_order_date", registry.Date, "The day of the first order."),
			field("last_order_date", registry.Date, "The day of the last order."),
			optional("median_gap_days", registry.Number, "The median of the last 8 spans between days with an order."),
			optional("cadence_days", registry.Number, "Days after which the next order is expected: the customer's own median, drawn towards that of customers like them while there are few orders."),
			optional("cadence_source", registry.Text, "What the cadence comes from: own, family (customers who mostly buy the same family), all, or both.").
				oneOf("own", "own and family", "own and all", "family", "all"),
			field("repeat_rate", registry.Number, "Share of customers like this one who ordered on more than one day."),
			optional("expected_next_date", registry.Date, "When the next order is expected."),
			optional("days_overdue", registry.Number, "Days since then; negative: days until then."),
			optional("status", registry.Text, "due around the expected day, overdue until one and a half cadences later, then lapsed. Empty if there are too few orders to say.").
				oneOf("not_due", "due", "overdue", "lapsed"),
			field("confidence", registry.Text, "high from 4 spans between orders, medium from 2.").oneOf("high", "medium", "low"),
			optional("usual_products", registry.Text, "The three articles that the customer bought most often, by order lines."),
			optional("expected_value", registry.Number, "The mean of the last 8 orders."),
			optional("lifetime_value", registry.Number, "The sum of all orders."),
			optional("base_currency", registry.Text, "The currency of all amounts: the workspace's."),
			field("reason", registry.Text, "How the expected day was found."),
		},
	}),
}
