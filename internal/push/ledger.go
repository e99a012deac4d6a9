package push

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// window is how far beyond the mark records may be sent: a slow record does not hold up the
// others, and the memory for finished records stays small.
const window = 1000

// Counts are the results of the finished records.
type Counts struct {
	Accepted  int64 `json:"accepted"`
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Stale     int64 `json:"stale,omitempty"` // accepted, but older than what is stored
	Rejected  int64 `json:"rejected"`
	// Warned are accepted records by the code of a warning in their answer.
	Warned map[string]int64 `json:"warned,omitempty"`
}

// clone returns a copy that does not change.
func (c Counts) clone() Counts {
	c.Warned = maps.Clone(c.Warned)
	return c
}

// Done returns the number of finished records.
func (c Counts) Done() int64 { return c.Accepted + c.Rejected }

// Ledger keeps track of finished records: those that were accepted, or rejected and written to
// the rejects file. Records finish in any order. All records up to the mark are finished, and
// so are those listed above it.
type Ledger struct {
	mu      sync.Mutex
	mark    int64
	above   map[int64]bool
	counts  Counts
	changed chan struct{}
}

// NewLedger returns a ledger without finished records.
func NewLedger() *Ledger {
	return &Ledger{above: map[int64]bool{}, changed: make(chan struct{})}
}

// Finish marks a record as done; result is Ingest-Result, or empty for a rejected one, and warned has the codes of
// Ingest-Warning.
func (l *Ledger) Finish(number int64, rejected bool, result string, warned ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.above[number] = true
	for l.above[l.mark+1] {
		l.mark++
		delete(l.above, l.mark)
	}
	switch {
	case rejected:
		l.counts.Rejected++
	default:
		l.counts.Accepted++
	}
	switch result {
	case "created":
		l.counts.Created++
	case "updated":
		l.counts.Updated++
	case "unchanged":
		l.counts.Unchanged++
	case "stale":
		l.counts.Stale++
	}
	for _, code := range warned {
		if l.counts.Warned == nil {
			l.counts.Warned = map[string]int64{}
		}
		l.counts.Warned[code]++
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// Has reports whether a record is finished.
func (l *Ledger) Has(number int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return number <= l.mark || l.above[number]
}

// Room waits until a record is within the window.
func (l *Ledger) Room(ctx context.Context, number int64) error {
	for {
		l.mu.Lock()
		fits, changed := number <= l.mark+window, l.changed
		l.mu.Unlock()
		if fits {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Counts returns the results so far.
func (l *Ledger) Counts() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts.clone()
}

// position returns all that a later push needs: the mark, the spans of finished records above
// it, and the counts, all at one moment.
func (l *Ledger) position() (mark int64, spans [][2]int64, counts Counts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	numbers := make([]int64, 0, len(l.above))
	for number := range l.above {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		if last := len(spans) - 1; last >= 0 && spans[last][1]+1 == number {
			spans[last][1] = number
		} else {
			spans = append(spans, [2]int64{number, number})
		}
	}
	return l.mark, spans, l.counts.clone()
}

// restore sets what position returned.
func (l *Ledger) restore(mark int64, spans [][2]int64, counts Counts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mark, l.counts, l.above = mark, counts.clone(), map[int64]bool{}
	for _, span := range spans {
		for number := span[0]; number <= span[1]; number++ {
			l.above[number] = true
		}
	}
}
