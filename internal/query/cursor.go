package query

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/registry"
)

// place is where a page has ended: what its last row is ordered by, and its key.
type place struct {
	value *string // as PostgreSQL prints it; nil: nothing
	key   string
}

const (
	sumLength     = 12
	longestCursor = 4 << 10
	longestKey    = 500
)

var errCursor = refuse("cursor", "cursor",
	"this cursor does not belong to this list: it was made for another table, order or filter, or it is damaged; begin with the first page")

// cursor writes a place so that it can be sent back. It carries a sum over the place and
// over what it is a place in. Whoever makes one up gets another place among rows that
// they may see anyway.
func (p plan) cursor(at place) string {
	text, _ := json.Marshal([]*string{at.value, &at.key}) // PostgreSQL's text is UTF-8
	return base64.RawURLEncoding.EncodeToString(append(p.sum(text), text...))
}

// readCursor reads a place, and refuses one of another list.
func (p plan) readCursor(sent string) (*place, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sent)
	if err != nil || len(raw) < sumLength || len(raw) > longestCursor ||
		!bytes.Equal(raw[:sumLength], p.sum(raw[sumLength:])) {
		return nil, errCursor
	}
	var parts []*string
	if err := json.Unmarshal(raw[sumLength:], &parts); err != nil || len(parts) != 2 || parts[1] == nil {
		return nil, errCursor
	}
	at := &place{parts[0], *parts[1]}
	if !isText(at.key) || at.value == nil && !p.sort.Nullable || at.value != nil && !p.sort.printed(*at.value) {
		return nil, errCursor
	}
	return at, nil
}

// sum binds a place to the list that it is in.
func (p plan) sum(text []byte) []byte {
	hash := sha256.New()
	say := func(words ...string) {
		for _, word := range words {
			_ = binary.Write(hash, binary.BigEndian, int64(len(word)))
			_, _ = hash.Write([]byte(word))
		}
	}
	say(p.tenant.String(), p.workspace.String(), p.relation.Slug, p.sort.Name, string(p.sort.Type),
		strconv.FormatBool(p.desc))
	for _, c := range p.conditions {
		say(c.field.Name, string(c.operator), strconv.FormatBool(c.empty), strconv.Itoa(len(c.values)))
		say(c.values...)
	}
	say(p.search, string(text))
	return hash.Sum(nil)[:sumLength]
}

var printedNumber = regexp.MustCompile(`^-?\d{1,700}(\.\d{1,700})?$`)

// printed says whether PostgreSQL prints values of the field's type so. What does not
// look so was made up, and would make a statement fail.
func (f *Field) printed(text string) bool {
	switch f.Type {
	case registry.Number:
		return printedNumber.MatchString(text)
	case registry.Boolean:
		return text == "t" || text == "f"
	case registry.Date:
		_, err := time.Parse(time.DateOnly, text)
		return err == nil && !strings.HasPrefix(text, "0000")
	case registry.Datetime:
		_, err := time.Parse(printedTime, text)
		return err == nil && !strings.HasPrefix(text, "0000")
	case registry.UUID:
		_, err := uuid.Parse(text)
		return err == nil && len(text) == 36
	case registry.Text:
		return isText(text)
	}
	return false
}

// isText says whether PostgreSQL can hold a text, and whether a key is that long.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0) && utf8.RuneCountInString(text) <= longestKey
}
