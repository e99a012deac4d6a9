// Package query reads relations by their slug: any table of the registry and any computed view.
// Rows are filtered, sorted and returned in stable pages; they can be counted, exported
// and read one by one, with the history of their writes. The grid and data_query use the same
// functions.
//
// Nothing that a caller sends becomes part of a statement: fields are looked up in the
// relation's description, operators in a list, and values are parameters. Reads run in a
// read-only transaction with a timeout, bound to the caller's tenant by row security and to
// their workspace by the statement.
package query

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/search"
)

const (
	// pageTimeout limits a page or a count.
	pageTimeout = 10 * time.Second
	// exportTimeout limits an export, including the time that its reader takes.
	exportTimeout = 15 * time.Minute
	// pageBytes limits the size of a page of more than one row. A page of long texts ends
	// early, and the next one continues there.
	pageBytes = 4 << 20
	// CountedTo is the number at which a count stops.
	CountedTo = 10_000
	// attempts limits how often a read starts over because the registry changed.
	attempts = 3
)

// Service reads tables.
type Service struct {
	cells  *pg.Cells
	tables *registry.Service
	past   Past
	budget Budget

	Log *slog.Logger // of what went wrong beside a read; nil: nobody is told

	pageTimeout, exportTimeout time.Duration
	now                        func() time.Time
	slowRead                   time.Duration
	leastRows                  int
}

// New returns the service.
func New(cells *pg.Cells, tables *registry.Service, past Past, budget Budget) *Service {
	return &Service{cells: cells, tables: tables, past: past, budget: budget, pageTimeout: pageTimeout, exportTimeout: exportTimeout, now: time.Now,
		slowRead: slowRead, leastRows: leastRows}
}

// Row is one row of a relation.
type Row struct {
	ID      string
	Version int64           // 0 for a row of a computed view
	Values  json.RawMessage // the requested fields as an object, in the requested order
	Links   Links           // set for a row that was read alone
}

// Page is a page of rows.
type Page struct {
	Rows       []Row
	Links      Links  // names of the referenced records
	NextCursor string // empty: no more rows
	AsOf       string // the day as of which a computed view was computed; empty for a table
	SearchCut  bool   // the search may have found more than MostFound records; only the best are returned
}

// Table describes one relation.
func (s *Service) Table(ctx context.Context, by auth.Principal, slug string) (*Relation, error) {
	found, err := s.Find(ctx, by, slug)
	if err != nil {
		return nil, err
	}
	return found.Relation(), nil
}

// relation finds a relation by its slug. A computed view is known without the registry.
func (s *Service) relation(ctx context.Context, by auth.Principal, slug string,
	find func(context.Context, uuid.UUID, string) (*registry.Table, error)) (*Relation, error) {
	if view := computedView(slug); view != nil {
		return view, nil
	}
	table, err := find(ctx, by.Tenant, slug)
	if err != nil {
		return nil, err
	}
	return fromTable(table), nil
}

// Rows returns one page.
func (s *Service) Rows(ctx context.Context, by auth.Principal, request Request) (page Page, err error) {
	request.linked = true
	err = s.reading(ctx, by, request, s.pageTimeout, func(tx pgx.Tx, p plan) (err error) {
		page, err = p.read(ctx, tx)
		return err
	})
	return page, err
}

// Count is a number of rows.
type Count struct {
	Rows int64
	More bool // there are more; Rows is CountedTo
}

// Count counts the rows that match a request's filters.
func (s *Service) Count(ctx context.Context, by auth.Principal, request Request) (count Count, err error) {
	err = s.reading(ctx, by, request, s.pageTimeout, func(tx pgx.Tx, p plan) (err error) {
		if p.access, err = p.counting(ctx, tx); err != nil {
			return err
		}
		stmt := p.count(CountedTo + 1)
		return tx.QueryRow(ctx, stmt.sql, stmt.parameters()...).Scan(&count.Rows)
	})
	if count.Rows > CountedTo {
		count = Count{CountedTo, true}
	}
	return count, err
}

