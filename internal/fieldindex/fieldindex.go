// Package fieldindex builds the indexes on fields that package query wants, and drops those that nobody uses
// any more: in slices, one index at a time (docs/decisions/0033).
//
// The triggers of a table keep the entries of its indexes from the moment on at which their transaction sees the
// index. So a build begins when every transaction has ended that may not have seen it, and then adds the entries
// of the rows that are there. It locks the rows of a slice, so that none changes between reading and
// adding. Dropping works the same way round: entries are deleted when nobody adds any.
package fieldindex

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	// UnusedDays is after how many days an index that no request used is dropped.
	UnusedDays = 30
	// MostEntries limits the entries of all companies: no further index is built beyond it.
	MostEntries = 200_000_000

	// sliceRows is how many rows one transaction locks.
	sliceRows = 500
	// lockPatience is how long a slice waits for a locked row. Lanes wait longer, so that in a deadlock the
	// build gives way.
	lockPatience = 100 * time.Millisecond
	// restPerSlice is how many times longer than a slice the pause after it is.
	restPerSlice = 1
)

// The states of an index.
const (
	wanted   = "wanted"
	building = "building"
	ready    = "ready"
	refused  = "refused" // there are values that do not fit the column's type
	leaving  = "leaving"
)

// Service builds and drops indexes.
type Service struct {
	cells *pg.Cells
	log   *slog.Logger
	tell  func(state string, indexes, entries int64)
	slice int
}

// New returns the service. tell is told how many indexes and entries there are in each state.
func New(cells *pg.Cells, log *slog.Logger, tell func(state string, indexes, entries int64)) *Service {
	return &Service{cells: cells, log: log, tell: tell, slice: sliceRows}
}

// Keep does all that can be done now. It may run twice at once.
func (s *Service) Keep(ctx context.Context) error {
	var work []q.ListIndexWorkRow
	var entries int64
	// Crosses tenants: it looks for work in all of them, and then acts as each.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		if entries, err = s.count(ctx, tx); err == nil {
			work, err = q.New(tx).ListIndexWork(ctx, UnusedDays)
		}
		return err
	})
	for _, index := range work {
		if err != nil {
			return err
		}
		if index.State == wanted && entries >= MostEntries {
			continue
		}
		if err = s.advance(ctx, index); pg.Locked(err) {
			err = nil // a row is being written; the next run goes on
		}
	}
	return err
}

// count tells how many there are, and returns the number of entries.
func (s *Service) count(ctx context.Context, tx pgx.Tx) (entries int64, err error) {
	counts, err := q.New(tx).CountIndexes(ctx)
	by := map[string]q.CountIndexesRow{}
	for _, c := range counts {
		by[c.State] = c
		entries += c.Entries
	}
	for _, state := range []string{wanted, building, ready, refused, leaving} {
		s.tell(state, by[state].Indexes, by[state].Entries)
	}
	return entries, err
}

// advance does the next steps of one index.
func (s *Service) advance(ctx context.Context, index q.ListIndexWorkRow) error {
	switch index.State {
	case wanted:
		return s.move(ctx, index, building)
	case building:
		return s.afterHorizon(ctx, index, s.build)
	case leaving:
		if index.Horizon == "" {
			return s.move(ctx, index, leaving)
		}
		return s.afterHorizon(ctx, index, s.drop)
	default: // unused
		return s.move(ctx, index, leaving)
	}
}

// move changes the state. Whoever has not seen the state that was read has a transaction below the horizon.
func (s *Service) move(ctx context.Context, index q.ListIndexWorkRow, state string) error {
	return s.cells.InTenant(ctx, index.TenantID, func(tx pgx.Tx) error {
		queries := q.New(tx)
		at, err := queries.IndexHorizon(ctx)
		if err != nil {
			return err
		}
		horizon := at.Unused
		if state != index.State && state == leaving { // nobody can have seen the new state yet
			horizon = ""
		}
		return queries.MoveIndex(ctx, q.MoveIndexParams{TenantID: index.TenantID, ID: index.ID, Was: index.State, State: state,
			Horizon: horizon})
	})
}

// afterHorizon runs fn if every transaction below the index's horizon has ended.
func (s *Service) afterHorizon(ctx context.Context, index q.ListIndexWorkRow,
	fn func(context.Context, q.ListIndexWorkRow) error) error {
	var at q.IndexHorizonRow
	err := s.cells.InTenant(ctx, index.TenantID, func(tx pgx.Tx) (err error) {
		at, err = q.New(tx).IndexHorizon(ctx)
		return err
	})
	if err != nil {
		return err
	}
	oldest, err := strconv.ParseUint(at.OldestOpen, 10, 64)
	if err != nil {
		return err
	}
	horizon, err := strconv.ParseUint(index.Horizon, 10, 64)
	if err != nil {
		return err
	}
	unused, err := strconv.ParseUint(at.Unused, 10, 64)
	switch {
	case err != nil:
		return err
	case horizon > unused: // the database is a copy of another server's, whose transactions have other numbers
		return s.move(ctx, index, index.State)
	case oldest < horizon:
		return nil
	}
	return fn(ctx, index)
}

