package exchange

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
)

// The codes of what holds an order until a person has done something.
const (
	CodeSupplier   = "supplier_unmapped"
	CodeArticle    = "article_unmapped"
	CodeIncomplete = "line_incomplete"
	CodeMixed      = "order_mixed"
)

// The kinds of ids.
const (
	articleIDs  = "article"
	supplierIDs = "supplier"
	locationIDs = "location"
)

// held says what a person must do before the order can be compared.
func held(code, format string, args ...any) error {
	return fault.New(fault.Conflict, code, format, args...)
}

// complete finds the ids there of the lines' articles and suppliers, and refuses an order that the other side
// could not have: with articles or suppliers that it is not known to have, or with two suppliers or currencies.
func (r *run) complete(ctx context.Context, order *inventory.Order, lines []line) error {
	if order == nil && !r.open.Settings.MayExport {
		return nil // nothing is there, and nothing is to be
	}
	if err := r.matchArticles(ctx, lines); err != nil {
		return err
	}
	return r.fits(lines)
}

// fits refuses lines whose ids there are not known, and an order with two suppliers or currencies.
func (r *run) fits(lines []line) error {
	suppliers, currencies := []string{}, []string{}
	for _, l := range lines {
		switch {
		case !l.live():
		case l.VariantThere == "":
			return held(CodeArticle, "the article %s has no counterpart in the inventory system; choose one", l.Sku)
		case l.SupplierThere == "" && l.SupplierName == "":
			return held(CodeIncomplete, "%s has no supplier yet; the order is sent when it has one", l.Sku)
		case l.SupplierThere == "":
			return held(CodeSupplier, "the supplier %s has no counterpart in the inventory system; choose one", l.SupplierName)
		default:
			suppliers = with(suppliers, l.SupplierThere)
			if l.Currency != nil && *l.Currency != "" {
				currencies = with(currencies, *l.Currency)
			}
		}
	}
	switch {
	case !r.open.Settings.MayExport:
	case len(suppliers) > 1:
		return held(CodeMixed, "the order has lines from %d suppliers; the inventory system takes one", len(suppliers))
	case len(currencies) > 1:
		return held(CodeMixed, "the order has prices in %s; the inventory system takes one currency",
			strings.Join(currencies, " and "))
	}
	return nil
}

func with(texts []string, text string) []string {
	if slices.Contains(texts, text) {
		return texts
	}
	return append(texts, text)
}

// matchArticles maps articles whose SKU means one article on both sides.
func (r *run) matchArticles(ctx context.Context, lines []line) error {
	missing := []string{}
	for _, l := range lines {
		if l.live() && l.VariantThere == "" && l.ProductID != "" {
			missing = with(missing, l.Sku)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	variants, err := r.system.Variants(ctx, missing)
	if err != nil {
		return err
	}
	found, err := r.keepArticles(ctx, variants)
	if err != nil {
		return err
	}
	for i := range lines {
		if lines[i].VariantThere == "" {
			lines[i].VariantThere = found.there[lines[i].ProductID]
		}
	}
	return nil
}

// articles are ids of articles on both sides.
type articles struct {
	here  map[string]string // by the id there
	there map[string]string // by the id here
	skus  map[string]string // by the id here
}

// keepArticles maps variants to the articles with their SKUs, where there is one of each and nobody has mapped
// either. It returns what is mapped then.
func (r *run) keepArticles(ctx context.Context, variants []inventory.Variant) (found articles, err error) {
	skus, ids := map[string][]string{}, []string{}
	for _, v := range variants {
		skus[v.SKU] = append(skus[v.SKU], v.ID)
		ids = append(ids, v.ID)
	}
	err = r.s.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		products, err := queries.ListProductsBySKU(ctx, q.ListProductsBySKUParams{TenantID: r.by.Tenant,
			WorkspaceID: r.by.Workspace, Skus: keys(skus)})
		if err != nil {
			return err
		}
		ours := map[string][]string{}
		for _, p := range products {
			ours[*p.Sku] = append(ours[*p.Sku], p.ID)
		}
		for _, sku := range keys(ours) {
			if len(ours[sku]) != 1 || len(skus[sku]) != 1 {
				continue
			}
			_, err := queries.KeepExchangeID(ctx, q.KeepExchangeIDParams{TenantID: r.by.Tenant, ConnectionID: r.id,
				Kind: articleIDs, Ours: ours[sku][0], Theirs: skus[sku][0], Name: sku, Actor: r.by.Actor.JSON()})
			if err != nil {
				return err
			}
		}
		found, err = r.listArticles(ctx, queries, ids)
		return err
	})
	return found, err
}

// listArticles returns the articles that variants are mapped to.
func (r *run) listArticles(ctx context.Context, queries *q.Queries, variants []string) (articles, error) {
	found := articles{here: map[string]string{}, there: map[string]string{}, skus: map[string]string{}}
	mapped, err := queries.ListExchangeIDs(ctx, q.ListExchangeIDsParams{TenantID: r.by.Tenant, ConnectionID: r.id,
		Kind: articleIDs, Theirs: variants, Ours: []string{}})
	if err != nil {
		return found, err
	}
	ids := []string{}
	for _, m := range mapped {
		found.here[m.Theirs], found.there[m.Ours] = m.Ours, m.Theirs
		ids = append(ids, m.Ours)
	}
	products, err := queries.ListProductSKUs(ctx,
		q.ListProductSKUsParams{TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace, Ids: ids})
	for _, p := range products {
		if p.Sku != nil {
			found.skus[p.ID] = *p.Sku
		}
	}
	return found, err
}

// meanings are what ids there, which are written here, mean here.
type meanings struct {
	articles
	suppliers map[string]string // by the id there
}

// translate looks up what a plan writes here.
func (r *run) translate(ctx context.Context, planned inventory.Planned) (m meanings, err error) {
	variants, suppliers := []string{}, []string{}
	for _, result := range planned.Lines {
		if w := result.Here; w.Create || w.Has(inventory.FieldVariant) {
			variants = with(variants, w.Line.Variant)
		}
		if w := result.Here; w.Create || w.Has(inventory.FieldSupplier) {
			suppliers = with(suppliers, w.Line.Supplier)
		}
	}
	m.suppliers = map[string]string{}
	if len(variants)+len(suppliers) == 0 {
		return m, nil
	}
	err = r.s.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		mapped, err := queries.ListExchangeIDs(ctx, q.ListExchangeIDsParams{TenantID: r.by.Tenant, ConnectionID: r.id,
			Kind: supplierIDs, Theirs: suppliers, Ours: []string{}})
		for _, found := range mapped {
			m.suppliers[found.Theirs] = found.Ours
		}
		if err != nil {
			return err
		}
		m.articles, err = r.listArticles(ctx, queries, variants)
		return err
	})
	if err != nil {
		return m, err
	}
	for _, id := range suppliers {
		if m.suppliers[id] == "" {
			return m, r.unknownSupplier(ctx, id)
		}
	}
	for _, id := range variants {
		if m.skus[m.here[id]] == "" {
			if err := r.matchVariant(ctx, id, &m); err != nil {
				return m, err
			}
		}
	}
	return m, nil
}

// unknownSupplier names a supplier that only exists there.
func (r *run) unknownSupplier(ctx context.Context, id string) error {
	known, err := r.system.Suppliers(ctx)
	if err != nil {
		return err
	}
	name := id
	for _, s := range known {
		if s.ID == id {
			name = s.Name
		}
	}
	return held(CodeSupplier, "the inventory system's supplier %s has no counterpart here; choose one", name)
}

// matchVariant maps a variant by its SKU.
func (r *run) matchVariant(ctx context.Context, id string, m *meanings) error {
	variant, err := r.system.Variant(ctx, id)
	if err != nil {
		return err
	}
	found, err := r.keepArticles(ctx, []inventory.Variant{variant})
	if err != nil {
		return err
	}
	ours := found.here[id]
	if found.skus[ours] == "" {
		return held(CodeArticle, "the inventory system's article %s has no counterpart here; choose one", variant.SKU)
	}
	m.here[id], m.skus[ours] = ours, found.skus[ours]
	return nil
}

// location returns the id there of the place that the order's lines are for: the one that all of them name, if it
// is mapped, and else the connection's.
func (r *run) location(ctx context.Context, lines []line) (there string, err error) {
	places := []string{}
	for _, l := range lines {
		if l.live() && l.LocationID != nil {
			places = with(places, l.LocationID.String())
		}
	}
	if len(places) != 1 {
		return r.open.Settings.Location, nil
	}
	err = r.s.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		mapped, err := q.New(tx).ListExchangeIDs(ctx, q.ListExchangeIDsParams{TenantID: r.by.Tenant, ConnectionID: r.id,
			Kind: locationIDs, Theirs: []string{}, Ours: places})
		if there = r.open.Settings.Location; len(mapped) == 1 {
			there = mapped[0].Theirs
		}
		return err
	})
	return there, err
}
