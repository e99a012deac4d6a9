package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/search"
)

// This file turns a request into statements. Their text consists of the relation's own
// expressions and fixed words; every value is a parameter. So the text depends only on the
// fields, operators and order of the request.

const (
	// DefaultLimit is the number of rows on a page if the request gives none.
	DefaultLimit = 50
	// MaxLimit is the largest number of rows on a page.
	MaxLimit = 1000
	// MostFound is how many records a search finds at most.
	MostFound = search.MostInTable
)

// Request selects rows of a relation. The names are those of data_query's arguments; Cursor is
// an addition.
type Request struct {
	ViewSlug     string
	Filters      []byte   // a JSON object of field names to values; see docs/tables.md
	Search       string   // beginning of a number, code or name; finds at most MostFound records; empty: all rows
	SelectFields []string // empty: all
	SortBy       string   // empty: id, which grows with the creation time
	SortDesc     bool
	Limit        int    // 0: DefaultLimit
	Cursor       string // NextCursor of the previous page; empty: the first page
	MaxBytes     int    // limit for a page of more than one row; 0: pageBytes
	OmitEmpty    bool   // leaves empty fields out of the rows
	Parameters

	linked bool      // looks up the names of the referenced records
	now    time.Time // of the service's clock
}

// plan is a parsed request.
type plan struct {
	relation   *Relation
	tenant     uuid.UUID
	workspace  uuid.UUID
	given      []string  // the values of the relation's parameters
	now        time.Time // in the workspace's time zone
	today      string    // the day as of which a computed view is computed if none is given
	rows       string    // as JSON: a view's rows as of another day than they are stored, or what is left of the budget
	source     string    // the FROM clause
	fields     []*Field
	conditions []condition
	search     string
	among      []string // the records that the search found; nil: no search
	more       bool     // the search found more than it returned
	sort       *Field
	desc       bool
	limit      int
	bytes      int
	omitEmpty  bool
	from       *place            // nil: the beginning
	indexes    map[string]*index // on fields of the request; nil: none are of use
	access     access
	referred   map[string]*Relation // tables that fields refer to, by slug
}

