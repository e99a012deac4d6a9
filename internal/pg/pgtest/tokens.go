package pgtest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// searched says which records are found, by which codes and by which names, as expressions of a row r.
var searched = []struct{ kind, table, id, codes, names, found string }{
	{"1", "purchase_orders", "r.order_no", "r.order_no", "NULL", "r.lines > 0"},
	{"2", "suppliers", "r.id", "r.external_id, r.email", "r.name, r.contact_name", "true"},
	{"3", "products", "r.id", "r.sku, r.barcode, r.external_id, r.supplier_sku", "r.name, r.variant_name", "true"},
	{"4", "customers", "r.id", "r.external_id, r.email", "r.name, r.company", "true"},
	{"5", "orders", "r.id", "r.order_number, r.external_id", "NULL", "true"},
	{"6", "failed_imports", "r.id", "r.record_key", "NULL", "r.status = 'open'"},
}

// tokensSQL reads every record that is found, or that tokens are kept for, with its tokens. The rule of
// PostgreSQL is asked only about texts that are not ASCII.
var tokensSQL = func() string {
	var parts []string
	for _, s := range searched {
		parts = append(parts, strings.NewReplacer("/*kind*/", s.kind, "/*table*/", s.table, "/*id*/", s.id, "/*codes*/", s.codes,
			"/*names*/", s.names, "/*found*/", s.found).Replace(`
			SELECT '/*table*/ ' || coalesce(s.id, k.record_id) AS record, coalesce(s.codes, '{}') AS codes, coalesce(s.names, '') AS names,
				coalesce(s.said, '{}') AS said, coalesce(k.tokens, '{}') AS kept
			FROM (
				SELECT r.workspace_id, (/*id*/)::text COLLATE "C" AS id, array_remove(ARRAY[/*codes*/]::text[], NULL) AS codes,
					concat_ws(' ', /*names*/) AS names, CASE WHEN concat_ws(' ', /*codes*/, /*names*/) ~ '[^\x01-\x7f]'
						THEN workspace.tokens_of(ARRAY[/*codes*/]::text[], concat_ws(' ', /*names*/)) END AS said
				FROM workspace./*table*/ r WHERE r.tenant_id = $1 AND /*found*/
			) s
			FULL JOIN (
				SELECT t.workspace_id, t.record_id, array_agg(t.token) AS tokens
				FROM workspace.search_tokens t WHERE t.tenant_id = $1 AND t.kind = /*kind*/ GROUP BY 1, 2
			) k ON k.workspace_id = s.workspace_id AND k.record_id = s.id`))
	}
	return strings.Join(parts, " UNION ALL ")
}()

// searchedRecord is a record with the tokens that it is found by.
type searchedRecord struct {
	Record     string
	Codes      []string
	Names      string
	Said, Kept []string // tokens: those of PostgreSQL's rule, if a text is not ASCII, and those that are stored
}

// WrongTokens returns the records of a company that the search finds by other tokens than it should, one
// message for each. What is searched, and the rule for ASCII texts, are written here a second time, so that a wrong rule
// cannot confirm itself.
func WrongTokens(ctx context.Context, db Rows, tenant uuid.UUID) (wrong []string, err error) {
	records, err := read[searchedRecord](ctx, db, tokensSQL, tenant)
	for _, r := range records {
		should := r.Said
		if len(should) == 0 {
			should = tokensOf(r.Codes, r.Names)
		}
		if is, want := distinct(r.Kept), distinct(should); !slices.Equal(is, want) {
			wrong = append(wrong, fmt.Sprintf("the search finds %s by\n  %q, and should find it by\n  %q", r.Record, is, want))
		}
	}
	return wrong, err
}

func distinct(tokens []string) []string {
	set := map[string]bool{}
	for _, token := range tokens {
		set[token] = true
	}
	return slices.Sorted(maps.Keys(set))
}

var word = regexp.MustCompile(`[a-z0-9]+`)

// wordsOf returns the words of an ASCII text, of which the first characters count.
func wordsOf(text string, most int) []string {
	return word.FindAllString(strings.ToLower(text[:min(len(text), most)]), -1)
}

// tokensOf returns by what a record with ASCII texts is found: the first 16 words of its names, and each code
// from its beginning and from the beginnings of its next three parts, unless a later part is one character.
func tokensOf(codes []string, names string) (tokens []string) {
	const longest = 64
	for n, word := range wordsOf(names, 1000) {
		if n < 16 {
			tokens = append(tokens, word[:min(len(word), longest)])
		}
	}
	for _, code := range codes {
		parts := wordsOf(code, 500)
		for n := range min(len(parts), 4) {
			if rest := strings.Join(parts[n:], ""); n == 0 || len(rest) > 1 {
				tokens = append(tokens, "#"+rest[:min(len(rest), longest)])
			}
		}
	}
	return tokens
}
