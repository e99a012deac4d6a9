package exchange

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
)

// matchedIDs are the ids of a connection in both directions.
type matchedIDs struct {
	there map[MatchKind]map[string]string // by ours
	here  map[MatchKind]map[string]string // by theirs
	skus  map[string]string               // of articles that are mapped only in this rehearsal, by theirs
}

func readMatchedIDs(ctx context.Context, queries *q.Queries, by auth.Principal, id uuid.UUID) (matchedIDs, error) {
	m := matchedIDs{there: map[MatchKind]map[string]string{}, here: map[MatchKind]map[string]string{}, skus: map[string]string{}}
	for _, kind := range Kinds {
		m.there[kind], m.here[kind] = map[string]string{}, map[string]string{}
	}
	rows, err := queries.ListMatchedIDs(ctx, q.ListMatchedIDsParams{TenantID: by.Tenant, ConnectionID: id})
	for _, row := range rows {
		m.add(MatchKind(row.Kind), row.Ours, row.Theirs)
		if row.Kind == string(Articles) {
			m.skus[row.Theirs] = row.Name
		}
	}
	return m, err
}

func (m matchedIDs) add(kind MatchKind, ours, theirs string) {
	if m.there[kind] != nil {
		m.there[kind][ours], m.here[kind][theirs] = theirs, ours
	}
}

// matchBySKU maps articles as a sync would by itself, but only in this rehearsal: one SKU, one article on each side.
func (r *rehearsal) matchBySKU(ctx, asked context.Context, lines []line) error {
	missing := []string{}
	for _, l := range lines {
		if l.live() && l.VariantThere == "" && l.ProductID != "" && !slices.Contains(missing, l.Sku) {
			missing = append(missing, l.Sku)
		}
	}
	found := map[string][]string{}
	for some := range slices.Chunk(missing, skusAtOnce) {
		if r.result.Trouble != "" {
			r.unask(some)
			continue
		}
		variants, err := r.system.Variants(asked, some)
		if err != nil {
			if err := r.trouble(asked, err); err != nil {
				return err
			}
			r.unask(some)
		}
		for _, v := range variants {
			found[v.SKU] = append(found[v.SKU], v.ID)
		}
	}
	return r.keepSure(ctx, found)
}

func (r *rehearsal) unask(skus []string) {
	for _, sku := range skus {
		r.unasked[sku] = true
	}
}

// keepSure maps the SKUs that one article on each side has.
func (r *rehearsal) keepSure(ctx context.Context, found map[string][]string) error {
	if len(found) == 0 {
		return nil
	}
	return r.s.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		products, err := q.New(tx).ListProductsBySKU(ctx,
			q.ListProductsBySKUParams{TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace, Skus: keys(found)})
		ours := map[string][]string{}
		for _, p := range products {
			ours[*p.Sku] = append(ours[*p.Sku], p.ID)
		}
		for sku, theirs := range found {
			if len(theirs) != 1 || len(ours[sku]) != 1 {
				continue
			}
			if r.ids.there[Articles][ours[sku][0]] == "" && r.ids.here[Articles][theirs[0]] == "" {
				r.ids.add(Articles, ours[sku][0], theirs[0])
				r.ids.skus[theirs[0]] = sku
			}
		}
		return err
	})
}

// meant finds out what would be written here. It refuses a supplier or an article that is not known here, and returns
// errNotFoundOut if the budget does not suffice.
func (r *rehearsal) meant(ctx context.Context, w inventory.Write) error {
	if id := w.Line.Supplier; (w.Create || w.Has(inventory.FieldSupplier)) && r.ids.here[Suppliers][id] == "" {
		return heldThere(CodeSupplier, "supplier", r.supplierName(id))
	}
	id := w.Line.Variant
	if !w.Create && !w.Has(inventory.FieldVariant) || r.ids.here[Articles][id] != "" {
		return nil
	}
	if r.lookUps >= mostLookUps || r.result.Trouble != "" {
		return errNotFoundOut
	}
	r.lookUps++
	variant, err := r.system.Variant(ctx, id)
	if err != nil {
		return err
	}
	if err := r.keepSure(ctx, map[string][]string{variant.SKU: {id}}); err != nil {
		return err
	}
	if r.ids.here[Articles][id] == "" {
		return heldThere(CodeArticle, "article", variant.SKU)
	}
	return nil
}

func heldThere(code, what, name string) error {
	return held(code, "the inventory system's %s %s has no counterpart here; choose one", what, name)
}

// supplierName returns what a supplier is called there.
func (r *rehearsal) supplierName(id string) string {
	if name := r.names[id]; name != "" {
		return name
	}
	return id
}
