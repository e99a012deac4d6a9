package ingest

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

// Characters that are counted wrongly by whoever counts something else: bytes, UTF-16 units, or what a reader sees as one.
const (
	umlaut   = "ä"               // 2 bytes
	apart    = "a\u0308"         // the same for a reader, and 2 characters
	han      = "茶"               // 3 bytes
	cup      = "🍵"               // 4 bytes, 2 units of UTF-16
	family   = "👩\u200d👩\u200d👧" // 3 people and 2 joiners: 5 characters
	arabic   = "شاي"             // written from right to left: 3 characters
	noBreak  = "\u00a0"          // white space
	zeroWide = "\u200b"          // no white space, although nobody sees it
)

// textTable has a key, a reference, a short text, a text of any length, a required text, a choice and a currency.
var textTable = registry.NewTable("teas", "external_id",
	registry.Column{Name: "external_id", Type: registry.Text, Accepted: true, Required: true, MaxLength: MaxKeyLength, Indexed: true},
	registry.Column{Name: "name", Type: registry.Text, Accepted: true, Required: true},
	registry.Column{Name: "code", Type: registry.Text, Accepted: true, Nullable: true, MaxLength: 5},
	registry.Column{Name: "note", Type: registry.Text, Accepted: true, Nullable: true},
	registry.Column{Name: "batch", Type: registry.Text, Accepted: true, Nullable: true, MaxLength: 5, Indexed: true},
	registry.Column{Name: "parent_id", Type: registry.Text, Accepted: true, Nullable: true, MaxLength: MaxKeyLength,
		Reference: &registry.Reference{Slug: "teas", Key: "external_id"}},
	registry.Column{Name: "size", Type: registry.Text, Accepted: true, Nullable: true, Choices: []string{"groß", "klein"}},
	registry.Column{Name: "currency", Type: registry.Text, Accepted: true, Nullable: true, Format: registry.Currency},
	registry.Column{Name: "weight", Type: registry.Number, Accepted: true, Nullable: true},
	registry.Column{Name: "day", Type: registry.Date, Accepted: true, Nullable: true},
)

// sanitizeText sanitises a record whose key and name are fine, unless the fields have others.
func sanitizeText(t *testing.T, fields map[string]string) sanitized {
	t.Helper()
	body := []byte("{")
	for _, name := range []string{"external_id", "name", "code", "note", "batch", "parent_id", "size", "currency", "weight", "day"} {
		value, sent := fields[name]
		if !sent && (name == "external_id" || name == "name") {
			value, sent = "fine", true
		}
		if sent {
			if len(body) > 1 {
				body = append(body, ',')
			}
			body, _ = jsontext.AppendQuote(body, name)
			body, _ = jsontext.AppendQuote(append(body, ':'), value)
		}
	}
	read, err := decode(append(body, '}'))
	require.NoError(t, err)
	return sanitize(textTable, read, time.UTC, false)
}

// storedIn returns what is stored of a column: its text, "null", or "absent".
func storedIn(record sanitized, name string) string {
	for _, c := range record.columns {
		switch {
		case c.column.Name != name:
		case c.value.null:
			return "null"
		default:
			return c.value.text
		}
	}
	return "absent"
}

