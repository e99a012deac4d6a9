package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/fault"
)

// lineReader reads NDJSON. A line that is not an object is a broken record; reading continues
// with the next line.
type lineReader struct {
	io.Closer
	lines *bufio.Reader
	most  int64 // bytes of a line
	line  int
	count int64
}

func (r *lineReader) Header() []string { return nil }

func (r *lineReader) Next() (Record, error) {
	for {
		text, err := r.readLine()
		if len(text) == 0 && err != nil {
			return Record{}, err
		}
		r.line++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		r.count++
		record := Record{Number: r.count, Line: r.line}
		record.Fields, err = members(text)
		if err != nil {
			record.Broken = fmt.Sprintf("line %d: %s", r.line, err)
			record.Raw = strings.ToValidUTF8(string(text), "\uFFFD")
		}
		return record, nil
	}
}

func (r *lineReader) readLine() (line []byte, err error) {
	for {
		part, err := r.lines.ReadSlice('\n')
		line = append(line, part...)
		if int64(len(line)) > r.most {
			return nil, endless(r.most)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// arrayReader reads the elements of a JSON array one by one, or a sequence of objects.
type arrayReader struct {
	io.Closer
	name    string
	decoder *jsontext.Decoder
	guard   *guard
	started bool
	array   bool
	count   int64
}

func newArrayReader(name string, guarded *guard, closer io.Closer) *arrayReader {
	// An element that is not strict JSON is a broken record; the array continues after it.
	decoder := jsontext.NewDecoder(guarded, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return &arrayReader{Closer: closer, name: name, decoder: decoder, guard: guarded}
}

func (r *arrayReader) Header() []string { return nil }

func (r *arrayReader) Next() (Record, error) {
	r.guard.since = 0
	if !r.started {
		r.started = true
		if r.array = r.decoder.PeekKind() == jsontext.KindBeginArray; r.array {
			if _, err := r.decoder.ReadToken(); err != nil {
				return Record{}, r.damaged(err)
			}
		}
	}
	if r.array && r.decoder.PeekKind() == jsontext.KindEndArray {
		if _, err := r.decoder.ReadToken(); err != nil {
			return Record{}, r.damaged(err)
		}
		r.array = false
		if r.decoder.PeekKind() != jsontext.KindInvalid {
			return Record{}, bad("%s: something follows the array", r.name)
		}
	}
	value, err := r.decoder.ReadValue()
	if err != nil {
		return Record{}, r.damaged(err)
	}
	r.count++
	record := Record{Number: r.count}
	record.Fields, err = members(value)
	if err != nil {
		record.Broken = fmt.Sprintf("element %d: %s", r.count, err)
		record.Raw = strings.ToValidUTF8(string(value), "\uFFFD")
	}
	return record, nil
}

// damaged returns the error at the end of the file. After a syntax error, no further record
// can be found.
func (r *arrayReader) damaged(err error) error {
	var known *fault.Error
	switch {
	case r.guard.broke():
		return r.guard.err
	case errors.As(err, &known): // a record beyond the limit
		return known
	case ended(err):
		return io.EOF
	}
	return bad("%s is not JSON after record %d: %s", r.name, r.count, strings.TrimPrefix(err.Error(), "jsontext: "))
}

// members returns the fields of one strict JSON object.
func members(text []byte) ([]Field, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(text)) // as strict as the endpoint by default
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return nil, errors.New("not a JSON object")
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, notJSON(err)
	}
	var fields []Field
	for decoder.PeekKind() != jsontext.KindEndObject {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, notJSON(err)
		}
		field := Field{Name: name.String()}
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, notJSON(err)
		}
		field.Value = value.Clone()
		fields = append(fields, field)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return fields, nil
}

func notJSON(err error) error {
	return errors.New("not a JSON object: " + strings.TrimPrefix(err.Error(), "jsontext: "))
}
