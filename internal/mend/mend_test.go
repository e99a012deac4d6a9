package mend

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/written"
)

func TestApply(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, fixes, payload, want string
		changed                    bool
	}{
		{"rename keeps place and spelling", `[{"do":"rename","field":"Price","to":"price"}]`,
			`{"a":1,"Price": 1.50 ,"b":"\u0041"}`, `{"a":1,"price":1.50,"b":"\u0041"}`, true},
		{"rename replaces who had the name", `[{"do":"rename","field":"Price","to":"price"}]`, `{"price":1,"Price":2}`,
			`{"price":2}`, true},
		{"rename of what is not there", `[{"do":"rename","field":"Price","to":"price"}]`, `{"price": 1}`, `{"price": 1}`,
			false},
		{"rename twice swaps", `[{"do":"rename","field":"a","to":"x"},{"do":"rename","field":"b","to":"a"},{"do":"rename","field":"x","to":"b"}]`, `{"a":1,"b":2}`, `{"b":1,"a":2}`, true},
		{"set adds", `[{"do":"set","field":"c","value":"EUR"}]`, `{"a":1}`, `{"a":1,"c":"EUR"}`, true},
		{"set replaces", `[{"do":"set","field":"a","value":null}]`, `{"a":1,"b":2}`, `{"a":null,"b":2}`, true},
		{"set to what it is", `[{"do":"set","field":"a","value":1}]`, `{ "a" : 1 }`, `{ "a" : 1 }`, false},
		{"set in an empty object", `[{"do":"set","field":"a","value":[1,{"b":2}]}]`, ` {} `, `{"a":[1,{"b":2}]}`, true},
		{"set only what is missing", `[{"do":"set","field":"a","value":1,"missing":true},{"do":"set","field":"b","value":1,"missing":true},{"do":"set","field":"c","value":1,"missing":true},{"do":"set","field":"d","value":1,"missing":true}]`,
			`{"a":0,"b":null,"c":" "}`, `{"a":0,"b":1,"c":1,"d":1}`, true},
		{"drop", `[{"do":"drop","field":"a"}]`, `{"a":1,"b":{"a":2}}`, `{"b":{"a":2}}`, true},
		{"drop of what is not there", `[{"do":"drop","field":"z"}]`, `{"a":1}`, `{"a":1}`, false},
		{"map a text", `[{"do":"map","field":"s","from":"Ja","value":true}]`, `{"s":"\u004aa"}`, `{"s":true}`, true},
		{"map leaves others", `[{"do":"map","field":"s","from":"Ja","value":true}]`, `{"s":"ja"}`, `{"s":"ja"}`, false},
		{"map tells text from number", `[{"do":"map","field":"s","from":1,"value":2}]`, `{"s":"1"}`, `{"s":"1"}`, false},
		{"map an object however it is spaced", `[{"do":"map","field":"s","from":{"a":1},"value":null}]`, `{"s":{ "a": 1 }}`,
			`{"s":null}`, true},
		{"read as a number", `[{"do":"number","field":"n","form":"decimal_comma"}]`, `{"n":"1.240,50"}`, `{"n":1240.50}`, true},
		{"the form decides", `[{"do":"number","field":"n","form":"decimal_point"}]`, `{"n":"1.240"}`, `{"n":1.240}`, true},
		{"what is no number stays", `[{"do":"number","field":"n","form":"decimal_comma"}]`, `{"n":"1,240.50"}`, `{"n":"1,240.50"}`, false},
		{"a number is not read again", `[{"do":"number","field":"n","form":"decimal_comma"}]`, `{"n":1.240}`, `{"n":1.240}`, false},
		{"read as a day", `[{"do":"date","field":"d","form":"day_first"}]`, `{"d":"3/4/2026"}`, `{"d":"2026-04-03"}`, true},
		{"a day is not read again", `[{"do":"date","field":"d","form":"year_first"}]`, `{"d":"2026-04-03"}`, `{"d":"2026-04-03"}`, false},
		{"large numbers keep every digit", `[{"do":"drop","field":"x"}]`, `{"n":123456789012345678901234567890.10,"x":0}`,
			`{"n":123456789012345678901234567890.10}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var fixes []Fix
			require.NoError(t, json.Unmarshal([]byte(tt.fixes), &fixes))
			require.NoError(t, Check(fixes))
			got, changed, err := Payload(fixes, []byte(tt.payload))
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
			require.Equal(t, tt.changed, changed)
		})
	}
	for _, payload := range []string{``, `[]`, `"text"`, `{"a":1`, `{"a":1}{}`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}"} {
		_, _, err := Payload([]Fix{{Do: DropField, Field: "a"}}, []byte(payload))
		require.True(t, fault.HasCode(err, "not_an_object"), payload)
	}
}

func TestFixesAreChecked(t *testing.T) {
	t.Parallel()
	for _, fixes := range []string{
		`[{"do":"drop"}]`, `[{"do":"explode","field":"a"}]`, `[{"do":"rename","field":"a"}]`,
		`[{"do":"rename","field":"a","to":"a"}]`,
		`[{"do":"number","field":"a"}]`, `[{"do":"number","field":"a","form":"day_first"}]`, `[{"do":"date","field":"a","form":"decimal_point"}]`,
		`[{"do":"set","field":"a"}]`, `[{"do":"drop","field":"a","missing":true}]`, `[{"do":"map","field":"a","value":1}]`, `[{"do":"map","field":"a","from":1}]`,
	} {
		var read []Fix
		require.NoError(t, json.Unmarshal([]byte(fixes), &read))
		require.True(t, fault.Is(Check(read), fault.Invalid), fixes)
	}
	require.True(t, fault.HasCode(Check(make([]Fix, MostFixes+1)), "too_many"))
	require.True(t, fault.Is(Check([]Fix{{Do: SetField, Field: "a", Value: json.RawMessage(`{"a":1,"a":2}`)}}),
		fault.Invalid), "ingest would refuse it")
}

// FuzzApply checks that a fixed payload is valid JSON that the same fixes do not change again,
// and that fields that no fix names keep their values.
func FuzzApply(f *testing.F) {
	f.Add(`{"a":1,"b":"x","keep":[1,2]}`, "a", "b", `"v"`, `1`)
	f.Add(`{"read":"1.240,5","keep":1}`, "a", "b", `1`, `2`)
	f.Add(`{"":0,"keep":null}`, "", "x", `{"a":{}}`, `"\ud83d\ude00"`)
	f.Add(`{"a":"ja","fill":" ","read":"1e999999"}`, "a", "a\u0000", `"\u0000"`, `"ja"`)
	f.Add(`{}`, "0", "1", `"" `, "\t0\n") // blanks around a value mean nothing
	f.Add(`{"__proto__":"ja","fill":null}`, "__proto__", "constructor", `[[[[]]]]`, `"j\u0061"`)
	f.Fuzz(func(t *testing.T, payload, field, to, value, from string) {
		fixes := []Fix{
			{Do: MapValue, Field: field, From: json.RawMessage(from), Value: json.RawMessage(value)},
			{Do: RenameField, Field: field, To: to},
			{Do: SetField, Field: "set", Value: json.RawMessage(value)},
			{Do: SetField, Field: "fill", Value: json.RawMessage(value), Missing: true},
			{Do: DropField, Field: "drop"},
			{Do: ReadNumber, Field: "read", Form: written.CommaDecimal},
		}
		if Check(fixes) != nil {
			return
		}
		fixed, changed, err := Payload(fixes, []byte(payload))
		if err != nil {
			require.True(t, fault.HasCode(err, "not_an_object"))
			return
		}
		if !changed {
			require.Equal(t, payload, string(fixed))
		}
		before, err := Members([]byte(payload))
		require.NoError(t, err)
		after, err := Members(fixed)
		require.NoError(t, err, "ingest could not read %s", fixed)
		for _, kept := range before {
			if kept.Name != field && kept.Name != to && !slices.Contains([]string{"set", "fill", "drop", "read"}, kept.Name) {
				require.Contains(t, after, kept)
			}
		}
		require.Less(t, Find(after, "drop"), 0)
		require.True(t, Equal(after[Find(after, "set")].Value, []byte(fixes[2].Value)))
	})
}

// TestLengthOfNames counts the characters of a field's name.
func TestLengthOfNames(t *testing.T) {
	t.Parallel()
	for _, one := range []string{"x", "ä", "茶", "🍵"} {
		longest := strings.Repeat(one, 200)
		require.NoError(t, CheckField(longest), one)
		require.NoError(t, Fix{Do: RenameField, Field: "a", To: longest}.Check(), one)
		require.Error(t, CheckField(longest+"x"), one)
		require.Error(t, Fix{Do: RenameField, Field: "a", To: longest + "x"}.Check(), one)
	}
	require.Error(t, CheckField("\xff"))
}

// TestTextsThatLookAlike compares texts by their characters: neither composed, nor folded, nor trimmed.
func TestTextsThatLookAlike(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		one, other string
		equal      bool
	}{
		{`"ä"`, `"\u00e4"`, true}, {`"🍵"`, `"\ud83c\udf75"`, true}, {`"/"`, `"\/"`, true},
		{`"ä"`, `"a\u0308"`, false}, {`"ß"`, `"ss"`, false}, {`"a"`, `"A"`, false}, {`"a"`, `"a "`, false},
		{`"a"`, `"a\u200b"`, false}, {`" "`, `"\u00a0"`, false}, {`1`, `1.0`, false}, {`null`, `""`, false}, {`null`, `null`, true},
	} {
		require.Equal(t, tt.equal, Equal(jsontext.Value(tt.one), jsontext.Value(tt.other)), "%s %s", tt.one, tt.other)
	}
	for value, missing := range map[string]bool{`null`: true, `""`: true, `"\u00a0\u3000\n"`: true, `"\u200b"`: false, `0`: false, `false`: false} {
		require.Equal(t, missing, isMissing(jsontext.Value(value)), value)
	}
}
