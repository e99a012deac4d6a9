package query

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	longestName       = 100
	longestDefinition = 16 << 10
	mostViews         = 100 // per person, for one table or list
	leastWidth        = 20
	mostWidth         = 2000
)

// ViewOf is the table, or the list of the app, that a view shows.
type ViewOf struct {
	List bool
	Slug string // of the table, or the list's name
}

// OfTable selects the views of a table.
func OfTable(slug string) ViewOf { return ViewOf{Slug: slug} }

// OfList selects the views of a list.
func OfList(name string) ViewOf { return ViewOf{List: true, Slug: name} }

// View is a saved way of looking at a table or a list: private, or shared with the workspace.
type View struct {
	ID         uuid.UUID
	Of         ViewOf
	Name       string
	Definition Definition
	Owner      uuid.UUID
	Shared     bool
	Version    int64
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Definition is what a view shows. For a table it has the fields of a Request and column
// widths; for a list, the list's address.
type Definition struct {
	Filters      jsontext.Value `json:"filters,omitempty"`
	SelectFields []string       `json:"select_fields,omitempty"`
	SortBy       string         `json:"sort_by,omitempty"`
	SortDesc     bool           `json:"sort_desc,omitempty"`
	AsOf         string         `json:"as_of,omitempty"`   // of a computed view; absent: today, whichever day it is
	Product      string         `json:"product,omitempty"` // of a computed view
	Widths       map[string]int `json:"widths,omitempty"`  // of columns, in pixels
	Search       Search         `json:"search,omitempty"`
}

// ViewChange is a change of a view. Nil fields stay as they are.
type ViewChange struct {
	Name       *string
	Shared     *bool
	Definition *Definition
}

// Views lists the views that the principal may use: their own and the shared ones, by name.
func (s *Service) Views(ctx context.Context, by auth.Principal, of ViewOf) (views []View, err error) {
	err = s.inViews(ctx, by, of, func(queries *q.Queries) error {
		rows, err := queries.ListViews(ctx, q.ListViewsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, List: of.List,
			Slug: of.Slug, PersonID: by.Person})
		for _, row := range rows {
			view, broken := toView(q.LockViewRow(row))
			if broken != nil {
				return broken
			}
			views = append(views, view)
		}
		return err
	})
	return views, err
}

// CreateView saves a view.
func (s *Service) CreateView(ctx context.Context, by auth.Principal, of ViewOf, change ViewChange) (
	view View, err error) {
	view = View{ID: uuid.Must(uuid.NewV7()), Of: of, Owner: by.Person}
	definition, err := s.apply(ctx, by, &view, change)
	if err != nil {
		return View{}, err
	}
	err = s.inViews(ctx, by, of, func(queries *q.Queries) error {
		present, err := queries.CountOwnViews(ctx, q.CountOwnViewsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			List: of.List, Slug: of.Slug, PersonID: by.Person})
		if err != nil {
			return err
		}
		if present >= mostViews {
			return fault.New(fault.Conflict, "too_many_views", "you have %d views of this %s; delete some first", present,
				of.noun())
		}
		row, err := queries.InsertView(ctx, q.InsertViewParams{
			TenantID: by.Tenant, ID: view.ID, WorkspaceID: by.Workspace, List: of.List, Slug: of.Slug, Name: view.Name,
			Definition: definition, OwnerID: view.Owner, Shared: view.Shared,
		})
		if err == nil {
			view, err = toView(q.LockViewRow(row))
		}
		return err
	})
	return view, err
}

// ChangeView changes a view that still has the version that the caller saw.
func (s *Service) ChangeView(ctx context.Context, by auth.Principal, of ViewOf, id uuid.UUID, change ViewChange,
	version int64) (view View, err error) {
	// Check before the row is locked, because the check reads the registry in its own
	// transaction.
	if _, err := s.apply(ctx, by, &View{Of: of, Name: "-"}, change); err != nil {
		return View{}, err
	}
	err = s.inViews(ctx, by, of, func(queries *q.Queries) error {
		if view, err = lockView(ctx, queries, by, of, id, version); err != nil {
			return err
		}
		definition, err := view.set(change)
		if err != nil {
			return err
		}
		row, err := queries.ChangeView(ctx,
			q.ChangeViewParams{TenantID: by.Tenant, ID: id, Name: view.Name, Definition: definition, Shared: view.Shared})
		if err == nil {
			view, err = toView(q.LockViewRow(row))
		}
		return err
	})
	return view, err
}

// DeleteView deletes a view that still has the version that the caller saw.
func (s *Service) DeleteView(ctx context.Context, by auth.Principal, of ViewOf, id uuid.UUID, version int64) error {
	return s.inViews(ctx, by, of, func(queries *q.Queries) error {
		if _, err := lockView(ctx, queries, by, of, id, version); err != nil {
			return err
		}
		return queries.DeleteView(ctx, q.DeleteViewParams{TenantID: by.Tenant, ID: id})
	})
}

