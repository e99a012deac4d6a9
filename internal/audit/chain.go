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

// A hash is made of a list of texts, the first of which names the form of the others. Each text
// is preceded by its length, as eight bytes in big-endian order, so that different lists never
// have the same bytes. The forms must never change: every existing chain depends on them. A new
// column of the table needs a second form of row, and seals that name their form.
const (
	rowForm  = "quayside audit row 1"
	callForm = "quayside audit tool call 1"
	sealForm = "quayside audit seal 1"
)

// digest is a SHA-256 hash.
type digest [sha256.Size]byte

// hashRow hashes the columns of an audit row as PostgreSQL prints them, in the order of the
// table: tenant_id, id, at in UTC, workspace_id or an empty text, actor, request_id, action,
// subject, data, xid.
func hashRow(columns []string) digest {
	into := sha256.New()
	write(into, rowForm)
	for _, column := range columns {
		write(into, column)
	}
	return digest(into.Sum(nil))
}

// toolCalled is the action of the rows that are not kept as long as the company.
const toolCalled = "tool.called"

// isCall reports whether an audit row with these columns is a call of a tool.
func isCall(columns []string) bool {
	return len(columns) > actionColumn && columns[actionColumn] == toolCalled
}

// actionColumn is the place of the action among the columns that are hashed.
const actionColumn = 6

// hashCall returns the hash that the seal of a call of a tool has for its row, given hashRow of it. Its form says
// that the row is a call. The seal keeps both hashes, which prove that it was one when the row is no longer kept.
func hashCall(row []byte) digest {
	into := sha256.New()
	write(into, callForm)
	write(into, string(row))
	return digest(into.Sum(nil))
}

// hashSealed returns what a seal holds of a row: the hash of the row, and for a call of a tool also the hash that it
// was made of.
func hashSealed(columns []string) (rowHash, callHash []byte) {
	row := hashRow(columns)
	if !isCall(columns) {
		return row[:], nil
	}
	call := hashCall(row[:])
	return call[:], row[:]
}

// seal is one link of a tenant's chain.
type seal struct {
	tenant   uuid.UUID
	number   int64
	sealedAt string // in UTC, as PostgreSQL writes it in JSON
	row      uuid.UUID
	rowHash  []byte
}

// after returns the hash of a seal whose predecessor has the given hash. The first seal has no
// predecessor.
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
	_, _ = into.Write([]byte(text)) // a hash never returns an error
}

// Head is the last seal of a chain, now or at an earlier time. A head that was kept where the
// database's owner cannot write shows later whether the chain still contains it.
type Head struct {
	Number int64
	Hash   []byte
}

// noHead is the text of the head of an empty chain.
const noHead = "-"

// String returns the head as people keep it: its number, a colon, and its hash.
func (h Head) String() string {
	if h.Number == 0 {
		return noHead
	}
	return fmt.Sprintf("%d:%x", h.Number, h.Hash)
}

// ParseHead parses the output of String.
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

// ReadHeads reads kept heads, one per line after the company's id. It ignores the rest of a
// line, and lines that begin with a space or a #.
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
