package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/sheet"
)

const (
	// If a record repeatedly gets a 500 while the service describes its table, which requires
	// its database, the record is at fault.
	faultsBeforeAsking = 3
	faultsWhileWell    = 3

	// troubleWorthSaying is how long no request must have succeeded before the user is told.
	troubleWorthSaying = 3 * time.Second
)

// sender sends records to the endpoint, one per request.
type sender struct {
	client  *Client
	gate    *gate
	ledger  *Ledger
	groups  *Groups
	rejects *Rejects // nil in a dry run
	dryRun  bool
	maxWait time.Duration
	workers int
	say     func(string)

	keys       *turns
	retries    atomic.Int64
	unfinished atomic.Int64 // read from the file but not finished
	told       atomic.Bool  // the user knows that the service is in trouble
}

// parcel is a record ready to be sent.
type parcel struct {
	number int64
	line   int
	body   []byte
	key    string // records with the same key are sent one after the other

	sequence string // orders the deliveries of the record; empty: none
}

// run sends the records that next returns until io.EOF. ctx ends the running requests.
// stopping ends the push after them; an error calls stop to do so. Records that were not sent
// by then are not in the ledger.
func (s *sender) run(ctx, stopping context.Context, stop context.CancelCauseFunc, next func() (parcel, error)) error {
	queue := make(chan parcel)
	var workers sync.WaitGroup
	for range s.workers {
		workers.Go(func() {
			for p := range queue {
				if err := s.deliver(ctx, stopping, p); err != nil {
					s.unfinished.Add(1)
					stop(err)
				}
				s.keys.end(p.key)
			}
		})
	}
	err := s.dispatch(stopping, next, queue)
	close(queue)
	workers.Wait()
	if err == nil && s.unfinished.Load() == 0 {
		return nil // even if it was stopped at the very end
	}
	if cause := context.Cause(stopping); cause != nil {
		return cause
	}
	return err
}

// dispatch hands records to the workers in the order of the file. It waits while a record is
// beyond the window (Room), or while a record with the same key is being sent.
func (s *sender) dispatch(stopping context.Context, next func() (parcel, error), queue chan<- parcel) error {
	for {
		p, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if s.ledger.Room(stopping, p.number) != nil || s.keys.begin(stopping, p.key) != nil {
			return ErrInterrupted
		}
		select {
		case <-stopping.Done():
			return ErrInterrupted
		case queue <- p:
		}
	}
}

// deliver sends one record until it is accepted or refused. An error ends the push.
func (s *sender) deliver(ctx, stopping context.Context, p parcel) error {
	faults := 0 // 500s while the service described its table
	for attempt := 1; ; attempt++ {
		if s.gate.enter(stopping) != nil {
			return ErrInterrupted
		}
		started := time.Now()
		got := s.client.Send(ctx, p.body, p.sequence, s.dryRun)
		if ctx.Err() != nil && got.status == 0 {
			return ErrInterrupted // whether the record was stored is unknown
		}
		trouble, recovered := s.gate.leave(got, started)
		s.report(got, trouble, recovered)
		switch got.verdict() {
		case accepted:
			s.ledger.Finish(p.number, false, got.result, got.warned...)
			return nil
		case refused:
			return s.reject(p, got)
		case fatal:
			return s.client.explain(got)
		case retryable:
		}
		if trouble+got.retryAfter > s.maxWait { // also if Retry-After exceeds the limit
			return fault.New(fault.Unavailable, "waited", "nothing has succeeded for %s, the last answer was: %s",
				trouble.Round(time.Second), got.words())
		}
		if got.status == http.StatusInternalServerError && attempt >= faultsBeforeAsking {
			if faults = s.countFault(ctx, faults); faults >= faultsWhileWell {
				return s.reject(p, got)
			}
		}
		s.retries.Add(1)
		if pause(stopping, max(0, backoff(attempt)-got.retryAfter)) != nil {
			return ErrInterrupted
		}
	}
}

// countFault asks for the table's description. If it comes, the record is at fault, otherwise
// the service.
func (s *sender) countFault(ctx context.Context, faults int) int {
	if s.client.call(ctx, http.MethodGet, s.client.endpoint, nil, "").verdict() == accepted {
		return faults + 1
	}
	return 0
}

// reject writes a refused record to the rejects file.
func (s *sender) reject(p parcel, got answer) error {
	note := sheet.Note{Record: p.number, Line: p.line, Status: got.status, Error: got.message, Request: got.requestID,
		Sequence: p.sequence}
	if s.rejects != nil {
		if err := s.rejects.Write(p.body, note); err != nil {
			return err
		}
	}
	s.groups.Add(got.status, got.message, p.number)
	s.ledger.Finish(p.number, true, "")
	return nil
}

// rejectUnsent writes a line that is not a record to the rejects file.
func (s *sender) rejectUnsent(record sheet.Record) error {
	if s.rejects != nil {
		note := sheet.Note{Record: record.Number, Line: record.Line, Error: record.Broken, Raw: record.Raw}
		if err := s.rejects.Write([]byte("{}"), note); err != nil {
			return err
		}
	}
	s.groups.Add(0, record.Broken, record.Number)
	s.ledger.Finish(record.Number, true, "")
	return nil
}

// report tells the user once that the service is in trouble, and once that it recovered.
func (s *sender) report(got answer, trouble, recovered time.Duration) {
	switch {
	case trouble > troubleWorthSaying && s.told.CompareAndSwap(false, true):
		s.say(fmt.Sprintf("the service does not take records (%s); trying again for up to %s", got.words(), s.maxWait))
	case recovered > 0 && s.told.CompareAndSwap(true, false):
		s.say(fmt.Sprintf("the service takes records again, after %s", recovered.Round(time.Second)))
	}
}

// turns sends records with the same key one after the other, so that the last one in the file
// wins.
type turns struct {
	mu      sync.Mutex
	busy    map[string]bool
	changed chan struct{}
}

func newTurns() *turns { return &turns{busy: map[string]bool{}, changed: make(chan struct{})} }

// begin waits until no record with the key is being sent. Records without a key never wait.
func (t *turns) begin(ctx context.Context, key string) error {
	for key != "" {
		t.mu.Lock()
		taken, changed := t.busy[key], t.changed
		if !taken {
			t.busy[key] = true
			t.mu.Unlock()
			return nil
		}
		t.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
	return nil
}

func (t *turns) end(key string) {
	if key == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.busy, key)
	close(t.changed)
	t.changed = make(chan struct{})
}
