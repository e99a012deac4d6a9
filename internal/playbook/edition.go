package playbook

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Edition is one version of a document, and what other versions there are.
type Edition[T any] struct {
	Document[T]
	Newest   int64
	Versions []VersionHead // the newest first
	More     bool          // there are older versions than these
}

// VersionHead is a version without its content.
type VersionHead struct {
	Meta
	Status Status
}

// StrategyEdition returns a version of a strategy. 0 means the version that is in force or, if there is
// none, the newest.
func (s *Service) StrategyEdition(ctx context.Context, by auth.Principal, id uuid.UUID, version int64) (
	found Edition[Strategy], err error) {
	err = s.reading(ctx, by, func(queries *q.Queries) (err error) {
		found, err = edition[Strategy](ctx, queries, by, id, version)
		return err
	})
	return found, err
}

// SOPEdition is StrategyEdition for an SOP, by its slug or its id.
func (s *Service) SOPEdition(ctx context.Context, by auth.Principal, name string, version int64) (
	found Edition[SOP], err error) {
	err = s.reading(ctx, by, func(queries *q.Queries) error {
		id, err := sopID(ctx, queries, by, name)
		if err != nil {
			return err
		}
		found, err = edition[SOP](ctx, queries, by, id, version)
		return err
	})
	return found, err
}

func edition[T content](ctx context.Context, queries *q.Queries, by auth.Principal, id uuid.UUID, version int64) (
	Edition[T], error) {
	newest, err := one[T](ctx, queries, by, id)
	if err != nil {
		return Edition[T]{}, err
	}
	found := Edition[T]{Document: newest, Newest: newest.Version}
	if found.Document, err = versionOf(ctx, queries, by, newest, cmp.Or(version, newest.InForce, newest.Version)); err != nil {
		return Edition[T]{}, err
	}
	heads, err := queries.ListPlaybookVersionHeads(ctx, q.ListPlaybookVersionHeadsParams{TenantID: by.Tenant,
		WorkspaceID: by.Workspace, Kind: newest.Content.about().kind, DocumentID: id, Most: mostVersions + 1})
	found.More = len(heads) > mostVersions
	for _, row := range heads[:min(len(heads), mostVersions)] {
		found.Versions = append(found.Versions, VersionHead{meta(q.ListPlaybookVersionsRow{DocumentID: row.DocumentID,
			Version: row.Version, Author: row.Author, Note: row.Note, CreatedAt: row.CreatedAt}), Status(row.Status)})
	}
	return found, err
}

// versionOf returns a version of a document, given its newest.
func versionOf[T content](ctx context.Context, queries *q.Queries, by auth.Principal, newest Document[T], version int64) (
	found Document[T], err error) {
	if version == newest.Version {
		return newest, nil
	}
	is := newest.Content.about()
	unknown := fault.New(fault.NotFound, "not_found", "this %s has no version %d", is.name, version)
	if version < 1 || version > newest.Version {
		return found, unknown
	}
	rows, err := queries.ListPlaybookVersions(ctx, q.ListPlaybookVersionsParams{TenantID: by.Tenant,
		WorkspaceID: by.Workspace, Kind: is.kind, DocumentID: newest.ID, Before: version + 1, Most: 1})
	switch {
	case err != nil:
		return found, err
	case len(rows) == 0:
		return found, unknown
	}
	found = Document[T]{Meta: meta(rows[0]), InForce: newest.InForce}
	return found, json.Unmarshal(rows[0].Content, &found.Content)
}

// SOPsInForce returns the SOPs that are in force, each in that version and without its text, by slug.
func (s *Service) SOPsInForce(ctx context.Context, by auth.Principal) (found []Document[SOP], err error) {
	err = s.reading(ctx, by, func(queries *q.Queries) error {
		rows, err := queries.ListSOPsInForce(ctx,
			q.ListSOPsInForceParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		for _, row := range rows {
			sop := Document[SOP]{InForce: row.Version, Meta: meta(q.ListPlaybookVersionsRow{DocumentID: row.DocumentID,
				Version: row.Version, Author: row.Author, Note: row.Note, CreatedAt: row.CreatedAt})}
			if err := json.Unmarshal(row.Content, &sop.Content); err != nil {
				return err
			}
			found = append(found, sop)
		}
		return err
	})
	slices.SortFunc(found, func(a, b Document[SOP]) int { return strings.Compare(a.Content.Slug, b.Content.Slug) })
	return found, err
}

// SOPInForce returns the version of an SOP that is in force, by the SOP's slug.
func (s *Service) SOPInForce(ctx context.Context, by auth.Principal, slug string) (found Document[SOP], err error) {
	unknown := fault.New(fault.NotFound, "not_found", "there is no such SOP in force")
	err = s.reading(ctx, by, func(queries *q.Queries) error {
		if !sopSlug.MatchString(slug) {
			return unknown
		}
		id, err := sopID(ctx, queries, by, slug)
		if err != nil {
			return err
		}
		newest, err := one[SOP](ctx, queries, by, id)
		switch {
		case err != nil:
			return err
		case newest.InForce == 0:
			return unknown
		}
		found, err = versionOf(ctx, queries, by, newest, newest.InForce)
		return err
	})
	return found, err
}
