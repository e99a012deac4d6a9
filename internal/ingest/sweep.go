package ingest

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/pg"
)

// The sweep does what was not done when a record was stored: it links rows whose parent exists, because
// a process died between its commit and the linking or a row was locked, and it closes dead letters whose
// record was stored later. It looks only at records that the outbox names since the last sweep, so it
// costs what is new and not what waits. What that cannot show is found by a full pass: see Pass.

const (
	// sweepReader is the name of the sweep's place in the outbox.
	sweepReader = "sweep"
	// sweepAtOnce is how many events one round of the sweep reads.
	sweepAtOnce = 2000
	// tenantsAtOnce is how many tenants one transaction of the sweep is bound to. Row security looks each row's
	// tenant up in their list.
	tenantsAtOnce = 50
	// sweepTries is how often the sweep tries to link a row that is locked or cannot be changed. Then the row is
	// left to the next full pass.
	sweepTries = 60
)

// waiter is a value that some rows of a tenant wait for.
type waiter struct {
	Tenant uuid.UUID
	Value  string
}

// dependency says which rows wait for records of another table, and how they are found and linked.
type dependency struct {
	name          string
	child, parent string // slugs
	value         string // the column that holds what a row waits for
	slice         string // see waitingSlice
	find          func(by string) string
	links         func(linkWork) *links
}

// dependencies returns all that there are.
func (s *Service) dependencies(ctx context.Context) (all []dependency, err error) {
	slugs, err := s.registry.Slugs(ctx, uuid.Nil) // only built-in tables have rows that wait
	if err != nil {
		return nil, err
	}
	for _, slug := range slugs {
		table, err := s.registry.Table(ctx, uuid.Nil, slug)
		if err != nil {
			return nil, err
		}
		for _, w := range table.Waiting {
			all = append(all, dependency{
				name: w.Slug + "." + w.Column, child: w.Slug, parent: slug, value: "c." + quote(w.PendingColumn),
				slice: waitingSlice(w.Slug, w.Column, w.PendingColumn),
				find:  func(by string) string { return pendingWaiters(w, table, by) },
				links: func(work linkWork) *links { return work.waiting(w, table) },
			})
		}
		for _, feed := range table.Feeds {
			all = append(all, dependency{
				name: feed.Slug + "." + feed.Marker, child: feed.Slug, parent: slug, value: "c." + quote(feed.Match),
				slice: waitingSlice(feed.Slug, feed.Marker, feed.Match),
				find:  func(by string) string { return snapshotWaiters(feed, table, by) },
				links: func(work linkWork) *links { return work.snapshot(feed) },
			})
		}
	}
	return all, nil
}

// Sweep links and resolves what the records that were stored since the last sweep make possible.
func (s *Service) Sweep(ctx context.Context) error {
	s.sweeping.Lock() // its reader serves one at a time
	defer s.sweeping.Unlock()
	all, err := s.dependencies(ctx)
	if err != nil {
		return err
	}
	if err := s.sweepAgain(ctx, all); err != nil {
		return err
	}
	for {
		batch, err := s.changes.Next(ctx, sweepAtOnce)
		if err != nil {
			return err
		}
		if err := s.sweepLinks(ctx, all, batch.Changes); err != nil {
			return err
		}
		if err := s.sweepFailures(ctx, batch.Changes); err != nil {
			return err
		}
		if err := s.changes.Advance(ctx, batch); err != nil || !batch.More {
			return err
		}
	}
}

// sweepLinks links the rows that wait for one of the changed records, and those among them that wait.
func (s *Service) sweepLinks(ctx context.Context, all []dependency, changes []event.Change) error {
	changed := map[string][]waiter{} // by slug
	for _, c := range changes {
		changed[c.Slug] = append(changed[c.Slug], waiter{c.Tenant, c.Record})
	}
	for _, d := range all {
		for _, given := range []struct {
			by      string
			records []waiter
		}{{byParent, changed[d.parent]}, {byRow, changed[d.child]}} {
			found, err := s.findWaiters(ctx, d.find(given.by), given.records)
			if err != nil {
				return err
			}
			s.linkFound(ctx, d, found)
		}
	}
	return nil
}

