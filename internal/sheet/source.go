package sheet

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"github.com/quayside/quayside/internal/fault"
)

// sampled is how much of a file is examined to detect its format.
const sampled = 64 << 10

// Unreadable is the code of errors in the file. Misused is the code of a Reading or a mapping
// that does not fit; the error's first field names the part.
const (
	Unreadable = "file"
	Misused    = "usage"
)

// Reading says how to read a file. Empty fields are detected.
type Reading struct {
	Format    string         `json:"format,omitempty"`    // csv, ndjson, json or xlsx
	Delimiter string         `json:"delimiter,omitempty"` // of CSV: one character, or "tab"
	Encoding  string         `json:"encoding,omitempty"`  // of text: utf-8, utf-16, windows-1252 and similar ones
	Sheet     string         `json:"sheet,omitempty"`     // of XLSX; empty: the first
	Empty     string         `json:"empty,omitempty"`     // meaning of an empty cell: skip (the default) or null
	Zone      *time.Location `json:"-"`                   // of times in XLSX; nil: the local one
}

// Limits bound the cost of reading a file. Zero means no limit.
type Limits struct {
	Inflated int64 // bytes of content, after decompression
	Unpacked int64 // bytes of an XLSX file's parts
	Records  int64
	Record   int64 // bytes of one record
}

// File can be read from its beginning any number of times.
type File struct {
	Name string // shown to people; its extension hints at the format
	Open func(context.Context) (io.ReadCloser, error)
}

// Source is a file or a stream of records, with its detected properties.
type Source struct {
	Name string
	Reading
	Size   int64  // in bytes, of a file
	Hash   string // SHA-256 of a file
	Gzip   bool
	Sheets []string // of XLSX, if it is a file

	limits Limits
	open   func(context.Context) (io.ReadCloser, error) // nil: a stream
	charm  encoding.Encoding                            // nil: UTF-8
	stream *bufio.Reader                                // set for a stream, which cannot be read again
	opened *replay                                      // the stream's reader, once its first record was examined
}

// Reader returns one record after the other, and io.EOF at the end. Any error ends the file;
// an error in one record alone makes that record broken.
type Reader interface {
	Next() (Record, error)
	// Header returns the columns of every record; JSON has none.
	Header() []string
	Close() error
}

// Recognise detects a file's compression, format, delimiter and encoding. It reads the whole
// file once, because the only byte that is not UTF-8 may be the last.
func Recognise(ctx context.Context, file File, reading Reading, limits Limits) (*Source, error) {
	s := &Source{Name: file.Name, Reading: reading, open: file.Open, limits: limits}
	if err := s.checkReading(); err != nil {
		return nil, err
	}
	raw, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = raw.Close() }()
	sum := sha256.New()
	counted := &counter{reader: io.TeeReader(raw, sum)}
	content := bufio.NewReaderSize(counted, sampled)
	inflated, err := s.inflate(content)
	if err != nil {
		return nil, err
	}
	if err := s.judge(bufio.NewReaderSize(inflated, sampled)); err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, content); err != nil { // the rest, for the hash
		return nil, err
	}
	s.Size, s.Hash = counted.bytes, hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

// Recognised returns the source of a file that was recognised before; reading has everything
// that was detected.
func Recognised(file File, reading Reading, limits Limits) (*Source, error) {
	s := &Source{Name: file.Name, Reading: reading, open: file.Open, limits: limits}
	return s, s.checkReading()
}

// RecogniseStream is Recognise for a stream, of which only the beginning can be examined.
func RecogniseStream(name string, stream io.Reader, reading Reading) (*Source, error) {
	s := &Source{Name: name, Reading: reading}
	if err := s.checkReading(); err != nil {
		return nil, err
	}
	inflated, err := s.inflate(bufio.NewReaderSize(stream, sampled))
	if err != nil {
		return nil, err
	}
	s.stream = bufio.NewReaderSize(inflated, sampled)
	head, err := arrived(s.stream)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := s.recognise(head, err == nil); err != nil {
		return nil, err
	}
	// The sample may end within a character.
	if s.Format != XLSX && s.Encoding == "" && !startsUTF8(head) {
		s.setEncoding(windows1252)
	}
	return s, nil
}

// Rereadable reports whether the source can be read again.
func (s *Source) Rereadable() bool { return s.open != nil }

// arrived returns what a stream has delivered so far, at least one line: a pipe may be slow.
func arrived(stream *bufio.Reader) (head []byte, err error) {
	for err == nil && len(head) < sampled && bytes.IndexByte(head, '\n') < 0 {
		_, err = stream.Peek(len(head) + 1)
		head, _ = stream.Peek(stream.Buffered())
	}
	return head, err
}

