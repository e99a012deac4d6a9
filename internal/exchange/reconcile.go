package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	slicePages    = 4   // pages of the list there that a slice reads
	unlistedSlice = 200 // orders here that are looked at in one statement
	mostListed    = 100 // differences that a summary names
	mostFields    = 20  // of one order
)

// Summary says what a reconcile found.
type Summary struct {
	BeganAt   time.Time   `json:"began_at"`
	EndedAt   time.Time   `json:"ended_at"`
	Orders    int         `json:"orders"` // that exist on one side at least
	Equal     int         `json:"equal"`
	Differ    int         `json:"differ"`
	OnlyHere  int         `json:"only_here"`
	OnlyThere int         `json:"only_there"`
	List      []Different `json:"list"` // the first ones
}

// Kind says in which way an order differs.
type Kind string

// The kinds.
const (
	Differs   Kind = "differ"
	OnlyHere  Kind = "only_here"
	OnlyThere Kind = "only_there"
)

// Different is an order that is not the same on both sides.
type Different struct {
	Number string   `json:"order_no"`
	Kind   Kind     `json:"kind"`
	State  State    `json:"state"`  // how it stood; a synced one is compared again
	Fields []string `json:"fields"` // what differs, in words
}

// count adds an order, and names it if it differs.
func (s *Summary) count(found Different) {
	s.Orders++
	switch found.Kind {
	case Differs:
		s.Differ++
	case OnlyHere:
		s.OnlyHere++
	case OnlyThere:
		s.OnlyThere++
	default:
		s.Equal++
		return
	}
	if len(s.List) < mostListed {
		found.Fields = found.Fields[:min(len(found.Fields), mostFields)]
		s.List = append(s.List, found)
	}
}

// Reading says how the reading of a connection's orders stands.
type Reading struct {
	PolledAt    *time.Time // nil: no poll has come to its end
	Message     string     // why the last one failed, in words; empty: it did not
	ReconcileAt *time.Time // when the next reconcile is due, or goes on; nil: the connection was never in use
	Under       *Summary   // the reconcile under way, as far as it came
	Last        *Summary   // the last one that ended
}

// ReadingOf returns how the reading of a connection's orders stands.
func (s *Service) ReadingOf(ctx context.Context, by auth.Principal, id uuid.UUID) (found Reading, err error) {
	if _, err := s.connections.Get(ctx, by, id); err != nil {
		return Reading{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		found, err = readingOf(ctx, tx, by, id)
		return err
	})
	return found, err
}

