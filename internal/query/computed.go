package query

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

// A computed view is a relation without a table: its rows are computed from other tables when
// they are read. catalogue.go describes the views; views/<slug>.sql selects the rows, with a
// column for every field, and a text "key" that identifies a row unless the description has one. Its parameters are $1 the
// tenant, $2 the workspace, $3 the day as of which it is computed, and $4 the product, if the
// view takes one: an article's id, "all", or nothing. The statement never asks the clock. It
// may differ for all products: it is a template with the condition .Every. A field that is looked up
// row by row is quick for a page, and slow for all rows; if the rows are filtered or sorted by such a
// field, the condition .Joined holds.
//
// Two views read what is stored as of today, because a single statement cannot compute it. For an
// earlier day, the rows of their table are computed by a function and become the parameter $5, as
// JSON; the condition .Past says so. So a page of any day is filtered, sorted and counted alike. For
// the procurement queue $5 is what is left of the month's budget.

//go:embed views/*.sql
var viewFiles embed.FS

// Parameters are what a computed view is computed for. A view says which ones it takes.
type Parameters struct {
	AsOf    string // a date; figures end the day before. Empty: today in the workspace's time zone
	Product string // an article's id, or EveryProduct; empty: as the view says
}

// The names of the parameters.
const (
	AsOf    = "as_of"
	Product = "product"
)

// EveryProduct is the product that stands for all of them.
const EveryProduct = "all"

// Parameter is one that a view takes.
type Parameter struct {
	Name        string
	Description string
}

// asOfDay is the parameter that every view takes.
var asOfDay = Parameter{AsOf,
	"The day as of which the figures are computed, such as 2026-11-09. They end the day before. Default: today in the workspace's time zone."}

// Past computes what is stored as of today, as of an earlier day. It returns the rows of the
// table as JSON: those of one article, or of all if product is empty.
type Past interface {
	DemandAsOf(ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID, day time.Time, product string) ([]byte, error)
	SeasonsAsOf(ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID, day time.Time, product string) ([]byte, error)
}

// Budget reads what is left of a month's budget, as JSON: {"left": "12.50", "currency": "EUR"}, or null
// without a budget. purchase.LeftAsJSON does.
type Budget func(ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID, now time.Time) ([]byte, error)

// computedView returns the computed view with a slug, or nil.
func computedView(slug string) *Relation {
	for _, view := range computed {
		if view.Slug == slug {
			return view
		}
	}
	return nil
}

// newView completes the description of a computed view.
func newView(view Relation) *Relation {
	view.Computed, view.BuiltIn, view.Identity = true, true, []string{}
	view.Closed = view.Slug + " is computed from other tables; records cannot be created or changed in it"
	view.Parameters = append([]Parameter{asOfDay}, view.Parameters...)
	view.from, view.every = viewSQL(view.Slug, form{}), viewSQL(view.Slug, form{Every: true})
	view.earlier = viewSQL(view.Slug, form{Past: true})
	view.joined = viewSQL(view.Slug, form{Joined: true})
	view.where, view.version = "true", "0"
	if view.key == "" {
		view.key = "t.key"
	}
	fields := view.Fields
	view.Fields, view.byName = nil, map[string]int{}
	for _, f := range fields {
		f.Kind, f.Locked = "read_only", f.Name+" is computed and cannot be edited"
		f.typed = "t." + quote(f.Name)
		if f.rounded {
			f.typed = "round(" + f.typed + "::numeric, 4)"
		}
		f.shown, f.order = f.typed, f.typed
		if f.Type == registry.Text {
			f.order = fmt.Sprintf("left(%s, %d)", f.typed, longestOrder)
		}
		view.add(f)
	}
	return &view
}

// form is the condition on which the statement of a view depends.
type form struct {
	Every  bool // of every product
	Past   bool // from the rows in $5
	Joined bool // with a join for fields that are otherwise looked up for the rows of a page
}

// viewSQL reads the statement of a view as a FROM clause.
func viewSQL(slug string, as form) string {
	var sql strings.Builder
	sql.WriteByte('(')
	file := template.Must(template.ParseFS(viewFiles, "views/"+slug+".sql"))
	if err := file.Execute(&sql, as); err != nil {
		panic(err) // a statement of the catalogue, tried by every test
	}
	sql.WriteByte(')')
	return sql.String()
}

