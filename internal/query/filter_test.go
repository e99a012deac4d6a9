package query

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

const (
	firstRef  = "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"
	secondRef = "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8f"
)

// specimens are written to both tables: complete records, one with empty text, one with nulls.
var specimens = []string{
	`{"external_id":"a","words":"Alpha","amount":1.50,"flag":true,"day":"2026-01-01","moment":"2026-01-01T10:00:00.123456Z","ref":"` + firstRef + `"}`,
	`{"external_id":"b","words":"beta 100%_","amount":"123456789012345678901234.567890","flag":false,"day":"2026-02-01","moment":"2026-02-01T10:00:00Z","ref":"` + secondRef + `"}`,
	`{"external_id":"c","words":"ALPHABET Äpfel \\ ' \"","amount":-3,"flag":true,"day":"2026-03-01","moment":"2026-03-01T00:00:00+02:00","ref":"` + firstRef + `"}`,
	`{"external_id":"d","words":""}`,
	`{"external_id":"e"}`,
}

// TestOperators tries every operator on every type, in a schema table and in a generic table.
func TestOperators(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for _, slug := range stored {
		for _, record := range specimens {
			st.write(slug, record)
		}
	}
	for filters, want := range map[string]string{
		``:   "abcde",
		`{}`: "abcde",

		`{"words":"Alpha"}`:                     "a",
		`{"words":"alpha"}`:                     "",
		`{"words":""}`:                          "d",
		`{"words":{"eq":"beta 100%_"}}`:         "b",
		`{"words":{"ne":"Alpha"}}`:              "bcde",
		`{"words":["Alpha","","nobody"]}`:       "ad",
		`{"words":{"in":[]}}`:                   "",
		`{"words":{"contains":"alpha"}}`:        "ac",
		`{"words":{"contains":"%"}}`:            "b",
		`{"words":{"contains":"_"}}`:            "b",
		`{"words":{"contains":"äPFEL"}}`:        "c",
		`{"words":{"contains":"\\"}}`:           "c",
		`{"words":{"contains":"' \""}}`:         "c",
		`{"words":{"contains":""}}`:             "abcd",
		`{"words":null}`:                        "de",
		`{"words":{"empty":true}}`:              "de",
		`{"words":{"empty":false}}`:             "abc",
		`{"external_id":{"contains":"A"}}`:      "a",
		`{"external_id":{"in":["e","a","zz"]}}`: "ae",

		`{"amount":1.5}`:                             "a",
		`{"amount":"1.500"}`:                         "a",
		`{"amount":"15e-1"}`:                         "a",
		`{"amount":[-3,1.5]}`:                        "ac",
		`{"amount":{"ne":1.5}}`:                      "bcde",
		`{"amount":{"gt":1.5}}`:                      "b",
		`{"amount":{"gte":1.5}}`:                     "ab",
		`{"amount":{"lt":1.5}}`:                      "c",
		`{"amount":{"lte":1.5}}`:                     "ac",
		`{"amount":{"gt":-3,"lt":2}}`:                "a",
		`{"amount":123456789012345678901234.567890}`: "b",
		`{"amount":123456789012345678901234.567891}`: "",
		`{"amount":{"empty":true}}`:                  "de",
		`{"amount":{"empty":false,"gte":0}}`:         "ab",

		`{"flag":true}`:            "ac",
		`{"flag":"false"}`:         "b",
		`{"flag":{"ne":true}}`:     "bde",
		`{"flag":{"empty":true}}`:  "de",
		`{"flag":{"empty":false}}`: "abc",

		`{"day":"2026-01-01"}`:                           "a",
		`{"day":{"ne":"2026-01-01"}}`:                    "bcde",
		`{"day":["2026-01-01","2026-03-01"]}`:            "ac",
		`{"day":{"gt":"2026-01-01"}}`:                    "bc",
		`{"day":{"gte":"2026-01-01","lt":"2026-03-01"}}`: "ab",
		`{"day":{"lte":"2026-02-01"}}`:                   "ab",
		`{"day":{"empty":true}}`:                         "de",
		`{"day":{"empty":false}}`:                        "abc",

		`{"moment":"2026-01-01T11:00:00.123456+01:00"}`:   "a",
		`{"moment":{"ne":"2026-02-01T10:00:00Z"}}`:        "acde",
		`{"moment":["2026-02-01T10:00:00Z"]}`:             "b",
		`{"moment":{"gt":"2026-01-01T10:00:00.123456Z"}}`: "bc",
		`{"moment":{"gte":"2026-02-01"}}`:                 "bc",
		`{"moment":{"lt":"2026-03-01"}}`:                  "abc",
		`{"moment":{"lte":"2026-02-28T22:00:00Z"}}`:       "abc",
		`{"moment":{"empty":true}}`:                       "de",
		`{"moment":{"empty":false}}`:                      "abc",

		`{"ref":"` + firstRef + `"}`:                       "ac",
		`{"ref":"` + strings.ToUpper(firstRef) + `"}`:      "ac",
		`{"ref":{"ne":"` + firstRef + `"}}`:                "bde",
		`{"ref":["` + firstRef + `","` + secondRef + `"]}`: "abc",
		`{"ref":{"empty":true}}`:                           "de",
		`{"ref":{"empty":false}}`:                          "abc",

		`{"version":1}`:                      "abcde",
		`{"version":{"gt":1}}`:               "",
		`{"created_at":{"gt":"2001-01-01"}}`: "abcde",
		`{"words":{"contains":"a"},"flag":true,"amount":{"gte":0}}`: "a",
	} {
		for _, slug := range stored {
			got := st.ids(Request{ViewSlug: slug, Filters: []byte(filters), SortBy: "external_id"})
			require.Equal(t, want, strings.Join(got, ""), "%s %s", slug, filters)
			count, err := st.s.Count(t.Context(), st.by(), Request{ViewSlug: slug, Filters: []byte(filters)})
			require.NoError(t, err)
			require.Equal(t, Count{Rows: int64(len(want))}, count, "%s %s", slug, filters)
		}
	}
}

