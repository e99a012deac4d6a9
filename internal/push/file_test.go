package push

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/sheet"
)

func TestFilesThatCannotBePushed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	require.NoError(t, os.WriteFile(path, []byte("id\n"), 0o600))
	for says, reading := range map[string]sheet.Reading{
		"--format is csv":                   {Format: "xml"},
		"--delimiter is one character":      {Delimiter: "::"},
		`--encoding "klingon" is not known`: {Encoding: "klingon"},
		"--empty is skip or null":           {Empty: "zero"},
	} {
		_, err := openSource(t.Context(), path, nil, reading)
		require.ErrorContains(t, err, says)
		require.True(t, fault.HasCode(err, Misused))
		_, err = openSource(t.Context(), "-", strings.NewReader("id\n"), reading)
		require.ErrorContains(t, err, says)
	}
	_, err := openSource(t.Context(), filepath.Join(dir, "missing.csv"), nil, sheet.Reading{})
	require.ErrorContains(t, err, "missing.csv: no such file")
	_, err = openSource(t.Context(), dir, nil, sheet.Reading{})
	require.ErrorContains(t, err, "is a folder")
}

func TestMapFlag(t *testing.T) {
	t.Parallel()
	overrides, err := readOverrides([]string{"a = b", "c="})
	require.NoError(t, err)
	require.Equal(t, []sheet.Override{{From: "a", To: "b"}, {From: "c"}}, overrides)
	for _, word := range []string{"total", "=total"} {
		_, err := readOverrides([]string{word})
		require.ErrorContains(t, err, "--map is from=to")
	}
	pairs := hinted([]sheet.Pair{{From: "x", How: sheet.Dropped, Why: "it could be a or b", Could: []string{"a", "b"}}})
	require.Equal(t, "  x   dropped: it could be a or b; say --map 'x=a'", pairLine(pairs[0], 1))
}

// orders is the table that the tests push to.
var orders = &Table{
	Slug: "orders", ConflictKey: []string{"tenant_id", "external_id"},
	Columns: []sheet.Column{
		{Name: "external_id", Type: "text", Accepted: true, Required: true},
		{Name: "order_number", Type: "text", Accepted: true},
		{Name: "ordered_at", Type: "datetime", Accepted: true, Required: true},
		{Name: "status", Type: "text", Accepted: true},
		{Name: "total", Type: "number", Accepted: true}, {Name: "note", Type: "text", Accepted: true},
		{Name: "created_at", Type: "datetime"},
	},
}
