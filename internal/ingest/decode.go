package ingest

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/registry"
)

const (
	// maxDepth is how deep a record may nest; the object itself is the first level.
	maxDepth = 32
	// mostUnknown is how many fields of a record that its table does not have are looked at.
	mostUnknown = 500
)

// field is one member of the sent object: its name, and its value as it stands in
// the body.
type field = mend.Member

// errNotJSON has no cause, because the decoder's errors quote the body.
var errNotJSON = fault.New(fault.BadRequest, "invalid_json", "invalid JSON body")

// decode reads exactly one JSON object. It is strict where encoding/json is not:
// repeated names, invalid UTF-8, lone surrogates, deep nesting and anything after
// the object are refused, and numbers keep their spelling.
func decode(body []byte) ([]field, error) {
	fields, _, err := decodeExcept(body, nil)
	return fields, err
}

// decodeFor is decode for a record of a table with these rules. Of the fields that are neither columns of the table nor
// named in a rule, it returns the first mostUnknown and passes over the others, which it counts.
func decodeFor(body []byte, table *registry.Table, rules []registry.Rule) (fields []field, passed int, err error) {
	return decodeExcept(body, &passing{table: table, rules: rules})
}

func decodeExcept(body []byte, passing *passing) (fields []field, passed int, err error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body)) // its defaults are the strict ones
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return nil, 0, errNotJSON
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, 0, errNotJSON
	}
	for decoder.PeekKind() != jsontext.KindEndObject {
		name, err := decoder.ReadValue() // like the value, it is valid until the next call
		if err != nil {
			return nil, 0, errNotJSON
		}
		over := passing.over(fields, name)
		read := field{}
		if !over {
			read.Name = string(unquoted(name))
		}
		value, err := decoder.ReadValue()
		if err != nil || depth(value) > maxDepth-1 {
			return nil, 0, errNotJSON
		}
		if over {
			passed++
			continue
		}
		read.Value = value.Clone()
		fields = append(fields, read)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, 0, errNotJSON
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, 0, errNotJSON
	}
	return fields, passed, nil
}

// unquoted returns the text of a valid JSON string, without a copy if it has no escapes.
func unquoted(text jsontext.Value) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text[1 : len(text)-1]
	}
	plain, _ := jsontext.AppendUnquote(nil, text) // the decoder has accepted it
	return plain
}

// passing decides which fields of a record are passed over. It costs nothing until a record has more fields than
// mostUnknown.
type passing struct {
	table   *registry.Table
	rules   []registry.Rule
	ruled   map[string]bool // what rules name; nil: not needed yet
	unknown int             // among the fields so far
}

// over reports whether a field is passed over that comes after these.
func (p *passing) over(fields []field, name jsontext.Value) bool {
	if p == nil || len(fields) < mostUnknown {
		return false
	}
	if p.ruled == nil {
		p.ruled = map[string]bool{}
		for i := range p.rules {
			p.ruled[p.rules[i].Field], p.ruled[p.rules[i].To] = true, true
		}
		delete(p.ruled, "") // most rules have no second name
		for i := range fields {
			if !p.knows([]byte(fields[i].Name)) {
				p.unknown++
			}
		}
	}
	if p.knows(unquoted(name)) {
		return false
	}
	p.unknown++
	return p.unknown > mostUnknown
}

// knows reports whether a field is a column or named in a rule.
func (p *passing) knows(name []byte) bool {
	_, known := p.table.Column(string(name))
	return known || p.ruled[string(name)]
}

// depth returns how many levels of objects and arrays a valid value has.
func depth(value jsontext.Value) int {
	deepest, level, inString := 0, 0, false
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			inString = !inString
		case '\\':
			i++ // an escape: only within strings
		case '{', '[':
			if !inString {
				level++
				deepest = max(deepest, level)
			}
		case '}', ']':
			if !inString {
				level--
			}
		}
	}
	return deepest
}
