package ingest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/registry"
)

// Records may arrive before the records that they refer to. The one that comes second
// links the two, in a transaction after its own commit and before its answer, so that of
// two concurrent writers at least one sees the other. The sweep links what a crash or a locked row left.

// links holds the parameters of one linking statement: values that rows may wait for, each
// with the actor whose record brought it.
type links struct {
	sql, kind, slug string
	tenants         []uuid.UUID
	values          []string
	actors          [][]byte
	requests        []string
}

func (l *links) add(tenant uuid.UUID, value string, by auth.Actor, requestID string) {
	l.tenants = append(l.tenants, tenant)
	l.values = append(l.values, value)
	l.actors = append(l.actors, by.JSON())
	l.requests = append(l.requests, requestID)
}

// linkWork collects links by their statement.
type linkWork map[string]*links

func (w linkWork) waiting(waiting registry.Waiting, parent *registry.Table) *links {
	return w.get(linkStatement(waiting, parent), "linked", waiting.Slug)
}

func (w linkWork) snapshot(feed registry.Feed) *links {
	return w.get(snapshotStatement(feed), "resolved", feed.Slug)
}

func (w linkWork) get(sql, what, slug string) *links {
	if w[sql] == nil {
		w[sql] = &links{sql: sql, kind: "ingest." + slug + "." + what, slug: slug}
	}
	return w[sql]
}

// link links the stored records of a batch with the rows that wait for them, and with the
// rows that they wait for, and finds keys that nearly equal those of new records. It only logs an
// error: the records are stored, and the sweep will link them.
func (s *Service) link(ctx context.Context, batch []*ticket) {
	var err error
	panicked := s.lanes.recoverPanic(func() {
		work := linkWork{}
		for _, t := range batch {
			if t.err == nil && t.mode != check && t.verdict.created != nil {
				s.collect(ctx, work, t)
			}
		}
		err = errors.Join(s.runLinks(ctx, work), s.findNear(ctx, batch))
	})
	if err := cmp.Or(panicked, err); err != nil {
		s.log.ErrorContext(ctx, "link after commit", "err", err)
	}
}

// collect adds the links that one stored record makes possible, and those that it waits for.
func (s *Service) collect(ctx context.Context, work linkWork, t *ticket) {
	by, table := t.record.By, t.clean.table
	if *t.verdict.created {
		for _, w := range table.Waiting {
			work.waiting(w, table).add(by.Tenant, t.clean.identity, by.Actor, t.record.RequestID)
		}
	}
	for _, feed := range table.Feeds {
		if match, ok := t.clean.text(feed.Match); ok {
			work.snapshot(feed).add(by.Tenant, match, by.Actor, t.record.RequestID)
		}
	}
	if !*t.verdict.waits {
		return
	}
	for _, c := range t.clean.columns {
		pending := pendingColumn(c.column)
		if pending == "" || c.value.null {
			continue
		}
		parent, err := s.registry.Table(ctx, by.Tenant, c.column.Reference.Slug)
		if err != nil {
			s.log.ErrorContext(ctx, "link after commit", "err", err)
			continue
		}
		waiting := registry.Waiting{Slug: table.Slug, Column: c.column.Name, PendingColumn: pending}
		work.waiting(waiting, parent).add(by.Tenant, c.value.text, by.Actor, t.record.RequestID)
	}
	if table.Snapshot != nil {
		if match, ok := t.clean.text(table.Snapshot.Match); ok {
			feed := registry.Feed{Slug: table.Slug, Snapshot: *table.Snapshot}
			work.snapshot(feed).add(by.Tenant, match, by.Actor, t.record.RequestID)
		}
	}
}

// text returns the record's value of a column, or false if it is null or was not sent.
func (r *sanitized) text(name string) (string, bool) {
	for _, c := range r.columns {
		if c.column.Name == name && !c.value.null {
			return c.value.text, true
		}
	}
	return "", false
}

// linkLockWait is how long linking waits for locked rows. Then it leaves them to the sweep,
// because callers wait for their answers.
const linkLockWait = 200 * time.Millisecond

// runLinks runs each statement in a transaction of its own, because they lock rows of
// different tables.
func (s *Service) runLinks(ctx context.Context, work linkWork) (err error) {
	for _, l := range slices.SortedFunc(maps.Values(work), func(a, b *links) int { return cmp.Compare(a.kind, b.kind) }) {
		if len(l.tenants) == 0 {
			continue
		}
		linked := s.runLink(ctx, l, l.sql)
		if pg.Locked(linked) {
			linked = s.runLink(ctx, l, strings.Replace(l.sql, linkLock, linkLock+" SKIP LOCKED", 1))
		}
		err = errors.Join(err, linked)
	}
	return err
}

func (s *Service) runLink(ctx context.Context, l *links, sql string) error {
	return s.cells.InTenantsWithin(ctx, l.tenants, linkLockWait, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql, l.tenants, l.values, l.actors, l.requests, l.kind, l.slug)
		return err
	})
}
