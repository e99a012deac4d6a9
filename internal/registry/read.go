package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// This file reads a table from its rows in the registry.

// read reads the columns and relations of a registered table, which has the columns of this holder.
func read(ctx context.Context, queries *q.Queries, row q.GetTableRow, holder uuid.UUID) (*Table, error) {
	slug := row.Slug
	table := &Table{
		Owner: row.TenantID, Tenant: holder, Slug: row.Slug, Title: row.Title, Description: row.Description,
		Generic: row.Storage == "records", Version: row.Version,
		ConflictKey: row.ConflictKey, ConflictColumn: row.ConflictColumn, Identity: row.IdentityColumns,
		Sequence: row.SequenceColumn,
		byName:   map[string]int{},
	}
	if err := table.readColumns(ctx, queries); err != nil {
		return nil, err
	}
	if err := table.readRules(ctx, queries); err != nil {
		return nil, err
	}
	if err := table.readKeeping(ctx, queries); err != nil {
		return nil, err
	}
	if err := table.readAliases(ctx, queries); err != nil {
		return nil, err
	}
	snapshot, err := queries.GetSnapshot(ctx, q.GetSnapshotParams{OwnerID: table.Owner, Slug: slug})
	if err == nil {
		table.Snapshot = &Snapshot{
			Function: snapshot.Function, Arguments: snapshot.Arguments, Columns: snapshot.Columns,
			Source: snapshot.Source, Match: snapshot.MatchColumn, Marker: snapshot.MarkerColumn,
		}
	} else if !fault.Is(pg.Translate(err), fault.NotFound) {
		return nil, err
	}
	if table.Owner != uuid.Nil {
		return table, nil // built-in tables wait only for built-in tables
	}
	waiting, err := queries.ListPendingColumns(ctx, &slug)
	if err != nil {
		return nil, err
	}
	for _, w := range waiting {
		table.Waiting = append(table.Waiting, Waiting{w.Slug, w.Name, w.PendingColumn})
	}
	feeds, err := queries.ListSnapshotsFrom(ctx, slug)
	for _, f := range feeds {
		table.Feeds = append(table.Feeds,
			Feed{f.Slug, Snapshot{
				Function: f.Function, Arguments: f.Arguments, Columns: f.Columns, Source: f.Source,
				Match: f.MatchColumn, Marker: f.MarkerColumn,
			}})
	}
	return table, err
}

// readColumns reads the table's own columns, then those that the company has added. If a release has brought a column
// of the same name meanwhile, that one counts, and the values of the added one stay stored.
func (t *Table) readColumns(ctx context.Context, queries *q.Queries) error {
	own, err := queries.ListColumns(ctx, q.ListColumnsParams{OwnerID: t.Owner, Slug: t.Slug})
	if err != nil {
		return err
	}
	for _, row := range own {
		t.Columns = append(t.Columns, toColumn(row))
	}
	t.index()
	if t.Tenant == t.Owner {
		return nil
	}
	added, err := queries.ListColumns(ctx, q.ListColumnsParams{OwnerID: t.Tenant, Slug: t.Slug})
	if err != nil {
		return err
	}
	for _, row := range added {
		if _, taken := t.byName[row.Name]; taken {
			continue
		}
		column := toColumn(row)
		column.Custom = true
		t.Columns = append(t.Columns, column)
	}
	t.index()
	return nil
}

// readKeeping reads where the company keeps the values of fields that the table does not have. A built-in table that the
// company has not extended keeps none.
func (t *Table) readKeeping(ctx context.Context, queries *q.Queries) error {
	if t.Tenant == uuid.Nil {
		return nil
	}
	workspaces, err := queries.ListKeeping(ctx, q.ListKeepingParams{TenantID: t.Tenant, Slug: t.Slug})
	if err != nil || len(workspaces) == 0 {
		return err
	}
	t.Keeping = map[uuid.UUID]bool{}
	for _, workspace := range workspaces {
		t.Keeping[workspace] = true
	}
	return nil
}

// readAliases reads under which keys the company's records were merged into others.
func (t *Table) readAliases(ctx context.Context, queries *q.Queries) error {
	if t.Tenant == uuid.Nil || t.Owner != uuid.Nil || len(t.Identity) < 2 {
		return nil
	}
	aliases, err := queries.ListAliases(ctx, q.ListAliasesParams{TenantID: t.Tenant, Slug: t.Slug})
	if err != nil || len(aliases) == 0 {
		return err
	}
	t.Aliases = make(map[string]string, len(aliases))
	for _, alias := range aliases {
		t.Aliases[alias.Name] = alias.ExternalID
	}
	return nil
}

// index makes columns findable by name. A generic table is always identified by external_id.
// Numbers, and texts that identify or refer to a record, are always bounded, whether the
// registration says so or not.
func (t *Table) index() {
	if t.Generic {
		t.ConflictColumn, t.Identity = externalID, []string{externalID}
		identity := Column{
			Name: externalID, Type: Text, Kind: "writable", Accepted: true, Required: true, Indexed: true,
			Description: "Your own id of the record, the upsert key.", Example: json.RawMessage(`"record-1"`),
		}
		t.Columns = slices.DeleteFunc(t.Columns, func(c Column) bool {
			if c.Name != externalID {
				return false
			}
			identity.Description = cmp.Or(c.Description, identity.Description)
			if len(c.Example) > 0 {
				identity.Example = c.Example
			}
			return true
		})
		t.Columns = slices.Insert(t.Columns, 0, identity)
	}
	for i := range t.Columns {
		column := &t.Columns[i]
		t.byName[column.Name] = i
		if column.Type == Text && column.MaxLength == 0 && (t.Identifies(column) || column.Reference != nil) {
			column.MaxLength = MaxKeyLength
		}
		if column.Name != t.Sequence { // a sequence has bounds of its own, such as those of milliseconds
			column.bound()
		}
	}
}

func toColumn(row q.ListColumnsRow) Column {
	column := Column{
		Name: row.Name, Type: Type(row.Type), Kind: row.Kind, Accepted: row.Accepted, Required: row.Required,
		Nullable: row.Nullable, Default: row.DefaultValue, Choices: row.Choices, Minimum: row.Minimum, Maximum: row.Maximum,
		MaxLength: int(row.MaxLength), Indexed: row.Indexed, Format: row.Format, RecordsPast: row.RecordsPast,
		Description: row.Description, Example: row.Example,
	}
	if row.Reference != nil {
		column.Reference = &Reference{Slug: *row.Reference, Generic: row.ReferenceStorage == "records", Key: row.ReferenceKey}
		if row.PendingColumn != nil {
			column.Reference.PendingColumn = *row.PendingColumn
		}
	}
	return column
}
