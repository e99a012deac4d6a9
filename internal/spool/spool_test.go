//race:detect requests write what the drain reads
package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

const plenty = 1 << 30

// open opens a spool and closes it when the test ends.
func open(t *testing.T, root string, limit int64) *Spool {
	t.Helper()
	s := New(root, limit)
	require.NoError(t, s.Open())
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func (s *Spool) mustAppend(t *testing.T, entries ...string) {
	t.Helper()
	for _, entry := range entries {
		require.NoError(t, s.Append(t.Context(), []byte(entry)))
	}
}

// drained drains the spool and returns its entries.
func drained(t *testing.T, s *Spool) (taken []string) {
	t.Helper()
	require.NoError(t, s.Drain(t.Context(), func(entries [][]byte) ([][]byte, error) {
		for _, entry := range entries {
			taken = append(taken, string(entry))
		}
		return nil, nil
	}))
	return taken
}

func requireHeld(t *testing.T, s *Spool, want int) {
	t.Helper()
	entries, bytes := s.Held()
	require.Equal(t, want, entries)
	require.Equal(t, want == 0, bytes == 0, "%d bytes", bytes)
}

// written returns the paths of the spool's files of entries.
func written(t *testing.T, root string) []string {
	t.Helper()
	paths, err := files(filepath.Join(root, "0"), entriesSuffix)
	require.NoError(t, err)
	return paths
}

// TestOrder checks that entries keep their order, also across drains and a restart.
func TestOrder(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "a", "spool [x]*")
	s := open(t, root, plenty)
	require.Empty(t, drained(t, s))
	s.mustAppend(t, "one", "", strings.Repeat("long", segmentSize), "four")
	requireHeld(t, s, 4)
	require.Len(t, written(t, root), 2, "a full file is followed by another")
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Append(t.Context(), []byte("late")), ErrClosed)

	s = open(t, root, plenty)
	requireHeld(t, s, 4)
	s.mustAppend(t, "five")
	taken := drained(t, s)
	require.Equal(t, []string{"one", "", "four", "five"},
		slices.DeleteFunc(taken, func(e string) bool { return len(e) > 10 }))
	requireHeld(t, s, 0)
	require.Empty(t, written(t, root))

	info, err := os.Stat(filepath.Join(root, "0"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	s.mustAppend(t, "six")
	info, err = os.Stat(written(t, root)[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Equal(t, []string{"six"}, drained(t, s))
}

// TestTornTail cuts the file at every byte, as a crash may. Complete entries are kept, and so
// are those appended after the restart.
func TestTornTail(t *testing.T) {
	t.Parallel()
	entries := []string{"first", "second entry", "", "the fourth"}
	var whole []byte
	ends := []int{}
	for _, entry := range entries {
		whole = appendFrame(whole, []byte(entry))
		ends = append(ends, len(whole))
	}
	for cut := range len(whole) + 1 {
		for name, tail := range map[string][]byte{"cut": nil, "zeros": make([]byte, len(whole)-cut),
			"noise": []byte(strings.Repeat("\xffQ", 9))} {
			root := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(root, "0"), 0o700))
			torn := append(slices.Clone(whole[:cut]), tail...)
			require.NoError(t, os.WriteFile(filepath.Join(root, "0", "0000000000000007.entries"), torn, 0o600))
			want := 0
			for want < len(ends) && ends[want] <= cut {
				want++
			}
			s := New(root, plenty)
			require.NoError(t, s.Open())
			s.mustAppend(t, "after")
			require.Equal(t, append(slices.Clone(entries[:want]), "after"), drained(t, s), "%s at %d", name, cut)
			requireHeld(t, s, 0)
			require.NoError(t, s.Close())
			found, err := Look(root)
			require.NoError(t, err)
			require.Zero(t, found, "a torn tail is no damage")
		}
	}
}

// TestDamage corrupts every byte in turn. Only the byte's own entry is lost, and the file is
// kept for inspection.
func TestDamage(t *testing.T) {
	t.Parallel()
	entries := []string{"first", "second entry", "third", "the last"}
	var whole []byte
	owner := []int{}
	for i, entry := range entries {
		whole = appendFrame(whole, []byte(entry))
		for len(owner) < len(whole) {
			owner = append(owner, i)
		}
	}
	for at := range whole {
		broken := slices.Clone(whole)
		broken[at] ^= 0x41
		found, damaged := parse(broken)
		var got []string
		for _, entry := range found {
			got = append(got, string(entry))
		}
		require.Equal(t, slices.Delete(slices.Clone(entries), owner[at], owner[at]+1), got, "at %d", at)
		require.Equal(t, owner[at] < len(entries)-1, damaged)
	}

	root := t.TempDir()
	s := open(t, root, plenty)
	s.mustAppend(t, "one", "two")
	data, err := os.ReadFile(written(t, root)[0])
	require.NoError(t, err)
	data[headerSize] ^= 1
	require.NoError(t, os.WriteFile(written(t, root)[0], data, 0o600))
	require.Equal(t, []string{"two"}, drained(t, s))
	requireHeld(t, s, 0)
	found, err := Look(root)
	require.NoError(t, err)
	require.Len(t, found.SetAside, 1)
}

// TestConcurrentAppends has many goroutines append while one drains. Every acknowledged entry
// is taken once, in its sender's order, and appends share fsyncs.
func TestConcurrentAppends(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), plenty)
	var syncs atomic.Int64
	own := s.own.Load()
	own.sync = func(file *os.File) error { syncs.Add(1); return file.Sync() }
	const senders, each = 24, 60
	var taken []string
	take := func(entries [][]byte) ([][]byte, error) {
		for _, entry := range entries {
			taken = append(taken, string(entry))
		}
		return nil, nil
	}
	var running sync.WaitGroup
	for sender := range senders {
		running.Go(func() {
			for n := range each {
				if err := s.Append(t.Context(), fmt.Appendf(nil, "%d:%d", sender, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()
	for finished := false; !finished; {
		select {
		case <-done:
			finished = true
		default:
		}
		require.NoError(t, s.Drain(t.Context(), take))
	}
	requireHeld(t, s, 0)
	require.Len(t, taken, senders*each)
	next := map[int]int{}
	for _, entry := range taken {
		var sender, n int
		_, err := fmt.Sscanf(entry, "%d:%d", &sender, &n)
		require.NoError(t, err)
		require.Equal(t, next[sender], n)
		next[sender]++
	}
	t.Logf("%d entries, %d fsyncs", senders*each, syncs.Load())
	require.Less(t, syncs.Load(), int64(senders*each))
}

// TestCrashBetweenTakeAndDelete checks that entries whose file was not deleted before a crash
// are taken again.
func TestCrashBetweenTakeAndDelete(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, plenty)
	s.mustAppend(t, "one", "two")
	away := errors.New("away")
	var seen [][]byte
	err := s.Drain(t.Context(), func(entries [][]byte) ([][]byte, error) { seen = entries; return nil, away })
	require.ErrorIs(t, err, away)
	require.Len(t, seen, 2)
	requireHeld(t, s, 2)
	// The process dies: the kernel releases its lock, and nothing else is closed.
	require.NoError(t, s.own.Load().lock.Close())
	again := open(t, root, plenty)
	require.Equal(t, []string{"one", "two"}, drained(t, again))
}

// TestSetAside checks that an entry that can never be taken does not block later entries.
func TestSetAside(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, plenty)
	s.mustAppend(t, "good", "poison", "fine")
	require.NoError(t, s.Drain(t.Context(), func(entries [][]byte) ([][]byte, error) { return entries[1:2], nil }))
	requireHeld(t, s, 0)
	found, err := Look(root)
	require.NoError(t, err)
	require.Zero(t, found.Entries)
	require.Len(t, found.SetAside, 1)
	data, err := os.ReadFile(found.SetAside[0])
	require.NoError(t, err)
	entries, _ := parse(data)
	require.Equal(t, [][]byte{[]byte("poison")}, entries)
	// A file that is renamed back is tried again.
	require.NoError(t, s.Close())
	require.NoError(t, os.Rename(found.SetAside[0], strings.Replace(found.SetAside[0], refusedSuffix, entriesSuffix, 1)))
	s = open(t, root, plenty)
	s.mustAppend(t, "next")
	require.Equal(t, []string{"poison", "next"}, drained(t, s))
}

// TestNumbersAfterARestart begins a new file after the newest that is left, of whatever kind.
func TestNumbersAfterARestart(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{entriesSuffix, refusedSuffix, damagedSuffix} {
		root := t.TempDir()
		s := open(t, root, plenty)
		s.mustAppend(t, "old")
		left := written(t, root)[0]
		require.NoError(t, s.Close())
		require.NoError(t, os.Rename(left, strings.TrimSuffix(left, entriesSuffix)+suffix))
		s = open(t, root, plenty)
		s.mustAppend(t, "new")
		newest := written(t, root)
		require.Greater(t, number(newest[len(newest)-1]), number(left), suffix)
	}
}
