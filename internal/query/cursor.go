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

// place is the position after a page: the sort value and the key of its last row.
type place struct {
	value *string // as PostgreSQL prints it; nil: null
	key   string
}

const (
	sumLength     = 12
	longestCursor = 4 << 10
	longestKey    = 500
)

var errCursor = refuse("cursor", "cursor",
	"this cursor does not belong to this list: it was made for another table, order or filter, or it is damaged; "+
		"begin with the first page")

// cursor encodes a place. It includes a checksum over the place and the list that it belongs
// to. A forged cursor only leads to another place among rows that the caller may see anyway.
func (p plan) cursor(at place) string {
	text, _ := json.Marshal([]*string{at.value, &at.key}) // PostgreSQL's text is UTF-8
	return base64.RawURLEncoding.EncodeToString(append(p.sum(text), text...))
}

// readCursor decodes a place, and refuses the cursor of another list.
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
	if !isText(at.key) || at.value == nil && !p.sort.Nullable || at.value != nil && !p.sort.isPrinted(*at.value) {
		return nil, errCursor
	}
	return at, nil
}

// sum is a checksum that binds a place to its list.
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
	say(p.given...)
	for _, c := range p.conditions {
		say(c.field.Name, string(c.operator), strconv.FormatBool(c.empty), strconv.Itoa(len(c.values)))
		say(c.values...)
	}
	say(p.search, string(text))
	return hash.Sum(nil)[:sumLength]
}

var printedNumber = regexp.MustCompile(`^-?\d{1,700}(\.\d{1,700})?$`)

// isPrinted reports whether PostgreSQL prints values of the field's type in this form. Any
// other text is forged, and would make a statement fail.
func (f *Field) isPrinted(text string) bool {
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

// isText reports whether PostgreSQL can store the text as a key.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0) && utf8.RuneCountInString(text) <= longestKey
}
