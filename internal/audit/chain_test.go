package audit

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// TestForms compares the two hashes with those of the first sealed chain. If it fails, Verify
// would report every existing chain as broken.
func TestForms(t *testing.T) {
	t.Parallel()
	columns := []string{
		"0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e", "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8f", "2026-01-02T03:04:05.678901", "",
		`{"id": "ä", "type": "user"}`, "request", "key.issued", "subject", `{"label": "Till 3"}`, "1234",
	}
	row := hashRow(columns)
	require.Equal(t, "7c6bcd41ac84abf1ec64ce003a86244c5e96c5b80b781f8125a470dcde38adac", hex.EncodeToString(row[:]))
	one := seal{uuid.MustParse(columns[0]), 1, "2026-01-02T03:04:06", uuid.MustParse(columns[1]), row[:]}
	first := one.after(nil)
	require.Equal(t, "325a0e7da43ba2448dd8fa77ffc03f7327dbf7c57587c32074e4a5b49affd135", hex.EncodeToString(first[:]))
	one.number = 2
	second := one.after(first[:])
	require.Equal(t, "35f08f51755db6e8a7eabe65f42c47f63e0a2a9fcb5d28c6beaf26cfe21e126f", hex.EncodeToString(second[:]))
	call := hashCall(row[:])
	require.Equal(t, "1e923ede417ee10f52410850d41080e52830e8fb0102b1cf3aacb47d45eb0e54", hex.EncodeToString(call[:]))
}

// TestColumnsDoNotRunTogether moves text from one column to the next and expects another hash.
func TestColumnsDoNotRunTogether(t *testing.T) {
	t.Parallel()
	seen := map[digest][]string{}
	for _, columns := range [][]string{{"ab", "c"}, {"a", "bc"}, {"abc", ""}, {"", "abc"}, {"abc"}, {"a", "b", "c"},
		{"ab", "c", ""}} {
		hash := hashRow(columns)
		require.NotContains(t, seen, hash, "%q", columns)
		seen[hash] = columns
	}
}

func TestReadHeads(t *testing.T) {
	t.Parallel()
	one, two := uuid.New(), uuid.New()
	hash := strings.Repeat("ab", 32)
	heads, err := ReadHeads(strings.NewReader("# kept\n\n" + one.String() + "  41:" + hash + "  41 rows, 0 waiting  ok\n  seal 3 is gone\n" + two.String() + "  -  0 rows\n" + one.String() + " 42:" + hash + "\r\n"))
	require.NoError(t, err)
	require.Len(t, heads, 1)
	require.Equal(t, "41:"+hash, heads[one][0].String())
	require.Equal(t, int64(42), heads[one][1].Number)
	for _, line := range []string{"acme 1:" + hash, one.String(), one.String() + " 1:ab", one.String() + " 0:" + hash,
		one.String() + " " + hash, one.String() + " x:" + hash} {
		_, err := ReadHeads(strings.NewReader(line))
		require.Error(t, err, line)
	}
}

func TestNextID(t *testing.T) {
	t.Parallel()
	after, more := next(uuid.MustParse("00000000-0000-0000-0000-0000000000ff"))
	require.True(t, more)
	require.Equal(t, "00000000-0000-0000-0000-000000000100", after.String())
	_, more = next(uuid.Max)
	require.False(t, more)
}

func TestLate(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name        string
		at          string
		before, now time.Time
		want        bool
	}{
		{"nothing was sealed before", "2020-01-01T00:00:00", time.Time{}, noon, false},
		{"written after the seals before", "2026-01-02T12:00:01", noon, noon.Add(time.Hour), false},
		{"begun a while before them", "2026-01-02T11:45:00", noon, noon.Add(time.Hour), false},
		{"too long before them", "2026-01-02T11:44:59.999999", noon, noon.Add(time.Hour), true},
		{"the clock was set back by a day", "2026-01-01T12:00:00.5", noon, noon.AddDate(0, 0, -1).Add(time.Minute), false},
		{"older than that, too", "2026-01-01T11:00:00", noon, noon.AddDate(0, 0, -1).Add(time.Minute), true},
		{"no time", "-infinity", noon, noon.Add(time.Hour), true},
		{"before Christ", "0044-03-15T00:00:00 BC", noon, noon.Add(time.Hour), true},
	} {
		require.Equal(t, tt.want, late(tt.at, tt.before, tt.now), tt.name)
	}
}