// judge detects the format from the beginning and the encoding from the whole content.
func (s *Source) judge(content *bufio.Reader) error {
	head, err := content.Peek(sampled)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := s.recognise(head, err == nil); err != nil {
		return err
	}
	if s.Format == XLSX {
		return s.judgeBook(content)
	}
	if s.Encoding != "" {
		_, err = io.Copy(io.Discard, content) // it must end within the limit
		return err
	}
	_, err = io.Copy(io.Discard, transform.NewReader(content, encoding.UTF8Validator))
	if errors.Is(err, encoding.ErrInvalidUTF8) {
		s.setEncoding(windows1252)
		_, err = io.Copy(io.Discard, content)
	}
	return err
}

// Open starts reading. A stream that was examined continues.
func (s *Source) Open(ctx context.Context) (Reader, error) {
	if s.opened != nil {
		return s.opened, nil
	}
	content, closer := io.Reader(s.stream), io.Closer(io.NopCloser(nil))
	if s.Rereadable() {
		raw, err := s.open(ctx)
		if err != nil {
			return nil, err
		}
		if content, err = s.inflate(bufio.NewReaderSize(raw, sampled)); err != nil {
			_ = raw.Close()
			return nil, err
		}
		closer = raw
	}
	reader, err := s.reader(content, closer)
	if err != nil {
		_ = closer.Close()
		return nil, err
	}
	return reader, nil
}

func (s *Source) reader(content io.Reader, closer io.Closer) (Reader, error) {
	if s.Format == XLSX {
		return newSheetReader(s, content, closer)
	}
	guarded := &guard{reader: s.text(content), most: s.longestRecord()}
	switch s.Format {
	case NDJSON:
		return &lineReader{lines: bufio.NewReaderSize(guarded.reader, sampled), most: guarded.most, Closer: closer}, nil
	case JSON:
		return newArrayReader(s.Base(), guarded, closer), nil
	}
	return newCSVReader(s, guarded, closer)
}

// longestRecord returns how many bytes a record may have.
func (s *Source) longestRecord() int64 {
	if s.limits.Record > 0 {
		return s.limits.Record
	}
	return longestRecord
}

// Describe describes the detected properties in a few words.
func (s *Source) Describe() string {
	words := map[string]string{CSV: "CSV", NDJSON: "NDJSON", JSON: "JSON", XLSX: "XLSX"}[s.Format]
	if s.Format == CSV {
		words += ", " + map[string]string{",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}[s.Delimiter]
		if !slices.Contains([]string{",", ";", "\t", "|"}, s.Delimiter) {
			words += fmt.Sprintf("%q", s.Delimiter)
		}
	}
	if s.Encoding != "" && s.Encoding != utf8Name {
		words += ", " + s.Encoding
	}
	if s.Gzip {
		words += ", gzip"
	}
	return words
}

// Base returns the file's name without its directory.
func (s *Source) Base() string {
	if s.Name == "-" {
		return "standard input"
	}
	return filepath.Base(s.Name)
}

// bad returns an error in the file.
func bad(format string, args ...any) *fault.Error {
	return fault.New(fault.BadRequest, Unreadable, format, args...)
}

// inflate decompresses content that is gzipped, within the limit.
func (s *Source) inflate(content *bufio.Reader) (io.Reader, error) {
	head, _ := content.Peek(2)
	s.Gzip = bytes.HasPrefix(head, []byte{0x1f, 0x8b})
	var inflated io.Reader = content
	if s.Gzip {
		packed, err := gzip.NewReader(content)
		if err != nil {
			return nil, s.notGzip(err)
		}
		inflated = &unpacking{packed, s}
	}
	if s.limits.Inflated > 0 {
		inflated = &limited{inflated, s.limits.Inflated, s}
	}
	return inflated, nil
}

// notGzip phrases an error in a compressed file. A read error is returned as it is.
func (s *Source) notGzip(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.EOF) || errors.As(err, &corrupt) {
		return bad("%s: not readable as gzip: %s", s.Base(), err)
	}
	return err
}

// unpacking reads gzipped content.
type unpacking struct {
	packed *gzip.Reader
	source *Source
}

func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.packed.Read(p)
	if err == nil || err == io.EOF { //nolint:errorlint // exactly io.EOF, not io.ErrUnexpectedEOF
		return n, err
	}
	return n, u.source.notGzip(err)
}

// limited fails when a file exceeds the limit.
type limited struct {
	reader io.Reader
	left   int64
	source *Source
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.reader.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fault.New(fault.TooLarge, "too_large",
			"%s is larger than %d MiB when it is decompressed; split it, or push it with 'quayside push'", l.source.Base(),
			l.source.limits.Inflated>>20)
	}
	return n, err
}

// counter counts what is read.
type counter struct {
	reader io.Reader
	bytes  int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.reader.Read(p)
	c.bytes += int64(n)
	return n, err
}
