package query

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// This file decides how the rows of a page are found. PostgreSQL's planner cannot: it does not know how the
// entries of one field are spread. All ways give the same rows in the same order.

// way is how rows are found.
type way int

const (
	scan    way = iota // as PostgreSQL thinks best
	gather             // the rows that an index has for a condition, then sorted
	walk               // the rows in the order of the index on the sort field, until the page is full
	point              // the rows of one value, which an index has in the order of their ids
	inOrder            // the rows in an order that the table has an index for, until the page is full
)

// access is a way, and what it needs.
type access struct {
	way    way
	group  *group // of gather and point
	covers bool   // the entries tell all that the plan asks for, so the first ones fill the page
	bound  int    // looks at so many rows at most; 0: all
}

const (
	// walkFactor is how many times more rows a walk looks at than a condition would have to have to be gathered.
	walkFactor = 4
	// gatherShare is the share of all rows up to which gathering is better than reading them all.
	gatherShare = 5
	// gatherCount is how many rows are gathered to be counted.
	gatherCount = 20_000
)

// size is about how many rows the table has.
func (p plan) size() int {
	rows := int64(1000)
	for _, x := range p.indexes {
		rows = max(rows, x.Rows)
	}
	return int(rows)
}

// steps returns the numbers of rows up to which a condition is gathered, in the order in which they are tried: what
// the first page of a filter that many rows match costs must not depend on how many rows there are.
func (p plan) steps() (steps []int) {
	for _, factor := range []int{2, 20} {
		if step := factor * (p.limit + 1); step < p.worth() {
			steps = append(steps, step)
		}
	}
	return append(steps, p.worth())
}

// worth is the number of rows at which gathering them all costs as much as walking until the page is full, if
// they are spread evenly: both then read as many.
func (p plan) worth() int { return int(math.Sqrt(float64((p.limit + 1) * p.size()))) }

// covers reports whether the group's entries tell all that the plan asks for.
func (p plan) covers(g *group) bool {
	return g.exact && len(g.conditions) == len(p.conditions)
}

// choose returns the way for a page: the rows of a condition are gathered if there are fewer than a number, and a walk looks
// at a multiple of it.
func (p plan) choose(ctx context.Context, tx pgx.Tx, than int) (access, error) {
	groups := p.groups()
	sorted := p.indexes[p.sort.Name]
	if sorted != nil && (len(p.conditions) == 0 || p.covers(p.own(groups))) {
		return access{way: walk, covers: true}, nil
	}
	if len(groups) == 0 {
		if sorted == nil {
			return access{}, nil
		}
		return access{way: walk, bound: walkFactor * than}, nil
	}
	bounded := p.inSortOrder(groups, walkFactor*than)
	if bounded.covers {
		return bounded, nil
	}
	smallest, few, err := p.smallest(ctx, tx, groups, than)
	if err != nil || few {
		return access{way: gather, group: smallest, covers: p.covers(smallest)}, err
	}
	if bounded.way == scan {
		return p.otherwise(ctx, tx)
	}
	return bounded, nil
}

// inSortOrder returns the way that finds rows in the order of the page, looking at a bounded number of them.
func (p plan) inSortOrder(groups []*group, bound int) access {
	if p.sort.order == p.relation.key {
		for _, g := range groups {
			if g.isPoint() {
				return access{way: point, group: g, covers: p.covers(g), bound: bound}
			}
		}
	}
	switch {
	case p.indexes[p.sort.Name] != nil:
		return access{way: walk, bound: bound}
	case p.isNative(p.sort):
		return access{way: inOrder, bound: bound}
	}
	return access{}
}

// otherwise returns the way for a page that could not be filled within the bound.
func (p plan) otherwise(ctx context.Context, tx pgx.Tx) (access, error) {
	groups := p.groups()
	if len(groups) == 1 && p.sort.order == p.relation.key && p.covers(groups[0]) {
		return access{way: gather, group: groups[0], covers: true}, nil
	}
	return p.gathering(ctx, tx, p.size()/gatherShare)
}

// gathering gathers the rows of a condition if there are fewer than a number.
func (p plan) gathering(ctx context.Context, tx pgx.Tx, than int) (access, error) {
	groups := p.groups()
	if len(groups) == 0 {
		return access{}, nil
	}
	smallest, few, err := p.smallest(ctx, tx, groups, than)
	if err != nil || !few {
		return access{}, err
	}
	return access{way: gather, group: smallest}, nil
}

// own returns the group of the sort field, if its conditions are one range of the index.
func (p plan) own(groups []*group) *group {
	for _, g := range groups {
		if g.index.Field == p.sort.Name && !g.conditions[0].isSplit() {
			return g
		}
	}
	return &group{} // covers nothing
}

// smallest returns the group with the fewest entries, and whether they are fewer than a number.
func (p plan) smallest(ctx context.Context, tx pgx.Tx, groups []*group, than int) (least *group, few bool, err error) {
	b := p.newBuilder()
	counts := make([]string, 0, len(groups))
	for _, g := range groups {
		counts = append(counts, fmt.Sprintf("(SELECT count(*) FROM (%s LIMIT %d) e)", p.entries(b, g, than), than))
	}
	stmt := statement{"SELECT ARRAY[" + strings.Join(counts, ", ") + "]::bigint[], $2::uuid", b.args}
	var counted []int
	if err := tx.QueryRow(ctx, stmt.sql, stmt.parameters()...).Scan(&counted, nil); err != nil {
		return nil, false, err
	}
	best := 0
	for i, count := range counted {
		if count < counted[best] {
			best = i
		}
	}
	return groups[best], counted[best] < than, nil
}

