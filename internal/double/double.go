// Package double finds articles that are stored twice, and merges them: once without an external_id, because a record named
// only their SKU, and once with one.
//
// The one without an external_id becomes another name of the other: records that name only its SKU, and records and people
// that name its id, mean the other from then on. Nobody sees its row any more; see docs/decisions/0049.
package double

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/subject"
	"github.com/quayside/quayside/internal/telemetry"
)

const slug = "products"

// Service finds and merges doubles.
type Service struct{ cells *pg.Cells }

// New returns the service.
func New(cells *pg.Cells) *Service { return &Service{cells} }

// Double is an article without an external_id, and the articles that have its SKU and one: at most ten.
type Double struct {
	ID, SKU, Name, Status string
	UpdatedAt             time.Time
	Others                []Other
}

// Other is an article that a double may be.
type Other struct{ ID, ExternalID, Name, Status string }

// List returns doubles in the order in which they came: all of them, or those with a SKU.
func (s *Service) List(ctx context.Context, by auth.Principal, sku string, want page.Request) (doubles []Double, more bool, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, err
	}
	asked := q.ListDoublesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, After: subject.After(want), Most: want.Limit()}
	if sku != "" {
		asked.Sku = &sku
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.PlanForFilters(ctx); err != nil {
			return err
		}
		rows, err := queries.ListDoubles(ctx, asked)
		for _, row := range rows {
			if len(doubles) == 0 || doubles[len(doubles)-1].ID != row.ID {
				doubles = append(doubles, Double{ID: row.ID, SKU: row.Sku, Name: row.Name, Status: subject.Text(row.Status), UpdatedAt: row.UpdatedAt})
			}
			last := &doubles[len(doubles)-1]
			last.Others = append(last.Others, Other{row.OtherID, row.OtherExternalID, row.OtherName, subject.Text(row.OtherStatus)})
		}
		return err
	})
	doubles, more = page.Cut(want, doubles)
	return doubles, more, err
}

// Merged says what merging did.
type Merged struct {
	Into   string
	Lines  int      // purchase order lines that name the other article now
	Filled []string // fields of the other that were empty, and have the double's values
}

// Merge makes an article without an external_id another name of the one that has its SKU and one. A call that is repeated does
// nothing.
func (s *Service) Merge(ctx context.Context, by auth.Principal, id, into string) (merged Merged, err error) {
	if err := by.Require(auth.EditRecords); err != nil {
		return Merged{}, err
	}
	for tries := 0; ; tries++ {
		err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
			merged, err = (&merging{tx: tx, queries: q.New(tx), by: by}).run(ctx, id, into)
			return err
		})
		if !pg.Retryable(err) || tries == mostTries { // it lost to another writer
			return merged, err
		}
	}
}

const mostTries = 3

// merging is one transaction that merges two articles.
type merging struct {
	tx      pgx.Tx
	queries *q.Queries
	by      auth.Principal
}

func (m *merging) run(ctx context.Context, id, into string) (merged Merged, err error) {
	if err := registry.Raise(ctx, m.tx, m.by.Tenant, slug); err != nil {
		return Merged{}, err
	}
	if err := m.queries.BeginMerging(ctx); err != nil {
		return Merged{}, err
	}
	if err := m.lockDrafts(ctx, id); err != nil {
		return Merged{}, err
	}
	double, other, err := m.lock(ctx, id, into)
	if err != nil {
		return Merged{}, err
	}
	merged.Into = other.ID
	if double.MergedInto != nil {
		return merged, nil
	}
	merged.Lines, err = purchase.MoveArticle(ctx, m.tx, m.by, key(double), key(other))
	if err != nil {
		return Merged{}, err
	}
	filled, err := m.take(ctx, double, other)
	if err != nil {
		return Merged{}, err
	}
	merged.Filled = slices.Sorted(maps.Keys(filled))
	return merged, audit.Record(ctx, m.tx, m.by, "article.merged", other.ID, audit.Data{
		"merged": double.ID, "sku": *double.Sku, "name": double.Name, "external_id": *other.ExternalID, "lines": merged.Lines, "filled": filled})
}

// lockDrafts makes drafts of an article wait until the transaction ends. They take this lock before those of articles.
func (m *merging) lockDrafts(ctx context.Context, id string) error {
	article, err := m.queries.FindArticle(ctx, q.FindArticleParams{TenantID: m.by.Tenant, WorkspaceID: m.by.Workspace, ID: id})
	if fault.Is(pg.Translate(err), fault.NotFound) || err == nil && article.Sku == nil {
		return nil // it will be refused
	}
	if err != nil {
		return err
	}
	return m.queries.LockArticles(ctx, q.LockArticlesParams{Workspace: m.by.Workspace.String(), Skus: []string{*article.Sku}})
}

