package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg/q"
)

// A full pass goes through every row that waits and every open dead letter, in slices. It finds what the
// sweep cannot know: what was stored before the sweep's reader began, a dead letter that was written while its
// record was being stored, and a row that can be linked because another record went away.

const (
	// sliceRows is how many rows one slice of a pass reads.
	sliceRows = 2000
	// passRest is how many times longer than a slice the pause after it is: a pass takes a fifth of the time.
	passRest = 4
	// nightBegins is the hour, in UTC, after which the next pass begins.
	nightBegins = 2
	// failuresPass is the name of the pass through open dead letters. The others are named by their dependency.
	failuresPass = "failed_imports"
)

// pass goes through one kind of what waits.
type pass struct {
	name string
	// slice handles the rows after a place and returns the place of the last one, or nil if there are no more.
	slice func(ctx context.Context, place []string) (next []string, err error)
}

func (s *Service) passes(ctx context.Context) ([]pass, error) {
	all, err := s.dependencies(ctx)
	passes := []pass{{failuresPass, s.failuresSlice}}
	for _, d := range all {
		passes = append(passes, pass{d.name, func(ctx context.Context, place []string) ([]string, error) {
			return s.waitingSlice(ctx, d, place)
		}})
	}
	return passes, err
}

// Pass goes on with the passes that are due, slice by slice, until they are done. A pass is due once a night, and when
// the sweep's reader has begun anew. Its place is stored after each slice, so that another instance can go on.
func (s *Service) Pass(ctx context.Context) error {
	passes, err := s.passes(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, p := range passes {
		failed = errors.Join(failed, s.goOn(ctx, p)) // the others are not held up
	}
	return failed
}

// PassNow goes through everything at once.
func (s *Service) PassNow(ctx context.Context) error {
	passes, err := s.passes(ctx)
	if err != nil {
		return err
	}
	for _, p := range passes {
		for place := []string{}; place != nil; {
			if place, err = p.slice(ctx, place); err != nil {
				return err
			}
		}
	}
	return nil
}

// goOn goes on with a pass, if it is due or was interrupted.
func (s *Service) goOn(ctx context.Context, p pass) error {
	for {
		place, due, err := s.place(ctx, p.name, time.Now())
		if err != nil || !due {
			return err
		}
		began := time.Now()
		next, err := p.slice(ctx, place)
		if err != nil {
			return err
		}
		// Crosses tenants: the place is one for all.
		err = s.cells.InSystem(ctx, func(tx pgx.Tx) error {
			move := q.MovePassParams{Name: p.name, Place: next, Finished: next == nil}
			if next == nil {
				move.Place = place
			}
			return q.New(tx).MovePass(ctx, move)
		})
		if err != nil || next == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(passRest * time.Since(began)):
		}
	}
}

// place returns where a pass is that is due.
func (s *Service) place(ctx context.Context, name string, now time.Time) (place []string, due bool, err error) {
	now = now.UTC().Add(-nightBegins * time.Hour)
	night := time.Date(now.Year(), now.Month(), now.Day(), nightBegins, 0, 0, 0, time.UTC)
	// Crosses tenants: the place is one for all.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		queries := q.New(tx)
		begins, err := queries.PassDue(ctx, q.PassDueParams{Name: name, Reader: sweepReader, Night: night})
		if err == nil && begins {
			err = queries.BeginPass(ctx, name)
		}
		if err != nil {
			return err
		}
		place, err = queries.GetPass(ctx, name)
		if due = err == nil; errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return place, due, err
}

// waitingSlice links rows that wait although their parent exists.
func (s *Service) waitingSlice(ctx context.Context, d dependency, place []string) (next []string, err error) {
	after := waiter{}
	if len(place) == 2 {
		if after.Tenant, err = uuid.Parse(place[0]); err != nil {
			return nil, err
		}
		after.Value = place[1]
	}
	var waiting []waiter
	// Crosses tenants: the pass serves all of them. It only reads.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, d.slice, after.Tenant, after.Value, sliceRows)
		if err != nil {
			return err
		}
		waiting, err = pgx.CollectRows(rows, pgx.RowToStructByPos[waiter])
		return err
	})
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	last := waiting[len(waiting)-1]
	found, err := s.findWaiters(ctx, d.find(d.value), waiting)
	if err != nil {
		return nil, err
	}
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	s.linkFound(ctx, d, found)
	return []string{last.Tenant.String(), last.Value}, nil
}

// failuresSlice closes dead letters whose record was stored later.
func (s *Service) failuresSlice(ctx context.Context, place []string) (next []string, err error) {
	after := q.ListOpenFailuresParams{Most: sliceRows}
	if len(place) == 3 {
		if after.TenantID, err = uuid.Parse(place[0]); err != nil {
			return nil, err
		}
		after.Slug, after.RecordKey = place[1], place[2]
	}
	var open []q.ListOpenFailuresRow
	// Crosses tenants: the pass serves all of them. It reads which records failed, and acts as their tenants.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		open, err = q.New(tx).ListOpenFailures(ctx, after)
		return err
	})
	if err != nil || len(open) == 0 {
		return nil, err
	}
	records := make([]storedRecord, 0, len(open))
	for _, f := range open {
		records = append(records, storedRecord{f.TenantID, f.Slug, f.RecordKey})
	}
	last := open[len(open)-1]
	return []string{last.TenantID.String(), last.Slug, last.RecordKey}, s.resolve(ctx, false, records)
}
