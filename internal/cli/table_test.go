package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestReadDefinition checks that a misspelt rule is refused rather than ignored, and that bounds may be numbers.
func TestReadDefinition(t *testing.T) {
	t.Parallel()
	definition, err := readDefinition(strings.NewReader(
		`{"name":"Decisions","columns":[{"name":"weight","type":"number","minimum":0,"maximum":"1.50","required":true}]}`), "-")
	require.NoError(t, err)
	require.Equal(t, "Decisions", definition.Title)
	require.Equal(t, "0", string(definition.Columns[0].Minimum))
	require.Equal(t, "1.50", string(definition.Columns[0].Maximum))
	for _, wrong := range []string{``, `[]`, `{"name":"x","column":[]}`, `{"name":"x","columns":[{"requird":true}]}`, `{"name":"x"} {}`, `{"columns":1}`} {
		_, err := readDefinition(strings.NewReader(wrong), "-")
		require.ErrorContains(t, err, "- is not a definition", wrong)
	}
	_, err = readDefinition(nil, "/nowhere/decisions.json")
	require.ErrorContains(t, err, "no such file")
}

func TestEachRefusal(t *testing.T) {
	t.Parallel()
	refusal := fault.New(fault.Invalid, "name", "the first")
	refusal.Fields = []fault.Field{{Field: "name", Message: "the first"}, {Field: "columns/0/type", Message: "the second"}}
	require.EqualError(t, eachRefusal(refusal), "name: the first\n  columns/0/type: the second")
}
