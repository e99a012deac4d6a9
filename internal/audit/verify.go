package audit

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

// Problem is a kind of tampering.
type Problem string

// The problems.
const (
	RowAltered  Problem = "row_altered"  // differs from what was sealed
	RowDeleted  Problem = "row_deleted"  // was sealed, or waited for a seal, and is gone
	RowUnsealed Problem = "row_unsealed" // neither sealed nor waiting: its seal was deleted, or the row was not written by the service
	RowLate     Problem = "row_late"     // claims to be older than seals that were made without it
	SealBroken  Problem = "seal_broken"  // does not follow from the seal before it
	SealMissing Problem = "seal_missing" // a gap in the numbers
	HeadMissing Problem = "head_missing" // a kept head is not in the chain
)

// Finding is one problem that a verification found.
type Finding struct {
	Problem Problem   `json:"problem"`
	Seal    int64     `json:"seal,omitzero"`
	Row     uuid.UUID `json:"row,omitzero"`
	Detail  string    `json:"detail"`
}

// Report is the result of a verification.
type Report struct {
	Tenant   uuid.UUID
	Rows     int64
	Waiting  int64 // rows that wait for a seal
	NotKept  int64 // calls of tools whose rows are no longer kept; their seals prove that they were calls
	Head     Head
	Problems int64
	Findings []Finding // the first of the problems
}

const (
	mostFindings = 100
	verifyPage   = 1000
	// longestWrite is the longest time that a transaction with an audit row may take. A row
	// that claims to be older than that, compared with seals made without it, was added later.
	longestWrite = 15 * time.Minute
)

// Verify recomputes a tenant's chain and compares every row with it, page by page. Kept heads
// must be in the chain. It may run while rows are written and sealed.
func (s *Service) Verify(ctx context.Context, by auth.Principal, kept ...Head) (Report, error) {
	if err := by.Require(auth.ReadAudit); err != nil {
		return Report{}, err
	}
	v := &verifier{Report: Report{Tenant: by.Tenant}, previous: [][]byte{nil}, kept: map[string]Head{}}
	for _, head := range kept {
		v.kept[head.String()] = head
	}
	for _, pass := range []func(context.Context, *verifier) error{s.verifySeals, s.verifyRows, s.verifyWaiting} {
		if err := pass(ctx, v); err != nil {
			return Report{}, err
		}
	}
	return v.Report, nil
}

func (s *Service) verifySeals(ctx context.Context, v *verifier) error {
	// From the lowest possible number, so that a seal with a forged number is found.
	for first := int64(math.MinInt64); ; {
		var seals []q.ListSealsRow
		err := s.cells.InTenant(ctx, v.Tenant, func(tx pgx.Tx) (err error) {
			seals, err = q.New(tx).ListSeals(ctx, q.ListSealsParams{TenantID: v.Tenant, FirstNumber: first, Most: verifyPage})
			return err
		})
		if err != nil {
			return err
		}
		for _, found := range seals {
			v.seal(found)
			first = found.Number + 1
		}
		if len(seals) < verifyPage || first == math.MinInt64 {
			break
		}
	}
	for _, head := range v.kept {
		v.found(HeadMissing, head.Number, uuid.Nil,
			"the head %s that was kept is not in the chain, which ends with %s: its end was taken away, or it was written anew",
			head, v.Head)
	}
	return nil
}

func (s *Service) verifyRows(ctx context.Context, v *verifier) error {
	return s.pages(ctx, v.Tenant, func(queries *q.Queries, first uuid.UUID) ([]uuid.UUID, error) {
		rows, err := queries.ListSealStates(ctx, q.ListSealStatesParams{TenantID: v.Tenant, FirstID: first, Most: verifyPage})
		var ids []uuid.UUID
		for _, row := range rows {
			v.row(row)
			ids = append(ids, row.ID)
		}
		return ids, err
	})
}

func (s *Service) verifyWaiting(ctx context.Context, v *verifier) error {
	return s.pages(ctx, v.Tenant, func(queries *q.Queries, first uuid.UUID) ([]uuid.UUID, error) {
		ids, err := queries.ListUnsealedWithoutRow(ctx,
			q.ListUnsealedWithoutRowParams{TenantID: v.Tenant, FirstID: first, Most: verifyPage})
		for _, id := range ids {
			v.found(RowDeleted, 0, id, "the row %s waited for its seal and is gone", id)
		}
		return ids, err
	})
}

