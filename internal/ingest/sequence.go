package ingest

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

// A sender may give each delivery of a record a sequence: a time or a whole number that grows with the record's changes.
// A delivery with a smaller sequence than the record has is stale: it is accepted, and changes nothing. See
// docs/decisions/0043.
//
// The sequence of a record is the greatest one that was accepted of the kind that came last: a time and a number do not
// compare, so the one that comes later counts. It is stored beside the row and found by the row's id, and only by records
// that have one themselves. Whoever changes a row without a sequence leaves it as it is.
//
// Row and sequence are judged by one snapshot and written by one statement, each only at the version that was read. If the
// row was changed meanwhile, nothing is written and the record is tried again, as always. If only the sequence was, which
// takes a concurrent delivery that left the row as it was, the transaction is tried again.

// SequenceHeader is the header that carries a delivery's sequence.
const SequenceHeader = "Ingest-Sequence"

// mostAhead is how far a sequence may be ahead of the service's clock. One that is far ahead, by a wrong clock, would make
// all later deliveries stale.
const mostAhead = 24 * time.Hour

// Sequence is the sequence of a delivery in the form in which it is stored: those of one kind have one length, and compare
// as text. Empty: none.
type Sequence string

// The forms. Both can be sent as they are.
const (
	sequenceNumber = "%019d"
	sequenceTime   = "2006-01-02T15:04:05.000000000Z"
)

// ReadSequence reads a sequence as it is sent. It reports false if the text is neither an RFC 3339 time nor a whole number
// from 0 to 2^63-1.
func ReadSequence(text string) (Sequence, bool) {
	if at, ok := registry.ReadTimestamp(text); ok {
		return Sequence(at.UTC().Format(sequenceTime)), true
	}
	if text == "" || len(text) > len("9223372036854775807") || strings.Trim(text, "0123456789") != "" {
		return "", false
	}
	number, err := strconv.ParseInt(text, 10, 64)
	return Sequence(fmt.Sprintf(sequenceNumber, number)), err == nil
}

// time returns the time that the sequence is, or false if it is a number.
func (s Sequence) time() (time.Time, bool) {
	at, err := time.Parse(sequenceTime, string(s))
	return at, err == nil
}

// String returns the sequence as people write it.
func (s Sequence) String() string {
	if at, ok := s.time(); ok {
		return at.Format(time.RFC3339Nano)
	}
	if number := strings.TrimLeft(string(s), "0"); number != "" || s == "" {
		return number
	}
	return "0"
}

// sameKind reports whether two sequences can be compared.
func (s Sequence) sameKind(other Sequence) bool { return len(s) == len(other) }

// laterOf returns the sequence of a payload that was delivered twice: the greater one or, if they do not compare, that of
// the last delivery.
func laterOf(before, last Sequence) Sequence {
	if last == "" || before.sameKind(last) && before > last {
		return before
	}
	return last
}

// implausible returns why the sequence orders nothing, with a code, or nothing.
func (s Sequence) implausible(now time.Time) (code, why string) {
	at, ok := s.time()
	switch {
	case !ok:
	case at.Unix() <= 0:
		return "sequence", "is what programs send for no time; send the time of the record's last change"
	case at.Sub(now) > mostAhead:
		return "sequence_ahead", "is more than a day ahead; send the time of the record's last change"
	}
	return "", ""
}

// What a header may hold, and the value of a column of numbers.
const (
	sequenceNumbers = "a whole number from 0 to 9223372036854775807"
	sequenceForms   = "an RFC 3339 time such as 2026-03-14T09:30:00Z or " + sequenceNumbers
)

// order gives the record its sequence: the one that was sent with it or, in a table that names a column for that, the value
// of that column, unless a person typed it. A sequence that orders nothing is refused.
func (r *sanitized) order(record *Record, now time.Time) {
	field, text, named := SequenceHeader, record.Sequence, false
	if text == "" && r.table.Sequence != "" && !record.typed {
		field, named = r.table.Sequence, true
		text, _ = r.text(field)
	}
	if text == "" {
		return
	}
	read, forms := ReadSequence, sequenceForms
	if named {
		read, forms = r.readColumn, sequenceNumbers // a date or a time always can be read
	}
	sequence, ok := read(text)
	code, why := "sequence", "is not "+forms
	if ok {
		code, why = sequence.implausible(now)
	}
	if why != "" {
		r.refused = append(r.refused, fault.Field{Field: field, Code: code,
			Message: fmt.Sprintf("%s: %s %s", field, fault.Shorten(strconv.Quote(text)), why)})
		return
	}
	r.sequence = sequence
}

