package push

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/sheet"
)

// Rejects is the file of refused records. Each line is the record as it was sent, so that it
// can be corrected and pushed again, plus notes whose names start with "_", which push
// ignores. The file is created when the first record is refused.
type Rejects struct {
	Path string

	mu      sync.Mutex
	file    *os.File
	written map[int64]bool // by an earlier push, which stopped before it saved that in its state
}

// startRejects renames the file of an earlier push, which somebody may be correcting.
func startRejects(path string) (r *Rejects, moved string, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &Rejects{Path: path}, "", nil
	}
	moved = path + ".bak"
	if err := os.Rename(path, moved); err != nil {
		return nil, "", fault.New(fault.BadRequest, "rejects", "cannot put %s aside: %s", path, cause(err))
	}
	return &Rejects{Path: path}, moved, nil
}

// resumeRejects continues the file of the push that was stopped. It cuts off an incomplete
// last line, and remembers the unfinished records in the file, which will be refused once
// more.
func resumeRejects(path string, done func(int64) bool, seen func(status int, message string, number int64)) (
	*Rejects, error) {
	r := &Rejects{Path: path, written: map[int64]bool{}}
	file, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // it lies beside the file that we were given
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fault.New(fault.BadRequest, "rejects", "cannot go on with %s: %s", path, cause(err))
	}
	lines, whole := bufio.NewReader(file), int64(0)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		whole += int64(len(line))
		var note sheet.Note
		if json.Unmarshal(line, &note) != nil || note.Record == 0 {
			continue
		}
		if done(note.Record) {
			seen(note.Status, note.Error, note.Record)
		} else {
			r.written[note.Record] = true
		}
	}
	err = errors.Join(file.Truncate(whole), seekEnd(file))
	if err != nil {
		return nil, fault.New(fault.BadRequest, "rejects", "cannot go on with %s: %s", path, cause(err))
	}
	r.file = file
	return r, nil
}

func seekEnd(file *os.File) error {
	_, err := file.Seek(0, io.SeekEnd)
	return err
}

// Write appends one record. The record is written before it counts as finished.
func (r *Rejects) Write(body []byte, note sheet.Note) error {
	line, err := sheet.Reject(body, note)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.written[note.Record] {
		return nil
	}
	if r.file == nil {
		if r.file, err = os.OpenFile(r.Path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err != nil {
			return fault.New(fault.BadRequest, "rejects", "record %s was refused and cannot be written to %s: %s",
				strconv.FormatInt(note.Record, 10), r.Path, cause(err))
		}
	}
	if _, err := r.file.Write(line); err != nil {
		return fault.New(fault.BadRequest, "rejects", "cannot write to %s: %s", r.Path, cause(err))
	}
	return nil
}

// Close returns the path, or nothing if no record was refused.
func (r *Rejects) Close() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return ""
	}
	_ = r.file.Close()
	return r.Path
}
