package audit

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
)

// What is hashed is a list of texts, the first of which says what the others are. Each
// stands behind its length, eight bytes with the highest first, so that no two lists have
// the same bytes. None of it may ever change: every chain that there is depends on it. A
// column that the table gets later needs a second form of row, and seals that say which
// form they are about.
const (
	rowForm  = "quayside audit row 1"
	sealForm = "quayside audit seal 1"
)

// digest is a SHA-256.
type digest [sha256.Size]byte

// hashRow hashes an audit row as PostgreSQL writes its columns as text, in the order in
// which the table has them: tenant_id, id, at in UTC, workspace_id or nothing, actor,
// request_id, action, subject, data, xid.
func hashRow(columns []string) digest {
	into := sha256.New()
	write(into, rowForm)
	for _, column := range columns {
		write(into, column)
	}
	return digest(into.Sum(nil))
}

// seal is a place in a tenant's chain.
type seal struct {
	tenant   uuid.UUID
	number   int64
	sealedAt string // in UTC, as PostgreSQL writes it into JSON
	row      uuid.UUID
	rowHash  []byte
}

// after hashes a seal that follows one with the given hash. The first follows none.
func (s seal) after(previous []byte) digest {
	into := sha256.New()
	for _, text := range []string{
		sealForm, s.tenant.String(), strconv.FormatInt(s.number, 10), string(previous), s.sealedAt, s.row.String(),
		string(s.rowHash),
	} {
		write(into, text)
	}
	return digest(into.Sum(nil))
}

func write(into hash.Hash, text string) {
	_, _ = into.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
	_, _ = into.Write([]byte(text)) // a hash never fails
}

// Head is the last seal of a chain, or of a chain as it was. Whoever keeps it where the
// database's owner cannot write can tell later whether what it stood on is still there.
type Head struct {
	Number int64
	Hash   []byte
}

// noHead stands for the head of a chain that has not begun.
const noHead = "-"

// String is the head as people keep it: its number, a colon, and its hash.
func (h Head) String() string {
	if h.Number == 0 {
		return noHead
	}
	return fmt.Sprintf("%d:%x", h.Number, h.Hash)
}

// ParseHead reads what String writes.
func ParseHead(text string) (Head, error) {
	before, after, found := strings.Cut(text, ":")
	number, err := strconv.ParseInt(before, 10, 64)
	hash, hexErr := hex.DecodeString(after)
	if !found || err != nil || number < 1 || hexErr != nil || len(hash) != sha256.Size {
		return Head{}, fault.New(fault.BadRequest, "head",
			"%q is not a head; heads are a number, a colon and 64 hexadecimal digits, as 'quayside audit verify' prints them",
			text)
	}
	return Head{number, hash}, nil
}

// ReadHeads reads heads that were kept, one on a line behind the company's id. What comes
// after it, and lines that begin with a space or a #, do not matter.
func ReadHeads(from io.Reader) (map[uuid.UUID][]Head, error) {
	heads := map[uuid.UUID][]Head{}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.ContainsAny(lines.Text()[:1], " #") {
			continue
		}
		tenant, err := uuid.Parse(fields[0])
		if err != nil || len(fields) < 2 {
			return nil, fault.New(fault.BadRequest, "heads",
				"the line %q holds no head; a line begins with a company's id and its head", lines.Text())
		}
		if fields[1] == noHead {
			continue
		}
		head, err := ParseHead(fields[1])
		if err != nil {
			return nil, err
		}
		heads[tenant] = append(heads[tenant], head)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read heads: %w", err)
	}
	return heads, nil
}
