package ingest

import (
	"hash/maphash"
	"sync"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
)

// A batcher lets concurrent work share transactions. While one batch is being
// written, what arrives queues; the next batch takes what has queued. There is no
// timer: something that comes alone is written at once, by its own goroutine.
//
// Each key has one lane, and a lane writes one batch at a time, so repeats of a key
// keep their order and two lanes never want the same row. A key is in a batch once;
// its repeats go first into the next. Tenants take turns, and none fills more of a batch
// than its share among those who have lately used the lane: one tenant's flood makes
// neither the queue nor the batch longer that the others wait for.
type batcher[T any] struct {
	lanes []*lane[T]
	seed  maphash.Seed
	// flush writes a batch and returns what is left to do, which need not be done
	// before the lane goes on with the next batch.
	flush   func(batch []T) (answer func())
	running sync.WaitGroup
}

// lineKey says what must not be written twice in one batch.
type lineKey struct {
	tenant   uuid.UUID
	table    string
	identity string
}

var errFull = fault.New(fault.Unavailable, "overloaded", "temporarily unavailable")

// newBatcher returns a batcher. capacity bounds what may queue in each lane, most how
// much a batch holds.
func newBatcher[T any](lanes, capacity, most int, flush func([]T) func()) *batcher[T] {
	b := &batcher[T]{seed: maphash.MakeSeed(), flush: flush}
	for range lanes {
		b.lanes = append(b.lanes, &lane[T]{capacity: capacity, most: most, queues: map[uuid.UUID]*queue[T]{}, users: map[uuid.UUID]struct{}{}})
	}
	return b
}

// put queues an item in its key's lane and sees to it that the lane is at work. A
// full or closing lane refuses at once. Whoever finds the lane idle writes the first
// batch itself: then a lone item costs no switch of goroutines.
func (b *batcher[T]) put(key lineKey, item T) error {
	l := b.lane(key)
	idle, err := l.put(entry[T]{key, item}, &b.running)
	if err != nil || !idle {
		return err
	}
	defer b.running.Done()
	answer := b.flush(l.take())
	if l.more() {
		b.running.Go(func() { b.run(l) })
	}
	answer()
	return nil
}

// hand is put for a caller that has no time to write the batch itself.
func (b *batcher[T]) hand(key lineKey, item T) error {
	l := b.lane(key)
	idle, err := l.put(entry[T]{key, item}, &b.running)
	if idle {
		go func() {
			defer b.running.Done()
			b.run(l)
		}()
	}
	return err
}

// lane is the lane of a key.
func (b *batcher[T]) lane(key lineKey) *lane[T] {
	return b.lanes[maphash.Comparable(b.seed, key)%uint64(len(b.lanes))]
}

// run writes batches until nothing is queued.
func (b *batcher[T]) run(l *lane[T]) {
	for {
		b.running.Go(b.flush(l.take()))
		if !l.more() {
			return
		}
	}
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

type entry[T any] struct {
	key  lineKey
	item T
}

// lane is a queue per tenant and the tenants' turns.
type lane[T any] struct {
	capacity, most int

	mu     sync.Mutex
	closed bool
	busy   bool // somebody writes batches until nothing is queued
	size   int
	queues map[uuid.UUID]*queue[T]
	turns  []*queue[T] // tenants with something queued, the next one first

	// Who has used the lane in the last batches, in two generations.
	users, formerUsers map[uuid.UUID]struct{}
	batches            int
}

const (
	generation = 32 // batches
	leastShare = 4  // of a batch
)

// share is how much of a batch one tenant may fill.
func (l *lane[T]) share() int {
	if l.batches++; l.batches%generation == 0 {
		l.users, l.formerUsers = map[uuid.UUID]struct{}{}, l.users
	}
	return max(leastShare, l.most/max(1, len(l.users), len(l.formerUsers)))
}

// queue is what one tenant has queued, oldest first.
type queue[T any] struct {
	tenant  uuid.UUID
	entries []entry[T]
	next    int        // entries before it were taken
	taken   int        // into the batch that is being made
	held    []entry[T] // repeats, for the next batch
}

// put queues an entry. When the lane was idle it is now the caller's to run, and
// counts as running.
func (l *lane[T]) put(e entry[T], running *sync.WaitGroup) (idle bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.size >= l.capacity {
		return false, errFull
	}
	q := l.queues[e.key.tenant]
	if q == nil {
		q = &queue[T]{tenant: e.key.tenant}
		l.queues[e.key.tenant] = q
		l.turns = append(l.turns, q)
	}
	q.entries = append(q.entries, e)
	l.size++
	l.users[e.key.tenant] = struct{}{}
	if l.busy {
		return false, nil
	}
	l.busy = true
	running.Add(1)
	return true, nil
}

// more says whether something is queued. If not, the lane is idle from now on.
func (l *lane[T]) more() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = l.size > 0
	return l.busy
}

// take returns the next batch of a lane in which something is queued.
func (l *lane[T]) take() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch := make([]T, 0, min(l.size, l.most))
	taken := make(map[lineKey]struct{}, cap(batch))
	share := l.share()
	var resting []*queue[T] // nothing left but repeats, or enough taken
	for looked := 0; len(batch) < l.most && len(l.turns) > 0 && looked < 4*l.most; looked++ {
		q := l.turns[0]
		l.turns = l.turns[1:]
		e := q.entries[q.next]
		q.entries[q.next] = entry[T]{}
		q.next++
		if _, repeat := taken[e.key]; repeat {
			q.held = append(q.held, e)
		} else {
			taken[e.key] = struct{}{}
			batch = append(batch, e.item)
			q.taken++
		}
		if q.next < len(q.entries) && q.taken < share {
			l.turns = append(l.turns, q)
		} else {
			resting = append(resting, q)
		}
	}
	l.size -= len(batch)
	l.turns = append(l.turns, resting...)
	l.tidy()
	return batch
}

// tidy puts repeats back in front of their queues and forgets tenants that have
// nothing queued.
func (l *lane[T]) tidy() {
	busy := l.turns[:0]
	for _, q := range l.turns {
		q.taken = 0
		if len(q.held) > 0 {
			q.entries = append(q.held, q.entries[q.next:]...)
			q.held, q.next = nil, 0
		}
		if q.next == len(q.entries) {
			delete(l.queues, q.tenant)
			continue
		}
		busy = append(busy, q)
	}
	clear(l.turns[len(busy):])
	l.turns = busy
}