// understand checks a request against a relation and returns its plan.
func (r *Relation) understand(tenant, workspace uuid.UUID, zone *time.Location, request Request) (p plan, err error) {
	if zone == nil {
		zone = time.UTC
	}
	p = plan{relation: r, tenant: tenant, workspace: workspace, now: request.now.In(zone), source: r.from, desc: request.SortDesc, limit: request.Limit,
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
	p.today = p.now.Format(time.DateOnly)
	if p.given, err = r.readParameters(request.Parameters, p.today); err != nil {
		return p, err
	}
	if r.takes(Product) && request.Product == EveryProduct {
		p.source = r.every
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
	if p.needsLookedUp() {
		p.source = r.joined
	}
	if request.Cursor != "" {
		p.from, err = p.readCursor(request.Cursor)
	}
	return p, err
}

// needsLookedUp reports whether a field that is looked up row by row is needed for all rows.
func (p plan) needsLookedUp() bool {
	return p.sort.looked || slices.ContainsFunc(p.conditions, func(c condition) bool { return c.field.looked })
}

// selected returns the requested fields, in the requested order.
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

// builder collects a statement's parameters. The first two are the tenant and the workspace;
// those of a computed view follow.
type builder struct {
	args []any
}

// newBuilder returns a builder with the tenant and the workspace.
func (p plan) newBuilder() *builder {
	return &builder{args: []any{p.tenant.String(), p.workspace.String()}}
}

// asOf returns the day as of which a view is computed, or nothing for a table.
func (p plan) asOf() string {
	if !p.relation.Computed {
		return ""
	}
	return p.given[0]
}

func (b *builder) param(value any) string {
	b.args = append(b.args, value)
	return fmt.Sprintf("$%d", len(b.args))
}

// begin returns the conditions that all statements of the plan share.
func (p plan) begin() (b *builder, where []string) {
	b = p.newBuilder()
	for _, value := range p.given {
		b.param(value)
	}
	if p.rows != "" {
		b.param(p.rows)
	}
	where = []string{p.relation.where}
	for _, c := range p.conditions {
		where = append(where, c.sql(b))
	}
	if p.among != nil {
		where = append(where, fmt.Sprintf("%s = ANY (%s::text[])", p.relation.key, b.param(p.among)))
	}
	return b, where
}

// columns returns the columns of a row: its key, its version, its sort value, and the fields.
func (p plan) columns() string {
	columns := []string{p.relation.key, p.relation.version, p.sort.order}
	for _, field := range p.fields {
		columns = append(columns, field.shown)
	}
	return strings.Join(columns, ", ")
}

// leadingColumns is how many columns come before the fields.
const leadingColumns = 3

// part is one of two lists that a page's rows come from, one after the other.
type part int

const (
	withValue part = iota
	withoutValue
)

// parts returns the parts that the next rows come from, until the page is full: first the rows with a sort
// value, then those without one, which come last in either direction. Each part's statement reads a range of an
// index, if one has this order, from where the last page ended; so a late page costs no more than the first.
func (p plan) parts() (parts []part) {
	if p.from == nil || p.from.value != nil {
		parts = append(parts, withValue)
	}
	if p.sort.Nullable {
		parts = append(parts, withoutValue)
	}
	return parts
}

// page returns the statement for the rows without a sort value (nothing), or for those with
// one.
func (p plan) page(nothing bool, limit int) statement {
	if p.access.way == walk || p.access.way == point {
		return p.walked(nothing, limit)
	}
	b, where := p.begin()
	if p.access.way == inOrder {
		bounded, order := p.placed(b, []string{p.relation.where}, nothing)
		return statement{fmt.Sprintf("SELECT %s FROM (SELECT * FROM %s t WHERE %s ORDER BY %s LIMIT %d) t WHERE %s ORDER BY %[4]s LIMIT %[7]s::bigint",
			p.columns(), p.source, strings.Join(bounded, " AND "), order, p.access.bound, strings.Join(where[1:], " AND "), b.param(strconv.Itoa(limit))), b.args}
	}
	where, order := p.placed(b, where, nothing)
	from := fmt.Sprintf("FROM %s t WHERE %s", p.source, strings.Join(where, " AND "))
	if p.access.way == gather {
		from = p.gathered(b, where, limit)
	}
	rows := fmt.Sprintf("%s ORDER BY %s LIMIT %s::bigint", from, order, b.param(strconv.Itoa(limit)))
	if p.relation.Computed {
		// The planner would compute what is shown for all rows, and then sort them.
		rows = fmt.Sprintf("FROM (SELECT * %s) t ORDER BY %s", rows, order)
	}
	return statement{"SELECT " + p.columns() + " " + rows, b.args}
}

// placed adds the conditions of the rows behind the page's beginning, and returns the rows' order.
func (p plan) placed(b *builder, where []string, nothing bool) (conditions []string, order string) {
	direction, after := p.direction(), p.after()
	order = fmt.Sprintf("%s %s, %s %[2]s", p.sort.order, direction, p.relation.key)
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
			value, key := b.param(*p.from.value), b.param(p.from.key)
			where = append(where, fmt.Sprintf("(%s, %s) %s (%s::%s, %s::text)", p.sort.order, p.relation.key, after,
				value, p.sort.Type.SQL(), key))
			if p.relation.Computed {
				// Row security keeps the key's expression from an index, but not the sort value alone.
				where = append(where, fmt.Sprintf("%s %s= %s::%s", p.sort.order, after, value, p.sort.Type.SQL()))
			}
		}
	}
	return where, order
}

// all returns the statement for all rows, in the order of the pages.
func (p plan) all() statement {
	b, where := p.begin()
	last := ""
	if p.sort.Nullable {
		last = " NULLS LAST"
	}
	return statement{fmt.Sprintf("SELECT %s %s ORDER BY %s %s%s, %s %[4]s",
		p.columns(), p.matching(b, where), p.sort.order, p.direction(), last, p.relation.key), b.args}
}

// count returns the statement that counts rows up to a bound, and reads no more than that.
func (p plan) count(most int) statement {
	if p.access.way == gather && p.access.covers {
		b := p.newBuilder()
		return statement{fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %s::bigint) t WHERE $2::uuid IS NOT NULL",
			p.entries(b, p.access.group, most), b.param(strconv.Itoa(most))), b.args}
	}
	b, where := p.begin()
	return statement{fmt.Sprintf("SELECT count(*) FROM (SELECT %s LIMIT %s::bigint) t",
		p.matching(b, where), b.param(strconv.Itoa(most))), b.args}
}

// matching returns the FROM clause of all rows that match.
func (p plan) matching(b *builder, where []string) string {
	if p.access.way == gather {
		return p.gathered(b, where, 0)
	}
	return fmt.Sprintf("FROM %s t WHERE %s", p.source, strings.Join(where, " AND "))
}

// one returns the statement for a row by its key.
func (p plan) one(key string) statement {
	b, where := p.begin()
	where = append(where, fmt.Sprintf("%s = %s::text", p.relation.key, b.param(key)))
	return statement{fmt.Sprintf("SELECT %s FROM %s t WHERE %s", p.columns(), p.source,
		strings.Join(where, " AND ")), b.args}
}
