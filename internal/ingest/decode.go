package ingest

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mend"
)

// maxDepth is how deep a record may nest; the object itself is the first level.
const maxDepth = 32

// field is one member of the sent object: its name, and its value as it stands in
// the body.
type field = mend.Member

// errNotJSON has no cause, because the decoder's errors quote the body.
var errNotJSON = fault.New(fault.BadRequest, "invalid_json", "invalid JSON body")

// decode reads exactly one JSON object. It is strict where encoding/json is not:
// repeated names, invalid UTF-8, lone surrogates, deep nesting and anything after
// the object are refused, and numbers keep their spelling.
func decode(body []byte) ([]field, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body)) // its defaults are the strict ones
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return nil, errNotJSON
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, errNotJSON
	}
	var fields []field
	for decoder.PeekKind() != jsontext.KindEndObject {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, errNotJSON
		}
		read := field{Name: name.String()}
		value, err := decoder.ReadValue()
		if err != nil || depth(value) > maxDepth-1 {
			return nil, errNotJSON
		}
		read.Value = value.Clone()
		fields = append(fields, read)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, errNotJSON
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errNotJSON
	}
	return fields, nil
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
