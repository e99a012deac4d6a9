package upload

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClip counts characters, and cuts within none.
func TestClip(t *testing.T) {
	t.Parallel()
	for _, one := range []string{"x", "ä", "茶", "🍵", "\u0308"} {
		require.Equal(t, one+one, clip(one+one, 2), "%q", one)
		require.Equal(t, one+one+"…", clip(one+one+one, 2), "%q", one)
		require.Equal(t, "…", clip(one, 0), "%q", one)
	}
	require.Empty(t, clip("", 0))
}

// TestShownValues shortens texts and everything else in a preview, and leaves alone what is short.
func TestShownValues(t *testing.T) {
	t.Parallel()
	for _, one := range []string{"x", "ä", "茶", "🍵", `"`, "\n"} {
		fits, err := json.Marshal(strings.Repeat(one, longestShown))
		require.NoError(t, err)
		require.Equal(t, string(fits), string(shown(fits)), "%q", one)
		long, err := json.Marshal(strings.Repeat(one, longestShown+1))
		require.NoError(t, err)
		var text string
		require.NoError(t, json.Unmarshal(shown(long), &text))
		require.Equal(t, strings.Repeat(one, longestShown)+"…", text)
	}
	fits := `{"tea":"` + strings.Repeat("茶", 280) + `"}`
	require.Equal(t, fits, string(shown([]byte(fits))), "it is still an object")
	var text string
	require.NoError(t, json.Unmarshal(shown([]byte(`["`+strings.Repeat("🍵", 400)+`"]`)), &text))
	require.Equal(t, `["`+strings.Repeat("🍵", 298)+"…", text)
}
