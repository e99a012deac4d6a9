package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/registry"
)

// hostile are JSON values that PostgreSQL, or code before it, could refuse for a column of
// each type.
var hostile = func() map[registry.Type][]string {
	nines := strings.Repeat("9", registry.MaxDigits)
	common := []string{
		`null`, `""`, `" "`, `"\u0000"`, `"a\u0000b"`, `{}`, `[]`, `[{"a":[null]}]`, `true`, `0`, `-0`, `"now"`, `"'; --"`,
		`"\\x00"`, `"{}"`, `"\ufffe"`,
		quotedRandom(8000, 'a', 26), quotedRandom(100_000, 0x4e00, 20_000),
	}
	return map[registry.Type][]string{
		registry.Text: append([]string{
			`"\ud83d\ude00"`, `"\u202e"`, `1e400`, `"eur"`, `"EURO"`, `"XQZ"`,
			quotedRandom(500, 0x1f300, 700), quotedRandom(501, 0x1f300, 700), // four bytes a character
		}, common...),
		registry.Number: append([]string{
			`-1`, `1e308`, `-1e308`, `1e309`, `1e-308`, `1e-309`, nines + "e308", "-" + nines + "e308", nines + "e-308",
			nines + "9", `1e131071`, `1e131072`, `1e-16383`,
			`1e2147483648`, `9223372036854775808`, `"NaN"`, `"Infinity"`, `"-Infinity"`, `"inf"`, `"+.5"`, `"5."`, `"1_000"`,
			`"0x10"`, `"1,5"`, `0.1e1`,
		}, common...),
		registry.Boolean: append([]string{`false`, `1`, `2`, `"yes"`, `"t"`}, common...),
		registry.Date: append([]string{
			`"0001-01-01"`, `"0000-12-31"`, `"9999-12-31"`, `"10000-01-01"`, `"-0001-01-01"`, `"0044-03-15 BC"`, `"infinity"`,
			`"-infinity"`, `"epoch"`, `"2026-02-30"`,
			`"0000-12-31T23:00:00-05:00"`, `"0001-01-01T00:00:00+14:00"`, `"9999-12-31T23:00:00-05:00"`, `"5874897-12-31"`,
			`20260314`,
		}, common...),
		registry.Datetime: append([]string{
			`"0001-01-01"`, `"0000-12-31"`, `"9999-12-31"`, `"10000-01-01"`, `"infinity"`, `"-infinity"`, `"epoch"`,
			`"0044-03-15 BC"`,
			`"0001-01-01T00:00:00Z"`, `"0000-12-31T23:00:00-05:00"`, `"0001-01-01T00:00:00+14:00"`,
			`"9999-12-31T23:59:59.999999999Z"`, `"9999-12-31T23:00:00-05:00"`,
			`"2026-06-30T23:59:60Z"`, `"2026-03-14T24:00:00Z"`, `-62135596800000`, `-62135596800001`, `253402300799999`,
			`253402300800000`,
			`9223372036854775807`, `-9223372036854775808`, `9223372036854775808`, `1773480600`, `1773480600000`, `1773480600.5`,
			`"000000000001"`,
		}, common...),
		registry.UUID: append([]string{
			`"00000000-0000-0000-0000-000000000000"`, `"ffffffff-ffff-ffff-ffff-ffffffffffff"`,
			`"{0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e}"`, `"0190f1de6a3b7c219d2e3f4a5b6c7d8e"`,
		}, common...),
	}
}()

// quotedRandom returns text that does not compress: PostgreSQL compresses an index entry
// before it checks its size.
func quotedRandom(length int, first rune, letters int) string {
	random := rand.New(rand.NewPCG(1, 2)) // the same text in every run
	text := make([]rune, length)
	for i := range text {
		text[i] = first + rune(random.IntN(letters))
	}
	return `"` + string(text) + `"`
}

// TestNothingRaises sends every hostile value for every column of every built-in table, in a
// new and in an existing record. PostgreSQL must never raise an error: every answer is a 200
// or a 422, and what was stored can be read again.
func TestNothingRaises(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unlimited()
	// In these zones, midnight of the first and the last valid day falls on another day, and
	// in another year, in UTC.
	w.exec("UPDATE control.workspaces SET time_zone = CASE name WHEN 'Second' THEN 'Pacific/Pago_Pago' ELSE 'Pacific/Kiritimati' END")
	tables, err := w.app.Tables.All(t.Context(), w.tenant.ID)
	require.NoError(t, err)
	require.Len(t, tables, 7)
	var group sync.WaitGroup
	slots := make(chan struct{}, 16)
	sent := 0
	for _, table := range tables {
		for _, key := range []string{"master", "elsewhere"} {
			require.Equal(t, http.StatusOK, w.hostileSend(key, table, "known", nil, "").status)
		}
		for i := range table.Columns {
			column := &table.Columns[i]
			if !column.Accepted {
				continue
			}
			for n, value := range hostile[column.Type] {
				for _, key := range []string{"master", "elsewhere"} {
					if key == "elsewhere" && column.Type != registry.Datetime {
						continue
					}
					sent++
					slots <- struct{}{}
					group.Go(func() {
						defer func() { <-slots }()
						for _, id := range []string{fmt.Sprintf("%s-%s-%d", key, column.Name, n), "known"} {
							got := w.hostileSend(key, table, id, column, value)
							if got.status != http.StatusOK && got.status != http.StatusUnprocessableEntity {
								t.Errorf("%s.%s = %s: %d %s", table.Slug, column.Name, shortened(value), got.status, got.body)
							}
						}
					})
				}
			}
		}
	}
	group.Wait()
	require.Greater(t, sent, 2000, "the registry has no columns")
	require.Equal(t, []string{"0"}, w.read("workspace.failed_imports", "count(*) FILTER (WHERE http_status = 500)", "1"))

	person := w.join(w.tenant, auth.Viewer).enter()
	place := "/api/app/workspaces/" + w.tenant.Workspace.String()
	paths := []string{"/purchase-orders?" + url.Values{"limit": {"100"}}.Encode(), "/purchase-order-counts", "/arrivals"}
	for _, table := range tables {
		paths = append(paths, "/tables/"+table.Slug+"/rows?limit=200", "/tables/"+table.Slug+"/export")
	}
	for _, path := range paths {
		got := person.call(http.MethodGet, place+path, nil)
		require.Equal(t, http.StatusOK, got.status, "%s: %s", path, shortened(got.body))
	}
}

// hostileSend sends a minimal record with one value replaced. The record's key is id, unless
// the value is the key.
func (w *world) hostileSend(key string, table *registry.Table, id string, replaced *registry.Column,
	value string) answer {
	w.t.Helper()
	record := map[string]json.RawMessage{}
	for i := range table.Columns {
		if column := &table.Columns[i]; column.Required {
			record[column.Name] = column.Describe().Example
		}
	}
	if table.Slug == "purchase_order_lines" {
		record["status"] = json.RawMessage(`"ordered"`) // so that receipts count
	}
	if id == "known" && replaced != nil {
		clear(record)
	}
	record["external_id"] = json.RawMessage(fmt.Sprintf("%q", key+id))
	if replaced != nil {
		record[replaced.Name] = json.RawMessage(value)
		if slices.Contains(table.Identity, replaced.Name) && replaced.Name != table.Identity[0] {
			delete(record, table.Identity[0])
		}
	}
	body, err := json.Marshal(record)
	require.NoError(w.t, err)
	return w.send(http.MethodPost, key, "/api/ingest/"+table.Slug, nil, body)
}

func shortened(text string) string {
	if len(text) > 80 {
		return text[:80] + "…"
	}
	return text
}
