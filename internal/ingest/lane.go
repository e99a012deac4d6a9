package ingest

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

// A lane holds one queue for each tenant, and the tenants' turns.
//
// Room: a tenant may queue as much as is still free, in entries and in bytes. So the
// backlog of one tenant takes at most half of the lane, those of two a third each, and
// there is always room for a tenant without a backlog.
//
// Turns: tenants take turns, one entry at a time. A tenant that was alone in the lane
// lately may fill a batch. Otherwise its share of a batch is small, since larger batches
// take longer and delay the other tenants.
type lane[T any] struct {
	limits

	mu     sync.Mutex
	closed bool
	busy   bool // a goroutine writes batches until nothing is queued
	count  int
	size   int64
	moved  time.Time // when the last batch was taken, or the lane was last idle
	missed bool      // an entry was refused as late since then
	queues map[uuid.UUID]*queue[T]
	turns  ring[*queue[T]] // queues that are not empty, in the order of their turns
	spare  *queue[T]       // an empty queue for reuse

	// The tenants that used the lane in this generation and in the one before.
	users, formerUsers map[uuid.UUID]struct{}
	generation         time.Time // when it began

	watch    *time.Timer // refuses late entries
	watching bool        // whether the timer is set
}

const (
	// generationTime is how long a generation of users lasts. It is much longer than a
	// batch, so that a tenant that sends few records still counts.
	generationTime = time.Second
	// leastShare and mostShare bound one tenant's share of a batch while others use the
	// lane too. A batch of mostShare entries takes about twice as long as one of a single
	// entry.
	leastShare, mostShare = 4, 8
	// lateCheckInterval is how often a busy lane refuses late entries.
	lateCheckInterval = 100 * time.Millisecond
)

func newLane[T any](within limits) *lane[T] {
	l := &lane[T]{limits: within, queues: map[uuid.UUID]*queue[T]{}, users: map[uuid.UUID]struct{}{}}
	l.watch = time.AfterFunc(time.Hour, l.refuseAllLate)
	l.watch.Stop()
	return l
}

// share returns how many entries of a batch one tenant may fill.
func (l *lane[T]) share(now time.Time) int {
	if age := now.Sub(l.generation); age >= generationTime {
		if l.formerUsers = l.users; age >= 2*generationTime { // a whole generation without users
			l.formerUsers = nil
		}
		l.users, l.generation = map[uuid.UUID]struct{}{}, now
		for tenant := range l.queues {
			l.users[tenant] = struct{}{}
		}
	}
	users := max(len(l.users), len(l.formerUsers))
	if users <= 1 {
		return l.batch
	}
	return min(max(leastShare, l.batch/users), mostShare)
}

// queue holds the entries of one tenant, oldest first.
type queue[T any] struct {
	tenant  uuid.UUID
	entries ring[*entry[T]]
	size    int64
	taken   int         // entries in the batch that is being made
	held    []*entry[T] // repeats that go into the next batch
}

// hasRoom reports whether an entry of this size may join its tenant's queue, which is nil
// if the tenant has none. An empty lane takes an entry of any size.
func (l *lane[T]) hasRoom(q *queue[T], size int64) bool {
	free, freeBytes := l.records-l.count, l.bytes-l.size
	if q == nil {
		return free > 0 && (size <= freeBytes || l.count == 0)
	}
	return q.entries.len() < free && q.size+size <= freeBytes
}

// put queues an entry. If the lane was idle, the caller must run it; put has already added
// that to running.
func (l *lane[T]) put(e *entry[T], running *sync.WaitGroup) (idle bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[e.key.tenant]
	if l.closed || !l.hasRoom(q, e.size) {
		return false, errFull
	}
	if q == nil {
		q = l.newQueue(e.key.tenant)
	}
	q.entries.push(e)
	q.size += e.size
	l.count++
	l.size += e.size
	l.users[e.key.tenant] = struct{}{}
	if l.busy {
		return false, nil
	}
	l.busy, l.moved, l.missed = true, time.Now(), false
	if !l.watching {
		l.watching = true
		l.watch.Reset(lateCheckInterval)
	}
	running.Add(1)
	return true, nil
}