// Get returns one row, with all its fields.
func (s *Service) Get(ctx context.Context, by auth.Principal, slug, id string, given Parameters) (
	row Row, err error) {
	if !isText(id) {
		return Row{}, unknownRecord(slug, id)
	}
	err = s.reading(ctx, by, Request{ViewSlug: slug, Parameters: given, linked: true}, s.pageTimeout, func(tx pgx.Tx, p plan) (err error) {
		page := &pageReader{plan: p, most: 1}
		if err := page.run(ctx, tx, p.one(id)); err != nil {
			return err
		}
		if len(page.rows) == 0 {
			return unknownRecord(slug, id)
		}
		row = page.rows[0]
		row.Links, err = page.labels(ctx, tx)
		return err
	})
	return row, err
}

func unknownRecord(slug, id string) error {
	return fault.New(fault.NotFound, "unknown_record", "%s has no record with the id %s in this workspace", slug,
		fault.Shorten(id))
}

// errStale means that the registry changed after the relation was described; the read starts
// over.
var errStale = errors.New("the table's registration changed")

// reading runs fn with the request's plan, in its own transaction.
func (s *Service) reading(ctx context.Context, by auth.Principal, request Request, within time.Duration,
	fn func(pgx.Tx, plan) error) error {
	if err := by.Require(auth.Read); err != nil {
		return err
	}
	relation, err := s.relation(ctx, by, request.ViewSlug, s.tables.Table)
	if err != nil {
		return err
	}
	request.now = s.now()
	var read plan
	var began time.Time
	for range attempts {
		var referred map[string]*Relation
		if referred, err = s.referred(ctx, by, relation, request); err != nil {
			return err
		}
		err = s.cells.Reading(ctx, by.Tenant, within, func(tx pgx.Tx) error {
			if err := relation.isCurrent(ctx, tx, by.Tenant); err != nil {
				return err
			}
			p, err := s.plan(ctx, tx, by, relation, request)
			if err != nil {
				return err
			}
			p.referred = referred
			began, read = time.Now(), p
			return fn(tx, p)
		})
		if !errors.Is(err, errStale) {
			if err == nil || pg.TookTooLong(err) {
				s.noteUse(ctx, by, read, time.Since(began))
			}
			return explain(ctx, err, within)
		}
		if relation, err = s.relation(ctx, by, request.ViewSlug, s.tables.Reload); err != nil {
			return err
		}
	}
	return fault.New(fault.Unavailable, "table_changing", "the columns of %s are being changed; try again in a moment",
		request.ViewSlug).After(time.Second)
}

// plan returns the request's plan, with all that is looked up before its rows are read.
func (s *Service) plan(ctx context.Context, tx pgx.Tx, by auth.Principal, relation *Relation, request Request) (plan, error) {
	p, err := relation.understand(by.Tenant, by.Workspace, by.Zone, request)
	if err != nil {
		return p, err
	}
	if err := p.find(ctx, tx, by); err != nil {
		return p, err
	}
	if err := p.lookBack(ctx, tx, s.past); err != nil {
		return p, err
	}
	if err := p.budget(ctx, tx, s.budget); err != nil {
		return p, err
	}
	return p, p.findIndexes(ctx, tx)
}

// isCurrent compares the registry's cache with the database, so that a column that was just
// added, by whichever instance, is seen.
func (r *Relation) isCurrent(ctx context.Context, tx pgx.Tx, tenant uuid.UUID) error {
	if r.Computed {
		return nil
	}
	version, err := q.New(tx).GetTableVersion(ctx, q.GetTableVersionParams{TenantID: tenant, Slug: r.table.Slug})
	if err != nil {
		return err
	}
	if version != r.table.Version {
		return errStale
	}
	return nil
}

// find runs the plan's search.
func (p *plan) find(ctx context.Context, tx pgx.Tx, by auth.Principal) (err error) {
	if p.search != "" {
		p.among, p.more, err = search.InTable(ctx, tx, by, p.relation.Slug, p.search)
	}
	return err
}

