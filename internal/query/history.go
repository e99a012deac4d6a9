package query

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Entry is one write in a record's history.
type Entry struct {
	ID        uuid.UUID
	At        time.Time
	Kind      string // of the event
	Result    string // created, updated, unchanged, or stale: a delivery that was older than the row
	Version   int64  // of the record, after the write
	By        auth.Actor
	ByName    string // the key's label or the person's name; empty if unknown by now
	RequestID string
	Values    json.RawMessage // the fields written, as an object; of a stale delivery, the row as it was
}

// History returns the writes of a record, the newest first, as far back as events are kept.
func (s *Service) History(ctx context.Context, by auth.Principal, slug, id string, want page.Request) (
	entries []Entry, more bool, err error) {
	if view := computedView(slug); view != nil {
		return nil, false, fault.New(fault.NotFound, "no_history",
			"%s is computed from other tables; its rows have no history", slug)
	}
	if !isText(id) {
		return nil, false, unknownRecord(slug, id)
	}
	before := want.After
	if before == uuid.Nil {
		before = uuid.Max
	}
	err = s.reading(ctx, by, Request{ViewSlug: slug, SelectFields: []string{"id"}}, s.pageTimeout,
		func(tx pgx.Tx, p plan) error {
			record := &pageReader{plan: p, most: 1}
			if err := record.run(ctx, tx, p.one(id)); err != nil {
				return err
			}
			if len(record.rows) == 0 {
				return unknownRecord(slug, id)
			}
			queries := q.New(tx)
			events, err := queries.ListHistory(ctx, q.ListHistoryParams{
				TenantID: by.Tenant, Subject: id, WorkspaceID: by.Workspace, Slug: slug, Before: before, Most: want.Limit(),
			})
			if err != nil {
				return err
			}
			events, more = page.Cut(want, events)
			for _, event := range events {
				entry, err := p.relation.entry(event)
				if err != nil {
					return err
				}
				entries = append(entries, entry)
			}
			return nil
		})
	if err != nil {
		return nil, false, err
	}
	return entries, more, s.name(ctx, by.Tenant, entries)
}

// entry decodes an event.
func (r *Relation) entry(event q.ListHistoryRow) (Entry, error) {
	entry := Entry{ID: event.ID, At: event.CreatedAt, Kind: event.Kind, Version: event.Version, RequestID: event.RequestID}
	if err := json.Unmarshal(event.Actor, &entry.By); err != nil {
		return entry, err
	}
	var data struct {
		Result string                     `json:"result"`
		Record map[string]json.RawMessage `json:"record"`
	}
	err := json.Unmarshal(event.Data, &data)
	entry.Result, entry.Values = data.Result, r.written(data.Record)
	return entry, err
}

// written returns the fields that an event wrote, in the form and order of the relation's
// fields. Fields that no longer exist come last.
func (r *Relation) written(record map[string]json.RawMessage) json.RawMessage {
	object := []byte{'{'}
	add := func(f *Field) {
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(appendQuoted(object, f.Name), ':')
		object = f.appendJSON(object, printedJSON(record[f.Name]))
		delete(record, f.Name)
	}
	for i := range r.Fields {
		if _, ok := record[r.Fields[i].Name]; ok {
			add(&r.Fields[i])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(record)) {
		add(&Field{Name: name})
	}
	return append(object, '}')
}

// printedJSON formats a JSON value as PostgreSQL prints it in a column.
func printedJSON(value json.RawMessage) []byte {
	kind := jsontext.Value(value).Kind()
	if kind == jsontext.KindNull {
		return nil
	}
	if kind == jsontext.KindString {
		if unquoted, err := jsontext.AppendUnquote([]byte{}, value); err == nil {
			return unquoted
		}
	}
	return value
}

// name adds the names of keys and people.
func (s *Service) name(ctx context.Context, tenant uuid.UUID, entries []Entry) error {
	actors := make([]auth.Actor, len(entries))
	for i, entry := range entries {
		actors[i] = entry.By
	}
	names, err := s.Names(ctx, tenant, actors)
	for i := range entries {
		entries[i].ByName = names[entries[i].By]
	}
	return err
}

// Names returns the labels of keys and agents and the names of syncs and people, as far as they are known.
// They are stored apart, possibly in different databases one day.
func (s *Service) Names(ctx context.Context, tenant uuid.UUID, actors []auth.Actor) (map[auth.Actor]string, error) {
	ids := map[auth.ActorType][]uuid.UUID{}
	for _, actor := range actors {
		if id, err := uuid.Parse(actor.ID); err == nil && !slices.Contains(ids[actor.Type], id) {
			ids[actor.Type] = append(ids[actor.Type], id)
		}
	}
	names := map[auth.Actor]string{auth.Procurement(tenant, uuid.Nil, uuid.Nil, nil).Actor: auth.ProcurementName}
	if len(ids[auth.ByKey])+len(ids[auth.ByAgent])+len(ids[auth.BySync]) > 0 {
		err := s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error { return addLabels(ctx, q.New(tx), tenant, ids, names) })
		if err != nil {
			return nil, err
		}
	}
	if people := ids[auth.ByPerson]; len(people) > 0 {
		err := s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
			rows, err := q.New(tx).ListMemberNames(ctx, q.ListMemberNamesParams{TenantID: tenant, Ids: people})
			for _, row := range rows {
				names[auth.Actor{Type: auth.ByPerson, ID: row.UserID.String()}] = row.Name
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// addLabels adds the names of programs: keys, agents and syncs.
func addLabels(ctx context.Context, queries *q.Queries, tenant uuid.UUID, ids map[auth.ActorType][]uuid.UUID,
	names map[auth.Actor]string) error {
	keys, err := queries.ListKeyLabels(ctx, q.ListKeyLabelsParams{TenantID: tenant, Ids: ids[auth.ByKey]})
	if err != nil {
		return err
	}
	for _, row := range keys {
		names[auth.Actor{Type: auth.ByKey, ID: row.ID.String()}] = row.Label
	}
	agents, err := queries.ListAgentNames(ctx, q.ListAgentNamesParams{TenantID: tenant, Ids: ids[auth.ByAgent]})
	if err != nil {
		return err
	}
	for _, row := range agents {
		names[auth.Actor{Type: auth.ByAgent, ID: row.AgentID.String()}] = row.Label
	}
	syncs, err := queries.ListConnectionNames(ctx, q.ListConnectionNamesParams{TenantID: tenant, Ids: ids[auth.BySync]})
	for _, row := range syncs {
		names[auth.Actor{Type: auth.BySync, ID: row.ID.String()}] = auth.SyncName(row.Name)
	}
	return err
}
