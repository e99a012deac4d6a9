package exchange

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	mostReads   = 100              // connections that are looked for at once
	readsAtOnce = 8                // connections that one instance reads at once
	pagesAtOnce = 20               // pages of a poll, before another connection has its turn
	holdFor     = 3 * time.Minute  // longer than one page takes
	pollPause   = time.Minute      // after a failure; it doubles
	longestPoll = time.Hour        // and does not grow beyond this
	slicePause  = 10 * time.Second // between the slices of a reconcile, so that it leaves calls to the exports
)

// Read reads what changed in the inventory systems of all tenants, and asks for a comparison of each order that
// changed: by a poll, which each connection has about once in the given time, and by a reconcile at night. Any number of
// instances may call it at any time: what one of them reads, the others leave out.
func (s *Service) Read(ctx context.Context, every time.Duration) error {
	var due []q.FindDueReadsRow
	// Crosses tenants: it finds what is due, and then acts as each tenant.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		due, err = q.New(tx).FindDueReads(ctx, mostReads)
		return err
	})
	if err != nil {
		return err
	}
	var reading sync.WaitGroup
	failures, turns := make([]error, len(due)), make(chan struct{}, readsAtOnce)
	for i, row := range due {
		turns <- struct{}{}
		reading.Go(func() {
			defer func() { <-turns }()
			failures[i] = s.readOne(ctx, row, every)
		})
	}
	reading.Wait()
	return errors.Join(failures...)
}

// reading is one instance's turn of reading a connection's orders. It holds the connection's cursor meanwhile.
type reading struct {
	*Service
	by      auth.Principal
	id      uuid.UUID
	mayLoad bool
	system  inventory.System
	began   time.Time // by this machine's clock
	held    time.Time // identifies the hold: if another instance took the cursor over, it has another one
	cursor  q.LockCursorRow
}

// callError is an error of the inventory system or of how the connection is set up, which people must see.
type callError struct{ error }

// Unwrap returns the error itself.
func (e callError) Unwrap() error { return e.error }

// errTakenOver says that another instance reads the connection now.
var errTakenOver = errors.New("another instance has taken the cursor over")

// readOne reads one connection, if its cursor is free. No transaction is open during a call.
func (s *Service) readOne(ctx context.Context, at q.FindDueReadsRow, every time.Duration) error {
	r := &reading{Service: s, id: at.ID, began: time.Now()}
	var err error
	if r.by, err = s.syncOf(ctx, at.TenantID, at.WorkspaceID, at.ID); err != nil {
		return err
	}
	if free, err := r.hold(ctx, every); err != nil || !free {
		return err
	}
	failed := r.open(ctx)
	more := false
	if failed == nil && r.cursor.Poll && r.mayLoad {
		more, failed = r.poll(ctx)
	}
	unfinished := false
	if failed == nil && r.cursor.Reconcile {
		unfinished, failed = r.reconcile(ctx)
	}
	return r.letGo(ctx, more, unfinished, failed)
}

// syncOf returns the principal of a connection's sync.
func (s *Service) syncOf(ctx context.Context, tenant, workspace, id uuid.UUID) (by auth.Principal, err error) {
	var name string
	err = s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
		name, err = q.New(tx).ReadZone(ctx, q.ReadZoneParams{TenantID: tenant, WorkspaceID: workspace})
		return err
	})
	if err != nil {
		return by, err
	}
	zone, err := time.LoadLocation(name)
	return auth.Connection(tenant, workspace, id, zone), err
}

// hold takes the cursor, unless another instance has it.
func (r *reading) hold(ctx context.Context, every time.Duration) (free bool, err error) {
	err = r.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		err := queries.OpenCursor(ctx, q.OpenCursorParams{TenantID: r.by.Tenant, ConnectionID: r.id,
			WorkspaceID: r.by.Workspace, ReconcileAt: quietHour(r.began, r.by.Zone, r.id)})
		if err != nil {
			return err
		}
		r.cursor, err = queries.LockCursor(ctx, q.LockCursorParams{TenantID: r.by.Tenant, ConnectionID: r.id})
		if errors.Is(err, pgx.ErrNoRows) || err == nil && !r.cursor.Poll && !r.cursor.Reconcile {
			return nil // somebody else has it, or had it just now
		}
		if err != nil {
			return err
		}
		free = true
		r.held, err = queries.HoldCursor(ctx,
			q.HoldCursorParams{TenantID: r.by.Tenant, ConnectionID: r.id, Hold: holdFor, Every: every})
		return err
	})
	return free, err
}

// now returns the time by the database's clock.
func (r *reading) now() time.Time { return r.cursor.Now.Add(time.Since(r.began)) }

