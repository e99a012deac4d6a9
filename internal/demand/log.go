package demand

import (
	"cmp"
	"slices"
)

const (
	// Horizon is the number of days that a forecast of the log covers.
	Horizon = 28

	countedDays = 21     // in-stock days that a forecast needs to be judged
	countedAge  = 52 * 7 // days; older forecasts no longer count
)

// strengths are the strengths of the season that the log compares.
var strengths = [3]float64{0, 0.5, 1}

// Entry is one forecast of the log: the values known at its origin, and its outcome.
type Entry struct {
	Article  string
	Family   string
	Origin   Day        // the first of the 28 days
	Forecast [3]float64 // at strength 0, ½ and 1
	Strength float64    // the one that was used
	// Indexed is true when the family had a season to apply.
	Indexed   bool
	SigmaDay2 float64
	Class     Class
	Replayed  bool // made later, from the values known at the origin

	// The outcome. Finished is true if the 28 days are over.
	Finished bool
	InStock  int     // of the 28 days
	Units    float64 // sold on them, at least 0
}

// Expected returns the forecast at the strength that was used, for the in-stock days.
func (e Entry) Expected() float64 { return e.at(e.Strength) }

func (e Entry) at(strength float64) float64 {
	i := max(0, slices.Index(strengths[:], strength))
	return e.Forecast[i] * float64(e.InStock) / Horizon
}

// counts reports whether the entry may be judged on asOf.
func (e Entry) counts(asOf Day) bool {
	age := asOf - e.Origin
	return e.Finished && age >= Horizon && age <= countedAge && e.InStock >= countedDays && e.Expected() > 0
}

// IsOrigin reports whether forecasts are logged on start, as on the start of every fourth week.
func IsOrigin(start Day) bool {
	return (start-((start%7)+7)%7)%Horizon == 0
}

// Origins returns the origins from first to last, both of which start a week.
func Origins(first, last Day) []Day {
	var origins []Day
	for day := first; day <= last; day += 7 {
		if IsOrigin(day) {
			origins = append(origins, day)
		}
	}
	return origins
}

// Forecasts returns the log's entries for the origin sales.End, sorted by article.
func Forecasts(sales Sales, log []Entry) []Entry {
	evidence := strengthEvidence(log, sales.End)
	var entries []Entry
	for _, members := range families(sales.Articles) {
		season := familySeason(members, sales.End)
		used := chooseStrength(season, evidence[members[0].Family]).Value
		from := len(entries)
		for i, strength := range strengths {
			if i > 0 && !season.Known { // the forecast is the same at every strength
				break
			}
			demands, _ := estimateFamily(members, sales.End, season.Index().At(strength))
			for j, d := range demands {
				if i == 0 {
					entries = append(entries, Entry{Article: d.ID, Family: d.Family, Origin: sales.End, Class: d.Class,
						Strength: used, Indexed: season.Known})
				}
				entry := &entries[from+j]
				for k := i; k < len(strengths); k++ {
					entry.Forecast[k] = d.Over(sales.End, Horizon)
				}
				if strength == used {
					entry.SigmaDay2 = d.SigmaDay2
				}
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Article, b.Article) })
	return entries
}

// Finish fills in the outcome of the entries whose 28 days are over on sales.End. Weeks before
// an article's first sale have no in-stock day. Entries of articles that are not among the
// sales stay unchanged.
func Finish(log []Entry, sales Sales) {
	articles := make(map[string]Article, len(sales.Articles))
	for _, a := range sales.Articles {
		articles[a.ID] = a
	}
	for i := range log {
		entry := &log[i]
		a, ok := articles[entry.Article]
		if !ok || entry.Finished || entry.Origin+Horizon > sales.End {
			continue
		}
		from := len(a.Units) - int(sales.End-entry.Origin)/7
		entry.Finished = true
		for w := max(0, from); w < from+Horizon/7; w++ {
			entry.InStock += a.InStock[w]
			entry.Units += a.Units[w]
		}
		entry.Units = max(0, entry.Units)
	}
}

// Replay returns the log that would exist if forecasts had been logged at the origins, which
// must be in ascending order. Each forecast uses only the weeks before it and the forecasts
// that were finished then.
func Replay(sales Sales, origins []Day) []Entry {
	var log []Entry
	for _, origin := range origins {
		if origin > sales.End {
			break
		}
		past := sales.Before(origin)
		Finish(log, past)
		entries := Forecasts(past, log)
		for i := range entries {
			entries[i].Replayed = true
		}
		log = append(log, entries...)
	}
	Finish(log, sales)
	return log
}
