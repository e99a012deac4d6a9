// Package mend changes fields of payloads that a table would refuse or misread: by fixes that a person makes for a group
// of failed imports, and by those of them that are kept as rules for records to come.
package mend

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/written"
)

// Fix is one change that is made to a payload.
type Fix struct {
	Do      Kind            `json:"do"`
	Field   string          `json:"field"`
	To      string          `json:"to,omitempty"`      // rename: the new name
	From    json.RawMessage `json:"from,omitempty"`    // map: the value to look for
	Value   json.RawMessage `json:"value,omitempty"`   // set and map: the new value
	Form    written.Form    `json:"form,omitempty"`    // number and date: how the texts are written
	Missing bool            `json:"missing,omitempty"` // set: only if the field is missing, null or blank
}

// Kind says what a fix does.
type Kind string

// The kinds of fixes.
const (
	SetField    Kind = "set"    // gives the field a value, whether it was there or not
	RenameField Kind = "rename" // gives the field another name; a field that had it is replaced
	DropField   Kind = "drop"   // takes the field out
	MapValue    Kind = "map"    // replaces one value of the field by another
	ReadNumber  Kind = "number" // reads the field's texts as numbers; others stay as they are
	ReadDay     Kind = "date"   // reads the field's texts as days; others stay as they are
)

const (
	// MostFixes is how many fixes can be applied at once.
	MostFixes    = 50
	longestName  = 200
	longestValue = 10_000
)