// readColumn reads the coerced value of the column that is the sequence.
func (r *sanitized) readColumn(text string) (Sequence, bool) {
	column, known := r.table.Column(r.table.Sequence)
	if !known {
		return "", false
	}
	switch column.Type {
	case registry.Date:
		text += "T00:00:00Z"
	case registry.Number: // 7.0 is a whole number too
		number, ok := new(big.Rat).SetString(text)
		if !ok || !number.IsInt() {
			return "", false
		}
		text = number.Num().String()
	case registry.Datetime, registry.Text, registry.Boolean, registry.UUID:
	}
	return ReadSequence(text)
}

// keptSequence returns the sequence that a dead letter keeps: the one that was sent, unless that is why the record was
// refused. A retry must be able to succeed.
func (r *Record) keptSequence() Sequence {
	sequence, ok := ReadSequence(r.Sequence)
	if _, why := sequence.implausible(time.Now()); !ok || why != "" {
		return ""
	}
	return sequence
}

// ordered reports whether the ticket's statement compares sequences. One that only judges does not: what is refused is
// refused however old it is.
func (t *ticket) ordered() bool { return t.clean.sequence != "" && t.mode != check }

// overtaken reports whether the ticket's row was changed by another delivery between its read and its write. The row must
// then be locked before the statement begins: the statement would wait for the lock, but would not see the sequence that its
// holder has stored.
func (t *ticket) overtaken() bool { return t.ordered() && t.mode == lockFirst }

// sequenceLookup finds what is stored of the record's sequence.
func (b *builder) sequenceLookup() string {
	if !b.ordered {
		return ""
	}
	return `
    LEFT JOIN LATERAL (
        SELECT o.sequence, o.version FROM workspace.record_sequences o
        WHERE o.tenant_id = i.tenant_id AND o.record_id = s.id LIMIT 1
    ) q ON true`
}

// sequenceJudgement selects whether the record is stale, and the row as it is stored if it is.
func (b *builder) sequenceJudgement() string {
	if !b.ordered {
		return ""
	}
	const older = "coalesce(length(q.sequence) = length(i.sequence) AND q.sequence > i.sequence, false)"
	return fmt.Sprintf(`i.sequence, q.sequence AS stored_sequence, q.version AS sequence_version, %s AS stale,
        CASE WHEN %[1]s THEN %s END AS stored_row,
        `, older, b.storedRow())
}

// withSequences returns a part of the statement for records with sequences, or the one for records without.
func (b *builder) withSequences(part, without string) string {
	if b.ordered {
		return part
	}
	return without
}

// The data of an event, and its place among the transactions, stand around what every event has. A stale record has no
// place: readers of the outbox, by which everything derived follows the records, pass over it.
const (
	staleEvent      = "CASE WHEN c.stale THEN jsonb_build_object('result', 'stale', 'record', c.stored_row) ELSE "
	sequenceOfEvent = ` END || jsonb_build_object('sequence', c.sequence),
        CASE WHEN NOT c.stale THEN pg_current_xact_id() END`
)

// storedRow returns the expression for the record that a row "s" holds, as events describe records.
func (b *builder) storedRow() string {
	if b.table.Generic {
		return fmt.Sprintf("s.data || jsonb_build_object(%s, s.external_id)", literal(b.table.ConflictColumn))
	}
	var pairs []string
	for i := range b.table.Columns {
		column := &b.table.Columns[i]
		if column.Custom {
			continue
		}
		pairs = append(pairs, literal(column.Name)+", s."+quote(column.Name))
		if pending := pendingColumn(column); pending != "" {
			pairs = append(pairs, literal(pending)+", s."+quote(pending))
		}
	}
	return "(" + jsonObject(pairs) + ") || s." + quote("custom")
}

// sequenceNote stores the sequences of the records that were written, and greater ones of unchanged records. The row of
// each was judged by the sequence that is replaced.
func (b *builder) sequenceNote() string {
	if !b.ordered {
		return ""
	}
	return fmt.Sprintf(`
), sequenced AS (
    INSERT INTO workspace.record_sequences AS o (tenant_id, record_id, sequence, version)
    SELECT c.tenant_id, coalesce(w.id, c.stored_id), c.sequence, coalesce(c.sequence_version, 0) + 1
    FROM accepted c LEFT JOIN written w ON w.tenant_id = c.tenant_id AND w.identity = c.identity
    WHERE NOT c.stale AND (w.id IS NOT NULL OR %s AND c.sequence IS DISTINCT FROM c.stored_sequence)
    ORDER BY c.ord
    ON CONFLICT (tenant_id, record_id) DO UPDATE SET sequence = excluded.sequence,
        version = CASE WHEN o.version = excluded.version - 1 THEN excluded.version ELSE workspace.sequence_overtaken() END`,
		b.settled())
}
