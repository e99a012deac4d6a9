package ingest

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

// A lane is a queue for each tenant and the tenants' turns.
//
// Room: a tenant may queue as much as is still free, in entries and in bytes. So one
// tenant's backlog ends at half of the lane, that of two at a third each, and however
// many have one, there is room for a tenant that has none.
//
// Turns: tenants take turns, one entry at a time. A tenant that had the lane to itself
// lately may fill a batch. Otherwise its part of a batch is small, since a batch takes
// longer the more it holds, and others wait for it to end.
type lane[T any] struct {
	limits

	mu     sync.Mutex
	closed bool
	busy   bool // somebody writes batches until nothing is queued
	count  int
	size   int64
	moved  time.Time // when the last batch was taken, or the lane was last idle
	missed bool      // something queued since then was refused as late
	queues map[uuid.UUID]*queue[T]
	turns  ring[*queue[T]] // tenants with something queued, the next one first
	spare  *queue[T]       // an empty one, to be used again

	// Who has used the lane lately: in this generation and in the one before.
	users, formerUsers map[uuid.UUID]struct{}
	generation         time.Time // when it began

	watch    *time.Timer // looks for late entries
	watching bool        // it is set
}

const (
	// generationTime is how long a generation of users lasts. It is much longer than a
	// batch: a tenant that sends a record now and then still counts.
	generationTime = time.Second
	// leastShare and mostShare bound one tenant's part of a batch when others use the
	// lane too. A batch of mostShare entries costs about twice as much as one of a
	// single entry.
	leastShare, mostShare = 4, 8
	// lookTime is how often a busy lane looks for late entries.
	lookTime = 100 * time.Millisecond
)

func newLane[T any](within limits) *lane[T] {
	l := &lane[T]{limits: within, queues: map[uuid.UUID]*queue[T]{}, users: map[uuid.UUID]struct{}{}}
	l.watch = time.AfterFunc(time.Hour, l.look)
	l.watch.Stop()
	return l
}

// share is how much of a batch one tenant may fill.
func (l *lane[T]) share(now time.Time) int {
	if age := now.Sub(l.generation); age >= generationTime {
		if l.formerUsers = l.users; age >= 2*generationTime { // nobody used the lane for long
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

// queue is what one tenant has queued, oldest first.
type queue[T any] struct {
	tenant  uuid.UUID
	entries ring[*entry[T]]
	size    int64
	taken   int         // into the batch that is being made
	held    []*entry[T] // repeats, for the next batch
}

// hasRoom says whether an entry of this size may queue behind what its tenant has queued,
// which may be nothing. A lone entry always may, whatever its size.
func (l *lane[T]) hasRoom(q *queue[T], size int64) bool {
	free, freeBytes := l.records-l.count, l.bytes-l.size
	if q == nil {
		return free > 0 && (size <= freeBytes || l.count == 0)
	}
	return q.entries.len() < free && q.size+size <= freeBytes
}

// put queues an entry. When the lane was idle it is now the caller's to run, and
// counts as running.
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
		l.watch.Reset(lookTime)
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

// more says whether something is queued. If not, the lane is idle from now on.
func (l *lane[T]) more() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy = l.count > 0; !l.busy {
		l.missed = false
	}
	return l.busy
}

// stalled is for how long no batch was taken although something is queued, or was until
// it was refused as late; otherwise zero.
func (l *lane[T]) stalled(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == 0 && !l.missed {
		return 0
	}
	return now.Sub(l.moved)
}

// queued is what waits in the lane.
func (l *lane[T]) queued() (entries int, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.size
}

// take returns the next batch, and refuses entries that waited too long. The batch is
// empty when nothing else was queued.
func (l *lane[T]) take() []*entry[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.moved, l.missed = now, false
	share := l.share(now)
	batch := make([]*entry[T], 0, min(l.count, l.batch))
	taken := make(map[lineKey]struct{}, cap(batch))
	var resting []*queue[T] // nothing left but repeats, or enough taken
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

// next removes the first entry of a queue that is not late. It returns nil when that
// entry is a repeat of what was taken, which is then held, or when there is none.
func (l *lane[T]) next(q *queue[T], now time.Time, taken map[lineKey]struct{}) *entry[T] {
	for q.entries.len() > 0 {
		e := q.entries.shift()
		if l.refuseLate(q, e, now) {
			continue
		}
		if _, repeat := taken[e.key]; repeat {
			q.held = append(q.held, e)
			return nil
		}
		l.forget(q, e)
		return e
	}
	return nil
}

// refuseLate answers an entry that was removed from its queue, if it is late.
func (l *lane[T]) refuseLate(q *queue[T], e *entry[T], now time.Time) bool {
	if now.Before(e.due) {
		return false
	}
	l.forget(q, e)
	l.missed = true
	e.answer(errLate)
	return true
}

// forget frees the room of an entry that was removed from its queue.
func (l *lane[T]) forget(q *queue[T], e *entry[T]) {
	q.size -= e.size
	l.count--
	l.size -= e.size
}

// look refuses late entries while a batch takes long, and comes again if the lane is busy:
// nobody waits for a lane that does not move.
func (l *lane[T]) look() {
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
		l.watch.Reset(lookTime)
	}
}

// tidy puts repeats back in front of their queues and forgets tenants that have
// nothing queued.
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
