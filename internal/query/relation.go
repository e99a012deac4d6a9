package query

import (
	"encoding/json"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/search"
)

// Relation is something that can be read by its slug: what its columns are, and where
// its rows come from. It is described once, here, and everything else works on the
// description: filters, order, cursors, counts, export.
//
// A table of the registry makes one. A computed view will make another: from is then a
// function of $1 and $2, the tenant and the workspace.
type Relation struct {
	Slug        string
	Title       string
	Description string
	BuiltIn     bool
	Fields      []Field // in the order in which they were registered
	View        registry.DefaultView
	Searchable  bool     // by number, code or name
	Closed      string   // why people may not make records; empty: they may
	Identity    []string // the fields that identify a record: the first that it has

	table   *registry.Table
	from    string // what FROM names; its rows are called t
	where   string // what keeps it to the tenant $1 and the workspace $2
	key     string // text that no two rows of a workspace share: rows are told apart and ties broken by it
	version string
	byName  map[string]int
}

// Field is one column of a relation.
type Field struct {
	Name        string
	Label       string // for people
	Type        registry.Type
	Kind        string // writable, api_only, trigger, read_only, system
	Description string
	Nullable    bool
	Choices     []string
	References  string // the slug of the table whose id it holds
	Example     json.RawMessage
	Locked      string // why it cannot be edited in place; empty: it can
	Settable    bool   // a person who makes a record may fill it in
	Required    bool   // and must

	typed string // an expression of the column's type
	shown string // an expression that PostgreSQL prints as is wanted
	order string // an expression of the column's type that rows are ordered by; its text is short
}

// longestOrder is by how many characters of a text rows are ordered. The cursor carries
// them, and a text may be as long as a record.
const longestOrder = "300"

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
	r.Searchable = r.BuiltIn && search.Covers(table.Slug)
	if table.Generic {
		r.from = "workspace.records"
		r.where += " AND t.slug = " + literal(table.Slug)
	}
	r.system("id")
	for i := range table.Columns {
		r.add(tableField(table, &table.Columns[i]))
	}
	r.system("version", "created_at", "updated_at", "workspace_id")
	return r
}

// tableField describes a registered column. A generic table's columns are members of a
// document, where an older record may lack what is required now.
func tableField(table *registry.Table, column *registry.Column) Field {
	f := Field{
		Name: column.Name, Type: column.Type, Kind: column.Kind, Description: column.Description,
		Nullable: column.Nullable, Choices: column.Choices, Example: column.Describe().Example, Locked: table.Locked(column),
		Settable: table.Kept(column) == "", Required: column.Required,
	}
	if column.Reference != nil {
		f.References = column.Reference.Slug
		f.Nullable = f.Nullable || column.Reference.PendingColumn != "" // it waits there, and here is nothing
	}
	f.shown = "t." + quote(column.Name)
	f.typed = f.shown
	if table.Generic && column.Name != table.ConflictColumn {
		f.shown = "(t.data ->> " + literal(column.Name) + ")"
		f.typed = f.shown + "::" + column.Type.SQL()
		f.Nullable = true
	}
	f.order = f.typed
	if column.Type == registry.Text && (column.MaxLength == 0 || column.MaxLength > registry.MaxKeyLength) {
		f.order = "left(" + f.typed + ", " + longestOrder + ")"
	}
	return f
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
			Locked:  name + " is kept by the service and cannot be edited", typed: column, shown: column, order: column,
		})
	}
}

func (r *Relation) add(f Field) {
	f.Label = label(f.Name)
	if f.References != "" {
		f.Label = label(strings.TrimSuffix(f.Name, "_id")) // people see the record's name
	}
	r.byName[f.Name] = len(r.Fields)
	r.Fields = append(r.Fields, f)
}

// label is a column's name as people write it.
func label(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words {
		switch word {
		case "id", "sku", "url", "moq":
			words[i] = strings.ToUpper(word)
		}
	}
	text := strings.Join(words, " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// literal quotes a registered name as a text constant.
func literal(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }
