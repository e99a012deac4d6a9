package spool

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSizeLimit(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), 100)
	for range 4 {
		s.mustAppend(t, "0123456789") // 22 bytes with its header
	}
	require.ErrorIs(t, s.Append(t.Context(), []byte("0123456789")), ErrFull)
	require.ErrorIs(t, s.Append(t.Context(), nil, nil), ErrFull, "all or none")
	s.mustAppend(t, "")
	require.Len(t, drained(t, s), 5)
	s.mustAppend(t, "0123456789")
	require.Len(t, drained(t, s), 1)
}

// TestRoom says that there is no room as soon as the disk takes nothing, before an entry is refused, and that there is
// room again without an entry that was kept.
func TestRoom(t *testing.T) {
	t.Parallel()
	require.False(t, New(t.TempDir(), plenty).Room(), "not open")
	root := t.TempDir()
	s := open(t, root, 100)
	own := s.own.Load()
	room := func() bool {
		own.triedAt = time.Time{} // as after a second
		return s.Room()
	}
	require.True(t, room())
	s.mustAppend(t, strings.Repeat("x", 88)) // 100 bytes with its header
	require.False(t, room(), "the limit is reached")
	require.Len(t, drained(t, s), 1)
	require.True(t, room())

	own.sync = func(*os.File) error { return syscall.ENOSPC }
	require.True(t, s.Room(), "a result lasts a second")
	require.False(t, room())
	own.sync = (*os.File).Sync
	require.True(t, room())
	found, err := files(own.path, trialName)
	require.NoError(t, err)
	require.Empty(t, found, "nothing is left behind")
	require.NoError(t, os.RemoveAll(root))
	require.False(t, room(), "somebody deleted the folder")
}

// TestSince checks since when the oldest entry waits, also of a process before this one.
func TestSince(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, plenty)
	require.True(t, s.Since().IsZero())
	begun := time.Now()
	s.mustAppend(t, "a")
	first := s.Since()
	require.WithinRange(t, first, begun, time.Now())
	s.mustAppend(t, "b")
	require.Equal(t, first, s.Since())
	own := s.own.Load()
	own.writing.Lock()
	own.seal()
	own.writing.Unlock()
	s.mustAppend(t, "c")
	require.Equal(t, first, s.Since(), "of the oldest file")
	require.NoError(t, s.Close())

	left, err := files(own.path, entriesSuffix)
	require.NoError(t, err)
	yesterday := time.Now().Add(-24 * time.Hour)
	require.NoError(t, os.Chtimes(left[0], yesterday, yesterday))
	again := open(t, root, plenty)
	require.WithinDuration(t, yesterday, again.Since(), time.Second)
	require.Len(t, drained(t, again), 3)
	require.True(t, again.Since().IsZero())
}

// TestLock checks that each process has its own folder, and that live processes drain the
// folders of dead ones.
func TestLock(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	first, second := open(t, root, plenty), open(t, root, plenty)
	first.mustAppend(t, "first's")
	second.mustAppend(t, "second's")
	require.Equal(t, []string{"second's"}, drained(t, second), "the first one's folder is not touched")
	found, err := Look(root)
	require.NoError(t, err)
	require.Equal(t, 1, found.Entries)
	require.NoError(t, first.Close())
	require.NoError(t, first.Close())
	require.Equal(t, []string{"first's"}, drained(t, second))
	third := open(t, root, plenty)
	require.Equal(t, filepath.Join(root, "0"), third.own.Load().path)

	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	require.Error(t, New(blocked, plenty).Open())
	unopened := New(root, plenty)
	require.ErrorIs(t, unopened.Append(t.Context(), nil), ErrClosed)
	require.NoError(t, unopened.Drain(t.Context(), nil))
	require.NoError(t, unopened.Close())
}

// TestDiskFails makes each disk operation fail in turn. The sender gets the error, the entry
// is not kept, and the entries before and after it are unharmed.
func TestDiskFails(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, plenty)
	own := s.own.Load()
	failing := func(left int) func(*os.File) error {
		return func(file *os.File) error {
			if left--; left < 0 {
				return syscall.EIO
			}
			return file.Sync()
		}
	}
	s.mustAppend(t, "before")
	own.sync = failing(0) // the fsync of the file fails
	require.ErrorIs(t, s.Append(t.Context(), []byte("lost")), syscall.EIO)
	requireHeld(t, s, 1)
	require.ErrorIs(t, s.Append(t.Context(), []byte("lost")), syscall.EIO) // the folder's fsync
	own.sync = failing(1)                                                  // the fsync of a new file
	require.ErrorIs(t, s.Append(t.Context(), []byte("lost")), syscall.EIO)
	own.sync = (*os.File).Sync
	s.mustAppend(t, "between")
	require.NoError(t, own.file.Close())
	require.ErrorIs(t, s.Append(t.Context(), []byte("lost")), os.ErrClosed) // the write fails
	s.mustAppend(t, "after")
	requireHeld(t, s, 3)
	require.Equal(t, []string{"before", "between", "after"}, drained(t, s))
	requireHeld(t, s, 0)

	s.mustAppend(t, "deleted")
	require.NoError(t, os.RemoveAll(root))
	require.ErrorIs(t, s.Drain(t.Context(), nil), os.ErrNotExist, "somebody deleted the folder")
	require.ErrorIs(t, s.Append(t.Context(), []byte("x")), os.ErrNotExist)
	requireHeld(t, s, 0)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Drain(gone, nil), context.Canceled)
}
