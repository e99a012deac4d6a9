package forecast

import (
	"cmp"
	"slices"

	"github.com/quayside/quayside/internal/demand"
)

// logged is a log after a computation has extended it.
type logged struct {
	entries  []demand.Entry // sorted by origin and article
	added    []demand.Entry // of entries, those that are new
	finished []demand.Entry // of entries, those that were stored and have an outcome now
	newest   demand.Day     // the log is complete up to this origin
}

// extend adds the origins after newest to the stored log, and the outcomes that are known now. A
// nil newest begins the log: the origins of the last year are replayed. late also replays the
// past of articles that have no entry but were sold before newest: their sales came later.
func extend(sales demand.Sales, stored []demand.Entry, newest *demand.Day, late bool) logged {
	var missing, passed []demand.Day
	for _, origin := range demand.Origins(sales.End-logWeeks*week, sales.End) {
		if newest == nil || origin > *newest {
			missing = append(missing, origin)
		} else {
			passed = append(passed, origin)
		}
	}
	var open []int
	for i, e := range stored {
		if !e.Finished {
			open = append(open, i)
		}
	}
	missed := latecomers(sales, stored, passed)
	all := forecastAt(sales, stored, missing)
	out := logged{added: all[len(stored):]}
	for _, i := range open {
		if all[i].Finished {
			out.finished = append(out.finished, all[i])
		}
	}
	if late && len(missed) > 0 {
		replayed := forecastAt(sales, nil, passed)
		replayed = slices.DeleteFunc(replayed, func(e demand.Entry) bool { return !missed[e.Article] })
		for i := range replayed {
			replayed[i].Replayed = true // also if the origin is the running week's start
		}
		// By article, so that an interruption leaves few of them with some of their entries.
		slices.SortStableFunc(replayed, byArticle)
		out.added = slices.Concat(out.added, replayed)
		all = append(slices.Clip(all), replayed...)
		slices.SortFunc(all, func(a, b demand.Entry) int {
			return cmp.Or(cmp.Compare(a.Origin, b.Origin), byArticle(a, b))
		})
	}
	out.entries = all
	last := demand.Origins(sales.End-3*week, sales.End) // one of four weeks is an origin
	out.newest = last[len(last)-1]
	if newest != nil { // weeks that start on another day may have an earlier one
		out.newest = max(out.newest, *newest)
	}
	return out
}

// forecastAt appends the forecasts of the origins to the log, each from what was known then, and
// fills in the outcomes. Forecasts of the running week's start are made now; earlier ones are
// replayed.
func forecastAt(sales demand.Sales, log []demand.Entry, origins []demand.Day) []demand.Entry {
	log = slices.Grow(log, len(origins)*len(sales.Articles))
	for _, origin := range origins {
		past := knownAt(sales, origin)
		demand.Finish(log, past)
		entries := demand.Forecasts(past, log)
		for i := range entries {
			entries[i].Replayed = origin < sales.End
		}
		log = append(log, entries...)
	}
	demand.Finish(log, sales)
	return log
}

// knownAt returns the sales as known at an origin, without the running week's, and only of
// articles that had been sold by then.
func knownAt(sales demand.Sales, origin demand.Day) demand.Sales {
	past := sales.Before(origin)
	if past.End < sales.End {
		return past
	}
	past.Articles = slices.DeleteFunc(slices.Clone(past.Articles),
		func(a demand.Article) bool { return len(a.Units) == 0 })
	for i := range past.Articles {
		past.Articles[i].Running = 0
	}
	return past
}

// latecomers returns the articles that are in no entry, but lived before the last of the origins.
func latecomers(sales demand.Sales, log []demand.Entry, origins []demand.Day) map[string]bool {
	if len(origins) == 0 {
		return nil
	}
	has := make(map[string]bool, len(sales.Articles))
	for _, e := range log {
		has[e.Article] = true
	}
	missed := map[string]bool{}
	for _, a := range sales.Articles {
		if len(a.Units) > int(sales.End-origins[len(origins)-1])/week && !has[a.ID] {
			missed[a.ID] = true
		}
	}
	return missed
}

func byArticle(a, b demand.Entry) int { return cmp.Compare(a.Article, b.Article) }
