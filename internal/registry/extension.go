package registry

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// A company extends a built-in table by columns of its own: by a row of the registry that has the built-in table's slug
// and the storage 'extension'. It is made on first need, and is never removed.

// Raise counts a change of what a company's table accepts, so that all instances follow with the next record. Whoever
// stores such a change outside of the registry calls it in the same transaction. The table may be built in: then the
// company's extension is made if there is none.
func Raise(ctx context.Context, tx pgx.Tx, tenant uuid.UUID, slug string) error {
	queries := q.New(tx)
	if err := queries.InsertExtension(ctx, q.InsertExtensionParams{TenantID: tenant, Slug: slug}); err != nil {
		return err
	}
	raised, err := queries.RaiseTableVersion(ctx, q.RaiseTableVersionParams{TenantID: tenant, Slug: slug})
	if err == nil && raised == 0 {
		return fault.New(fault.NotFound, "unknown_table", "there is no table %s", fault.Shorten(slug))
	}
	return err
}

// builtIn returns the built-in table of a slug as it is for companies that have not extended it, or nil.
func (s *Service) builtIn(ctx context.Context, slug string) (*Table, error) {
	table, err := s.Reload(ctx, uuid.Nil, slug)
	if fault.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil // there is none, which is no error
	}
	return table, err
}

// extension returns what the company has added to the built-in table that is changed: found, or nothing yet.
func (w *workbench) extension(found *Defined) *Defined {
	if found != nil {
		return found
	}
	return &Defined{Slug: w.extended.Slug, Title: w.extended.Title, Description: w.extended.Description, BuiltIn: true}
}

// customDocument is the column of every built-in table that holds the values of added columns.
const customDocument = "custom"

// taken reports whether the built-in table that is changed has a column of this name.
func (w *workbench) taken(name string) bool {
	if w.extended == nil {
		return false
	}
	_, taken := w.extended.Column(name)
	return taken || name == customDocument || name == externalID
}
