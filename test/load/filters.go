package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fieldindex"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/query"
)

// This file measures every filter and sort that the grid offers, on columns of every type: of a built-in table, those that
// a company has added to it, and of a table of the company's own. The bare statement reads a copy with a typed column
// for each field, a B-tree index on each column, and no row security: PostgreSQL as fast as it can be.

const (
	// filterRows is from how many rows on filters and sorts are measured, which takes many minutes.
	filterRows = 500_000
	// filterSlice is how long one case is measured.
	filterSlice = 300 * time.Millisecond
	// mostMilliseconds is how long a page may take on an idle machine.
	mostMilliseconds = 50
	// worstShown is how many cases are printed.
	worstShown = 40
)

// filtered is a table, and its columns that are filtered and sorted by.
type filtered struct {
	slug, home, copy string
	second           string // pages of filters are also sorted by this column
	contains         string // the column that is searched for a part of a text
	columns          []string
}

var filteredTables = []filtered{
	{slug: "orders", home: "orders", second: "ordered_at", contains: "customer_email",
		columns: []string{"status", "customer_email", "total", "ordered_at", "cancelled_at", "is_test", "note", "subtotal", "hazard", "score"},
		copy:    "SELECT o.*, o.custom ->> 'hazard' AS hazard, (o.custom ->> 'score')::numeric AS score FROM workspace.orders o"},
	{slug: "decisions", home: "records", second: "decided_on", contains: "title",
		columns: []string{"title", "weight", "decided_on", "approved", "decided_at", "reference"},
		copy: `SELECT r.id, r.tenant_id, r.workspace_id, r.external_id, r.version, r.created_at, r.updated_at, d.*
			FROM workspace.records r, jsonb_to_record(r.data) AS d (title text, weight numeric, decided_on date, approved boolean, decided_at timestamptz, reference uuid)`},
}

// filters measures.
type filters struct {
	reads
	cells *pg.Cells
	cases []filterResult
}

// filterResult is one measured case.
type filterResult struct {
	name                string
	bare, engine, least float64
	ratios              series
	judged              bool // contains is not: PostgreSQL has no index for it either
}

func measureFilters(ctx context.Context, r *reads, cells *pg.Cells, w io.Writer) error {
	f := &filters{reads: *r, cells: cells}
	f.slice = filterSlice
	began := time.Now()
	for _, table := range filteredTables {
		if err := f.prepare(ctx, table); err != nil {
			return fmt.Errorf("%s: %w", table.slug, err)
		}
	}
	fmt.Fprintf(w, "\nindexes on fields and copies were made in %s\n", time.Since(began).Round(time.Second))
	for _, table := range filteredTables {
		if err := f.measureTable(ctx, table); err != nil {
			return fmt.Errorf("%s: %w", table.slug, err)
		}
	}
	return f.report(w)
}

// prepare makes the bare copy with its indexes, and has the fields indexed.
func (f *filters) prepare(ctx context.Context, table filtered) error {
	bare := "workspace.bare_" + table.slug
	steps := []string{"CREATE TABLE " + bare + " AS " + table.copy, "ALTER TABLE " + bare + " ADD PRIMARY KEY (tenant_id, id)",
		"GRANT SELECT ON " + bare + " TO " + pg.AppRole}
	for _, column := range table.columns {
		steps = append(steps, fmt.Sprintf("CREATE INDEX ON %s (tenant_id, workspace_id, %s, id)", bare, column))
	}
	for _, step := range append(steps, "VACUUM ANALYZE "+bare) {
		if err := f.cluster.exec(ctx, step); err != nil {
			return err
		}
	}
	relation, err := f.engine.Table(ctx, f.by, table.slug)
	if err != nil {
		return err
	}
	err = f.cells.InTenant(ctx, f.by.Tenant, func(tx pgx.Tx) error {
		for _, name := range table.columns {
			if err := want(ctx, tx, f, relation, table, name); err != nil {
				return err
			}
		}
		return nil
	})
	builder := fieldindex.New(f.cells, slog.New(slog.DiscardHandler), func(string, int64, int64) {})
	for unready := 1; err == nil && unready > 0; {
		if err = builder.Keep(ctx); err == nil {
			err = f.cluster.admin.QueryRow(ctx, "SELECT count(*) FROM workspace.indexed_fields WHERE state <> 'ready'").Scan(&unready)
		}
	}
	if err != nil {
		return err
	}
	return f.cluster.exec(ctx, "VACUUM ANALYZE workspace.index_entries")
}

// want asks for an index as a slow read does.
func want(ctx context.Context, tx pgx.Tx, f *filters, relation *query.Relation, table filtered, name string) error {
	field, _ := relation.Field(name)
	stored, cut := "column", int32(300)
	switch {
	case table.home == "records":
		stored = "data"
	case name == "hazard" || name == "score":
		stored = "custom"
	}
	if field.Type != "text" {
		cut = 500
	}
	return q.New(tx).WantIndex(ctx, q.WantIndexParams{TenantID: f.by.Tenant, WorkspaceID: f.by.Workspace, Slug: table.slug, Field: name,
		Home: table.home, Stored: stored, Type: string(field.Type), Cut: cut, Most: 100})
}