// TestLengthsAreInCharacters fills columns to the last character, and beyond it by one.
func TestLengthsAreInCharacters(t *testing.T) {
	t.Parallel()
	for field, longest := range map[string]int{"code": 5, "batch": 5, "external_id": 500, "parent_id": 500} {
		for _, one := range []string{"x", umlaut, han, cup, noBreak + "x", zeroWide, "\u202e", "\n" + han, `"`, `\`} {
			characters := []rune(strings.Repeat(one, longest))[:longest]
			fits := sanitizeText(t, map[string]string{field: string(characters)})
			require.Empty(t, fits.refused, "%d of %q in %s", longest, one, field)
			require.Equal(t, string(characters), storedIn(fits, field))
			require.Empty(t, fits.coerced, "text is stored as it was sent")

			long := sanitizeText(t, map[string]string{field: string(characters) + umlaut})
			require.Len(t, long.refused, 1, "%d of %q in %s", longest+1, one, field)
			require.Equal(t, "too_long", long.refused[0].Code)
			require.NotContains(t, long.refused[0].Message, "\ufffd")
		}
	}
	for text, fits := range map[string]bool{
		family: true, family + "!": false, // five characters, and what a reader sees as one
		apart + apart + "!": true, apart + apart + apart: false, // parts are counted as they were sent
		arabic + "xx": true, arabic + "xxx": false,
	} {
		require.Equal(t, fits, len(sanitizeText(t, map[string]string{"code": text}).refused) == 0, "%q", text)
	}
	endless := strings.Repeat(cup, 100_000)
	require.Equal(t, endless, storedIn(sanitizeText(t, map[string]string{"note": endless}), "note"))
}

// TestTextIsKeptAsSent checks that nothing is trimmed, composed, folded or replaced.
func TestTextIsKeptAsSent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"007", " padded ", umlaut, apart, "Straße", "STRASSE", "İstanbul", "ﬁ", "①", family, arabic, "a\u202eb", "\ufffd", "\uffff", "𝟘",
		zeroWide, zeroWide + "x", "\ufeffx", "\u0001", "\r\n\t",
	} {
		record := sanitizeText(t, map[string]string{"external_id": text + "!", "name": text + "!", "note": text, "parent_id": text + "!"})
		require.Empty(t, record.refused, "%q", text)
		require.Equal(t, text, storedIn(record, "note"))
		require.Equal(t, []string{text + "!", text + "!", text + "!"},
			[]string{storedIn(record, "external_id"), storedIn(record, "parent_id"), record.identity})
	}
}

// TestBlankText distinguishes white space, which no key consists of, from characters that nobody sees.
func TestBlankText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text                        string
		identity, name, batch, note string
	}{
		{"", "", "missing", "absent", ""},
		{" ", "", "missing", "absent", " "},
		{noBreak, "", "missing", "absent", noBreak},
		{"\u3000\u2003\n", "", "missing", "absent", "\u3000\u2003\n"}, // wide spaces of Chinese and of printing
		{zeroWide, zeroWide, zeroWide, zeroWide, zeroWide},
		{"\u00ad", "\u00ad", "\u00ad", "\u00ad", "\u00ad"}, // a soft hyphen
	} {
		identity := sanitizeText(t, map[string]string{"external_id": tt.text})
		require.Equal(t, tt.identity, identity.identity, "%q", tt.text)
		require.Equal(t, tt.identity == "", len(identity.refused) == 1, "%q", tt.text)

		rest := sanitizeText(t, map[string]string{"name": tt.text, "batch": tt.text, "note": tt.text})
		name := storedIn(rest, "name")
		if len(rest.refused) == 1 && rest.refused[0].Code == "required" && rest.refused[0].Field == "name" {
			name = "missing"
		}
		require.Equal(t, []string{tt.name, tt.batch, tt.note}, []string{name, storedIn(rest, "batch"), storedIn(rest, "note")}, "%q", tt.text)
	}
	empty := sanitizeText(t, map[string]string{"parent_id": "", "currency": "", "weight": "", "day": ""})
	require.Empty(t, empty.refused)
	require.Equal(t, []string{"null", "null", "null", "null"},
		[]string{storedIn(empty, "parent_id"), storedIn(empty, "currency"), storedIn(empty, "weight"), storedIn(empty, "day")},
		"no record and no currency is called like that, and no number")
	require.Equal(t, []string{"parent_id", "currency", "weight", "day"}, empty.coerced)
}

// TestLookalikes refuses what a reader takes for a number, a day, a choice or a currency.
func TestLookalikes(t *testing.T) {
	t.Parallel()
	for field, texts := range map[string][]string{
		"weight":   {"１２", "٣", "1" + noBreak + "000", "1\u202f000", "−1", "1" + zeroWide, noBreak + "1", "½", "1e", "0x10", "1_000", "Infinity", "NaN"},
		"day":      {"２０２６-03-14", "2026‑03‑14", noBreak + "2026-03-14", "2026-03-14" + zeroWide, "2027-02-29", "2100-02-29", "0000-01-01"},
		"size":     {"gross", "GROSS", "gro" + "ß" + " ", "Groß", "groẞ"},
		"currency": {"ＥＵＲ", "€", "EU" + "R" + zeroWide, "ЕUR"},
	} {
		for _, text := range texts {
			record := sanitizeText(t, map[string]string{field: text})
			require.Len(t, record.refused, 1, "%q as %s", text, field)
			require.Equal(t, field, record.refused[0].Field)
			require.Equal(t, "absent", storedIn(record, field), "never turned into null")
		}
	}
	require.Equal(t, "2028-02-29", storedIn(sanitizeText(t, map[string]string{"day": "2028-02-29"}), "day"))
}

// TestRefusalsShowWholeCharacters shortens what was sent, after 60 characters and never within one.
func TestRefusalsShowWholeCharacters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ field, sent, want string }{
		{"weight", strings.Repeat(umlaut, 58), `weight: "` + strings.Repeat(umlaut, 58) + `" is not a number`},
		{"weight", strings.Repeat(umlaut, 59), `weight: "` + strings.Repeat(umlaut, 59) + `… is not a number`},
		{"weight", "x" + strings.Repeat(cup, 70), `weight: "x` + strings.Repeat(cup, 58) + `… is not a number`},
		{"day", strings.Repeat(han, 70), `day: "` + strings.Repeat(han, 59) + `… is not a date such as 2026-03-14`},
		{"size", strings.Repeat(cup, 58), `size: "` + strings.Repeat(cup, 58) + `" is not one of groß, klein`},
		{"currency", strings.Repeat(umlaut, 70), `currency: "` + strings.Repeat(umlaut, 59) + `… is not a currency code such as EUR`},
	} {
		record := sanitizeText(t, map[string]string{tt.field: tt.sent})
		require.Len(t, record.refused, 1)
		require.Equal(t, tt.want, record.refused[0].Message)
	}
	// A key that another workspace has is shown in the same way.
	elsewhere := verdict{keyLive: true, current: true, elsewhere: true}
	_, err := elsewhere.outcome(sanitizeText(t, map[string]string{"external_id": strings.Repeat(cup, 70)}))
	_, public := fault.Public(err)
	require.Equal(t, `duplicate key: external_id "`+strings.Repeat(cup, 59)+"… belongs to another workspace", public.Message)
}

// TestTextThatIsNone refuses bodies whose text is no sequence of characters, and texts that PostgreSQL cannot store.
func TestTextThatIsNone(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"name":"\ud83c"}`, `{"name":"\udf75"}`, `{"name":"\udf75\ud83c"}`, `{"name":"\ud83cx"}`, `{"\ud83c":1}`, // half of a pair
		"{\"name\":\"\xf0\x9f\x8d\"}", "{\"name\":\"\xed\xa0\xbc\"}", "{\"name\":\"\xc0\x80\"}", "{\"\xff\":1}", // cut, half and too long
		`{"n\u0061me":"x","name":"y"}`, // one name in two spellings
	} {
		_, err := decode([]byte(body))
		require.True(t, fault.HasCode(err, "invalid_json"), "%q", body)
	}
	read, err := decode([]byte(`{"external_id":"\ud83c\udf75","name":"\u00e4","a\u0308":1,"ä":2}`))
	require.NoError(t, err)
	record := sanitize(textTable, read, time.UTC, false)
	require.Equal(t, []string{cup, umlaut}, []string{record.identity, storedIn(record, "name")}, "a pair is one character")
	require.Equal(t, []string{apart, umlaut}, record.dropped, "two names, although a reader sees one")
	for _, field := range []string{"external_id", "name", "code", "note", "parent_id", "size", "currency", "weight", "day"} {
		record := sanitizeText(t, map[string]string{field: "1\x00"})
		require.Equal(t, []fault.Field{{Field: field, Code: "nul", Message: field + ": text may not contain the character U+0000"}},
			record.refused)
	}
}