// sweepAgain links what could not be linked in an earlier sweep.
func (s *Service) sweepAgain(ctx context.Context, all []dependency) error {
	for _, d := range all {
		tries := s.unlinked[d.name]
		if len(tries) == 0 {
			continue
		}
		var given []waiter
		for w := range tries {
			given = append(given, w)
		}
		found, err := s.findWaiters(ctx, d.find(d.value), given)
		if err != nil {
			return err
		}
		for _, w := range given {
			if tries[w] >= sweepTries || !slices.Contains(found, w) {
				delete(tries, w)
			}
		}
		s.linkFound(ctx, d, slices.DeleteFunc(found, func(w waiter) bool { return tries[w] == 0 }))
	}
	return nil
}

// findWaiters returns the values for which rows wait although their parent exists.
func (s *Service) findWaiters(ctx context.Context, find string, given []waiter) (found []waiter, err error) {
	if len(given) == 0 {
		return nil, nil
	}
	tenants, values := make([]uuid.UUID, 0, len(given)), make([]string, 0, len(given))
	for _, w := range given {
		tenants, values = append(tenants, w.Tenant), append(values, w.Value)
	}
	// Crosses tenants: the sweep serves all of them. It only reads.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, find, tenants, values)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[waiter])
		return err
	})
	return found, err
}

// linkFound links rows, a few tenants at a time. What cannot be linked of a group is tried tenant by tenant, so
// that no tenant waits for another. What remains is logged and tried again by the next sweep: it must not
// hold up the sweep.
func (s *Service) linkFound(ctx context.Context, d dependency, found []waiter) {
	for _, group := range byTenants(found, tenantsAtOnce) {
		if s.linkGroup(ctx, d, group) == nil {
			continue
		}
		for _, one := range byTenants(group, 1) {
			err := s.linkGroup(ctx, d, one)
			if err == nil {
				continue
			}
			s.again(d, one)
			if !pg.Locked(err) {
				s.log.ErrorContext(ctx, "late records are not linked", "tenant", one[0].Tenant, "rows", d.name, "err", err)
			}
		}
	}
}

// linkGroup links the rows that wait for the values. If some are locked it links the others, and the error is Locked.
func (s *Service) linkGroup(ctx context.Context, d dependency, group []waiter) error {
	l := d.links(linkWork{})
	for _, w := range group {
		l.add(w.Tenant, w.Value, auth.Actor{Type: auth.BySystem, ID: "sweep"}, "sweep")
	}
	err := s.runLink(ctx, l, l.sql)
	if pg.Locked(err) {
		if failed := s.runLink(ctx, l, strings.Replace(l.sql, linkLock, linkLock+" SKIP LOCKED", 1)); failed != nil {
			return failed
		}
	}
	return err
}

// again notes what the next sweep has to try again.
func (s *Service) again(d dependency, group []waiter) {
	if s.unlinked[d.name] == nil {
		s.unlinked[d.name] = map[waiter]int{}
	}
	for _, w := range group {
		s.unlinked[d.name][w]++
	}
}

// byTenants splits values into groups of at most so many tenants.
func byTenants(all []waiter, most int) (groups [][]waiter) {
	slices.SortFunc(all, func(a, b waiter) int { return bytes.Compare(a.Tenant[:], b.Tenant[:]) })
	begin, tenants := 0, 0
	for i, w := range all {
		if i > 0 && w.Tenant == all[i-1].Tenant {
			continue
		}
		if tenants == most {
			groups = append(groups, all[begin:i])
			begin, tenants = i, 0
		}
		tenants++
	}
	if len(all) > 0 {
		groups = append(groups, all[begin:])
	}
	return groups
}
