package httpapi

import (
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// named returns the header that names fields.
func named(names ...string) string {
	recorder := httptest.NewRecorder()
	setNames(recorder, "Ingest-Dropped", names, 0)
	return recorder.Header().Get("Ingest-Dropped")
}

// TestNamesInAHeader encodes what a header cannot carry, byte by byte, so that a reader gets each name back.
func TestNamesInAHeader(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"vat_id": "vat_id", "VAT-Id.2~": "VAT-Id.2~", "": `""`, `""`: "%22%22", " ": "%20", "a, b": "a%2C%20b", "100%": "100%25",
		"Größe": "Gr%C3%B6%C3%9Fe", "a\u0308": "a%CC%88", "茶": "%E8%8C%B6", "🍵": "%F0%9F%8D%B5", "a\u200db": "a%E2%80%8Db",
		"شاي": "%D8%B4%D8%A7%D9%8A", "\u00a0": "%C2%A0", "x\r\nSet-Cookie: a": "x%0D%0ASet-Cookie%3A%20a", "\x00": "%00", "a+b": "a%2Bb",
	} {
		require.Equal(t, want, named(name))
		if name != "" {
			back, err := url.PathUnescape(named(name))
			require.NoError(t, err)
			require.Equal(t, name, back)
		}
	}
	require.Equal(t, `a, "", %C3%A4`, named("a", "", "ä"))
	require.Empty(t, named())
}

// TestNamesBeyondTheHeader names as many fields as fit into 2 KiB, none of them in part, and counts the others.
func TestNamesBeyondTheHeader(t *testing.T) {
	t.Parallel()
	for _, one := range []string{"x", "ä", "茶", "🍵"} {
		name := strings.Repeat(one, 20)
		for count := range 120 {
			names := make([]string, count+1)
			for i := range names {
				names[i] = name
			}
			list := strings.Split(named(names...), ", ")
			require.LessOrEqual(t, len(strings.Join(list, ", ")), 2048)
			more := 0
			if last := list[len(list)-1]; strings.HasPrefix(last, "+") {
				list, more = list[:len(list)-1], count+1-(len(list)-1)
				require.Equal(t, "+"+strconv.Itoa(more)+" more", last)
				require.Greater(t, len(strings.Join(append(list, percentEncode(name)), ", "))+len(", +1000000 more"), 2048-2,
					"one more would not have fitted")
			}
			require.Len(t, list, count+1-more)
			for _, encoded := range list {
				require.Equal(t, percentEncode(name), encoded)
			}
		}
	}
	require.Equal(t, "+2 more", named(strings.Repeat("🍵", 200), "a"), "not even the first one fits")
	for want, names := range map[string][]string{"a, b, +79500 more": {"a", "b"}, "+79501 more": {strings.Repeat("🍵", 200)}} {
		recorder := httptest.NewRecorder()
		setNames(recorder, "Ingest-Dropped", names, 79_500)
		require.Equal(t, want, recorder.Header().Get("Ingest-Dropped"), "with those that have no names")
	}
}
