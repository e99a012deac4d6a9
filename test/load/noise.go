package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	leastRounds = 5    // fewer do not show how much rounds differ
	smallSpread = 0.25 // a figure with at most this spread is steady
	sureness    = 0.9  // probability that the true median lies in the interval
	mostSteal   = 0.05 // share of processor time that other machines took
	mostDrift   = 2.0  // ratio of the slowest to the fastest synced write, by rounds' medians
)

// series are the rounds of one figure, in the order in which they were measured.
type series []float64

func (s series) median() float64 {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[len(sorted)/2]
}

// p95 is exceeded by one round of twenty.
func (s series) p95() float64 {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, len(sorted)*95/100)]
}

// interval contains the figure's true median with a probability of at least sureness, however
// the rounds are distributed: each round is below the median as often as above. With fewer
// than five rounds no interval is that sure, and it covers all values.
func (s series) interval() (low, high float64) {
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted)
	cut, outside, ways, all := 0, 0.0, 1.0, 1.0
	for range n {
		all *= 2
	}
	for k := range n / 2 { // probability of at most k rounds on one side
		outside += 2 * ways / all
		if outside > 1-sureness {
			break
		}
		cut = k
		ways = ways * float64(n-k) / float64(k+1)
	}
	return sorted[cut], sorted[n-1-cut]
}

// spread is the interval's width relative to the median. More rounds make it smaller.
func (s series) spread() float64 {
	low, high := s.interval()
	return (high - low) / s.median()
}

// verdict is the result of comparing a figure with a limit.
type verdict string

const (
	reached   verdict = "reached"
	missed    verdict = "MISSED"
	notJudged verdict = "not judged"
)

// judge compares a figure with a limit, which it must not be below, or must not be above. A
// figure is not judged if the machine was too restless, if its rounds differ too much, or if
// they lie on both sides of the limit; why says which.
func judge(s series, limit float64, below bool, restless string) (v verdict, why string) {
	low, high := s.interval()
	switch {
	case restless != "":
		return notJudged, restless
	case len(s) < leastRounds:
		return notJudged, fmt.Sprintf("only %d rounds", len(s))
	case s.spread() > smallSpread:
		return notJudged, fmt.Sprintf("noisy: %.2f to %.2f", low, high)
	case below && high <= limit, !below && low >= limit:
		return reached, ""
	case below && low > limit, !below && high < limit:
		return missed, ""
	}
	return notJudged, fmt.Sprintf("too close: %.2f to %.2f", low, high)
}

// plan says how many rounds are taken.
type plan struct {
	least, most int
	budget      time.Duration // beyond the least number, no round begins after it
}

// more reports whether another round is needed: there are too few, or a figure that matters is
// not steady yet.
func (p plan) more(done int, spent time.Duration, rounds map[string]series, matter []string) bool {
	if done < p.least {
		return true
	}
	if done >= p.most || spent >= p.budget {
		return false
	}
	return slices.ContainsFunc(matter, func(name string) bool { return rounds[name].spread() > smallSpread })
}

// conditions are the machine's state during the rounds.
type conditions struct {
	syncs  series // a synced write in ms, before and after each round
	steals series // share of each round's processor time
	memory bool   // the data directory is in memory: syncing costs nothing
}

// restless returns why no figure of these rounds can be judged, or an empty text.
func (c conditions) restless() string {
	if len(c.syncs) == 0 {
		return ""
	}
	fastest, slowest := slices.Min(c.syncs), slices.Max(c.syncs)
	switch {
	case c.steals.median() > mostSteal:
		return fmt.Sprintf("others took %.0f %% of the processors", 100*c.steals.median())
	case !c.memory && slowest > mostDrift*fastest && slowest > 1:
		return fmt.Sprintf("synced writes took %.1f to %.1f ms", fastest, slowest)
	}
	return ""
}

func (c conditions) String() string {
	if len(c.syncs) == 0 {
		return "not measured"
	}
	where := "on disk"
	if c.memory {
		where = "in memory"
	}
	return fmt.Sprintf("data %s; a synced write %.2f ms before the first round, %.2f ms after the last, %.2f to %.2f ms between; steal %.1f %%",
		where, c.syncs[0], c.syncs[len(c.syncs)-1], slices.Min(c.syncs), slices.Max(c.syncs), 100*c.steals.median())
}

// ticks are the processors' times in /proc/stat.
type ticks struct{ all, stolen float64 }

// parseTicks reads the first line of /proc/stat: user, nice, system, idle, iowait, irq,
// softirq, steal, and guests, which are included in user.
func parseTicks(stat string) (t ticks, err error) {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return ticks{}, fmt.Errorf("/proc/stat begins with %q", line)
	}
	for i, field := range fields[1:9] {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return ticks{}, err
		}
		t.all += n
		if i == 7 {
			t.stolen = n
		}
	}
	return t, nil
}

// steal returns the share of processor time that other machines took since before.
func (t ticks) steal(before ticks) float64 {
	if t.all <= before.all {
		return 0
	}
	return (t.stolen - before.stolen) / (t.all - before.all)
}
