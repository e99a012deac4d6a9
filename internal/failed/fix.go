package failed

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/written"
)

// Fix is one change that is made to every payload of a group before it is sent again.
type Fix struct {
	Do    FixKind         `json:"do"`
	Field string          `json:"field"`
	To    string          `json:"to,omitempty"`    // rename: the new name
	From  json.RawMessage `json:"from,omitempty"`  // map: the value to look for
	Value json.RawMessage `json:"value,omitempty"` // set and map: the new value
	Form  written.Form    `json:"form,omitempty"`  // number and date: how the texts are written
}

// FixKind says what a fix does.
type FixKind string

// The kinds of fixes.
const (
	SetField    FixKind = "set"    // gives the field a value, whether it was there or not
	RenameField FixKind = "rename" // gives the field another name; a field that had it is replaced
	DropField   FixKind = "drop"   // takes the field out
	MapValue    FixKind = "map"    // replaces one value of the field by another
	ReadNumber  FixKind = "number" // reads the field's texts as numbers; others stay as they are
	ReadDay     FixKind = "date"   // reads the field's texts as days; others stay as they are
)

const (
	mostFixes    = 50
	longestName  = 200
	longestValue = 10_000
)

// checkFixes refuses invalid fixes, and too many of them.
func checkFixes(fixes []Fix) error {
	if len(fixes) > mostFixes {
		return fault.InField("fixes", "too_many", "at most %d fixes can be applied at once", mostFixes)
	}
	for _, fix := range fixes {
		if err := fix.check(); err != nil {
			return err
		}
	}
	return nil
}

func (f Fix) check() error {
	switch {
	case !isName(f.Field):
		return fault.InField("field", "field", "name the field in 1 to %d characters", longestName)
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
	case !slices.Contains([]FixKind{SetField, RenameField, DropField, MapValue, ReadNumber, ReadDay}, f.Do):
		return fault.InField("do", "do", "a fix can set, rename, drop or map a field, or read it as number or date; it cannot %q", f.Do)
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

// member is one field of a payload, its value spelled as it came.
type member struct {
	name  string
	value jsontext.Value
}

// errNoObject refuses fixes of a payload that has no fields.
var errNoObject = fault.New(fault.Invalid, "not_an_object",
	"the payload is not a JSON object, so its fields cannot be changed; edit it by hand")

// apply makes the fixes, in their order, and reports whether they changed anything. Fields
// that no fix names keep their place and their spelling; an unchanged payload is returned
// as it is.
func apply(fixes []Fix, payload []byte) (fixed []byte, changed bool, err error) {
	members, err := members(payload)
	if err != nil {
		return nil, false, err
	}
	for _, fix := range fixes {
		var did bool
		members, did = fix.apply(members)
		changed = changed || did
	}
	if !changed {
		return payload, false, nil
	}
	return object(members), true, nil
}

func (f Fix) apply(members []member) (fixed []member, changed bool) {
	at := index(members, f.Field)
	switch {
	case f.Do == SetField && at < 0:
		return append(members, member{f.Field, jsontext.Value(f.Value)}), true
	case at < 0, f.Do == MapValue && !same(members[at].value, jsontext.Value(f.From)):
		return members, false
	case f.Do == DropField:
		return slices.Delete(members, at, at+1), true
	case f.Do == RenameField:
		members = slices.DeleteFunc(members, func(m member) bool { return m.name == f.To })
		members[index(members, f.Field)].name = f.To
		return members, true
	case f.Do == ReadNumber || f.Do == ReadDay:
		read := f.read(members[at].value)
		if read == nil {
			return members, false
		}
		members[at].value = read
		return members, true
	}
	changed = !same(members[at].value, jsontext.Value(f.Value))
	members[at].value = jsontext.Value(f.Value)
	return members, changed
}

// read returns what a text is as a number or a day, or nil if it is not written so.
func (f Fix) read(value jsontext.Value) jsontext.Value {
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

func index(members []member, name string) int {
	return slices.IndexFunc(members, func(m member) bool { return m.name == name })
}

// same compares two values. Texts are equal if they mean the same: "A" equals "\u0041".
// Numbers are equal only in the same spelling: 1 and 1.0 might not be meant alike.
func same(a, b jsontext.Value) bool {
	if a.Kind() == jsontext.KindString && b.Kind() == jsontext.KindString {
		left, err := jsontext.AppendUnquote(nil, a)
		right, err2 := jsontext.AppendUnquote(nil, b)
		return err == nil && err2 == nil && bytes.Equal(left, right)
	}
	a, b = a.Clone(), b.Clone()
	return a.Compact() == nil && b.Compact() == nil && bytes.Equal(a, b)
}

// members decodes a payload as strictly as ingest does.
func members(payload []byte) ([]member, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(payload))
	if decoder.PeekKind() != jsontext.KindBeginObject || !jsontext.Value(payload).IsValid() {
		return nil, errNoObject
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, errNoObject
	}
	var read []member
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
		read = append(read, member{text, value.Clone()})
	}
	return read, nil
}

// object writes members as one JSON object.
func object(members []member) []byte {
	text := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			text = append(text, ',')
		}
		text, _ = jsontext.AppendQuote(text, m.name) // read from valid JSON, or checked
		text = append(append(text, ':'), m.value...)
	}
	return append(text, '}')
}