// build adds the entries of the rows behind the index's place.
func (s *Service) build(ctx context.Context, index q.ListIndexWorkRow) error {
	for {
		began := time.Now()
		state, err := s.buildSlice(ctx, &index)
		if err != nil {
			return err
		}
		if state != building {
			s.log.InfoContext(ctx, "index on a field", "tenant", index.TenantID, "table", index.Slug, "field", index.Field, "state", state)
			return nil
		}
		if err := rest(ctx, restPerSlice*time.Since(began)); err != nil {
			return err
		}
	}
}

// buildSlice adds one slice, and returns the state of the index after it.
func (s *Service) buildSlice(ctx context.Context, index *q.ListIndexWorkRow) (state string, err error) {
	err = s.cells.InTenantsWithin(ctx, []uuid.UUID{index.TenantID}, lockPatience, func(tx pgx.Tx) error {
		var rows int64
		var last string
		var unfit bool
		err := tx.QueryRow(ctx, sliceSQL(index), index.TenantID, index.WorkspaceID, index.Place, s.slice, index.ID, index.Type,
			index.Collated, index.Cut, index.Field, index.Slug).Scan(&rows, &last, &unfit)
		if err != nil {
			return err
		}
		switch {
		case unfit:
			state = refused
		case rows < int64(s.slice):
			state = ready
		default:
			state = building
		}
		index.Place = max(index.Place, last)
		moved, err := q.New(tx).AdvanceIndex(ctx, q.AdvanceIndexParams{TenantID: index.TenantID, ID: index.ID, State: state,
			Place: index.Place, Added: rows})
		if moved == 0 {
			state = leaving
		}
		return err
	})
	return state, err
}

// sliceSQL adds the entries of the next rows. It returns how many there were, the last id, and whether a
// value does not fit the type. Parameters: tenant $1, workspace $2, place $3, limit $4, index $5, type $6,
// collated $7, cut $8, field $9, slug $10.
func sliceSQL(index *q.ListIndexWorkRow) string {
	value, where := "t."+quote(index.Field)+"::text", "$9::text IS NOT NULL AND $10::text IS NOT NULL"
	if index.Stored != "column" {
		value = "t." + quote(index.Stored) + " ->> $9::text"
	}
	if index.Home == "records" {
		where = "$9::text IS NOT NULL AND t.slug = $10::text"
	}
	return fmt.Sprintf(`WITH slice AS MATERIALIZED (
    SELECT t.id, %s AS value FROM workspace.%s t
    WHERE t.tenant_id = $1::uuid AND t.workspace_id = $2::uuid AND t.id > $3::text AND %s ORDER BY t.id LIMIT $4::bigint FOR SHARE
), keyed AS MATERIALIZED (
    SELECT s.id, s.value, workspace.index_key($6::text, $7::boolean, $8::integer, s.value) AS key FROM slice s
), made AS (
    INSERT INTO workspace.index_entries (tenant_id, index_id, key, words, id)
    SELECT $1::uuid, $5::bigint, k.key, CASE WHEN $7::boolean THEN coalesce(left(k.value, $8::integer), '') ELSE '' END, k.id FROM keyed k
    ON CONFLICT DO NOTHING
)
SELECT count(*), coalesce(max(k.id), ''), coalesce(bool_or(k.value IS NOT NULL AND k.key = ''), false) FROM keyed k`,
		value, quote(index.Home), where)
}

// drop deletes the entries, and then the index.
func (s *Service) drop(ctx context.Context, index q.ListIndexWorkRow) error {
	for {
		began, gone := time.Now(), int64(0)
		err := s.cells.InTenant(ctx, index.TenantID, func(tx pgx.Tx) (err error) {
			queries := q.New(tx)
			gone, err = queries.DropEntries(ctx,
				q.DropEntriesParams{TenantID: index.TenantID, IndexID: index.ID, Most: int32(s.slice)}) //nolint:gosec // small
			if err == nil && gone < int64(s.slice) {
				err = queries.DropIndex(ctx, q.DropIndexParams{TenantID: index.TenantID, ID: index.ID})
			}
			return err
		})
		if err != nil || gone < int64(s.slice) {
			return err
		}
		if err := rest(ctx, restPerSlice*time.Since(began)); err != nil {
			return err
		}
	}
}

func rest(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