// TestRefusals checks that an invalid request is always refused with the name of the wrong
// argument.
func TestRefusals(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for _, tt := range []struct {
		request Request
		code    string
	}{
		{Request{Filters: []byte(`[]`)}, "invalid_json"},
		{Request{Filters: []byte(`null`)}, "invalid_json"},
		{Request{Filters: []byte(`{"words":"a"`)}, "invalid_json"},
		{Request{Filters: []byte(`{"words":"a"}{}`)}, "invalid_json"},
		{Request{Filters: []byte(`{"words":"a","words":"b"}`)}, "invalid_json"},
		{Request{Filters: []byte(`{"words":{"eq":"a","eq":"b"}}`)}, "invalid_json"},
		{Request{Filters: []byte("{\"words\":\"\xff\"}")}, "invalid_json"},
		{Request{Filters: []byte(`{"words":"\ud800"}`)}, "invalid_json"},
		{Request{Filters: []byte(`{"nothing":1}`)}, "unknown_field"},
		{Request{Filters: []byte(`{"tenant_id":"` + firstRef + `"}`)}, "unknown_field"},
		{Request{Filters: []byte(`{"WORDS":"a"}`)}, "unknown_field"},
		{Request{Filters: []byte(`{"words; DROP TABLE x":"a"}`)}, "unknown_field"},
		{Request{Filters: []byte(`{"words":{"gt":"a"}}`)}, "operator"},
		{Request{Filters: []byte(`{"amount":{"contains":"1"}}`)}, "operator"},
		{Request{Filters: []byte(`{"flag":{"gt":true}}`)}, "operator"},
		{Request{Filters: []byte(`{"flag":[true]}`)}, "operator"},
		{Request{Filters: []byte(`{"amount":{"= 1 OR 1":1}}`)}, "operator"},
		{Request{Filters: []byte(`{"amount":"many"}`)}, "value"},
		{Request{Filters: []byte(`{"amount":"NaN"}`)}, "value"},
		{Request{Filters: []byte(`{"amount":1e309}`)}, "value"},
		{Request{Filters: []byte(`{"amount":""}`)}, "value"},
		{Request{Filters: []byte(`{"amount":[1,null]}`)}, "value"},
		{Request{Filters: []byte(`{"amount":{"in":1}}`)}, "value"},
		{Request{Filters: []byte(`{"day":"2026-02-30"}`)}, "value"},
		{Request{Filters: []byte(`{"day":"infinity"}`)}, "value"},
		{Request{Filters: []byte(`{"moment":"now"}`)}, "value"},
		{Request{Filters: []byte(`{"ref":"1"}`)}, "value"},
		{Request{Filters: []byte(`{"words":"a\u0000b"}`)}, "value"},
		{Request{Filters: []byte(`{"words":{"eq":["a"]}}`)}, "value"},
		{Request{Filters: []byte(`{"words":{"empty":1}}`)}, "value"},
		{Request{Filters: []byte(`{"amount":[` + strings.Repeat("1,", 200) + `1]}`)}, "too_many"},
		{Request{Filters: []byte(`{"words":"` + strings.Repeat("x", 9<<10) + `"}`)}, "too_long"},
		{Request{SelectFields: []string{"nothing"}}, "unknown_field"},
		{Request{SelectFields: []string{"*"}}, "unknown_field"},
		{Request{SelectFields: []string{"words", "words"}}, "repeated"},
		{Request{SortBy: "nothing"}, "unknown_field"},
		{Request{SortBy: "words DESC"}, "unknown_field"},
		{Request{Limit: -1}, "limit"},
		{Request{Limit: 1001}, "limit"},
		{Request{Cursor: "x"}, "cursor"},
	} {
		for _, slug := range stored {
			tt.request.ViewSlug = slug
			_, err := st.s.Rows(t.Context(), st.by(), tt.request)
			require.True(t, fault.Is(err, fault.BadRequest), "%+v: %v", tt.request, err)
			require.True(t, fault.HasCode(err, tt.code), "%+v: %v", tt.request, err)
		}
	}
	for _, slug := range []string{"", "nothing", "records", "events", "api_keys", "Gauges", "gauges; DROP TABLE x",
		"../gauges", "gauges\x00", strings.Repeat("x", 1000)} {
		_, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: slug})
		require.True(t, fault.Is(err, fault.NotFound), "%q: %v", slug, err)
	}
	nobody := st.by()
	nobody.Role = ""
	_, err := st.s.Rows(t.Context(), nobody, Request{ViewSlug: "gauges"})
	require.True(t, fault.Is(err, fault.Forbidden))
}
