package search

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
)

// MostInTable is how many records of one table a search in it finds.
const MostInTable = 200

// tables are the built-in tables whose records are searched, and the numbers of their kinds.
var tables = map[string]int16{"suppliers": 2, "products": 3, "customers": 4, "orders": 5}

// Covers says whether the records of a built-in table are searched.
func Covers(slug string) bool { return tables[slug] != 0 }

// InTable finds records of one table as Find does, the best first, in a read of the caller's
// that is bound to the principal's company. More says that there are, or may be, others.
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
