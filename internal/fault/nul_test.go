package fault_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		`"\u0000"`:                       "",
		`{"a":"x\u0000"}`:                "a",
		`{"a":[{"b":1},{"b":"\u0000"}]}`: "a/1/b",
		`{"a":{"b\u0000":1}}`:            "a/b\uFFFD",
		`{"a":1,"a":"\u0000"}`:           "a",
	} {
		err := fault.CheckJSON([]byte(text))
		require.True(t, fault.HasCode(err, "nul"), "%s: %v", text, err)
		_, public := fault.Public(err)
		if field != "" {
			require.Equal(t, field, public.Fields[0].Field, text)
		}
	}
	// The last is JSON inside a JSON string: CheckJSON runs again when that string is parsed.
	for _, text := range []string{``, `{`, `{"a":"\\u0000"}`, `{"a":"b"}`, "{\"a\":\"\x00\"}", `{"a":"\u0000`,
		`{"record":"{\"a\":\"\\u0000\"}"}`} {
		require.NoError(t, fault.CheckJSON([]byte(text)), text)
	}
}
