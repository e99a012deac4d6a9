package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/registry"
)

// A new record whose key differs from a stored one only by white space, or by capital and small letters, is probably meant
// to be that record. An index that ignores both would cost every new row of every table. Instead, the usual spellings of a
// new key are looked up in the index that keys have anyway. This is done after the commit, so that of two concurrent
// records at least one sees the other, and only for records that were created.

// spellings returns other keys that differ from this one only by white space or case, at most nine: without white space
// around it or within it, with a single blank around it, and in small letters, in capitals and with capital initials. Not
// every such key is among them: a stored "TeA" is found from none but itself.
func spellings(key string) []string {
	words := strings.Fields(key)
	trimmed, single := strings.TrimSpace(key), strings.Join(words, " ")
	candidates := []string{trimmed, single, strings.Join(words, ""), " " + key, key + " ",
		strings.ToLower(single), strings.ToUpper(single), initial(single)}
	for i, word := range words {
		words[i] = initial(word)
	}
	candidates = append(candidates, strings.Join(words, " "))
	others := candidates[:0]
	for _, other := range candidates {
		if other != key && other != "" && !slices.Contains(others, other) {
			others = append(others, other)
		}
	}
	return others
}

// initial returns a text in small letters with a capital at its beginning.
func initial(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + strings.ToLower(text[size:])
}

// nearStatement finds the records of which another spelling of their key is stored in their workspace. Parameters: tenants
// $1, workspaces $2, spellings $3, the records' places $4, slug $5.
func nearStatement(table *registry.Table) string {
	return fmt.Sprintf(`SELECT DISTINCT i.place FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[])
    AS i (tenant_id, workspace_id, identity, place)
CROSS JOIN LATERAL (SELECT FROM %s t WHERE t.tenant_id = i.tenant_id AND t.workspace_id = i.workspace_id AND %s LIMIT 1) t
WHERE $5::text IS NOT NULL`, tableName(table), identityMatch(table, 5))
}

// queueNear queues the search for records whose keys nearly equal those of created tickets, which are of one table.
func queueNear(batch *pgx.Batch, created []*ticket) {
	var (
		tenants, workspaces uuids
		texts               texts
		places              pgtype.FlatArray[pgtype.Int8]
	)
	for place, t := range created {
		for _, spelling := range spellings(t.clean.identity) {
			tenants = append(tenants, asUUID(t.record.By.Tenant))
			workspaces = append(workspaces, asUUID(t.record.By.Workspace))
			texts = append(texts, asText(spelling))
			places = append(places, pgtype.Int8{Int64: int64(place), Valid: true})
		}
	}
	table := created[0].clean.table
	batch.Queue(nearStatement(table), tenants, workspaces, texts, places, table.Slug).Query(func(rows pgx.Rows) error {
		near, err := pgx.CollectRows(rows, pgx.RowTo[int])
		for _, place := range near {
			created[place].verdict.nearKey = true
		}
		return err
	})
}

// findNear searches for records whose keys nearly equal those of the created records of a batch.
func (s *Service) findNear(ctx context.Context, batch []*ticket) error {
	var created []*ticket
	for _, t := range batch {
		if t.err == nil && t.mode != check && t.verdict.created != nil && *t.verdict.created {
			created = append(created, t)
		}
	}
	if created == nil {
		return nil
	}
	return s.cells.InTenants(ctx, tenantsOf(created), func(tx pgx.Tx) error {
		statements := &pgx.Batch{}
		for _, group := range byTable(created) {
			queueNear(statements, group)
		}
		return tx.SendBatch(ctx, statements).Close()
	})
}
