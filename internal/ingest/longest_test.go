package ingest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// rare returns text of characters that take 4 bytes each and cannot be compressed.
func rare(random *rand.Rand, length int) string {
	text := make([]rune, length)
	for i := range text {
		text[i] = rune(0x20000 + random.IntN(0xa000)) // Chinese characters that are seldom used
	}
	return string(text)
}

// TestLongestTexts fills every text of every built-in table with as many characters as it may have, 4 bytes each: all
// indexes can hold them.
func TestLongestTexts(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	random := rand.New(rand.NewPCG(1, 2))
	keys := map[string]string{}
	for _, slug := range []string{"suppliers", "products", "customers", "orders", "order_line_items", "meeting_notes", "purchase_order_lines"} {
		table, err := s.registry.Table(t.Context(), st.tenant.ID, slug)
		require.NoError(t, err)
		keys[slug] = rare(random, MaxKeyLength)
		record := map[string]any{}
		for i := range table.Columns {
			if column := &table.Columns[i]; column.Accepted {
				record[column.Name] = longestValue(t, random, column, keys)
			}
		}
		record[table.Identity[0]] = keys[slug]
		body, err := json.Marshal(record)
		require.NoError(t, err)
		for _, want := range []Result{Created, Unchanged} {
			outcome, err := s.Write(t.Context(), Record{By: st.by(), Slug: slug, Body: body, RequestID: "test"})
			require.NoError(t, err, slug)
			require.Equal(t, want, outcome.Result, slug)
		}
		require.Equal(t, keys[slug], st.ask(fmt.Sprintf("SELECT %s FROM workspace.%s WHERE tenant_id = $1", table.ConflictColumn, slug), st.tenant.ID))
	}
}

// longestValue returns a value of a column: the longest text that it may have, or an example.
func longestValue(t *testing.T, random *rand.Rand, column *registry.Column, keys map[string]string) any {
	switch {
	case column.Reference != nil:
		return keys[column.Reference.Slug]
	case column.Choices != nil:
		return column.Choices[0]
	case column.Format == registry.Currency:
		return "EUR"
	case column.Type == registry.Text && column.MaxLength > 0:
		return rare(random, column.MaxLength)
	case column.Type == registry.Text:
		return rare(random, 10_000)
	}
	require.NotNil(t, column.Example, column.Name)
	return column.Example
}