// field describes a field that every row of a computed view has.
func field(name string, kind registry.Type, description string) Field {
	return Field{Name: name, Type: kind, Description: description}
}

// optional describes a field that may be empty.
func optional(name string, kind registry.Type, description string) Field {
	return Field{Name: name, Type: kind, Description: description, Nullable: true}
}

// estimate describes a number that is stored as a double, and shown with four digits.
func estimate(name, description string) Field {
	return Field{Name: name, Type: registry.Number, Description: description, rounded: true, Display: DisplayEstimate}
}

// money says that a number is an amount in the workspace's currency.
func (f Field) money() Field {
	f.Display = DisplayMoney
	return f
}

// estimated says that not all digits of a number mean something.
func (f Field) estimated() Field {
	f.Display = DisplayEstimate
	return f
}

// lookedUp says that a field comes from another table, row by row.
func (f Field) lookedUp() Field {
	f.looked = true
	return f
}

// orEmpty lets a field be empty.
func (f Field) orEmpty() Field {
	f.Nullable = true
	return f
}

func (f Field) refers(slug string) Field {
	f.References = slug
	return f
}

func (f Field) oneOf(choices ...string) Field {
	f.Choices = choices
	return f
}

// takes reports whether the relation has a parameter.
func (r *Relation) takes(name string) bool {
	return slices.ContainsFunc(r.Parameters, func(one Parameter) bool { return one.Name == name })
}

// readParameters returns the values of the relation's parameters, in their order.
func (r *Relation) readParameters(given Parameters, today string) ([]string, error) {
	for _, sent := range [][2]string{{AsOf, given.AsOf}, {Product, given.Product}} {
		if name, value := sent[0], sent[1]; value != "" && !r.takes(name) {
			return nil, refuse(name, "unexpected", "%s takes no %s", r.Slug, name)
		}
	}
	var values []string
	if r.Computed {
		day := given.AsOf
		if day == "" {
			day = today
		}
		// Dates in this form sort like texts.
		if _, err := time.Parse(time.DateOnly, day); err != nil || day < "0001" || day > today {
			return nil, refuse(AsOf, "value", "as_of must be a date such as %s, and not after today; received %s", today,
				fault.Shorten(given.AsOf))
		}
		if r.current && day != today {
			return nil, refuse(AsOf, "value", "%s is of today only; leave as_of out", r.Slug)
		}
		values = append(values, day)
	}
	if r.takes(Product) {
		product := given.Product
		if id, err := uuid.Parse(product); err == nil && len(product) == len(id.String()) {
			product = id.String()
		} else if product != "" && product != EveryProduct {
			return nil, refuse(Product, "value", "product must be the id of an article, or %s; received %s", EveryProduct,
				fault.Shorten(product))
		}
		values = append(values, product)
	}
	return values, nil
}

// lookBack computes the rows of a view that is stored as of today, if the plan is of an earlier
// day.
func (p *plan) lookBack(ctx context.Context, tx pgx.Tx, past Past) error {
	if p.relation.past == nil || p.given[0] == p.today {
		return nil
	}
	day, err := time.Parse(time.DateOnly, p.given[0])
	if err != nil {
		return err
	}
	product := p.given[1]
	if product == EveryProduct {
		product = ""
	}
	rows, err := p.relation.past(past, ctx, tx, p.tenant, p.workspace, day, product)
	p.source, p.rows = p.relation.earlier, string(rows)
	return err
}

// budget reads what is left of the month's budget, if the relation depends on it.
func (p *plan) budget(ctx context.Context, tx pgx.Tx, left Budget) error {
	if !p.relation.budgeted {
		return nil
	}
	text, err := left(ctx, tx, p.tenant, p.workspace, p.now)
	p.rows = string(text)
	return err
}

// Writable refuses a write to a computed view.
func Writable(slug string) error {
	if view := computedView(slug); view != nil {
		return fault.New(fault.Conflict, "computed", "%s", view.Closed)
	}
	return nil
}