// explain phrases the two errors that a valid statement can have.
func explain(ctx context.Context, err error, within time.Duration) error {
	switch {
	case ctx.Err() != nil: // the caller is gone
		return err
	case pg.TookTooLong(err):
		return fault.New(fault.Invalid, "too_slow", "this takes longer than %s; add filters, or sort by id",
			within).Because(err)
	case pg.BadData(err):
		return fault.New(fault.Conflict, "unfit_values",
			"some records hold values that do not fit the type of a column you filter or sort by; "+
				"they were stored before the column had that type").Because(err)
	}
	return err
}

// parameters returns the statement's arguments for pgx. The statement is not prepared: there
// are too many different ones to keep, and each is planned for its values. Values are sent and
// returned as PostgreSQL's text, which is exact and cheap.
func (s statement) parameters() []any { return append([]any{pgx.QueryExecModeExec}, s.args...) }

// read reads one page of the plan.
func (p plan) read(ctx context.Context, tx pgx.Tx) (Page, error) {
	page, err := p.readRows(ctx, tx)
	if err != nil {
		return Page{}, err
	}
	links, err := page.labels(ctx, tx)
	read := Page{Rows: page.rows, Links: links, AsOf: p.asOf(), SearchCut: p.more}
	if page.more {
		read.NextCursor = p.cursor(page.last)
	}
	return read, err
}

// readRows reads the page's rows. A way that has looked at many rows without filling the page is given up for the next.
func (p plan) readRows(ctx context.Context, tx pgx.Tx) (page *pageReader, err error) {
	for _, step := range p.steps() {
		if p.access, err = p.choose(ctx, tx, step); err != nil {
			return nil, err
		}
		if page, cut, err := p.readWith(ctx, tx); err != nil || !cut {
			return page, err
		}
	}
	if p.access, err = p.otherwise(ctx, tx); err != nil {
		return nil, err
	}
	page, _, err = p.readWith(ctx, tx)
	return page, err
}

// readWith reads the page's rows in the plan's way. cut means that the way has looked at as many rows as it may,
// and the page may have more.
func (p plan) readWith(ctx context.Context, tx pgx.Tx) (page *pageReader, cut bool, err error) {
	page = &pageReader{plan: p, most: p.limit}
	for _, part := range p.parts() {
		if err := page.run(ctx, tx, p.page(part == withoutValue, p.limit+1)); err != nil || page.more {
			return page, false, err
		}
		if cut, err = p.isCut(ctx, tx, part == withoutValue); err != nil || cut {
			return page, cut, err
		}
	}
	return page, false, nil
}

// pageReader collects rows until the page is full.
type pageReader struct {
	plan  plan
	most  int
	rows  []Row
	bytes int
	last  place
	more  bool
	links map[string]map[string]bool // ids that the rows refer to, by field
}

func (r *pageReader) run(ctx context.Context, tx pgx.Tx, stmt statement) error {
	rows, err := tx.Query(ctx, stmt.sql, stmt.parameters()...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if len(r.rows) == r.most {
			r.more = true
			break
		}
		values := rows.RawValues()
		row := Row{ID: string(values[0]), Values: r.plan.object(values[leadingColumns:])}
		if row.Version, err = strconv.ParseInt(string(values[1]), 10, 64); err != nil {
			return err
		}
		r.bytes += len(row.Values)
		if len(r.rows) > 0 && r.bytes > r.plan.bytes {
			r.more = true
			break
		}
		r.rows = append(r.rows, row)
		r.references(values[leadingColumns:])
		r.last = place{key: row.ID}
		if values[2] != nil {
			ordered := string(values[2])
			r.last.value = &ordered
		}
	}
	rows.Close()
	return rows.Err()
}

// object returns a row's values as JSON.
func (p plan) object(values [][]byte) json.RawMessage {
	object := make([]byte, 0, 64*len(p.fields))
	object = append(object, '{')
	for i, field := range p.fields {
		if p.omitEmpty && values[i] == nil {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(appendQuoted(object, field.Name), ':')
		object = field.appendJSON(object, values[i])
	}
	return append(object, '}')
}
