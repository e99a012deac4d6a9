package procure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMentions counts the texts and numbers of records once each, whatever becomes of their ends, and no names of fields.
func TestMentions(t *testing.T) {
	t.Parallel()
	all := mentions{}
	for _, payload := range []string{
		`{"sku":"TEA","quantity":"many","lines":[{"sku":"TEA"},{"sku":"CUP"}]}`,
		`{"sku":100045,"quantity":"many","paid":true,"note":null}`,
		`{"sku":"TEA","note":"` + strings.Repeat("x", longestRefused),
		`{"sku":"TEA","sku":"POT"`,
		"no JSON", "", "\xff{", `"TEA"`,
	} {
		all.add([]byte(payload))
	}
	require.Equal(t, mentions{"TEA": 4, "CUP": 1, "POT": 1, "many": 2, "100045": 1}, all)
}
