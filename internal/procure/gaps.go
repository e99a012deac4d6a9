package procure

import (
	"bytes"
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/pg/q"
)

// mostRefused is how many open failed imports are searched for articles, the latest first.
const mostRefused = 1000

// mostWaiting is how many order lines without their orders are looked at. Those that wait in vain for years are among them.
const mostWaiting = 50_000

// Gaps say what is missing in the figures of an article.
type Gaps struct {
	FailedImports int `json:"failed_imports,omitempty"`  // open ones that name it
	Unmatched     int `json:"unmatched_lines,omitempty"` // order lines with its SKU that match no article
	Waiting       int `json:"waiting_lines,omitempty"`   // its order lines whose orders have not come, or were refused
	// Implausible are its order lines that are in no figure, because their day, quantity or amount cannot be true.
	Implausible int `json:"implausible_lines,omitempty"`
	// Dates are its ordered lines with a day of order or arrival that cannot be true. It counts as not known.
	Dates int `json:"implausible_dates,omitempty"`
}

// longestRefused is how many bytes of a refused record are read. What names an article comes early, and a record may be a
// thousand times as long.
const longestRefused = 4 << 10

// mentions counts how many records name something: in how many refused ones a text is a value, or the article of how many
// lines it is.
type mentions map[string]int

// readRefused reads which texts the refused records have.
func (c *computation) readRefused(ctx context.Context) (mentions, error) {
	payloads, err := c.queries.ListRefusedRecords(ctx, q.ListRefusedRecordsParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace,
		Most: mostRefused, Longest: longestRefused})
	all := mentions{}
	for _, payload := range payloads {
		all.add(payload)
	}
	return all, err
}

// readWaiting reads which articles the order lines name whose orders have not come.
func (c *computation) readWaiting(ctx context.Context) (mentions, error) {
	lines, err := c.queries.ListWaitingLines(ctx, q.ListWaitingLinesParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace,
		Since: dateOf(c.asOf - learntDays), Most: mostWaiting})
	all := mentions{}
	for _, line := range lines {
		names := []string{line.ProductID, line.Variant, line.Sku}
		for i, name := range names {
			if !slices.Contains(names[:i], name) {
				all[name]++
			}
		}
	}
	return all, err
}

// add counts the texts and numbers of a record once each, as far as its beginning can be read: a number names an article as
// its text does. Names of fields are none of its values.
func (m mentions) add(payload []byte) {
	decoder := jsontext.NewDecoder(bytes.NewReader(payload), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	values := map[string]bool{}
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			break
		}
		kind, length := decoder.StackIndex(decoder.StackDepth())
		isName := kind == jsontext.KindBeginObject && length%2 == 1
		if is := token.Kind(); !isName && (is == jsontext.KindString || is == jsontext.KindNumber) {
			values[token.String()] = true
		}
	}
	for value := range values {
		m[value]++
	}
}

// of returns how many records name an article, by its SKU, the source's id or ours.
func (m mentions) of(k *known) int {
	most := 0
	for _, name := range []string{text(k.Sku), text(k.ExternalID), k.ID} {
		if name != "" {
			most = max(most, m[name])
		}
	}
	return most
}

// readGaps finds out what is missing in the figures of articles.
func (c *computation) readGaps(ctx context.Context, articles []known) error {
	of := q.CountUnmatchedParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, Since: date(c.asOf - learntDays)}
	position, products := map[string]*known{}, []string{}
	for i := range articles {
		k := &articles[i]
		position[k.ID], products = k, append(products, k.ID)
		k.gaps.FailedImports, k.gaps.Waiting = c.refused.of(k), c.waiting.of(k)
		of.Skus = append(of.Skus, text(k.Sku))
		of.Variants = append(of.Variants, text(k.ExternalID))
	}
	leftOut, err := c.queries.CountLeftOut(ctx,
		q.CountLeftOutParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, Products: products})
	if err != nil {
		return err
	}
	for _, l := range leftOut {
		position[l.ProductID].gaps.Implausible = int(l.Lines)
	}
	unmatched, err := c.queries.CountUnmatched(ctx, of)
	if len(unmatched) == 0 {
		return err
	}
	for i := range articles {
		k := &articles[i]
		for _, u := range unmatched {
			if u.Sku != "" && u.Sku == text(k.Sku) || u.Variant != "" && u.Variant == text(k.ExternalID) {
				k.gaps.Unmatched += int(u.Lines)
			}
		}
	}
	return err
}
