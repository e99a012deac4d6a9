package query

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
)

// This file knows the indexes on fields (docs/decisions/0033): which of them a request can use, and which it
// would have needed. An index has an entry for each row of a workspace's table. Its key sorts as the field does;
// the text of a field that sorts by the database's collation is in words.

const (
	// slowRead is the time from which on a read asks for the indexes that it lacked.
	slowRead = 100 * time.Millisecond
	// leastRows is how many rows a table has whose fields are indexed. Smaller ones are read quickly as they are.
	leastRows = 20_000
	// mostIndexes is how many fields of one company have an index.
	mostIndexes = 20
	// usedEvery is how exactly it is known when an index was last used.
	usedEvery = 24 * time.Hour
)

// Where in a row a field's value is.
const (
	inColumn = "column"
	inData   = "data"   // the document of a generic table's row
	inCustom = "custom" // the document of what a company added to a built-in table
)

// index is a ready index on a field.
type index struct{ q.ListReadyIndexesRow }

// cut is how many characters of a text its index has: all that count for the order.
func (f *Field) cut() int32 {
	if f.order == f.typed {
		return registry.MaxKeyLength
	}
	return longestOrder
}

// isNative reports whether the table itself has an index in the order of the field.
func (p plan) isNative(f *Field) bool {
	return f.Name == "id" || f.Name == p.relation.table.ConflictColumn
}

// findIndexes looks up the indexes on the fields that the plan filters or sorts by.
func (p *plan) findIndexes(ctx context.Context, tx pgx.Tx) error {
	if p.relation.Computed || p.among != nil || len(p.conditions) == 0 && p.isNative(p.sort) {
		return nil
	}
	found, err := q.New(tx).ListReadyIndexes(ctx, q.ListReadyIndexesParams{TenantID: p.tenant, WorkspaceID: p.workspace,
		Slug: p.relation.Slug})
	p.indexes = map[string]*index{}
	for _, row := range found {
		field, known := p.relation.Field(row.Field)
		// An index that was made for what the field was before is not used.
		if known && row.Type == string(field.Type) && row.Stored == field.stored && row.Cut == field.cut() {
			p.indexes[row.Field] = &index{row}
		}
	}
	return err
}

// needed returns the fields that an index would help.
func (p plan) needed() (fields []*Field) {
	add := func(f *Field) {
		if f.stored != "" && !p.isNative(f) && p.indexes[f.Name] == nil {
			fields = append(fields, f)
		}
	}
	add(p.sort)
	for _, c := range p.conditions {
		if c.operator != Contains {
			add(c.field)
		}
	}
	return fields
}

// noteUse asks for the indexes that a slow read lacked, and notes that those it had are in use. A failure is of
// no consequence to the read.
func (s *Service) noteUse(ctx context.Context, by auth.Principal, p plan, took time.Duration) {
	if p.indexes == nil {
		return
	}
	var wanted []*Field
	if took >= s.slowRead {
		wanted = p.needed()
	}
	var used []int64
	for _, x := range p.indexes {
		if p.now.Sub(x.UsedAt) > usedEvery && p.uses(x.Field) {
			used = append(used, x.ID)
		}
	}
	if len(wanted) == 0 && len(used) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		if len(used) > 0 {
			if err := q.New(tx).UseIndexes(ctx, q.UseIndexesParams{TenantID: by.Tenant, Ids: used}); err != nil {
				return err
			}
		}
		return s.want(ctx, tx, p, wanted)
	})
	if err != nil && s.Log != nil {
		s.Log.WarnContext(ctx, "indexes could not be asked for", "table", p.relation.Slug, "err", err)
	}
}

func (p plan) uses(name string) bool {
	for _, c := range p.conditions {
		if c.field.Name == name {
			return true
		}
	}
	return p.sort.Name == name
}

// want asks for indexes on fields of a large table.
func (s *Service) want(ctx context.Context, tx pgx.Tx, p plan, fields []*Field) error {
	if len(fields) == 0 {
		return nil
	}
	var rows int
	large := fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s t WHERE %s LIMIT $3) t", p.relation.from, p.relation.where)
	if err := tx.QueryRow(ctx, large, p.tenant, p.workspace, s.leastRows).Scan(&rows); err != nil || rows < s.leastRows {
		return err
	}
	home := p.relation.Slug
	if p.relation.table.Generic {
		home = "records"
	}
	for _, f := range fields {
		err := q.New(tx).WantIndex(ctx, q.WantIndexParams{TenantID: p.tenant, WorkspaceID: p.workspace, Slug: p.relation.Slug,
			Field: f.Name, Home: home, Stored: f.stored, Type: string(f.Type), Cut: f.cut(), Most: mostIndexes})
		if err != nil {
			return err
		}
	}
	return nil
}