// lock locks both articles in the order of their ids, and refuses two that are not the same.
func (m *merging) lock(ctx context.Context, id, into string) (double, other q.LockArticleRow, err error) {
	articles := map[string]q.LockArticleRow{}
	for _, one := range []string{min(id, into), max(id, into)} {
		article, err := m.queries.LockArticle(ctx, q.LockArticleParams{TenantID: m.by.Tenant, WorkspaceID: m.by.Workspace, ID: one})
		if err != nil && !fault.Is(pg.Translate(err), fault.NotFound) {
			return double, other, err
		}
		articles[one] = article
	}
	double, other = articles[id], articles[into]
	switch {
	case double.ID == "", double.MergedInto != nil && *double.MergedInto != into:
		err = fault.New(fault.NotFound, "unknown_article", "there is no article with this id in this workspace")
	case double.MergedInto != nil:
	case other.ID == "", other.MergedInto != nil:
		err = fault.InField("into", "unknown_article", "there is no article with this id in this workspace")
	case double.ExternalID != nil:
		err = fault.New(fault.Conflict, "has_external_id",
			"only an article without an external_id can be merged into another; a system sends this one as %s", *double.ExternalID)
	case other.ExternalID == nil:
		err = fault.InField("into", "no_external_id", "merge it into the article that has an external_id")
	case other.Sku == nil || *other.Sku != *double.Sku:
		err = fault.InField("into", "other_sku", "this article has another SKU; only articles with the same SKU are merged")
	}
	return double, other, err
}

func key(article q.LockArticleRow) purchase.ArticleKey {
	return purchase.ArticleKey{ID: article.ID, Identity: article.Identity, SKU: *article.Sku}
}

// take gives the other article what the double has, hides the double, and returns the fields that were filled in.
func (m *merging) take(ctx context.Context, double, other q.LockArticleRow) (filled map[string]json.RawMessage, err error) {
	tenant, workspace := m.by.Tenant, m.by.Workspace
	counted, err := m.queries.LastCounted(ctx, q.LastCountedParams{TenantID: tenant, ID: double.ID})
	if err != nil {
		return nil, err
	}
	row, err := m.queries.FillArticle(ctx,
		q.FillArticleParams{TenantID: tenant, ID: other.ID, DoubleID: double.ID, CountedAt: counted})
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(row.Filled, &filled); err != nil {
		return nil, err
	}
	hidden, err := m.queries.HideArticle(ctx, q.HideArticleParams{TenantID: tenant, ID: double.ID, IntoID: other.ID})
	if err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		func() error {
			return m.queries.TakeStockHistory(ctx, q.TakeStockHistoryParams{
				TenantID: tenant, ProductID: other.ID, DoubleID: double.ID, Version: row.Version})
		},
		func() error {
			return m.queries.AddAliases(ctx, q.AddAliasesParams{
				TenantID: tenant, WorkspaceID: workspace, ProductID: other.ID, Names: []string{*double.Sku, double.ID}})
		},
		func() error {
			return m.queries.TakeSequence(ctx, q.TakeSequenceParams{TenantID: tenant, ProductID: other.ID, DoubleID: double.ID})
		},
		func() error {
			return m.queries.TakeDecisions(ctx, q.TakeDecisionsParams{
				TenantID: tenant, WorkspaceID: workspace, ProductID: other.ID, DoubleID: double.ID})
		},
		func() error {
			return m.queries.TakeExchangeIDs(ctx, q.TakeExchangeIDsParams{TenantID: tenant, ProductID: other.ID, DoubleID: double.ID})
		},
		func() error {
			return m.queries.TakeFailedImports(ctx, q.TakeFailedImportsParams{
				TenantID: tenant, WorkspaceID: workspace, Sku: *double.Sku, ExternalID: *other.ExternalID})
		},
		func() error {
			return m.queries.DropUncomputed(ctx, q.DropUncomputedParams{TenantID: tenant, WorkspaceID: workspace, ProductID: double.ID})
		},
		func() error {
			return m.queries.MarkQueue(ctx, q.MarkQueueParams{
				TenantID: tenant, WorkspaceID: workspace, Products: []string{double.ID, other.ID}})
		},
		func() error { return m.tell(ctx, other.ID, row.Version, filled) },
		func() error { return m.tell(ctx, double.ID, hidden, map[string]string{"merged_into": other.ID}) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return filled, nil
}

// tell writes the event of one of the two articles.
func (m *merging) tell(ctx context.Context, id string, version int64, record any) error {
	data, err := json.Marshal(map[string]any{"result": "updated", "record": record})
	if err != nil {
		return err
	}
	return m.queries.InsertEvent(ctx, q.InsertEventParams{
		TenantID: m.by.Tenant, Subject: id, ID: uuid.Must(uuid.NewV7()), WorkspaceID: m.by.Workspace, Kind: "ingest." + slug + ".merged",
		Slug: slug, Version: version, Actor: m.by.Actor.JSON(), RequestID: telemetry.RequestID(ctx), Data: data,
	})
}
