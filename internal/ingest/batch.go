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

// A batcher lets concurrent work share transactions. While one batch is being
// written, what arrives queues; the next batch takes what has queued. There is no
// timer that fills batches: something that comes alone is written at once, by its own
// goroutine.
//
// Each key has one lane, and a lane writes one batch at a time, so repeats of a key
// keep their order and two lanes never want the same row. A key is in a batch once;
// its repeats go first into the next.
//
// A lane holds under load, faults and floods: lane.go says how room and turns are shared
// among tenants; an entry that waited too long is refused and never written; a panic
// costs its own batch and nothing else.
type batcher[T any] struct {
	name  string // what the entries are, for logs and metrics
	lanes []*lane[T]
	seed  maphash.Seed
	log   *slog.Logger
	// flush writes a batch and returns what is left to do before its entries are
	// answered. The lane goes on with the next batch meanwhile.
	flush   func(batch []T) (answer func())
	running sync.WaitGroup
}

// lineKey says what must not be written twice in one batch.
type lineKey struct {
	tenant   uuid.UUID
	table    string
	identity string
}

// limits bound a lane.
type limits struct {
	records int           // how many entries may queue
	bytes   int64         // and how large they may be together
	wait    time.Duration // how long an entry may wait for its batch
	batch   int           // how many entries a batch holds
}

var (
	errFull = fault.New(fault.Unavailable, "overloaded", "temporarily unavailable")
	// errLate refuses a record that waited so long that its sender may have given up and
	// sent a newer one elsewhere. It is not stored later either.
	errLate = fault.New(fault.Unavailable, "waited_too_long", "temporarily unavailable")
)

// newBatcher returns a batcher of as many lanes as given, each within the limits.
func newBatcher[T any](name string, lanes int, within limits, log *slog.Logger, flush func([]T) func()) *batcher[T] {
	b := &batcher[T]{name: name, seed: maphash.MakeSeed(), log: log, flush: flush}
	for range lanes {
		b.lanes = append(b.lanes, newLane[T](within))
	}
	return b
}

// do has an item written and returns when it is written and answered. taken is when the
// work on it began, and size what it holds in memory. An error says that the item was not
// written, except after a panic: then nobody knows.
//
// Whoever finds the lane idle writes the first batch itself: then a lone item costs no
// switch of goroutines.
func (b *batcher[T]) do(key lineKey, size int, taken time.Time, item T) error {
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

// start writes the first batch of a lane that was idle, and leaves others to a goroutine.
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

// write writes a batch. The function that it returns answers the batch's entries: with
// an error if something panicked.
func (b *batcher[T]) write(batch []*entry[T]) (answer func()) {
	if len(batch) == 0 { // all that queued was late
		return func() {}
	}
	items := make([]T, len(batch))
	for i, e := range batch {
		items[i] = e.item
	}
	var rest func()
	err := b.contain(func() { rest = b.flush(items) })
	return func() {
		if err == nil {
			err = b.contain(rest)
		}
		for _, e := range batch {
			e.answer(err)
		}
	}
}

// contain turns a panic of do into an error and a line in the log. Neither holds the
// panic's value, unless it is the runtime's: it could quote a record.
func (b *batcher[T]) contain(do func()) (err error) {
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

// stalled is for how long a lane has taken no batch although something is queued in it:
// the longest such time of all lanes, or zero.
func (b *batcher[T]) stalled(now time.Time) (longest time.Duration) {
	for _, l := range b.lanes {
		longest = max(longest, l.stalled(now))
	}
	return longest
}

// close refuses what comes from now on and returns when what has queued is written
// and answered.
func (b *batcher[T]) close() {
	for _, l := range b.lanes {
		l.mu.Lock()
		l.closed = true
		l.mu.Unlock()
	}
	b.running.Wait()
}

// entry is an item that somebody waits for.
type entry[T any] struct {
	key  lineKey
	item T
	size int64
	due  time.Time // by when it must be in a batch
	done chan struct{}
	err  error // to be read when done
}

// answer tells whoever waits for the entry, which must be in no queue any more.
func (e *entry[T]) answer(err error) {
	e.err = err
	close(e.done)
}
