package main

import (
	"time"

	"github.com/quayside/quayside/internal/query"
)

// viewCase is a page of a computed view.
type viewCase struct {
	name        string
	request     query.Request
	pagesBefore int
	where       string // the request's filters for the bare statement
}

// anArticle is one that sells well.
const anArticle = "10000000-0000-7000-8000-000000000007"

// viewCases returns the pages that are measured: of every view the first one and a late one, in the
// view's own order and in another, for one article and as of another day.
func viewCases(now time.Time) []viewCase {
	var cases []viewCase
	add := func(name string, r query.Request, pagesBefore int, where string) {
		cases = append(cases, viewCase{name, r, pagesBefore, where})
	}
	day := func(ago int) string { return now.UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	yearAgo := query.Parameters{AsOf: day(365)}
	every, one := query.Parameters{Product: query.EveryProduct}, query.Parameters{Product: anArticle}
	everyYearAgo := query.Parameters{AsOf: day(365), Product: query.EveryProduct}

	weeks := query.Request{ViewSlug: "weekly_sales", SortBy: "week_start", SortDesc: true}
	of := func(r query.Request, p query.Parameters) query.Request { r.Parameters = p; return r }
	by := func(r query.Request, field string, desc bool) query.Request {
		r.SortBy, r.SortDesc = field, desc
		return r
	}
	add("weekly_sales", weeks, 0, "")
	add("weekly_sales, a late page", weeks, 1, "")
	add("weekly_sales, by net sales", by(weeks, "net_sales", true), 0, "")
	add("weekly_sales, a year ago", of(weeks, yearAgo), 0, "")
	add("weekly_sales, one article", of(weeks, one), 0, "")
	add("weekly_sales, every article", of(weeks, every), 0, "")
	add("weekly_sales, every article, a late page", of(weeks, every), 40, "")
	add("weekly_sales, every article, a year ago", of(weeks, everyYearAgo), 0, "")
	month := by(of(weeks, every), "net_sales", true)
	month.Filters = []byte(`{"week_start":{"gte":"` + day(35) + `"}}`)
	add("weekly_sales, every article, a month by net sales", month, 0, "week_start >= '"+day(35)+"'")

	trend := query.Request{ViewSlug: "family_trend", SortBy: "sales_4w", SortDesc: true}
	add("family_trend", trend, 0, "")
	short := trend
	short.Limit = 5
	add("family_trend, a late page", short, 1, "")
	add("family_trend, by growth", by(trend, "growth_pct", false), 0, "")
	add("family_trend, a year ago", of(trend, yearAgo), 0, "")

	due := query.Request{ViewSlug: "customer_reorder_due", SortBy: "expected_next_date"}
	add("customer_reorder_due", due, 0, "")
	add("customer_reorder_due, a late page", due, 5, "")
	add("customer_reorder_due, by lifetime value", by(due, "lifetime_value", true), 0, "")
	add("customer_reorder_due, by name", by(due, "name", false), 0, "")
	onlyDue := due
	onlyDue.Filters = []byte(`{"status":"due"}`)
	add("customer_reorder_due, who is due", onlyDue, 0, "status = 'due'")
	add("customer_reorder_due, a year ago", of(due, yearAgo), 0, "")

	demand := query.Request{ViewSlug: "product_demand", SortBy: "forecast_30", SortDesc: true}
	add("product_demand", demand, 0, "")
	add("product_demand, a late page", demand, 5, "")
	add("product_demand, by name", by(demand, "name", false), 0, "")
	add("product_demand, one article", of(demand, one), 0, "")

	season := query.Request{ViewSlug: "seasonality", SortBy: "scope"}
	add("seasonality", season, 0, "")
	add("seasonality, a late page", season, 1, "")
	add("seasonality, by index", by(season, "index", true), 0, "")
	add("seasonality, one article", of(season, one), 0, "")
	return cases
}
