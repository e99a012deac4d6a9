package unknown

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/registry"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]kind{
		`null`: empty, `""`: empty, `"  "`: empty, `{"a":1}`: nested, `[]`: nested, `true`: "boolean", `"false"`: "boolean",
		`"ja"`: "text", `1`: "number", `-1.50`: "number", `"12"`: "number", `"0.5"`: "number", `"0"`: "number", `"-3"`: "number",
		`1e999999`:                               "text", // too large for a number
		`"00042"`:                                "text", // a code
		`"+49"`:                                  "text",
		`"4006381333931001"`:                     "text",
		`"1e5"`:                                  "text",
		`".5"`:                                   "text",
		`"1,5"`:                                  "text",
		`"2026-03-14"`:                           "date",
		`"2026-02-30"`:                           "text",
		`"2026-03-14T09:30:00Z"`:                 "datetime",
		`1771171200000`:                          "text", // milliseconds, which a column of numbers would refuse
		`"1771171200000"`:                        "text",
		`8123456789012`:                          "text", // an id of a shop
		`1000000000000`:                          "number",
		`-1000000000000`:                         "number",
		`-1000000000001`:                         "text",
		`"0190F1DE-6a3b-7c21-9d2e-3f4a5b6c7d8e"`: "uuid",
		`"DE123456789"`:                          "text",
	} {
		require.Equal(t, want, kindOf(jsontext.Value(value)), value)
	}
}

func TestGuess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		counts map[kind]int64
		want   registry.Type
		fits   bool
	}{
		{map[kind]int64{"number": 3}, registry.Number, true},
		{map[kind]int64{"number": 3, empty: 4}, registry.Number, true},
		{map[kind]int64{"number": 3, "text": 1}, registry.Text, true},
		{map[kind]int64{"date": 3, "datetime": 1}, registry.Datetime, true},
		{map[kind]int64{"date": 3, "datetime": 1, "uuid": 1}, registry.Text, true},
		{map[kind]int64{"boolean": 3}, registry.Boolean, true},
		{map[kind]int64{empty: 3}, registry.Text, true},
		{map[kind]int64{nested: 3, empty: 1}, "", false},
		{map[kind]int64{nested: 3, "text": 1}, registry.Text, true},
	} {
		got, fits := guess(tt.counts)
		require.Equal(t, tt.want, got, tt.counts)
		require.Equal(t, tt.fits, fits, tt.counts)
	}
}

func TestMasked(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`"DE123456789"`: "XX999999999", `"jan@example.org"`: "xxx@xxxxxxx.xxx", `-12.5`: "-99.9", `true`: "true",
		`{"a":"secret"}`: "{…}", `["secret"]`: "[…]", `null`: "", `"  Ünï 5 "`: "Xxx 9", `"東京"`: "xx", `"٣"`: "9",
		`"a\u0000b"`: "x·x", `"\u202Eevil\n"`: "·xxxx", `"👍"`: "·",
	} {
		require.Equal(t, want, masked(jsontext.Value(value)), value)
	}
	long := masked(jsontext.Value(`"` + strings.Repeat("ab1 ", 3000) + `"`))
	require.Equal(t, longestSample, utf8.RuneCountInString(long))
	require.True(t, strings.HasSuffix(long, "…"))
	for letter, want := range map[string]string{"ä": "x", "Ä": "X", "茶": "x", "٣": "9", "🍵": "·", "\u0308": "x"} {
		require.Equal(t, strings.Repeat(want, 40), masked(jsontext.Value(`"`+strings.Repeat(letter, 40)+`"`)), letter)
		require.Equal(t, strings.Repeat(want, 39)+"…", masked(jsontext.Value(`"`+strings.Repeat(letter, 41)+`"`)), letter)
	}
}

func TestCountable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"vat_id", "VAT-ID", "__proto__", "'; DROP TABLE workspace.orders; --", "größe", "東京", "a b"} {
		require.True(t, countable(name), name)
	}
	for _, name := range []string{"", " ", "a\x00b", "a\nb", "a\u202eb", "a\u200bb", "\xff", strings.Repeat("x", 101),
		strings.Repeat("x", 10_000)} {
		require.False(t, countable(name), "%q", name)
	}
	for _, one := range []string{"x", "ß", "茶", "🍵", "a\u0308"} { // in characters
		longest := string([]rune(strings.Repeat(one, 100))[:100])
		require.True(t, countable(longest), one)
		require.False(t, countable(longest+"x"), one)
	}
}

func TestColumnFor(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"vat_id": "vat_id", "VAT-ID": "vat_id", "Größe (cm)": "grosse_cm", "__proto__": "proto", "constructor": "constructor",
		"'; DROP TABLE x; --": "drop_table_x", "東京": "", "2nd": "nd", "Created At": "", "ID": "", "external_id ": "",
	} {
		require.Equal(t, want, columnFor(name), name)
	}
}

// FuzzLook checks that no name and no value is shown as it is, and that a suggested name is one that a column can have.
func FuzzLook(f *testing.F) {
	for _, seed := range []string{"vat_id", "'; DROP", "\u202e", `"DE1"`, `{"a":[1]}`, "1e5", strings.Repeat("ß", 200)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if suggested := columnFor(text); suggested != "" {
			require.Regexp(t, `^[a-z][a-z0-9_]{0,62}$`, suggested)
		}
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return
		}
		for _, value := range []jsontext.Value{quoted, jsontext.Value(text)} {
			if !value.IsValid() {
				continue
			}
			_ = value.Compact()
			require.Contains(t, kinds, kindOf(value))
			sample := masked(value)
			require.LessOrEqual(t, utf8.RuneCountInString(sample), longestSample)
			require.NotContains(t, sample, "\x00")
			if k := value.Kind(); k == jsontext.KindString || k == jsontext.KindNumber {
				require.NotRegexp(t, `[a-wyzA-WYZ0-8]`, sample)
			}
		}
	})
}
