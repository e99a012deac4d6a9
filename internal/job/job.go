// Package job is the one way to work through many items in the background: the records
// of a file, failed imports to retry, whatever comes.
//
// A run works for one Slice and then hands over to a later run, here or in another process.
// Items go out in batches, several at once; items with the same order key go out one after the
// other, in the order in which Next returned them. After each batch one call notes what became of
// it. A process may die at any point, and two may work on the same job at once: what Note counts
// is counted once, because Note compares what it found with what the run had begun from, and
// because a later run asks Next for everything that was not noted.
//
// The package knows nothing of what the items are, nor of PostgreSQL.
package job

import (
	"context"
	"errors"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

const (
	// Slice is how long a run works before it hands over. pg ends a run that takes much longer.
	Slice = 20 * time.Second
	// Concurrent is how many items are delivered at once: enough to fill ingest's batches.
	Concurrent = 16
	// Faults is how often a user should deliver an item that meets faults of ours before
	// giving it up.
	Faults = 3

	noteTimeout  = 20 * time.Second
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// ErrOvertaken is what Note returns when another run has noted something since this run
// began its batch. The run then leaves the job to the other.
var ErrOvertaken = errors.New("another process works on this job")

// State is how a job stands.
type State int

// The states.
const (
	Ended      State = iota // or never was: there is nothing to do
	Open                    // there may be more to do
	Cancelling              // somebody wants it to stop
)

// End is how a job ends.
type End int

// The ends.
const (
	Done End = iota
	Cancelled
	Broken // it cannot go on; a message says why
)

// Work is one job as its user describes it. I is an item.
type Work[I any] interface {
	// Begin reads how the job stands, and marks it as running. It is called before each batch.
	Begin(ctx context.Context) (State, error)

	// Next returns the next items that are not done, in their order. None means that all are.
	Next(ctx context.Context) ([]I, error)

	// Order returns an item's order key. Items with the same key are never delivered at the
	// same time, nor after one that Next returned behind them. Empty means no order.
	Order(item I) string

	// Deliver does what is to be done with one item and keeps the result in it. done is false
	// when the item should be tried again after a pause; attempt counts from 1. An error
	// ends the run: no other item would do better.
	Deliver(ctx context.Context, item I, attempt int) (done bool, err error)

	// Note writes down what became of a batch and how far the job is, in one transaction.
	// done tells for each item whether it was delivered. ctx outlives a process that is asked
	// to stop.
	Note(ctx context.Context, items []I, done []bool) error

	// End ends the job. One that has ended stays as it is.
	End(ctx context.Context, how End, message string) error
}

// hopeless is why a job cannot go on, in words for people.
type hopeless string

func (h hopeless) Error() string { return string(h) }

// Hopeless returns an error that ends the job as Broken with this message, whichever
// method of Work returns it.
func Hopeless(message string) error { return hopeless(message) }

// Final returns an error that ends the job as Broken if err is a refusal, which would be the same
// the next time. Internal errors and those that pass are returned as they are.
func Final(err error) error {
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Kind == fault.Internal || refused.Kind == fault.Unavailable {
		return err
	}
	return hopeless(refused.Message)
}

// Run works on a job for one Slice and says whether there is more to do. After an error it
// should be called again later.
func Run[I any](ctx context.Context, work Work[I]) (more bool, err error) {
	more, err = run(ctx, work)
	var why hopeless
	switch {
	case errors.Is(err, ErrOvertaken):
		return false, nil
	case err == nil, ctx.Err() != nil:
		return more || ctx.Err() != nil, nil
	case errors.As(err, &why):
		return false, work.End(ctx, Broken, string(why))
	}
	return false, err
}

func run[I any](ctx context.Context, work Work[I]) (more bool, err error) {
	var until time.Time
	for ctx.Err() == nil && (until.IsZero() || time.Now().Before(until)) {
		state, err := work.Begin(ctx)
		switch {
		case err != nil || state == Ended:
			return false, err
		case state == Cancelling:
			return false, work.End(ctx, Cancelled, "")
		}
		if until.IsZero() { // the first Begin may take long: a file is read up to where the job stands
			until = time.Now().Add(Slice)
		}
		items, err := work.Next(ctx)
		switch {
		case err != nil:
			return false, err
		case len(items) == 0:
			return false, work.End(ctx, Done, "")
		}
		b := batch[I]{work: work, items: items, done: make([]bool, len(items)), until: until}
		b.deliver(ctx)
		if err := b.note(ctx); err != nil || b.err != nil {
			return false, errors.Join(err, b.err)
		}
		if b.stopped {
			return true, nil
		}
	}
	return true, nil
}

// batch is some items on their way.
type batch[I any] struct {
	work  Work[I]
	items []I
	done  []bool
	until time.Time

	mu      sync.Mutex
	stopped bool  // an item was not delivered
	err     error // the first one that ended the run
}

var laneSeed = maphash.MakeSeed()

// deliver sends the items out in lanes, each of which keeps its order. It returns early when
// the time is up or the process is to stop.
func (b *batch[I]) deliver(ctx context.Context) {
	var lanes [Concurrent][]int
	for i, item := range b.items {
		lane := i % Concurrent
		if key := b.work.Order(item); key != "" {
			lane = int(maphash.String(laneSeed, key) % Concurrent)
		}
		lanes[lane] = append(lanes[lane], i)
	}
	var working sync.WaitGroup
	for _, lane := range lanes {
		working.Go(func() {
			for _, i := range lane {
				if b.done[i] = b.one(ctx, b.items[i]); !b.done[i] {
					return // items behind it may have its key
				}
			}
		})
	}
	working.Wait()
}

// one delivers an item and says whether it is done.
func (b *batch[I]) one(ctx context.Context, item I) bool {
	for attempt := 1; ctx.Err() == nil && !b.failed(); attempt++ {
		done, err := b.work.Deliver(ctx, item, attempt)
		if done {
			return true
		}
		if err != nil {
			b.stop(err)
			return false
		}
		if time.Now().After(b.until) || !pause(ctx, attempt) {
			break
		}
	}
	b.stop(nil)
	return false
}

func (b *batch[I]) failed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err != nil
}

func (b *batch[I]) stop(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	if b.err == nil {
		b.err = err
	}
}

// note writes the batch down. What was delivered is delivered, whether or not the process is
// to stop.
func (b *batch[I]) note(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	return b.work.Note(ctx, b.items, b.done)
}

// pause waits before another attempt, longer each time, and returns false at once when the
// process is to stop.
func pause(ctx context.Context, attempt int) bool {
	full := min(longestPause, firstPause<<min(attempt-1, 10))
	timer := time.NewTimer(full/2 + rand.N(full/2+1)) //nolint:gosec // jitter needs no secrecy
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
