// Package job works through many items in the background, such as the records of a file or
// failed imports to retry.
//
// A run works for one Turn and then hands over to a later run, here or in another process.
// Items are delivered in batches, several at once; items with the same order key are
// delivered one after the other, in the order in which Next returned them. After each batch
// one call of Note records the results. A process may die at any point, and two may work on
// the same job: every result is counted once, because Note compares the job's progress with
// that at the start of the batch, and because Next returns everything that was not noted.
//
// The package does not depend on what the items are, nor on PostgreSQL.
package job

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

const (
	// Slice is the longest Turn of a run. Package pg ends a run that takes much longer.
	Slice = 20 * time.Second
	// Concurrent is how many items are delivered at once: enough to fill ingest's batches.
	Concurrent = 16
	// Faults is how often an implementation of Work should deliver an item that meets
	// internal errors before it gives the item up.
	Faults = 3

	noteTimeout  = 20 * time.Second
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// ErrOvertaken is what Note returns when another run has noted something since this run
// began its batch. The run then leaves the job to the other.
var ErrOvertaken = errors.New("another process works on this job")

// State is the state of a job.
type State int

// The states.
const (
	Ended      State = iota // ended, or unknown: there is nothing to do
	Open                    // there may be more to do
	Cancelling              // somebody has cancelled it
)

// End is how a job ends.
type End int

// The ends.
const (
	Done End = iota
	Cancelled
	Broken // it cannot continue; a message says why
)

// Work is implemented by the packages that have jobs. I is an item.
type Work[I any] interface {
	// Begin reads the job's state, and marks it as running. It is called before each batch.
	Begin(ctx context.Context) (State, error)

	// Next returns the next items that are not done, in their order. None means that all are.
	Next(ctx context.Context) ([]I, error)

	// Order returns an item's order key. Items with the same key are never delivered at the
	// same time, nor after one that Next returned behind them. Empty means no order.
	Order(item I) string

	// Deliver processes one item and keeps the result in it. done is false if the item should
	// be tried again after a pause; attempt counts from 1. An error ends the run: every other
	// item would fail in the same way.
	Deliver(ctx context.Context, item I, attempt int) (done bool, err error)

	// Note records the results of a batch and the job's progress, in one transaction. done
	// tells for each item whether it was delivered. ctx is not cancelled when the process is
	// asked to stop.
	Note(ctx context.Context, items []I, done []bool) error

	// End ends the job. One that has ended stays as it is.
	End(ctx context.Context, how End, message string) error
}

// hopeless is the reason why a job cannot continue, for people to read.
type hopeless string

func (h hopeless) Error() string { return string(h) }

// Hopeless returns an error that ends the job as Broken with this message, whichever
// method of Work returns it.
func Hopeless(message string) error { return hopeless(message) }

// Final returns an error that ends the job as Broken if err is a refusal, which would be the same
// the next time. Internal errors and those that pass are returned as they are.
func Final(err error) error {
	if refused := fault.Refusal(err); refused != nil {
		return hopeless(refused.Message)
	}
	return err
}

// Run works on a job for one Turn and reports whether there is more to do. After an error
// it should be called again later.
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
	var turn Turn
	for ctx.Err() == nil && !turn.Over(ctx) {
		state, err := work.Begin(ctx)
		switch {
		case err != nil || state == Ended:
			return false, err
		case state == Cancelling:
			return false, work.End(ctx, Cancelled, "")
		}
		if turn == (Turn{}) { // after the first Begin, which may have to read a file up to the job's position
			turn = BeginTurn()
		}
		items, err := work.Next(ctx)
		switch {
		case err != nil:
			return false, err
		case len(items) == 0:
			return false, work.End(ctx, Done, "")
		}
		b := batch[I]{work: work, items: items, done: make([]bool, len(items)), turn: turn}
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

// batch is a group of items that are being delivered.
type batch[I any] struct {
	work  Work[I]
	items []I
	done  []bool
	turn  Turn

	mu      sync.Mutex
	stopped bool  // an item was not delivered
	err     error // the first one that ended the run
}

// deliver delivers the items in lanes, each of which keeps its order. It returns early when
// the time is up or the process is to stop. Lanes are given to keys in turn, so that keys share
// one, and wait for each other, only if there are more keys than lanes.
func (b *batch[I]) deliver(ctx context.Context) {
	var lanes [Concurrent][]int
	laneOf, next := map[string]int{}, 0
	for i, item := range b.items {
		key := b.work.Order(item)
		lane, known := laneOf[key]
		if key == "" || !known {
			lane = next % Concurrent
			laneOf[key] = lane
			next++
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

// one delivers an item and reports whether it is done.
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
		if b.turn.Over(ctx) || !pause(ctx, attempt) {
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

// note records the batch, even if the process is to stop.
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
