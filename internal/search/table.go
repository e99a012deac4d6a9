package search

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
)

// MostInTable is how many records a search in one table finds.
const MostInTable = 200

// tables holds the built-in tables that can be searched, with the numbers of their kinds.
var tables = map[string]int16{"suppliers": 2, "products": 3, "customers": 4, "orders": 5}

// Covers reports whether the records of a built-in table can be searched.
func Covers(slug string) bool { return tables[slug] != 0 }

// InTable finds records of one table as Find does, the best first, in the caller's
// transaction, which must be bound to the principal's tenant. More means that there may be
// others.
func InTable(ctx context.Context, tx pgx.Tx, by auth.Principal, slug, said string) (
	ids []string, more bool, err error) {
	if err := check("search", said); err != nil {
		return nil, false, err
	}
	ids = []string{}
	look := newLook(tx, by, said, MostInTable, []int16{tables[slug]})
	if err := look.read(ctx); err != nil || len(look.words) == 0 {
		return ids, false, err
	}
	hits, err := look.hits(ctx)
	for _, hit := range hits {
		if hit.kind == tables[slug] && len(ids) <= MostInTable {
			ids = append(ids, hit.ID)
		}
	}
	kept := min(len(ids), MostInTable)
	return ids[:kept], look.cut || kept < len(ids), err
}