// entries returns the statement for the ids of a group's entries, at most so many of each range; 0: all.
func (p plan) entries(b *builder, g *group, most int) string {
	limit := ""
	if most > 0 {
		limit = " LIMIT " + strconv.Itoa(most)
	}
	spans := g.spans(b)
	parts := make([]string, 0, len(spans))
	for _, span := range spans {
		parts = append(parts, fmt.Sprintf("(SELECT e.id FROM workspace.index_entries e WHERE %s AND %s%s)", g.index.own(), span, limit))
	}
	return "SELECT e.id FROM (" + strings.Join(parts, " UNION ALL ") + ") e"
}

// own is the condition on the entries e of the index. Parameter: tenant $1.
func (x *index) own() string {
	return fmt.Sprintf("e.tenant_id = $1::uuid AND e.index_id = %d::bigint", x.ID)
}

// lookUp returns a FROM clause for rows t that are looked up one by one, in the order of the entries e. OFFSET 0 keeps the
// planner from joining them in another way.
func (p plan) lookUp(entries string, where []string) string {
	return fmt.Sprintf("FROM (%s) e CROSS JOIN LATERAL (SELECT * FROM %s t WHERE %s AND %s = e.id OFFSET 0) t", entries,
		p.source, strings.Join(where, " AND "), p.relation.key)
}

// gathered returns the FROM clause for the rows of a group, with the plan's conditions on them. If the entries
// tell everything, only the first ones in the order of ids are looked up.
func (p plan) gathered(b *builder, where []string, limit int) string {
	entries := p.entries(b, p.access.group, 0)
	if p.access.covers && p.sort.order == p.relation.key && limit > 0 {
		if p.from != nil {
			entries += fmt.Sprintf(" WHERE e.id %s %s::text", p.after(), b.param(p.from.key))
		}
		entries += fmt.Sprintf(" ORDER BY e.id %s LIMIT %d", p.direction(), limit)
	}
	return p.lookUp(entries, where)
}

// walked returns the statement for a page in the order of entries: of the index on the sort field, or of one value.
func (p plan) walked(nothing bool, limit int) statement {
	b, where := p.begin()
	entries, order := p.walkedEntries(b, nothing)
	most := p.access.bound
	if p.access.covers {
		most = limit
	}
	entries += fmt.Sprintf(" ORDER BY %s LIMIT %d", order, most)
	return statement{fmt.Sprintf("SELECT %s %s ORDER BY %s LIMIT %s::bigint", p.columns(), p.lookUp(entries, where), order,
		b.param(strconv.Itoa(limit))), b.args}
}

// walkedEntries returns the statement for the entries of a walk from the page's beginning on, and their order.
func (p plan) walkedEntries(b *builder, nothing bool) (entries, order string) {
	direction, after := p.direction(), p.after()
	x, byID := p.indexes[p.sort.Name], nothing
	var where []string
	switch {
	case p.access.way == point:
		x, byID = p.access.group.index, true
		where = p.access.group.spans(b)
	case nothing:
		where = append(where, "e.key = '' AND e.words = ''")
	default:
		where = append(where, "e.key > ''")
	}
	if p.access.way == walk {
		if own := p.own(p.groups()); own.index != nil {
			where = append(where, own.spans(b)...)
		}
	}
	where = append(where, x.own())
	order = fmt.Sprintf("e.key %[1]s, e.words %[1]s, e.id %[1]s", direction)
	if byID {
		order = "e.id " + direction
	}
	switch {
	case p.from == nil:
	case byID && (p.access.way == point || p.from.value == nil):
		where = append(where, fmt.Sprintf("e.id %s %s::text", after, b.param(p.from.key)))
	case !byID:
		value := b.param(*p.from.value) + "::text"
		words := "''"
		if x.Collated {
			words = fmt.Sprintf("left(%s, %d)", value, x.Cut)
		}
		where = append(where, fmt.Sprintf("(e.key, e.words, e.id) %s (%s, %s, %s::text)", after, x.key(value), words,
			b.param(p.from.key)))
	}
	return "SELECT e.id, e.key, e.words FROM workspace.index_entries e WHERE " + strings.Join(where, " AND "), order
}

// isCut reports whether there are rows beyond the bound of a page's way.
func (p plan) isCut(ctx context.Context, tx pgx.Tx, nothing bool) (cut bool, err error) {
	if p.access.bound == 0 || p.access.covers {
		return false, nil
	}
	b := p.newBuilder()
	var rows string
	if p.access.way == inOrder {
		where, order := p.placed(b, []string{p.relation.where}, nothing)
		rows = fmt.Sprintf("SELECT FROM %s t WHERE %s ORDER BY %s", p.source, strings.Join(where, " AND "), order)
	} else {
		entries, order := p.walkedEntries(b, nothing)
		rows = entries + " ORDER BY " + order
	}
	stmt := statement{fmt.Sprintf("SELECT EXISTS (%s OFFSET %d LIMIT 1), $2::uuid", rows, p.access.bound), b.args}
	err = tx.QueryRow(ctx, stmt.sql, stmt.parameters()...).Scan(&cut, nil)
	return cut, err
}

// counting returns the way to count the plan's rows.
func (p plan) counting(ctx context.Context, tx pgx.Tx) (access, error) {
	for _, g := range p.groups() {
		if p.covers(g) {
			return access{way: gather, group: g, covers: true}, nil
		}
	}
	return p.gathering(ctx, tx, gatherCount)
}

func (p plan) direction() string {
	if p.desc {
		return "DESC"
	}
	return "ASC"
}

// after is the comparison of what comes after a place.
func (p plan) after() string {
	if p.desc {
		return "<"
	}
	return ">"
}
