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

// Problem names what is wrong with an audit.
type Problem string

// The problems.
const (
	RowAltered  Problem = "row_altered"  // not what was sealed
	RowDeleted  Problem = "row_deleted"  // sealed, or waiting for a seal, and gone
	RowUnsealed Problem = "row_unsealed" // neither sealed nor waiting: its seal was deleted, or nobody of ours wrote it
	RowLate     Problem = "row_late"     // says that it is older than seals that were made without it
	SealBroken  Problem = "seal_broken"  // does not follow from the one before
	SealMissing Problem = "seal_missing" // a gap in the numbers
	HeadMissing Problem = "head_missing" // a head that was kept is not in the chain
)

// Finding is one thing that is not as it was written.
type Finding struct {
	Problem Problem   `json:"problem"`
	Seal    int64     `json:"seal,omitzero"`
	Row     uuid.UUID `json:"row,omitzero"`
	Detail  string    `json:"detail"`
}

// Report is what a verification found.
type Report struct {
	Tenant   uuid.UUID
	Rows     int64
	Waiting  int64 // of them, for a seal
	Head     Head
	Problems int64
	Findings []Finding // the first of the problems
}

const (
	mostFindings = 100
	verifyPage   = 1000
	// longestWrite is how long a transaction may take that writes an audit row. A row
	// that says it is older by more than that than seals made without it was put there
	// later.
	longestWrite = 15 * time.Minute
)

// Verify recomputes a tenant's chain and holds every row against it, in as much memory as
// a page takes. Heads that were kept elsewhere must be in the chain. It may run while rows
// are written and sealed.
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
	// From the lowest number that can be: one that no sealer gives must not hide.
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

// pages goes through rows in the order of their ids, each page in a transaction of its
// own, from the lowest id that can be.
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

// next is the id that follows, unless it was the last.
func next(id uuid.UUID) (uuid.UUID, bool) {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			return id, true
		}
	}
	return id, false
}

// verifier is a chain on its way past.
type verifier struct {
	Report
	kept     map[string]Head
	previous [][]byte // what the seal before may hash to; nothing where it is gone
	sealedAt string   // of the seal before
	sealed   time.Time
	earlier  time.Time // when the seals before those were made
}

func (v *verifier) found(problem Problem, seal int64, row uuid.UUID, format string, args ...any) {
	v.Problems++
	if len(v.Findings) < mostFindings {
		v.Findings = append(v.Findings, Finding{problem, seal, row, fmt.Sprintf(format, args...)})
	}
}

// seal holds a seal against the one before, and its row against the seal.
func (v *verifier) seal(found q.ListSealsRow) {
	switch wanted := v.Head.Number + 1; {
	case found.Number < wanted: // none, negative: the others come in their order
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
		v.sealed, _ = parseTime(found.SealedAt) // one that is no time does not fit its hash
	}
	hash := hashRow(found.Columns)
	switch {
	case len(found.Columns) == 0:
		v.found(RowDeleted, found.Number, found.RowID, "the row %s of seal %d is gone", found.RowID, found.Number)
	case !bytes.Equal(hash[:], found.RowHash):
		v.found(RowAltered, found.Number, found.RowID, "the row %s is not as seal %d found it", found.RowID, found.Number)
	case late(found.Columns[2], v.earlier, v.sealed):
		v.found(RowLate, found.Number, found.RowID,
			"the row %s says that it is of %s, but seals were made at %s without it: it was put there later", found.RowID,
			found.Columns[2], stamp(v.earlier))
	}
}

// link checks that a seal follows from the one before. Of one that is broken, either what
// it says its hash is or what it should be is right: the seal after it tells no further
// break when it follows from one of them.
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

// row checks that a row is sealed or will be.
func (v *verifier) row(row q.ListSealStatesRow) {
	v.Rows++
	switch now, _ := parseTime(row.Now); {
	case row.Sealed: // its seal has been looked at, or was made after that
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

// late says whether a row that was sealed now would have been sealed before, had it been
// there when it says. A clock that was set back makes no row late.
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

// parseTime reads a time as PostgreSQL writes it into JSON.
func parseTime(text string) (time.Time, error) { return time.Parse(timeLayout, text) }

func stamp(t time.Time) string { return t.Format(timeLayout) }

const timeLayout = "2006-01-02T15:04:05.999999"