// open makes the connection callable.
func (r *reading) open(ctx context.Context) error {
	opened, err := r.connections.Open(ctx, r.by, r.id)
	if err != nil {
		return callError{err}
	}
	r.mayLoad = opened.Settings.MayLoad
	r.system = r.dial[opened.System](opened.Settings.Address, opened.Token, opened.Client)
	return nil
}

// poll reads some pages of the orders that changed since the watermark, and reports whether there are more. A
// change that was made while the pages were read may be on none of them, so the watermark stays behind the poll's beginning.
func (r *reading) poll(ctx context.Context) (more bool, err error) {
	began := r.cursor.Now
	if r.cursor.BeganAt != nil && r.cursor.Page > 0 {
		began = *r.cursor.BeganAt
	}
	at := inventory.Cursor{Since: r.cursor.Since, Page: int(r.cursor.Page)}
	for range pagesAtOnce {
		changes, err := r.system.Changed(ctx, at)
		if err != nil {
			return false, callError{err}
		}
		if err := r.meet(ctx, changes.Orders); err != nil {
			return false, err
		}
		for _, order := range changes.Orders {
			if order.UpdatedAt.After(r.cursor.Reached) {
				r.cursor.Reached = order.UpdatedAt
			}
		}
		if changes.Next == nil {
			newest := inventory.Order{UpdatedAt: r.cursor.Reached.Add(-r.now().Sub(began))}
			return false, r.keepPage(ctx, inventory.Cursor{Since: inventory.Watermark(at.Since, []inventory.Order{newest})}, nil)
		}
		at = *changes.Next
		if err := r.keepPage(ctx, at, &began); err != nil {
			return false, err
		}
	}
	return true, nil
}

// keepPage stores where the poll goes on, and holds the cursor longer.
func (r *reading) keepPage(ctx context.Context, at inventory.Cursor, began *time.Time) error {
	return r.keep(ctx, func(queries *q.Queries) (time.Time, error) {
		return queries.KeepPage(ctx, q.KeepPageParams{TenantID: r.by.Tenant, ConnectionID: r.id, Held: r.held, Hold: holdFor,
			Since: at.Since, Page: int64(at.Page), Reached: r.cursor.Reached, BeganAt: began})
	})
}

// keep stores progress, unless another instance has taken the cursor over.
func (r *reading) keep(ctx context.Context, store func(*q.Queries) (time.Time, error)) error {
	err := r.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) (err error) {
		r.held, err = store(q.New(tx))
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return errTakenOver
	}
	return err
}

// letGo gives the cursor back. What the inventory system did wrong is kept in words, and pauses the reading longer each
// time; if it refuses the token, the connection is paused. It returns the errors that are this service's own.
func (r *reading) letGo(ctx context.Context, more, unfinished bool, failed error) error {
	end := q.LetCursorGoParams{TenantID: r.by.Tenant, ConnectionID: r.id, Held: r.held}
	if more {
		end.PollAt = new(r.now())
	}
	if unfinished {
		end.ReconcileAt = new(r.now().Add(slicePause))
	}
	var told *fault.Error
	switch {
	case failed == nil:
	case errors.Is(failed, errTakenOver), ctx.Err() != nil:
		failed = nil
	case fault.HasCode(failed, inventory.CodeLimited) && errors.As(failed, &told):
		end.PollAt, failed = new(r.now().Add(max(told.Wait, time.Second))), nil
		end.ReconcileAt = r.later(end.PollAt)
	case fault.HasCode(failed, "connection_inactive"):
		end.PollAt, failed = new(r.now()), nil // it goes on when the connection is resumed
	default:
		again := r.now().Add(min(pollPause<<min(r.cursor.Failures, 10), longestPoll))
		end.Failed, end.PollAt, end.ReconcileAt = 1, &again, r.later(&again)
		_, public := fault.Public(failed)
		end.Message = new(inWords(public))
		failed = r.explain(ctx, failed)
	}
	store := context.WithoutCancel(ctx) // others wait for the cursor
	return errors.Join(failed, r.cells.InTenant(store, r.by.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).LetCursorGo(store, end)
	}))
}

// later returns the time if a reconcile is due or under way.
func (r *reading) later(at *time.Time) *time.Time {
	if r.cursor.Reconcile {
		return at
	}
	return nil
}

// explain logs what the inventory system did wrong, and pauses the connection if its token is refused. It returns an error
// of this service.
func (r *reading) explain(ctx context.Context, failed error) error {
	var call callError
	if !errors.As(failed, &call) {
		return fmt.Errorf("reading connection %s: %w", r.id, failed)
	}
	r.log.WarnContext(ctx, "orders not read", "connection", r.id, "err", failed)
	if !fault.HasCode(failed, inventory.CodeToken) {
		return nil
	}
	_, public := fault.Public(failed)
	_, err := r.connections.Pause(ctx, r.by, r.id, public.Message)
	if fault.HasCode(err, "connection_paused") {
		return nil
	}
	return err
}
