package playbook

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Status says whether a version of a document counts.
type Status string

// The statuses.
const (
	Draft    Status = "draft"    // a proposal; the version before it stays in force
	Active   Status = "active"   // in force
	Archived Status = "archived" // not in force any more
)

// Statuses returns all statuses.
func Statuses() []Status { return []Status{Draft, Active, Archived} }

// Document is a version of a strategy or an SOP.
type Document[T any] struct {
	Meta
	Content T
	InForce int64 // of the newest version: the version that is in force; 0: none
}

// content is a strategy or an SOP.
type content interface {
	Strategy | SOP
	// checked returns the content in its usual form, or what is wrong with it.
	checked(ctx context.Context, queries *q.Queries, by auth.Principal) (any, error)
	about() about
}

// about is what both kinds of documents have.
type about struct {
	kind   string
	name   string // in messages and the audit
	slug   *string
	title  string
	body   string
	status Status
}

// change is a new version of a document, or a new document.
type change[T content] struct {
	id      uuid.UUID // uuid.Nil: a new document
	version int64     // that the caller saw
	content T
	note    string
}

// list returns the newest version of all documents of a kind, by title.
func list[T content](ctx context.Context, s *Service, by auth.Principal) (documents []Document[T], err error) {
	err = s.reading(ctx, by, func(queries *q.Queries) (err error) {
		documents, err = find[T](ctx, queries, by, nil)
		return err
	})
	slices.SortStableFunc(documents, func(a, b Document[T]) int {
		return strings.Compare(strings.ToLower(a.Content.about().title), strings.ToLower(b.Content.about().title))
	})
	return documents, err
}

// find returns the newest version of a document, or of all if id is nil.
func find[T content](ctx context.Context, queries *q.Queries, by auth.Principal, id *uuid.UUID) (
	documents []Document[T], err error) {
	today, err := day(ctx, queries, by)
	if err != nil {
		return nil, err
	}
	var zero T
	rows, err := queries.ListPlaybookDocuments(ctx, q.ListPlaybookDocumentsParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, Kind: zero.about().kind, Day: today, DocumentID: id,
	})
	for _, row := range rows {
		document := Document[T]{InForce: row.InForce, Meta: meta(q.ListPlaybookVersionsRow{
			DocumentID: row.DocumentID, Version: row.Version, Author: row.Author, Note: row.Note, CreatedAt: row.CreatedAt})}
		if err := json.Unmarshal(row.Content, &document.Content); err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	return documents, err
}

// one returns the newest version of a document.
func one[T content](ctx context.Context, queries *q.Queries, by auth.Principal, id uuid.UUID) (Document[T], error) {
	found, err := find[T](ctx, queries, by, &id)
	switch {
	case err != nil:
		return Document[T]{}, err
	case len(found) == 0:
		var zero T
		return Document[T]{}, fault.New(fault.NotFound, "not_found", "there is no such %s", zero.about().name)
	}
	return found[0], nil
}

// history returns versions of a document before another, the newest first, and whether there are
// more.
func history[T content](ctx context.Context, queries *q.Queries, by auth.Principal, id uuid.UUID, before int64) (
	documents []Document[T], more bool, err error) {
	newest, err := one[T](ctx, queries, by, id)
	if err != nil {
		return nil, false, err
	}
	rows, more, err := versionsOf(ctx, queries, by, newest.Content.about().kind, id, before)
	for _, row := range rows {
		document := Document[T]{Meta: meta(row), InForce: newest.InForce}
		if err := json.Unmarshal(row.Content, &document.Content); err != nil {
			return nil, false, err
		}
		documents = append(documents, document)
	}
	return documents, more, err
}

