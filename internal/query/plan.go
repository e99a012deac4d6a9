package query

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/search"
)

// This file turns a request into statements. Their text is made of the relation's own
// expressions and of fixed words; every value is a parameter. So the text depends on
// which fields, operators and order were asked for, and on nothing else.

const (
	// DefaultLimit is how many rows a page has when nothing is said.
	DefaultLimit = 50
	// MaxLimit is how many rows a page has at most.
	MaxLimit = 1000
	// MostFound is among how many records rows are looked for when there is a search.
	MostFound = search.MostInTable
)

// Request says which rows of a relation are wanted. The names are those of the
// specification's data_query; Cursor is ours.
type Request struct {
	ViewSlug     string
	Filters      []byte   // a JSON object of field names to values; see docs/tables.md
	Search       string   // what numbers, codes or names begin with; only of the best MostFound records; none: all rows
	SelectFields []string // none: all
	SortBy       string   // none: id, which rises with the time at which a record was made
	SortDesc     bool
	Limit        int    // 0: DefaultLimit
	Cursor       string // the NextCursor of the page before; none: the first page
	MaxBytes     int    // of a page of more than one row; 0: pageBytes
	OmitEmpty    bool   // leave fields without a value out of the rows

	linked bool // name the records that the rows refer to
}

// plan is a request, understood.
type plan struct {
	relation   *Relation
	tenant     uuid.UUID
	workspace  uuid.UUID
	fields     []*Field
	conditions []condition
	search     string
	among      []string // the records that the search found; nil: there was none
	more       bool     // the search found more than it tells
	sort       *Field
	desc       bool
	limit      int
	bytes      int
	omitEmpty  bool
	from       *place               // nil: the beginning
	referred   map[string]*Relation // what fields refer to, by slug
}

// understand checks a request against a relation.
func (r *Relation) understand(tenant, workspace uuid.UUID, zone *time.Location, request Request) (p plan, err error) {
	if zone == nil {
		zone = time.UTC
	}
	p = plan{relation: r, tenant: tenant, workspace: workspace, desc: request.SortDesc, limit: request.Limit,
		bytes: request.MaxBytes, omitEmpty: request.OmitEmpty}
	if p.bytes == 0 {
		p.bytes = pageBytes
	}
	switch {
	case p.limit == 0:
		p.limit = DefaultLimit
	case p.limit < 0 || p.limit > MaxLimit:
		return p, refuse("limit", "limit", "limit must be between 1 and %d", MaxLimit)
	}
	if p.fields, err = r.selected(request.SelectFields); err != nil {
		return p, err
	}
	if p.conditions, err = r.readFilters(request.Filters, zone); err != nil {
		return p, err
	}
	if p.search = strings.TrimSpace(request.Search); p.search != "" && !r.Searchable {
		return p, refuse("search", "not_searchable", "records of %s cannot be searched; use filters", r.Slug)
	}
	sortBy := request.SortBy
	if sortBy == "" {
		sortBy = r.Fields[0].Name
	}
	if p.sort, err = r.find("sort_by", sortBy); err != nil {
		return p, err
	}
	if request.Cursor != "" {
		p.from, err = p.readCursor(request.Cursor)
	}
	return p, err
}

// selected are the fields that were asked for, in that order.
func (r *Relation) selected(names []string) ([]*Field, error) {
	if len(names) == 0 {
		fields := make([]*Field, 0, len(r.Fields))
		for i := range r.Fields {
			fields = append(fields, &r.Fields[i])
		}
		return fields, nil
	}
	fields := make([]*Field, 0, min(len(names), len(r.Fields)))
	seen := map[string]bool{}
	for _, name := range names {
		field, err := r.find("select_fields", name)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, refuse("select_fields", "repeated", "select_fields: %s is named twice", name)
		}
		seen[name] = true
		fields = append(fields, field)
	}
	return fields, nil
}

// statement is SQL and its parameters.
type statement struct {
	sql  string
	args []any
}

// builder collects parameters. The first two are the tenant and the workspace.
type builder struct {
	args []any
}

// whose begins the parameters of a statement.
func (p plan) whose() *builder {
	return &builder{args: []any{p.tenant.String(), p.workspace.String()}}
}

