// Package spool keeps entries in local files while their destination cannot take them.
// Entries are UTF-8 text.
//
// When Append returns nil, the entries are on disk. Drain hands entries over in their order
// and deletes them once they are taken: at least once, since a crash may come in between.
// Entries are never changed, and a torn entry after a crash does not damage others.
//
// Each process has a folder of its own inside the spool's, and a lock on it for as long as
// it lives. Any process drains the folders of dead ones.
package spool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrFull says that the entries would exceed the spool's size.
	ErrFull = errors.New("the spool is full")
	// ErrClosed says that the spool is not open.
	ErrClosed = errors.New("the spool is not open")

	errLocked = errors.New("another process uses the folder")
)

// mostProcesses is how many processes may share a spool's folder.
const mostProcesses = 256

// Spool is a folder of waiting entries. A Spool that was not opened is empty, and its Append
// returns ErrClosed.
type Spool struct {
	root string
	max  int64

	own      atomic.Pointer[folder]
	draining sync.Mutex
}

// New returns the spool of a folder. limit bounds the bytes that this process keeps in it.
func New(root string, limit int64) *Spool { return &Spool{root: root, max: limit} }

// Take receives entries, oldest first. It returns those that can never be taken, which Drain
// sets aside, or an error if none could be taken now; then it receives them again later.
type Take func(entries [][]byte) (refused [][]byte, err error)

// Open takes over the first folder that no living process uses, with its entries.
func (s *Spool) Open() error {
	for n := range mostProcesses {
		own, err := openFolder(filepath.Join(s.root, strconv.Itoa(n)), s.max)
		if err == nil {
			s.own.Store(own)
			return nil
		}
		if !errors.Is(err, errLocked) {
			return err
		}
	}
	return fmt.Errorf("%s: %d processes use it", s.root, mostProcesses)
}

// Append stores entries, all or none: when it returns nil, they are on disk. Concurrent
// calls share an fsync. After an error they are most probably not stored; if ctx ends first,
// they may or may not be.
func (s *Spool) Append(ctx context.Context, entries ...[]byte) error {
	own := s.own.Load()
	if own == nil {
		return ErrClosed
	}
	return own.append(ctx, entries)
}

// Drain hands over the entries in this process's folder and in those of dead processes,
// until none is left or take fails.
func (s *Spool) Drain(ctx context.Context, take Take) error {
	own := s.own.Load()
	if own == nil {
		return nil
	}
	s.draining.Lock()
	defer s.draining.Unlock()
	err := own.drain(ctx, take)
	for _, path := range folders(s.root) {
		if path != own.path {
			err = errors.Join(err, s.adopt(ctx, path, take))
		}
	}
	return err
}

// adopt drains the folder of a dead process.
func (s *Spool) adopt(ctx context.Context, path string, take Take) error {
	left, err := files(path, entriesSuffix)
	if err != nil || len(left) == 0 {
		return err
	}
	orphan, err := openFolder(path, s.max)
	if errors.Is(err, errLocked) {
		return nil // its process is alive
	}
	if err != nil {
		return err
	}
	return errors.Join(orphan.drain(ctx, take), orphan.close())
}

// Held returns how many entries, and how many bytes of files, wait in this process's folder.
func (s *Spool) Held() (entries int, bytes int64) {
	own := s.own.Load()
	if own == nil {
		return 0, 0
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	return own.held, own.bytes
}

// Since returns since when the oldest entry waits in this process's folder, or the zero time if none does.
func (s *Spool) Since() time.Time {
	own := s.own.Load()
	if own == nil {
		return time.Time{}
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	if len(own.segments) > 0 {
		return own.segments[0].since
	}
	return own.writtenSince
}

// Room reports whether this process can keep more entries: its limit is not reached, and its disk takes a trial.
func (s *Spool) Room() bool {
	own := s.own.Load()
	_, bytes := s.Held()
	return own != nil && bytes < s.max && own.takesTrial()
}

// Folder returns the path of the spool's folder.
func (s *Spool) Folder() string { return s.root }

// Close releases the folder. Its entries stay.
func (s *Spool) Close() error {
	if own := s.own.Load(); own != nil {
		return own.close()
	}
	return nil
}

// Report describes the content of a spool's folder.
type Report struct {
	Entries  int
	Bytes    int64
	SetAside []string // files that somebody must look at
}

// Look reads a spool's folder without locking it: other processes may use it.
func Look(root string) (found Report, err error) {
	for _, folder := range folders(root) {
		all, err := files(folder, "")
		if err != nil {
			return Report{}, err
		}
		for _, path := range all {
			if strings.HasSuffix(path, refusedSuffix) || strings.HasSuffix(path, damagedSuffix) {
				found.SetAside = append(found.SetAside, path)
			}
			if !strings.HasSuffix(path, entriesSuffix) {
				continue
			}
			data, err := os.ReadFile(path)                     //nolint:gosec // our own file
			if err != nil && !errors.Is(err, os.ErrNotExist) { // taken meanwhile
				return Report{}, err
			}
			entries, _ := parse(data)
			found.Entries += len(entries)
			found.Bytes += int64(len(data))
		}
	}
	return found, nil
}

// folders returns the processes' folders in a spool's folder.
func folders(root string) (paths []string) {
	for n := range mostProcesses {
		path := filepath.Join(root, strconv.Itoa(n))
		if _, err := os.Stat(path); err != nil {
			break // they are taken in order, and never deleted
		}
		paths = append(paths, path)
	}
	return paths
}
