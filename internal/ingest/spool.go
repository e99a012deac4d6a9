package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
)

const (
	// loadTimeout bounds the loading of one file of spooled letters.
	loadTimeout = 25 * time.Second
	// mostLoaded bounds the records that are remembered while files are loaded.
	mostLoaded = 10_000
)

// toSpool keeps letters in local files until the database accepts them. cause is the
// database's error, or nil if earlier letters still wait in the spool.
func (s *Service) toSpool(batch []*envelope, cause error) error {
	entries := make([][]byte, 0, len(batch))
	for _, e := range batch {
		entry, err := json.Marshal(e.letter)
		if err != nil {
			return err
		}
		entries = append(entries, entry)
	}
	ctx, cancel := context.WithTimeout(context.Background(), letterTimeout)
	defer cancel()
	before, _ := s.spool.Held()
	if err := s.spool.Append(ctx, entries...); err != nil {
		return errors.Join(fmt.Errorf("spool: %w", err), cause)
	}
	s.metrics.Spooled(len(entries))
	if before == 0 {
		s.log.WarnContext(ctx, "PostgreSQL takes no dead letters: they are spooled",
			"folder", s.spool.Folder(), "err", cause)
	}
	return nil
}

// LoadSpooled moves dead letters from the spool into the database, if that is available.
func (s *Service) LoadSpooled(ctx context.Context) error {
	loaded := 0
	records := map[storedRecord]bool{} // of the loaded letters
	err := s.spool.Drain(ctx, func(entries [][]byte) (refused [][]byte, err error) {
		refused, err = s.load(ctx, entries, records)
		if err == nil {
			loaded += len(entries) - len(refused)
		}
		if len(records) > mostLoaded {
			s.resolveLoaded(ctx, records)
		}
		if len(refused) > 0 {
			s.log.ErrorContext(ctx, "spooled dead letters that PostgreSQL refuses are set aside", "letters", len(refused),
				"folder", s.spool.Folder())
		}
		return refused, err
	})
	s.resolveLoaded(ctx, records)
	if loaded > 0 {
		left, _ := s.spool.Held()
		s.log.InfoContext(ctx, "spooled dead letters are loaded", "letters", loaded, "left", left)
	}
	if fault.HasCode(err, "database_away") {
		return nil // the letters stay in the spool
	}
	return err
}

// load writes a file's letters in one transaction, so that repeats of a payload are counted
// together; if the file is loaded again after a crash, the last of them identifies the
// count. If PostgreSQL refuses one of them as bad data, load tries each alone and returns
// those that it refuses. It adds the records of the letters that it has written.
func (s *Service) load(ctx context.Context, entries [][]byte, records map[storedRecord]bool) (refused [][]byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	var letters []deadLetter
	var sources [][]byte
	for _, entry := range entries {
		var l deadLetter
		if json.Unmarshal(entry, &l) != nil {
			refused = append(refused, entry)
			continue
		}
		letters, sources = append(letters, l), append(sources, entry)
	}
	if len(letters) == 0 {
		return refused, nil
	}
	written := func(letters ...deadLetter) {
		for _, l := range letters {
			if l.RecordKey != "" {
				records[storedRecord{l.Tenant, l.Slug, l.RecordKey}] = true
			}
		}
	}
	err = s.insert(ctx, tallyRepeats(letters))
	if err == nil {
		written(letters...)
	}
	if !pg.BadData(err) {
		return refused, err
	}
	for i, l := range letters {
		err := s.insert(ctx, tallyRepeats([]deadLetter{l}))
		switch {
		case pg.BadData(err):
			refused = append(refused, sources[i])
		case err != nil:
			return nil, err
		default:
			written(l)
		}
	}
	return refused, nil
}

// resolveLoaded closes the loaded letters of records that were stored while the letters waited in the spool: the sweep
// has read those events already. Each open letter of a record is compared with its events, so this is done once for
// many files. It only logs an error: the next full pass closes them.
func (s *Service) resolveLoaded(ctx context.Context, records map[storedRecord]bool) {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	if err := s.resolve(ctx, false, slices.Collect(maps.Keys(records))); err != nil {
		s.log.ErrorContext(ctx, "loaded dead letters are not resolved", "err", err)
	}
	clear(records)
}

// tallyRepeats counts repeats of the same payload together, ordered by their first occurrence. The last of them describes
// them all, with the greatest sequence.
func tallyRepeats(letters []deadLetter) []tally {
	type payload struct {
		tenant, workspace uuid.UUID
		slug              string
		hash              [32]byte
	}
	places := map[payload]int{}
	var tallies []tally
	for _, l := range letters {
		key := payload{l.Tenant, l.Workspace, l.Slug, sha256.Sum256(l.Payload)}
		at, known := places[key]
		if !known {
			places[key] = len(tallies)
			tallies = append(tallies, tally{id: l.ID, latest: l, hash: key.hash, seen: 1, first: l.At, last: l.At})
			continue
		}
		t := &tallies[at]
		before := t.latest
		t.seen++
		if l.At.Before(t.first) {
			t.first = l.At
		}
		if !l.At.Before(t.last) {
			t.last, t.latest = l.At, l
			t.latest.Sequence = laterOf(before.Sequence, l.Sequence)
			continue
		}
		t.latest.Sequence = laterOf(l.Sequence, before.Sequence)
	}
	return tallies
}
