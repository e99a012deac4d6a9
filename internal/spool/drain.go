package spool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// drain hands over file after file until nothing is left.
func (f *folder) drain(ctx context.Context, take Take) error {
	for ctx.Err() == nil {
		f.writing.Lock()
		f.seal()
		f.writing.Unlock()
		f.mu.Lock()
		full := slices.Clone(f.segments)
		f.mu.Unlock()
		if len(full) == 0 {
			return nil
		}
		for _, s := range full {
			if err := f.hand(s, take); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// hand hands one file over and deletes it.
func (f *folder) hand(s segment, take Take) error {
	data, err := os.ReadFile(s.path)
	if errors.Is(err, os.ErrNotExist) { // somebody deleted the file
		f.forget(s)
		return fmt.Errorf("spooled entries are gone: %w", err)
	}
	if err != nil {
		return err
	}
	entries, damaged := parse(data)
	if len(entries) > 0 {
		refused, err := take(entries)
		if err != nil {
			return err
		}
		if err := f.setAside(s, refused); err != nil {
			return err
		}
	}
	if damaged {
		err = os.Rename(s.path, strings.TrimSuffix(s.path, entriesSuffix)+damagedSuffix)
	} else {
		err = os.Remove(s.path)
	}
	if err != nil {
		return err
	}
	f.forget(s)
	return f.syncFolder() // so that a power cut brings back at most this file
}

// setAside keeps refused entries in a file of their own, for a person to look at.
func (f *folder) setAside(s segment, refused [][]byte) error {
	if len(refused) == 0 {
		return nil
	}
	var frames []byte
	for _, entry := range refused {
		frames = appendFrame(frames, entry)
	}
	path := strings.TrimSuffix(s.path, entriesSuffix) + refusedSuffix
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) //nolint:gosec // our own file
	if err != nil {
		return err
	}
	_, err = file.Write(frames)
	if err == nil {
		err = f.sync(file)
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.syncFolder()
	}
	return err
}

// forget removes a file from the folder's list and counts.
func (f *folder) forget(s segment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held -= s.entries
	f.bytes -= s.bytes
	f.segments = slices.DeleteFunc(f.segments, func(other segment) bool { return other.path == s.path })
}

// files returns the files in a folder with a suffix, oldest first.
func files(path, suffix string) (found []string, err error) {
	listed, err := os.ReadDir(path) // in the order of their names, which have one length
	for _, file := range listed {
		if strings.HasSuffix(file.Name(), suffix) {
			found = append(found, filepath.Join(path, file.Name()))
		}
	}
	return found, err
}

// number returns the sequence number in a file's name.
func number(path string) uint64 {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	n, _ := strconv.ParseUint(name, 10, 64) // 0 for a foreign file
	return n
}
