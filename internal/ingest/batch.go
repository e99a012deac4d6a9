package ingest

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
)

// A batcher lets concurrent writers share transactions. While a lane writes one batch,
// new entries queue; the next batch takes what has queued. No timer fills batches: an
// entry that arrives at an idle lane is written at once, by its own goroutine.
//
// Each key belongs to one lane, and a lane writes one batch at a time, so repeats of a key
// keep their order and two lanes never write the same row. A batch holds a key once; its
// repeats are the first entries of the next batch.
//
// Lanes stay fair and available under load: lane.go describes how tenants share room and
// turns; an entry that waited too long is refused and never written; a panic fails its own
// batch only.
type batcher[T any] struct {
	name  string // what the entries are, for logs and metrics
	lanes []*lane[T]
	seed  maphash.Seed
	log   *slog.Logger
	// flush writes a batch and returns the work that remains before its entries are
	// answered. The lane writes the next batch meanwhile.
	flush   func(batch []T) (answer func())
	running sync.WaitGroup
}

// rowKey identifies a row. A batch holds each key at most once.
type rowKey struct {
	tenant   uuid.UUID
	table    string
	identity string
}

// limits bound a lane.
type limits struct {
	records int           // entries that may queue
	bytes   int64         // total size of the entries that may queue
	wait    time.Duration // how long an entry may wait for its batch
	batch   int           // entries that a batch may hold
}

var (
	errFull = fault.New(fault.Unavailable, "overloaded", "temporarily unavailable")
	// errLate refuses a record that waited too long: its sender may have given up and sent
	// a newer one. The record is not stored later either.
	errLate = fault.New(fault.Unavailable, "waited_too_long", "temporarily unavailable")
)

// newBatcher returns a batcher with that many lanes, each within the limits.
func newBatcher[T any](name string, lanes int, within limits, log *slog.Logger, flush func([]T) func()) *batcher[T] {
	b := &batcher[T]{name: name, seed: maphash.MakeSeed(), log: log, flush: flush}
	for range lanes {
		b.lanes = append(b.lanes, newLane[T](within))
	}
	return b
}

// do writes an item through its lane and returns when it is written and answered. taken is
// when the request began, and size the item's size in memory. An error means that the item
// was not written, except after a panic: then it may have been.
//
// A caller that finds the lane idle writes the first batch itself, which saves a switch of
// goroutines.
func (b *batcher[T]) do(key rowKey, size int, taken time.Time, item T) error {
	l := b.lanes[maphash.Comparable(b.seed, key)%uint64(len(b.lanes))]
	e := &entry[T]{key: key, item: item, size: int64(size), due: taken.Add(l.wait), done: make(chan struct{})}
	idle, err := l.put(e, &b.running)
	if err != nil {
		return err
	}
	if idle {
		b.start(l)
	}
	<-e.done
	return e.err
}

// start writes the first batch of a lane that was idle, and starts a goroutine for the rest.
func (b *batcher[T]) start(l *lane[T]) {
	defer b.running.Done()
	answer := b.write(l.take())
	if l.more() {
		b.running.Go(func() { b.run(l) })
	}
	answer()
}

// run writes batches until nothing is queued.
func (b *batcher[T]) run(l *lane[T]) {
	for {
		b.running.Go(b.write(l.take()))
		if !l.more() {
			return
		}
	}
}

// write writes a batch and returns a function that answers its entries, with an error if
// something panicked.
func (b *batcher[T]) write(batch []*entry[T]) (answer func()) {
	if len(batch) == 0 { // all queued entries were late
		return func() {}
	}
	items := make([]T, len(batch))
	for i, e := range batch {
		items[i] = e.item
	}
	var rest func()
	err := b.recoverPanic(func() { rest = b.flush(items) })
	return func() {
		if err == nil {
			err = b.recoverPanic(rest)
		}
		for _, e := range batch {
			e.answer(err)
		}
	}
}

// recoverPanic runs do, and logs a panic and returns it as an error. Neither holds the panic's
// value, which could quote a record, unless it is a runtime.Error.
func (b *batcher[T]) recoverPanic(do func()) (err error) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		err = fmt.Errorf("panic while writing %s: %T", b.name, value)
		if known, ok := value.(runtime.Error); ok {
			err = fmt.Errorf("panic while writing %s: %w", b.name, known)
		}
		b.log.ErrorContext(context.Background(), "a batch panicked", "queue", b.name, "err", err, "stack",
			string(debug.Stack()))
	}()
	do()
	return nil
}

// stalled returns how long a lane with queued entries has taken no batch: the longest such
// time of all lanes, or zero.
func (b *batcher[T]) stalled(now time.Time) (longest time.Duration) {
	for _, l := range b.lanes {
		longest = max(longest, l.stalled(now))
	}
	return longest
}

// close refuses new entries and returns when the queued ones are written and answered.
func (b *batcher[T]) close() {
	for _, l := range b.lanes {
		l.mu.Lock()
		l.closed = true
		l.mu.Unlock()
	}
	b.running.Wait()
}

// entry is a queued item, whose caller waits for its answer.
type entry[T any] struct {
	key  rowKey
	item T
	size int64
	due  time.Time // when it becomes late, unless a batch has taken it
	done chan struct{}
	err  error // valid once done is closed
}

// answer wakes the caller of an entry that was removed from its queue.
func (e *entry[T]) answer(err error) {
	e.err = err
	close(e.done)
}
