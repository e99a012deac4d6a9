package spool

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// segmentSize is the size at which a file is full. Drain hands over one file at a time.
	segmentSize = 4 << 20

	// trialSize is what a trial writes: enough for the records of some moments, unless they are very large.
	trialSize = 64 << 10
	// trialLasts is how long the result of a trial is not checked again, however many ask for it.
	trialLasts = time.Second
	trialName  = "trial"

	entriesSuffix = ".entries"
	refusedSuffix = ".refused" // entries that were set aside
	damagedSuffix = ".damaged" // a file whose data the disk has damaged
)

// folder is one process's files: the full ones, and the one that is being written.
type folder struct {
	path string
	max  int64
	lock *os.File
	sync func(*os.File) error // fsync; tests let it fail

	mu       sync.Mutex
	closed   bool
	busy     bool   // a goroutine writes groups until none waits
	waiting  *group // entries for the next write
	held     int
	bytes    int64     // of files, and of what waits to be written
	segments []segment // full ones, oldest first
	// writtenSince is when the file that is written got its first entries; zero if it has none.
	writtenSince time.Time
	running      sync.WaitGroup

	writing sync.Mutex // guards the file that is written
	file    *os.File   // nil: the next group makes one
	active  segment
	next    uint64

	trying  sync.Mutex // guards the trial
	triedAt time.Time
	took    bool
}

// group is the entries that are written and synced together.
type group struct {
	frames  []byte
	entries int
	err     error
	done    chan struct{}
}

// segment is a file of entries.
type segment struct {
	path    string
	entries int
	bytes   int64
	since   time.Time // of its first entries; after a restart, of its last ones
}

// openFolder locks a folder and counts the entries that a former process has left in it.
// Old files are never appended to, since their tails may be torn.
func openFolder(path string, limit int64) (*folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // our own file
	if err != nil {
		return nil, err
	}
	f := &folder{path: path, max: limit, lock: lock, sync: (*os.File).Sync}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := f.recover(); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return f, nil
}

func (f *folder) recover() error {
	all, err := files(f.path, "")
	for _, path := range all {
		f.next = max(f.next, number(path)+1)
		if !strings.HasSuffix(path, entriesSuffix) {
			continue
		}
		data, err := os.ReadFile(path) //nolint:gosec // our own file
		if err != nil {
			return err
		}
		entries, _ := parse(data)
		left := segment{path: path, entries: len(entries), bytes: int64(len(data)), since: time.Now()}
		if info, err := os.Stat(path); err == nil {
			left.since = info.ModTime()
		}
		f.segments = append(f.segments, left)
		f.held += len(entries)
		f.bytes += int64(len(data))
	}
	return err
}

// append adds entries to the waiting group and returns when the group is on disk.
func (f *folder) append(ctx context.Context, entries [][]byte) error {
	var size int64
	for _, entry := range entries {
		if len(entry) > math.MaxUint32 {
			return ErrFull
		}
		size += int64(headerSize + len(entry))
	}
	f.mu.Lock()
	if f.closed || f.bytes+size > f.max {
		defer f.mu.Unlock()
		if f.closed {
			return ErrClosed
		}
		return ErrFull
	}
	f.bytes += size
	if f.waiting == nil {
		f.waiting = &group{done: make(chan struct{})}
	}
	g := f.waiting
	for _, entry := range entries {
		g.frames = appendFrame(g.frames, entry)
	}
	g.entries += len(entries)
	if !f.busy {
		f.busy = true
		f.running.Go(f.run)
	}
	f.mu.Unlock()
	select {
	case <-g.done:
		return g.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run writes groups until none waits.
func (f *folder) run() {
	for {
		f.mu.Lock()
		g := f.waiting
		f.waiting = nil
		f.busy = g != nil
		f.mu.Unlock()
		if g == nil {
			return
		}
		g.err = f.write(g)
		close(g.done)
	}
}

func (f *folder) write(g *group) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	err := f.store(g)
	f.mu.Lock()
	if err == nil {
		if f.held += g.entries; f.writtenSince.IsZero() {
			f.writtenSince = f.active.since
		}
	} else {
		f.bytes -= int64(len(g.frames))
	}
	f.mu.Unlock()
	if err == nil && f.active.bytes < segmentSize {
		return nil
	}
	f.seal() // full, or its tail may be torn: the next group begins a new file
	return err
}

// store writes and syncs a group. After an error it truncates the file again, because the
// senders are told that their entries are not stored.
func (f *folder) store(g *group) error {
	if f.file == nil {
		if err := f.create(); err != nil {
			return err
		}
	}
	_, err := f.file.Write(g.frames)
	if err == nil {
		err = f.sync(f.file)
	}
	if err != nil {
		return errors.Join(err, f.file.Truncate(f.active.bytes))
	}
	f.active.entries += g.entries
	f.active.bytes += int64(len(g.frames))
	return nil
}

// create begins a file. It syncs the folder too, so that a crash does not lose the file.
func (f *folder) create() error {
	path := filepath.Join(f.path, fmt.Sprintf("%016d%s", f.next, entriesSuffix))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600) //nolint:gosec // our own file
	if err != nil {
		return err
	}
	if err := f.syncFolder(); err != nil {
		return errors.Join(err, file.Close(), os.Remove(path))
	}
	f.next++
	f.file, f.active = file, segment{path: path, since: time.Now()}
	return nil
}

func (f *folder) syncFolder() error {
	dir, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	return f.sync(dir)
}

// takesTrial reports whether the disk takes what is written and synced to it, which is removed again. A result may be
// a second old.
func (f *folder) takesTrial() bool {
	f.trying.Lock()
	defer f.trying.Unlock()
	if f.triedAt.IsZero() || time.Since(f.triedAt) > trialLasts {
		f.took = f.trial() == nil
		f.triedAt = time.Now()
	}
	return f.took
}

func (f *folder) trial() error {
	path := filepath.Join(f.path, trialName)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) //nolint:gosec // our own file
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, trialSize))
	if err == nil {
		err = f.sync(file)
	}
	return errors.Join(err, file.Close(), os.Remove(path))
}

// seal ends the file that is written, so that it can be drained. The caller holds
// f.writing.
func (f *folder) seal() {
	if f.file == nil {
		return
	}
	_ = f.file.Close() // its entries are synced
	if f.active.entries > 0 {
		f.mu.Lock()
		f.segments, f.writtenSince = append(f.segments, f.active), time.Time{}
		f.mu.Unlock()
	} else {
		_ = os.Remove(f.active.path)
	}
	f.file = nil
}

// close waits for running writes and releases the lock.
func (f *folder) close() error {
	f.mu.Lock()
	closed := f.closed
	f.closed = true
	f.mu.Unlock()
	if closed {
		return nil
	}
	f.running.Wait()
	f.writing.Lock()
	defer f.writing.Unlock()
	f.seal()
	return f.lock.Close()
}
