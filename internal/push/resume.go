package push

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/sheet"
)

const stateVersion = 1

// State is saved beside a file whose push is not complete. It belongs to one file, read in one
// way, and to one table at one address; otherwise its record numbers would mean other records.
type State struct {
	Version int       `json:"version"`
	Size    int64     `json:"size"`
	Hash    string    `json:"sha256"`
	Reading [5]string `json:"reading"`
	URL     string    `json:"url"`
	Table   string    `json:"table"`
	// Sequence is the column whose values order the deliveries of a record. Absent: none.
	Sequence string `json:"sequence,omitempty"`

	Mark   int64      `json:"mark"`  // all records up to it are finished
	Above  [][2]int64 `json:"above"` // spans of finished records above the mark
	Counts Counts     `json:"counts"`
}

// newState returns the state of a push that has not begun.
func newState(source *sheet.Source, address, table, sequence string) State {
	return State{
		Version: stateVersion, Size: source.Size, Hash: source.Hash, URL: address, Table: table, Sequence: sequence,
		Reading: [5]string{source.Format, source.Delimiter, source.Encoding, source.Sheet, source.Empty},
	}
}

// save replaces the file at path atomically.
func (s State) save(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // fails if the rename succeeded
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// loadState reads the state of the same push. If there is none, found is false.
func loadState(path string, want State) (state State, found bool, err error) {
	text, err := os.ReadFile(path) //nolint:gosec // it lies beside the file that we were given
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, false, nil
	}
	if err != nil {
		return State{}, false, fault.New(fault.BadRequest, "state", "cannot read %s: %s", path, cause(err))
	}
	const start = "Push without --resume to start at the beginning; records that are stored already stay as they are"
	if err := json.Unmarshal(text, &state); err != nil || state.Version != stateVersion {
		return State{}, false, fault.New(fault.BadRequest, "state", "%s is not a state that this version wrote. %s", path,
			start)
	}
	switch {
	case state.Size != want.Size || state.Hash != want.Hash:
		return State{}, false, fault.New(fault.Conflict, "state", "the file has changed since its push was stopped. %s",
			start)
	case state.URL != want.URL || state.Table != want.Table:
		return State{}, false, fault.New(fault.Conflict, "state", "the push that was stopped went to table %s at %s. %s",
			state.Table, state.URL, start)
	case state.Sequence != want.Sequence:
		return State{}, false, fault.New(fault.Conflict, "state",
			"the push that was stopped ordered its records otherwise (--sequence). %s", start)
	case state.Reading != want.Reading:
		return State{}, false, fault.New(fault.Conflict, "state",
			"the push that was stopped read the file in another way (--format, --delimiter, --encoding, --sheet, --empty). %s",
			start)
	}
	return state, true, nil
}