// put stores a new version of a document, or a new document.
func put[T content](ctx context.Context, s *Service, by auth.Principal, c change[T]) (stored Document[T], err error) {
	is := c.content.about()
	proposing, err := mayPut(by, is)
	if err != nil {
		return stored, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		revision, err := lock(ctx, queries, by, is.kind == kindStrategy && is.status != Draft)
		if err != nil {
			return err
		}
		before, checked, err := c.check(ctx, queries, by, proposing)
		if err != nil {
			return err
		}
		text, err := json.Marshal(checked, json.Deterministic(true))
		if err != nil {
			return err
		}
		next := version{kind: is.kind, id: c.id, number: before.Version + 1, slug: is.slug, content: text, note: c.note,
			revision: revision}
		if c.id == uuid.Nil {
			next.id = uuid.Must(uuid.NewV7())
		}
		if err := insert(ctx, queries, by, next); err != nil {
			return err
		}
		if err := record(ctx, tx, by, is, before.Version, before.Content, next); err != nil {
			return err
		}
		stored, err = one[T](ctx, queries, by, next.id)
		return err
	})
	return stored, err
}

// check returns the version that is to be replaced and the content in its usual form, or refuses the
// change.
func (c change[T]) check(ctx context.Context, queries *q.Queries, by auth.Principal, proposing bool) (
	before Document[T], checked any, err error) {
	if before, err = c.before(ctx, queries, by, proposing); err != nil {
		return before, nil, err
	}
	if err := checkCommon(c.content.about(), c.note); err != nil {
		return before, nil, err
	}
	checked, err = c.content.checked(ctx, queries, by)
	return before, checked, err
}

// before returns the version that is to be replaced; of a new document, an empty one.
func (c change[T]) before(ctx context.Context, queries *q.Queries, by auth.Principal, proposing bool) (
	Document[T], error) {
	is := c.content.about()
	if c.id == uuid.Nil {
		count, err := queries.CountPlaybookDocuments(ctx,
			q.CountPlaybookDocumentsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Kind: is.kind})
		if err == nil && count >= mostDocuments {
			err = fault.New(fault.Conflict, "too_many", "a workspace has at most %d documents of this kind", mostDocuments)
		}
		if err == nil && proposing {
			err = checkProposals(ctx, queries, by, is.kind)
		}
		return Document[T]{}, err
	}
	newest, err := one[T](ctx, queries, by, c.id)
	switch {
	case err != nil:
		return newest, err
	case newest.Version != c.version:
		return newest, stale("the "+is.name, newest.Version)
	}
	if slug := newest.Content.about().slug; slug != nil && *slug != *is.slug {
		return newest, fault.InField("slug", "fixed", "the slug stays %s; make another %s instead", *slug, is.name)
	}
	return newest, nil
}

// record writes the audit row of a change. The text itself is in the versions.
func record(ctx context.Context, tx pgx.Tx, by auth.Principal, is about, before int64, from any, next version) error {
	old, err := json.Marshal(from)
	if err != nil {
		return err
	}
	was, became := audit.Data{}, audit.Data{}
	if before > 0 {
		if err := json.Unmarshal(old, &was); err != nil {
			return err
		}
	}
	if err := json.Unmarshal(next.content, &became); err != nil {
		return err
	}
	data := audit.Data{"title": is.title, "version": next.number, "from": was, "to": became}
	if was["body"] != became["body"] {
		data["body_changed"] = true
	}
	delete(was, "body")
	delete(became, "body")
	if before == 0 {
		data["from"] = nil
	}
	return audit.Record(ctx, tx, by, audit.Action(is.kind+".changed"), next.id.String(), data)
}

// checkCommon checks what both kinds of documents have.
func checkCommon(is about, note string) error {
	switch {
	case strings.TrimSpace(is.title) == "":
		return fault.InField("title", "required", "give the %s a title", is.name)
	case !slices.Contains(Statuses(), is.status):
		return fault.InField("status", "unknown", "the status is draft, active or archived")
	}
	for _, text := range []struct {
		field, value string
		longest      int
	}{{"title", is.title, longestTitle}, {"body", is.body, longestBody}, {"note", note, longestNote}} {
		if err := checkText(text.field, text.value, text.longest); err != nil {
			return err
		}
	}
	return nil
}