// pages calls read for each page of rows in the order of their ids, from the lowest possible
// id, each in its own transaction.
func (s *Service) pages(ctx context.Context, tenant uuid.UUID,
	read func(*q.Queries, uuid.UUID) ([]uuid.UUID, error)) error {
	for first, more := uuid.Nil, true; more; {
		err := s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
			ids, err := read(q.New(tx), first)
			more = len(ids) == verifyPage
			if more {
				first, more = next(ids[len(ids)-1])
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// next returns the id after id. It reports false for the highest id.
func next(id uuid.UUID) (uuid.UUID, bool) {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			return id, true
		}
	}
	return id, false
}

// verifier is the state of a verification.
type verifier struct {
	Report
	kept     map[string]Head
	previous [][]byte // possible hashes of the previous seal; empty if that seal is gone
	sealedAt string   // of the previous seal
	sealed   time.Time
	earlier  time.Time // when the seals before those of sealedAt were made
}

func (v *verifier) found(problem Problem, seal int64, row uuid.UUID, format string, args ...any) {
	v.Problems++
	if len(v.Findings) < mostFindings {
		v.Findings = append(v.Findings, Finding{problem, seal, row, fmt.Sprintf(format, args...)})
	}
}

// seal compares a seal with the previous one, and the seal's row with the seal.
func (v *verifier) seal(found q.ListSealsRow) {
	switch wanted := v.Head.Number + 1; {
	case found.Number < wanted: // zero or negative, since seals are read in the order of their numbers
		v.found(SealBroken, found.Number, found.RowID, "seal %d has a number that no sealer gives", found.Number)
		return
	case found.Number == wanted+1:
		v.found(SealMissing, wanted, uuid.Nil, "seal %d is gone", wanted)
		v.previous = nil
	case found.Number > wanted:
		v.found(SealMissing, wanted, uuid.Nil, "seals %d to %d are gone", wanted, found.Number-1)
		v.previous = nil
	}
	v.link(found)
	v.Head = Head{found.Number, found.Hash}
	delete(v.kept, v.Head.String())
	if found.SealedAt != v.sealedAt {
		v.sealedAt, v.earlier = found.SealedAt, v.sealed
		v.sealed, _ = parseTime(found.SealedAt) // a text that is no time does not match its hash
	}
	switch {
	case len(found.Columns) == 0 && wasCall(found) && !found.OfToday:
		v.NotKept++
	case len(found.Columns) == 0:
		v.found(RowDeleted, found.Number, found.RowID, "the row %s of seal %d is gone", found.RowID, found.Number)
	case !sameRow(found):
		v.found(RowAltered, found.Number, found.RowID, "the row %s is not as seal %d found it", found.RowID, found.Number)
	case late(found.Columns[2], v.earlier, v.sealed):
		v.found(RowLate, found.Number, found.RowID,
			"the row %s says that it is of %s, but seals were made at %s without it: it was put there later", found.RowID,
			found.Columns[2], stamp(v.earlier))
	}
}

// wasCall reports whether the seal proves that its row was a call of a tool. Such a row may be gone after a day,
// the shortest time that it can be kept.
func wasCall(found q.ListSealsRow) bool {
	hash := hashCall(found.CallHash)
	return len(found.CallHash) > 0 && bytes.Equal(hash[:], found.RowHash)
}

// sameRow reports whether the row is as it was sealed. Seals of calls from before calls had a form of their own have
// that of other rows.
func sameRow(found q.ListSealsRow) bool {
	if row := hashRow(found.Columns); len(found.CallHash) == 0 {
		return bytes.Equal(row[:], found.RowHash)
	}
	rowHash, callHash := hashSealed(found.Columns)
	return bytes.Equal(rowHash, found.RowHash) && bytes.Equal(callHash, found.CallHash)
}

// link checks that a seal follows from the previous one. If a seal is broken, either its stored
// hash or its computed hash may be right. The next seal may follow from either, so that one
// break is reported once.
func (v *verifier) link(found q.ListSealsRow) {
	this := seal{v.Tenant, found.Number, found.SealedAt, found.RowID, found.RowHash}
	hashes := [][]byte{found.Hash}
	follows := len(v.previous) == 0
	for _, previous := range v.previous {
		hash := this.after(previous)
		follows = follows || bytes.Equal(hash[:], found.Hash)
		hashes = append(hashes, hash[:])
	}
	if follows {
		hashes = hashes[:1]
	} else {
		v.found(SealBroken, found.Number, found.RowID,
			"seal %d does not follow from the one before: it was altered, or put in another's place", found.Number)
	}
	v.previous = hashes[:min(len(hashes), 2)]
}

// row checks that a row is sealed or waits for a seal.
func (v *verifier) row(row q.ListSealStatesRow) {
	v.Rows++
	switch now, _ := parseTime(row.Now); {
	case row.Sealed: // its seal was checked, or was made after the check
	case !row.Waiting:
		v.found(RowUnsealed, 0, row.ID,
			"the row %s has no seal and waits for none: its seal was deleted, or it was put there behind the service's back",
			row.ID)
	case late(row.At, v.sealed, now):
		v.Waiting++
		v.found(RowLate, 0, row.ID,
			"the row %s says that it is of %s, but seals were made at %s without it: it was put there later", row.ID, row.At,
			stamp(v.sealed))
	default:
		v.Waiting++
	}
}

// late reports whether a row with this time would have been sealed earlier, had it existed
// then. It tolerates a clock that was set back.
func late(at string, before, now time.Time) bool {
	if before.IsZero() {
		return false
	}
	if now.Before(before) {
		before = now
	}
	said, err := parseTime(at)
	return err != nil || said.Before(before.Add(-longestWrite))
}

// parseTime parses a time as PostgreSQL writes it in JSON.
func parseTime(text string) (time.Time, error) { return time.Parse(timeLayout, text) }

func stamp(t time.Time) string { return t.Format(timeLayout) }

const timeLayout = "2006-01-02T15:04:05.999999"