// inViews runs fn if the principal may read the table or the list.
func (s *Service) inViews(ctx context.Context, by auth.Principal, of ViewOf, fn func(*q.Queries) error) error {
	if err := s.mayRead(ctx, by, of); err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error { return fn(q.New(tx)) })
}

func (s *Service) mayRead(ctx context.Context, by auth.Principal, of ViewOf) error {
	if err := by.Require(auth.Read); err != nil {
		return err
	}
	if !of.List {
		_, err := s.relation(ctx, by, of.Slug, s.tables.Table)
		return err
	}
	needs, known := auth.List(of.Slug).Reader()
	if !known {
		return fault.New(fault.NotFound, "unknown_list", "there is no list %q", fault.Shorten(of.Slug))
	}
	return by.Require(needs)
}

func (of ViewOf) noun() string {
	if of.List {
		return "list"
	}
	return "table"
}

// lockView locks a view that the principal may change: their own, or a shared one if they may
// share. Other people's private views are reported as not found.
func lockView(ctx context.Context, queries *q.Queries, by auth.Principal, of ViewOf, id uuid.UUID, version int64) (
	View, error) {
	row, err := queries.LockView(ctx, q.LockViewParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, List: of.List,
		Slug: of.Slug, ID: id, PersonID: by.Person})
	if errors.Is(err, pgx.ErrNoRows) {
		return View{}, fault.New(fault.NotFound, "unknown_view", "there is no view of this %s with the id %s", of.noun(), id)
	}
	if err != nil {
		return View{}, err
	}
	if row.Shared {
		if err := by.Require(auth.ShareViews); err != nil {
			return View{}, err
		}
	}
	if row.Version != version {
		return View{}, fault.New(fault.Stale, "stale",
			"somebody has changed this view in the meantime; it is at version %d now. Load it again and repeat your change",
			row.Version).At(row.Version)
	}
	return toView(row)
}

// apply checks a change and applies it.
func (s *Service) apply(ctx context.Context, by auth.Principal, view *View, change ViewChange) (
	definition []byte, err error) {
	if change.Shared != nil && *change.Shared {
		if err := by.Require(auth.ShareViews); err != nil {
			return nil, err
		}
	}
	if change.Definition != nil {
		if err := s.checkDefinition(ctx, by, view.Of, *change.Definition); err != nil {
			return nil, err
		}
	}
	return view.set(change)
}

// checkDefinition refuses a definition that does not fit the table or the list.
func (s *Service) checkDefinition(ctx context.Context, by auth.Principal, of ViewOf, d Definition) error {
	if of.List {
		if err := s.mayRead(ctx, by, of); err != nil {
			return err
		}
		return d.checkOfList()
	}
	if d.Search != nil {
		return refuse("definition/search", "unexpected", "a view of a table has no search; send filters")
	}
	request := Request{ViewSlug: of.Slug, Filters: d.Filters, SelectFields: d.SelectFields, SortBy: d.SortBy,
		SortDesc: d.SortDesc, Parameters: Parameters{AsOf: d.AsOf, Product: d.Product}}
	return s.reading(ctx, by, request, s.pageTimeout,
		func(_ pgx.Tx, p plan) error { return p.relation.checkWidths(d.Widths) })
}

// checkWidths refuses widths that no screen could show.
func (r *Relation) checkWidths(widths map[string]int) error {
	for name, width := range widths {
		if _, err := r.find("widths", name); err != nil {
			return err
		}
		if width < leastWidth || width > mostWidth {
			return refuse("widths/"+name, "width", "widths: %s must be between %d and %d", name, leastWidth, mostWidth)
		}
	}
	return nil
}

// set applies a change that was already checked.
func (v *View) set(change ViewChange) (definition []byte, err error) {
	if change.Name != nil {
		v.Name = strings.TrimSpace(*change.Name)
	}
	if v.Name == "" || !utf8.ValidString(v.Name) || utf8.RuneCountInString(v.Name) > longestName ||
		strings.ContainsFunc(v.Name, unicode.IsControl) {
		return nil, fault.InField("name", "name", "a view's name has between 1 and %d characters, on one line", longestName)
	}
	if change.Shared != nil {
		v.Shared = *change.Shared
	}
	if change.Definition != nil {
		v.Definition = *change.Definition
	}
	definition, err = json.Marshal(v.Definition, json.Deterministic(true))
	if err == nil && len(definition) > longestDefinition {
		return nil, fault.InField("definition", "too_long", "a view's definition is longer than %d KiB",
			longestDefinition>>10)
	}
	return definition, err
}

func toView(row q.LockViewRow) (View, error) {
	view := View{
		ID: row.ID, Of: ViewOf{List: row.List, Slug: row.Slug}, Name: row.Name, Owner: row.OwnerID, Shared: row.Shared,
		Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	return view, json.Unmarshal(row.Definition, &view.Definition)
}