// measureTable measures every filter and sort of a table.
func (f *filters) measureTable(ctx context.Context, table filtered) error {
	relation, err := f.engine.Table(ctx, f.by, table.slug)
	if err != nil {
		return err
	}
	for _, name := range table.columns {
		field, _ := relation.Field(name)
		for _, desc := range []bool{false, true} {
			if err := f.measureSort(ctx, table, name, desc); err != nil {
				return err
			}
		}
		values, err := f.values(ctx, table, name)
		if err != nil {
			return err
		}
		for _, operator := range field.Operators() {
			if operator == query.Contains && name != table.contains {
				continue
			}
			if err := f.measureOperator(ctx, table, field, operator, values); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureSort measures the first page, and one after 20,000 rows.
func (f *filters) measureSort(ctx context.Context, table filtered, name string, desc bool) error {
	direction := map[bool]string{false: "ASC", true: "DESC"}[desc]
	request := query.Request{ViewSlug: table.slug, SortBy: name, SortDesc: desc}
	sql := fmt.Sprintf("SELECT * FROM workspace.bare_%s WHERE OWN ORDER BY %s %s, id %[3]s LIMIT 51", table.slug, name, direction)
	if f.hasHoles(ctx, table, name) && desc { // so that the bare statement can use its index
		sql = fmt.Sprintf("SELECT * FROM workspace.bare_%s WHERE OWN AND %s IS NOT NULL ORDER BY %[2]s DESC, id DESC LIMIT 51", table.slug, name)
	}
	label := fmt.Sprintf("%s by %s %s", table.slug, name, strings.ToLower(direction))
	if err := f.page(ctx, label, request, sql, nil, true); err != nil {
		return err
	}
	late := request
	late.Limit, late.SelectFields = query.MaxLimit, []string{"id"}
	for range min(20, f.reads.reads/query.MaxLimit/2) {
		page, err := f.engine.Rows(ctx, f.by, late)
		if err != nil {
			return err
		}
		late.Cursor = page.NextCursor
	}
	request.Cursor = late.Cursor
	return f.page(ctx, label+", late", request, sql, nil, true)
}

func (f *filters) hasHoles(ctx context.Context, table filtered, name string) (holes bool) {
	_ = f.cluster.admin.QueryRow(ctx, fmt.Sprintf("SELECT EXISTS (SELECT FROM workspace.bare_%s WHERE %s IS NULL)", table.slug, name)).Scan(&holes)
	return holes
}

// values returns values of a column that few, half and nearly all rows are below.
func (f *filters) values(ctx context.Context, table filtered, name string) (values []string, err error) {
	err = f.cluster.admin.QueryRow(ctx, fmt.Sprintf(`SELECT array_agg(DISTINCT to_json(v) #>> '{}') FROM (
			SELECT unnest((SELECT percentile_disc('{0.001,0.5,0.999}'::float8[]) WITHIN GROUP (ORDER BY %s) FROM workspace.bare_%s WHERE tenant_id = $1)) AS v) p`,
		name, table.slug), f.by.Tenant).Scan(&values)
	return values, err
}

// measureOperator measures pages by id and by another field, and counts.
func (f *filters) measureOperator(ctx context.Context, table filtered, field *query.Field, operator query.Operator, values []string) error {
	switch operator {
	case query.In:
		values = []string{strings.Join(values, "\x00")}
	case query.Empty:
		values = []string{"true", "false"}
	case query.Equals, query.NotEquals, query.Greater, query.GreaterOrEq, query.Less, query.LessOrEq, query.Contains:
	}
	for _, value := range values {
		if err := f.measureFilter(ctx, table, field, operator, value); err != nil {
			return err
		}
	}
	return nil
}

func (f *filters) measureFilter(ctx context.Context, table filtered, field *query.Field, operator query.Operator, value string) error {
	sent, args, condition := bareCondition(field, operator, value)
	filter, err := json.Marshal(map[string]any{field.Name: map[string]any{string(operator): sent}})
	if err != nil {
		return err
	}
	from := fmt.Sprintf("FROM workspace.bare_%s WHERE OWN AND %s", table.slug, condition)
	label := fmt.Sprintf("%s %s", table.slug, strings.ReplaceAll(string(filter), `"`, ""))
	judged := operator != query.Contains
	request := query.Request{ViewSlug: table.slug, Filters: filter}
	if err := f.page(ctx, label, request, "SELECT * "+from+" ORDER BY id LIMIT 51", args, judged); err != nil || !judged {
		return err
	}
	second := request
	second.SortBy, second.SortDesc = table.second, true
	if err := f.page(ctx, label+" by "+table.second, second, fmt.Sprintf("SELECT * %s ORDER BY %s DESC, id DESC LIMIT 51", from, table.second),
		args, judged); err != nil {
		return err
	}
	return f.take(label+" count", judged, func() error { return f.bareOnce(ctx, "SELECT count(*) FROM (SELECT "+from+" LIMIT 10001) t", args) },
		func() error { _, err := f.engine.Count(ctx, f.by, request); return err })
}

// bareCondition returns a filter's value as it is sent, and the handwritten condition.
func bareCondition(field *query.Field, operator query.Operator, value string) (sent any, args []any, condition string) {
	sqlType := field.Type.SQL()
	sent, args = value, []any{value}
	if field.Type == "boolean" || operator == query.Empty {
		sent = value == "true"
	}
	comparison := map[query.Operator]string{query.Equals: "=", query.NotEquals: "IS DISTINCT FROM", query.Greater: ">", query.GreaterOrEq: ">=",
		query.Less: "<", query.LessOrEq: "<="}[operator]
	switch operator {
	case query.In:
		list := strings.Split(value, "\x00")
		return list, []any{list}, fmt.Sprintf("%s = ANY ($3::text[]::%s[])", field.Name, sqlType)
	case query.Contains:
		return value, args, field.Name + " ILIKE '%' || $3 || '%'"
	case query.Empty:
		condition = field.Name + " IS NULL"
		if field.Type == "text" {
			condition = fmt.Sprintf("(%s IS NULL OR %[1]s = '')", field.Name)
		}
		if value == "false" {
			condition = "NOT " + condition
		}
		return sent, nil, condition
	case query.Equals, query.NotEquals, query.Greater, query.GreaterOrEq, query.Less, query.LessOrEq:
	}
	return sent, args, fmt.Sprintf("%s %s $3::text::%s", field.Name, comparison, sqlType)
}

// page measures one page.
func (f *filters) page(ctx context.Context, name string, request query.Request, sql string, args []any, judged bool) error {
	return f.take(name, judged, func() error { return f.bareOnce(ctx, sql, args) },
		func() error { _, err := f.engine.Rows(ctx, f.by, request); return err })
}

func (f *filters) bareOnce(ctx context.Context, sql string, args []any) error {
	return f.byHand(ctx, strings.ReplaceAll(sql, "OWN", "tenant_id = $1 AND workspace_id = $2"), args)
}

func (f *filters) take(name string, judged bool, byHand, byEngine func() error) error {
	least := 1e9
	bare, engine, ratios, err := f.turns(byHand, func() error {
		took, err := timed(byEngine)
		least = min(least, took)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.cases = append(f.cases, filterResult{name: name, bare: bare, engine: engine, least: least, ratios: ratios, judged: judged})
	return nil
}

// report prints the worst cases, and fails if one costs too much. The fastest round counts for the time, because the
// machine may be busy.
func (f *filters) report(w io.Writer) error {
	slices.SortFunc(f.cases, func(a, b filterResult) int { return cmp.Compare(b.ratios.median(), a.ratios.median()) })
	var tooSlow []string
	above, long := 0, 0
	for _, c := range f.cases {
		if !c.judged {
			continue
		}
		if c.ratios.median() > mostOverBare {
			above++
		}
		if c.engine > mostMilliseconds {
			long++
		}
		if v, _ := judge(c.ratios, mostOverBare, true, ""); v == missed || c.least > mostMilliseconds {
			tooSlow = append(tooSlow, fmt.Sprintf("%s: %.2f, %.1f ms", c.name, c.ratios.median(), c.least))
		}
	}
	fmt.Fprintf(w, "\n%d filters, sorts and counts on %d rows; medians in ms, worst ratio first\n\n%-78s %9s %9s %9s %7s\n", len(f.cases),
		f.reads.reads, "", "bare", "engine", "fastest", "ratio")
	for _, c := range f.cases[:min(worstShown, len(f.cases))] {
		fmt.Fprintf(w, "%-78s %9.2f %9.2f %9.2f %7.2f\n", c.name, c.bare, c.engine, c.least, c.ratios.median())
	}
	slices.SortFunc(f.cases, func(a, b filterResult) int { return cmp.Compare(b.engine, a.engine) })
	fmt.Fprint(w, "\nlongest first\n\n")
	for _, c := range f.cases[:min(worstShown/2, len(f.cases))] {
		fmt.Fprintf(w, "%-78s %9.2f %9.2f %9.2f %7.2f\n", c.name, c.bare, c.engine, c.least, c.ratios.median())
	}
	fmt.Fprintf(w, "\n%d with a ratio above %d, %d above %d ms (without contains)\n", above, mostOverBare, long, mostMilliseconds)
	if tooSlow != nil {
		return fmt.Errorf("more than %d times the bare statement or more than %d ms: %s", mostOverBare, mostMilliseconds,
			strings.Join(tooSlow, "; "))
	}
	return nil
}