// newQueue gives a tenant a queue and a turn.
func (l *lane[T]) newQueue(tenant uuid.UUID) *queue[T] {
	q := l.spare
	if l.spare = nil; q == nil {
		q = &queue[T]{}
	}
	q.tenant = tenant
	l.queues[tenant] = q
	l.turns.push(q)
	return q
}

// more reports whether entries are queued. If not, the lane becomes idle.
func (l *lane[T]) more() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy = l.count > 0; !l.busy {
		l.missed = false
	}
	return l.busy
}

// stalled returns how long no batch was taken, if entries are queued or were refused as
// late meanwhile; otherwise zero.
func (l *lane[T]) stalled(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == 0 && !l.missed {
		return 0
	}
	return now.Sub(l.moved)
}

// queued returns the number and the total size of the queued entries.
func (l *lane[T]) queued() (entries int, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.size
}

// oldest returns how long the entry that waits longest has waited. Each queue is in the order of its entries' turns,
// which is the order of their times except for entries that were retried.
func (l *lane[T]) oldest(now time.Time) (waited time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.queues {
		if q.entries.len() > 0 {
			waited = max(waited, now.Sub(q.entries.first().due.Add(-l.wait)))
		}
	}
	return waited
}

// take returns the next batch, and refuses entries that waited too long. The batch is empty
// if all queued entries were late.
func (l *lane[T]) take() []*entry[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.moved, l.missed = now, false
	share := l.share(now)
	batch := make([]*entry[T], 0, min(l.count, l.batch))
	taken := make(map[rowKey]struct{}, cap(batch))
	var resting []*queue[T] // queues with only repeats left, or whose share is used up
	for looked := 0; len(batch) < l.batch && l.turns.len() > 0 && looked < 4*l.batch; looked++ {
		q := l.turns.shift()
		if e := l.next(q, now, taken); e != nil {
			taken[e.key] = struct{}{}
			batch = append(batch, e)
			q.taken++
		}
		if q.entries.len() > 0 && q.taken < share {
			l.turns.push(q)
		} else {
			resting = append(resting, q)
		}
	}
	for _, q := range resting {
		l.turns.push(q)
	}
	l.tidy()
	return batch
}

// next removes the first entry of a queue that is not late. It returns nil if there is
// none, or if that entry repeats a key of the batch; then it holds the entry back.
func (l *lane[T]) next(q *queue[T], now time.Time, taken map[rowKey]struct{}) *entry[T] {
	for q.entries.len() > 0 {
		e := q.entries.shift()
		if l.refuseLate(q, e, now) {
			continue
		}
		if _, repeat := taken[e.key]; repeat {
			q.held = append(q.held, e)
			return nil
		}
		l.release(q, e)
		return e
	}
	return nil
}

// refuseLate refuses an entry that was removed from its queue, if it is late.
func (l *lane[T]) refuseLate(q *queue[T], e *entry[T], now time.Time) bool {
	if now.Before(e.due) {
		return false
	}
	l.release(q, e)
	l.missed = true
	e.answer(errLate)
	return true
}

// release frees the room of an entry that was removed from its queue.
func (l *lane[T]) release(q *queue[T], e *entry[T]) {
	q.size -= e.size
	l.count--
	l.size -= e.size
}

// refuseAllLate refuses late entries and, while the lane is busy, sets the timer again. So callers
// get their answer in time even if a batch takes long.
func (l *lane[T]) refuseAllLate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for range l.turns.len() {
		q := l.turns.shift()
		for range q.entries.len() {
			if e := q.entries.shift(); !l.refuseLate(q, e, now) {
				q.entries.push(e)
			}
		}
		l.turns.push(q)
	}
	l.tidy()
	if l.watching = l.busy; l.busy {
		l.watch.Reset(lateCheckInterval)
	}
}

// tidy puts held repeats back at the front of their queues and removes empty queues.
func (l *lane[T]) tidy() {
	for range l.turns.len() {
		q := l.turns.shift()
		q.taken = 0
		for i := len(q.held) - 1; i >= 0; i-- {
			q.entries.unshift(q.held[i])
		}
		clear(q.held)
		q.held = q.held[:0]
		if q.entries.len() == 0 {
			delete(l.queues, q.tenant)
			l.spare = q
			continue
		}
		l.turns.push(q)
	}
}
