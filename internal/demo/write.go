package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/source"
)

// step is a group of records for one table, which may be written in any order.
type step struct {
	key     string // the label of the key that writes them
	slug    string
	name    string // what the records are, for the progress
	records []record
}

// what describes the step's records, of which some were created.
func (s step) what(created int) string {
	if created > 0 && created < len(s.records) {
		return fmt.Sprintf("%s, %d of them new", s.name, created)
	}
	return s.name
}

// record is a body and, if it must be refused, the code of the refusal.
type record struct {
	body    []byte
	refused string
}

// writers is the number of records written at once, so that they share transactions: enough for
// those that two lanes store, and for the next ones.
const writers = 384

// A busy service refuses records for a while. They are sent again, as every sender does.
const attempts, pause = 60, time.Second

// A step of at least manyRecords is counted in groups of countGroup, so that the tallies of a
// large shop take little memory.
const manyRecords, countGroup = 2000, 100

// writer writes steps and remembers the outcome of each record.
type writer struct {
	records *ingest.Service
	tallies []tally
}

// tally is the outcome of n records.
type tally struct {
	by      auth.Principal
	slug    string
	outcome source.Outcome
	n       int
}

// write writes a step's records, several at once, and returns how many were created. It fails
// if a record's outcome is not the expected one.
func (w *writer) write(ctx context.Context, by auth.Principal, s step) (created int, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var (
		next     atomic.Int64
		running  sync.WaitGroup
		outcomes = make([]source.Outcome, len(s.records))
		done     = make([]bool, len(s.records))
	)
	for range min(writers, len(s.records)) {
		running.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(s.records) {
					return
				}
				request := fmt.Sprintf("demo-%s-%d", s.slug, i+1)
				outcome, err := w.one(ctx, ingest.Record{By: by, Slug: s.slug, Body: s.records[i].body, RequestID: request},
					s.records[i].refused)
				if err != nil {
					stop(fmt.Errorf("%s: %w", request, err))
					return
				}
				outcomes[i], done[i] = outcome, true
			}
		})
	}
	running.Wait()
	counts := map[source.Outcome]int{}
	for i, outcome := range outcomes {
		if done[i] {
			counts[outcome]++
		}
	}
	w.remember(by, s, counts)
	return counts[source.Created], context.Cause(ctx)
}

// remember keeps the outcomes of a step.
func (w *writer) remember(by auth.Principal, s step, counts map[source.Outcome]int) {
	group := 1
	if len(s.records) >= manyRecords {
		group = countGroup
	}
	for _, outcome := range []source.Outcome{source.Failed, source.Stored, source.Created} {
		for left := counts[outcome]; left > 0; left -= group {
			w.tallies = append(w.tallies, tally{by, s.slug, outcome, min(left, group)})
		}
	}
}

// one writes one record and checks its outcome. It tries again while the service is too busy.
func (w *writer) one(ctx context.Context, r ingest.Record, refused string) (source.Outcome, error) {
	outcome, err := w.records.Write(ctx, r)
	for tried := 1; fault.Is(err, fault.Unavailable) && tried < attempts; tried++ {
		select {
		case <-ctx.Done():
			return source.Failed, err
		case <-time.After(pause):
			outcome, err = w.records.Write(ctx, r)
		}
	}
	switch {
	case refused != "" && fault.Is(err, fault.Invalid) && fault.HasCode(err, refused):
		return source.Failed, nil
	case err != nil:
		return source.Failed, err
	case refused != "":
		return source.Failed, errors.New("the record should have been refused: " + refused)
	case len(outcome.Dropped) > 0:
		return source.Failed, fmt.Errorf("the table does not take %q", outcome.Dropped)
	case outcome.Result == ingest.Created:
		return source.Created, nil
	}
	return source.Stored, nil
}

// moment is a tally with the time at which the meter counts it.
type moment struct {
	tally
	at time.Time
}

// count reports the records to the meter, each once, as if they had arrived over the last day.
// A shop is busy in the evening, other systems in office hours.
func (w *writer) count(meter *source.Meter, now time.Time) {
	bySlug := map[string][]tally{}
	for _, t := range w.tallies {
		bySlug[t.slug] = append(bySlug[t.slug], t)
	}
	var moments []moment
	for slug, tallies := range bySlug {
		moments = append(moments, spread(slug, tallies, now)...)
	}
	// Sorted by time: the meter takes the last call of an hour as the latest.
	slices.SortStableFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	for _, m := range moments {
		for range m.n {
			meter.Record(m.by, m.slug, m.outcome, m.at)
			meter.Call(m.by, address(m.by), m.at)
		}
	}
	w.tallies = nil
}

// address returns the IP address from which a key is used.
func address(by auth.Principal) string {
	switch by.Scope {
	case "orders":
		return "192.0.2.24"
	case auth.AllTables:
		return "203.0.113.41"
	}
	return "198.51.100.7"
}

// spread gives a table's tallies times within the hours that figures cover.
func spread(slug string, tallies []tally, now time.Time) []moment {
	const slots = source.Hours - 1
	chance := dice("figures of " + slug)
	start := now.Add(-slots * time.Hour)
	weights := make([]float64, slots)
	for i := range weights {
		hour := start.Add(time.Duration(i) * time.Hour).Hour()
		weights[i] = activity(slug, hour) * (0.6 + 0.8*chance.Float64())
	}
	chance.Shuffle(len(tallies), func(i, j int) { tallies[i], tallies[j] = tallies[j], tallies[i] })
	var moments []moment
	slot, below, all := 0, 0.0, sum(weights)
	for i, t := range tallies {
		at := (float64(i) + 0.5) / float64(len(tallies)) * all
		for slot < slots-1 && at >= below+weights[slot] {
			below += weights[slot]
			slot++
		}
		into := (at - below) / weights[slot]
		moments = append(moments, moment{t, start.Add(time.Duration((float64(slot) + min(into, 1)) * float64(time.Hour)))})
	}
	return moments
}

// activity returns how busy a table is in an hour of the day.
func activity(slug string, hour int) float64 {
	switch office := hour >= 7 && hour < 17; slug {
	case "orders", "order_line_items", "customers":
		return []float64{3, 2, 1, 1, 1, 2, 4, 7, 9, 10, 11, 12, 12, 10, 9, 9, 10, 13, 17, 21, 20, 15, 9, 5}[hour]
	default:
		if office {
			return 10
		}
		return 1
	}
}
