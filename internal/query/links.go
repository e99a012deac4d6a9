package query

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

// Label is the name of a record in a field that refers to it.
type Label struct {
	Label string
	Code  string // empty: the record has only a label
}

// Links are the names of referenced records, by field and id. An id without a name belongs to
// no record of this workspace.
type Links map[string]map[string]Label

// referred describes the tables that the request's fields refer to, by slug. It runs before
// the read begins, because the registry may need a connection of its own. A table that no
// longer exists is left out.
func (s *Service) referred(ctx context.Context, by auth.Principal, relation *Relation, request Request) (
	map[string]*Relation, error) {
	relations := map[string]*Relation{}
	for i := range relation.Fields {
		field := &relation.Fields[i]
		wanted := request.linked && field.References != "" &&
			(len(request.SelectFields) == 0 || slices.Contains(request.SelectFields, field.Name))
		if !wanted || relations[field.References] != nil {
			continue
		}
		other, err := s.tables.Table(ctx, by.Tenant, field.References)
		switch {
		case fault.Is(err, fault.NotFound):
		case err != nil:
			return nil, err
		default:
			relations[field.References] = fromTable(other)
		}
	}
	return relations, nil
}

// references collects the ids that a row refers to.
func (r *pageReader) references(values [][]byte) {
	for i, field := range r.plan.fields {
		if field.References == "" || values[i] == nil {
			continue
		}
		if r.links == nil {
			r.links = map[string]map[string]bool{}
		}
		if r.links[field.Name] == nil {
			r.links[field.Name] = map[string]bool{}
		}
		r.links[field.Name][string(values[i])] = true
	}
}

// labels looks up the names of the referenced records: one statement for each table, by
// primary key.
func (r *pageReader) labels(ctx context.Context, tx pgx.Tx) (Links, error) {
	wanted := map[string][]string{}
	for name, ids := range r.links {
		field, _ := r.plan.relation.Field(name)
		wanted[field.References] = slices.AppendSeq(wanted[field.References], maps.Keys(ids))
	}
	named := map[string]map[string]Label{}
	for slug, ids := range wanted {
		slices.Sort(ids)
		found, err := r.plan.named(ctx, tx, r.plan.referred[slug], slices.Compact(ids))
		if err != nil {
			return nil, err
		}
		named[slug] = found
	}
	links := Links{}
	for name, ids := range r.links {
		field, _ := r.plan.relation.Field(name)
		links[name] = map[string]Label{}
		for id := range ids {
			if label, known := named[field.References][id]; known {
				links[name][id] = label
			}
		}
	}
	return links, nil
}

// named returns the names of a relation's records, by id.
func (p plan) named(ctx context.Context, tx pgx.Tx, relation *Relation, ids []string) (map[string]Label, error) {
	labels := map[string]Label{}
	if relation == nil {
		return labels, nil
	}
	stmt := p.naming(relation, ids)
	rows, err := tx.Query(ctx, stmt.sql, stmt.parameters()...)
	if err != nil {
		return nil, err
	}
	var id string
	var one Label
	_, err = pgx.ForEachRow(rows, []any{&id, &one.Label, &one.Code}, func() error {
		if one.Code == one.Label {
			one.Code = ""
		}
		labels[id] = one
		return nil
	})
	return labels, err
}

// naming returns the statement that reads the names of records by primary key. An article that was merged has the name of
// the other one.
func (p plan) naming(relation *Relation, ids []string) statement {
	b := p.newBuilder()
	label, code, wanted := relation.first(relation.View.Label), relation.first(relation.View.Code), b.param(ids)
	sql := fmt.Sprintf("SELECT %s, %s, %s FROM %s t WHERE %s AND %[1]s = ANY (%[6]s::text[])", relation.key, label, code,
		relation.from, relation.where, wanted)
	if relation.Slug == "products" {
		sql += fmt.Sprintf(` UNION ALL SELECT a.name, %s, %s FROM workspace.article_aliases a, %s t
            WHERE a.tenant_id = $1 AND a.name = ANY (%s::text[]) AND %s = a.product_id AND %s`,
			label, code, relation.from, wanted, relation.key, relation.where)
	}
	return statement{sql, b.args}
}

// first returns an expression for the first field that is not empty, as a short text.
func (r *Relation) first(names []string) string {
	var parts []string
	for _, name := range names {
		if field, ok := r.Field(name); ok {
			parts = append(parts, "nullif("+field.shown+"::text, '')")
		}
	}
	return fmt.Sprintf("left(coalesce(%s), %d)", strings.Join(append(parts, "''"), ", "), longestOrder)
}