func readingOf(ctx context.Context, tx pgx.Tx, by auth.Principal, id uuid.UUID) (found Reading, err error) {
	row, err := q.New(tx).ReadReconcile(ctx, q.ReadReconcileParams{TenantID: by.Tenant, ConnectionID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return Reading{}, nil
	}
	if err != nil {
		return Reading{}, err
	}
	found = Reading{PolledAt: row.PolledAt, Message: row.Message, ReconcileAt: &row.ReconcileAt}
	if row.Reconciling != nil {
		p := progress{}
		err, found.Under = json.Unmarshal(row.Reconciling, &p), &p.Summary
	}
	if row.Reconcile != nil {
		found.Last = &Summary{}
		err = errors.Join(err, json.Unmarshal(row.Reconcile, found.Last))
	}
	return found, err
}

// Reconcile makes a reconcile due, instead of waiting for the night. It begins as soon as the connection is in use.
func (s *Service) Reconcile(ctx context.Context, by auth.Principal, id uuid.UUID) (found Reading, err error) {
	c, err := s.connections.Get(ctx, by, id)
	if err != nil {
		return Reading{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		err := queries.OpenCursor(ctx, q.OpenCursorParams{TenantID: by.Tenant, ConnectionID: id, WorkspaceID: by.Workspace,
			ReconcileAt: time.Now()})
		if err != nil {
			return err
		}
		err = queries.ReconcileSoon(ctx, q.ReconcileSoonParams{TenantID: by.Tenant, ConnectionID: id})
		if err != nil {
			return err
		}
		err = audit.Record(ctx, tx, by, "connection.reconcile_asked", id.String(), audit.Data{"name": c.Settings.Name})
		if err != nil {
			return err
		}
		found, err = readingOf(ctx, tx, by, id)
		return err
	})
	return found, err
}

// progress is a reconcile under way. First all orders there are listed, page by page; then those here that were not among them.
type progress struct {
	Summary Summary `json:"summary"`
	Page    int     `json:"page"`
	Listed  bool    `json:"listed"` // all of them there
	After   string  `json:"after"`  // the last order here that was looked at
}

// quietHour returns when the next reconcile is due: between one and five at night, where the workspace is. Connections are spread
// over these hours.
func quietHour(now time.Time, zone *time.Location, id uuid.UUID) time.Time {
	const from, hours = 1, 4
	local := now.In(zone)
	minute := (int(id[14])<<8 | int(id[15])) % (hours * 60)
	at := time.Date(local.Year(), local.Month(), local.Day(), from, minute, 0, 0, zone)
	if !at.After(now) {
		at = time.Date(local.Year(), local.Month(), local.Day()+1, from, minute, 0, 0, zone)
	}
	return at
}

// reconcile does a slice of the comparison of all orders, and reports whether it is not at its end. It goes on where it was,
// also after a restart.
func (r *reading) reconcile(ctx context.Context) (unfinished bool, err error) {
	p, err := r.beginReconcile(ctx)
	if err != nil {
		return false, err
	}
	for range slicePages {
		if p.Listed {
			break
		}
		changes, err := r.system.Changed(ctx, inventory.Cursor{Page: p.Page})
		if err != nil {
			return true, callError{err}
		}
		fresh, err := r.compare(ctx, p, changes.Orders)
		if err != nil {
			return true, err
		}
		p.Listed = changes.Next == nil
		if !p.Listed {
			p.Page = changes.Next.Page
		}
		if err := r.keepProgress(ctx, p, fresh); err != nil {
			return true, err
		}
	}
	for p.Listed {
		done, err := r.compareUnlisted(ctx, p)
		if err != nil {
			return true, err
		}
		if done {
			return false, r.endReconcile(ctx, p)
		}
		if err := r.keepProgress(ctx, p, nil); err != nil {
			return true, err
		}
	}
	return true, nil
}

// beginReconcile returns the reconcile under way, or begins one.
func (r *reading) beginReconcile(ctx context.Context) (*progress, error) {
	p := &progress{}
	if r.cursor.Reconciling != nil {
		return p, json.Unmarshal(r.cursor.Reconciling, p)
	}
	p.Summary.BeganAt = r.now().UTC()
	err := r.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).ForgetListed(ctx, q.ForgetListedParams{TenantID: r.by.Tenant, ConnectionID: r.id})
	})
	return p, err
}

// keepProgress stores how far a reconcile came, together with the orders that it has met.
func (r *reading) keepProgress(ctx context.Context, p *progress, met []string) error {
	state, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return r.keep(ctx, func(queries *q.Queries) (time.Time, error) {
		err := queries.ListOrdersThere(ctx,
			q.ListOrdersThereParams{TenantID: r.by.Tenant, ConnectionID: r.id, Ids: met})
		if err != nil {
			return time.Time{}, err
		}
		return queries.KeepReconciling(ctx, q.KeepReconcilingParams{TenantID: r.by.Tenant, ConnectionID: r.id, Held: r.held,
			Hold: holdFor, Reconciling: state, ReconcileAt: r.now()})
	})
}

// endReconcile stores what a reconcile found.
func (r *reading) endReconcile(ctx context.Context, p *progress) error {
	p.Summary.EndedAt = r.now().UTC()
	summary, err := json.Marshal(p.Summary)
	if err != nil {
		return err
	}
	return r.keep(ctx, func(queries *q.Queries) (time.Time, error) {
		err := queries.ForgetListed(ctx, q.ForgetListedParams{TenantID: r.by.Tenant, ConnectionID: r.id})
		if err != nil {
			return time.Time{}, err
		}
		return queries.KeepReconciling(ctx, q.KeepReconcilingParams{TenantID: r.by.Tenant, ConnectionID: r.id, Held: r.held,
			Hold: holdFor, Summary: summary, ReconcileAt: quietHour(r.now(), r.by.Zone, r.id)})
	})
}
