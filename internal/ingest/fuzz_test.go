package ingest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

var seeds = []string{
	`{}`, `{"a":1}`, `{"a":{"b":[1,2,{"c":null}]}}`, `[]`, `null`, `"x"`, ``, `{`, `{"a":1}{"b":2}`, `{"a":1,"a":2}`,
	`{"a":"\ud800"}`, `{"a":"\ud83d\ude00"}`, "{\"a\":\"\xff\"}", `{"a":1e131071}`, `{"a":"\u0000"}`, `{"":""}`,
	` {"a" : 1 } `,
	strings.Repeat("[", 40) + strings.Repeat("]", 40), `{"a":"]}\"{["}`,
}

// FuzzDecode checks that every accepted body is one object, nested within the limit, that
// encoding/json decodes to the same names and values.
func FuzzDecode(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		fields, err := decode(body)
		if err != nil {
			require.True(t, fault.HasCode(err, "invalid_json"))
			require.LessOrEqual(t, len(err.Error()), 80, "the decoder's own words quote the body")
			return
		}
		require.True(t, utf8.Valid(body))
		var reference map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(body, &reference))
		require.Len(t, fields, len(reference), "a name was repeated or lost")
		for _, got := range fields {
			want, ok := reference[got.Name]
			require.True(t, ok, got.Name)
			require.Equal(t, strings.TrimSpace(string(want)), strings.TrimSpace(string(got.Value)))
			require.Less(t, depth(got.Value), maxDepth)
		}
	})
}

// FuzzCoerce checks that a value is refused with its field's name, or becomes text that coerce
// reads back unchanged. Text is never changed.
func FuzzCoerce(f *testing.F) {
	for _, seed := range []string{
		`null`, `""`, `"x"`, `1`, `-0`, `1.50`, `1e308`, `"007"`, `true`, `"true"`, `"2026-03-14"`,
		`"2026-03-14T09:30:00.123456789+02:00"`,
		`1773480600000`, `"0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"`, `[]`, `{}`, `"\u0000"`, `"+.5e-3"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sent := jsontext.Value(text)
		if !sent.IsValid() {
			return
		}
		_ = sent.Compact()
		for _, kind := range registry.Types() {
			column := &registry.Column{Name: "field", Type: kind, Nullable: true}
			got, _, refusal := coerce(column, sent, time.UTC)
			if refusal != nil {
				require.Equal(t, "field", refusal.Field)
				require.True(t, strings.HasPrefix(refusal.Message, "field: "))
				require.True(t, utf8.ValidString(refusal.Message))
				continue
			}
			if got.null {
				continue
			}
			require.NotContains(t, got.text, "\x00")
			if kind == registry.Text && sent.Kind() == '"' {
				var want string
				require.NoError(t, json.Unmarshal(sent, &want))
				require.Equal(t, want, got.text)
				continue
			}
			again, changed, refusal := coerce(column, jsontext.Value(requote(kind, got.text)), time.UTC)
			require.Nil(t, refusal, "%s of %s is not read back", got.text, kind)
			require.Equal(t, got, again)
			require.False(t, changed && kind != registry.Number, "the canonical form of %s is coerced again", kind)
		}
	})
}

// requote returns a stored value as the JSON that its type prefers.
func requote(kind registry.Type, text string) string {
	if kind == registry.Boolean {
		return text
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

// FuzzSanitize checks that every sent field is stored, dropped or refused, and none twice.
func FuzzSanitize(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Add([]byte(`{"external_id":"x","name":"y","amount":"1.5","unknown":1,"computed":"z","parent_id":""}`))
	table := registry.NewTable("things", "external_id",
		registry.Column{Name: "external_id", Type: registry.Text, Accepted: true, Required: true},
		registry.Column{Name: "name", Type: registry.Text, Accepted: true, Required: true},
		registry.Column{Name: "amount", Type: registry.Number, Accepted: true, Nullable: true, Minimum: "0"},
		registry.Column{Name: "parent_id", Type: registry.Text, Accepted: true, Nullable: true,
			Reference: &registry.Reference{Slug: "things", Key: "external_id"}},
		registry.Column{Name: "computed", Type: registry.Text, Kind: "trigger", Nullable: true},
	)
	f.Fuzz(func(t *testing.T, body []byte) {
		fields, err := decode(body)
		if err != nil {
			return
		}
		record := sanitize(table, fields, time.UTC, false)
		accounted := map[string]int{}
		for _, name := range record.dropped {
			accounted[name]++
		}
		for _, c := range record.columns {
			accounted[c.column.Name]++
			require.True(t, c.column.Accepted)
		}
		refused := map[string]bool{}
		for _, f := range record.refused {
			refused[f.Field] = true
		}
		for _, sent := range fields {
			absentKey := sent.Name == "external_id" && record.identity == ""
			require.True(t, accounted[sent.Name] == 1 || accounted[sent.Name] == 0 && refused[sent.Name] || absentKey,
				"%q is accounted for %d times", sent.Name, accounted[sent.Name])
		}
		if record.identity == "" {
			require.NotEmpty(t, record.refused)
		}
	})
}

func TestJSONNumber(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"1": "1", "+1": "1", "-1.50": "-1.50", "007": "7", ".5": "0.5", "5.": "5", "-.5E3": "-0.5e3", "0": "0", "-0": "-0",
		"00.10e-05": "0.10e-05",
	} {
		require.True(t, registry.IsDecimal(sent), sent)
		require.Equal(t, want, registry.JSONNumber(sent))
		require.True(t, json.Valid([]byte(registry.JSONNumber(sent))))
	}
}
