package query

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/registry"
)

// Relation is something that can be read by its slug: its columns, and the SQL for its rows.
// Filters, order, cursors, counts and exports all work on this description.
//
// Every table of the registry is a relation, and so is every computed view of the catalogue.
type Relation struct {
	Slug        string
	Title       string
	Description string
	BuiltIn     bool
	Fields      []Field // in the order in which they were registered
	View        registry.DefaultView
	Searchable  bool     // by number, code or name
	Closed      string   // why people may not create records; empty: they may
	Identity    []string // fields that identify a record; the first one present counts
	Computed    bool     // the rows are computed when they are read; they have no version and no history
	Parameters  []Parameter

	past    pastRows // of a view that is stored as of today; nil: its statement computes any day
	current bool     // of today only
	// budgeted: the rows depend on what is left of the month's budget.
	budgeted bool
	table    *registry.Table // nil: a computed view
	from     string          // the FROM clause; its rows are called t
	every    string          // the FROM clause of a computed view for every product
	earlier  string          // the FROM clause of a view with past, for an earlier day
	joined   string          // the FROM clause of a view if rows are filtered or sorted by a field that is looked up
	where    string          // restricts rows to tenant $1 and workspace $2
	key      string          // unique text per row of a workspace; identifies rows and breaks ties
	version  string
	byName   map[string]int
}

// pastRows is a method of Past.
type pastRows func(past Past, ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID, day time.Time,
	product string) ([]byte, error)

// Field is one column of a relation.
type Field struct {
	Name        string
	Label       string // for people
	Type        registry.Type
	Kind        string // writable, api_only, trigger, read_only, system
	Description string
	Nullable    bool
	Choices     []string
	References  string // slug of the table whose id the field holds
	Example     json.RawMessage
	Locked      string // why the field cannot be edited in place; empty: it can
	Settable    bool   // a person who creates a record may fill it in
	Required    bool   // a person who creates a record must fill it in
	Custom      bool   // a company has added it to a built-in table
	Display     string // how people are shown the number: DisplayMoney, DisplayEstimate, or exactly

	stored  string // where in a row the value is: inColumn, inData, inCustom; empty: it is computed
	rounded bool   // a computed number, shown with four digits
	looked  bool   // of a computed view: looked up in another table, row by row
	typed   string // expression of the column's type
	shown   string // expression that PostgreSQL prints in the wanted form
	order   string // expression to sort by, of the column's type; its text is short
}

// How people are shown a computed number. The API and exports have every digit.
const (
	DisplayMoney    = "money"    // an amount in the workspace's currency
	DisplayEstimate = "estimate" // some digits are enough
)

// longestOrder is how many characters of a text rows are sorted by. The cursor carries them,
// and a text may be as long as a record.
const longestOrder = 300

// Field finds a field by its exact name.
func (r *Relation) Field(name string) (*Field, bool) {
	i, ok := r.byName[name]
	if !ok {
		return nil, false
	}
	return &r.Fields[i], true
}

// fromTable describes a table of the registry. Identifiers come from the registry and are
// quoted.
func fromTable(table *registry.Table) *Relation {
	r := &Relation{
		Slug: table.Slug, Title: table.Title, Description: table.Description, BuiltIn: table.Owner == uuid.Nil,
		View:   table.DefaultView(),
		Closed: table.Closed(), Identity: table.Identity,
		table: table, key: "t." + quote("id"), version: "t." + quote("version"), byName: map[string]int{},
		from: "workspace." + quote(table.Slug), where: "t.tenant_id = $1::uuid AND t.workspace_id = $2::uuid",
	}
	r.Searchable = searchable(table)
	if table.Generic {
		r.from = "workspace.records"
		r.where += " AND t.slug = " + literal(table.Slug)
	}
	r.system(systemFirst...)
	for i := range table.Columns {
		r.add(tableField(table, &table.Columns[i]))
	}
	r.system(systemLast...)
	return r
}

// The columns that every table has, before and behind its own.
var systemFirst, systemLast = []string{"id"}, []string{"version", "created_at", "updated_at", "workspace_id"}

// tableField describes a registered column. The columns of a generic table, and those that a company has added to a
// built-in one, are members of a JSON document; an older record may lack one that is required now.
func tableField(table *registry.Table, column *registry.Column) Field {
	f := Field{
		Name: column.Name, Type: column.Type, Kind: column.Kind, Description: column.Description,
		Nullable: column.Nullable, Choices: column.Choices, Example: column.Describe().Example, Locked: table.Locked(column),
		Settable: table.Kept(column) == "", Required: column.Required, Custom: column.Custom,
	}
	if column.Reference != nil {
		f.References = column.Reference.Slug
		f.Nullable = f.Nullable || column.Reference.PendingColumn != "" // null while the referenced record is pending
	}
	f.shown = "t." + quote(column.Name)
	f.typed, f.stored = f.shown, inColumn
	switch {
	case column.Custom:
		f.stored = inCustom
	case table.Generic && column.Name != table.ConflictColumn:
		f.stored = inData
	}
	if f.stored != inColumn {
		f.shown = "(t." + f.stored + " ->> " + literal(column.Name) + ")"
		f.typed = f.shown + "::" + column.Type.SQL()
		f.Nullable = true
	}
	f.order = f.typed
	if column.Type == registry.Text && !isShort(table, column) {
		f.order = fmt.Sprintf("left(%s, %d)", f.typed, longestOrder)
	}
	return f
}

// isShort reports whether rows are sorted by all characters of a text: by those of a key, a reference or an indexed text,
// and of a text to which a company gave a short length. The other built-in columns got their lengths when they had rows.
func isShort(table *registry.Table, column *registry.Column) bool {
	own := table.Generic || column.Custom
	return column.MaxLength > 0 && column.MaxLength <= registry.MaxKeyLength &&
		(own || column.Indexed || column.Reference != nil || table.Identifies(column))
}

// system adds columns that every table has.
func (r *Relation) system(names ...string) {
	described := map[string]registry.ColumnDescription{}
	for _, column := range registry.SystemColumns() {
		described[column.Name] = column
	}
	for _, name := range names {
		column := "t." + quote(name)
		r.add(Field{
			Name: name, Type: described[name].Type, Kind: described[name].Kind, Description: described[name].Description,
			Example: described[name].Example,
			Locked:  name + " is kept by the service and cannot be edited", typed: column, shown: column, order: column, stored: inColumn,
		})
	}
}

func (r *Relation) add(f Field) {
	f.Label = registry.LabelOf(f.Name, f.References != "")
	r.byName[f.Name] = len(r.Fields)
	r.Fields = append(r.Fields, f)
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// literal quotes a registered name as a text constant.
func literal(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }
