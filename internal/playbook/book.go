package playbook

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Book is what is in force in a workspace on a day.
type Book struct {
	Day           time.Time
	Revision      int64 // of the workspace's playbook
	Config        Config
	ConfigVersion int64 // 0: the workspace has set nothing
	origins       Origins
	strategies    map[Scope]map[string][]inForce // by scope and target, the newest last
}

// inForce is a strategy that applies, with the revision that orders it among others.
type inForce struct {
	Strategy
	origin   Origin
	revision int64
}

// Source is the kind of document that a value comes from.
type Source string

// The sources.
const (
	FromDefault  Source = "default"
	FromConfig   Source = "config"
	FromStrategy Source = "strategy"
)

// Origin says where a value of an article's config comes from.
type Origin struct {
	Source  Source
	ID      uuid.UUID // of the strategy
	Title   string    // of the strategy
	Scope   Scope     // of the strategy
	Version int64     // of the config or the strategy
}

// Origins holds the origin of every value that is not a default, by key. It is shared: do not
// change it.
type Origins map[string]Origin

// Of returns where the value of a key comes from.
func (o Origins) Of(key string) Origin {
	if origin, found := o[key]; found {
		return origin
	}
	return Origin{Source: FromDefault}
}

// Read reads what is in force in a workspace on a day, today or later. Changes without a date of
// effect count on every day: Read does not tell how the past was.
func Read(ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID, day time.Time) (Book, error) {
	// The revision is read first: if a change is committed in between, the book has a revision that is
	// too old, and is read once more than needed, not once less.
	revision, err := Revision(ctx, tx, tenant, workspace)
	if err != nil {
		return Book{}, err
	}
	rows, err := q.New(tx).ListPlaybookInForce(ctx, q.ListPlaybookInForceParams{
		TenantID: tenant, WorkspaceID: workspace, Day: day.Format(time.DateOnly)})
	if err != nil {
		return Book{}, err
	}
	book := Book{Day: day, Revision: revision, Config: Defaults(), origins: Origins{}}
	var strategies []inForce
	for _, row := range rows {
		if row.Kind == kindConfig {
			if err := book.readConfig(row.Version, row.Content); err != nil {
				return Book{}, err
			}
			continue
		}
		one := inForce{revision: row.Revision}
		if err := json.Unmarshal(row.Content, &one.Strategy); err != nil {
			return Book{}, err
		}
		one.origin = Origin{FromStrategy, row.DocumentID, one.Title, one.Scope, row.Version}
		if one.Status == Active && !one.endedBefore(day) {
			strategies = append(strategies, one)
		}
	}
	if err := followMerged(ctx, q.New(tx), tenant, workspace, strategies); err != nil {
		return Book{}, err
	}
	book.strategies = byTarget(strategies)
	return book, nil
}

// followMerged makes strategies for articles that were merged into others strategies for these.
func followMerged(ctx context.Context, queries *q.Queries, tenant, workspace uuid.UUID, strategies []inForce) error {
	var products []string
	for _, one := range strategies {
		if one.Scope == OfProduct {
			products = append(products, one.Target)
		}
	}
	if products == nil {
		return nil
	}
	merged, err := queries.ListMerged(ctx, q.ListMergedParams{TenantID: tenant, WorkspaceID: workspace, Names: products})
	for _, article := range merged {
		for i := range strategies {
			if strategies[i].Scope == OfProduct && strategies[i].Target == article.Name {
				strategies[i].Target = article.ProductID
			}
		}
	}
	return err
}

// readConfig makes a stored version the book's config.
func (b *Book) readConfig(version int64, content []byte) error {
	config, err := readConfig(content)
	if err != nil {
		return err
	}
	*b = b.withConfig(version, config)
	return nil
}

// withConfig returns the book with another config.
func (b Book) withConfig(version int64, config Config) Book {
	b.Config, b.ConfigVersion, b.origins = config, version, Origins{}
	for name := range config.changed() {
		b.origins[name] = Origin{Source: FromConfig, Version: version}
	}
	return b
}

func byTarget(strategies []inForce) map[Scope]map[string][]inForce {
	slices.SortFunc(strategies, func(a, b inForce) int { return cmp.Compare(a.revision, b.revision) })
	targets := map[Scope]map[string][]inForce{}
	for _, one := range strategies {
		if targets[one.Scope] == nil {
			targets[one.Scope] = map[string][]inForce{}
		}
		targets[one.Scope][one.Target] = append(targets[one.Scope][one.Target], one)
	}
	return targets
}

// For returns the config of an article, and where its values come from. A strategy for the product
// goes before one for its supplier, then its family, then the workspace, then the config. Of two
// strategies for the same thing, the one with the newest version goes first. An article without a
// supplier or a family has "".
func (b Book) For(product, supplier, family string) (Config, Origins) {
	config, origins, own := b.Config, b.origins, false
	for _, place := range []struct {
		scope  Scope
		target string
	}{{OfWorkspace, ""}, {OfFamily, family}, {OfSupplier, supplier}, {OfProduct, product}} {
		for _, strategy := range b.strategies[place.scope][place.target] {
			for name, value := range strategy.Parameters {
				key, known := keyNamed(name)
				if !known || key.set(&config, value) != nil {
					continue // its bounds became narrower since it was stored
				}
				if !own {
					shared := origins
					origins, own = Origins{}, true
					maps.Copy(origins, shared)
				}
				origins[name] = strategy.origin
			}
		}
	}
	return config, origins
}

// Setting is a value of an article's config, and where it comes from.
type Setting struct {
	Key, Value string
	Origin     Origin
}

// Planning returns the values that decide what to order and when, in a fixed order.
func Planning(config Config, origins Origins) (settings []Setting) {
	values := config.Values()
	for _, key := range keys {
		if key.Planning {
			settings = append(settings, Setting{key.Name, string(values[key.Name]), origins.Of(key.Name)})
		}
	}
	return settings
}

// Revision returns a number that rises with every change of the workspace's config or strategies. A
// draft changes no figure and leaves it.
func Revision(ctx context.Context, tx pgx.Tx, tenant, workspace uuid.UUID) (int64, error) {
	revision, err := q.New(tx).GetPlaybookRevision(ctx,
		q.GetPlaybookRevisionParams{TenantID: tenant, WorkspaceID: workspace})
	if missing(err) {
		return 0, nil // nothing was ever changed
	}
	return revision, err
}

func missing(err error) bool { return errors.Is(err, pgx.ErrNoRows) || fault.Is(err, fault.NotFound) }