func (b *builder) param(value any) string {
	b.args = append(b.args, value)
	return fmt.Sprintf("$%d", len(b.args))
}

// begin starts a statement of the plan with what all of them say: whose rows, and which.
func (p plan) begin() (b *builder, where []string) {
	b = p.whose()
	where = []string{p.relation.where}
	for _, c := range p.conditions {
		where = append(where, c.sql(b))
	}
	if p.among != nil {
		where = append(where, fmt.Sprintf("%s = ANY (%s::text[])", p.relation.key, b.param(p.among)))
	}
	return b, where
}

// columns are what a statement of rows returns: the row's key, its version, what it is
// ordered by, and the fields.
func (p plan) columns() string {
	columns := []string{p.relation.key, p.relation.version, p.sort.order}
	for _, field := range p.fields {
		columns = append(columns, field.shown)
	}
	return strings.Join(columns, ", ")
}

// leading is how many columns come before the fields.
const leading = 3

// pages are the statements that find the next rows, one after the other until there are
// enough: those that have something to order by, and then those that have nothing, which
// come last in either direction. Each is a range of an index, where there is one that is
// ordered so, and begins where the page before has ended: a late page costs what the
// first one does.
func (p plan) pages(limit int) []statement {
	var pages []statement
	if p.from == nil || p.from.value != nil {
		pages = append(pages, p.page(false, limit))
	}
	if p.sort.Nullable {
		pages = append(pages, p.page(true, limit))
	}
	return pages
}

// page finds rows in their order, those with nothing to order by or those with something.
func (p plan) page(nothing bool, limit int) statement {
	b, where := p.begin()
	direction, after := "ASC", ">"
	if p.desc {
		direction, after = "DESC", "<"
	}
	order := fmt.Sprintf("%s %s, %s %[2]s", p.sort.order, direction, p.relation.key)
	switch {
	case nothing:
		where = append(where, p.sort.order+" IS NULL")
		order = p.relation.key + " " + direction
		if p.from != nil && p.from.value == nil {
			where = append(where, fmt.Sprintf("%s %s %s::text", p.relation.key, after, b.param(p.from.key)))
		}
	case p.sort.order == p.relation.key:
		order = p.relation.key + " " + direction
		if p.from != nil {
			where = append(where, fmt.Sprintf("%s %s %s::text", p.relation.key, after, b.param(p.from.key)))
		}
	default:
		if p.sort.Nullable {
			where = append(where, p.sort.order+" IS NOT NULL")
		}
		if p.from != nil {
			where = append(where, fmt.Sprintf("(%s, %s) %s (%s::%s, %s::text)", p.sort.order, p.relation.key, after,
				b.param(*p.from.value), p.sort.Type.SQL(), b.param(p.from.key)))
		}
	}
	sql := fmt.Sprintf("SELECT %s FROM %s t WHERE %s ORDER BY %s LIMIT %s::bigint",
		p.columns(), p.relation.from, strings.Join(where, " AND "), order, b.param(strconv.Itoa(limit)))
	return statement{sql, b.args}
}

// all finds every row, in the order in which pages would.
func (p plan) all() statement {
	b, where := p.begin()
	direction := "ASC"
	if p.desc {
		direction = "DESC"
	}
	last := ""
	if p.sort.Nullable {
		last = " NULLS LAST"
	}
	return statement{fmt.Sprintf("SELECT %s FROM %s t WHERE %s ORDER BY %s %s%s, %s %[5]s",
		p.columns(), p.relation.from, strings.Join(where, " AND "), p.sort.order, direction, last, p.relation.key), b.args}
}

// count counts rows up to a bound, and reads no more of them than that.
func (p plan) count(most int) statement {
	b, where := p.begin()
	return statement{fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s t WHERE %s LIMIT %s::bigint) t",
		p.relation.from, strings.Join(where, " AND "), b.param(strconv.Itoa(most))), b.args}
}

// one finds a row by its key.
func (p plan) one(key string) statement {
	b, where := p.begin()
	where = append(where, fmt.Sprintf("%s = %s::text", p.relation.key, b.param(key)))
	return statement{fmt.Sprintf("SELECT %s FROM %s t WHERE %s", p.columns(), p.relation.from,
		strings.Join(where, " AND ")), b.args}
}