// key returns the expression for the key of a value, given as a parameter.
func (x *index) key(parameter string) string {
	return fmt.Sprintf("workspace.index_key('%s', %t, %d, %s)", x.Type, x.Collated, x.Cut, parameter)
}

// point returns the condition on the entries e of one value.
func (x *index) point(b *builder, value string) string {
	if x.Collated {
		return fmt.Sprintf("e.key = '=' AND e.words = left(%s::text, %d)", b.param(value), x.Cut)
	}
	return fmt.Sprintf("e.key = %s AND e.words = ''", x.key(b.param(value)+"::text"))
}

// group is all conditions on one field that has an index.
type group struct {
	index      *index
	conditions []condition // that the entries can tell; the others are looked up in the rows
	exact      bool        // the entries tell all about every condition on the field
}

// groups returns what the indexes can tell about the plan's conditions.
func (p plan) groups() (groups []*group) {
	by := map[string]*group{}
	for _, c := range p.conditions {
		x := p.indexes[c.field.Name]
		if x == nil {
			continue
		}
		g := by[c.field.Name]
		if g == nil {
			g = &group{index: x, exact: true}
			by[c.field.Name] = g
			groups = append(groups, g)
		}
		g.add(c)
	}
	kept := groups[:0]
	for _, g := range groups {
		if len(g.conditions) > 0 {
			kept = append(kept, g)
		}
	}
	return kept
}

// add adds a condition. Conditions that are one range each hold together; one that is several ranges
// stands alone.
func (g *group) add(c condition) {
	for _, value := range c.values {
		if c.field.Type == registry.Text && utf8.RuneCountInString(value) >= int(g.index.Cut) {
			g.exact = false // longer texts begin the same way
		}
	}
	first := len(g.conditions) == 0
	switch {
	case c.operator == Contains, c.operator == NotEquals && !g.exact, c.isSplit() && !first:
		g.exact = false
	case !first && g.conditions[0].isSplit():
		g.conditions, g.exact = []condition{c}, false
	default:
		g.conditions = append(g.conditions, c)
	}
}

// isSplit reports whether the rows of a condition are in more than one range of an index.
func (c condition) isSplit() bool {
	return c.operator == NotEquals || c.operator == Empty && c.empty && c.field.Type == registry.Text
}

// isPoint reports whether the group's entries have one key, so that they are sorted by id.
func (g *group) isPoint() bool {
	return len(g.conditions) == 1 && (g.conditions[0].operator == Equals || g.conditions[0].operator == Empty &&
		g.conditions[0].empty && !g.conditions[0].isSplit())
}

// spans returns the conditions of the group's ranges on the entries e.
func (g *group) spans(b *builder) []string {
	if g.conditions[0].isSplit() {
		return g.index.split(b, g.conditions[0])
	}
	ranges := make([]string, 0, len(g.conditions))
	for _, c := range g.conditions {
		ranges = append(ranges, g.index.span(b, c))
	}
	return []string{strings.Join(ranges, " AND ")}
}

// split returns the ranges of a condition that has several.
func (x *index) split(b *builder, c condition) []string {
	nothing := "e.key = '' AND e.words = ''"
	switch {
	case c.operator == Empty:
		return []string{nothing, "e.key = '=' AND e.words = ''"}
	case x.Collated:
		value := b.param(c.values[0]) + "::text"
		return []string{nothing, "e.key = '=' AND e.words < " + value, "e.key = '=' AND e.words > " + value}
	}
	key := x.key(b.param(c.values[0]) + "::text")
	return []string{"e.key < " + key, "e.key > " + key}
}

// span returns the range of a condition that has one.
func (x *index) span(b *builder, c condition) string {
	switch c.operator {
	case Equals:
		return x.point(b, c.values[0])
	case In:
		values := b.param(c.values) + "::text[]"
		if x.Collated {
			return fmt.Sprintf("e.key = '=' AND e.words = ANY (ARRAY(SELECT left(v, %d) FROM unnest(%s) v))", x.Cut, values)
		}
		return fmt.Sprintf("e.key = ANY (ARRAY(SELECT %s FROM unnest(%s) v))", x.key("v"), values)
	case Greater, GreaterOrEq, Less, LessOrEq:
		comparison := map[Operator]string{Greater: ">", GreaterOrEq: ">=", Less: "<", LessOrEq: "<="}[c.operator]
		return fmt.Sprintf("e.key > '' AND e.key %s %s", comparison, x.key(b.param(c.values[0])+"::text"))
	case Empty:
		switch {
		case c.empty:
			return "e.key = '' AND e.words = ''"
		case x.Collated:
			return "e.key = '=' AND e.words > ''"
		case c.field.Type == registry.Text:
			return "e.key > '='"
		}
		return "e.key > ''"
	case NotEquals, Contains: // not one range
	}
	return "false"
}
