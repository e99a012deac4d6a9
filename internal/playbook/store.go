package playbook

import (
	"context"
	"math"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// The kinds of documents, as stored.
const (
	kindConfig   = "config"
	kindStrategy = "strategy"
	kindSOP      = "sop"
)

// lock makes the workspace's writers wait for each other, and raises the revision if what follows
// changes the config, or a strategy by more than a draft. It returns the revision.
func lock(ctx context.Context, queries *q.Queries, by auth.Principal, raise bool) (int64, error) {
	params := q.RaisePlaybookParams{TenantID: by.Tenant, WorkspaceID: by.Workspace}
	if raise {
		params.Raise = 1
	}
	return queries.RaisePlaybook(ctx, params)
}

// version is a version to store.
type version struct {
	kind     string
	id       uuid.UUID
	number   int64
	slug     *string
	content  []byte
	note     string
	revision int64
}

func insert(ctx context.Context, queries *q.Queries, by auth.Principal, v version) error {
	_, err := queries.InsertPlaybookVersion(ctx, q.InsertPlaybookVersionParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, Kind: v.kind, DocumentID: v.id, Version: v.number, Slug: v.slug,
		Content: v.content, Author: by.Actor.JSON(), Note: v.note, Revision: v.revision,
	})
	return err
}

// versionsOf returns a page of a document's versions, the newest first, and whether there are more.
func versionsOf(ctx context.Context, queries *q.Queries, by auth.Principal, kind string, id uuid.UUID, before int64) (
	rows []q.ListPlaybookVersionsRow, more bool, err error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	rows, err = queries.ListPlaybookVersions(ctx, q.ListPlaybookVersionsParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, Kind: kind, DocumentID: id, Before: before, Most: mostVersions + 1,
	})
	if len(rows) > mostVersions {
		return rows[:mostVersions], true, err
	}
	return rows, false, err
}

// meta returns what is known about a stored version besides its content.
func meta(row q.ListPlaybookVersionsRow) Meta {
	made := Meta{ID: row.DocumentID, Version: row.Version, Note: row.Note, CreatedAt: row.CreatedAt}
	_ = json.Unmarshal(row.Author, &made.Author) // an actor, stored by insert; without it the author is unknown
	return made
}

// checkText refuses a text that is too long or cannot be stored.
func checkText(field, text string, longest int) error {
	if utf8.RuneCountInString(text) > longest {
		return fault.InField(field, "too_long", "%s has at most %d characters", field, longest)
	}
	return fault.CheckText(field, text)
}
