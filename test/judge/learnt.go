package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/shop"
)

// learnt compares what is learnt on the last day of a made shop with the truth.
type learnt struct {
	// Lead times, by supplier; errors are means over those that were learnt.
	suppliers, known   int
	late               int     // of those that were learnt: take longer than they promise
	punctualMiss       float64 // of the learnt lead time of the others, in days
	lateMiss           float64 // of the learnt lead time of late suppliers
	promisedMiss       float64 // of what late suppliers promise
	spread, trueSpread float64 // mean standard deviation, in days
	// Seasons, by family; errors are means over the months of families that have one in truth.
	seasonal, found   int     // have a season; of these, get one
	steady, imagined  int     // have none; of these, get one
	seasonMiss        float64 // of the index that is applied
	withoutSeasonMiss float64 // had no season been applied
}

// learn compares the lead times and the seasons.
func learn(s *set, log []demand.Entry) (l learnt) {
	if s.shop == nil {
		return l
	}
	l.leadTimes(s.shop, s.sales.End)
	l.seasons(s.shop, demand.Estimate(s.sales, log).Families)
	return l
}

func (l *learnt) leadTimes(made *shop.Shop, asOf demand.Day) {
	deliveries := make([][]demand.Delivery, len(made.Suppliers))
	for _, p := range made.Purchases {
		deliveries[p.Supplier] = append(deliveries[p.Supplier],
			demand.Delivery{Ordered: demand.DayOf(made.Date(p.Ordered)), Arrived: demand.DayOf(made.Date(p.Arrived))})
	}
	for i, supplier := range made.Suppliers {
		l.suppliers++
		lead, known := demand.LearnLeadTime(deliveries[i], asOf)
		if !known {
			continue
		}
		l.known++
		miss := math.Abs(lead.Days - supplier.Median)
		if promised := float64(supplier.Lead); promised < supplier.Median {
			l.late++
			l.lateMiss += miss
			l.promisedMiss += supplier.Median - promised
		} else {
			l.punctualMiss += miss
		}
		l.spread += lead.Sigma
		// The same measure of a lognormal distribution: its 85 % quantile beyond its median.
		l.trueSpread += supplier.Median * (math.Exp(1.036*supplier.Sigma) - 1) / 1.036
	}
	for sum, n := range map[*float64]int{&l.punctualMiss: l.known - l.late, &l.lateMiss: l.late, &l.promisedMiss: l.late,
		&l.spread: l.known, &l.trueSpread: l.known} {
		*sum /= float64(n)
	}
}

func (l *learnt) seasons(made *shop.Shop, families []demand.Family) {
	truth := map[string]shop.Family{}
	for _, f := range made.Families {
		truth[f.Name] = f
	}
	for _, f := range families {
		applied := f.Strength.Value > 0
		if !truth[f.Name].Seasonal {
			l.steady++
			if applied {
				l.imagined++
			}
			continue
		}
		l.seasonal++
		if applied {
			l.found++
		}
		for month, index := range f.Season.Index().At(f.Strength.Value) {
			l.seasonMiss += math.Abs(index - truth[f.Name].Season[month])
			l.withoutSeasonMiss += math.Abs(1 - truth[f.Name].Season[month])
		}
	}
	l.seasonMiss /= float64(12 * l.seasonal)
	l.withoutSeasonMiss /= float64(12 * l.seasonal)
}

// learntTable writes what the made shops taught.
func learntTable(out io.Writer, verdicts []verdict) {
	var made []verdict
	for _, v := range verdicts {
		if v.set.shop != nil {
			made = append(made, v)
		}
	}
	fmt.Fprint(out, "\n### What was learnt, against the truth\n\n| |")
	for _, v := range made {
		fmt.Fprintf(out, " %s |", v.set.name)
	}
	fmt.Fprint(out, "\n|---|"+strings.Repeat("---:|", len(made))+"\n")
	row := func(what string, figure func(learnt) string) {
		fmt.Fprintf(out, "| %s |", what)
		for _, v := range made {
			fmt.Fprintf(out, " %s |", figure(v.learnt))
		}
		fmt.Fprintln(out)
	}
	row("suppliers whose lead time was learnt", func(l learnt) string { return fmt.Sprintf("%d of %d", l.known, l.suppliers) })
	row("suppliers that take longer than they promise", func(l learnt) string { return fmt.Sprint(l.late) })
	row("error of what these promise, in days", func(l learnt) string { return fmt.Sprintf("%.1f", l.promisedMiss) })
	row("error of their learnt lead time, in days", func(l learnt) string { return fmt.Sprintf("%.1f", l.lateMiss) })
	row("error of the learnt lead time of others, in days", func(l learnt) string { return fmt.Sprintf("%.1f", l.punctualMiss) })
	row("spread of lead times that was learnt, in days", func(l learnt) string { return fmt.Sprintf("%.1f", l.spread) })
	row("true spread, in days", func(l learnt) string { return fmt.Sprintf("%.1f", l.trueSpread) })
	row("families with a season that get one", func(l learnt) string { return fmt.Sprintf("%d of %d", l.found, l.seasonal) })
	row("families without a season that get one", func(l learnt) string { return fmt.Sprintf("%d of %d", l.imagined, l.steady) })
	row("error of the season that is applied", func(l learnt) string { return fmt.Sprintf("%.3f", l.seasonMiss) })
	row("error if none were applied", func(l learnt) string { return fmt.Sprintf("%.3f", l.withoutSeasonMiss) })
}
