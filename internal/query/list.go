package query

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/search"
)

// Listed is a relation whose fields are described only if somebody asks for them: a wide table has hundreds.
type Listed struct {
	table *registry.Table
	view  *Relation // instead of a table
}

// Summary is what a list says of a relation.
type Summary struct {
	Slug, Title, Description string
	BuiltIn                  bool
	Fields                   int // how many there are
	View                     registry.DefaultView
	Searchable               bool
	Closed                   string
	Identity                 []string
	Computed                 bool
	Parameters               []Parameter
}

// List returns the relations that can be read: tables, then computed views.
func (s *Service) List(ctx context.Context, by auth.Principal) ([]Listed, error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	tables, err := s.tables.All(ctx, by.Tenant)
	listed := make([]Listed, 0, len(tables)+len(computed))
	for _, table := range tables {
		listed = append(listed, Listed{table: table})
	}
	for _, view := range computed {
		listed = append(listed, Listed{view: view})
	}
	return listed, err
}

// Find returns one relation, as the registry has it now.
func (s *Service) Find(ctx context.Context, by auth.Principal, slug string) (Listed, error) {
	if err := by.Require(auth.Read); err != nil {
		return Listed{}, err
	}
	if view := computedView(slug); view != nil {
		return Listed{view: view}, nil
	}
	table, err := s.tables.Reload(ctx, by.Tenant, slug)
	return Listed{table: table}, err
}

// Stamp is the same as long as the relation is. Companies have the same one of a table that is the same for all.
func (l Listed) Stamp() string {
	if l.view != nil {
		return l.view.Slug
	}
	return fmt.Sprintf("%s/%s/%d", l.table.Tenant, l.table.Slug, l.table.Version)
}

// Slug returns its name in addresses.
func (l Listed) Slug() string {
	if l.view != nil {
		return l.view.Slug
	}
	return l.table.Slug
}

// Computed reports whether it is a computed view.
func (l Listed) Computed() bool { return l.view != nil }

// Relation describes it with its fields.
func (l Listed) Relation() *Relation {
	if l.view != nil {
		return l.view
	}
	return fromTable(l.table)
}

// Summary describes it without its fields.
func (l Listed) Summary() Summary {
	if v := l.view; v != nil {
		return Summary{Slug: v.Slug, Title: v.Title, Description: v.Description, BuiltIn: v.BuiltIn, Fields: len(v.Fields), View: v.View,
			Searchable: v.Searchable, Closed: v.Closed, Identity: v.Identity, Computed: v.Computed, Parameters: v.Parameters}
	}
	t := l.table
	return Summary{Slug: t.Slug, Title: t.Title, Description: t.Description, BuiltIn: t.Owner == uuid.Nil,
		Fields: len(t.Columns) + len(systemFirst) + len(systemLast), View: t.DefaultView(), Searchable: searchable(t), Closed: t.Closed(),
		Identity: t.Identity}
}

// searchable reports whether search finds the records of a table.
func searchable(table *registry.Table) bool {
	return table.Owner == uuid.Nil && search.Covers(table.Slug)
}