// Check refuses invalid fixes, and too many of them.
func Check(fixes []Fix) error {
	if len(fixes) > MostFixes {
		return fault.InField("fixes", "too_many", "at most %d fixes can be applied at once", MostFixes)
	}
	for _, fix := range fixes {
		if err := fix.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Check refuses an invalid fix.
func (f Fix) Check() error {
	if err := CheckField(f.Field); err != nil {
		return err
	}
	switch {
	case f.Do == RenameField && (!isName(f.To) || f.To == f.Field):
		return fault.InField("to", "to", "give %q another name of 1 to %d characters", f.Field, longestName)
	case (f.Do == SetField || f.Do == MapValue) && !isValue(f.Value):
		return fault.InField("value", "value",
			"give the new value of %q as JSON of at most %d bytes: \"text\" in quotes, 12.5, true, null", f.Field, longestValue)
	case f.Do == MapValue && !isValue(f.From):
		return fault.InField("from", "from",
			"give the value of %q that is to be replaced as JSON of at most %d bytes: \"text\" in quotes, 12.5, true, null",
			f.Field, longestValue)
	case f.Do == ReadNumber && !slices.Contains(written.Numbers, f.Form):
		return fault.InField("form", "form", "say how the numbers in %q are written: decimal_point (1,234.56) or decimal_comma (1.234,56)",
			f.Field)
	case f.Do == ReadDay && !slices.Contains(written.Days, f.Form):
		return fault.InField("form", "form", "say how the days in %q are written: day_first (31.12.2026), month_first (12/31/2026) or year_first (2026/12/31)",
			f.Field)
	case f.Missing && f.Do != SetField:
		return fault.InField("missing", "missing", "only a fix that sets a field can be limited to records in which %q is missing",
			f.Field)
	case !slices.Contains([]Kind{SetField, RenameField, DropField, MapValue, ReadNumber, ReadDay}, f.Do):
		return fault.InField("do", "do", "a fix can set, rename, drop or map a field, or read it as number or date; it cannot %q", f.Do)
	}
	return nil
}

// CheckField refuses what cannot be the name of a field.
func CheckField(name string) error {
	if !isName(name) {
		return fault.InField("field", "field", "name the field in 1 to %d characters", longestName)
	}
	return nil
}

func isName(name string) bool {
	return name != "" && utf8.ValidString(name) && utf8.RuneCountInString(name) <= longestName
}

// isValue reports whether ingest would accept the value: strict JSON of bounded size.
func isValue(value json.RawMessage) bool {
	return len(value) > 0 && len(value) <= longestValue && jsontext.Value(value).IsValid()
}

// SameTarget reports whether two fixes do the same thing to the same field or value, perhaps with other results.
func (f Fix) SameTarget(other Fix) bool {
	return f.Do == other.Do && f.Field == other.Field && alike(f.From, other.From)
}

// Same reports whether two fixes do the same: they have the same parts, and values that mean the same.
func (f Fix) Same(other Fix) bool {
	return f.SameTarget(other) && f.To == other.To && f.Form == other.Form && f.Missing == other.Missing &&
		alike(f.Value, other.Value)
}

func alike(a, b json.RawMessage) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return Equal(jsontext.Value(a), jsontext.Value(b))
}

// Member is one field of a payload, its value spelled as it was sent.
type Member struct {
	Name   string
	Value  jsontext.Value
	Mended bool // a fix has changed it
}

// errNoObject refuses fixes of a payload that has no fields.
var errNoObject = fault.New(fault.Invalid, "not_an_object",
	"the payload is not a JSON object, so its fields cannot be changed; edit it by hand")

// Payload makes the fixes, in their order, and reports whether they changed anything. Fields
// that no fix names keep their place and their spelling; an unchanged payload is returned
// as it is.
func Payload(fixes []Fix, payload []byte) (fixed []byte, changed bool, err error) {
	members, err := Members(payload)
	if err != nil {
		return nil, false, err
	}
	for _, fix := range fixes {
		var did bool
		members, did = fix.Apply(members)
		changed = changed || did
	}
	if !changed {
		return payload, false, nil
	}
	return object(members), true, nil
}

// Apply makes the fix in the given slice, and reports whether it changed anything. The values of members are replaced,
// never changed: they may share memory with the fix.
func (f Fix) Apply(members []Member) (fixed []Member, changed bool) {
	at := Find(members, f.Field)
	switch {
	case f.Do == SetField && at < 0:
		return append(members, Member{f.Field, jsontext.Value(f.Value), true}), true
	case at < 0, f.Do == MapValue && !Equal(members[at].Value, jsontext.Value(f.From)),
		f.Missing && !isMissing(members[at].Value):
		return members, false
	case f.Do == DropField:
		return slices.Delete(members, at, at+1), true
	case f.Do == RenameField:
		members = slices.DeleteFunc(members, func(m Member) bool { return m.Name == f.To })
		at = Find(members, f.Field)
		members[at].Name, members[at].Mended = f.To, true
		return members, true
	}
	value := jsontext.Value(f.Value)
	if f.Do == ReadNumber || f.Do == ReadDay {
		value = f.Read(members[at].Value)
	}
	if value == nil || Equal(members[at].Value, value) {
		return members, false
	}
	members[at].Value, members[at].Mended = value, true
	return members, true
}

// isMissing reports whether a value stands for none: null or blank text.
func isMissing(value jsontext.Value) bool {
	if value.Kind() != jsontext.KindString {
		return value.Kind() == jsontext.KindNull
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return err == nil && strings.TrimSpace(string(text)) == ""
}

// Read returns what a text is as a number or a day, or nil if it is not written so.
func (f Fix) Read(value jsontext.Value) jsontext.Value {
	if value.Kind() != jsontext.KindString {
		return nil
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return nil
	}
	if number, ok := f.Form.Number(string(text)); ok {
		return jsontext.Value(number)
	}
	day, ok := f.Form.Day(string(text))
	if !ok || day == string(text) {
		return nil
	}
	value, _ = jsontext.AppendQuote(nil, day)
	return value
}

// Find returns the place of the field with this name, or -1.
func Find(members []Member, name string) int {
	return slices.IndexFunc(members, func(m Member) bool { return m.Name == name })
}

// Equal compares two values. Texts are equal if they mean the same: "A" equals "\u0041".
// Numbers are equal only in the same spelling: 1 and 1.0 might not be meant alike.
func Equal(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	if a.Compact() != nil || b.Compact() != nil {
		return false
	}
	if a.Kind() != jsontext.KindString || b.Kind() != jsontext.KindString {
		return bytes.Equal(a, b)
	}
	left, err := jsontext.AppendUnquote(nil, a)
	right, err2 := jsontext.AppendUnquote(nil, b)
	return err == nil && err2 == nil && bytes.Equal(left, right)
}

// Members decodes a payload as strictly as ingest does.
func Members(payload []byte) ([]Member, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(payload))
	if decoder.PeekKind() != jsontext.KindBeginObject || !jsontext.Value(payload).IsValid() {
		return nil, errNoObject
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, errNoObject
	}
	var read []Member
	for decoder.PeekKind() != jsontext.KindEndObject {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, errNoObject
		}
		text := name.String() // before the next read: the token is the decoder's
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, errNoObject
		}
		read = append(read, Member{Name: text, Value: value.Clone()})
	}
	return read, nil
}

// object writes members as one JSON object.
func object(members []Member) []byte {
	text := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			text = append(text, ',')
		}
		text, _ = jsontext.AppendQuote(text, m.Name) // read from valid JSON, or checked
		text = append(append(text, ':'), m.Value...)
	}
	return append(text, '}')
}
